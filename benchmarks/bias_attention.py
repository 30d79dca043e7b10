"""A layer of attention with ALiBi's or T5's bias, 1,024 to 16,384 tokens, in new processes: time, memory."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from importlib.metadata import version
from typing import NamedTuple

import torch

from benchmarks.harness import Report, median_ratio, ratios, spread, table, verdict
from clockhands.core.back_ends import Sdpa
from clockhands.core.blocked import Blocked
from clockhands.memory import available_bytes

HEADS, HEAD_DIM = 8, 64
TURNS = {1024: 3, 2048: 2, 4096: 2, 8192: 2, 16384: 1}
"""Of each length; a turn of the longest takes minutes."""
OURS, EAGER, DENSE, OTHER = "clockhands", "transformers, eager", "SDPA with a dense bias", "x-transformers"
BIASES = {"alibi": (OURS, EAGER, DENSE, OTHER), "t5": (OURS, EAGER, DENSE)}
MEMORY, FASTER = 8.0, 2.0
HELD = {OURS: (0.0, 0.0), EAGER: (3.5, 4.0), DENSE: (2.5, 5.0), OTHER: (4.5, 5.0)}
"""Tensors of all logits that are in memory at once, forward and with backward, as measured at 4,096 tokens;
those that the machine can't hold are not run."""

ALIKE = "so few biases are all held by ours, too: both compute the same, and differ by the spread"
AGAIN = "ours computes each block again for the gradient: that is the price of the memory"
IN_TURN = "ours computes one block after the other: that is the price of the memory"

_PROGRAM = """
import json, sys, time
from pathlib import Path
import torch
from torch.nn import functional
import clockhands as ch
from clockhands.core.attend import attend, enter
from clockhands.core.back_ends import Sdpa

scheme, way, length, heads, width, training = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
modes = (False, True) if training else (False,)
dim = heads * width
torch.manual_seed(0)
layer = ch.Attention(dim, heads, encoding=scheme, causal=True, seed=0)
projections, encoding = layer.projections, layer.encoding
with torch.no_grad():
    for part in (projections.query, projections.key, projections.value, projections.output):
        part.bias.zero_()
x = torch.randn(1, length, dim, requires_grad=bool(training))
parts = projections.query, projections.key, projections.value


def peak():
    "Largest resident memory of this very program, bytes; ru_maxrss would count the parent's before exec."
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) * 1024
    except OSError:
        import resource
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def heads_of(projected):
    return projected.unflatten(-1, (heads, width)).transpose(1, 2)


def with_sdpa():
    q, k, v = (heads_of(part(x)) for part in parts)
    placed = enter([encoding], x)[1][0]  # anew, or the bias would be there from the call before
    mixed = attend(placed, q, k, v, x=x, back_ends=(Sdpa(),)).output
    return projections.output(mixed.transpose(1, 2).flatten(2))


def with_x_transformers():
    from x_transformers.attend import Attend
    from x_transformers.x_transformers import AlibiPositionalBias

    q, k, v = (heads_of(part(x)) for part in parts)
    bias = AlibiPositionalBias(heads)(length, length)
    mixed = Attend(causal=True, heads=heads)(q, k, v, attn_bias=bias)[0]
    return projections.output(mixed.transpose(1, 2).flatten(2))


def causal():
    return torch.full((length, length), torch.finfo(torch.float32).min).triu(1)[None, None]


def transformers_eager():
    if scheme == "alibi":
        from transformers import BloomConfig
        from transformers.models.bloom.modeling_bloom import BloomAttention, build_alibi_tensor

        config = BloomConfig(hidden_size=dim, n_head=heads, hidden_dropout=0.0, attention_dropout=0.0)
        theirs = BloomAttention(config, layer_idx=0).eval()
        each = [part.weight.view(heads, width, dim) for part in parts]
        theirs.query_key_value.weight.data = torch.stack(each, 1).detach().reshape(3 * dim, dim)
        theirs.query_key_value.bias.data.zero_()
        theirs.dense.weight.data, theirs.dense.bias.data = projections.output.weight.data, torch.zeros(dim)

        def bloom():
            alibi = build_alibi_tensor(torch.ones(1, length), heads, torch.float32)
            return theirs(x, torch.zeros(1, length, dim), alibi, causal())[0]

        return bloom
    from transformers import T5Config
    from transformers.models.t5.modeling_t5 import T5Attention

    config = T5Config(d_model=dim, d_kv=width, num_heads=heads, dropout_rate=0.0, is_decoder=True)
    config._attn_implementation = "eager"
    theirs = T5Attention(config, has_relative_attention_bias=True, layer_idx=0).eval()
    for name, part in (("q", "query"), ("k", "key"), ("v", "value"), ("o", "output")):
        getattr(theirs, name).weight.data = getattr(projections, part).weight.detach().clone()
    theirs.q.weight.data *= width**-0.5  # T5 does not scale
    theirs.relative_attention_bias.weight.data = encoding.weights.detach().clone()
    return lambda: theirs(x, mask=causal())[0]


run = {
    "clockhands": lambda: layer(x), "SDPA with a dense bias": with_sdpa,
    "x-transformers": with_x_transformers,
}.get(way) or transformers_eager()


def once():
    output = run()
    if training:
        output.sum().backward()
    return output.detach()


before, found = peak(), []
for training in modes:  # which adds more memory than calling it has
    with torch.set_grad_enabled(training):
        seconds = []
        for _ in range(2 if length > 4096 else 3):
            start = time.perf_counter()
            output = once()
            seconds.append(time.perf_counter() - start)
    found.append([min(seconds[1:]), peak() - before])

layer.double()
with torch.no_grad():  # the last queries alone, in float64
    last = slice(length - 32, length)
    q, k, v = (heads_of(part(x.detach().double())) for part in parts)
    i, j = torch.arange(length)[last, None], torch.arange(length)[None]
    if scheme == "alibi":
        bias = encoding.slopes[:, None, None] * (j - i)
    else:
        bias = encoding.weights[encoding.buckets[(i - j).clamp(-128, 128) + 128]].permute(2, 0, 1)
    logits = q[:, :, last] @ k.transpose(-1, -2) * width**-0.5 + bias
    weights = logits.masked_fill(j > i, -torch.inf).softmax(-1)
    wide = projections.output((weights @ v).transpose(1, 2).flatten(2))
    error = float((output[:, last].double() - wide).abs().max())
print(json.dumps([[*one, error] for one in found]))
"""


