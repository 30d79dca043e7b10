"""All rules whose findings the probe makes, in the order of their codes. Imports no torch."""

from __future__ import annotations

from clockhands.check.finding import Rule
from clockhands.check.probe.findings import bias, conduct, places, turning

RULES: tuple[Rule, ...] = (
    *turning.RULES,
    *places.RULES,
    *conduct.RULES,
    *bias.RULES,
)
