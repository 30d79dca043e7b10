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


def path_logits_in_blocks(
    q: Array, k: Array, w: Array, beta: Array, together: Array | None = None, block: int = 64
) -> Array:
    """``path_logits`` of visible pairs, block of keys by block of keys from the last to the first.

    Queries pass through the mirrors of a block and go on to the one before it, so that no system is larger
    than a block: memory ``tk * (tq + block)`` instead of ``tk * tk``, and time with the square of the length
    instead of the cube. Where documents are given, pairs of two documents get other numbers than
    ``path_logits`` has for them; nobody may see those. Yang et al. 2025 (arXiv 2505.16381), section 3.3.

    >>> import numpy as np
    >>> x = np.eye(2)
    >>> path_logits_in_blocks(x[1:], x[::-1], x, np.asarray([0.0, 2.0]), block=1).tolist()
    [[-1.0, 0.0]]
    """
    xp = namespace_of(q)
    tq, tk = q.shape[-2], k.shape[-2]
    same = None if together is None else xp.astype(together, q.dtype)
    logits: list[Array] = []
    for start in reversed(range(0, tk, block)):
        part = slice(start, min(start + block, tk))
        keys, mirrors = k[..., part, :], w[..., part, :]
        size = keys.shape[-2]
        scaled = mirrors * beta[..., part][..., None]
        within = xp.tril(scaled @ xp.matrix_transpose(mirrors), k=-1)
        onto_keys = xp.tril(scaled @ xp.matrix_transpose(keys), k=-1)
        onto_queries = xp.tril(q @ xp.matrix_transpose(mirrors), k=tk - tq - start)
        if same is not None:
            inside = same[..., part, part]
            within, onto_keys = within * inside, onto_keys * inside
            onto_queries = onto_queries * same[..., -tq:, part]
        one = xp.eye(size, dtype=q.dtype, device=device_of(q))
        solved = xp.linalg.solve(one + within, xp.concat([onto_keys, scaled], axis=-1))
        logits.append(q @ xp.matrix_transpose(keys) - onto_queries @ solved[..., :size])
        q = q - onto_queries @ solved[..., size:]
    return xp.concat(logits[::-1], axis=-1)
