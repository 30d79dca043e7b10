"""Fast twins of readable formulas: the same numbers, chosen by exact class, tested for equality."""

from clockhands.core.turners import Hooks, Turner
from clockhands.kernels.turners import FusedRotation, Together
from clockhands.kernels.turning import turn
from clockhands.kernels.turning_at import turn_at

TURNERS: tuple[Turner, ...] = (FusedRotation(), Together(), Hooks())
"""What ``models`` gives to ``attend``; tried in this order."""

__all__ = ["TURNERS", "FusedRotation", "Together", "turn", "turn_at"]
