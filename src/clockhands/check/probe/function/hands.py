"""Hands of a function that turns vectors or gives cos and sin: pairing, direction, speed, length."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clockhands.check.form import LayerForm
from clockhands.check.probe.findings import places as places
from clockhands.check.probe.findings import turning as say
from clockhands.check.probe.function.asking import Asked
from clockhands.check.probe.function.calling import Floats, Refused
from clockhands.check.probe.function.fit import TOLERANCE, Fit, fit, is_round
from clockhands.check.probe.function.rotation import (
    Turn,
    paired,
    refined,
    speeds_near,
)
from clockhands.check.probe.function.study import Study

FURTHER = (100, 1000, 10_000, 100_000)
Seen = Callable[[Any, Asked], Any]


@dataclass(frozen=True)
class Hands:
    """Hands as they were measured; ``seen(positions, asked)`` gives them as complex numbers ``(t, pairs)``.

    speeds     (pairs,) rad / token, signed
    amplitude  that cos and sin carry
    noise      by how much a hand's length varies: what rounding of cos and sin leaves
    """

    layout: str | None
    first: int
    width: int
    speeds: Floats
    amplitude: float
    noise: float
    seen: Seen
    pairs: tuple[tuple[int, int], ...] = ()

    def fit(self) -> Fit | None:
        """Base and scaling, within what rounding leaves."""
        return fit(np.abs(self.speeds), self.width, max(TOLERANCE, 4 * self.noise))

    def form(self) -> LayerForm:
        """The normal form."""
        fitted = self.fit()
        turned = 2 * len(self.speeds)
        where = "whole" if turned == self.width else "prefix" if self.first == 0 else "suffix"
        return LayerForm(
            layers=(0,), family="rope", layout=self.layout, head_dim=self.width, rotary_dim=turned,  # type: ignore[arg-type]
            rotary_dims=where,
            rope_theta=None if fitted is None else fitted.rope_theta,
            rope_type=None if fitted is None else fitted.rope_type,
            scaling={} if fitted is None else dict(fitted.scaling),
            inv_freq=tuple(float(speed) for speed in np.abs(self.speeds)),
            attention_factor=self.amplitude, source="measured",
        )  # fmt: skip


def turned_hands(study: Study, found: dict[str, Turn]) -> Hands | None:
    """Hands of q, k or x, and what is wrong with them; None where vectors don't turn by pairs."""
    sides = list(found)
    _heads(study, found)
    broken = False
    for side, turn in found.items():
        broken = _by_pairs(study, side, turn) or broken
    first = found[sides[0]]
    layout, pairs = paired(first.pairs, first.matrices.shape[1])
    if len(sides) == 2 and not study.has(say.HEADS):
        other = found[sides[1]]
        if paired(other.pairs, first.matrices.shape[1])[1] != pairs:
            broken = True
            _say_sides(
                study, f"q pairs dimensions {_some(first.pairs)}, k {_some(other.pairs)}",
                f"q 的配对是 {_some(first.pairs)}，k 的是 {_some(other.pairs)}",
            )  # fmt: skip
    if broken or not pairs or study.has(say.HEADS):
        return None
    speeds, amplitude = speeds_near(first, pairs)
    if len(sides) == 2:
        others, _ = speeds_near(found[sides[1]], pairs)
        scale = np.maximum(np.abs(speeds), 1e-12)
        if ((np.abs(others + speeds) < 1e-3 * scale) & (np.abs(speeds) > 1e-12)).any():
            _say_sides(study, "q turns one way and k the other", "q 和 k 的转动方向相反")
            broken = True
        elif (np.abs(others - speeds) > 1e-2 * scale).any():
            _say_sides(study, "hands of q and k turn at different speeds", "q 和 k 的指针转速不同")
            broken = True
    if broken:
        return None

    def seen(positions: Any, asked: Asked) -> Any:
        places = np.atleast_2d(np.asarray(positions, np.int64))
        vector = np.zeros(first.matrices.shape[1])
        vector[[i for i, _ in pairs]] = 1.0
        spread = np.broadcast_to(vector, (*places.shape, len(vector)))
        out = asked.answer(places, spread)[sides[0]][0, :, 0]
        return out[:, [i for i, _ in pairs]] + 1j * out[:, [j for _, j in pairs]]

    starts = min(i for i, _ in pairs)
    hands = Hands(
        layout, starts, first.matrices.shape[1], speeds, float(np.median(amplitude)), 0.0, seen, pairs
    )
    study.facts["pairs"] = [list(pair) for pair in pairs]
    return followed(study, hands)


