"""The tokenizer that a GGUF file carries in its metadata: byte-level merges, built with ``tokenizers``.

How a text is cut before merging is named by ``tokenizer.ggml.pre``; the patterns are those that the models'
own tokenizers use, and llama.cpp after them (``llama_model_loader`` in ``llama-vocab.cpp``).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerBase, PreTrainedTokenizerFast

from clockhands.check.read.gguf_arrays import arrays_of
from clockhands.check.read.gguf_header import read_header
from clockhands.errors import ClockhandsError, shown

CONTROL, USER_DEFINED = 3, 4
"""Kinds of words: signs such as ``<|im_end|>``, and words that merging never makes or breaks."""

_WORDS, _MERGES, _KINDS = "tokenizer.ggml.tokens", "tokenizer.ggml.merges", "tokenizer.ggml.token_type"

_LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_PATTERNS = {"llama-bpe": _LLAMA3, "llama3": _LLAMA3, "qwen2": _LLAMA3.replace("{1,3}", "")}
_SINGLE_DIGITS = ("smollm", "starcoder", "refact", "command-r", "codeshell")
_PLAIN = ("gpt-2", "default", "phi-2", "jina-es", "jina-de", "mpt", "olmo")


def tokenizer_of(path: str | Path) -> PreTrainedTokenizerBase:
    """The tokenizer in the file at ``path``.

    Raises ClockhandsError where it has none, or one of a kind that isn't read here.
    """
    values = read_header(path).values
    kind, cut = values.get("tokenizer.ggml.model"), values.get("tokenizer.ggml.pre", "default")
    if kind is None:
        raise ClockhandsError(
            f"{path} carries no tokenizer: give the folder of one with --tokenizer",
            f"{path} 没有分词器：请用 --tokenizer 给出含分词器的文件夹",
        )
    if kind != "gpt2" or cut not in (*_PATTERNS, *_SINGLE_DIGITS, *_PLAIN):
        raise ClockhandsError(
            f"{path} carries a tokenizer of the kind {shown(kind)}, {shown(cut)}, which isn't read here: "
            "give the folder of the model's own with --tokenizer",
            f"{path} 的分词器属于 {shown(kind)}（{shown(cut)}），这里不读这一种："
            "请用 --tokenizer 给出模型自己的分词器文件夹",
        )
    lists = arrays_of(path, (_WORDS, _MERGES, _KINDS))
    words, merges = lists.get(_WORDS, ()), [tuple(each.split(" ", 1)) for each in lists.get(_MERGES, ())]
    if not words or any(len(pair) != 2 for pair in merges):
        raise ClockhandsError(
            f"{path} has {len(words)} words and a list of merges that isn't made of pairs: convert it again",
            f"{path} 有 {len(words)} 个词，而合并表并非都是成对的：请重新转换",
        )
    kinds = lists.get(_KINDS, ()) or (1,) * len(words)
    return _wrapped(_merging(path, words, merges, cut, kinds), values, words)


def _merging(
    path: Any, words: tuple[str, ...], merges: list[Any], cut: str, kinds: tuple[int, ...]
) -> Tokenizer:
    try:
        made = Tokenizer(models.BPE({word: n for n, word in enumerate(words)}, merges))
    except Exception as error:  # whatever the library says of merges that make no word
        raise ClockhandsError(
            f"the tokenizer in {path} can't be built ({shown(str(error))}): convert the file again",
            f"{path} 中的分词器无法构建（{shown(str(error))}）：请重新转换文件",
        ) from error
    level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=cut not in _PATTERNS)
    if cut in _SINGLE_DIGITS:
        level = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), level])
    elif cut in _PATTERNS:
        split = pre_tokenizers.Split(Regex(_PATTERNS[cut]), "isolated")
        level = pre_tokenizers.Sequence([split, level])
    made.pre_tokenizer = level
    made.decoder = decoders.ByteLevel()
    signs = [word for word, kind in zip(words, kinds, strict=False) if kind == CONTROL]
    made.add_special_tokens([AddedToken(word, normalized=False, special=True) for word in signs])
    own = [word for word, kind in zip(words, kinds, strict=False) if kind == USER_DEFINED]
    made.add_tokens([AddedToken(word, normalized=False) for word in own])
    return made


def _wrapped(made: Tokenizer, values: Any, words: tuple[str, ...]) -> PreTrainedTokenizerBase:
    """With the signs that begin and end a text, as the file names them."""
    names = {"bos_token": "bos", "eos_token": "eos", "unk_token": "unknown", "pad_token": "padding"}
    signs: dict[str, str] = {}
    for name, key in names.items():
        number = values.get(f"tokenizer.ggml.{key}_token_id")
        if isinstance(number, int) and 0 <= number < len(words):
            signs[name] = words[number]
    begins = signs.get("bos_token")
    if values.get("tokenizer.ggml.add_bos_token") is True and begins is not None:
        made.post_processor = processors.TemplateProcessing(
            single=f"{begins} $A", pair=f"{begins} $A {begins} $B",
            special_tokens=[(begins, made.token_to_id(begins))],
        )  # fmt: skip
    else:
        made.post_processor = processors.ByteLevel(trim_offsets=False)
    return PreTrainedTokenizerFast(tokenizer_object=made, clean_up_tokenization_spaces=False, **signs)
