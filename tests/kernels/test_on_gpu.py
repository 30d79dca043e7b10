"""The Triton kernel: run by its interpreter on any machine, on a card where there is one, and compiled."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch

needs_triton = pytest.mark.skipif(find_spec("triton") is None, reason="Triton is not installed")
WHERE = ["interpreter", *(["cuda"] if torch.cuda.is_available() else [])]

_COMPARE = """
import itertools, json, sys
import torch
from clockhands.kernels import on_gpu
from clockhands.formulas import rotate
from clockhands.kernels.heads import Turn, readable

device = "cpu" if sys.argv[1] == "interpreter" else "cuda"
found = []
dtypes = (torch.float32, torch.float64, torch.bfloat16, torch.float16)
parts = ((16, 0, 8), (13, 3, 5), (24, 14, 5), (9, 3, 1))  # width, first dimension that turns, pairs
given = itertools.product(dtypes, ("half", "interleaved"), parts)
for n, (dtype, layout, (width, start, pairs)) in enumerate(given):
    torch.manual_seed(n)
    q = torch.randn(2, 37, 3, width).to(device, dtype).transpose(1, 2)
    packed = torch.randn(2, 37, 5 + width).to(device, dtype)
    k = packed[..., 5:].unflatten(-1, (1, width)).transpose(1, 2)
    rows = 1 if n % 3 == 0 else 2
    angle = torch.randint(0, 9999, (rows, 37, 1)) * 0.1 ** torch.arange(pairs, dtype=torch.float64)
    counted = torch.promote_types(dtype, torch.float32)
    cos, sin = (part.to(device, counted) for part in (angle.cos(), angle.sin()))
    wanted = [readable(x, cos, sin, layout, start).double() for x in (q, k)]
    if n % 2:
        beside = packed[..., :5].clone()
        on_gpu.turn([Turn(q, q), Turn(k, k)], cos, sin, layout, start)
        got = [q, k]
        assert torch.equal(packed[..., :5], beside)
    else:
        got = [torch.empty_like(q), torch.empty_like(k)]
        on_gpu.turn([Turn(x, out) for x, out in zip((q, k), got)], cos, sin, layout, start)
    # Everything is rounded once, and the interpreter rounds to bfloat16 in another direction than torch.
    eps = torch.finfo(dtype).eps if dtype == torch.bfloat16 else 0.0
    worst = max(float(((a.double() - b).abs() - eps * b.abs()).max()) for a, b in zip(got, wanted))
    found.append((str(dtype), layout, width, worst))

# On the fly, against float64: positions by token, the farthest and such with parts, all parts of a head.
far = torch.tensor([[0, 1, 131071, 2**31 - 1, 77777777], [5, 4, 3, 2, 10**9]])
many = itertools.product((torch.float32, torch.bfloat16), ("half", "interleaved"), (far, far / 7))
for n, (dtype, layout, places) in enumerate(many):
    for width, start, pairs in parts:
        torch.manual_seed(n)
        q, k = torch.randn(2, 5, 3, width), torch.randn(2, 1, 5, width)
        q, k = q.to(device, dtype).transpose(1, 2), k.to(device, dtype)
        speeds = 10000 ** (-torch.arange(pairs, dtype=torch.float64) / pairs) * SPEED
        angle = places[..., None] * speeds
        cos, sin = angle.cos()[:, None].to(device), angle.sin()[:, None].to(device)
        got = [torch.empty_like(q), torch.empty_like(k)]
        turns = [Turn(x, out) for x, out in zip((q, k), got)]
        given = places.to(device), (speeds * GIVEN).to(device)
        on_gpu.turn_at(turns, *given, layout, start, n % 2 == 1)
        worst = 0.0
        for x, out in zip((q, k), got):
            wanted = x.double().clone()
            wanted[..., start:] = rotate(wanted[..., start:], cos, -sin if n % 2 else sin, layout)
            # Four products err, of numbers below 5; then all is rounded once, in the interpreter downwards.
            allowed = 10 * on_gpu.ON_THE_FLY + torch.finfo(dtype).eps * wanted.abs()
            worst = max(worst, float(((out.double() - wanted).abs() - allowed).max()))
        found.append((str(dtype), layout, width, worst))
