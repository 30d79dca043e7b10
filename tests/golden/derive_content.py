"""Whole passes of biases, relative vectors and what reads the tokens; run by ``derive_whole.py``."""

from __future__ import annotations

from collections.abc import Callable

import mpmath as mp
from derive import rope
from passing import (
    DIM, FAR, HEADS, NEAR, Q, K, ROOT, TOKENS, V, WIDTH, X, attended, content, dot, numbers, plus, sigmoid,
    times, turned,
)  # fmt: skip

H, SIZES = {"num_heads": HEADS}, {"d_model": WIDTH, "num_heads": HEADS}


def biased(scheme: str, parameters: dict, bias: Callable, positions: tuple = (NEAR, FAR), **more) -> None:
    """``bias(h, m, n)`` of two positions is added to the logits; None: not seen."""
    for position in positions:

        def score(h, i, j, P=position):
            found = bias(h, P[i], P[j])
            return None if found is None else content(h, i, j) + found

        attended(scheme, parameters, position, score, **more)


def t5_row(m: int, n: int, buckets: int, most: int) -> int:
    """Raffel et al. 2020: exact below half of the buckets, then logarithmic, one way."""
    exact, apart = buckets // 2, m - n
    if apart < exact:
        return max(apart, 0)
    spread = mp.log(mp.mpf(apart) / exact) / mp.log(mp.mpf(most) / exact) * (buckets - exact)
    return min(exact + int(mp.floor(spread + mp.mpf(10) ** -30)), buckets - 1)


def deberta_row(apart: int, reach: int) -> int:
    """He et al. 2020, equation 3."""
    return 0 if apart <= -reach else 2 * reach - 1 if apart >= reach else apart + reach


def deberta_v3_row(apart: int, buckets: int, most: int) -> int:
    """He et al. 2021 and its code: exact up to half, then ceil of a logarithm."""
    middle, far = buckets // 2, abs(apart)
    if far > middle:
        spread = mp.log(mp.mpf(far) / middle) / mp.log(mp.mpf(most - 1) / middle) * (middle - 1)
        far = middle + int(mp.ceil(spread - mp.mpf(10) ** -30))
    signed = min(far, buckets) * (1 if apart >= 0 else -1)
    return min(max(signed, -buckets), buckets - 1) + buckets


def curves(units: list, x: mp.mpf, h: int) -> mp.mpf:
    """A layer of ReLU units."""
    return mp.fsum(mp.mpf(unit[2 + h]) * max(mp.mpf(0), unit[0] * x + unit[1]) for unit in units)


def by_distance(slopes: Callable) -> None:
    biased("alibi", H, lambda h, m, n: -slopes(HEADS)[h] * (m - n))
    biased("alibi", H | {"symmetric": True}, lambda h, m, n: -slopes(HEADS)[h] * abs(m - n), causal=False)
    table = numbers(8, HEADS, start=3)
    biased("t5", H | {"num_buckets": 8, "max_distance": 12},
           lambda h, m, n: mp.mpf(table[t5_row(m, n, 8, 12)][h]), weights={"weights": table})  # fmt: skip
    biased("alibi-hard", H | {"num_masked_heads": 1}, lambda h, m, n: 0 if h or m - n <= 0 else None)
    biased("retnet-decay", H, lambda h, m, n: (m - n) * mp.log(1 - mp.mpf(2) ** (-5 - h)))
    biased("sandwich", H | {"sinusoid_dim": 8},
           lambda h, m, n: mp.mpf(HEADS) / (8 * (h + 1))
           * mp.fsum(mp.cos((m - n) * mp.mpf(10000) ** (-mp.mpf(2 * i) / 8)) for i in range(1, 5)))  # fmt: skip
    r1, r2 = [0.5, 2.0], [1.5, 0.25]
    biased("kerple-log", H, lambda h, m, n: -r1[h] * mp.log(1 + r2[h] * mp.mpf(m - n)),
           weights={"r1": r1, "r2": r2})  # fmt: skip
    biased("kerple-power", H, lambda h, m, n: -r1[h] * mp.mpf(m - n) ** mp.mpf(r2[h]),
           weights={"r1": r1, "r2": r2})  # fmt: skip
    units = numbers(3, 2 + HEADS, start=4)

    def fire(h, m, n):
        psi = [mp.log(1 + mp.mpf(0.5) * x) for x in (m - n, max(m, 1.5 * 6))]
        return curves(units, psi[0] / (psi[1] + mp.mpf(1e-6)), h)

    biased("fire", H | {"width": 3, "threshold": 6.0}, fire,
           weights={"units": units, "c": 0.5, "multiplier": 1.5})  # fmt: skip
    offsets = numbers(29, HEADS, start=7)
    biased("swin-table", H | {"window_size": 15}, lambda h, m, n: mp.mpf(offsets[m - n + 14][h]), (NEAR,),
           weights={"weights": offsets}, causal=False)  # fmt: skip

    def bounded(h, m, n):
        x = mp.sign(m - n) * mp.log(1 + mp.mpf(8 * abs(m - n)) / 7) / mp.log(8)
        return 16 * sigmoid(curves(units, x, h))

    biased("swin-cpb", H | {"window_size": 8, "width": 3}, bounded, weights={"units": units}, causal=False)


