"""A scheme as numpy sees it: parameters as fields, and what can be computed without torch."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from clockhands.catalogue.card import Card, Traits
from clockhands.errors import ClockhandsError, nearest, shown
from clockhands.language import Text

Array = NDArray[np.float64]


def _plain(value: Any) -> Any:
    """A number as Python has it: sizes computed from an int8 would overflow, and numpy knows no fractions."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Fraction) and abs(value) < sys.float_info.max:
        return float(value)
    return value


@dataclass(frozen=True, kw_only=True)
class Description:
    """One scheme with its parameters. Subclasses are final and add fields plus the hooks they have.

    Fields are keyword-only, have defaults, and are validated in ``check``. A description
    is a value: equal parameters make equal descriptions, so layers can share what is equal.
    """

    card: ClassVar[Card]
    aliases: ClassVar[dict[str, str]] = {}
    """Short names of fields used on the command line, e.g. ``{"dim": "head_dim", "base": "rope_theta"}``."""

    module: ClassVar[str | None] = None
    """What builds its torch module, ``package.module:name``; None: a generic one, by what it computes."""

    meanings: ClassVar[Mapping[str, Text]] = {}
    """What its parameters mean, where ``catalogue.meanings`` doesn't say it, or says it of another scheme."""

    exceptions: ClassVar[Mapping[str, str]] = {}
    """Laws of ``clockhands.conformance`` that the scheme breaks by design: ``{name of the law: reason}``."""

    content_hooks: ClassVar[tuple[str, ...]] = ()
    """What its module does that hangs on the tokens, so that numpy can't compute it here: ``table`` (hidden
    states), ``inv_freq`` (queries and keys) or ``bias`` (logits)."""

    other_hooks: ClassVar[tuple[str, ...]] = ()
    """What its module changes besides, shown by no table or curve: ``queries`` without keys, ``values``."""

    def __post_init__(self) -> None:
        for name in self.parameters():
            value = getattr(self, name)
            object.__setattr__(self, name, _plain(value))
        self.check()

    def check(self) -> None:
        """Raise ClockhandsError if a parameter breaks a rule."""

    @property
    def traits(self) -> Traits:
        """The promises of this description: the card's, unless a parameter changes one."""
        return self.card.traits

    def inv_freq(self) -> Array | None:
        """Angular speed of each hand, ``(pairs,)``, rad / token, float64."""
        return None

    def inv_freq_at(self, length: Any) -> Any:
        """The same in a text of ``length`` tokens; differs where the trait ``length_dependent`` is set.

        length  a number, or an array ``(..., 1)`` of any array library, which gives ``(..., pairs)`` in it
        """
        return self.inv_freq()

    def magnitude(self) -> float:
        """What multiplies the turned dimensions of queries and of keys, e.g. YaRN's attention factor."""
        return 1.0

    def softmax_factor(self) -> float:
        """What else multiplies the dot product beside ``1 / sqrt(head_dim)``."""
        return 1.0

    def table(self, positions: NDArray[Any]) -> Array | None:
        """What is added to (or put beside) the tokens, ``(*positions.shape, width)``, float64."""
        return None

    def bias(self, distance: NDArray[Any]) -> Array | None:
        """Added to the logits, ``(num_heads, *distance.shape)``; distance = query - key position, tokens."""
        return None

    @property
    def axes(self) -> tuple[Text, ...]:
        """Names of the axes of its positions ``(b, t, axes)``; none: positions are plain, ``(b, t)``.

        What it computes of plain positions is then about all axes moving together, one step each, as they do
        in text; and a model that is given plain positions counts them on every axis.
        """
        return ()

    @property
    def pair_axes(self) -> tuple[int, ...] | None:
        """The axis that each hand of ``inv_freq`` reads; None where each reads all there are."""
        return None

    def distance_map(self, queries: NDArray[Any], keys: NDArray[Any]) -> Array | None:
        """Which distance a rotation is given for each pair, ``(..., tq, tk)``, tokens; NaN: not seen.

        For schemes that remap positions; ``queries (..., tq)`` and ``keys (..., tk)`` are positions, tokens.
        """
        return None

    @property
    def unseen(self) -> Text | None:
        """What its hands, table or bias alone don't show, in a few words that go on every picture of them."""
        return None

    @property
    def untrained_seed(self) -> int | None:
        """The seed of random numbers that stand in for trained ones, ``None`` if nothing is random."""
        return None

    @property
    def drawn_shape(self) -> tuple[int, ...]:
        """Of the whole random table that ``table`` reads its rows from; empty where none is drawn."""
        return ()

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of words (parts of speech, as jieba writes them) it tells apart; none: it reads no words.

        The last one takes in what is of no other kind. Override it together with ``positions_of``.
        """
        return ()

    def kind_of(self, tag: str) -> int:
        """Index in ``kinds`` of the longest one that ``tag`` begins with; the last one if there is none."""
        fits = [known for known in self.kinds if tag.startswith(known)]
        return self.kinds.index(max(fits, key=len)) if fits else len(self.kinds) - 1

    def positions_of(self, kinds: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """Positions ``(b, t[, axes])`` that a model gives it for words of these kinds; None: 0, 1, 2, ...

        kinds  ``(b, t)`` indices in ``kinds``, -1 for padding, which stands at the end of a row
        """
        return None

    def positions_in(self, tokens: Sequence[str]) -> NDArray[np.int64] | None:
        """Positions that it reads off the tokens of one text, ``(t,)``; None: 0, 1, 2, ..."""
        return None

    def moved(self, positions: Any, drawn: Any) -> Any:
        """Where training puts tokens, ``(b, t)``, given what was drawn for each text; None: it draws nothing.

        positions  ``(b or 1, t)`` integers
        drawn      ``(b, count)`` numbers from 0 to 1, of the same array library
        """
        return None

    def at_layer(self, layer: int, num_layers: int) -> Self:
        """What layer ``layer`` (0-based) of ``num_layers`` uses; itself unless layers differ."""
        return self

    @classmethod
    def parameters(cls) -> tuple[str, ...]:
        return tuple(field.name for field in dataclasses.fields(cls))

    @classmethod
    def with_parameters(cls, /, **given: Any) -> Self:
        """Build from given parameters, aliases allowed; an unknown name is refused with the nearest one.

        So is one that is given twice, by its own name and by its alias. A bad value is refused under the name
        that it was given by.
        """
        names = cls.parameters()
        resolved: dict[str, Any] = {}
        given_as: dict[str, str] = {}
        for name, value in given.items():
            target = cls.aliases.get(name, name)
            if target not in names:
                raise cls._no_parameter(name)
            if target in resolved:
                raise ClockhandsError(
                    f"{target} is given twice, as {shown(resolved[target])} and as {shown(value)}: "
                    "leave one out",
                    f"{target} 给了两次（{shown(resolved[target])} 和 {shown(value)}）：请去掉一个",
                )
            resolved[target], given_as[target] = value, name
        try:
            return cls(**resolved)
        except ClockhandsError as error:
            raise error.with_names(given_as) from error

    @classmethod
    def fitted(cls, sizes: dict[str, Any], /, **given: Any) -> Self:
        """Like ``with_parameters``, with those of a model's ``sizes`` that this scheme knows filled in.

        ``sizes`` may name ``d_model``, ``head_dim``, ``num_heads``, ``num_layers``, ``max_positions``,
        ``bidirectional`` and ``seed``; aliases count, so a scheme may call any of them otherwise.
        """
        names = cls.parameters()
        fields = {cls.aliases.get(name, name): value for name, value in sizes.items()}
        resolved = {cls.aliases.get(name, name) for name in given}
        known = {name: value for name, value in fields.items() if name in names and name not in resolved}
        return cls.with_parameters(**(known | given))

    @classmethod
    def _no_parameter(cls, name: str) -> ClockhandsError:
        known = (*cls.parameters(), *cls.aliases)
        leave_out = Text(f"it has none, so leave '{name}' out", f"它不带参数，请去掉“{name}”")
        hint = nearest(name, known) if known else leave_out
        return ClockhandsError(
            f"{cls.card.id} has no parameter '{name}': {hint.en}",
            f"{cls.card.id} 没有参数“{name}”：{hint.zh}",
        )

    def touches(self) -> tuple[str, ...]:
        """Which hooks this scheme has, derived from what its class overrides."""
        hooks = ("inv_freq", "table", "bias", "distance_map")
        return tuple(hook for hook in hooks if getattr(type(self), hook) is not getattr(Description, hook))
