"""How much each token makes earlier ones fade: the steps that are added up between a key and a query."""

from __future__ import annotations

from clockhands.arrays import Array, namespace_of


def fox_steps(gates: Array) -> Array:
    """``ln sigmoid(gates)``, same shape, logits: 0 keeps everything, below 0 forgets.

    Lin et al. 2025 (arXiv 2503.02130); its code (``zhixuan-lin/forgetting-transformer`` @246d5e3)
    takes ``logsigmoid`` of a linear map of the token.

    >>> import numpy as np
    >>> fox_steps(np.asarray([0.0, 1000.0])).round(4).tolist()
    [-0.6931, 0.0]
    """
    return cable_steps(-gates)


def cable_steps(gates: Array) -> Array:
    """``-softplus(gates)``, same shape, logits: always below 0.

    Veisi et al. 2025 (arXiv 2503.08067); its code (``axiomlab/Cable`` @2d7410b, ``src/Cable.py``) adds up
    ``-softplus`` of a linear map of the token. It is FoX with the gate's sign turned round.

    >>> import numpy as np
    >>> cable_steps(np.asarray([0.0, 1000.0])).round(4).tolist()
    [-0.6931, -1000.0]
    """
    xp = namespace_of(gates)
    return 0 - xp.logaddexp(xp.zeros_like(gates), gates)
