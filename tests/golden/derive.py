"""Makes ``derived.json``: golden vectors derived from the papers' formulas, without a line of clockhands.

Run with ``python tests/golden/derive.py`` where ``mpmath`` is installed (torch brings it). Numbers are
computed one by one with 40 digits, in plain loops, and written as the nearest float64.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import mpmath as mp

mp.mp.dps = 40
PI = mp.pi
POSITIONS = [0, 1, 2, 17, 300, 100_000]
DISTANCES = [0, 1, 2, 3, 5, 16, 31, 64, 127, 128, 1000]

vectors: list[dict] = []


def add_to(vectors: list, scheme: str, quantity: str, parameters: dict, output, **inputs) -> None:
    number = sum(each["scheme"] == scheme and each["quantity"] == quantity for each in vectors) + 1
    vectors.append({
        "name": f"{scheme}/{quantity}/{number}", "scheme": scheme, "parameters": parameters,
        "quantity": quantity, "inputs": inputs, "output": plain(output),
    })  # fmt: skip


add = partial(add_to, vectors)


def plain(value):
    if isinstance(value, list):
        return [plain(each) for each in value]
    return None if value is None else float(value)


def base_power(base, exponent) -> mp.mpf:
    return mp.mpf(base) ** (-mp.mpf(exponent))


def rope(d: int, base=10000) -> list[mp.mpf]:
    """Su et al. 2021, section 3.2.2: theta_i = base ** (-2 (i - 1) / d), i from 1."""
    return [base_power(base, mp.mpf(2 * (i - 1)) / d) for i in range(1, d // 2 + 1)]


# sinusoids: Vaswani et al. 2017, section 3.5; tensor2tensor; timm --------------------------------------
for d in (6, 7, 32):
    rows = []
    for p in POSITIONS:
        row = []
        for column in range(d):
            angle = p / mp.mpf(10000) ** (mp.mpf(2 * (column // 2)) / d)
            row.append(mp.sin(angle) if column % 2 == 0 else mp.cos(angle))
        rows.append(row)
    add("sinusoidal", "table", {"d_model": d}, rows, position=POSITIONS)
rows = []
for p in POSITIONS:
    step = mp.log(10000) / (8 // 2 - 1)
    angles = [p * mp.exp(-i * step) for i in range(4)]
    rows.append([mp.sin(a) for a in angles] + [mp.cos(a) for a in angles])
add("sinusoidal", "table", {"d_model": 8, "arrangement": "concatenated", "exponent": "i/(d/2-1)"}, rows,
    position=POSITIONS)  # fmt: skip
rows = []
for p in POSITIONS:
    pairs = [(mp.cos(p * w), mp.sin(p * w)) for w in rope(8)]
    rows.append([number for pair in pairs for number in pair])
add("sinusoidal", "table", {"d_model": 8, "first": "cos"}, rows, position=POSITIONS)

# rotary frequencies ------------------------------------------------------------------------------------
for d, base in ((8, 10000), (64, 10000), (128, 1000000)):
    add("rope", "inv_freq", {"head_dim": d, "rope_theta": base}, rope(d, base))
add("rope", "inv_freq", {"head_dim": 96, "partial_rotary_factor": 0.25}, rope(24))
add("abf", "inv_freq", {"head_dim": 128}, rope(128, 500000))
add("rope-linear", "inv_freq", {"head_dim": 64, "factor": 8.0}, [w / 8 for w in rope(64)])
for factor in (2, 16):
    stretched = mp.mpf(10000) * mp.mpf(factor) ** (mp.mpf(128) / 126)
    add("ntk", "inv_freq", {"head_dim": 128, "factor": float(factor)}, rope(128, stretched))
for length in (100, 4096, 4097, 8192, 100_000):
    grown = 2 * mp.mpf(max(length, 4096)) / 4096 - 1
    add("dynamic-ntk", "inv_freq", {"head_dim": 128, "factor": 2.0, "max_position_embeddings": 4096},
        rope(128, 10000 * grown ** (mp.mpf(128) / 126)), length=length)  # fmt: skip


def by_turns(d, base, factor, trained, few, many) -> list[mp.mpf]:
    speeds = []
    for w in rope(d, base):
        wavelength = 2 * PI / w
        turns = trained / wavelength
        if turns < few:
            speeds.append(w / factor)
        elif turns > many:
            speeds.append(w)
        else:
            share = (turns - few) / (many - few)
            speeds.append((1 - share) * w / factor + share * w)
    return speeds


add("ntk-by-parts", "inv_freq", {"head_dim": 128, "factor": 16.0, "original_max_position_embeddings": 4096},
    by_turns(128, 10000, 16, 4096, 1, 32))  # fmt: skip
for d, factor in ((128, 8), (64, 32)):
    add(
        "llama3",
        "inv_freq",
        {"head_dim": d, "factor": float(factor)},
        by_turns(d, 500000, factor, 8192, 1, 4),
    )


def yarn(d, base, factor, trained, truncate=True) -> list[mp.mpf]:
    """As the authors' code ramps: over the number of the pair."""
    ends = [d * mp.log(trained / (turns * 2 * PI)) / (2 * mp.log(base)) for turns in (32, 1)]
    if truncate:
        ends = [mp.floor(ends[0]), mp.ceil(ends[1])]
    low, high = max(ends[0], 0), min(ends[1], d - 1)
    speeds = []
    for i, w in enumerate(rope(d, base)):
        ramp = min(max((i - low) / (high - low), 0), 1)
        speeds.append(w / factor * ramp + w * (1 - ramp))
    return speeds


