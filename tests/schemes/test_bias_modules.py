"""Bias modules: limiting cases, loops written out, published modules restated, caches and packed rows."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import torch
from torch import Tensor

from clockhands.catalogue import describe
from clockhands.catalogue.kerple_log import KerpleLog
from clockhands.catalogue.kerple_power import KerplePower
from clockhands.catalogue.swin_cpb import SwinCPB
from clockhands.catalogue.swin_table import SwinTable
from clockhands.core.attend import attend, enter
from clockhands.core.bias import dense_bias, score_mod
from clockhands.core.cache import LayerCache
from clockhands.core.context import Context
from clockhands.core.encoding import Encoding
from clockhands.core.visibility import CAUSAL, Visibility
from clockhands.errors import ClockhandsError
from clockhands.schemes import build, make

PLACES = torch.tensor([[0, 1, 4, 30, 31], [5, 6, 7, 8, 60]])
HEADS, WIDTH = 4, 8


def tokens(length: int = 5, seed: int = 0, rows: int = 2) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(rows, length, WIDTH, generator=generator, dtype=torch.float64)


def shaken(encoding: Encoding) -> Encoding:
    """With parameters at a general point."""
    generator = torch.Generator().manual_seed(7)
    encoding = encoding.double()
    with torch.no_grad():
        for parameter in encoding.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=generator, dtype=torch.float64))
    return encoding


def bias_of(
    encoding: Encoding, places: Tensor = PLACES, x: Tensor | None = None, visibility: Visibility = CAUSAL
) -> Tensor:
    """``(b, h, t, t)``, without mask."""
    memory = None
    if encoding.overrides("annotate"):
        memory = encoding.annotate(tokens(places.shape[1]) if x is None else x)
    given = {"visibility": visibility, "memory": memory, "scale": 1.0, "dtype": torch.float64}
    ctx = Context(q_places=places, k_places=places, num_heads=HEADS, num_kv_heads=HEADS, **given)
    ctx = Context(**(vars(ctx) | {"prepared": encoding.prepare(ctx)}))
    bias = dense_bias(encoding, ctx)
    assert bias is not None
    return bias.expand(*places.shape[:1], HEADS, *bias.shape[2:]).detach()


def output(encoding: Encoding, x: Tensor, places: Tensor, **how: object) -> Tensor:
    generator = torch.Generator().manual_seed(1)
    q, k, v = (
        (x @ torch.randn(WIDTH, WIDTH, generator=generator, dtype=torch.float64)).unflatten(-1, (HEADS, -1))
        for _ in range(3)
    )
    _, (placed,) = enter([encoding], x, places)
    heads = (part.transpose(1, 2) for part in (q, k, v))
    return attend(placed, *heads, x=x, **how).output.detach()


# limiting cases ------------------------------------------------------------------------------


def test_sandwich_and_kerple_and_retnet_are_what_they_describe() -> None:
    distance = (PLACES[:, :, None] - PLACES[:, None]).numpy()
    for scheme in (
        "sandwich",
        "kerple-log",
        "kerple-power",
        "retnet-decay",
        "alibi-hard",
        "fire",
        "swin-cpb",
    ):
        description = describe(scheme, heads=HEADS)
        wanted = np.moveaxis(description.bias(distance), 0, 1)
        got = bias_of(build(description).double()).numpy()
        np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=2e-6)  # parameters passed through float32


def test_kerple_power_one_is_alibi() -> None:
    slopes = describe("alibi", heads=HEADS).slopes()
    power = build(KerplePower.of(np.stack((np.maximum(slopes, 0.01), np.ones(HEADS))))).double()
    line = make("alibi", heads=HEADS, symmetric=True)
    torch.testing.assert_close(bias_of(power)[:, :3], bias_of(line)[:, :3], rtol=1e-6, atol=0)


def test_kerple_is_held_within_its_bounds_and_comes_back() -> None:
    encoding = build(KerplePower.of([[1.0] * HEADS, [1.0] * HEADS])).double()
    with torch.no_grad():
        encoding.r2.fill_(3.0)
        encoding.r1.fill_(-1.0)
    bounded = build(KerplePower.of([[0.01] * HEADS, [2.0] * HEADS])).double()
    torch.testing.assert_close(bias_of(encoding), bias_of(bounded), rtol=1e-6, atol=0)
    output_sum = (output_of_bias(encoding) * torch.arange(5.0)).sum()
    output_sum.backward()
    assert (encoding.r2.grad != 0).all()
    assert (encoding.r1.grad != 0).all()
    logarithm = build(KerpleLog.of([[1.0] * HEADS, [1.0] * HEADS])).double()
    with torch.no_grad():
        logarithm.r2.fill_(50.0)  # no upper bound
    assert bias_of(logarithm)[0, 0, 1, 0] == pytest.approx(-math.log(51))


def output_of_bias(encoding: Encoding) -> Tensor:
    _, (placed,) = enter([encoding], tokens(), PLACES)
    q = torch.zeros(2, HEADS, 5, 2, dtype=torch.float64)
    weights = attend(placed, q, q, q, want_weights=True).weights
    assert weights is not None
    return weights


def test_a_constant_forget_gate_is_alibi_and_an_open_one_is_nothing() -> None:
    """schemes-and-science, B13: f = exp(-s) everywhere is ALiBi with slope s; f = 1 is NoPE."""
    slopes = torch.tensor(describe("alibi", heads=HEADS).slopes())
    straight = torch.arange(5).expand(2, 5)  # FoX counts tokens
    line = make("alibi", heads=HEADS)
    for scheme, sign in (("fox", 1), ("cable", -1)):
        encoding = make(scheme, d_model=WIDTH, num_heads=HEADS).double()
        with torch.no_grad():
            encoding.weight.zero_()
            encoding.offset.copy_(-sign * torch.expm1(slopes).log())  # sigmoid(b) = exp(-s)
        torch.testing.assert_close(bias_of(encoding), bias_of(line, straight), rtol=1e-9, atol=1e-12)
        with torch.no_grad():
            encoding.offset.fill_(sign * 1000.0)
        assert not bias_of(encoding).any()
        x = tokens()
        torch.testing.assert_close(output(encoding, x, straight), output(make("nope"), x, straight))


def test_cable_is_fox_with_the_gate_turned_round() -> None:
    fox, cable = (shaken(make(scheme, d_model=WIDTH, num_heads=HEADS)) for scheme in ("fox", "cable"))
    assert not torch.allclose(bias_of(fox), bias_of(cable))
    with torch.no_grad():
        cable.weight.copy_(-fox.weight)
        cable.offset.copy_(-fox.offset)
    torch.testing.assert_close(bias_of(fox), bias_of(cable))


def test_an_empty_bank_is_no_bias_and_past_its_end_there_is_none() -> None:
    encoding = shaken(make("inkling", d_model=WIDTH, num_heads=HEADS, d_rel=3, rel_extent=26))
    bias, distance = bias_of(encoding), PLACES[:, :, None] - PLACES[:, None]
    inside = ((distance >= 0) & (distance < 26))[:, None].expand_as(bias)
    assert (bias[inside] != 0).all()
    assert not bias[~inside].any()
    assert 26 in distance
    with torch.no_grad():
        encoding.bank.zero_()
    assert not bias_of(encoding).any()


def test_fire_shifts_up_to_its_threshold_only() -> None:
    encoding = shaken(make("fire", heads=HEADS, threshold=80.0))
    with torch.no_grad():
        encoding.multiplier.fill_(-1.0)  # the sign does not count
    torch.testing.assert_close(bias_of(encoding, PLACES + 20), bias_of(encoding), rtol=1e-12, atol=0)
    assert not torch.allclose(bias_of(encoding, PLACES + 21)[1], bias_of(encoding)[1])


# published modules, restated pair by pair -----------------------------------------------------------


def test_inkling_is_the_module_of_transformers() -> None:
    """InklingRelativeLogits (transformers 5.24, modeling_inkling.py): proj[:, distance] . r, 0 outside."""
    encoding = shaken(make("inkling", d_model=WIDTH, num_heads=HEADS, d_rel=3, rel_extent=26))
    x, got = tokens(), bias_of(encoding)
    wide = (x @ encoding.map.T).detach().numpy()
    bank = encoding.bank.detach().numpy()
    for b, h, i, j in itertools.product(range(2), range(HEADS), range(5), range(5)):
        distance = int(PLACES[b, i] - PLACES[b, j])
        wanted = 0.0
        if 0 <= distance < 26:
            wanted = sum(wide[b, i, 3 * h + c] * bank[c, distance] for c in range(3))
        assert got[b, h, i, j] == pytest.approx(wanted, abs=1e-12)


def test_fire_is_the_module_of_its_paper_but_for_a_constant() -> None:
    """mcleish7/arithmetic @55af9d5, embeddings.py: an MLP 1 -> width -> heads with two offsets."""
    encoding = shaken(make("fire", heads=HEADS, threshold=20.0, width=6))
    first, second = torch.nn.Linear(1, 6).double(), torch.nn.Linear(6, HEADS).double()
    with torch.no_grad():
        first.weight.copy_(encoding.units[:, :1])
        first.bias.copy_(encoding.units[:, 1])
        second.weight.copy_(encoding.units[:, 2:].T)
    places = PLACES.double()
    relative = torch.log(torch.abs(encoding.c * (places[:, :, None] - places[:, None])) + 1)
    normal = torch.maximum(places, torch.abs(encoding.multiplier * 20.0))[..., None]
    normal = torch.log(torch.abs(encoding.c * normal) + 1) + 1e-6
    theirs = second(torch.relu(first((relative / normal)[..., None]))).permute(0, 3, 1, 2).detach()
    difference = theirs - bias_of(encoding)
    torch.testing.assert_close(difference, second.bias.detach()[None, :, None, None].expand_as(difference))


def grid(side: int) -> Tensor:
    """The cells of a window, row by row, ``(1, side ** 2, 2)``."""
    return torch.cartesian_prod(torch.arange(side), torch.arange(side))[None]


def test_swin_s_table_in_a_window_of_cells() -> None:
    table = np.random.default_rng(0).normal(size=(25, HEADS))
    places = grid(3)
    got = bias_of(build(SwinTable.of(table, num_axes=2)).double(), places)
    for h, (i, q), (j, k) in itertools.product(range(HEADS), enumerate(places[0]), enumerate(places[0])):
        down, right = (q - k + 2).tolist()
        assert got[0, h, i, j] == pytest.approx(table[down * 5 + right, h], abs=1e-7)


def test_swin_v2_s_network_in_a_window_of_cells() -> None:
    """cpb_mlp of swin_transformer_v2.py @055c506 on its own table of coordinates."""
    encoding = shaken(build(SwinCPB(num_heads=HEADS, window_size=3, num_axes=2, width=7)))
    places = grid(3)
    units = encoding.units.detach()
    got = bias_of(encoding, places)
    for h, (i, q), (j, k) in itertools.product(range(HEADS), enumerate(places[0]), enumerate(places[0])):
        coordinates = (q - k).double() / 2 * 8
        coordinates = coordinates.sign() * torch.log2(coordinates.abs() + 1.0) / math.log2(8)
        hidden = torch.relu(units[:, :2] @ coordinates + units[:, 2])
        assert got[0, h, i, j].item() == pytest.approx(16 * torch.sigmoid(hidden @ units[:, 3 + h]).item())


def test_an_offset_outside_the_window_is_refused_where_it_is_seen() -> None:
    encoding = make("swin-table", heads=HEADS, window_size=60).double()
    x = tokens()
    with pytest.raises(ClockhandsError, match=r"distance -?\d+ is outside the bias, which has -59 to 59"):
        output(encoding, x, PLACES * 2)
    assert output(encoding, x, PLACES).shape == (2, HEADS, 5, 2)
    apart = Visibility(documents=torch.tensor([[0, 0, 0, 1, 1]] * 2))
    assert output(encoding, x, torch.tensor([[0, 1, 2, 500, 501]]), visibility=apart).isfinite().all()


@pytest.mark.parametrize("scheme", ["fox", "cable"])
def test_steps_are_added_up_between_key_and_query(scheme: str) -> None:
    encoding = shaken(make(scheme, d_model=WIDTH, num_heads=HEADS))
    x, got = tokens(), bias_of(encoding)
    weight, offset = encoding.weight.detach().numpy(), encoding.offset.detach().numpy()
    for b, h, i in itertools.product(range(2), range(HEADS), range(5)):
        for j in range(i + 1):
            gates = [float(weight[h] @ x[b, between].numpy() + offset[h]) for between in range(j + 1, i + 1)]
            signs = 1 if scheme == "fox" else -1
            wanted = sum(math.log(1 / (1 + math.exp(-signs * gate))) for gate in gates)
            assert got[b, h, i, j].item() == pytest.approx(wanted, abs=1e-12)


# caches, padding, documents -------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["fox", "cable", "inkling"])
def test_token_by_token_with_a_cache(scheme: str) -> None:
    encoding = shaken(make(scheme, d_model=WIDTH, num_heads=HEADS))
    x, cache = tokens(9), LayerCache()
    places = torch.arange(9).expand(2, 9)
    rows = [output(encoding, x[:, [t]], places[:, [t]], cache=cache) for t in range(9)]
    torch.testing.assert_close(torch.cat(rows, dim=2), output(encoding, x, places))


@pytest.mark.parametrize("scheme", ["fox", "cable"])
def test_documents_may_be_interleaved(scheme: str) -> None:
    """A step of another document in between counts for nothing, even where it is huge."""
    encoding = shaken(make(scheme, d_model=WIDTH, num_heads=HEADS))
    documents = torch.tensor([[0, 1, 1, 0, 0, 1, 0, 1], [2, 2, 0, 2, 0, 0, 2, 0]])
    x, places = tokens(8), torch.arange(8).expand(2, 8)
    together = output(encoding, x, places, visibility=Visibility(documents=documents))
    for row, number in ((0, 0), (0, 1), (1, 0), (1, 2)):
        mine = documents[row] == number
        alone = output(encoding, x[row : row + 1, mine], places[:1, : int(mine.sum())])
        torch.testing.assert_close(together[row : row + 1, :, mine], alone)


@pytest.mark.parametrize("scheme", ["fox", "cable"])
def test_hidden_tokens_make_nobody_forget(scheme: str) -> None:
    encoding = shaken(make(scheme, d_model=WIDTH, num_heads=HEADS))
    x, places = tokens(7), torch.arange(7).expand(2, 7)
    valid = torch.tensor([[False, False, True, True, False, True, True]] * 2)
    padded = output(
        encoding, torch.where(valid[..., None], x, 1e6), places, visibility=Visibility(valid=valid)
    )
    torch.testing.assert_close(padded[:, :, valid[0]], output(encoding, x[:, valid[0]], places[:, :4]))


def test_long_texts_do_not_blur_the_last_steps() -> None:
    """The sums grow past 65,000 logits, where float32 counts in steps of 1 / 256."""
    encoding = make("fox", d_model=WIDTH, num_heads=HEADS)
    x = torch.zeros(1, 100_000, WIDTH)
    given = {"visibility": CAUSAL, "scale": 1.0, "num_heads": HEADS, "num_kv_heads": HEADS}
    places = torch.arange(100_000)[None]
    memory = encoding.annotate(x)
    ctx = Context(q_places=places[:, -1:], k_places=places, memory=memory, dtype=torch.float32, **given)
    ctx = Context(**(vars(ctx) | {"prepared": encoding.prepare(ctx)}))
    zero = torch.tensor(0)
    for back in (1, 2, 1000):
        got = encoding.bias_at(ctx, zero, zero, zero, torch.tensor(100_000 - 1 - back)).item()
        assert got == pytest.approx(-back * math.log(2), rel=1e-6)


def test_hard_alibi_never_leaves_a_row_empty_and_hides_exactly() -> None:
    encoding = make("alibi-hard", heads=HEADS)
    weights = output_of_bias(encoding)
    assert weights.isfinite().all()
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, HEADS, 5, dtype=torch.float64))
    assert torch.equal(weights[:, 0], torch.eye(5, dtype=torch.float64).expand(2, 5, 5))  # sees itself only
    torch.testing.assert_close(weights[0, 3], output_of_bias(make("nope"))[0, 3])  # the free head
    assert (weights[0, 1] > 0).sum(-1).tolist() == [1, 2, 1, 1, 2]  # positions 0, 1, 4, 30, 31


# one pointwise formula ----------------------------------------------------------------------------------


BY_DISTANCE = (
    "alibi-hard", "sandwich", "kerple-log", "kerple-power", "fire", "swin-table", "swin-cpb",
)  # fmt: skip


@pytest.mark.parametrize("scheme", [*BY_DISTANCE, "inkling", "fox"])
def test_scalars_give_what_grids_give(scheme: str) -> None:
    """FlexAttention asks about one pair at a time."""
    known = describe(scheme).parameters()
    sizes = {"num_heads": HEADS, "d_model": WIDTH}
    encoding = shaken(make(scheme, **{name: size for name, size in sizes.items() if name in known}))
    memory = encoding.annotate(tokens()) if encoding.overrides("annotate") else None
    given = {"visibility": CAUSAL, "memory": memory, "scale": 1.0, "dtype": torch.float64}
    ctx = Context(q_places=PLACES, k_places=PLACES, num_heads=HEADS, num_kv_heads=HEADS, **given)
    ctx = Context(**(vars(ctx) | {"prepared": encoding.prepare(ctx)}))
    added, grids = score_mod(encoding, ctx), dense_bias(encoding, ctx)
    assert added is not None
    assert grids is not None
    grids = grids.expand(2, HEADS, 5, 5)
    for b, h, i, j in ((0, 0, 0, 0), (1, 3, 4, 0), (0, 2, 1, 3), (1, 1, 3, 2)):
        at = [torch.tensor(index) for index in (b, h, i, j)]
        got = added(torch.tensor(0.0, dtype=torch.float64), *at)
        assert got.ndim == 0
        torch.testing.assert_close(got, grids[b, h, i, j])


@pytest.mark.parametrize("scheme", ["fox", "cable", "inkling"])
def test_tokens_of_another_width_and_other_head_counts_are_refused(scheme: str) -> None:
    with pytest.raises(ClockhandsError, match="tokens are 8 wide and this scheme's map 16"):
        output(make(scheme, d_model=16, num_heads=HEADS).double(), tokens(), PLACES)
    with pytest.raises(ClockhandsError, match="the bias has 2 heads and the attention 4"):
        output(make(scheme, d_model=WIDTH, num_heads=2).double(), tokens(), PLACES)


@pytest.mark.parametrize("scheme", [*BY_DISTANCE, "retnet-decay"])
def test_another_number_of_heads_is_refused(scheme: str) -> None:
    with pytest.raises(ClockhandsError, match="the bias has 3 heads and the attention 4"):
        output(make(scheme, heads=3).double(), tokens(), PLACES)
