"""A text looked at with all heads of a model: what each does, which to draw, and maps with whole words."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from clockhands.analysis.attention_call import Call
from clockhands.analysis.attention_heads import HeadScores, head_scores, ranked, repeated
from clockhands.analysis.attention_trace import PADDING, SPECIAL, WORD
from clockhands.analysis.labelled import Labelled
from clockhands.errors import ClockhandsError, nearest
from clockhands.language import Text
from clockhands.real.attention import Trace, trace
from clockhands.real.loading import Loaded
from clockhands.real.pieces import Pieces, cut
from clockhands.text.graphemes import graphemes
from clockhands.text.groups import Groups, How, grouped, groups_of
from clockhands.text.segment import segment

Unit = Literal["pieces", "characters", "words"]
UNITS: tuple[Unit, ...] = get_args(Unit)
Hidden = Literal["first", "special", "padding"]
HIDDEN: tuple[Hidden, ...] = get_args(Hidden)

REPEATED = 24
"""Tokens of the random text that is said twice to find induction heads."""

LONG = 2048
"""Tokens from which on only the heads that are asked for are looked at: all of them take minutes."""

SINK = 0.3
"""Weight on the first token, over all heads, from which on it is called a sink."""


def groups_for(pieces: Pieces, unit: Unit | Sequence[tuple[int, int]], **segmenting: object) -> Groups:
    """Pieces put together to whole characters or words, or to spans ``(start, end)`` of the text.

    Words are those of jieba for Chinese. Without a text (``ids``), and for ``pieces``, each stays alone.
    """
    if isinstance(unit, str) and unit not in UNITS:
        hint = nearest(unit, UNITS)
        raise ClockhandsError(f"there is no unit '{unit}': {hint.en}", f"没有合并单位“{unit}”：{hint.zh}")
    if unit == "pieces" or not pieces.spans:
        return Groups(np.arange(len(pieces)), pieces.labels, pieces.marks, len(pieces))
    if unit == "characters":
        units = _places(graphemes(pieces.text))
    elif unit == "words":
        units = list(segment(pieces.text, **segmenting).spans)  # type: ignore[arg-type]
    else:
        units = sorted(unit)  # type: ignore[arg-type]
    return groups_of(pieces.spans, units, pieces.text, pieces.labels, pieces.marks)


def _places(units: Sequence[str]) -> list[tuple[int, int]]:
    made, at = [], 0
    for unit in units:
        made.append((at, at + len(unit)))
        at += len(unit)
    return made


@dataclass(frozen=True)
class Study:
    """One text and what the heads did on it.

    seen    the trace, of one kind of attention; groups of its tokens
    kept    ``(groups,)`` False for those that are hidden
    scores  of all heads, sorted by what they do
    """

    seen: Trace
    groups: Groups
    kept: NDArray[np.bool_]
    how: How
    scores: tuple[HeadScores, ...]
    partial: bool = False
    """Whether only the heads that were asked for were looked at, the text being long."""

    @property
    def labels(self) -> list[str]:
        """Of the groups that are shown; signs of the tokenizer stand in brackets."""
        return [name for name, kept in zip(bracketed(self.groups), self.kept, strict=True) if kept]

    def map(self, layer: int, head: int) -> NDArray[np.float32]:
        """``(groups, groups)`` that are shown."""
        return self.of_groups(self.seen.weights(layer, head))

    def of_groups(self, cells: NDArray) -> NDArray:
        """Cells of tokens as cells of the groups that are shown."""
        return grouped(cells, self.groups, self.groups, self.how)[self.kept][:, self.kept]

    @property
    def on_first(self) -> float:
        """Mean weight on the first token, over all heads."""
        return float(np.nanmean([one.first for one in self.scores]))

    def said(self) -> list[Text]:
        """What must be known to read the maps: the sink, and how much weight fell on what is hidden."""
        made = list(self.seen.notes)
        share = self.on_first
        if share >= SINK and self.kept[0]:
            made.append(
                Text(
                    f"{share:.0%} of all weight lies on the first token, whatever it says: an attention "
                    "sink, where "
                    "heads look that find nothing (--hide first shows the rest).",
                    f"全部权重的 {share:.0%} 落在首个词元上，与它的内容无关：这是注意力汇（attention sink），"
                    "没有找到目标的头就看这里（--hide first 只显示其余部分）。",
                )
            )
        if not self.kept.all():
            lost = 1 - np.mean([self._left(one) for one in self.scores])
            made.append(
                Text(
                    f"{lost:.0%} of the weight lies on tokens that are hidden here.",
                    f"有 {lost:.0%} 的权重落在这里隐藏的词元上。",
                )
            )
        return made

    def _left(self, one: HeadScores) -> float:
        weights = grouped(self.seen.weights(one.layer, one.head), self.groups, self.groups, "sum")
        return float(weights[self.kept][:, self.kept].sum(1).mean()) if self.kept.any() else 0.0

    def clearest(self, most: int = 8) -> list[tuple[int, int]]:
        """``(layer, head)`` of heads worth a large map: the first of each kind in turn, ``most`` in all."""
        by_kind: dict[str, list[HeadScores]] = {}
        for one in self.scores:
            by_kind.setdefault(one.kind, []).append(one)
        chosen: list[HeadScores] = []
        for n in range(most):
            chosen += [each[n] for each in by_kind.values() if n < len(each)]
        order = {id(one): n for n, one in enumerate(self.scores)}
        return [(one.layer, one.head) for one in sorted(chosen[:most], key=lambda one: order[id(one)])]


def study(
    loaded: Loaded,
    text: str,
    *,
    unit: Unit | Sequence[tuple[int, int]] = "characters",
    how: How = "sum",
    hide: Collection[Hidden] = (),
    induction: NDArray[np.float64] | None = None,
    layers: Sequence[int] | None = None,
    heads: Sequence[int] | None = None,
) -> Study:
    """Look at one text with every head of the model.

    unit       what pieces are put together to, and ``how``: sum, mean or max
    hide       ``first``, ``special``, ``padding``: tokens that are left out of maps
    induction  ``(layers, heads)`` as ``induction_of`` gives it, for the ranking
    layers, heads  to look at; None: all. A text of more than ``LONG`` tokens is looked at with these alone, a
               shorter one with all of them, so that they are ranked among the others

    Raises ClockhandsError where ``trace`` does, and where nothing is left to show.
    """
    wrong = next((each for each in hide if each not in HIDDEN), None)
    if wrong is not None:
        hint = nearest(wrong, HIDDEN)
        raise ClockhandsError(
            f"there is nothing called '{wrong}' to hide: {hint.en}", f"没有可隐藏的“{wrong}”：{hint.zh}"
        )
    tokenizer = loaded.require_tokenizer()
    long = len(cut(tokenizer, [text])[0]) > LONG
    seen = trace(
        loaded.model, tokenizer, text, layers=layers if long else None, heads=heads if long else None
    ).of()
    groups = groups_for(seen.pieces, unit)
    groups = _first_alone(groups) if "first" in hide else groups
    kept = np.ones(len(groups), dtype=bool)
    kinds = {"special": SPECIAL, "padding": PADDING}
    for each in hide:
        kept &= np.array(groups.marks) != kinds[each] if each in kinds else np.arange(len(groups)) > 0
    if not kept.any():
        raise ClockhandsError(
            "nothing of the text is left when these tokens are hidden: hide fewer, or give a longer text",
            "隐藏这些词元后什么都不剩：请少隐藏一些，或给出更长的文本",
        )
    valid = np.array(seen.pieces.marks) != PADDING
    scores = [one for call in seen.calls for one in head_scores(call, valid, skip_first="first" in hide)]
    if induction is not None:
        scores = [replace(one, induction=float(induction[one.layer, one.head])) for one in scores]
    some = long and (layers is not None or heads is not None)
    return Study(replace(seen, name=loaded.name), groups, kept, how, tuple(ranked(scores)), partial=some)


def bracketed(groups: Groups) -> list[str]:
    """Labels of all groups; signs of the tokenizer stand in brackets."""
    return [
        label if mark == WORD else f"⟨{label}⟩"
        for label, mark in zip(groups.labels, groups.marks, strict=True)
    ]


def map_of_groups(seen: Trace, unit: Unit, how: How) -> Labelled:
    """``(layers, heads, queries, keys)`` of a trace of one kind, put together on both sides.

    Of cross attention these are two texts.
    """
    cells = seen.map()
    rows, columns = groups_for(seen.queries, unit), groups_for(seen.keys, unit)
    values = np.stack([[grouped(each, rows, columns, how) for each in layer] for layer in cells.values])
    axes = [
        replace(axis, values=np.array(bracketed(groups), dtype=object))
        for axis, groups in zip(cells.axes[2:], (rows, columns), strict=True)
    ]
    return replace(cells, values=values, axes=(*cells.axes[:2], *axes))


def _first_alone(groups: Groups) -> Groups:
    """With the first token apart, so that a word it begins isn't hidden along with it."""
    if groups.sizes[0] == 1:
        return groups
    return replace(
        groups, starts=np.insert(groups.starts, 1, 1), labels=(groups.labels[0], *groups.labels),
        marks=(groups.marks[0], *groups.marks),
    )  # fmt: skip


def induction_of(loaded: Loaded, seed: int = 0) -> NDArray[np.float64] | None:
    """``(layers, heads)`` how much each head looks at what followed the same token before.

    Measured on random tokens that are said twice, so that nothing but the repetition tells what follows. None
    where the model reads both ways or has an encoder.
    """
    tokenizer = loaded.require_tokenizer()
    special = set(tokenizer.all_special_ids)
    rng = np.random.default_rng(seed)
    usable = np.array([each for each in range(len(tokenizer)) if each not in special])
    ids = [int(each) for each in rng.choice(usable, REPEATED)]
    seen = trace(loaded.model, None, ids=ids + ids)
    if any(call.stack or call.kind != "self" or not _looks_back(call) for call in seen.calls):
        return None
    return np.array([repeated(call, REPEATED) for call in seen.calls])


def _looks_back(call: Call) -> bool:
    return not bool(call.sees.rows(call.queries[:1])[0, 1:].any())
