"""What the hands of a layer do: which finish a turn in training, what a scaling does, how far it carries.

The numbers of ``analysis`` for one layer of the normal form, so that the text, the picture and the page show
the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import get_args

import numpy as np

from clockhands.analysis.base_bound import first_negative
from clockhands.analysis.critical import critical_dimension
from clockhands.analysis.precision import Precision, angle_error
from clockhands.analysis.spectrum import spectrum
from clockhands.check.form import Context, LayerForm
from clockhands.formulas.frequencies import default_inv_freq

SAME = 1e-6
"""Relative difference below which a hand counts as untouched, or as divided by the whole factor."""

LONGEST_LOOKED_AT = 2**20
"""Tokens up to which the similarity is asked for a first negative distance."""

MANTISSAS: dict[Precision, int] = {"bf16": 8, "fp16": 11, "fp32": 24}
"""Bits of a precision that count: whole numbers up to 2 ** bits stay apart."""


@dataclass(frozen=True, kw_only=True)
class Scaled:
    """How many hands a scaling leaves alone, blends, slows by its whole ``factor``, or lets stand still."""

    factor: float
    untouched: int
    blended: int
    divided: int
    still: int


@dataclass(frozen=True, kw_only=True)
class ClockView:
    """The hands of one layer; lengths in tokens, None where nothing is known to measure against.

    hands           pairs of dimensions that turn
    finished        hands that finish a turn within the trained length
    scaled          what the scaling does; None without one
    critical        dimensions that turn in full in training (Liu et al. 2023), of the unscaled base
    reach           how far that carries at this base
    first_negative  first distance within the promised length where similarity is below zero (Men et al.
                    2024), infinite where there is none
    lists           what LongRoPE's two lists do; then the rest is said of the short one, but for
                    ``angle_error``, which is that of the list used there
    precision       the one asked about
    clash           the first position which a neighbour becomes equal to if positions are kept in it
    angle_error     rad, worst at the promised length if angles are computed in it
    """

    hands: int
    finished: int | None
    scaled: Scaled | None
    critical: int | None
    reach: float | None
    first_negative: float | None
    precision: Precision
    clash: int
    angle_error: float | None
    lists: TwoLists | None = None


@dataclass(frozen=True, kw_only=True)
class TwoLists:
    """LongRoPE: what each list divides hands by, least and most.

    switch    tokens up to which a text gets the short list
    finished  hands that finish a turn within the promised length under the long list
    """

    switch: int
    short: tuple[float, float]
    long: tuple[float, float]
    finished: int | None


def clock_view(form: LayerForm, context: Context, dtype: str | None = None) -> ClockView | None:
    """The view of a layer that has hands, None for others.

    ``dtype``: ``bf16``, ``fp16`` or ``fp32`` (or as torch says), of angles and positions; fp32 by default.

    >>> one = LayerForm(layers=(0,), family="rope", rotary_dim=4, rope_theta=1e4, inv_freq=(1.0, 0.01))
    >>> clock_view(one, Context(trained=100)).finished
    1
    """
    if not form.inv_freq:
        return None
    lists = short_and_long(form)
    if lists is not None:
        form = replace(form, inv_freq=tuple(lists.short.tolist()))
    speeds = np.asarray(form.inv_freq)
    length = context.promised or context.trained
    precision = precision_of(dtype)
    theta = form.rope_theta if form.family == "rope" and form.rope_theta and form.rope_theta > 1 else None
    critical = None
    if theta is not None and context.trained and form.rotary_dim:
        critical = critical_dimension(form.rotary_dim, theta, context.trained)
    return ClockView(
        hands=len(speeds),
        finished=spectrum(speeds, context.trained).finished if context.trained else None,
        scaled=_scaled(form, speeds),
        critical=None if critical is None else critical.dimensions,
        reach=None if critical is None or theta is None else critical.reach(theta),
        first_negative=_first_negative(form, theta, length),
        precision=precision,
        clash=2 ** MANTISSAS[precision],
        angle_error=_worst_angle(
            speeds if lists is None or not length or length <= lists.switch else lists.long, length, precision
        ),
        lists=None if lists is None else _two_lists(form, lists, context),
    )


@dataclass(frozen=True)
class ShortAndLong:
    """Speeds of LongRoPE, rad / token: ``short`` for texts of up to ``switch`` tokens, ``long`` past it."""

    short: np.ndarray
    long: np.ndarray
    switch: int


def short_and_long(form: LayerForm) -> ShortAndLong | None:
    """The two sets of frequencies of LongRoPE, None for anything else and for lists that don't fit.

    >>> one = LayerForm(
    ...     layers=(0,), family="rope", rope_type="longrope", rotary_dim=4, rope_theta=1e4,
    ...     inv_freq=(1.0, 0.005),
    ...     scaling={"short_factor": (1, 2), "long_factor": (4, 8), "original_max_position_embeddings": 64.0},
    ... )
    >>> short_and_long(one).long.tolist()
    [0.25, 0.00125]
    """
    plain, given = plain_ladder(form), form.scaling
    switch = given.get("original_max_position_embeddings")
    if form.rope_type != "longrope" or plain is None or switch is None:
        return None
    lists = [np.asarray(given.get(name) or (), dtype=np.float64) for name in ("short_factor", "long_factor")]
    if any(each.shape != plain.shape or not (each > 0).all() for each in lists):
        return None
    return ShortAndLong(plain / lists[0], plain / lists[1], int(switch))


def _two_lists(form: LayerForm, lists: ShortAndLong, context: Context) -> TwoLists:
    short, long = (form.scaling[name] for name in ("short_factor", "long_factor"))
    return TwoLists(
        switch=lists.switch,
        short=(min(short), max(short)),
        long=(min(long), max(long)),
        finished=spectrum(lists.long, context.promised).finished if context.promised else None,
    )


def precision_of(dtype: str | None) -> Precision:
    """The precision that a dtype's name stands for; fp32 for what is neither bf16 nor fp16.

    >>> precision_of("torch.bfloat16"), precision_of("half"), precision_of(None)
    ('bf16', 'fp16', 'fp32')
    """
    name = (dtype or "").lower().removeprefix("torch.")
    aliases = {"bfloat16": "bf16", "float16": "fp16", "half": "fp16"}
    name = aliases.get(name, name)
    return name if name in get_args(Precision) else "fp32"  # type: ignore[return-value]


def plain_ladder(form: LayerForm) -> np.ndarray | None:
    """Speeds that the hands would have without a scaling, rad / token; None where no base is known."""
    if form.rotary_dim is None or not form.rope_theta or form.rope_theta <= 0 or form.inv_freq is None:
        return None
    width = form.head_dim if form.rope_type == "proportional" else form.rotary_dim
    return (
        None if width is None or width % 2 else default_inv_freq(width, form.rope_theta)[: len(form.inv_freq)]
    )


def _scaled(form: LayerForm, speeds: np.ndarray) -> Scaled | None:
    plain = plain_ladder(form) if form.family == "rope" else None
    if plain is None or len(plain) != len(speeds) or form.rope_type in (None, "default"):
        return None
    moving = speeds != 0
    slowed = plain[moving] / speeds[moving]
    factor = float(slowed.max(initial=1.0))
    untouched = int((np.abs(slowed - 1) < SAME).sum())
    divided = int((np.abs(slowed / factor - 1) < SAME).sum()) if factor > 1 + SAME else 0
    still = int((~moving).sum())
    return Scaled(
        factor=factor,
        untouched=untouched,
        blended=int(moving.sum()) - untouched - divided,
        divided=divided,
        still=still,
    )


def _first_negative(form: LayerForm, theta: float | None, length: int | None) -> float | None:
    if theta is None or not length or form.rotary_dim is None or form.rotary_dim % 2:
        return None
    return first_negative(form.rotary_dim, theta, min(length, LONGEST_LOOKED_AT))


def _worst_angle(speeds: np.ndarray, length: int | None, precision: Precision) -> float | None:
    if not length:
        return None
    last = np.arange(max(0, length - 64), length)
    return float(angle_error(speeds, last, precision).angle.values.max())
