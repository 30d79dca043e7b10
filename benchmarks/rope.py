"""Turning queries and keys by RoPE: us against a copy of the same bytes, and against what others do."""

from __future__ import annotations

import importlib.util
import itertools
import os
import shutil
from collections.abc import Callable, Sequence
from importlib.metadata import distributions, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from benchmarks.harness import (
    LEAST,
    Contender,
    Report,
    Seconds,
    median_ratio,
    ratios,
    spread,
    table,
    take_turns,
    verdict,
)
from clockhands import formulas
from clockhands.formulas.frequencies import default_inv_freq
from clockhands.formulas.layouts import Layout
from clockhands.kernels import turn

TURNS, SECONDS, FAR = 9, 8.0, 512 * 2**20
"""Inputs and outputs of the figures against a copy take this many bytes together, past any cache."""

PEERS = ("torch", "numba", "transformers", "rotary-embedding-torch", "x-transformers", "torchtune")
ASIDE = Path(__file__).parent / "peers"
"""Where ``make bench`` puts torchtune, whose wheel has folders that are called as ours are."""
COPY, GIVEN, PLACE, NEW = (
    "`copy_` into given outputs (the limit)", "`turn`, into given outputs", "`turn`, in place",
    "`turn`, new outputs",
)  # fmt: skip
EAGER, COMPILED = "transformers, eager", "transformers, `torch.compile`"
LUCID, X, TUNE = "rotary-embedding-torch", "x-transformers", "torchtune"
TARGETS = {  # what is divided by what, how much it may or must be, and whether that is the most
    "into given outputs, times the copy": (GIVEN, COPY, 1.3, True),
    "in place, times the copy": (PLACE, COPY, 0.6, True),
    "times faster than transformers, eager": (EAGER, NEW, 3.5, False),
    "times faster than rotary-embedding-torch": (LUCID, NEW, 25.0, False),
}
TRAINING, NARROW = 3.0, 1.5
MISSED = {
    "into given outputs, times the copy": (
        "where memory is as fast as here, arithmetic and the table, which is read once for each head, are no "
        "longer hidden behind it"
    ),
    "in place, times the copy": (
        "in place as many bytes go over the bus as in a copy that writes past the cache, and two thirds of "
        "those of one that does not; see docs/kernels.md"
    ),
    "times faster than transformers, eager": (
        "both take new memory, and fresh pages of the system are most of our time; the line of given outputs "
        "has none of that, and transformers can't be given any"
    ),
    "times faster than rotary-embedding-torch": (
        "both take new memory, and fresh pages of the system are most of our time and less of theirs"
    ),
}
NARROW_MISSED = "widening, float32 arithmetic and rounding take longer than the bytes; see docs/kernels.md"


class Shape(NamedTuple):
    """Sizes of one call."""

    b: int
    heads: int
    kv_heads: int
    t: int
    head_dim: int

    def __str__(self) -> str:
        return f"({self.b}, {self.heads}, {self.t}, {self.head_dim}), {self.kv_heads} key heads"


SHAPES = (Shape(1, 16, 16, 4096, 64), Shape(1, 32, 8, 8192, 128), Shape(8, 16, 16, 512, 64))


class Given(NamedTuple):
    """Inputs and outputs in several copies, which calls take in turn so that none is still in the cache."""

    inputs: itertools.cycle[tuple[Tensor, Tensor]]
    outputs: itertools.cycle[tuple[Tensor, Tensor]]
    cos: Tensor
    sin: Tensor


