"""The weights of a model folder: one safetensors file, or shards with an index."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clockhands.check.finding import Finding
from clockhands.check.read.file_rules import BROKEN_INDEX, PICKLES
from clockhands.check.read.opening import opened
from clockhands.check.read.safetensors_header import MOST_VALUES, StoredTensor, read_header
from clockhands.errors import ClockhandsError, shown, shown_zh
from clockhands.language import Text

SINGLE, INDEX = "model.safetensors", "model.safetensors.index.json"
PICKLE_ENDINGS = (".bin", ".pt", ".pth", ".ckpt", ".pkl")
MOST_INDEX = 2**25  # the largest models' have some 15 MB
MOST_SHARDS = 10_000


@dataclass(frozen=True)
class Weights:
    """Tensors by name, and what was wrong with the files that hold them."""

    tensors: Mapping[str, StoredTensor]
    found: tuple[Finding, ...] = ()


def refuse_pickle(path: str | Path) -> None:
    """One sentence where ``path`` is a file that only a pickle reader opens."""
    if Path(path).suffix.lower() in PICKLE_ENDINGS:
        raise ClockhandsError(
            f"{path} is a pickle, and reading one may run whatever its author put in: convert it to "
            "safetensors "
            "if you trust it, or check the model's config.json",
            f"{path} 是 pickle 文件，读取它可能会运行作者放进去的任何代码：请在可信的环境中转换为 "
            "safetensors，"
            "或检查该模型的 config.json",
        )


def weights_in(folder: str | Path) -> Weights:
    """The tensors of the folder; none where it has no safetensors. Links to files elsewhere are followed, as
    caches of hubs are made of them; names in an index that lead out of the folder are not."""
    folder = Path(folder)
    if (folder / SINGLE).exists():
        return Weights(read_header(folder / SINGLE))
    if (folder / INDEX).exists():
        return _sharded(folder)
    shards = sorted(folder.glob("*.safetensors"))[:MOST_SHARDS]
    tensors: dict[str, StoredTensor] = {}
    for shard in shards:
        tensors.update(read_header(shard))
    return Weights(tensors, () if shards else _pickles(folder))


def _sharded(folder: Path) -> Weights:
    index = folder / INDEX
    places = _places(index)
    tensors: dict[str, StoredTensor] = {}
    missing, absent = [], []
    headers: dict[str, dict[str, StoredTensor]] = {}
    for shard in sorted(set(places.values())):
        if (folder / shard).exists():
            headers[shard] = read_header(folder / shard)
        else:
            missing.append(shard)
    for name, shard in places.items():
        if shard in headers and name not in headers[shard]:
            absent.append(name)
        elif shard in headers:
            tensors[name] = headers[shard][name]
    found = []
    if missing:
        found.append(
            _broken(
                f"the shard {shown(missing[0])} is not there",
                f"分片{shown_zh(missing[0])}不存在",
                len(missing),
            )
        )
    if absent:
        found.append(
            _broken(
                f"its shard has no tensor {shown(absent[0])}",
                f"对应分片中没有张量{shown_zh(absent[0])}",
                len(absent),
            )
        )
    return Weights(tensors, tuple(found))


def _places(index: Path) -> dict[str, str]:
    with opened(index) as (file, size):
        if size > MOST_INDEX:
            raise _bad(index, f"it has {size} bytes", f"它有 {size} 字节")
        raw = file.read(MOST_INDEX)
    if raw.count(b",") > MOST_VALUES:
        raise _bad(index, "it has millions of values", "它有几百万个值")
    try:
        found: Any = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError):  # not UTF-8, not JSON, digits or nesting without end
        raise _bad(index, "it is not JSON", "它不是 JSON") from None
    places = found.get("weight_map") if isinstance(found, dict) else None
    if not isinstance(places, dict) or not all(isinstance(each, str) for each in places.values()):
        raise _bad(index, "it has no weight_map of names", "它没有由名称组成的 weight_map")
    shards = set(places.values())
    if len(shards) > MOST_SHARDS:
        raise _bad(index, f"it names {len(shards)} shards", f"它列出了 {len(shards)} 个分片")
    for shard in shards:
        refuse_pickle(shard)
        if shard in ("", ".", "..") or any(mark in shard for mark in "/\\:\0"):
            raise _bad(
                index,
                f"it names the shard {shown(shard)}, which leads out of the folder",
                f"它列出的分片{shown_zh(shard)}指向文件夹之外",
            )
    return places


def _broken(en: str, zh: str, count: int) -> Finding:
    more = Text(
        "" if count == 1 else f", nor are {count - 1} others",
        "" if count == 1 else f"，另有 {count - 1} 个同样如此",
    )
    return BROKEN_INDEX.finding(
        "error",
        [INDEX],
        Text(f"{INDEX} and the files differ: {en}{more.en}", f"{INDEX} 与文件不一致：{zh}{more.zh}"),
        Text("fetch the model again", "请重新下载模型"),
    )


def _pickles(folder: Path) -> tuple[Finding, ...]:
    pickles = sorted(each.name for each in folder.iterdir() if each.suffix.lower() in PICKLE_ENDINGS)
    if not pickles:
        return ()
    return (
        PICKLES.finding(
            "note",
            [pickles[0]],
            Text(
                f"the weights are pickles ({pickles[0]}), which may run code when read: they were not opened",
                f"权重是 pickle 文件（{pickles[0]}），读取时可能会运行代码：没有打开它们",
            ),
            Text("convert them to safetensors if you trust them", "请在可信的环境中转换为 safetensors"),
        ),
    )


def _bad(path: Path, en: str, zh: str) -> ClockhandsError:
    return ClockhandsError(f"{path} is no usable index: {en}", f"{path} 不是可用的索引：{zh}")