for d, base, factor, trained, truncate in (
    (128, 10000, 16, 4096, True), (128, 1000000, 4, 32768, True), (64, 150000, 32, 4096, False),
    (64, 10000, 2048, 512, True),
):  # fmt: skip
    given = {
        "head_dim": d, "rope_theta": base, "factor": float(factor),
        "original_max_position_embeddings": trained, "truncate": truncate,
    }  # fmt: skip
    add("yarn", "inv_freq", given, yarn(d, base, factor, trained, truncate))
    add("yarn", "attention_factor", given, mp.log(factor) / 10 + 1)
deepseek = {"factor": 40.0, "mscale": 0.707, "mscale_all_dim": 1.0}
add(
    "yarn",
    "attention_factor",
    deepseek,
    (mp.mpf("0.0707") * mp.log(40) + 1) / (mp.mpf("0.1") * mp.log(40) + 1),
)
given = {"head_dim": 8, "short_factor": [1.0, 1.1, 1.2, 1.3], "long_factor": [1.0, 2.0, 4.0, 8.0]}
for length, divisors in ((2048, given["short_factor"]), (2049, given["long_factor"])):
    add("longrope", "inv_freq", given,
        [w / mp.mpf(str(by)) for w, by in zip(rope(8), divisors, strict=True)], length=length)  # fmt: skip
add("longrope", "attention_factor", {"factor": 32.0, "original_max_position_embeddings": 4096},
    mp.sqrt(1 + mp.log(32) / mp.log(4096)))  # fmt: skip
add("proportional", "inv_freq", {"head_dim": 512, "rope_theta": 1000000, "moving_share": 0.25},
    rope(512, 1000000)[:64] + [mp.mpf(0)] * 192)  # fmt: skip
add("hope-highfreq", "inv_freq", {"head_dim": 128, "context": 4096},
    [w if 2 * PI / w < 4096 else mp.mpf(0) for w in rope(128)])  # fmt: skip
tapered = rope(128)
for step in range(20):
    tapered[44 + step] *= (1 + mp.cos(PI * step / 19)) / 2
add("cope-clipped", "inv_freq", {"head_dim": 128, "clipped": 20}, tapered)
add("resonance", "inv_freq", {"head_dim": 64}, [2 * PI / mp.nint(2 * PI / w) for w in rope(64)])
add("mixed", "inv_freq", {"d_model": 32},
    [(mp.mpf(1) - mp.mpf("0.99") * i / 15) / 2 + w / 2 for i, w in enumerate(rope(32))])  # fmt: skip
for layer in range(4):
    add(
        "layered",
        "inv_freq",
        {"head_dim": 8, "layer": layer, "num_layers": 4},
        rope(8, mp.mpf(10) ** (3 + layer)),
    )

