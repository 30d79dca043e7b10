"""How targets and precisions are named, before anything is read."""

from __future__ import annotations

import os
import re
from pathlib import Path

from clockhands.check.kept import ID, kept_at
from clockhands.errors import ClockhandsError, shown, shown_zh

DTYPES = ("float32", "bfloat16", "float16", "float64", "fp32", "bf16", "fp16", "half")

ENDINGS = (
    ".json", ".yaml", ".yml", ".gguf", ".safetensors", ".txt", ".sh", ".py", ".bin", ".pt", ".pth", ".pkl",
)  # fmt: skip
"""What the name of a file ends in; other names may be meant for a model on a hub."""


def names_function(target: str) -> bool:
    """Whether this is ``package.module:function`` or ``file.py:function``, and not a path.

    >>> [names_function(each) for each in ("mine.rope:rotate", "mine/rope.py:rotate", "config.json")]
    [True, True, False]
    """
    return re.fullmatch(r"(?:.+\.py|[A-Za-z_][\w.]*):[A-Za-z_][\w.]*", target) is not None


def place_of(target: str) -> Path:
    """Where a target lies: what its name stands for on this machine, else the path as it is.

    Raises ClockhandsError for an address, and for a hub's model that isn't kept here: nothing is downloaded.
    """
    if not target.strip():
        raise ClockhandsError(
            "a target has no name: give a config.json, a folder, a .gguf file or a function",
            "对象没有名字：请给出 config.json、文件夹、.gguf 文件或函数",
        )
    if names_function(target):
        return Path(target)
    kept = kept_at(target)
    if kept is not None:
        return kept
    path = Path(target)
    address = re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", target) is not None
    named = ID.fullmatch(target) is not None
    if address or (named and path.suffix.lower() not in ENDINGS and not os.path.lexists(path)):
        owned = named and "/" in target
        raise ClockhandsError(
            f"{shown(target)} is no file or folder here, and nothing is downloaded: fetch the model's "
            f"config.json {f'(hf download {target} config.json)' if owned else 'and give its path'}",
            f"{shown_zh(target)}不是本机的文件或文件夹，而程序不下载任何东西：请先下载模型的 config.json"
            f"{f'（hf download {target} config.json）' if owned else '，再给出它的路径'}",
        )
    return path
