"""Makes ``derived_whole.json``: whole passes of all schemes by the papers' formulas.

Run with ``python tests/golden/derive_whole.py`` where ``mpmath`` is installed (torch brings it). No line of
clockhands is used. What training sets is an input: a vector holds the weights that it was computed with.
"""

from __future__ import annotations

import json
from pathlib import Path

import mpmath as mp
from derive import PI, by_turns, rope, slopes, yarn
from derive_biases import by_distance, by_vectors
from derive_embedded import embedded_schemes
from derive_tokens import adapted, mirrors, read_off_tokens
from passing import (
    AXES,
    DIM,
    FAR,
    HEADS,
    NEAR,
    ROOT,
    K,
    Q,
    V,
    attended,
    content,
    dot,
    geometric,
    numbers,
    rotating,
    turned,
    vectors,
    waved,
)

SIZES = {"num_heads": HEADS}
D8 = {"head_dim": DIM}


def rotary(scheme: str, speeds: list, growth=1, **parameters) -> None:
    """Turned queries and keys; the attention factor multiplies both."""
    for position in (NEAR, FAR):
        score = rotating(speeds, position)
        attended(scheme, D8 | parameters, position, lambda h, i, j, s=score: growth**2 * s(h, i, j))


for position in (NEAR, FAR):
    attended("nope", {}, position)

# rotations of plain positions ---------------------------------------------------------------------------
rotary("rope", rope(8))
attended("rope", D8 | {"layout": "interleaved"}, FAR, rotating(rope(8), FAR, "interleaved"))
rotary("rope-linear", [w / 8 for w in rope(8)], factor=8.0)
rotary("ntk", rope(8, 10000 * mp.mpf(4) ** (mp.mpf(8) / 6)), factor=4.0)
for position in (NEAR, FAR):
    grown = 4 * mp.mpf(max(position[-1] + 1, 10)) / 10 - 3
    attended(
        "dynamic-ntk",
        D8 | {"factor": 4.0, "max_position_embeddings": 10},
        position,
        rotating(rope(8, 10000 * grown ** (mp.mpf(8) / 6)), position),
    )
trained = {"original_max_position_embeddings": 64}
rotary("ntk-by-parts", by_turns(8, 10000, 4, 64, 1, 32), factor=4.0, **trained)
rotary("yarn", yarn(8, 10000, 4, 64), mp.log(4) / 10 + 1, factor=4.0, **trained)
rotary("llama3", by_turns(8, 500000, 8, 8192, 1, 4), factor=8.0)
for position in (NEAR, FAR):
    short, long = [1.0, 1.25, 1.5, 2.0], [1.0, 2.0, 4.0, 8.0]
    speeds = [w / by for w, by in zip(rope(8), long if position[-1] >= 64 else short, strict=True)]
    score, growth = rotating(speeds, position), 1 + mp.log(16) / mp.log(64)
    attended(
        "longrope",
        D8 | trained | {"factor": 16.0, "short_factor": short, "long_factor": long},
        position,
        lambda h, i, j, s=score, g=growth: g * s(h, i, j),
    )
rotary("abf", rope(8, 500000))
rotary("proportional", [*rope(8)[:1], 0, 0, 0], moving_share=0.25)
rotary("hope-highfreq", [w if 2 * PI / w < 100 else mp.mpf(0) for w in rope(8)], context=100)
rotary(
    "cope-clipped",
    [w * (1 if i < 1 else (1 + mp.cos(PI * (i - 1) / 2)) / 2) for i, w in enumerate(rope(8))],
    clipped=3,
)
rotary("resonance", [2 * PI / mp.nint(2 * PI / w) for w in rope(8)])
rotary("layered", rope(8, 10000), layer=1, num_layers=4)
alpha = numbers(4, start=2)
for position in (NEAR, FAR):
    # transformers 5.24, Mistral Large 4: exp(alpha) on each speed
    speeds = [w * mp.exp(a) for w, a in zip(rope(8), alpha, strict=True)]
    attended("lerope", D8, position, rotating(speeds, position), weights={"alpha": alpha})

# Hua et al. 2024: sums of the waves that finish a turn in the context; the others stand still
mix = numbers(2, 2, 2, start=1)
for position in (NEAR, FAR):

    def mixed(x, p):
        cos, sin = (
            [mp.fsum(part[n][i] * f(p * w) for n, w in enumerate(rope(8)[:2])) for i in range(2)]
            for part, f in zip(mix, (mp.cos, mp.sin), strict=True)
        )
        return waved(x, [*cos, 1, 1], [*sin, 0, 0])

    attended(
        "fope",
        D8 | {"context": 100},
        position,
        weights={"coefficients": mix},
        score=lambda h, i, j, P=position: dot(mixed(Q[h][i], P[i]), mixed(K[h][j], P[j])) / ROOT,
    )

