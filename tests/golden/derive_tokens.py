"""Whole passes of what reads the tokens or the scores; run by ``derive_whole.py``."""

from __future__ import annotations

import mpmath as mp
from derive import rope
from passing import (
    DIM,
    FAR,
    HEADS,
    NEAR,
    ROOT,
    TOKENS,
    WIDTH,
    K,
    Q,
    X,
    attended,
    content,
    dot,
    numbers,
    sigmoid,
    times,
    turned,
)

H, SIZES = {"num_heads": HEADS}, {"d_model": WIDTH, "num_heads": HEADS}


def read_off_tokens() -> None:
    """Schemes that see hidden states or scores; those that count tokens don't look at positions."""
    weight, offset = numbers(HEADS, WIDTH, start=3), numbers(HEADS, start=5)
    gates = [[dot(weight[h], x) + offset[h] for x in X] for h in range(HEADS)]
    given = {"weight": weight, "offset": offset}
    for scheme, step in (("fox", lambda g: mp.log(sigmoid(g))), ("cable", lambda g: -mp.log(1 + mp.exp(g)))):
        attended(
            scheme,
            SIZES,
            NEAR,
            weights=given,
            states=True,
            score=lambda h, i, j, s=step: (
                content(h, i, j) + mp.fsum(s(gates[h][t]) for t in range(j + 1, i + 1))
            ),
        )
    mixing, bank = numbers(HEADS * 2, WIDTH, start=2), numbers(2, 6, start=7)
    for P in (NEAR, FAR):

        def curve(h, i, j, P=P):
            r, apart = times(mixing[2 * h : 2 * h + 2], X[i]), P[i] - P[j]
            return content(h, i, j) + (dot(r, [row[apart] for row in bank]) if apart < 6 else 0)

        attended(
            "inkling",
            SIZES | {"d_rel": 2, "rel_extent": 6},
            P,
            curve,
            states=True,
            weights={"map": mixing, "bank": bank},
        )

    table = numbers(4, DIM, start=8)

    def contextual(h, i, j):
        place = min(mp.fsum(sigmoid(content(h, i, t)) for t in range(j, i + 1)), mp.mpf(3))
        low, high = int(mp.floor(place)), int(mp.ceil(place))
        vector = [
            mp.mpf(b) * (place - low) + mp.mpf(a) * (1 - (place - low))
            for a, b in zip(table[low], table[high], strict=True)
        ]
        return content(h, i, j) + dot(Q[h][i], vector)

    attended(
        "cope-contextual", {"head_dim": DIM, "npos_max": 4}, NEAR, contextual, weights={"pos_emb": table}
    )

    bias = numbers(HEADS, start=4)

    def walked(steps):
        """Turned by what all steps up to a token add up to; ``steps(h, t)`` in rad, one a hand."""
        along = [
            [[mp.fsum(steps(h, t)[n] for t in range(last + 1)) for n in range(4)] for last in range(TOKENS)]
            for h in range(HEADS)
        ]
        return lambda h, i, j: dot(turned(Q[h][i], along[h][i]), turned(K[h][j], along[h][j])) / ROOT

    def carope(h, t):
        f = 1 / (mp.log(1 + mp.exp(dot(weight[h], X[t]) + bias[h])) + 1)
        return [f**n for n in range(4)]

    attended("carope", SIZES, NEAR, walked(carope), weights={"weight": weight, "bias": bias}, states=True)

    down, up, taps = numbers(3, WIDTH, start=1), numbers(8, 3, start=6), numbers(4, HEADS, 4, start=2)

    def before(h, t):
        """The step of one token before the convolution, from hidden states of length 1 in each head."""
        normed = []
        for head in range(HEADS):
            part = X[t][8 * head : 8 * head + 8]
            normed += [mp.mpf(x) / mp.sqrt(dot(part, part)) for x in part]
        return times(up[4 * h : 4 * h + 4], times(down, normed))

    def selective(h, t):
        summed = [
            mp.fsum(mp.mpf(taps[3 - back][h][n]) * before(h, t - back)[n] for back in range(min(t, 3) + 1))
            for n in range(4)
        ]
        return [s * w for s, w in zip(summed, rope(8, 500000), strict=True)]

    attended(
        "selective-rope",
        SIZES | {"phi_proj_rank": 3},
        NEAR,
        walked(selective),
        states=True,
        weights={"phi_down": down, "phi_up": up, "taps": taps},
    )
    attended("stick-breaking", {}, NEAR, weigh=broken)