def given(shape: Shape, dtype: torch.dtype, gradients: bool = False) -> Given:
    """Random heads, and the table of the positions 0, 1, 2, …"""
    b, heads, kv_heads, t, width = shape
    size = b * (heads + kv_heads) * t * width * torch.empty(0, dtype=dtype).element_size()
    copies = 1 if gradients else max(2, -(-FAR // (2 * size)))
    noise = torch.Generator().manual_seed(0)
    pairs = [
        tuple(torch.randn(b, n, t, width, generator=noise).to(dtype) for n in (heads, kv_heads))
        for _ in range(2 * copies)
    ]
    for pair in pairs:
        for part in pair:
            part.requires_grad_(gradients)
    inv_freq = torch.as_tensor(default_inv_freq(width))
    angle = formulas.angles(torch.arange(t)[None], inv_freq)
    return Given(
        itertools.cycle([(q, k) for q, k in pairs[:copies]]),
        itertools.cycle([(q, k) for q, k in pairs[copies:]]),
        angle.cos(), angle.sin(),
    )  # fmt: skip


def ways(
    shape: Shape, dtype: torch.dtype, data: Given, layout: Layout
) -> dict[str, Callable[[Tensor, Tensor], Any]]:
    """Name -> function of q and k that returns both turned in new memory; whoever has the layout."""
    cos, sin = data.cos.float(), data.sin.float()
    found: dict[str, Callable[[Tensor, Tensor], Any]] = {NEW: lambda q, k: turn(q, k, cos, sin, layout)}
    if layout == "half":
        from transformers.models.llama.modeling_llama import apply_rotary_pos_emb

        # As LlamaRotaryEmbedding gives them: twice as wide, in the dtype of the hidden states.
        wide: Any = [torch.cat((part, part), dim=-1).to(dtype) for part in (cos, sin)]
        found[EAGER] = lambda q, k: apply_rotary_pos_emb(q, k, *wide)
        if any(map(shutil.which, ("g++", "clang++", "cl"))):
            compiled: Any = torch.compile(apply_rotary_pos_emb, dynamic=False)
            found[COMPILED] = lambda q, k: compiled(q, k, *wide)
    else:
        from rotary_embedding_torch import RotaryEmbedding
        from x_transformers.x_transformers import RotaryEmbedding as Other
        from x_transformers.x_transformers import apply_rotary_pos_emb as apply

        lucid = RotaryEmbedding(shape.head_dim)
        found[LUCID] = lambda q, k: (lucid.rotate_queries_or_keys(q), lucid.rotate_queries_or_keys(k))
        freqs, scale = _any(Other(shape.head_dim).forward_from_seq_len(shape.t))
        found[X] = lambda q, k: (apply(q, freqs, scale), apply(k, freqs, scale))
        tune = _torchtune(shape.head_dim, shape.t)
        if tune is not None:  # takes tokens first
            found[TUNE] = lambda q, k: tuple(tune(x.transpose(1, 2)).transpose(1, 2) for x in (q, k))
    return found


def forward(shape: Shape, dtype: torch.dtype, layout: Layout) -> list[Contender]:
    """Contenders without gradients; those that write into given memory besides."""
    data = given(shape, dtype)
    cos, sin = data.cos.float(), data.sin.float()

    def copy() -> None:
        for source, target in zip(next(data.inputs), next(data.outputs), strict=True):
            target.copy_(source)

    def into() -> None:
        turn(*next(data.inputs), cos, sin, layout, out=next(data.outputs))

    def in_place() -> None:
        both = next(data.outputs)
        turn(*both, cos, sin, layout, out=both)

    runs: dict[str, Callable[[], object]] = {COPY: copy, GIVEN: into, PLACE: in_place}
    for name, way in ways(shape, dtype, data, layout).items():
        runs[name] = lambda way=way: way(*next(data.inputs))
    return [Contender(name, _without_gradients(run), 3) for name, run in runs.items()]


def backward(shape: Shape, dtype: torch.dtype, layout: Layout) -> list[Contender]:
    """Contenders forward and backward, from gradients that are there already."""
    data = given(shape, dtype, gradients=True)
    of = tuple(part.detach() for part in next(data.outputs))

    def both(way: Callable[[Tensor, Tensor], Any]) -> None:
        q, k = next(data.inputs)
        torch.autograd.grad(way(q, k), (q, k), of)

    return [
        Contender(name, lambda way=way: both(way), 3)
        for name, way in ways(shape, dtype, data, layout).items()
    ]


def errors(shape: Shape, dtype: torch.dtype, layout: Layout) -> dict[str, float]:
    """Largest difference of each way from float64, on the inputs of the first call."""
    data = given(shape, dtype, gradients=True)  # one copy
    q, k = (part.detach() for part in next(data.inputs))
    exact = formulas.rotate(q[:, :2].double(), data.cos[:, None], data.sin[:, None], layout)
    with torch.no_grad():
        return {
            name: float((way(q, k)[0][:, :2].double() - exact).abs().max())
            for name, way in ways(shape, dtype, data, layout).items()
        }


def _torchtune(head_dim: int, length: int) -> Any:
    """Its rotation, from its one file: torchtune 0.6.1 can't be imported beside the torchao of today."""
    file = ASIDE / "torchtune/modules/position_embeddings.py"
    if not file.exists():
        return None
    spec = importlib.util.spec_from_file_location("torchtune_positions", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.RotaryPositionalEmbeddings(head_dim, max_seq_len=length)


def _versions() -> str:
    found = {name: version(name) if find_spec(name.replace("-", "_")) else "missing" for name in PEERS[1:-1]}
    aside = next(iter(distributions(name=TUNE, path=[str(ASIDE)])), None)
    found[TUNE] = "missing" if aside is None else aside.version
    return ", ".join(f"{name} {number}" for name, number in found.items())


def _any(given: Any) -> Any:
    return given


def _without_gradients(run: Callable[[], object]) -> Callable[[], object]:
    def alone() -> None:
        with torch.no_grad():
            run()

    return alone


def judged(seconds: Seconds, limit: str | None, dtype: torch.dtype) -> str:
    """Each target that these contenders have."""
    lines = []
    for what, (above, below, target, most) in TARGETS.items():
        if above in seconds and below in seconds and limit is not None:
            because = MISSED.get(what, "")
            if what.startswith("into") and dtype == torch.bfloat16:
                target, because = NARROW, NARROW_MISSED
            found = median_ratio(seconds[above], seconds[below])
            lines.append(verdict(what, found, target, most=most, because=because))
        elif above == EAGER and EAGER in seconds:
            found = median_ratio(seconds[EAGER], seconds[NEW])
            what = "times faster than transformers, eager"
            lines.append(verdict(what, found, TRAINING, most=False, because=MISSED[what]))
    return "\n".join(lines)


def section(
    title: str, seconds: Seconds, limit: str | None, wrong: dict[str, float], dtype: torch.dtype
) -> str:
    """One table: time, how many times the limit, how many times faster we are in the same kind of call."""
    ours = seconds[NEW]
    head = ["", "time", "times our new outputs", "largest error"]
    lines: list[Sequence[str]] = []
    for name, took in seconds.items():
        line = [name, spread(took, "ms", 1e3), ratios(took, ours)]
        line.append(f"{wrong[name]:.1e}" if name in wrong else "")
        if limit is not None:
            line.insert(2, ratios(took, seconds[limit]))
        lines.append(line)
    if limit is not None:
        head.insert(2, "times the limit")
    return f"### {title}\n\n" + "\n\n".join(filter(None, (table(head, lines), judged(seconds, limit, dtype))))


def measure() -> Report:
    parts: list[str] = []
    dtypes: tuple[torch.dtype, ...] = (torch.float32, torch.bfloat16)
    layouts: tuple[Layout, ...] = ("half", "interleaved")
    for shape, dtype, layout in itertools.product(SHAPES, dtypes, layouts):
        name = f"{shape}, {str(dtype).removeprefix('torch.')}, {layout}"
        wrong = errors(shape, dtype, layout)
        seconds = take_turns(forward(shape, dtype, layout), TURNS, SECONDS)
        parts.append(section(f"{name}: forward", seconds, COPY, wrong, dtype))
        seconds = take_turns(backward(shape, dtype, layout), TURNS, SECONDS)
        parts.append(section(f"{name}: forward and backward", seconds, None, {}, dtype))
    settings = ", ".join(
        f"{key}={value}" for key, value in sorted(os.environ.items()) if key.startswith("MALLOC")
    )
    return Report(
        "RoPE on queries and keys",
        (
            f"torch {torch.__version__} on {torch.get_num_threads()} threads, memory from "
            f"{'a preloaded allocator' if os.environ.get('LD_PRELOAD') else 'the allocator of the C library'}"
            f"{f' ({settings})' if settings else ''}; "
            f"{_versions()}. The table of cosines and sines is made beforehand for all. Forward calls take "
            f"their inputs and given outputs in turn from copies of {FAR // 2**20} MiB together, which no "
            f"cache holds. {TURNS} turns in alternation, {LEAST} where they last long, each the median of 3 "
            "calls; median and range.",
            *parts,
        ),
    )