for position in (NEAR, FAR):
    # Sun et al. 2022: hand i fades by zeta_i ** (distance / 512); summed pair by pair
    def faded(h, i, j, P=position):
        q, k = turned(Q[h][i], [P[i] * w for w in rope(8)]), turned(K[h][j], [P[j] * w for w in rope(8)])
        zeta = [(mp.mpf(2 * n) / 8 + mp.mpf("0.4")) / mp.mpf("1.4") for n in range(4)]
        return (
            mp.fsum(
                z ** (mp.mpf(P[i] - P[j]) / 512) * (q[n] * k[n] + q[n + 4] * k[n + 4])
                for n, z in enumerate(zeta)
            )
            / ROOT
        )

    attended("xpos", D8, position, faded)
    # DeepSeek-V4 in transformers 5.24: values turned at their keys, outputs turned back at their queries
    attended(
        "rope-values",
        D8,
        position,
        rotating(rope(8), position),
        arrives=lambda h, i, j, P=position: turned(V[h][j], [(P[j] - P[i]) * w for w in rope(8)]),
    )
    # transformers 5.24, Ministral 3 and Llama 4: 1 + beta ln(1 + floor(p / L))
    score = rotating(rope(8), position)
    attended(
        "temperature-rope",
        D8 | {"beta": 0.25, "original_max_position_embeddings": 5},
        position,
        lambda h, i, j, P=position, s=score: (1 + mp.log(1 + P[i] // 5) / 4) * s(h, i, j),
    )
    attended(
        "temperature-nope",
        {"beta": 0.25, "floor_scale": 5},
        position,
        lambda h, i, j, P=position: (1 + mp.log(1 + (P[i] + 1) // 5) / 4) * content(h, i, j),
    )

# Gopalakrishnan et al. 2025: lengths are softplus, the query's hand starts at -delta, from -2 pi to 0
delta = [[-abs(each) for each in row] for row in numbers(HEADS, DIM, start=4)]
for position in (NEAR, FAR):
    attended(
        "pope-polar",
        D8 | SIZES,
        position,
        weights={"delta": delta},
        score=lambda h, i, j, P=position: (
            mp.fsum(
                mp.log(1 + mp.exp(mp.mpf(Q[h][i][c])))
                * mp.log(1 + mp.exp(mp.mpf(K[h][j][c])))
                * mp.cos((P[j] - P[i]) * w + delta[h][c])
                for c, w in enumerate(geometric(DIM))
            )
            / ROOT
        ),
    )

# Zhang et al. 2025: exp(n omega (a b^T - b a^T)) by the exponential of a matrix
a, b, log_omega = numbers(1, DIM, start=2), numbers(1, DIM, start=9), [-1.5]
L = mp.matrix([[mp.mpf(x) * y for y in b[0]] for x in a[0]])
L = (L - L.T) * mp.exp(log_omega[0])
position = [0, 1, 3, 14, 60]
turns = [mp.expm(p * L) for p in position]
attended(
    "grape",
    D8,
    position,
    weights={"a": a, "b": b, "log_omega": log_omega},
    score=lambda h, i, j: dot(turns[i] * mp.matrix(Q[h][i]), turns[j] * mp.matrix(K[h][j])) / ROOT,
)

# rotations of several axes -----------------------------------------------------------------------------
PAIRS = [each[:2] for each in AXES]


def on_axes(scheme: str, parameters: dict, position: list, speeds: list, axes: list, layout: str) -> None:
    """Each hand reads one axis."""

    def score(h, i, j):
        q, k = (
            turned(x[h][t], [position[t][axis] * w for w, axis in zip(speeds, axes, strict=True)], layout)
            for x, t in ((Q, i), (K, j))
        )
        return dot(q, k) / ROOT

    attended(scheme, D8 | parameters, position, score, causal=False)


on_axes("axial-2d", {}, PAIRS, 2 * rope(4, 100), [0, 0, 1, 1], "half")
on_axes("axial-3d", {"widths": [4, 2, 2]}, AXES, [*rope(4), 1, 1], [0, 0, 1, 2], "interleaved")
on_axes("mrope", {"mrope_section": [1, 2, 1], "rope_theta": 1e6}, AXES, rope(8, 10**6), [0, 1, 1, 2], "half")
on_axes(
    "mrope-interleaved",
    {"mrope_section": [2, 1, 1], "rope_theta": 5e6},
    AXES,
    rope(8, 5 * 10**6),
    [0, 1, 2, 0],
    "half",
)
speeds = numbers(2, HEADS, 4, start=5)


def both(x, h, p):
    return turned(
        x, [p[0] * mp.mpf(speeds[0][h][n]) + p[1] * mp.mpf(speeds[1][h][n]) for n in range(4)], "interleaved"
    )


attended(
    "rope-mixed",
    D8 | SIZES,
    PAIRS,
    weights={"speeds": speeds},
    causal=False,
    score=lambda h, i, j: dot(both(Q[h][i], h, PAIRS[i]), both(K[h][j], h, PAIRS[j])) / ROOT,
)
steps = [mp.mpf(1), mp.mpf("0.5"), mp.mpf("0.25")]
walked = [dot(steps, counts) for counts in AXES]
attended(
    "tagged", D8 | {"tags": ["n", "v", "x"], "sensitivity": [1.0, 0.5, 0.25]}, AXES, rotating(rope(8), walked)
)


def blockwise(generator, axes):
    """``exp(sum over axes of p A)`` of each of two blocks of four, for one head after the other."""

    def block_turned(x, h, p):
        result = []
        for block in range(2):
            exponent = mp.matrix(4)
            for axis in range(axes):
                exponent += p[axis] * generator(axis, h, block) / 14
            result += list(mp.expm(exponent) * mp.matrix(x[4 * block : 4 * block + 4]))
        return result

    return lambda h, i, j: dot(block_turned(Q[h][i], h, PAIRS[i]), block_turned(K[h][j], h, PAIRS[j])) / ROOT


upper = numbers(2, HEADS, 2, 6, start=7)


def of_upper(axis, h, block):
    made, order = mp.matrix(4), iter(upper[axis][h][block])
    for row in range(4):
        for column in range(row + 1, 4):
            made[row, column] = mp.mpf(next(order))
    return made - made.T


attended("liere", D8 | SIZES, PAIRS, blockwise(of_upper, 2), weights={"upper": upper}, causal=False)
raw, factors = numbers(HEADS, 2, 4, 4, start=8), numbers(2, 2, start=3)


def of_raw(axis, h, block):
    made = mp.matrix(raw[h][block])
    return (made - made.T) * mp.mpf(factors[axis][block])


attended(
    "comrope", D8 | SIZES, PAIRS, blockwise(of_raw, 2), weights={"raw": raw, "factors": factors}, causal=False
)

# distances changed at inference -------------------------------------------------------------------------


def remapped(scheme: str, parameters: dict, distance) -> None:
    """Turned by ``distance(m, n)``; None where a query does not see."""
    for position in (NEAR, FAR):

        def score(h, i, j, P=position):
            apart = distance(P[i], P[j])
            if apart is None:
                return None
            return dot(turned(Q[h][i], [apart * w for w in rope(8)]), K[h][j]) / ROOT

        attended(scheme, D8 | parameters, position, score)


remapped("rerope", {"window": 5}, lambda m, n: min(m - n, 5))
remapped("rerope", {"window": 5, "factor": 4}, lambda m, n: m - n if m - n < 5 else 5 + mp.mpf(m - n - 5) / 4)
remapped(
    "self-extend",
    {"window": 5, "group_size": 2},
    lambda m, n: m - n if m - n < 5 else m // 2 - n // 2 + 5 - 5 // 2,
)
remapped(
    "dual-chunk",
    {"original_max_position_embeddings": 8, "chunk_size": 6},
    lambda m, n: (m % 6 if m // 6 == n // 6 else min(m % 6 + 6, 7) if m // 6 == n // 6 + 1 else 7) - n % 6,
)
remapped(
    "streaming",
    {"sinks": 2, "window": 5},
    lambda m, n: m - n if m - n < 5 else min(m, 6) - n if n < 2 else None,
)
remapped("string-shift", {"shift": 5, "local": 2}, lambda m, n: m - n if m - n < 5 else m - n - 5 + 2)
remapped(
    "lm-infinite",
    {"global_branch": 2, "window": 5},
    lambda m, n: m - n if m - n < 5 else 5 if n < 2 else None,
)

embedded_schemes()
by_distance(slopes)
by_vectors()
read_off_tokens()
mirrors()
adapted()

if __name__ == "__main__":
    Path(__file__).with_name("derived_whole.json").write_text(
        json.dumps(
            {
                "format": "clockhands.golden",
                "version": 2,
                "made_by": f"derive_whole.py, mpmath {mp.__version__}",
                "vectors": vectors,
            }
        )
        + "\n",
        encoding="ascii",
    )
