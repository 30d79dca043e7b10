"""Hands made of other dimensions than declared."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.disagreement import disagreeing
from clockhands.check.subject import Subject
from clockhands.language import Text

FIELDS = {
    "layout": "rope_interleave",
    "rotary_dim": "partial_rotary_factor",
    "rotary_dims": "partial_rotary_factor",
    "head_dim": "head_dim",
    "mrope_section": "mrope_section",
    "mrope_interleaved": "mrope_interleaved",
}
"""Of the normal form, with the key of a configuration that says each."""

REMEDY = Text(
    "convert the rows of q and k to the layout that is run, or run the one that the weights were made for",
    "把 q 与 k 的行转换成所运行的排列方式，或者运行权重所对应的排列方式",
)


def _check(subject: Subject) -> Iterator[Finding]:
    yield from disagreeing(subject, RULE, FIELDS, REMEDY)


RULE = Rule(
    code="CH303",
    title=Text("other pairs of dimensions than declared", "维度的配对与声明的不同"),
    story=Text(
        "Which two dimensions make a hand is written in almost no file. Pairing i with i + d/2 where the "
        "weights have 2i with 2i + 1 leaves the first token right and turns the rest into gibberish; "
        "turning the whole head where a quarter should turn, or the last dimensions for the first, does "
        "the same more quietly.",
        "哪两维组成一根指针，几乎没有文件写明。权重按 2i 与 2i + 1 配对，却按 i 与 i + d/2 来转，第一个词元"
        "还对，后面全是乱码；本应只转四分之一却转了整个头，或者把最后几维当成最前几维，也一样，只是更不易察"
        "觉。",
    ),
    check=_check,
    reference="ikawrakow/ik_llama.cpp #2290; NeuraLegion/shainet #111; AI-Hypercomputer/maxtext #4616",
)
