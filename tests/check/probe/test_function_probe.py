"""How a function is given, what is refused in one sentence, and what is put back afterwards."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from functions import healthy

from clockhands.check.probe.findings import RULES
from clockhands.check.probe.function import probe
from clockhands.check.probe.function.fit import fit
from clockhands.check.probe.function.signature import parse
from clockhands.errors import ClockhandsError
from clockhands.formulas.frequencies import by_parts_inv_freq, default_inv_freq, yarn_inv_freq

FUNCTIONS = Path(__file__).parents[1] / "fixtures" / "functions"


def test_by_name_and_by_path() -> None:
    by_name = probe("functions.healthy:half", head_dim=16)
    by_path = probe(f"{FUNCTIONS / 'healthy.py'}:half", head_dim=16)
    assert by_name.measured == by_path.measured
    assert (by_name.kind, by_name.target) == ("function", "functions.healthy:half")


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("nowhere", "package.module:function"),
        ("functions.nowhere:half", "cannot be loaded"),
        ("functions.healthy:hlaf", "did you mean 'half'"),
        ("nowhere.py:half", "no file"),
        ("math:pi", "cannot be called"),
        (7, "package.module:function"),
    ],
)
def test_targets_that_are_none(target: Any, says: str) -> None:
    with pytest.raises(ClockhandsError, match=says):
        probe(target, head_dim=16)


def test_a_file_that_imports_torch_when_called_and_prints(tmp_path: Path) -> None:
    (tmp_path / "late.py").write_text(
        "print('loaded')\n"
        "def turned(x, positions):\n"
        "    import torch\n"
        "    width = x.shape[-1]\n"
        "    speeds = 100.0 ** (-torch.arange(0, width, 2) / width)\n"
        "    angle = positions[:, None, :, None].float() * speeds\n"
        "    u, v = x.chunk(2, -1)\n"
        "    cos, sin = angle.cos(), angle.sin()\n"
        "    return torch.cat((u * cos - v * sin, u * sin + v * cos), -1)\n",
        encoding="utf-8",
    )
    called = ("check", "late.py:turned", "--signature", "x, positions", "--head-dim", "8", "--format", "json")
    done = subprocess.run(
        [sys.executable, "-m", "clockhands", *called],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert json.loads(done.stdout)["layers"][0]["rope_theta"] == pytest.approx(100, rel=1e-4)
    assert "loaded" in done.stderr


def test_what_is_raised_past_exceptions() -> None:
    def leaves(q: Any, k: Any, position_ids: Any) -> None:
        raise BaseException("gone")

    with pytest.raises(ClockhandsError, match="BaseException: gone"):
        probe(leaves, head_dim=16)


def test_a_file_that_fails(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("raise SystemExit(3)", encoding="utf-8")
    with pytest.raises(ClockhandsError, match="cannot be loaded"):
        probe(f"{tmp_path / 'broken.py'}:f", head_dim=16)


@pytest.mark.parametrize(
    ("text", "arguments", "returned", "kind"),
    [
        ("q, k, position_ids", [("q", ""), ("k", ""), ("positions", "")], ("q", "k"), "turned"),
        ("x, *, offset", [("x", ""), ("offset", "offset")], ("x",), "turned"),
        ("hidden_states, start_pos=start", [("x", ""), ("offset", "start_pos")], ("x",), "turned"),
        ("x, positions, base=500.0", [("x", ""), ("positions", ""), ("", "base")], ("x",), "turned"),
        ("position_ids", [("positions", "")], ("cos", "sin"), "angles"),
        ("seq_len, dim", [("length", ""), ("head_dim", "")], ("table",), "table"),
        ("q, k, v, position_ids -> q, k, _", None, ("q", "k", "_"), "turned"),
        ("qlen, klen", None, ("bias",), "bias"),
    ],
)
def test_signatures(text: str, arguments: Any, returned: tuple[str, ...], kind: str) -> None:
    found = parse(text)
    if arguments is not None:
        assert [(argument.word, argument.keyword) for argument in found.arguments] == arguments
    assert (found.returned, found.kind) == (returned, kind)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "names no argument"),
        ("q, k, postion_ids", "did you mean 'position_ids'"),
        ("x, base=fast", "neither a word nor a constant"),
        ("x, 3", "no name"),
        ("x -> y", "nothing called 'y' comes back"),
        ("x -> x, bias", "no one kind"),
        ("x -> q", "does not go in"),
        ("q, k -> output", "needs q, k and v"),
    ],
)
def test_signatures_that_are_none(text: str, says: str) -> None:
    with pytest.raises(ClockhandsError, match=says) as caught:
        probe(healthy.half, head_dim=16, signature=text)
    assert "signature" in str(caught.value)
    assert caught.value.text.zh != caught.value.text.en


def raises(q, k, position_ids):
    raise KeyError("no such\nkey")


def exits(q, k, position_ids):
    sys.exit(3)


def none(q, k, position_ids):
    return None


def one_of_two(q, k, position_ids):
    return (q,)


def words(q, k, position_ids):
    return "q", "k"


def another_shape(q, k, position_ids):
    return q[..., :3], k


def needs_a_keyword(q, k, *, offset):
    return healthy.half(q, k, offset)


def sleeps(q, k, position_ids):
    time.sleep(0.6)
    return q, k


def does_more(q, k, position_ids):
    return q**2, k**2


@pytest.mark.parametrize(
    ("fn", "says"),
    [
        (raises, "it raised KeyError: 'no such\\\\nkey', given q .2, 6, 5, 16."),
        (exits, "it raised SystemExit: 3"),
        (none, "it gave back NoneType, and q, k was expected"),
        (one_of_two, "it gave back 1 value, and q, k was expected"),
        (words, "it gave back str for q, and an array was expected"),
        (another_shape, "it gave q back in shape .2, 6, 5, 3., and .2, 6, 5, 16. was expected"),
        (needs_a_keyword, "takes 2 positional arguments but 3 were given"),
        (sleeps, "one call takes 0.6 s"),
        (does_more, "does more than turn vectors"),
    ],
)
def test_hostile_functions_get_one_sentence(fn: Any, says: str) -> None:
    with pytest.raises(ClockhandsError, match=says) as caught:
        probe(fn, head_dim=16)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"head_dim": 0}, "head_dim is 0"),
        ({"head_dim": 16, "num_heads": "6"}, "num_heads is '6'"),
        ({"head_dim": 16, "dtype": "int8"}, "dtype is 'int8'"),
        ({"head_dim": 16, "layout_of_heads": "b h q"}, "layout_of_heads is 'b h q'"),
        ({"head_dim": 15}, "cannot be probed"),
    ],
)
def test_sizes_that_are_none(how: dict[str, Any], says: str) -> None:
    with pytest.raises(ClockhandsError, match=says):
        probe(healthy.half, **how)


def test_random_states_and_the_console_are_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    from functions import conduct

    states = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    assert [finding.code for finding in probe(conduct.seeds, head_dim=8).found] == ["CH145"]
    probe(conduct.prints, head_dim=8)
    assert (random.getstate(), np.random.get_state()[1].tolist()) == states  # noqa: NPY002
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("theta", [1e3, 1e4, 5e5, 1e6, 12345.0])
@pytest.mark.parametrize("width", [16, 64, 128])
def test_bases_are_found(theta: float, width: int) -> None:
    found = fit(np.asarray(default_inv_freq(width, theta)).astype(np.float32).astype(float), width)
    assert found is not None
    assert (found.rope_type, found.rope_theta) == ("default", pytest.approx(theta, rel=1e-5))


@pytest.mark.parametrize(("factor", "length"), [(4.0, 4096), (40.0, 4096), (16.0, 32768)])
@pytest.mark.parametrize("truncate", [True, False])
def test_yarn_is_found(factor: float, length: int, truncate: bool) -> None:
    sizes = {"factor": factor, "original_max_position_embeddings": length}
    found = fit(np.asarray(yarn_inv_freq(128, 1e4, truncate=truncate, **sizes)), 128)
    assert found is not None
    assert (found.rope_type, found.rope_theta) == ("yarn", 1e4)
    assert found.scaling == (sizes if truncate else {**sizes, "truncate": False})


def test_unusual_blends_are_solved_for() -> None:
    sizes = {"factor": 6.0, "original_max_position_embeddings": 5000}
    found = fit(np.asarray(by_parts_inv_freq(128, 5e5, slow=1.0, fast=8.0, **sizes)), 128)
    assert found is not None
    assert found.rope_type == "llama3"
    assert found.scaling == {
        **sizes,
        "low_freq_factor": 1.0,
        "high_freq_factor": pytest.approx(8.0, rel=1e-3),
    }


def test_what_is_no_known_schedule_has_no_fit() -> None:
    assert fit(np.linspace(1.0, 0.01, 32), 64) is None


def test_rules_have_codes_of_their_own_and_need_no_torch() -> None:
    codes = [rule.code for rule in RULES]
    assert codes == sorted(set(codes))
    script = "import sys, clockhands.check.probe.findings; print('torch' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"
