"""Other people's models from disk: a folder of transformers, a GGUF file, or SmolLM2 from a package.

>>> from clockhands.real.loading import load                     # doctest: +SKIP
>>> loaded = load("smollm2")                                     # doctest: +SKIP
>>> loaded.model(**loaded.tokenizer("Hello", return_tensors="pt")).logits.shape  # doctest: +SKIP
torch.Size([1, 1, 49152])

No code of others is run, pickles are read as plain numbers only, and what is too large is said before.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from clockhands.check.kept import ID, SMOLLM2, kept_at
from clockhands.errors import ClockhandsError, shown
from clockhands.language import Text
from clockhands.memory import available_bytes, in_words
from clockhands.real.folder_model import FolderModel, read_folder_model, tokenizer_in
from clockhands.real.gguf_model import read_gguf_model
from clockhands.real.gguf_words import tokenizer_of

NAMES = {SMOLLM2: "SmolLM2-135M-Instruct"}
"""What models with a name of ours are called in headings."""

WEIGHTS = ("*.safetensors", "*.bin")
"""What a model of the hub's cache has where more of it was fetched than its config.json."""

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}

Kind = Literal["folder", "gguf", "hub"]


@dataclass(frozen=True)
class Loaded:
    """A model that is ready to be looked at: evaluating, without gradients.

    tokenizer  None only where ``load`` was told that no words are needed
    name       as a heading calls it
    numbers    parameters
    notes      what a reader should know of the loading
    """

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase | None
    name: str
    kind: Kind
    numbers: int
    notes: tuple[Text, ...] = ()

    def require_tokenizer(self) -> PreTrainedTokenizerBase:
        """The tokenizer; ClockhandsError where there is none."""
        if self.tokenizer is None:
            raise _no_tokenizer(self.name)
        return self.tokenizer


def load(
    target: str | os.PathLike[str],
    *,
    tokenizer: str | os.PathLike[str] | None = None,
    words: bool = True,
    dtype: str = "float32",
    device: str = "cpu",
    say: Callable[[Text], None] | None = None,
) -> Loaded:
    """Load a model and its tokenizer.

    target     a folder with ``config.json`` and weights, a ``.gguf`` file, ``"smollm2"`` (extra
               ``smollm2``), or the id of a model on the hub, which needs the network
    tokenizer  a folder with another tokenizer than the model's own
    words      False: no tokenizer is needed, and a missing one is no fault
    dtype      ``float32``, ``bfloat16`` or ``float16``
    say        is told, before loading, how large it is

    Raises ClockhandsError, one sentence, for what isn't there, is damaged, needs code of its own, doesn't fit
    into memory, holds numbers that are not finite, or has a tokenizer with more words than the model.
    """
    if dtype not in DTYPES:
        raise ClockhandsError(
            f"dtype is {shown(dtype)}: use one of {', '.join(DTYPES)}",
            f"dtype 为 {shown(dtype)}：请用 {'、'.join(DTYPES)} 之一",
        )
    name, kind, place = _resolved(os.fspath(target))
    notes: tuple[Text, ...] = ()
    own: Callable[[], PreTrainedTokenizerBase | None]
    if kind == "gguf":
        made, own = read_gguf_model(place), lambda: tokenizer_of(place)
    else:
        made, own = read_folder_model(place, hub=kind == "hub"), lambda: tokenizer_in(place)
    _require_room(name, made.numbers, dtype, say)
    found = _tokenizer(name, own, tokenizer, words)  # before the weights: it fails faster
    if isinstance(made, FolderModel):
        model, notes = made.load(DTYPES[dtype])
    else:
        model = made.load(DTYPES[dtype])
    model = model.eval().requires_grad_(False).to(device)  # type: ignore[arg-type]
    _require_numbers(name, model)
    if found is not None:
        notes = (*notes, *_require_words(name, model, found))
    return Loaded(model, found, name, kind, made.numbers, notes)


