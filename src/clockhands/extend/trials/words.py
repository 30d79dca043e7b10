"""What a trial found, in words: tables with a row for each method, sentences that say how much they mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clockhands.extend.trials.design import AS_GIVEN, Design
from clockhands.extend.trials.found import Found, Mean
from clockhands.language import Text

TITLE = Text("A longer context, tried", "更长的上下文：试验")
FALLS_APART = 1.0
"""Nats more for the same tokens, from which on a model falls apart: each is 2.7 times less likely."""

NOTHING = Text("–", "–")
NAMES = {AS_GIVEN: Text("as given", "原样")}


@dataclass(frozen=True)
class Table:
    """The first row is the head; the first cell of each names the row. ``best``: rows that are marked."""

    title: Text
    rows: tuple[tuple[Text, ...], ...]
    best: frozenset[int] = frozenset()


def name_of(method: str) -> Text:
    """What a method is called."""
    return NAMES.get(method, Text(method, method))


def heading(found: Found) -> tuple[Text, ...]:
    """What was tried on what."""
    design, done = found.design, len(found.rows)
    every = len(design.cells())
    lines = [
        Text(
            f"trained on {design.trained:,} tokens; settings for {design.to:,}; {design.tokens:,} tokens of "
            f"the text, computed in {design.dtype}",
            f"训练长度 {design.trained:,} 个词元；按目标 {design.to:,} 设置；读了文本的 {design.tokens:,} "
            f"个词元，以 {design.dtype} 计算",
        )
    ]
    if done < every:
        lines.append(
            Text(
                f"{done:,} of {every:,} windows are read: what is missing is shown by a dash",
                f"{every:,} 个窗口读了 {done:,} 个：缺的用短横表示",
            )
        )
    return tuple(lines)


def tables(found: Found) -> tuple[Table, ...]:
    """Perplexities; the same tokens at every length; passkeys where they were asked for."""
    made = [_perplexities(found), _same_tokens(found)]
    asked = any(cell.kind == "passkey" for cell in found.design.cells())
    return (*made, _passkeys(found)) if asked else tuple(made)


def _perplexities(found: Found) -> Table:
    design = found.design
    rows = [_head(design)]
    for method in design.methods:
        values = [found.perplexity(method, length) for length in design.lengths]
        cells = [NOTHING if value is None else _same(_perplexity(value)) for value in values]
        rows.append((name_of(method), *cells))
    count = Text("all windows", "全部窗口") if design.every else Text("one window each", "各一个窗口")
    return Table(
        Text(
            f"Perplexity of windows of so many tokens ({count.en})",
            f"各窗口长度（词元）下的困惑度（{count.zh}）",
        ),
        tuple(rows),
    )


def _same_tokens(found: Found) -> Table:
    design, rows, best = found.design, [_head(found.design)], set()
    first = found.best(design.longest)
    for at, method in enumerate(design.methods, 1):
        rises = [found.rise(method, length) for length in design.lengths]
        cells = [NOTHING if rise is None else _same(signed(rise)) for rise in rises]
        rows.append((name_of(method), *cells))
        if first is not None and method == first[0]:
            best.add(at)
    return Table(
        Text(
            f"The same {design.slides * design.part:,} tokens with so many in the window: loss against the "
            f"model as given at {design.lengths[0]:,}, nats a token",
            f"同样的 {design.slides * design.part:,} 个词元，窗口为下列长度时：与原样模型在 "
            f"{design.lengths[0]:,} 时的损失之差（纳特 / 词元）",
        ),
        tuple(rows),
        frozenset(best),
    )


def _passkeys(found: Found) -> Table:
    design, rows = found.design, [_head(found.design)]
    for method in design.methods:
        told = [found.retrieved(method, length) for length in design.lengths]
        rows.append((name_of(method), *(_same(f"{right}/{of}") if of else NOTHING for right, of in told)))
    return Table(Text("Passkeys said right, of as many depths", "各深度的密码中答对的个数"), tuple(rows))


def sentences(found: Found) -> tuple[Text, ...]:
    """What may be said of it, and what may not."""
    design, said = found.design, []
    longest, shortest = design.longest, design.lengths[0]
    rise = found.rise(AS_GIVEN, longest)
    if rise is not None:
        said.append(_of_the_model(rise, shortest, longest))
    first = found.best(longest)
    if first is not None and len(design.methods) > 1:
        said.append(_of_the_best(found, *first))
    paid = _paid_at_first(found)
    if paid is not None:
        said.append(paid)
    said += [
        Text(f"left out: {id}: {why.en}", f"未试：{id}：{why.zh}") for id, why in design.left_out.items()
    ]
    said.append(
        Text(
            "± spans 95 % over runs of tokens of this one text: other texts may order methods otherwise",
            "± 为 95% 区间，由这一篇文本中的各段词元算出：换一篇文本，次序可能不同",
        )
    )
    return tuple(said)


def _of_the_model(rise: Mean, shortest: int, longest: int) -> Text:
    if rise.low > FALLS_APART:
        en, zh = "falls apart", "崩溃"
    elif rise.low > 0:
        en, zh = "reads worse", "变差"
    elif rise.high < 0:
        en, zh = "reads better", "变好"
    else:
        en, zh = "can't be told from before", "与之前分不出差别"
    return Text(
        f"as given, the model {en} at {longest:,}: the same tokens cost {signed(rise)} nats against "
        f"{shortest:,}",
        f"原样的模型在 {longest:,} 时{zh}：同样的词元与 {shortest:,} 时相比，损失之差为 {signed(rise)} 纳特",
    )


def _of_the_best(found: Found, first: str, beside: Sequence[str]) -> Text:
    rise = found.rise(first, found.design.longest)
    assert rise is not None
    names = [name_of(each) for each in beside]
    beside_en = beside_zh = ""
    if names:
        beside_en = f"; not told from it: {', '.join(each.en for each in names)}"
        beside_zh = f"；与它分不出差别的：{'、'.join(each.zh for each in names)}"
    return Text(
        f"at {found.design.longest:,} {name_of(first).en} pays least: {signed(rise)} nats{beside_en}",
        f"在 {found.design.longest:,} 时 {name_of(first).zh} 损失最小：{signed(rise)} 纳特{beside_zh}",
    )


def _paid_at_first(found: Found) -> Text | None:
    """What settings for the longer text cost at the first length."""
    length, paying = found.design.lengths[0], []
    for method in found.design.methods[1:]:
        rise = found.rise(method, length)
        if rise is not None and rise.low > 0:
            paying.append(f"{method} {signed(rise)}")
    if not paying:
        return None
    return Text(
        f"at {length:,} already, their settings cost: {', '.join(paying)}",
        f"在 {length:,} 时，这些设置已有代价：{'、'.join(paying)}",
    )


def signed(mean: Mean) -> str:
    """A difference with its interval.

    >>> signed(Mean(0.1234, 0.0512)), signed(Mean(-1.5, float("nan"))), signed(Mean(1e-9, 0.0))
    ('+0.123 ±0.051', '-1.500', '0')
    """
    if abs(mean.value) < 5e-5 and not mean.either_side > 5e-5:
        return "0"
    side = f" ±{mean.either_side:.3f}" if mean.either_side == mean.either_side else ""
    return f"{mean.value:+.3f}{side}"


def _perplexity(value: float) -> str:
    return f"{value:.2f}" if value < 1000 else f"{value:,.0f}" if value < 1e7 else f"{value:.1e}"


def _head(design: Design) -> tuple[Text, ...]:
    return (Text("method", "方法"), *(_same(f"{length:,}") for length in design.lengths))


def _same(words: str) -> Text:
    return Text(words, words)