def broken(logits: list) -> list:
    """Tan et al. 2024: the nearest key before the query breaks first; its own token takes nothing."""
    shares, left = [mp.mpf(0)] * len(logits), mp.mpf(1)
    for j in reversed(range(len(logits) - 1)):
        shares[j] = left * sigmoid(logits[j])
        left -= shares[j]
    return shares


def mirrors() -> None:
    """Yang et al. 2025: the product of Householder-like matrices between key and query, one after another."""
    given = {
        "w_down": numbers(3, WIDTH, start=1),
        "w_up": numbers(HEADS * DIM, 3, start=6),
        "taps": numbers(3, HEADS, DIM, start=4),
        "beta_weight": numbers(HEADS, WIDTH, start=9),
        "beta_bias": numbers(HEADS, start=2),
    }
    forget = {"forget_weight": numbers(HEADS, WIDTH, start=5), "forget_bias": numbers(HEADS, start=8)}

    def mirror(h, t):
        low = [times(given["w_up"], times(given["w_down"], x))[DIM * h : DIM * h + DIM] for x in X]
        met = [
            mp.fsum(mp.mpf(given["taps"][2 - back][h][n]) * low[t - back][n] for back in range(min(t, 2) + 1))
            for n in range(DIM)
        ]
        active = [x * sigmoid(x) for x in met]
        length = mp.sqrt(dot(active, active) + mp.mpf(1e-6))
        beta = 2 * sigmoid(dot(given["beta_weight"][h], X[t]) + given["beta_bias"][h])
        w = mp.matrix([x / length for x in active])
        return mp.eye(DIM) - beta * (w * w.T)

    matrices = [[mirror(h, t) for t in range(TOKENS)] for h in range(HEADS)]

    def mirrored(h, i, j):
        passing = mp.matrix(Q[h][i])
        for t in range(i, j, -1):
            passing = matrices[h][t] * passing
        return dot(K[h][j], passing) / ROOT

    def forgetting(h, i, j):
        kept = mp.fsum(
            mp.log(sigmoid(dot(forget["forget_weight"][h], X[t]) + forget["forget_bias"][h]))
            for t in range(j + 1, i + 1)
        )
        return mirrored(h, i, j) + kept / ROOT

    attended("path", SIZES | {"rank": 3}, NEAR, mirrored, weights=given, states=True)
    attended("path-fox", SIZES | {"rank": 3}, NEAR, forgetting, weights=given | forget, states=True)


def adapted() -> None:
    """Zheng et al. 2024: scores and ALiBi's bias of all heads through two layers, over 1 or 3 keys."""
    slope = [mp.mpf(2) ** -4, mp.mpf(2) ** -8]
    for scheme, size in (("dape", 1), ("dape-v2", 3)):
        first, second = numbers(3, 2 * HEADS, 1, size, start=4), numbers(HEADS, 3, 1, size, start=9)
        given = {
            "first": first,
            "first_bias": numbers(3, start=2),
            "second": second,
            "second_bias": numbers(HEADS, start=6),
        }
        for P in (NEAR, FAR):

            def maps(i, j, P=P):
                """Channels at one pair: zero where the query may not look."""
                if not 0 <= j <= i:
                    return [0] * (2 * HEADS)
                return [content(h, i, j) for h in range(HEADS)] + [-s * (P[i] - P[j]) for s in slope]

            def layer(seen, weight, offset, i, j, size=size):
                around = range(j - size // 2, j + size // 2 + 1)
                return [
                    mp.mpf(b)
                    + mp.fsum(
                        mp.mpf(filters[c][0][n]) * seen(i, key)[c]
                        for n, key in enumerate(around)
                        for c in range(len(filters))
                    )
                    for filters, b in zip(weight, offset, strict=True)
                ]

            def hidden(i, j, given=given, maps=maps, layer=layer):
                if not 0 <= j <= i:
                    return [0] * 3
                return [
                    x if x > 0 else x / 100 for x in layer(maps, given["first"], given["first_bias"], i, j)
                ]

            def score(h, i, j, P=P, given=given, hidden=hidden, layer=layer):
                more = layer(hidden, given["second"], given["second_bias"], i, j)[h]
                return content(h, i, j) - slope[h] * (P[i] - P[j]) + more

            attended(scheme, H | {"mlp_width": 3}, P, score, weights=given)