def angle_hands(study: Study, width: int) -> Hands | None:
    """Hands of a function that gives cos and sin, or both as one complex number."""
    words = study.asked.caller.signature.returned
    places = np.arange(0, 40)[None]
    answer = study.asked.answer(places)
    whole = answer["cis"][0] if "cis" in words else answer["cos"][0] + 1j * answer["sin"][0]
    count = whole.shape[-1]
    half = count // 2
    layout = None
    columns = np.arange(count)
    if count % 2 == 0 and count >= 4:
        if np.allclose(whole[:, :half], whole[:, half:], atol=1e-6):
            layout, columns = "half", np.arange(half)
        elif np.allclose(whole[:, 0::2], whole[:, 1::2], atol=1e-6):
            layout, columns = "interleaved", np.arange(0, count, 2)

    def seen(positions: Any, asked: Asked) -> Any:
        got = asked.answer(np.atleast_2d(np.asarray(positions, np.int64)))
        both = got["cis"][0] if "cis" in words else got["cos"][0] + 1j * got["sin"][0]
        return both[:, columns]

    hand = whole[:, columns]
    if not np.isfinite(hand).all() or np.abs(hand).max() == 0:
        return None
    step = seen([[1]], study.asked)[0] if study.asked.reach == "any" else hand[1]
    speeds = np.array([refined(None, float(np.angle(each)), 1) for each in step * hand[0].conj()])
    amplitude = float(np.median(np.abs(hand)))
    return followed(study, Hands(layout, 0, width, speeds, amplitude, 0.0, seen))


def followed(study: Study, hands: Hands) -> Hands:
    """The same hands with speeds refined further out, as far as the function can be asked."""
    speeds = hands.speeds.copy()
    noise = 0.0
    start = hands.seen([[0]], study.asked)[0]
    for position in FURTHER:
        if study.asked.reach == "start" and position > 1000:
            break
        try:
            where = np.arange(position + 1)[None] if study.asked.reach == "start" else [[position]]
            hand = hands.seen(where, study.asked)[-1]
        except Refused:
            break
        if not np.isfinite(hand).all():
            break
        noise = max(noise, float(np.median(np.abs(np.abs(hand) / max(hands.amplitude, 1e-30) - 1))))
        better = np.array(
            [
                refined(float(w), float(np.angle(z)), position)
                for w, z in zip(speeds, hand * start.conj(), strict=True)
            ]
        )
        moved = np.abs(better - speeds) * position
        if position > 1000 and (moved > 0.3).any():
            break  # angles that are rounded, or another text length: not to be followed
        if study.facts.get("length_dependent") and position > 100:
            break
        speeds = better
    speeds[np.abs(speeds) < 1e-10] = 0.0
    amplitude = hands.amplitude
    return replace(hands, speeds=speeds, noise=noise if noise > 1e-5 else 0.0, amplitude=_tidy(amplitude))


def judge_hands(study: Study, hands: Hands) -> None:
    """What the frequencies themselves show to be wrong."""
    fitted = hands.fit()
    _first_position(study, hands)
    signs = np.sign(hands.speeds[hands.speeds != 0])
    study.facts["direction"] = (
        "forward" if (signs > 0).all() else "backward" if (signs < 0).all() else "mixed"
    )
    if fitted is None:
        return
    study.facts["fit_error"] = fitted.error
    turned = 2 * len(hands.speeds)
    if turned < hands.width and fitted.rope_type == "default":
        meant = fitted.rope_theta ** (hands.width / turned)
        strange = not is_round(fitted.rope_theta) or fitted.rope_theta < 1000
        if strange and meant >= 1000 and abs(meant / float(f"{meant:.1e}") - 1) < 1e-3:
            study.say(
                say.EXPONENT, "error", ("inv_freq", "rotary_dim"),
                f"{turned} of {hands.width} dimensions turn, and the slowest hand at "
                f"{abs(hands.speeds[-1]):.6g} rad / token is that of base {meant:.6g} spaced over the "
                f"whole head",
                f"{hands.width} 维中转动 {turned} 维，最慢的指针为 {abs(hands.speeds[-1]):.6g} 弧度 / "
                f"词元，相当于底数 {meant:.6g} 按整个头的宽度取指数",
                ("divide the exponent by rotary_dim", "指数应除以 rotary_dim"),
            )  # fmt: skip


