"""Hard-ALiBi: some heads see a few tokens and nothing else, the others see all and know no position."""

from __future__ import annotations

from clockhands.arrays import Array, namespace_of, real_dtype


def hard_windows(num_heads: int, num_masked_heads: int) -> Array:
    """How many of the last tokens each head sees, itself counted, ``(num_heads,)``: 1, 2, … and then ``inf``.

    Jelassi et al. 2024 (arXiv 2402.01032); its code (``sjelassi/transformers_ssm_copy`` @1f32ac6,
    ``hard_alibi_model.py``) lets head h of the masked ones see distances 0 … h.

    >>> hard_windows(4, 3).tolist()
    [1.0, 2.0, 3.0, inf]
    """
    xp = namespace_of()
    seen = [h + 1.0 if h < num_masked_heads else xp.inf for h in range(num_heads)]
    return xp.asarray(seen, dtype=real_dtype())


def hard_bias_at(distance: Array, window: Array) -> Array:
    """0 where ``distance < window``, else minus infinity, in the dtype of ``window``; the two broadcast.

    >>> import numpy as np
    >>> hard_bias_at(np.asarray([1, 2]), np.asarray(2.0)).tolist()
    [0.0, -inf]
    """
    xp = namespace_of(distance, window)
    nothing = xp.zeros_like(window)
    return xp.where(distance < window, nothing, nothing - xp.inf)
