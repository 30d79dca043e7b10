"""Write files of arrays and what is in them, for the page's readers: ``python web/golden/files.py``.

Queries and keys of four heads and two, in every format and precision that the page reads; scores, lengths and
angles of pairs computed by numpy in float64.
"""

from __future__ import annotations

import io
import json
import struct
from base64 import b64encode
from pathlib import Path
from typing import Any

import numpy as np

HOME = Path(__file__).with_name("files.json")


def bfloat16(x: np.ndarray) -> np.ndarray:
    """Its 16 bits, cut off."""
    return (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def safetensors(arrays: dict[str, tuple[str, tuple[int, ...], bytes]]) -> bytes:
    """As the format is described at huggingface.co/docs/safetensors."""
    header: dict[str, Any] = {"__metadata__": {"made": "for a test"}}
    data = b""
    for name, (dtype, shape, held) in arrays.items():
        header[name] = {
            "dtype": dtype,
            "shape": list(shape),
            "data_offsets": [len(data), len(data) + len(held)],
        }
        data += held
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def saved(save: Any, *arrays: Any, **named: Any) -> bytes:
    held = io.BytesIO()
    save(held, *arrays, **named)
    return held.getvalue()


def golden() -> dict[str, Any]:
    """The whole file."""
    rng = np.random.default_rng(0)
    q, k = rng.normal(size=(4, 6, 8)), rng.normal(size=(2, 6, 8))
    q16, k16 = q.astype(np.float16), k.astype(np.float16)
    cut = {name: bfloat16(x) for name, x in (("q", q), ("k", k))}
    as_bf16 = {name: (bits.astype(np.uint32) << 16).view(np.float32) for name, bits in cut.items()}
    tiny = np.array([[6e-8, -6e-8], [65504.0, 1e-5]], np.float16)  # subnormal halves, and the largest
    files = {
        "f32.npz": (saved(np.savez, q=q.astype("f4"), k=k.astype("f4")), q.astype("f4"), k.astype("f4")),
        "packed.npz": (saved(np.savez_compressed, queries=q, keys=k), q, k),
        "f16.safetensors": (
            safetensors({"a.q": ("F16", q.shape, q16.tobytes()), "a.k": ("F16", k.shape, k16.tobytes())}),
            q16,
            k16,
        ),
        "bf16.safetensors": (
            safetensors(
                {name: ("BF16", bits.shape, bits.astype("<u2").tobytes()) for name, bits in cut.items()}
            ),
            as_bf16["q"],
            as_bf16["k"],
        ),
        "alone.npy": (saved(np.save, q[0]), q[0], None),
        "tiny.npy": (saved(np.save, tiny), tiny, None),
    }
    return {
        name: {
            "base64": b64encode(held).decode(),
            "q": one.astype(float).ravel().tolist(),
            "shape": list(one.shape),
            **({} if two is None else measured(one.astype(float), two.astype(float))),
        }
        for name, (held, one, two) in files.items()
    }


def measured(q: np.ndarray, k: np.ndarray) -> dict[str, Any]:
    """Head 3, whose keys are those of head 1: scores, and pairs in both layouts at position 2."""
    score = q[3] @ k[1].T / np.sqrt(8)
    pairs = {}
    for layout in ("half", "interleaved"):
        u, v = (q[3][:, :4], q[3][:, 4:]) if layout == "half" else (q[3][:, 0::2], q[3][:, 1::2])
        lengths = np.hypot(u, v)
        pairs[layout] = {
            "mean": lengths.mean(0).tolist(), "length": lengths[2].tolist(),
            "angle": np.arctan2(v, u)[2].tolist(),
        }  # fmt: skip
    return {"k": k.ravel().tolist(), "score": score.tolist(), "pairs": pairs}


if __name__ == "__main__":
    HOME.write_text(json.dumps(golden(), separators=(",", ":")) + "\n", encoding="utf-8")
