"""Which method to begin with, by rules over the numbers of a plan, and the reasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clockhands.extend.look import Look
from clockhands.extend.methods import Method
from clockhands.extend.source import Source
from clockhands.language import Text

SHARP = 0.9
"""Of the distance between neighbours' codes: above it they count as told apart as before."""

FAR = 8
"""Times the trained length, past which papers show little without training (YaRN, LongRoPE)."""

Candidate = tuple[Method, Look, tuple[str, ...]]
"""A method, its numbers, and the frameworks that it can be set in."""


def advised(
    source: Source, candidates: Sequence[Candidate], ratio: float
) -> tuple[str | None, tuple[Text, ...]]:
    """The id of the one to begin with, None where there is none, and the reasons.

    ratio  wanted length over the trained one

    One that can be set somewhere comes before one that can't; then the model's own scaling, since its weights
    are used to it; then speeds that hang on no length, neighbours as sharp as before, no new angle, and the
    number of frameworks, in that order of weight.
    """

    def rank(candidate: Candidate) -> tuple[Any, ...]:
        method, look, frameworks = candidate
        return (
            not frameworks,
            source.scaled and method.id != source.form.rope_type,
            method.parameters is None,
            method.moving,
            look.neighbours < SHARP,
            round(look.arc, 3),
            -len(frameworks),
        )

    if not candidates:
        return None, ()
    method, look, frameworks = min(candidates, key=rank)
    return method.id, tuple(_reasons(source, method, look, frameworks, ratio))


def _reasons(
    source: Source, method: Method, look: Look, frameworks: tuple[str, ...], ratio: float
) -> list[Text]:
    found = []
    if source.scaled and method.id == source.form.rope_type:
        name = method.name
        found.append(
            Text(f"the weights were trained with {name.en} already", f"权重本来就是用 {name.zh} 训练的")
        )
    if look.unseen == 0:
        found.append(Text("no hand shows an angle that training didn't", "没有指针转到训练没见过的角度"))
    else:
        hands = "1 hand goes" if look.unseen == 1 else f"{look.unseen} hands go"
        found.append(
            Text(
                f"{hands} up to {look.arc:.1%} of a turn past what training showed",
                f"{look.unseen} 根指针越出训练见过的范围，最多 {look.arc:.1%} 圈",
            )
        )
    if look.exact is not None:
        found.append(
            Text(
                f"distances below {look.exact:,} stay exact, and none is longer than {look.longest:,}",
                f"小于 {look.exact:,} 的距离保持精确，最长的距离不超过 {look.longest:,}",
            )
        )
    elif look.neighbours >= SHARP:
        found.append(
            Text(
                f"neighbours stay apart ({look.neighbours:.0%} of before)",
                f"相邻词元仍然分得开（原来的 {look.neighbours:.0%}）",
            )
        )
    else:
        found.append(
            Text(
                f"neighbours are only {look.neighbours:.0%} as far apart as before: short texts suffer",
                f"相邻词元的区别只剩原来的 {look.neighbours:.0%}：短文本会变差",
            )
        )
    if not method.moving and method.parameters is not None:
        found.append(
            Text(
                "nothing hangs on the text's length, so caches stay right", "转速与文本长度无关，缓存始终正确"
            )
        )
    if not frameworks:
        found.append(
            Text("no library or server here has it: it takes code", "这里的库和服务都没有它：需要写代码")
        )
    if ratio > FAR:
        found.append(
            Text(
                f"{ratio:.3g} times is past what papers show without training: plan to train some hundred "
                "steps",
                f"{ratio:.3g} 倍超出了论文中不训练就能做到的范围：请准备再训练几百步",
            )
        )
    return found
