"""Encodings that read the tokens: attention as papers write it, packed, padded, decoded, at its limits."""

from __future__ import annotations

import by_loops
import numpy as np
import pytest
import torch
from torch import Tensor

from clockhands import formulas
from clockhands import positions as place
from clockhands.catalogue import Description
from clockhands.catalogue.carope import CARoPE
from clockhands.catalogue.cope_contextual import CoPE
from clockhands.catalogue.dape import DAPE
from clockhands.catalogue.dape_v2 import DAPEV2
from clockhands.catalogue.grape import GRAPE
from clockhands.catalogue.path import PaTH
from clockhands.catalogue.path_fox import PaTHFoX
from clockhands.catalogue.pope_polar import PoPE
from clockhands.catalogue.rope import RoPE
from clockhands.catalogue.selective_rope import SelectiveRoPE
from clockhands.catalogue.stick_breaking import StickBreaking
from clockhands.core.attend import Attended, attend, enter
from clockhands.core.back_ends import Dense
from clockhands.core.cache import LayerCache
from clockhands.core.encoding import Encoding
from clockhands.core.visibility import CAUSAL, Visibility
from clockhands.errors import ClockhandsError
from clockhands.schemes import build, layers

HEADS, GROUPS, WIDTH, LENGTH = 4, 2, 8, 9
SIZES = {"d_model": HEADS * WIDTH, "num_heads": HEADS}

CASES: dict[str, tuple[Description, by_loops.Loops]] = {
    "cope": (CoPE(head_dim=WIDTH, npos_max=5), by_loops.cope),
    "carope": (CARoPE(**SIZES), by_loops.carope),
    "selective": (SelectiveRoPE(**SIZES), by_loops.selective),
    "selective, bias and gate": (SelectiveRoPE(**SIZES, use_bias=True, use_gate=True), by_loops.selective),
    "path": (PaTH(**SIZES), by_loops.path),
    "path, shared mirrors": (PaTH(**SIZES, num_kv_heads=GROUPS, rank=None, conv_size=1), by_loops.path),
    "path-fox": (PaTHFoX(**SIZES, num_kv_heads=GROUPS), by_loops.path),
    "dape": (DAPE(num_heads=HEADS), by_loops.dape),
    "dape v2": (DAPEV2(num_heads=HEADS), by_loops.dape_v2),
    "dape v2, five keys": (DAPEV2(num_heads=HEADS, kernel_size=5), by_loops.dape_v2),
    "pope": (PoPE(head_dim=WIDTH, num_heads=HEADS), by_loops.pope),
    "grape": (GRAPE(head_dim=WIDTH, num_planes=GROUPS), by_loops.grape),
}

every_case = pytest.mark.parametrize(("description", "loops"), CASES.values(), ids=CASES.keys())


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def trained(description: Description) -> Encoding:
    """With numbers that no start would have."""
    encoding = build(description).double()
    with torch.no_grad():
        for index, parameter in enumerate(encoding.parameters()):
            parameter.add_(0.5 * drawn(*parameter.shape, seed=20 + index))
    return encoding.requires_grad_(False)


def tokens(length: int = LENGTH, batch: int = 1) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """q, k, v and the hidden states; two query heads share a key head."""
    q, x = drawn(batch, HEADS, length, WIDTH), drawn(batch, length, HEADS * WIDTH, seed=3)
    return q, drawn(batch, GROUPS, length, WIDTH, seed=1), drawn(batch, GROUPS, length, WIDTH, seed=2), x


def attended(
    encoding: Encoding,
    parts: tuple[Tensor, Tensor, Tensor, Tensor],
    positions: Tensor | None = None,
    visibility: Visibility = CAUSAL,
    cache: LayerCache | None = None,
) -> Attended:
    q, k, v, x = parts
    x, (placed,) = enter([encoding], x, positions)
    return attend(
        placed, q, k, v, visibility=visibility, x=x, cache=cache, back_ends=(Dense(),), want_weights=True
    )


