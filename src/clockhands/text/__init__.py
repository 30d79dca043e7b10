"""Texts become tokens, tokens become numbers. Needs no torch; jieba only for Chinese words."""

from clockhands.text.characters import whole_characters
from clockhands.text.dictionary import Entry, read_dictionary, sample_dictionary
from clockhands.text.reading import TextFile, read_text
from clockhands.text.samples import SAMPLES, Passage
from clockhands.text.segment import TOKENIZERS, Segmenter, is_chinese, segment, tag
from clockhands.text.tokens import Segmented, Token
from clockhands.text.vocabulary import BOS, PAD, SPECIALS, UNK, Vocabulary
from clockhands.text.windows import Batch, cut, padded, parse_window

__all__ = [
    "BOS",
    "PAD",
    "SAMPLES",
    "SPECIALS",
    "TOKENIZERS",
    "UNK",
    "Batch",
    "Entry",
    "Passage",
    "Segmented",
    "Segmenter",
    "TextFile",
    "Token",
    "Vocabulary",
    "cut",
    "is_chinese",
    "padded",
    "parse_window",
    "read_dictionary",
    "read_text",
    "sample_dictionary",
    "segment",
    "tag",
    "whole_characters",
]
