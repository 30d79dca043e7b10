"""One door for every target: what it takes from Python, and what it refuses in one sentence."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from clockhands.check import examine, measure
from clockhands.errors import ClockhandsError

CONFIG = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "rope_theta": 1e4}


@pytest.mark.parametrize(
    ("target", "asked", "says"),
    [
        (5, {}, "a int can't be checked"),
        (CONFIG, {"served_length": "8"}, "served_length is '8'"),
        (CONFIG, {"served_length": 2**60}, "2[*][*]52"),
        (CONFIG, {"framework": "vlm"}, "did you mean 'vllm'"),
        (CONFIG, {"dtype": "int3"}, "dtype is 'int3'"),
        (CONFIG, {"dtype": 5}, "dtype is 5"),
        (CONFIG, {"override": [1]}, "must be a dictionary"),
        (CONFIG, {"llama_cpp": "-c 4096"}, "must be a dictionary"),
        (CONFIG, {"head_dim": 64}, "head_dim changes nothing of a configuration"),
        (len, {"override": {"rope_theta": 1}}, "cannot be probed|changes nothing of a function"),
        ({"tokenizer_class": "Llama"}, {}, "says nothing of a model"),
    ],
)
def test_what_is_refused(target: Any, asked: dict[str, Any], says: str) -> None:
    with pytest.raises(ClockhandsError, match=says):
        examine(target, **asked)


def test_only_a_live_model_is_measured() -> None:
    with pytest.raises(ClockhandsError, match="a dict can't be measured"):
        measure(CONFIG)  # type: ignore[arg-type]


def test_by_the_short_name_without_torch_and_in_any_order() -> None:
    """A package called probe stands beside the function of that name."""
    code = (
        "import sys, clockhands as ch, numpy as np\n"
        f"assert ch.check.examine({CONFIG!r}).layers[0].rotary_dim == 16\n"
        "import clockhands.check.probe.live\n"
        "turn = lambda x, positions: x[..., ::-1] * np.cos(positions[:, None, None])\n"
        "asked = dict(head_dim=8, signature='x, positions', layout_of_heads='t h d')\n"
        "assert ch.check.probe(turn, **asked).findings\n"
        "assert not {'torch', 'transformers', 'matplotlib'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
