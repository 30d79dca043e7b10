"""What each public bug around frequencies and rotations got wrong, as a check of any implementation.

Each check takes the implementation and raises AssertionError if it has the fault: ``test_known_bugs.py``
gives it ours, ``test_planted_bugs.py`` one that has the bug.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor

from clockhands.catalogue import describe
from clockhands.core.attend import enter
from clockhands.core.encoding import Encoding
from clockhands.errors import ClockhandsError
from clockhands.formulas import default_inv_freq, rotate

Array = NDArray[np.float64]
Maker = Callable[..., Encoding]


def cosines(scheme: Any, ids: Tensor) -> Tensor:
    return scheme.table(ids)[0]


def turned(scheme: Encoding, x: Tensor, ids: Tensor) -> Tensor:
    _, (placed,) = enter([scheme], torch.zeros(x.shape[0], x.shape[2], 1), ids)
    return scheme.queries(x, placed.table)


def refuses(call: Callable[..., Any], match: str, **given: Any) -> None:
    """A sentence that holds ``match``, and nothing else."""
    said = ""
    try:
        call(**given)
    except ClockhandsError as error:
        said = str(error)
    assert match in said


def exactly(width: int, position: int) -> Tensor:
    """A head of ones, turned in float64."""
    angle = position * default_inv_freq(width)
    return torch.tensor(rotate(np.ones(width), np.cos(angle), np.sin(angle), "half"))


# --- layout


def layouts_differ_as_published(rotated: Callable[..., Array]) -> None:
    x, cos, sin = np.asarray([1.0, 2, 3, 4]), np.cos([1, 0.01]), np.sin([1, 0.01])
    half, pairs = rotated(x, cos, sin, "half"), rotated(x, cos, sin, "interleaved")
    np.testing.assert_allclose(half, [-1.98411, 1.95990, 2.46238, 4.01980], atol=5e-6)
    np.testing.assert_allclose(pairs, [-1.14264, 1.92208, 2.95985, 4.02980], atol=5e-6)
    y = np.asarray([0.5, -2.0, 1.5, 3.0])
    permuted = rotated(x[[0, 2, 1, 3]], cos, sin, "interleaved") @ y[[0, 2, 1, 3]]
    assert rotated(x, cos, sin, "half") @ y == pytest.approx(permuted)


def key_rows_follow_key_heads(relayout: Callable[..., Mapping[str, Tensor]]) -> None:
    rows = {"q_proj.weight": torch.arange(32), "k_proj.weight": torch.arange(8)}
    moved = relayout(rows, "interleaved", "half", head_dim=4)
    assert moved["k_proj.weight"].tolist() == [0, 2, 1, 3, 4, 6, 5, 7]
    assert moved["q_proj.weight"].tolist() == [4 * head + row for head in range(8) for row in (0, 2, 1, 3)]


def layouts_differ_away_from_zero(make: Maker, position: int) -> None:
    x = torch.arange(1.0, 9.0).view(1, 1, 1, 8)
    half, pairs = make(head_dim=8), make(head_dim=8, layout="interleaved")
    ids = torch.tensor([[position]])
    torch.testing.assert_close(turned(half, x, 0 * ids), x)
    assert position == 0 or (turned(half, x, ids) - turned(pairs, x, ids)).abs().max() > 0.5


# --- precision and casts


def survives_casts(make: Maker, dtype: torch.dtype) -> None:
    ids = torch.arange(2048)[None]
    before, after = make(head_dim=64), make(head_dim=64).to(dtype).float()
    assert torch.equal(cosines(before, ids), cosines(after, ids))


def is_exact_after_a_cast(make: Maker, dtype: torch.dtype) -> None:
    ids = torch.arange(2048)[None]
    exact = (ids[0, :, None] * torch.tensor(default_inv_freq(64))).cos()
    assert (cosines(make(head_dim=64).to(dtype), ids)[0] - exact).abs().max() < 1e-9


def survives_the_meta_device(make: Maker) -> None:
    ids = torch.tensor([[0, 1, 17, 1000]])
    scheme = make(head_dim=64).to("meta").to_empty(device="cpu")
    assert torch.equal(cosines(scheme, ids), cosines(make(head_dim=64), ids))


def table_is_cast_last(make: Maker, dtype: torch.dtype) -> None:
    cos = cosines(make(head_dim=32).to(dtype), torch.tensor([[1857]]))[0, 0, 1]
    assert cos.item() == pytest.approx(math.cos(1044.268), abs=1e-3)


def frequencies_stay_wide(make: Maker, position: int) -> None:
    exact = torch.tensor(default_inv_freq(128))
    ids, scheme = torch.tensor([[position]]), make(head_dim=128).bfloat16()
    with torch.autocast("cpu", torch.bfloat16):
        cos = cosines(scheme, ids)
    torch.testing.assert_close(cos[0, 0], (exact * position).cos())


def positions_stay_whole(make: Maker) -> None:
    position = torch.tensor([[15962]])
    x = torch.ones(1, 1, 1, 64, dtype=torch.bfloat16)
    exact = exactly(64, 15962)
    assert (turned(make(head_dim=64), x, position) - exact).abs().max() < 0.008
    assert (turned(make(head_dim=64), x.half(), position) - exact).abs().max() < 0.001


def narrow_tokens_know_all_positions(make: Maker) -> None:
    made, _ = enter([make(d_model=64)], torch.zeros(1, 4096, 64, dtype=torch.bfloat16))
    exact = describe("sinusoidal", d_model=64).table(np.arange(4096))
    assert np.abs(made[0].double().numpy() - exact).max() < 2**-8


def narrow_queries_turn_right_far_out(make: Maker) -> None:
    ids = torch.tensor([[262_143, 262_144]])
    x = torch.ones(1, 1, 2, 128)
    exact = torch.stack([exactly(128, position) for position in ids[0].tolist()])
    for dtype, most in ((torch.float32, 1e-6), (torch.float16, 1e-3), (torch.bfloat16, 8e-3)):
        assert (turned(make(head_dim=128), x.to(dtype), ids) - exact).abs().max() < most


def every_dtype_is_its_own_call(make: Maker) -> None:
    scheme = make(d_model=8)
    for dtype in (torch.float32, torch.float16, torch.float64):
        made, _ = enter([scheme], torch.zeros(1, 5, 8, dtype=dtype))
        assert made.dtype == dtype


# --- dynamic NTK


def history_leaves_no_trace(make: Maker) -> None:
    scheme = make(head_dim=64, factor=4.0, max_position_embeddings=2048)
    for length in (4096, 2048, 1024):
        ids = torch.arange(length)[None]
        fresh = cosines(make(head_dim=64, factor=4.0, max_position_embeddings=2048), ids)
        cosines(scheme, torch.arange(8192)[None])
        assert torch.equal(cosines(scheme, ids), fresh)


def rows_have_their_own_length(make: Maker) -> None:
    short, long = torch.arange(16), torch.arange(8000, 8016)
    scheme = make(head_dim=64, factor=4.0, max_position_embeddings=2048)
    assert torch.equal(cosines(scheme, short[None])[0], cosines(scheme, torch.stack((short, long)))[0])


def dynamic_base_grows(inv_freq_at: Callable[[int], Any]) -> None:
    """Of head_dim 64, factor 4 and 2048 trained tokens."""
    for length, grown in ((2048, 1), (4096, 5), (8192, 13)):
        base = inv_freq_at(length)[1] ** -32
        assert (base / 1e4) ** (62 / 64) == pytest.approx(grown)


def turns_past_the_trained_length(make: Maker) -> None:
    """Trained on 2048 tokens."""
    scheme, x = make(head_dim=64, factor=4.0), torch.ones(1, 1, 1, 64)
    for position in (2047, 2048, 2049, 10_000_000):
        assert (turned(scheme, x, torch.tensor([[position]])) - x).abs().max() > 0.1


# --- YaRN


def mscale_makes_the_magnitude(magnitude: Callable[..., float]) -> None:
    assert magnitude(factor=40.0) == pytest.approx(1.36889, abs=5e-6)
    assert magnitude(factor=40.0, mscale=1.0, mscale_all_dim=1.0) == 1.0
    assert magnitude(factor=16.0) == pytest.approx(1.277259, abs=5e-7)
    assert magnitude(factor=16.0) ** 2 == pytest.approx(1.631390, abs=5e-7)
    assert magnitude(factor=16.0, mscale=1.0, mscale_all_dim=1.0) == 1.0


def softmax_has_its_share(score_scale: Callable[..., float], weight: float, scale: float) -> None:
    given = {"head_dim": 64, "factor": 40.0, "mscale": weight, "mscale_all_dim": weight}
    assert score_scale(**given) == pytest.approx(scale, abs=5e-7)


def attention_factor_is_taken(magnitude: Callable[..., float]) -> None:
    assert magnitude(factor=64.0) == pytest.approx(1.4158883, abs=5e-8)
    assert magnitude(factor=64.0, attention_factor=1.0) == 1.0


def attention_factor_counts_once(make: Maker, share: float) -> None:
    scheme = make(head_dim=64, factor=40.0, partial_rotary_factor=share)
    x = torch.randn(1, 1, 1, 64)
    q = turned(scheme, x, torch.tensor([[5]]))[0, 0, 0]
    part = int(64 * share)
    wanted = 1.36889**2 * x[0, 0, 0, :part].square().sum() + x[0, 0, 0, part:].square().sum()
    assert (scheme.score_scale * q.square().sum()).item() == pytest.approx(wanted.item(), rel=1e-4)


def ramp_ends_at_the_last_dimension(ramp: Callable[..., tuple[float, float]]) -> None:
    low, high = ramp(64, 1e4, original_max_position_embeddings=131072, truncate=False)
    assert high == pytest.approx(34.55, abs=0.005)
    assert ramp(64, 1e4, original_max_position_embeddings=2**40)[1] == 63
    assert ramp(64, 1e4, original_max_position_embeddings=131072) == (math.floor(low), 35)


def swapped_betas_are_refused(yarn: Callable[..., Any]) -> None:
    refuses(yarn, "beta_fast", beta_fast=1.0, beta_slow=32.0)


# --- parameters


def theta_is_read_from_either_place(read: Callable[..., tuple[Array, float]]) -> None:
    right = default_inv_freq(128, 5e5)
    new, _ = read({"rope_type": "default", "rope_theta": 5e5}, head_dim=128)
    old, _ = read({"type": "default"}, head_dim=128, rope_theta=5e5)
    assert (new == right).all()
    assert (old == right).all()


def llama3_has_three_bands(inv_freq: Array, distance: int, alike: float) -> None:
    """Of head_dim 128: kept, blended, divided."""
    plain = default_inv_freq(128, 5e5)
    share = inv_freq / plain
    counts = ((share == 1).sum(), ((share < 1) & (share > 0.126)).sum(), np.isclose(share, 1 / 8).sum())
    assert counts == (29, 6, 29)
    assert np.cos((plain - inv_freq) * distance).mean() == pytest.approx(alike, abs=6e-4)


def layer_types_are_told_apart(read: Callable[..., tuple[Array, float]]) -> None:
    nested = {
        "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
        "full_attention": {"rope_type": "linear", "rope_theta": 1e6, "factor": 8.0},
    }
    local, _ = read(nested, head_dim=256, layer_type="sliding_attention")
    whole, _ = read(nested, head_dim=256, layer_type="full_attention")
    np.testing.assert_allclose(local, default_inv_freq(256, 1e4))
    np.testing.assert_allclose(whole, default_inv_freq(256, 1e6) / 8)
    refuses(lambda: read(nested, head_dim=256), "layer_type")


def a_late_change_is_no_silence(built: Any) -> None:
    """Either the frequencies follow, or there is an error."""
    before = np.array(built.inv_freq())
    try:
        built.rope_theta = 777.0
    except AttributeError:
        return
    assert np.abs(built.inv_freq() / before - 1).max() > 0.01


def bases_without_sense_are_refused(rope: Callable[..., Any]) -> None:
    for base in (-5.0, 0.0, float("nan")):
        refuses(rope, "rope_theta", head_dim=64, rope_theta=base)


# --- part of a head, odd sizes


def a_quarter_turns(make: Maker) -> None:
    x = torch.randn(1, 1, 1, 256)
    out = turned(make(head_dim=256, partial_rotary_factor=0.25), x, torch.tensor([[1000]]))
    assert torch.equal(out[..., 64:], x[..., 64:])
    assert (out[..., :64] - x[..., :64]).abs().min() > 0


def exponents_run_over_what_turns(inv_freq: Array) -> None:
    """Of head_dim 256, of which 64 turn."""
    assert inv_freq[-1] == pytest.approx(1.3335e-4, rel=1e-4)


def hands_past_the_share_stand_still(inv_freq: Array) -> None:
    """Of head_dim 8 and a share of a half."""
    np.testing.assert_allclose(inv_freq, [1, 0.1, 0, 0])


def odd_heads_are_refused(rope: Callable[..., Any]) -> None:
    refuses(rope, "head_dim is 65", head_dim=520 // 8)
    refuses(rope, "rotary_dim", head_dim=4, partial_rotary_factor=0.75)


def odd_widths_have_a_sine_more(table: Callable[[Array], Array]) -> None:
    """Of d_model 5."""
    row = table(np.asarray([1]))[0]
    np.testing.assert_allclose(row, [0.841471, 0.540302, 0.025116, 0.999685, 0.000631], atol=6e-7)