def _first_position(study: Study, hands: Hands) -> None:
    """Position 0 turns nothing, unless every position is taken for another."""
    hand = hands.seen([[0]], study.asked)[0]
    fast = int(np.argmax(np.abs(hands.speeds)))
    off = float(np.angle(hand[fast]) / hands.speeds[fast]) if hands.speeds[fast] else 0.0
    if abs(off) > 0.02 and not study.has(places.OFF_BY_ONE, places.STALE):
        study.say(
            places.OFF_BY_ONE, "warning", ("positions",),
            f"position 0 is turned already, as position {off:.4g}: scores stay, but not beside keys of "
            f"others",
            f"位置 0 已被转动，相当于位置 {off:.4g}：得分不变，但不能与别处得到的键混用",
            ("count from 0", "从 0 数起"),
        )  # fmt: skip


def _heads(study: Study, found: dict[str, Turn]) -> None:
    for side, turn in found.items():
        if not turn.heads:
            study.say(
                say.HEADS, "error", (side,), f"heads of {side} are not all treated alike",
                f"{side} 的各个头没有被同样处理",
                ("keep q with num_heads and k with num_kv_heads, and turn each head by the same angles",
                 "q 用 num_heads，k 用 num_kv_heads，每个头按相同角度转动"),
            )  # fmt: skip


def _by_pairs(study: Study, side: str, turn: Turn) -> bool:
    """Whether its pairs are no rotations, which is then said."""
    if turn.crowded:
        study.say(
            say.PAIRING, "error", (side,),
            f"some dimension of {side} is mixed with several others, so vectors are not turned by pairs",
            f"{side} 中有的维度与多个维度混合，不是按对转动",
            ("turn each pair of dimensions by one angle", "每一对维度按同一角度转动"),
        )  # fmt: skip
        return True
    for at in range(len(turn.positions)):
        for pair in turn.pairs:
            (a, b), (c, d) = turn.block(pair, at)
            size = max(abs(a), abs(b), abs(c), abs(d))
            if abs(a - d) <= 1e-2 * size and abs(b + c) <= 1e-2 * size:
                continue
            position = turn.positions[at]
            if abs(a - d) <= 1e-2 * size and abs(b - c) <= 1e-2 * size:
                study.say(
                    say.SIGN, "error", (side,),
                    f"dimensions {pair} of {side} are mirrored and not turned at position {position:,}: both "
                    f"sines are {b:+.4f}",
                    f"{side} 的维度 {pair} 在位置 {position:,} 被镜像而不是转动：两个正弦都是 {b:+.4f}",
                    ("one of the two sines needs a minus: (u cos - v sin, v cos + u sin)",
                     "两个正弦之一应为负：(u cos - v sin, v cos + u sin)"),
                )  # fmt: skip
            else:
                study.say(
                    say.PAIRING, "error", (side,),
                    f"dimensions {pair} of {side} get two angles at position {position:,} (cos {a:.4f} and "
                    f"{d:.4f}): they are paired one way, and cos and sin are laid out another",
                    f"{side} 的维度 {pair} 在位置 {position:,} 得到两个角度（cos 为 {a:.4f} 和 {d:.4f}）："
                    "配对方式与 cos、sin 的排列方式不一致",
                    ("lay cos and sin out as the pairs are: halves beside rotate_half, neighbours beside "
                     "even and odd",
                     "cos 和 sin 的排列应与配对一致：rotate_half 用前后对半，奇偶切片用相邻排列"),
                )  # fmt: skip
            return True
    return False


def _say_sides(study: Study, en: str, zh: str) -> None:
    study.say(
        say.SIDES, "error", ("q", "k"), en, zh,
        ("turn queries and keys by one function", "查询和键用同一个函数转动"),
    )  # fmt: skip


def _some(pairs: tuple[tuple[int, int], ...]) -> str:
    return ", ".join(map(str, pairs[:2])) + (" …" if len(pairs) > 2 else "")


def _tidy(amplitude: float) -> float:
    return 1.0 if abs(amplitude - 1) < 1e-5 else amplitude