# turning: complex numbers ------------------------------------------------------------------------------
for layout in ("half", "interleaved"):
    d, x, turned = 8, [], []
    for number, p in enumerate(POSITIONS):
        row = [mp.mpf((7 * number + 3 * i) % 11 - 5) / 4 for i in range(d)]
        new = [mp.mpf(0)] * d
        for pair, w in enumerate(rope(d)):
            a, b = (pair, pair + d // 2) if layout == "half" else (2 * pair, 2 * pair + 1)
            hand = mp.mpc(row[a], row[b]) * mp.expj(p * w)
            new[a], new[b] = hand.real, hand.imag
        x.append(plain(row))
        turned.append(new)
    add("rope", "rotated", {"head_dim": d, "layout": layout}, turned, position=POSITIONS, x=x)


# biases ------------------------------------------------------------------------------------------------
def slopes(heads: int) -> list[mp.mpf]:
    """Press et al. 2022: a geometric sequence, for other counts that of the power below and more."""
    power = 1
    while 2 * power <= heads:
        power *= 2
    own = [mp.mpf(2) ** (-mp.mpf(8 * (h + 1)) / power) for h in range(power)]
    between = [mp.mpf(2) ** (-mp.mpf(8 * (h + 1)) / (2 * power)) for h in range(0, 2 * power, 2)]
    return own + between[: heads - power]


for heads in (1, 4, 6, 12, 40, 112):
    add("alibi", "bias", {"num_heads": heads}, [[-s * k for k in DISTANCES] for s in slopes(heads)],
        distance=DISTANCES)  # fmt: skip

for heads, masked in ((12, 8), (4, 2)):
    # Jelassi et al. 2024 and its code: head i of the masked ones sees distances 0 … i; None: not at all
    seen = [[0 if i >= masked or k <= i else None for k in DISTANCES] for i in range(heads)]
    add("alibi-hard", "bias", {"num_heads": heads, "num_masked_heads": masked}, seen, distance=DISTANCES)
for heads in (4, 40):
    # Sun et al. 2023: gamma = 1 - 2 ** (-5 - arange(heads)), to the power of the distance
    fading = [[k * mp.log(1 - mp.mpf(2) ** (-5 - h)) for k in DISTANCES] for h in range(heads)]
    add("retnet-decay", "bias", {"num_heads": heads}, fading, distance=DISTANCES)
for heads, width in ((12, 128), (3, 8)):
    # Chi et al. 2023: cosines with i = 1 … d / 2, divided by 8 h / H in head h = 1 … H
    sums = [sum(mp.cos(k * base_power(10000, mp.mpf(2 * i) / width)) for i in range(1, width // 2 + 1))
            for k in DISTANCES]  # fmt: skip
    add("sandwich", "bias", {"num_heads": heads, "sinusoid_dim": width},
        [[each * heads / (8 * h) for each in sums] for h in range(1, heads + 1)],
        distance=DISTANCES)  # fmt: skip
# Chi et al. 2022: -r1 ln(1 + r2 k) and -r1 k ** r2
ROWS = [[1.0, 0.25, 2.0], [1.0, 0.5, 0.03125]]
add("kerple-log", "bias", {"num_heads": 3, "numbers": ROWS},
    [[-r1 * mp.log(1 + mp.mpf(r2) * k) for k in DISTANCES] for r1, r2 in zip(*ROWS, strict=True)],
    distance=DISTANCES)  # fmt: skip
add("kerple-power", "bias", {"num_heads": 3, "numbers": ROWS},
    [[-r1 * mp.mpf(k) ** mp.mpf(r2) for k in DISTANCES] for r1, r2 in zip(*ROWS, strict=True)],
    distance=DISTANCES)  # fmt: skip
# Li et al. 2024: units of (weight, offset, share in each head) over ln(1 + c k) / (ln(1 + c L) + 1e-6)
UNITS = [[1.0, 0.0, 2.0, -0.5], [-1.0, 0.75, 0.25, 1.0], [2.0, -0.5, -1.0, 0.125]]
shares = [mp.log(1 + mp.mpf(0.1) * k) / (mp.log(1 + mp.mpf(0.1) * 1000) + mp.mpf(1e-6)) for k in DISTANCES]
add("fire", "bias", {"num_heads": 2, "width": 3, "threshold": 1000.0, "numbers": UNITS},
    [[sum(unit[2 + h] * max(mp.mpf(0), unit[0] * x + unit[1]) for unit in UNITS) for x in shares]
     for h in range(2)], distance=DISTANCES)  # fmt: skip
# Liu et al. 2022 and its code: 16 sigmoid of units over log2(1 + 8 k / (M - 1)) / log2(8)
spaced = [mp.log(1 + mp.mpf(8 * k) / 7) / mp.log(8) for k in DISTANCES]
add("swin-cpb", "bias", {"num_heads": 2, "width": 3, "window_size": 8, "numbers": UNITS},
    [[16 / (1 + mp.exp(-sum(unit[2 + h] * max(mp.mpf(0), unit[0] * x + unit[1]) for unit in UNITS)))
      for x in spaced] for h in range(2)], distance=DISTANCES)  # fmt: skip

if __name__ == "__main__":
    made = {"format": "clockhands.golden", "version": 1, "made_by": f"derive.py, mpmath {mp.__version__}"}
    Path(__file__).with_name("derived.json").write_text(
        json.dumps(made | {"vectors": vectors}, indent=1) + "\n", encoding="ascii"
    )