def by_vectors() -> None:
    """Vectors of distances, met by queries, keys or values."""
    keys, values = numbers(9, DIM, start=2), numbers(9, DIM, start=8)
    for P in (NEAR, FAR):

        def row(i, j, P=P):
            return min(max(P[j] - P[i], -4), 4) + 4

        attended("shaw", {"head_dim": DIM, "clip": 4}, P, causal=False,
                 score=lambda h, i, j, r=row: dot(Q[h][i], plus(K[h][j], keys[r(i, j)])) / ROOT,
                 arrives=lambda h, i, j, r=row: plus(V[h][j], values[r(i, j)]),
                 weights={"on_keys": keys, "on_values": values})  # fmt: skip

        u, v, W = numbers(HEADS, DIM, start=1), numbers(HEADS, DIM, start=5), numbers(HEADS, DIM, WIDTH, start=9)

        def xl(h, i, j, P=P):
            R = [f((P[i] - P[j]) * w) for f in (mp.sin, mp.cos) for w in rope(WIDTH)]
            return (dot(plus(Q[h][i], u[h]), K[h][j]) + dot(plus(Q[h][i], v[h]), times(W[h], R))) / ROOT

        attended("transformer-xl", SIZES, P, xl, weights={"u": u, "v": v, "weight": W}, causal=False)
        maps = {"key": numbers(HEADS, DIM, WIDTH, start=3), "query": numbers(HEADS, DIM, WIDTH, start=10),
                "query_bias": numbers(HEADS, DIM, start=6)}  # fmt: skip
        for scheme, parameters, count, row_of in (
            ("deberta", {"max_relative_positions": 6}, 12, lambda r: deberta_row(r, 6)),
            ("deberta-v3", {"position_buckets": 6, "max_relative_positions": 40}, 12,
             lambda r: deberta_v3_row(r, 6, 40)),
        ):  # fmt: skip
            vectors = numbers(count, WIDTH, start=4)

            def disentangled(h, i, j, P=P, vectors=vectors, row_of=row_of):
                vector = vectors[row_of(P[i] - P[j])]
                position_key = times(maps["key"][h], vector)
                position_query = plus(times(maps["query"][h], vector), maps["query_bias"][h])
                met = dot(Q[h][i], K[h][j]) + dot(Q[h][i], position_key) + dot(K[h][j], position_query)
                return met / mp.sqrt(3 * DIM)

            attended(scheme, SIZES | parameters, P, disentangled, weights=maps | {"vectors": vectors}, causal=False)

        def ricker(apart):
            made = []
            for n in range(DIM):  # widths 1 … 128, one of each: a head of 8 has no room for shifts
                t = mp.mpf(apart) / 2**n
                made.append((1 - t * t) * mp.exp(-t * t / 2))
            return made

        attended("wavelet", {"head_dim": DIM}, P, causal=False,
                 score=lambda h, i, j, P=P: dot(Q[h][i], plus(K[h][j], ricker(P[i] - P[j]))) / ROOT)  # fmt: skip
    places = numbers(15, WIDTH, start=6)
    U, W = numbers(HEADS, DIM, WIDTH, start=3), numbers(HEADS, DIM, WIDTH, start=10)

    def tupe(h, i, j):
        met = dot(times(U[h], places[NEAR[i]]), times(W[h], places[NEAR[j]]))
        return (dot(Q[h][i], K[h][j]) + met) / mp.sqrt(2 * DIM)

    attended("tupe", SIZES | {"max_positions": 15}, NEAR, tupe, causal=False,
             weights={"positions": places, "query": U, "key": W})  # fmt: skip


