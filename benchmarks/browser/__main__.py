"""Write one page, in a process of its own: ``python -m benchmarks.browser WHO TOKENS FILE``."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import numpy as np

from clockhands import web
from clockhands.analysis.attention_trace import Sentence, weights_of
from clockhands.language import Text
from clockhands.web.attention_file import to_bytes

HEADS, WIDTH = 12, 64


def attention(count: int) -> Sentence:
    """Twelve heads of queries and keys by chance (seed 0) over ``count`` tokens, causal."""
    q, k = np.random.default_rng(0).standard_normal((2, 1, HEADS, count, WIDTH))
    return web.sentence([f"t{i}" for i in range(count)], q, k)


def weights(count: int) -> np.ndarray:
    """The same as weights ``(heads, queries, keys)``, which is what the others take."""
    one = attention(count)
    return np.stack([weights_of(one, 0, head) for head in range(HEADS)])


def clockhands(count: int) -> str:
    """Our page with this attention in it."""
    return web.page(attention=web.AttentionRun(Text("random", "随机"), (attention(count),)))


def bertviz(count: int) -> str:
    """BertViz's view of heads, as it is saved to a file."""
    import torch

    head_view = import_module("bertviz").head_view
    given = [torch.from_numpy(weights(count)).float()[None]]
    shown = head_view(given, list(attention(count).tokens), html_action="return")
    return f'<!doctype html>\n<meta charset="utf-8">\n{shown.data}'


def circuitsvis(count: int) -> str:
    """CircuitsVis's view of heads, with its script inside, as where there is no network."""
    attention_heads = import_module("circuitsvis.attention").attention_heads
    shown = attention_heads(weights(count).astype(np.float32), list(attention(count).tokens))
    return f'<!doctype html>\n<meta charset="utf-8">\n{shown.local_src}'


def long(count: int) -> bytes:
    """An attention file as large as they come; made up, so its row sums are not those of its logits."""
    q, k = (0.1 * np.random.default_rng(0).standard_normal((2, 1, HEADS, count, WIDTH))).astype(np.float16)
    lse = np.tile(np.log(np.arange(1, count + 1, dtype=np.float32)), (1, HEADS, 1))
    one = Sentence(
        tokens=tuple(map(str, range(count))), ids=(), positions=tuple(range(count)), spans=(),
        marks=(0,) * count, text="", causal=True, scale=(0.125,), q=q, k=k, lse=lse, bias=None, weights=None,
        error=math.nan,
    )  # fmt: skip
    return to_bytes(web.AttentionRun(Text("long", "长"), (one,)))


MAKERS: tuple[Callable[[int], str | bytes], ...] = (clockhands, bertviz, circuitsvis, long)


def main() -> None:
    who, count, file = sys.argv[1:]
    make = {each.__name__: each for each in MAKERS}[who]
    made = make(int(count))
    Path(file).write_bytes(made if isinstance(made, bytes) else made.encode("utf-8"))


if __name__ == "__main__":
    main()
