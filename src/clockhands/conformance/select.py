"""Which laws an encoding must obey, by its traits and hooks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from clockhands.conformance import about_modules, about_numbers, about_places, about_serving
from clockhands.conformance.subject import Subject
from clockhands.core.encoding import Encoding


def _always(encoding: Encoding) -> bool:
    return True


def _reads(encoding: Encoding) -> bool:
    return encoding.traits.reads != "nothing"


def _turns(encoding: Encoding) -> bool:
    return encoding.overrides("queries") or encoding.overrides("keys")


@dataclass(frozen=True)
class Law:
    """One thing that must be true.

    name     short, for test ids and for ``Encoding.exceptions``
    check    raises ``LawBroken`` if it is not true
    applies  whether an encoding with these traits and hooks is bound by it
    """

    name: str
    check: Callable[[Subject], None]
    applies: Callable[[Encoding], bool] = _always

    @property
    def says(self) -> str:
        """The law in a sentence."""
        return (self.check.__doc__ or "").strip().splitlines()[0]


LAWS: tuple[Law, ...] = (
    Law("gap", about_places.gap_is_seen),
    Law("decode", about_serving.decode_equals_prefill),
    Law("shift", about_places.shift_changes_nothing, lambda encoding: encoding.traits.relative),
    Law("causal", about_places.future_changes_nothing),
    Law("matters", about_places.position_matters, _reads),
    Law("sides", about_places.both_sides_matter, lambda each: each.traits.bidirectional and _reads(each)),
    Law("fused", about_serving.fused_equals_dense),
    Law("isometry", about_numbers.turning_keeps_lengths, _turns),
    Law("dtype", about_numbers.narrow_dtypes_cost_little),
    Law("far", about_places.stays_finite),
    Law("state", about_modules.state_holds_parameters_only),
    Law("default", about_modules.defaults_build_it),
    Law("copies", about_modules.copies_are_alike),
    Law("grouped", about_serving.grouped_equals_repeated),
    Law("rows", about_serving.rows_are_independent),
    Law("no-trace", about_serving.calls_leave_no_trace),
    Law("padding", about_serving.padding_equals_none),
    Law("packed", about_serving.packed_equals_separate),
    Law("gradient", about_modules.gradient_reaches_all),
    Law("untouched", about_modules.inputs_stay_untouched),
    Law("one-graph", about_modules.compiles_to_one_graph),
)
"""All laws; the first catch what the others miss."""


def laws_for(encoding: Encoding) -> tuple[Law, ...]:
    """The laws that bind an encoding, in order, without the exceptions it declares."""
    return tuple(law for law in LAWS if law.applies(encoding) and law.name not in encoding.exceptions)