print(json.dumps(found))
"""
_COMPARE = _COMPARE.replace("SPEED", "1.5").replace("GIVEN", "1.0")

_COMPILE = """
import json
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, compile
from clockhands.kernels import on_gpu

names, found = on_gpu._turned.arg_names, []
for stored, interleaved, fly in (
    ("*bf16", False, False), ("*bf16", True, False), ("*fp32", False, False), ("*bf16", False, True),
):
    sizes = {"TOKENS": 64, "PAIRS": 32, "REST": 0, "pairs": 32, "start": 0, "width": 64}
    chosen = {"INTERLEAVED": interleaved, "ON_THE_FLY": fly, "PARTS": False, **sizes}
    kinds = {name: stored for name in ("q", "q_out", "k", "k_out")} | {"cos": "*fp32", "sin": "*fp32"}
    kinds |= {"places": "*i64", "units": "*i64"}
    signature = {name: "constexpr" if name in chosen else kinds.get(name, "i32") for name in names}
    aligned = [n for n, name in enumerate(names) if name not in chosen and name != "heads"]
    source = ASTSource(
        on_gpu._turned, signature, {(names.index(name),): value for name, value in chosen.items()},
        {(n,): [["tt.divisibility", 16]] for n in aligned},
    )
    made = compile(source, target=GPUTarget("cuda", 90, 32), options={"enable_fp_fusion": False})
    text = made.asm["ptx"]
    words = "ld.global.v4", "ld.global.b", "st.global.v4", "fma", "cos.approx"
    found.append([fly, *map(text.count, words)])
print(json.dumps(found))
"""


def run(program: str, *arguments: str, folder: Path, interpreted: bool = False) -> list[list[float]]:
    """What a new process prints: Triton decides when it is imported whether it interprets."""
    environment = {**os.environ, "TRITON_CACHE_DIR": str(folder)}
    environment.pop("TRITON_INTERPRET", None)
    if interpreted:
        environment["TRITON_INTERPRET"] = "1"
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@needs_triton
@pytest.mark.parametrize("where", WHERE)
def test_the_same_numbers_as_the_readable_formula(where: str, tmp_path: Path) -> None:
    found = run(_COMPARE, where, folder=tmp_path, interpreted=where == "interpreter")
    assert len(found) == 4 * 2 * 4 + 2 * 2 * 2 * 4
    assert [each for each in found if each[-1] > 0] == []


@needs_triton
def test_the_comparison_finds_a_fault(tmp_path: Path) -> None:
    """Tokens that are turned by the angles of others; speeds that are rounded to float32."""
    faulty = _COMPARE.replace("on_gpu.turn([Turn(x, out)", "on_gpu.turn([Turn(x.roll(1, 2), out)")
    faulty = faulty.replace("(speeds * 1.0)", "speeds.float().double()")
    assert faulty.count("roll") + faulty.count(".float().double()") == 2
    found = [each[-1] > 0 for each in run(faulty, "interpreter", folder=tmp_path, interpreted=True)]
    assert sum(found[:32]) == 16
    assert sum(found[32:]) == 2 * 2 * 2 * 3  # with one pair all speeds are 1.5, which float32 has


@needs_triton
def test_it_compiles_for_a_card_and_reads_and_writes_sixteen_bytes_at_once(tmp_path: Path) -> None:
    """What the interpreter can't tell. No card is needed for it."""
    for fly, wide_reads, narrow_reads, wide_writes, fused, approximate in run(_COMPILE, folder=tmp_path):
        assert wide_reads >= (4 if fly else 12)  # of heads alone, and of the table
        assert wide_writes >= 4
        assert approximate == 0  # a function of the processor whose error is not that of a rounding
        assert fly or (narrow_reads, fused) == (0, 0)
