"""A plan: every method at the wanted length, what each does and costs, and which to begin with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from clockhands.analysis.precision import Precision
from clockhands.check.clock_view import precision_of
from clockhands.check.names import DTYPES
from clockhands.check.rules.precision_horizon import TOLERABLE
from clockhands.errors import BadParameter, ClockhandsError, nearest, shown
from clockhands.extend.advice import advised
from clockhands.extend.look import Look, error_at_the_end, look_at
from clockhands.extend.methods import IDS, METHODS, Method
from clockhands.extend.settings import Missing, Setting, settings_for
from clockhands.extend.source import Source, Target, read_source
from clockhands.extend.words import COARSE
from clockhands.language import Language, Text

LONGEST = 2**27
"""Tokens: past it float64 angles and memory of maps are no longer looked at here."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One method of a plan."""

    method: Method
    look: Look
    settings: tuple[Setting, ...]
    missing: tuple[Missing, ...]

    @property
    def frameworks(self) -> tuple[str, ...]:
        """Those that it can be set in."""
        return tuple(dict.fromkeys(each.framework for each in self.settings))


@dataclass(frozen=True, kw_only=True)
class Plan:
    """From ``source.trained`` to ``to`` tokens.

    as_it_is  the model without any method at that length
    steps     the methods, in the order of ``METHODS``
    left_out  methods that can't be said of this model, and why
    begin     id of the one to begin with, None where nothing is needed
    reasons   why
    """

    source: Source
    to: int
    factor: float
    as_it_is: Look
    steps: tuple[Step, ...]
    left_out: tuple[tuple[Method, Text], ...]
    begin: str | None
    reasons: tuple[Text, ...]

    def step(self, id: str) -> Step:
        """The step of a method."""
        return next(step for step in self.steps if step.method.id == id)

    def as_record(self, lang: Language = "en") -> dict[str, Any]:
        """For JSON."""
        return {
            "target": self.source.name,
            "trained": self.source.trained,
            "to": self.to,
            "factor": self.factor,
            "as_it_is": _record(self.as_it_is),
            "methods": [
                {
                    "id": step.method.id,
                    **_record(step.look),
                    "hazard": step.method.hazard.said_in(lang),
                    "settings": [
                        {
                            "framework": each.framework, "what": each.what.said_in(lang),
                            "paste": each.paste, "keys": each.keys,
                            "announced": {code: why.said_in(lang) for code, why in each.announced.items()},
                        }
                        for each in step.settings
                    ],
                    "missing": {each.framework: each.why.said_in(lang) for each in step.missing},
                }
                for step in self.steps
            ],
            "left_out": {method.id: why.said_in(lang) for method, why in self.left_out},
            "begin": self.begin,
            "reasons": [reason.said_in(lang) for reason in self.reasons],
        }  # fmt: skip


def plan(
    target: Target,
    to: int,
    *,
    methods: Sequence[str] | None = None,
    trained: int | None = None,
    dtype: str | None = None,
) -> Plan:
    """How a model might read ``to`` tokens without training, and what breaks.

    target   a configuration (file, folder or mapping) or a GGUF file
    to       tokens wanted, 2 to 2**27
    methods  ids of ``METHODS``; all by default
    trained  tokens trained on, where the target doesn't say it or says it wrong
    dtype    that angles are computed in, float32 by default

    Raises ClockhandsError for a target without hands, and for lengths and names that make no sense.

    >>> config = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 1, "rope_theta": 1e4,
    ...           "max_position_embeddings": 2048}
    >>> made = plan(config, 8192, methods=["linear", "yarn"])
    >>> made.factor, made.begin, [step.look.unseen for step in made.steps]
    (4.0, 'yarn', [0, 0])
    """
    _require_length("to", to)
    if trained is not None:
        _require_length("trained", trained)
    if dtype is not None and str(dtype).lower().removeprefix("torch.") not in DTYPES:
        hint = nearest(str(dtype), DTYPES)
        raise BadParameter("dtype", f" is {shown(dtype)}: {hint.en}", f" 为 {shown(dtype)}：{hint.zh}")
    chosen = _chosen(methods)
    source = read_source(target, trained)
    ratio = to / source.trained
    precision = precision_of(dtype)
    as_it_is = look_at(source, None, to, 1.0, precision)
    if ratio <= 1:
        return Plan(
            source=source, to=to, factor=ratio, as_it_is=as_it_is, steps=(), left_out=(), begin=None,
            reasons=(_nothing(source, to),),
        )  # fmt: skip
    factor = source.before * ratio
    unfit = tuple((method, why) for method in chosen if (why := method.unfit(source, to)) is not None)
    steps = tuple(
        _step(source, method, to, factor, precision) for method in chosen if method.unfit(source, to) is None
    )
    begin, reasons = advised(source, [(step.method, step.look, step.frameworks) for step in steps], ratio)
    return Plan(
        source=source, to=to, factor=ratio, as_it_is=as_it_is, steps=steps, left_out=unfit, begin=begin,
        reasons=reasons,
    )  # fmt: skip


def _step(source: Source, method: Method, to: int, factor: float, precision: Precision) -> Step:
    settings, missing = settings_for(source, method, to, factor)
    look = look_at(source, method, to, factor, precision)
    if error_at_the_end(look.inv_freq, to, "fp32") > TOLERABLE:
        settings = tuple(replace(each, announced={**each.announced, "CH037": COARSE}) for each in settings)
    return Step(method=method, look=look, settings=settings, missing=missing)


def _nothing(source: Source, to: int) -> Text:
    return Text(
        f"{to:,} tokens are within the {source.trained:,} that the model knows: nothing is to be changed",
        f"{to:,} 个词元没有超过模型熟悉的 {source.trained:,} 个：什么都不用改",
    )


def _chosen(methods: Sequence[str] | None) -> tuple[Method, ...]:
    if methods is None:
        return METHODS
    for id in methods:
        if id not in IDS:
            hint = nearest(str(id), IDS)
            raise ClockhandsError(
                f"there is no method {shown(id)}: {hint.en}", f"没有方法 {shown(id)}：{hint.zh}"
            )
    return tuple(method for method in METHODS if method.id in methods)


def _require_length(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 2 <= value <= LONGEST:
        raise BadParameter(
            name,
            f" is {shown(value)}, but it must be a number of tokens: use 2 to {LONGEST:,}",
            f" 为 {shown(value)}，但它必须是词元数：请用 2 到 {LONGEST:,} 的整数",
        )


def _record(look: Look) -> dict[str, Any]:
    names = (
        "attention_factor", "unseen", "arc", "untouched", "slowed", "neighbours", "exact", "longest",
        "precision", "angle_error",
    )  # fmt: skip
    return {"inv_freq": look.inv_freq.tolist(), **{name: getattr(look, name) for name in names}}
