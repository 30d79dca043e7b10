"""One token after many: what position adds to the attention of a decode step."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial

import torch
from torch import Tensor

from benchmarks.harness import (
    Contender,
    Report,
    Seconds,
    median_ratio,
    ratios,
    spread,
    table,
    verdict,
)
from clockhands import kernels
from clockhands.catalogue.alibi import ALiBi
from clockhands.catalogue.rope import RoPE
from clockhands.core.attend import attend, enter
from clockhands.core.cache import LayerCache, Tokens
from clockhands.core.encoding import Encoding
from clockhands.schemes import build

TURNS, STEPS, LAYERS, EARLIER = 15, 7, 8, 8192
HEADS, KV_HEADS, HEAD_DIM = 32, 8, 128
NOTHING, ROTATED, BIASED = "a decode step without any position", "with `rope`", "with `alibi`"
MOST = 1.03
FLUSHED = "numbers below 1.2e-38 count as 0"
_PROGRAM = """
import json, sys, torch
from benchmarks.decoding import contenders
from benchmarks.harness import take_turns
dtype, flushed, turns = sys.argv[1:]
torch.set_flush_denormal(flushed == "1")
print(json.dumps(take_turns(contenders(getattr(torch, dtype)), int(turns))))
"""


def contenders(dtype: torch.dtype) -> list[Contender]:
    """One token after the cached ones and those of earlier turns, through the attention of some layers."""
    noise = torch.Generator().manual_seed(0)

    def heads(count: int, length: int) -> Tensor:
        return torch.randn(1, count, length, HEAD_DIM, generator=noise).to(dtype)

    q, k, v = heads(HEADS, 1), heads(KV_HEADS, 1), heads(KV_HEADS, 1)
    places = torch.arange(EARLIER)[None]
    earlier = Tokens(heads(KV_HEADS, EARLIER), heads(KV_HEADS, EARLIER), places)
    x = torch.zeros(1, 1, HEADS * HEAD_DIM)
    # All go through the same: where the system puts a cache makes a step a twentieth longer or shorter.
    caches = [LayerCache(earlier) for _ in range(LAYERS)]

    def step(encoding: Encoding) -> None:
        with torch.no_grad():
            _, placed = enter([encoding] * LAYERS, x, torch.tensor([[caches[0].length]]))
            for one, cache in zip(placed, caches, strict=True):
                attend(one, q, k, v, cache=cache, turners=kernels.TURNERS)

    encodings = {
        NOTHING: Encoding(),
        ROTATED: build(RoPE(head_dim=HEAD_DIM)),
        BIASED: build(ALiBi(num_heads=HEADS)),
    }
    return [Contender(name, partial(step, encoding), STEPS) for name, encoding in encodings.items()]


def timed(dtype: str, flushed: bool) -> Seconds:
    """Of a new process, whose threads all begin with the setting."""
    command = [sys.executable, "-c", _PROGRAM, dtype, str(int(flushed)), str(TURNS)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def because(name: str, dtype: str, flushed: bool) -> str:
    """Why a target is missed where it is missed."""
    if name == ROTATED:
        return "turning so few numbers is some calls of torch a layer, however few bytes attention reads"
    keys = 2 * KV_HEADS * HEAD_DIM * torch.finfo(getattr(torch, dtype)).bits
    share = HEADS * torch.finfo(torch.float32).bits / keys
    read = (
        f"its bias, made once a step and read in each layer, is {share:.1%} of the bytes of keys and values"
    )
    small = "numbers turn up that are too small to be normal ones, which this processor multiplies slowly"
    return read if flushed else f"{small} (see where they count as 0), and {read}"


def section(dtype: str, flushed: bool) -> str:
    seconds = timed(dtype, flushed)
    lines = [
        (name, spread(took, "ms", 1e3), ratios(took, seconds[NOTHING])) for name, took in seconds.items()
    ]
    said = "\n".join(
        verdict(
            f"{name.removeprefix('with ')}, times the step without position",
            median_ratio(seconds[name], seconds[NOTHING]), MOST, most=True,
            because=because(name, dtype, flushed),
        )
        for name in (ROTATED, BIASED)
    )  # fmt: skip
    name = f"### {dtype}{f', {FLUSHED}' if flushed else ''}"
    return "\n\n".join((name, table(("", "time", "times the step without position"), lines), said))


def measure() -> Report:
    parts = [section(dtype, flushed) for dtype in ("float32", "bfloat16") for flushed in (False, True)]
    return Report(
        "One token after many",
        (
            f"Attention of {LAYERS} layers for one token after {EARLIER:,} others and those of earlier "
            f"steps, {HEADS} heads of {HEAD_DIM}, {KV_HEADS} key heads, through `attend` with a cache; torch "
            f"{torch.__version__} on "
            f"{torch.get_num_threads()} threads, whose `scaled_dot_product_attention` computes all of them. "
            f"{TURNS} turns in alternation, each the median of {STEPS} steps; median and range. Where "
            f'"{FLUSHED}", the process began with `torch.set_flush_denormal(True)`.',
            *parts,
        ),
    )