class Run(NamedTuple):
    """Seconds of a call once warm, bytes that calls added to the process, the error against float64."""

    seconds: float
    growth: float
    error: float


def run(scheme: str, way: str, length: int, training: bool) -> list[Run]:
    """Of a new process: forward, and if wanted forward and backward."""
    numbers = [str(int(number)) for number in (length, HEADS, HEAD_DIM, training)]
    command = [sys.executable, "-c", _PROGRAM, scheme, way, *numbers]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [Run(*one) for one in json.loads(said)]


def fits(way: str, length: int, training: bool) -> bool:
    """Whether the logits that it holds take less than two thirds of the memory that is free now."""
    needed = HELD[way][training] * 4 * HEADS * length**2
    free = available_bytes()
    return free is None or needed < free * 2 / 3


def sections(scheme: str, length: int) -> list[str]:
    """A table of calls forward, and up to 8,192 tokens another of calls forward and backward."""
    ways = [way for way in BIASES[scheme] if fits(way, length, False)]
    trained = {way for way in ways if length <= 8192 and fits(way, length, True)}  # in all turns or in none
    runs: dict[bool, dict[str, list[Run]]] = {training: {} for training in (False, True)}
    for turn in range(TURNS[length]):
        for way in ways if turn % 2 == 0 else reversed(ways):
            found = run(scheme, way, length, way in trained)
            for mode, one in zip((False, True), found, strict=False):
                runs[mode].setdefault(way, []).append(one)
    return [section(scheme, length, mode, by_way) for mode, by_way in runs.items() if by_way]


def section(scheme: str, length: int, training: bool, runs: dict[str, list[Run]]) -> str:
    ours = [one.seconds for one in runs[OURS]]
    lines = []
    for way in BIASES[scheme]:
        if way not in runs:
            lines.append((way, "not run: too large or too slow for this table", "", "", ""))
            continue
        seconds = [one.seconds for one in runs[way]]
        growth = statistics.median(one.growth for one in runs[way])
        share = growth / statistics.median(one.growth for one in runs[OURS])
        error = max(one.error for one in runs[way])
        lines.append(
            (
                way,
                spread(seconds, "s"),
                ratios(seconds, ours),
                f"{growth / 1e6:,.0f} MB ({share:.1f} of ours)",
                f"{error:.1e}",
            )
        )
    what = "forward and backward" if training else "forward"
    head = ("", "time", "times ours", "memory that it adds", "error of the last 32 queries")
    shown = f"### {scheme}, {length:,} tokens, {what}\n\n" + table(head, lines)
    faster = [way for way in runs if median_ratio([one.seconds for one in runs[way]], ours) < 1]
    if faster:
        blocked = Blocked(Sdpa()).least <= HEADS * length**2
        why = (AGAIN if training else IN_TURN) if blocked else ALIKE
        shown += f"\n\n- {', '.join(faster)}: faster here, for {why}"
    return shown if length != 8192 or EAGER not in runs else f"{shown}\n\n{judged(runs)}"


def judged(runs: dict[str, list[Run]]) -> str:
    """The targets at 8,192 tokens."""
    memory, seconds = ({way: [one[n] for one in some] for way, some in runs.items()} for n in (1, 0))
    return "\n".join(
        verdict(what, median_ratio(by[EAGER], by[OURS]), target, most=False)
        for what, by, target in (
            ("times less memory than transformers, eager", memory, MEMORY),
            ("times faster than transformers, eager", seconds, FASTER),
        )
    )


def measure() -> Report:
    found = [one for scheme in BIASES for length in TURNS for one in sections(scheme, length)]
    peers = ", ".join(f"{name} {version(name)}" for name in ("transformers", "x-transformers"))
    return Report(
        "Attention with a bias by distance",
        (
            f"A causal layer of {HEADS} heads of {HEAD_DIM}, one row, float32, its projections included and "
            f"the same for all; torch {torch.__version__}, {torch.get_num_threads()} threads, {peers}. Each "
            "run is a new process that calls the layer two or three times; its time is the least after the "
            "first call. Turns in alternation: "
            + ", ".join(f"{turns} of {length:,} tokens" for length, turns in TURNS.items())
            + "; median and range. The error is against the formula in float64.",
            *found,
        ),
    )
