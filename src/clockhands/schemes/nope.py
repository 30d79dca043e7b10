"""No positional encoding: every hook stays as it is."""

from __future__ import annotations

from typing import final

from clockhands.schemes.described import Described


@final
class Nothing(Described):
    """Touches nothing; only the causal mask tells order. Kazemnejad et al. 2023 (arXiv 2305.19466)."""