def _resolved(target: str) -> tuple[str, Kind, str]:
    """What it is called, what it is, and where."""
    if not target.strip():
        raise ClockhandsError(
            "the model has no name: give a folder with config.json and weights, a .gguf file, smollm2, or an "
            "id such as owner/model",
            "模型没有名字：请给出含 config.json 和权重的文件夹、.gguf 文件、smollm2，或形如 owner/model "
            "的编号",
        )
    kept = kept_at(target)
    if kept is not None and kept.suffix.lower() == ".gguf":
        return NAMES.get(target.lower(), kept.stem), "gguf", str(kept)
    if kept is not None and any(any(kept.glob(ending)) for ending in WEIGHTS):
        return target, "folder", str(kept)
    path = Path(target)
    if kept is None and path.suffix.lower() == ".gguf":
        return path.stem, "gguf", target
    if os.path.lexists(path):
        if path.is_dir():
            return path.resolve().name or target, "folder", target
        if path.name == "config.json":
            return path.resolve().parent.name, "folder", str(path.parent)
        raise ClockhandsError(
            f"{target} is no model: give a folder with config.json and weights, or a .gguf file",
            f"{target} 不是模型：请给出含 config.json 和权重的文件夹，或 .gguf 文件",
        )
    if ID.fullmatch(target):
        return target, "hub", target
    raise ClockhandsError(
        f"{shown(target)} is no folder or file here, and no id of a hub: give a folder with config.json and "
        "weights, a .gguf file, smollm2, or an id such as owner/model",
        f"{shown(target)} 不是本机的文件夹或文件，也不是模型库的编号：请给出含 config.json 和权重的文件夹、"
        ".gguf 文件、smollm2，或形如 owner/model 的编号",
    )


def _require_room(name: str, numbers: int, dtype: str, say: Callable[[Text], None] | None) -> None:
    need, free = numbers * DTYPES[dtype].itemsize, available_bytes()
    if free is not None and need > free:
        less = "" if dtype != "float32" else f" or dtype='bfloat16' ({in_words(need // 2)})"
        raise ClockhandsError(
            f"{name} has {numbers:,} parameters, {in_words(need)} in {dtype}, but this machine has "
            f"{in_words(free)} free: use a smaller model{less}",
            f"{name} 有 {numbers:,} 个参数，按 {dtype} 占 {in_words(need)}，而这台机器只剩 {in_words(free)}："
            f"请换小一点的模型{less.replace(' or ', '，或用 ')}",
        )
    if say is not None:
        left = Text("", "") if free is None else Text(f"; {in_words(free)} free", f"；剩余 {in_words(free)}")
        say(
            Text(
                f"{name}: {numbers:,} parameters, {in_words(need)} in {dtype}{left.en}",
                f"{name}：{numbers:,} 个参数，按 {dtype} 占 {in_words(need)}{left.zh}",
            )
        )


def _tokenizer(
    name: str,
    own: Callable[[], PreTrainedTokenizerBase | None],
    other: str | os.PathLike[str] | None,
    words: bool,
) -> PreTrainedTokenizerBase | None:
    if other is not None:
        found = (
            tokenizer_of(Path(other))
            if Path(other).suffix.lower() == ".gguf"
            else tokenizer_in(os.fspath(other))
        )
        if found is None:
            raise ClockhandsError(
                f"{os.fspath(other)} holds no tokenizer (tokenizer.json and the like)",
                f"{os.fspath(other)} 里没有分词器（tokenizer.json 等文件）",
            )
        return found
    try:
        found = own()
    except ClockhandsError:
        if words:
            raise
        return None
    if found is None and words:
        raise _no_tokenizer(name)
    return found


def _no_tokenizer(name: str) -> ClockhandsError:
    return ClockhandsError(
        f"{name} comes without a tokenizer (tokenizer.json and the like): give the folder of one with "
        "--tokenizer-from (tokenizer= in Python)",
        f"{name} 没有自带分词器（tokenizer.json 等文件）：请用 --tokenizer-from（Python 中为 tokenizer=）"
        "给出含分词器的文件夹",
    )


def _require_numbers(name: str, model: PreTrainedModel) -> None:
    for place, each in model.named_parameters():
        if each.is_floating_point() and not bool(torch.isfinite(each).all()):
            raise ClockhandsError(
                f"{place} of {name} holds numbers that are not finite (NaN or infinite): nothing it attends "
                "to would mean anything; fetch the weights again, or load them in float32",
                f"{name} 的 {place} 中有非有限的数（NaN 或无穷大）：它的注意力没有意义；"
                "请重新下载权重，或用 float32 载入",
            )


def _require_words(name: str, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> tuple[Text, ...]:
    """A table may have rows that no word uses; words without a row can't be looked up."""
    rows, words = model.get_input_embeddings().weight.shape[0], len(tokenizer)  # type: ignore[union-attr]
    if words > rows:
        raise ClockhandsError(
            f"the tokenizer has {words:,} words and {name} has {rows:,} rows of embeddings: it belongs to "
            "another model; give the right one with --tokenizer-from",
            f"分词器有 {words:,} 个词，而 {name} 的嵌入只有 {rows:,} 行：它属于别的模型；"
            "请用 --tokenizer-from 给出正确的分词器",
        )
    if rows - words > max(1024, rows // 4):
        return (
            Text(
                f"The tokenizer has {words:,} words and the model {rows:,} rows: "
                "make sure they belong together.",
                f"分词器有 {words:,} 个词，模型有 {rows:,} 行嵌入：请确认两者配套。",
            ),
        )
    return ()
