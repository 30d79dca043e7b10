"""Whole passes of biases by distance and of relative vectors; run by ``derive_whole.py``."""

from __future__ import annotations

from collections.abc import Callable

import mpmath as mp
from derive import rope
from passing import (
    DIM,
    FAR,
    HEADS,
    NEAR,
    ROOT,
    WIDTH,
    K,
    Q,
    V,
    attended,
    content,
    dot,
    numbers,
    plus,
    sigmoid,
    times,
)

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
    biased(
        "t5",
        H | {"num_buckets": 8, "max_distance": 12},
        lambda h, m, n: mp.mpf(table[t5_row(m, n, 8, 12)][h]),
        weights={"weights": table},
    )
    biased("alibi-hard", H | {"num_masked_heads": 1}, lambda h, m, n: 0 if h or m - n <= 0 else None)
    biased("retnet-decay", H, lambda h, m, n: (m - n) * mp.log(1 - mp.mpf(2) ** (-5 - h)))
    biased(
        "sandwich",
        H | {"sinusoid_dim": 8},
        lambda h, m, n: (
            mp.mpf(HEADS)
            / (8 * (h + 1))
            * mp.fsum(mp.cos((m - n) * mp.mpf(10000) ** (-mp.mpf(2 * i) / 8)) for i in range(1, 5))
        ),
    )
    r1, r2 = [0.5, 2.0], [1.5, 0.25]
    biased(
        "kerple-log",
        H,
        lambda h, m, n: -r1[h] * mp.log(1 + r2[h] * mp.mpf(m - n)),
        weights={"r1": r1, "r2": r2},
    )
    biased(
        "kerple-power",
        H,
        lambda h, m, n: -r1[h] * mp.mpf(m - n) ** mp.mpf(r2[h]),
        weights={"r1": r1, "r2": r2},
    )
    units = numbers(3, 2 + HEADS, start=4)

    def fire(h, m, n):
        psi = [mp.log(1 + mp.mpf(0.5) * x) for x in (m - n, max(m, 1.5 * 6))]
        return curves(units, psi[0] / (psi[1] + mp.mpf(1e-6)), h)

    biased(
        "fire",
        H | {"width": 3, "threshold": 6.0},
        fire,
        weights={"units": units, "c": 0.5, "multiplier": 1.5},
    )
    offsets = numbers(29, HEADS, start=7)
    biased(
        "swin-table",
        H | {"window_size": 15},
        lambda h, m, n: mp.mpf(offsets[m - n + 14][h]),
        (NEAR,),
        weights={"weights": offsets},
        causal=False,
    )

    def bounded(h, m, n):
        x = mp.sign(m - n) * mp.log(1 + mp.mpf(8 * abs(m - n)) / 7) / mp.log(8)
        return 16 * sigmoid(curves(units, x, h))

    biased("swin-cpb", H | {"window_size": 8, "width": 3}, bounded, weights={"units": units}, causal=False)


def by_vectors() -> None:
    """Vectors of distances, met by queries, keys or values."""
    keys, values = numbers(9, DIM, start=2), numbers(9, DIM, start=8)
    maps = {
        "key": numbers(HEADS, DIM, WIDTH, start=3),
        "query": numbers(HEADS, DIM, WIDTH, start=10),
        "query_bias": numbers(HEADS, DIM, start=6),
    }
    first, second = numbers(HEADS, DIM, start=1), numbers(HEADS, DIM, start=5)
    W = numbers(HEADS, DIM, WIDTH, start=9)
    for P in (NEAR, FAR):

        def row(i, j, P=P):
            return min(max(P[j] - P[i], -4), 4) + 4

        attended(
            "shaw",
            {"head_dim": DIM, "clip": 4},
            P,
            causal=False,
            score=lambda h, i, j, r=row: dot(Q[h][i], plus(K[h][j], keys[r(i, j)])) / ROOT,
            arrives=lambda h, i, j, r=row: plus(V[h][j], values[r(i, j)]),
            weights={"on_keys": keys, "on_values": values},
        )

        def xl(h, i, j, P=P):
            R = [f((P[i] - P[j]) * w) for f in (mp.sin, mp.cos) for w in rope(WIDTH)]
            return (
                dot(plus(Q[h][i], first[h]), K[h][j]) + dot(plus(Q[h][i], second[h]), times(W[h], R))
            ) / ROOT

        attended("transformer-xl", SIZES, P, xl, weights={"u": first, "v": second, "weight": W}, causal=False)
        for scheme, parameters, count, row_of in (
            ("deberta", {"max_relative_positions": 6}, 12, lambda r: deberta_row(r, 6)),
            (
                "deberta-v3",
                {"position_buckets": 6, "max_relative_positions": 40},
                12,
                lambda r: deberta_v3_row(r, 6, 40),
            ),
        ):
            vectors = numbers(count, WIDTH, start=4)

            def disentangled(h, i, j, P=P, vectors=vectors, row_of=row_of):
                vector = vectors[row_of(P[i] - P[j])]
                position_key = times(maps["key"][h], vector)
                position_query = plus(times(maps["query"][h], vector), maps["query_bias"][h])
                met = dot(Q[h][i], K[h][j]) + dot(Q[h][i], position_key) + dot(K[h][j], position_query)
                return met / mp.sqrt(3 * DIM)

            attended(
                scheme, SIZES | parameters, P, disentangled, weights=maps | {"vectors": vectors}, causal=False
            )

        def ricker(apart):
            made = []
            for n in range(DIM):  # widths 1 … 128, one of each: a head of 8 has no room for shifts
                t = mp.mpf(apart) / 2**n
                made.append((1 - t * t) * mp.exp(-t * t / 2))
            return made

        attended(
            "wavelet",
            {"head_dim": DIM},
            P,
            causal=False,
            score=lambda h, i, j, P=P: dot(Q[h][i], plus(K[h][j], ricker(P[i] - P[j]))) / ROOT,
        )
    places = numbers(15, WIDTH, start=6)

    def tupe(h, i, j):
        met = dot(times(maps["query"][h], places[NEAR[i]]), times(maps["key"][h], places[NEAR[j]]))
        return (dot(Q[h][i], K[h][j]) + met) / mp.sqrt(2 * DIM)

    attended(
        "tupe",
        SIZES | {"max_positions": 15},
        NEAR,
        tupe,
        causal=False,
        weights={"positions": places, "query": maps["query"], "key": maps["key"]},
    )
