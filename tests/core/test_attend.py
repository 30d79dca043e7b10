"""The equation of attention against a plain one written with loops, and what it refuses."""

from __future__ import annotations

import itertools
import math

import pytest
import torch
from torch import Tensor

from clockhands.catalogue.card import Traits
from clockhands.core.attend import Placed, attend, distinct, enter, explain_back_end, token_width
from clockhands.core.back_ends import BackEnd, Dense, Sdpa
from clockhands.core.cache import LayerCache
from clockhands.core.context import Context
from clockhands.core.encoding import Encoding, Table
from clockhands.core.visibility import Visibility
from clockhands.errors import ClockhandsError


class Plain(Encoding):
    """Touches nothing."""


class Slope(Encoding):
    """A bias of ``head + 1`` times the difference of positions."""

    def bias_at(self, ctx: Context, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        return (h + 1) * (ctx.k_places[b, j] - ctx.q_places[b, i]) / 4


class Doubling(Encoding):
    """Queries and keys are multiplied by their positions; scores count twice."""

    score_scale = 2.0

    def table(self, places: Tensor) -> Table:
        return places

    def queries(self, q: Tensor, table: Table) -> Tensor:
        return q * table[:, None, :, None]

    def keys(self, k: Tensor, table: Table) -> Tensor:
        return k * table[:, None, :, None]


def numbers(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def heads(h: int = 4, hk: int = 2, t: int = 6, hd: int = 3, b: int = 2) -> tuple[Tensor, Tensor, Tensor]:
    return numbers(b, h, t, hd, seed=1), numbers(b, hk, t, hd, seed=2), numbers(b, hk, t, hd, seed=3)


def placed(encoding: Encoding, t: int = 6, b: int = 2, positions: Tensor | None = None) -> Placed:
    return enter([encoding], torch.zeros(b, t, 12, dtype=torch.float64), positions)[1][0]


def by_hand(
    q: Tensor, k: Tensor, v: Tensor, visibility: Visibility, bias: float = 0.0, scale: float | None = None
) -> Tensor:
    """Attention as a sum over the keys that a query sees, one number at a time."""
    (batch, h, t, hd), group = q.shape, q.shape[1] // k.shape[1]
    scale = 1 / math.sqrt(hd) if scale is None else scale
    output = torch.zeros_like(q)
    for b, head, i in itertools.product(range(batch), range(h), range(t)):
        seen: list[int] = []
        for j in range(t):
            if visibility.causal and j > i:
                continue
            if visibility.window is not None and abs(i - j) >= visibility.window:
                continue
            if visibility.valid is not None and not visibility.valid[b, j]:
                continue
            if visibility.documents is not None and visibility.documents[b, i] != visibility.documents[b, j]:
                continue
            seen.append(j)
        powers = {}
        for j in seen:
            product = sum(float(q[b, head, i, c] * k[b, head // group, j, c]) for c in range(hd))
            powers[j] = math.exp(product * scale + bias * (head + 1) * (j - i))
        for j in seen:
            output[b, head, i] += powers[j] / sum(powers.values()) * v[b, head // group, j]
    return output


VALID = torch.tensor([[True] * 6, [False, False, True, True, True, True]])
DOCUMENTS = torch.tensor([[0, 0, 0, 1, 1, 1], [4, 4, 7, 7, 7, 2]])
MASKS = {
    "causal": Visibility(),
    "all": Visibility(causal=False),
    "padded": Visibility(valid=VALID),
    "padded-all": Visibility(causal=False, valid=VALID),
    "packed": Visibility(documents=DOCUMENTS),
    "window": Visibility(window=2),
    "window-all": Visibility(causal=False, window=3),
    "everything": Visibility(valid=VALID, documents=DOCUMENTS, window=2),
}


@pytest.mark.parametrize("back_end", [Dense(), Sdpa()], ids=lambda back_end: back_end.name)
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("h_and_hk", [(4, 4), (4, 2), (4, 1)], ids=str)
@pytest.mark.parametrize("encoding", [Plain(), Slope()], ids=lambda encoding: encoding.id)
def test_attention_is_what_loops_say(
    encoding: Encoding, h_and_hk: tuple[int, int], mask: str, back_end: BackEnd
) -> None:
    q, k, v = heads(*h_and_hk)
    got = attend(placed(encoding), q, k, v, visibility=MASKS[mask], back_ends=(back_end,)).output
    wanted = by_hand(q, k, v, MASKS[mask], bias=0.25 if isinstance(encoding, Slope) else 0.0)
    torch.testing.assert_close(got, wanted)


def test_positions_reach_queries_keys_and_bias() -> None:
    q, k, v = heads()
    positions = torch.tensor([[1, 3, 3, 5, 6, 8], [0, 1, 2, 3, 4, 5]])
    got = attend(placed(Doubling(), positions=positions), q, k, v).output
    turned = [part * positions[:, None, :, None] for part in (q, k)]
    torch.testing.assert_close(got, by_hand(*turned, v, Visibility(), scale=2 / math.sqrt(3)))


def test_scale_takes_the_place_of_the_root_of_the_head_dim() -> None:
    q, k, v = heads()
    got = attend(placed(Plain()), q, k, v, scale=1.0).output
    torch.testing.assert_close(got, by_hand(q, k, v, Visibility(), scale=1.0))


def test_weights_are_those_that_mix_the_values() -> None:
    q, k, v = heads(hk=4)
    output, weights = attend(placed(Slope()), q, k, v, visibility=MASKS["padded"], want_weights=True)
    assert weights is not None
    torch.testing.assert_close(weights @ v, output)
    rows = weights.sum(-1)
    torch.testing.assert_close(rows[0], torch.ones_like(rows[0]))
    torch.testing.assert_close(rows[1], torch.tensor([0.0, 0, 1, 1, 1, 1]).double().expand(4, 6))


def test_no_weights_unless_they_are_wanted() -> None:
    assert attend(placed(Plain()), *heads(), back_ends=(Dense(),)).weights is None


@pytest.mark.parametrize("back_end", [Dense(), Sdpa()], ids=lambda back_end: back_end.name)
@pytest.mark.parametrize("encoding", [Plain(), Slope()], ids=lambda encoding: encoding.id)
def test_a_query_that_sees_nothing_gets_zeros_and_no_nan(encoding: Encoding, back_end: BackEnd) -> None:
    q, k, v = (part.requires_grad_() for part in heads())
    output = attend(placed(encoding), q, k, v, visibility=MASKS["padded"], back_ends=(back_end,)).output
    assert (output[1, :, :2] == 0).all()
    output.square().sum().backward()
    for part in (q, k, v):
        assert part.grad is not None
        assert part.grad.isfinite().all()
        assert part.grad[0].abs().sum() > 0
    assert (q.grad[1, :, :2] == 0).all()  # pyright: ignore[reportOptionalSubscript] (asserted above)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("encoding", [Plain(), Slope()], ids=lambda encoding: encoding.id)
def test_output_keeps_the_dtype_and_logits_are_made_in_float32(
    encoding: Encoding, dtype: torch.dtype
) -> None:
    q, k, v = heads()
    narrow = [part.to(dtype) for part in (q, k, v)]
    output, weights = attend(placed(encoding), *narrow, want_weights=True)
    assert output.dtype == dtype
    assert weights is not None
    assert weights.dtype == torch.float32
    exact = attend(placed(encoding), *(part.double() for part in narrow), want_weights=True).weights
    assert exact is not None
    torch.testing.assert_close(weights.double(), exact, rtol=0, atol=1e-6)


def test_dropout_drops_weights_and_scales_the_rest() -> None:
    q, k, _ = heads(hk=4, t=64)
    ones = torch.ones(2, 4, 64, 1, dtype=torch.float64)
    torch.manual_seed(0)
    for back_end in (Dense(), Sdpa()):
        run = [attend(placed(Plain(), t=64), q, k, ones, dropout=0.5, back_ends=(back_end,)).output] * 2
        assert run[0].std() > 0.05  # without dropout each is exactly 1
        assert abs(run[0].mean().item() - 1) < 0.1
    assert (attend(placed(Plain(), t=64), q, k, ones, dropout=1.0, back_ends=(Dense(),)).output == 0).all()


def test_weights_are_handed_out_before_dropout() -> None:
    q, k, v = heads()
    weights = attend(placed(Plain()), q, k, v, dropout=0.9, want_weights=True).weights
    assert weights is not None
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 4, 6, dtype=torch.float64))


# entering --------------------------------------------------------------------------------


class Marks(Encoding):
    """Adds its number to the tokens, and counts how often it is asked."""

    def __init__(self, number: float, taken: int = 0) -> None:
        super().__init__()
        self.number, self.taken = number, taken
        self.asked: list[str] = []

    def token_width(self, d_model: int) -> int:
        return d_model - self.taken

    def embed(self, x: Tensor, places: Tensor) -> Tensor:
        self.asked.append("embed")
        return torch.cat((x * 2 + self.number, x.new_zeros(*x.shape[:2], self.taken)), dim=-1)

    def table(self, places: Tensor) -> Table:
        self.asked.append("table")
        return places * 10


def test_layers_that_share_an_encoding_share_one_table_and_one_embedding() -> None:
    first, second = Marks(1.0), Marks(5.0)
    x, layers = enter([first, second, first, first], torch.ones(2, 3, 4))
    assert first.asked == second.asked == ["embed", "table"]
    assert [layer.encoding for layer in layers] == [first, second, first, first]
    assert layers[0] is layers[2] is layers[3]
    assert x.unique().tolist() == [(1 * 2 + 1) * 2 + 5]  # in order of first appearance
    assert distinct([second, first, second]) == (second, first)


def test_widths_that_several_encodings_take_add_up() -> None:
    encodings = [Marks(0.0, taken=2), Marks(0.0, taken=3)]
    width = token_width(encodings, 16)
    assert width == 11
    assert enter(encodings, torch.ones(1, 2, width))[0].shape == (1, 2, 16)


def test_positions_default_to_counting_and_one_row_serves_all() -> None:
    x = torch.zeros(3, 4, 8)
    assert enter([Plain()], x)[1][0].places.tolist() == [[0, 1, 2, 3]] * 3
    assert enter([Plain()], x, torch.tensor([[5, 6, 7, 9]]))[1][0].places.tolist() == [[5, 6, 7, 9]] * 3


def test_places_are_drawn_by_the_generator_and_read_tokens() -> None:
    class Drawn(Encoding):
        def place(
            self, positions: Tensor, tokens: Tensor | None, generator: torch.Generator | None
        ) -> Tensor:
            assert tokens is not None
            return positions + 100 * tokens + torch.randint(50, (1,), generator=generator)

    tokens = torch.tensor([[0, 1]])
    first, again, other = (
        enter([Drawn()], torch.zeros(1, 2, 8), tokens=tokens, generator=torch.Generator().manual_seed(seed))
        for seed in (0, 0, 1)
    )
    assert first[1][0].places.tolist() == again[1][0].places.tolist() != other[1][0].places.tolist()
    assert first[1][0].places.diff().item() == 101


class Wide(Encoding):
    axes = 3


@pytest.mark.parametrize(
    ("encoding", "positions", "message"),
    [
        (Plain(), torch.zeros(2, 6), "positions are torch.float32"),
        (Plain(), torch.zeros(2, 6, dtype=torch.bool), "positions are torch.bool"),
        (
            Plain(),
            torch.zeros(2, 5, dtype=torch.long),
            r"have shape \(2, 5\): Plain needs \(2, 6\)",
        ),
        (Plain(), torch.zeros(3, 6, dtype=torch.long), r"positions have shape \(3, 6\)"),
        (Plain(), torch.zeros(6, dtype=torch.long), r"positions have shape \(6,\)"),
        (Plain(), torch.zeros(2, 6, 3, dtype=torch.long), r"positions have shape \(2, 6, 3\)"),
        (Wide(), torch.zeros(2, 6, dtype=torch.long), r"Wide needs \(2, 6, 3\)"),
        (Wide(), torch.zeros(2, 6, 2, dtype=torch.long), r"Wide needs \(2, 6, 3\)"),
    ],
)
def test_positions_that_do_not_fit_are_refused(encoding: Encoding, positions: Tensor, message: str) -> None:
    with pytest.raises(ClockhandsError, match=message):
        placed(encoding, positions=positions)


# refusals --------------------------------------------------------------------------------


def test_heads_that_do_not_fit_are_refused() -> None:
    q, k, v = heads()
    for bad in ((q, k[:, :, :5], v), (q, k[..., :2], v), (q, k, v[:, :1]), (q[:, :3], k, v), (q[:1], k, v)):
        with pytest.raises(ClockhandsError, match="q, k and v do not fit"):
            attend(placed(Plain()), *bad)
    with pytest.raises(ClockhandsError, match=r"q has \(rows, tokens\) \(2, 6\), and `enter` saw \(2, 7\)"):
        attend(placed(Plain(), t=7), q, k, v)


def test_values_may_have_another_width() -> None:
    q, k, _ = heads(hk=4)
    assert attend(placed(Plain()), q, k, numbers(2, 4, 6, 5)).output.shape == (2, 4, 6, 5)


@pytest.mark.parametrize("name", ["valid", "documents"])
def test_marks_must_be_those_of_the_tokens(name: str) -> None:
    dtype = torch.bool if name == "valid" else torch.long
    visibility = Visibility(**{name: torch.ones(2, 5, dtype=dtype)})
    with pytest.raises(ClockhandsError, match=rf"{name} has shape \(2, 5\): .* must be \(2, 6\)"):
        attend(placed(Plain()), *heads(), visibility=visibility)


def test_a_scheme_that_reads_content_asks_for_it() -> None:
    class Reads(Encoding):
        def annotate(self, x: Tensor) -> Tensor:
            return x

    with pytest.raises(ClockhandsError, match="Reads reads the hidden states"):
        attend(placed(Reads()), *heads())


def test_a_refused_call_leaves_the_cache_as_it_was_and_says_why() -> None:
    cache = LayerCache()
    with pytest.raises(ClockhandsError, match=r"no back end computes this call \(sdpa: weights are wanted"):
        attend(placed(Plain()), *heads(), cache=cache, back_ends=(Sdpa(),), want_weights=True)
    assert cache.length == 0


# caches ----------------------------------------------------------------------------------


@pytest.mark.parametrize("back_end", [Dense(), Sdpa()], ids=lambda back_end: back_end.name)
@pytest.mark.parametrize("mask", ["causal", "padded", "packed", "window", "everything"])
@pytest.mark.parametrize("encoding", [Plain(), Slope()], ids=lambda encoding: encoding.id)
def test_chunks_with_a_cache_give_what_the_whole_gives(
    encoding: Encoding, mask: str, back_end: BackEnd
) -> None:
    q, k, v = heads()
    whole = MASKS[mask]
    cache, outputs = LayerCache(), []
    for chunk in (slice(0, 3), slice(3, 4), slice(4, 6)):
        marks = {
            name: None if given is None else given[:, chunk]
            for name, given in (("valid", whole.valid), ("documents", whole.documents))
        }
        here = placed(encoding, positions=torch.arange(6)[None, chunk], t=len(range(6)[chunk]))
        part = (q[:, :, chunk], k[:, :, chunk], v[:, :, chunk])
        visibility = Visibility(window=whole.window, **marks)
        outputs.append(attend(here, *part, visibility=visibility, cache=cache, back_ends=(back_end,)).output)
    assert cache.length == 6
    wanted = by_hand(q, k, v, whole, bias=0.25 if isinstance(encoding, Slope) else 0.0)
    torch.testing.assert_close(torch.cat(outputs, dim=2), wanted)


class Longer(Encoding):
    """Keys and queries shrink with the length of the whole text."""

    traits = Traits(length_dependent=True)

    def table(self, places: Tensor) -> Table:
        return (places + 1.0) / (places.amax(1, keepdim=True) + 1), places

    def queries(self, q: Tensor, table: Table) -> Tensor:
        return q * table[0][:, None, :, None]

    def keys(self, k: Tensor, table: Table) -> Tensor:
        return k * table[0][:, None, :, None]


def test_where_frequencies_follow_the_length_cached_keys_turn_anew() -> None:
    q, k, v = heads()
    cache = LayerCache()
    for chunk in (slice(0, 4), slice(4, 6)):
        here = placed(Longer(), positions=torch.arange(6)[None, chunk], t=len(range(6)[chunk]))
        output = attend(here, q[:, :, chunk], k[:, :, chunk], v[:, :, chunk], cache=cache).output
    assert cache.tokens is not None
    assert torch.equal(cache.tokens.k, k)
    shrunk = torch.arange(1, 7, dtype=torch.float64)[:, None] / 6
    wanted = by_hand(q * shrunk, k * shrunk, v, Visibility())
    torch.testing.assert_close(output, wanted[:, :, 4:])


# explaining ------------------------------------------------------------------------------


def test_the_choice_is_explained_and_nothing_is_computed() -> None:
    cache = LayerCache()
    choice = explain_back_end(placed(Plain()), *heads(), cache=cache)
    assert choice.taken == "sdpa"
    assert choice.sentence.en == (
        "sdpa; not flex: there is no bias or mask to fuse; "
        "not blocked-sdpa: there is no bias that would have to be held"
    )
    assert choice.sentence.zh == (
        "sdpa；不用 flex：没有可以融合的偏置或掩码；不用 blocked-sdpa：没有需要保存的偏置"
    )
    assert cache.length == 0


def test_without_a_fitting_back_end_the_choice_says_none() -> None:
    choice = explain_back_end(placed(Plain()), *heads(), back_ends=(Sdpa(),), want_weights=True)
    assert choice.taken == "none"
    assert [name for name, _ in choice.refused] == ["sdpa"]
