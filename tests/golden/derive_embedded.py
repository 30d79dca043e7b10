"""Rows added to the tokens, and where tokens stand; run by ``derive_whole.py``."""

from __future__ import annotations

import mpmath as mp
from derive import PI, rope
from passing import FAR, NEAR, WIDTH, add, embedded, numbers, plus, sinusoid, times


def embedded_schemes() -> None:
    D16 = {"d_model": WIDTH}
    for position in (NEAR, FAR):
        waves = [sinusoid(p) for p in position]
        for scheme in ("sinusoidal", "shape", "randomised", "cape"):  # at test the last three are the first
            embedded(scheme, D16, position, waves)
        bits = [[p >> j & 1 for j in range(WIDTH)] for p in position]
        embedded("binary", D16, position, bits)
        embedded("gray", D16, position, [[(p ^ p >> 1) >> j & 1 for j in range(WIDTH)] for p in position])
        hands = [(1 - mp.mpf("0.99") * i / 7) / 2 + w / 2 for i, w in enumerate(rope(WIDTH))]
        embedded(
            "mixed", D16, position, [[f(p * w) for w in hands for f in (mp.sin, mp.cos)] for p in position]
        )
    embedded("one-hot", D16, NEAR, [[int(p == column) for column in range(WIDTH)] for p in NEAR])
    rows = numbers(15, WIDTH, start=6)
    for scheme in ("learned", "abacus", "position-coupling"):
        embedded(scheme, D16 | {"max_positions": 15}, NEAR, [rows[p] for p in NEAR], rows=rows)

    # Li et al. 2021: GELU of a layer over cosines and sines, and a layer over that; GELU in its tanh form
    net = {
        "frequencies": numbers(3, start=1),
        "hidden": numbers(6, 4, start=2),
        "hidden_bias": numbers(4, start=5),
        "output": numbers(4, WIDTH, start=9),
        "bias": numbers(WIDTH, start=10),
    }
    for position in (NEAR, FAR):
        rows = []
        for p in position:
            features = [f(p * mp.mpf(w)) / mp.sqrt(6) for f in (mp.cos, mp.sin) for w in net["frequencies"]]
            met = plus(times(zip(*net["hidden"], strict=True), features), net["hidden_bias"])
            units = [x / 2 * (1 + mp.tanh(mp.sqrt(2 / PI) * (x + mp.mpf("0.044715") * x**3))) for x in met]
            rows.append(plus(times(zip(*net["output"], strict=True), units), net["bias"]))
        embedded("fourier", D16 | {"features": 6, "hidden": 4}, position, rows, **net)

    # where tokens stand -------------------------------------------------------------------------------------
    TEXT = list("950+38=889")
    digits = [1, 2, 3, 0, 1, 2, 0, 1, 2, 3]  # McLeish et al. 2024: along each number
    coupled = [
        2,
        3,
        4,
        5,
        3,
        4,
        5,
        4,
        3,
        2,
    ]  # Cho et al. 2024: units of all numbers at 4, the answer reversed
    for scheme, places in (("abacus", digits), ("position-coupling", coupled)):
        given = {"max_positions": 20, "max_offset": 9}
        add(scheme, "places", D16 | given, places, text=TEXT)
        add(scheme, "places", D16 | given, [p + 5 if p else 0 for p in places], text=TEXT, drawn=[0.5])
    add(
        "shape", "places", {"max_shift": 500}, [p + 125 for p in FAR], position=FAR, drawn=[0.25]
    )  # floor(501 / 4)
    # slots of the three largest, in order
    add(
        "randomised",
        "places",
        {"max_length": 6},
        [1, 2, 5],
        position=[0, 1, 2],
        drawn=[0.25, 0.75, 0.5, 0.125, 0.0, 0.875],
    )
    drawn = [0.75, 0.0, 1.0, 0.5, 0.25, 0.75, 0.25]
    add(
        "cape",
        "places",
        {},
        [
            (p + 5 * (2 * mp.mpf(drawn[0]) - 1) + (2 * mp.mpf(u) - 1) / 2)
            * mp.power(mp.mpf(1.03), 2 * mp.mpf(drawn[-1]) - 1)
            for p, u in zip(NEAR, drawn[1:-1], strict=True)
        ],
        position=NEAR,
        drawn=drawn,
    )
