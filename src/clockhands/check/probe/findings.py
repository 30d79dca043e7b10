"""All rules whose findings the probe makes, in the order of their codes. Imports no torch."""

from __future__ import annotations

from clockhands.check.finding import Rule
from clockhands.check.probe import findings_bias, findings_conduct, findings_places, findings_turning

RULES: tuple[Rule, ...] = (
    *findings_turning.RULES,
    *findings_places.RULES,
    *findings_conduct.RULES,
    *findings_bias.RULES,
)
