"""Every formula runs unchanged on numpy, on torch and on a strict reading of the array API standard."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import array_api_strict
import numpy as np
import pytest
import torch

from clockhands import formulas

Make = Callable[[Any], Any]

EACH: dict[str, Callable[[Make], Any]] = {
    "default": lambda a: formulas.default_inv_freq(8, a(1e4)),
    "sinusoid inv_freq": lambda a: formulas.sinusoid_inv_freq(7, a(1e4), "i/(d/2-1)"),
    "mixed": lambda a: formulas.mixed_inv_freq(8, a(1e4), linear_weight=a(0.3), log_weight=a(0.6)),
    "mixed, one weight learned": lambda a: formulas.mixed_inv_freq(8, linear_weight=a(0.3)),
    "banded": lambda a: formulas.banded_inv_freq(12, a(1e4)),
    "linear": lambda a: formulas.linear_inv_freq(8, a(1e4), factor=a(3.0)),
    "linear, factor learned": lambda a: formulas.linear_inv_freq(8, factor=a(3.0)),
    "ntk": lambda a: formulas.ntk_inv_freq(8, a(1e4), factor=a(3.0)),
    "dynamic ntk": lambda a: formulas.dynamic_ntk_inv_freq(
        8, factor=2.0, max_position_embeddings=64, length=a([[64.0], [100.0]])
    ),
    "by parts": lambda a: formulas.by_parts_inv_freq(
        8, a(1e4), factor=a(4.0), original_max_position_embeddings=99, slow=1.0, fast=4.0
    ),
    "yarn": lambda a: formulas.yarn_inv_freq(16, factor=a(4.0), original_max_position_embeddings=99),
    "longrope": lambda a: formulas.longrope_inv_freq(
        4, short_factor=[1.0, 2.0], long_factor=[3.0, 4.0], original_max_position_embeddings=9,
        length=a([[9.0], [10.0]]),
    ),
    "proportional": lambda a: formulas.proportional_inv_freq(8, a(1e4), partial_rotary_factor=0.5),
    "high frequency": lambda a: formulas.high_frequency_inv_freq(8, a(1e4), context=99),
    "clipped": lambda a: formulas.clipped_inv_freq(8, a(1e4), clipped=3),
    "clipped at once": lambda a: formulas.clipped_inv_freq(8, a(1e4), clipped=3, soft=False),
    "resonance": lambda a: formulas.resonance_inv_freq(8, a(1e4)),
    "layer theta": lambda a: formulas.layer_theta(1, 4, a(1e2), a(1e5)),
    "sinusoid": lambda a: formulas.sinusoid(a([[0, 3], [5, 7]]), a([1.0, 0.1, 0.01]), width=5),
    "sinusoid, cos first": lambda a: formulas.sinusoid(a([3]), a([1.0, 0.1]), "concatenated", "cos"),
    "angles": lambda a: formulas.angles(a([[1, 2, 3]]), a([1.0, 0.1])),
    "half": lambda a: formulas.rotate(a([1.0, 2.0, 3.0, 4.0, 5.0]), a([0.6, 0.8]), a([0.8, 0.6])),
    "interleaved": lambda a: formulas.rotate(a([1.0, 2.0, 3.0]), a([[0.6]]), a([[0.8]]), "interleaved"),
    "relayout": lambda a: formulas.relayout(a([0, 1, 2, 3]), "half", "interleaved", num_heads=1),
    "slopes": lambda a: formulas.alibi_slopes(12, a([1.0])),
    "alibi": lambda a: formulas.alibi_bias(a([[0, 5], [-5, 2]]), a([0.5, 0.25]), symmetric=True),
    "t5": lambda a: formulas.t5_bucket(a([-200, -16, -1, 0, 1, 16, 200]), bidirectional=True),
    "contextual positions": lambda a: formulas.contextual_positions(a([[0.0, 0.5, 0.25]]), 0.6),
    "interpolated": lambda a: formulas.interpolated(a([[1.0, 3.0, 9.0]]), a([[0.0, 0.25, 2.0, 1.5]])),
    "context frequency": lambda a: formulas.context_frequency(a([-3.0, 0.0, 2.0])),
    "frequency powers": lambda a: formulas.frequency_powers(a([0.5, 0.9]), 4),
    "stick-breaking": lambda a: formulas.stick_breaking(
        a([[0.5, -1.0, 3.0]]), a([[True, True, False]])
    ),
    "path": lambda a: formulas.path_logits(
        a([[0.1, 0.2]]), a([[1.0, 2.0], [3.0, 4.0]]), a([[0.6, 0.8], [0.0, 1.0]]), a([1.5, 0.5]),
        a([[True, False], [False, True]]),
    ),
    "path in blocks": lambda a: formulas.path_logits_in_blocks(
        a([[0.1, 0.2]]), a([[1.0, 2.0], [3.0, 4.0]]), a([[0.6, 0.8], [0.0, 1.0]]), a([1.5, 0.5]), block=1
    ),
    "plane": lambda a: formulas.turn_in_plane(
        a([1.0, 2.0, 3.0]), a([1.0, 0.5, 0.0]), a([0.0, 2.0, 1.0]), a(0.6), a(0.8)
    ),
    "polar": lambda a: formulas.polar(a([-2.0, 0.5]), a([0.3, 1e5])),
    "tagged": lambda a: formulas.tagged_positions(a([[0, 0], [1, 2]]), a([1.0, 0.25])),
}  # fmt: skip


def in_numpy(values: Any) -> Any:
    return np.asarray(values)


def in_torch(values: Any) -> Any:
    return torch.as_tensor(np.asarray(values))


def in_strict(values: Any) -> Any:
    return array_api_strict.asarray(np.asarray(values))


@pytest.mark.parametrize("formula", EACH.values(), ids=EACH.keys())
def test_libraries_agree(formula: Callable[[Make], Any]) -> None:
    plain = formula(in_numpy)
    assert isinstance(plain, np.ndarray | np.generic)
    tensor, strict = formula(in_torch), formula(in_strict)
    assert isinstance(tensor, torch.Tensor)
    assert isinstance(strict, type(array_api_strict.asarray(0)))
    for other in (np.asarray(tensor), np.from_dlpack(strict)):
        assert other.dtype == plain.dtype
        np.testing.assert_allclose(other, plain, rtol=1e-14, atol=1e-15)


@pytest.mark.filterwarnings("default")  # the compiler's own
@pytest.mark.parametrize("formula", EACH.values(), ids=EACH.keys())
def test_traces_into_one_graph(formula: Callable[[Make], Any]) -> None:
    tensors: list[torch.Tensor] = []

    def collect(values: Any) -> torch.Tensor:
        tensors.append(in_torch(values))
        return tensors[-1]

    torch.compiler.reset()  # all cases share one function below, and the compiler counts them
    plain = formula(collect)

    def of_tensors(*inputs: torch.Tensor) -> torch.Tensor:
        given = iter(inputs)
        return formula(lambda _: next(given))

    compiled = torch.compile(of_tensors, backend="eager", fullgraph=True)
    torch.testing.assert_close(compiled(*tensors), plain)


@pytest.mark.parametrize("formula", EACH.values(), ids=EACH.keys())
def test_nothing_leaves_the_device(formula: Callable[[Make], Any]) -> None:
    """The meta device refuses to meet tensors of another, as a GPU does."""
    assert formula(lambda values: in_torch(values).to("meta")).device.type == "meta"


@pytest.mark.parametrize("name", ["default", "mixed", "sinusoid", "angles", "slopes", "alibi", "tagged"])
def test_half_precision_is_widened_and_float32_kept(name: str) -> None:
    def narrowed(dtype: torch.dtype) -> Make:
        def make(values: Any) -> torch.Tensor:
            tensor = in_torch(values)
            return tensor.to(dtype) if tensor.is_floating_point() else tensor

        return make

    for dtype in (torch.bfloat16, torch.float16, torch.float32):
        assert EACH[name](narrowed(dtype)).dtype == torch.float32
    assert EACH[name](narrowed(torch.float64)).dtype == torch.float64


@pytest.mark.parametrize("module", ["formulas", "positions", "catalogue", "terms"])
def test_importing_loads_nothing_heavy(module: str) -> None:
    code = (
        f"import sys, clockhands.{module}; print({{'torch', 'matplotlib', 'jieba', 'av'}} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