def weights(encoding: Encoding, *arguments: object, **how: object) -> Tensor:
    made = attended(encoding, *arguments, **how).weights
    assert made is not None
    return made


def softmax_of_loops(
    encoding: Encoding, loops: by_loops.Loops, parts: tuple[Tensor, ...], row: int = 0
) -> Tensor:
    q, k, _, x = (part[row] for part in parts)
    logits = loops(encoding, q.numpy(), k.repeat_interleave(HEADS // GROUPS, dim=0).numpy(), x.numpy())
    unseen = np.triu(np.ones(logits.shape[1:], bool), 1)
    return torch.tensor(np.where(unseen, -np.inf, logits)).softmax(-1)


def part_of(parts: tuple[Tensor, ...], slots: slice) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    q, k, v, x = parts
    return q[:, :, slots], k[:, :, slots], v[:, :, slots], x[:, slots]


@every_case
def test_attention_is_what_the_paper_writes(description: Description, loops: by_loops.Loops) -> None:
    encoding, parts = trained(description), tokens()
    torch.testing.assert_close(weights(encoding, parts)[0], softmax_of_loops(encoding, loops, parts))


@every_case
def test_documents_and_padding_leave_nothing_behind(description: Description, loops: by_loops.Loops) -> None:
    encoding, parts = trained(description), tokens()
    documents = torch.tensor([[0, 0, 0, 1, 1, 1, 1, 1, 1]])
    positions = place.from_documents(documents)
    packed = weights(encoding, parts, positions, Visibility(documents=documents))
    second = part_of(parts, slice(3, None))
    torch.testing.assert_close(packed[0, :, 3:, 3:], softmax_of_loops(encoding, loops, second))
    valid = documents.bool()  # the first three are padding
    padded = weights(encoding, parts, place.from_mask(valid), Visibility(valid=valid))
    torch.testing.assert_close(padded[0, :, 3:, 3:], softmax_of_loops(encoding, loops, second))


@every_case
def test_word_by_word_with_padding_and_documents_is_as_at_once(
    description: Description, loops: by_loops.Loops
) -> None:
    encoding, parts = trained(description), tokens(batch=2)
    valid = torch.ones(2, LENGTH, dtype=torch.bool)
    valid[1, :2] = False
    documents = torch.tensor([[0] * 4 + [1] * 5, [0] * 9])
    positions = torch.stack([place.from_documents(documents[:1])[0], place.from_mask(valid[1:])[0]])
    whole = attended(encoding, parts, positions, Visibility(valid=valid, documents=documents)).output
    cache, outputs = LayerCache(), []
    for start, end in ((0, 1), (1, 5), (5, 6), (6, 9)):
        slots = slice(start, end)
        marks = Visibility(valid=valid[:, slots], documents=documents[:, slots])
        outputs.append(attended(encoding, part_of(parts, slots), positions[:, slots], marks, cache).output)
    torch.testing.assert_close(torch.cat(outputs, dim=2), whole)


@pytest.mark.parametrize("current", [False, True])
def test_stick_breaking_row_by_row(current: bool) -> None:
    encoding, parts = build(StickBreaking(attend_current=current)), tokens()
    got = weights(encoding, parts)[0]
    q, k = parts[0][0].numpy(), parts[1][0].numpy()
    for h, m in np.ndindex(HEADS, LENGTH):
        stick = 1.0
        for n in reversed(range(m + current)):
            share = stick / (1 + np.exp(-q[h, m] @ k[h // 2, n] * WIDTH**-0.5))
            assert got[h, m, n] == pytest.approx(share)
            stick -= share
        assert got[h, m].sum() == pytest.approx(1 - stick)
    assert not current or (got[:, 0, 0] > 0).all()
    assert current or (got[:, 0] == 0).all()
    documents = torch.tensor([[0, 1, 0, 1, 0, 1, 0, 1, 0]])  # interleaved ones too
    packed = weights(encoding, parts, None, Visibility(documents=documents))
    apart = weights(encoding, part_of(parts, slice(0, None, 2)))
    torch.testing.assert_close(packed[:, :, ::2, ::2], apart)


# limits -----------------------------------------------------------------------------------------------------


def rope(base: float, parts: tuple[Tensor, Tensor, Tensor, Tensor]) -> Tensor:
    return weights(build(RoPE(head_dim=WIDTH, rope_theta=base)), parts)


def still(encoding: Encoding, *names: str) -> Encoding:
    """With these parameters zero."""
    encoding = encoding.double().requires_grad_(False)
    for name in names:
        encoding.get_parameter(name).zero_()
    return encoding


def test_constant_speeds_and_steps_are_rope() -> None:
    parts = tokens()
    carope = still(build(CARoPE(**SIZES, rope_theta=300.0)), "weight")
    torch.testing.assert_close(weights(carope, parts), rope(300.0, parts), rtol=0, atol=1e-6)
    selective = build(SelectiveRoPE(**SIZES, rope_theta=300.0, use_bias=True))
    torch.testing.assert_close(weights(still(selective, "phi_up"), parts), rope(300.0, parts))


def test_closed_mirrors_and_empty_tables_are_no_position_at_all() -> None:
    parts, nothing = tokens(), Encoding()
    path = still(build(PaTH(**SIZES)), "beta_weight")
    path.get_parameter("beta_bias").fill_(-200.0)
    torch.testing.assert_close(weights(path, parts), weights(nothing, parts))
    cope = still(build(CoPE(head_dim=WIDTH)), "pos_emb")
    torch.testing.assert_close(weights(cope, parts), weights(nothing, parts))
    fox = still(build(PaTHFoX(**SIZES)), "forget_weight")
    fox.get_parameter("forget_bias").fill_(200.0)
    torch.testing.assert_close(weights(fox, parts), weights(build(PaTH(**SIZES)).double(), parts).detach())


def test_open_gates_are_a_learned_vector_for_each_distance() -> None:
    encoding, (q, k, v, x) = trained(CoPE(head_dim=WIDTH, npos_max=4)), tokens()
    large = 1e4 * torch.ones_like(k)
    got = weights(encoding, (q.abs(), large, v, x))  # all scores alike and huge: every gate is open
    table, rows = encoding.get_parameter("pos_emb"), torch.arange(LENGTH)
    counted = (rows[:, None] - rows + 1).clamp(0, 3)
    added = (q.abs() @ table.T)[0].gather(-1, counted.expand(HEADS, -1, -1))
    wanted = added.masked_fill(rows[:, None] < rows, -torch.inf).softmax(-1)
    torch.testing.assert_close(got[0], wanted, rtol=0, atol=1e-6)  # scores of 1e5 leave ten digits


def test_an_empty_network_leaves_alibi() -> None:
    parts = tokens()
    for description in (DAPE(num_heads=HEADS), DAPEV2(num_heads=HEADS)):
        encoding = still(build(description), "second", "second_bias")
        slopes = formulas.alibi_slopes(HEADS)
        distance = np.arange(LENGTH)[:, None] - np.arange(LENGTH)
        q, k, _, _ = parts
        scores = q @ k.repeat_interleave(2, 1).transpose(-1, -2) * WIDTH**-0.5
        scores = scores + torch.tensor(formulas.alibi_bias(distance, slopes))
        wanted = scores.masked_fill(torch.tensor(distance < 0), -torch.inf).softmax(-1)
        torch.testing.assert_close(weights(encoding, parts), wanted)


def test_dape_v2_with_a_kernel_of_one_is_dape() -> None:
    first, second = trained(DAPE(num_heads=HEADS)), trained(DAPEV2(num_heads=HEADS, kernel_size=1))
    second.load_state_dict(first.state_dict())
    torch.testing.assert_close(weights(first, tokens()), weights(second, tokens()))


def test_equal_contents_give_polar_hands_the_cosine_kernel() -> None:
    encoding = build(PoPE(head_dim=WIDTH, num_heads=HEADS)).requires_grad_(False)
    ones = torch.ones(1, HEADS, LENGTH, WIDTH, dtype=torch.float64)
    _, (placed,) = enter([encoding], torch.zeros(1, LENGTH, 1, dtype=torch.float64))
    made = encoding.queries(ones, placed.table) @ encoding.keys(ones, placed.table).transpose(-1, -2)
    speeds, length = encoding.description.inv_freq(), np.log1p(np.e)
    for distance in range(LENGTH):
        wanted = length**2 * np.cos(distance * speeds).sum()
        np.testing.assert_allclose(made[0, 0].diagonal(distance), wanted)
        np.testing.assert_allclose(made[0, 0].diagonal(-distance), wanted)  # left and right are alike


def test_the_phase_of_polar_hands_stays_within_a_turn() -> None:
    encoding, parts = build(PoPE(head_dim=WIDTH, num_heads=HEADS)).double().requires_grad_(False), tokens()
    start = weights(encoding, parts)
    delta = encoding.get_parameter("delta")
    delta.fill_(3.0)
    torch.testing.assert_close(weights(encoding, parts), start)
    delta.fill_(-100.0)
    torch.testing.assert_close(weights(encoding, parts), start)  # -2 pi is a whole turn
    delta.fill_(-1.0)
    assert not torch.allclose(weights(encoding, parts), start)


def test_far_angles_of_walked_hands_stay_exact() -> None:
    """A million whole turns before the text change nothing that float64 could not hold."""
    encoding, (q, k, v, x) = build(SelectiveRoPE(**SIZES, use_bias=True)), tokens()
    encoding = still(encoding, "phi_up")
    start = weights(encoding, (q, k, v, x))
    long = tuple(
        torch.cat((part.new_zeros(part.shape).expand_as(part), part), dim=-2) for part in (q, k, v, x)
    )
    got = weights(encoding.float(), tuple(part.float() for part in long))
    tail = got[:, :, LENGTH:, LENGTH:] / got[:, :, LENGTH:, LENGTH:].sum(-1, keepdim=True)
    torch.testing.assert_close(tail.double(), start, rtol=0, atol=1e-5)


# layers, memory and bad input -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "id", ["cope-contextual", "carope", "selective-rope", "path", "path-fox", "dape", "grape"]
)
def test_each_layer_has_numbers_of_its_own(id: str) -> None:
    sizes = {"d_model": 32, "num_heads": 4, "head_dim": 8, "seed": 3}
    first, second = layers(id, 2, sizes)
    assert first.description.seed == 3
    assert any(not torch.equal(*pair) for pair in zip(first.parameters(), second.parameters(), strict=True))
    again, _ = layers(id, 2, sizes)
    assert all(torch.equal(*pair) for pair in zip(first.parameters(), again.parameters(), strict=True))


def test_memory_of_narrow_tokens_is_wide() -> None:
    for id in ("carope", "selective-rope", "path", "path-fox"):
        encoding = build(CASES[{"selective-rope": "selective"}.get(id, id)][0]).half()
        memory = encoding.annotate(tokens()[3].half())
        assert memory is not None
        assert memory.dtype == torch.float32


@every_case
def test_attention_of_other_sizes_is_refused(description: Description, loops: by_loops.Loops) -> None:
    encoding, (q, k, v, x) = build(description).double(), tokens()
    by_width = isinstance(description, CoPE | GRAPE)
    wrong = (q[..., :6], k[..., :6], v, x) if by_width else (q[:, :3], k[:, :1], v[:, :1], x)
    with pytest.raises(ClockhandsError, match=r"heads|wide"):
        attended(encoding, wrong)


def test_tokens_of_another_width_are_refused() -> None:
    for name in ("carope", "selective", "path", "path-fox"):
        q, k, v, x = tokens()
        for width in (x[..., :12], x[..., :31]):
            with pytest.raises(ClockhandsError, match="wide"):
                attended(build(CASES[name][0]).double(), (q, k, v, width))
