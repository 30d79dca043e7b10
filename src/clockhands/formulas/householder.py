"""Products of Householder-like matrices along the tokens."""

from __future__ import annotations

from clockhands.arrays import Array, device_of, namespace_of


def path_logits(q: Array, k: Array, w: Array, beta: Array, together: Array | None = None) -> Array:
    """``k_n . (H_{n+1} H_{n+2} ... H_m) q_m`` with ``H_s = I - beta_s w_s w_s^T``, ``(..., tq, tk)``.

    q         (..., tq, d): the last tq of the tk tokens
    k, w      (..., tk, d)
    beta      (..., tk) from 0 to 2; 0 lets vectors pass
    together  (..., tk, tk) bool, symmetric: whether two tokens are of one document; tokens of others have no
              part in the product. None: all are one

    Without any loop: the product over every interval comes from one triangular system (the UT transform).
    A key after its query gives the bare dot product. Yang et al. 2025 (arXiv 2505.16381), sections 2.2, 3.2.

    >>> import numpy as np
    >>> x = np.eye(2)  # two tokens; the second reflects what it looks at
    >>> path_logits(x, x, x, np.asarray([0.0, 2.0])).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    >>> path_logits(x[1:], x[::-1], x, np.asarray([0.0, 2.0])).tolist()
    [[-1.0, 0.0]]
    """
    xp = namespace_of(q)
    tq, tk = q.shape[-2], k.shape[-2]
    transposed_k, transposed_w = xp.matrix_transpose(k), xp.matrix_transpose(w)
    scaled = w * beta[..., None]
    within = xp.tril(scaled @ transposed_w, k=-1)
    onto_keys = xp.tril(scaled @ transposed_k, k=-1)
    onto_queries = xp.tril(q @ transposed_w, k=tk - tq)
    if together is not None:
        same = xp.astype(together, q.dtype)
        within, onto_keys, onto_queries = within * same, onto_keys * same, onto_queries * same[..., -tq:, :]
    one = xp.eye(tk, dtype=q.dtype, device=device_of(q))
    return q @ transposed_k - onto_queries @ xp.linalg.solve(one + within, onto_keys)
