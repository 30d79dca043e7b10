"""Attention files for the browser tests, written to a folder: ``python attention_files.py FOLDER``.

Says in JSON which tokens the strange one has, and its weights ``(head, query, key)``.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import numpy as np

from clockhands import web
from clockhands.analysis.attention_trace import weights_of
from clockhands.language import Text

TOKENS = [
    "史进", "史进", "</script><script>globalThis.hacked=1</script>", "👩‍🚀", "שלום", "<E4>", "<BD>",
    "字" * 10_000, "<b>x</b>", "&amp;", "a", "<pad>",
]  # fmt: skip

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    rng = np.random.default_rng(0)
    q, k = 1.5 * rng.standard_normal((2, 1, 4, len(TOKENS), 8))
    one = web.sentence(TOKENS, q, k, marks=[0] * 11 + [2], ids=range(len(TOKENS)))
    strange = web.AttentionRun(Text("strange", "奇怪"), (one,))
    web.save_attention(folder / "strange_attention.safetensors", strange)
    # Bytes of UTF-8, as a tokenizer names what it has no piece for: parts of characters, and of words.
    pieces = [f"<0x{byte:02X}>" for byte in "史进打郑屠🙂".encode()]
    q, k = 1.5 * rng.standard_normal((2, 2, 2, len(pieces), 8))
    split = web.sentence(pieces, q, k, words=[(0, 2), (2, 3), (3, 5)])
    web.save_attention(folder / "bytes.safetensors", web.AttentionRun(Text("bytes", "字节"), (split,)))
    # As large as they come, and made up: its row sums are not those of its logits.
    q, k = (0.1 * rng.standard_normal((2, 1, 12, 4096, 64))).astype(np.float16)
    lse = np.tile(np.log(np.arange(1, 4097, dtype=np.float32)), (1, 12, 1))
    long = web.Sentence(
        tokens=tuple(map(str, range(4096))), ids=(), positions=tuple(range(4096)), spans=(),
        marks=(0,) * 4096, text="", causal=True, scale=(0.125,), q=q, k=k, lse=lse, bias=None, weights=None,
        error=math.nan,
    )  # fmt: skip
    web.save_attention(folder / "long.safetensors", web.AttentionRun(Text("long", "长"), (long,)))
    weights = [weights_of(one, 0, head).tolist() for head in range(4)]
    sys.stdout.write(json.dumps({"tokens": TOKENS, "weights": weights}))