def read_off_tokens() -> None:
    """Schemes that see hidden states or scores; those that count tokens don't look at positions."""
    weight, offset = numbers(HEADS, WIDTH, start=3), numbers(HEADS, start=5)
    gates = [[dot(weight[h], x) + offset[h] for x in X] for h in range(HEADS)]
    given = {"weight": weight, "offset": offset}
    for scheme, step in (("fox", lambda g: mp.log(sigmoid(g))), ("cable", lambda g: -mp.log(1 + mp.exp(g)))):
        attended(scheme, SIZES, NEAR, weights=given, states=True,
                 score=lambda h, i, j, s=step: content(h, i, j)
                 + mp.fsum(s(gates[h][t]) for t in range(j + 1, i + 1)))  # fmt: skip
    mixing, bank = numbers(HEADS * 2, WIDTH, start=2), numbers(2, 6, start=7)
    for P in (NEAR, FAR):

        def curve(h, i, j, P=P):
            r, apart = times(mixing[2 * h : 2 * h + 2], X[i]), P[i] - P[j]
            return content(h, i, j) + (dot(r, [row[apart] for row in bank]) if apart < 6 else 0)

        attended("inkling", SIZES | {"d_rel": 2, "rel_extent": 6}, P, curve, states=True,
                 weights={"map": mixing, "bank": bank})  # fmt: skip

    table = numbers(4, DIM, start=8)

    def contextual(h, i, j):
        place = min(mp.fsum(sigmoid(content(h, i, t)) for t in range(j, i + 1)), mp.mpf(3))
        low, high = int(mp.floor(place)), int(mp.ceil(place))
        vector = [mp.mpf(b) * (place - low) + mp.mpf(a) * (1 - (place - low))
                  for a, b in zip(table[low], table[high], strict=True)]  # fmt: skip
        return content(h, i, j) + dot(Q[h][i], vector)

    attended("cope-contextual", {"head_dim": DIM, "npos_max": 4}, NEAR, contextual, weights={"pos_emb": table})

    bias = numbers(HEADS, start=4)

    def walked(steps):
        """Turned by what all steps up to a token add up to; ``steps(h, t)`` in rad, one a hand."""
        along = [[[mp.fsum(steps(h, t)[n] for t in range(last + 1)) for n in range(4)] for last in range(TOKENS)]
                 for h in range(HEADS)]  # fmt: skip
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
        summed = [mp.fsum(mp.mpf(taps[3 - back][h][n]) * before(h, t - back)[n] for back in range(min(t, 3) + 1))
                  for n in range(4)]  # fmt: skip
        return [s * w for s, w in zip(summed, rope(8, 500000), strict=True)]

    attended("selective-rope", SIZES | {"phi_proj_rank": 3}, NEAR, walked(selective), states=True,
             weights={"phi_down": down, "phi_up": up, "taps": taps})  # fmt: skip
    mirrors()
    adapted()
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
        "w_down": numbers(3, WIDTH, start=1), "w_up": numbers(HEADS * DIM, 3, start=6),
        "taps": numbers(3, HEADS, DIM, start=4), "beta_weight": numbers(HEADS, WIDTH, start=9),
        "beta_bias": numbers(HEADS, start=2),
    }  # fmt: skip
    forget = {"forget_weight": numbers(HEADS, WIDTH, start=5), "forget_bias": numbers(HEADS, start=8)}

    def mirror(h, t):
        low = [times(given["w_up"], times(given["w_down"], x))[DIM * h : DIM * h + DIM] for x in X]
        met = [mp.fsum(mp.mpf(given["taps"][2 - back][h][n]) * low[t - back][n] for back in range(min(t, 2) + 1))
               for n in range(DIM)]  # fmt: skip
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
        kept = mp.fsum(mp.log(sigmoid(dot(forget["forget_weight"][h], X[t]) + forget["forget_bias"][h]))
                       for t in range(j + 1, i + 1))  # fmt: skip
        return mirrored(h, i, j) + kept / ROOT

    attended("path", SIZES | {"rank": 3}, NEAR, mirrored, weights=given, states=True)
    attended("path-fox", SIZES | {"rank": 3}, NEAR, forgetting, weights=given | forget, states=True)


def adapted() -> None:
    """Zheng et al. 2024: scores and ALiBi's bias of all heads through two layers, over 1 or 3 keys."""
    slope = [mp.mpf(2) ** -4, mp.mpf(2) ** -8]
    for scheme, size in (("dape", 1), ("dape-v2", 3)):
        first, second = numbers(3, 2 * HEADS, 1, size, start=4), numbers(HEADS, 3, 1, size, start=9)
        given = {"first": first, "first_bias": numbers(3, start=2), "second": second,
                 "second_bias": numbers(HEADS, start=6)}  # fmt: skip
        for P in (NEAR, FAR):

            def maps(i, j, P=P):
                """Channels at one pair: zero where the query may not look."""
                if not 0 <= j <= i:
                    return [0] * (2 * HEADS)
                return [content(h, i, j) for h in range(HEADS)] + [-s * (P[i] - P[j]) for s in slope]

            def layer(seen, weight, offset, i, j, size=size):
                around = range(j - size // 2, j + size // 2 + 1)
                return [mp.mpf(b) + mp.fsum(mp.mpf(filters[c][0][n]) * seen(i, key)[c]
                                            for n, key in enumerate(around) for c in range(len(filters)))
                        for filters, b in zip(weight, offset, strict=True)]  # fmt: skip

            def hidden(i, j, given=given, maps=maps, layer=layer):
                if not 0 <= j <= i:
                    return [0] * 3
                return [x if x > 0 else x / 100 for x in layer(maps, given["first"], given["first_bias"], i, j)]

            def score(h, i, j, P=P, given=given, hidden=hidden, layer=layer):
                more = layer(hidden, given["second"], given["second_bias"], i, j)[h]
                return content(h, i, j) - slope[h] * (P[i] - P[j]) + more

            attended(scheme, H | {"mlp_width": 3}, P, score, weights=given)


def content_schemes(slopes: Callable) -> None:
    by_distance(slopes)
    by_vectors()
    read_off_tokens()
