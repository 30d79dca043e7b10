"""Rotations against complex numbers, and tagged rotations against counting on one's fingers."""

from __future__ import annotations

import cmath

import pytest
import torch
from torch import Tensor

from clockhands import positions as place
from clockhands.catalogue.layered import Layered
from clockhands.catalogue.own import OwnFrequencies
from clockhands.catalogue.rope import RoPE
from clockhands.catalogue.tagged import Tagged
from clockhands.core.attend import attend, enter
from clockhands.core.cache import LayerCache
from clockhands.core.encoding import Encoding
from clockhands.errors import ClockhandsError
from clockhands.schemes import build


def numbers(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def rotated(encoding: Encoding, x: Tensor, positions: Tensor) -> Tensor:
    return encoding.queries(x, encoding.table(positions))


def by_complex_numbers(x: Tensor, positions: Tensor, speeds: list[float], layout: str) -> Tensor:
    """Each pair is a complex number that is multiplied by ``exp(i * position * speed)``."""
    result, pairs = x.clone(), len(speeds)
    for b, h, t in torch.cartesian_prod(*map(torch.arange, x.shape[:3])).tolist():
        for pair, speed in enumerate(speeds):
            u, v = (pair, pair + pairs) if layout == "half" else (2 * pair, 2 * pair + 1)
            hand = complex(x[b, h, t, u], x[b, h, t, v]) * cmath.exp(1j * float(positions[b, t]) * speed)
            result[b, h, t, u], result[b, h, t, v] = hand.real, hand.imag
    return result


@pytest.mark.parametrize("layout", ["half", "interleaved"])
@pytest.mark.parametrize("turned", [8, 4, 2])
def test_pairs_turn_as_complex_numbers_do(layout: str, turned: int) -> None:
    encoding = build(RoPE(head_dim=8, rope_theta=500.0, layout=layout, rotary_dim=turned))
    x, positions = numbers(2, 3, 4, 8), torch.tensor([[0, 1, 5, 700], [3, 2, 1, 131072]])
    speeds = [500.0 ** (-2 * pair / turned) for pair in range(turned // 2)]
    wanted = by_complex_numbers(x, positions, speeds, layout)
    table = encoding.table(positions)
    torch.testing.assert_close(encoding.queries(x, table), wanted)
    torch.testing.assert_close(encoding.keys(x, table), wanted)
    assert torch.equal(encoding.keys(x, table)[..., turned:], x[..., turned:])


@pytest.mark.parametrize(
    ("layout", "position", "wanted"),
    [  # schemes-and-science, R1: computed in float64 with numpy
        ("interleaved", 1, [-1.14263966, 1.9220756, 2.95985067, 4.0297995]),
        ("half", 1, [-1.98411065, 1.95990067, 2.4623779, 4.01979967]),
        ("interleaved", 5, [2.20151073, -0.3915999, 2.7963341, 4.14493855]),
        ("half", 5, [3.16043501, 1.79758384, -0.10793772, 4.09495938]),
    ],
)
def test_golden_numbers(layout: str, position: int, wanted: list[float]) -> None:
    encoding = build(RoPE(head_dim=4, layout=layout))
    x = torch.tensor([1.0, 2, 3, 4], dtype=torch.float64).view(1, 1, 1, 4)
    got = rotated(encoding, x, torch.tensor([[position]])).flatten().tolist()
    assert got == pytest.approx(wanted, abs=5e-9)


def test_logits_depend_on_the_difference_of_positions_only() -> None:
    encoding = build(RoPE(head_dim=8))
    q, k = numbers(1, 1, 1, 8, seed=1), numbers(1, 1, 1, 8, seed=2)
    logits = [
        (rotated(encoding, q, torch.tensor([[m]])) * rotated(encoding, k, torch.tensor([[n]]))).sum()
        for m, n in ((9, 2), (1009, 1002), (2, 9))
    ]
    torch.testing.assert_close(logits[0], logits[1])
    assert abs(logits[0] - logits[2]) > 1e-3


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_angles_are_exact_far_out_in_any_dtype(dtype: torch.dtype) -> None:
    encoding = build(RoPE(head_dim=8)).to(dtype)
    x, positions = numbers(1, 1, 3, 8).to(dtype), torch.tensor([[10**6, 10**6 + 1, 2**31 + 7]])
    speeds = [10000.0 ** (-pair / 4) for pair in range(4)]
    wanted = by_complex_numbers(x.double(), positions, speeds, "half").to(dtype)
    tolerance = 2 * torch.finfo(dtype).eps
    torch.testing.assert_close(rotated(encoding, x, positions), wanted, rtol=tolerance, atol=tolerance)


def test_a_head_too_narrow_to_turn_is_refused() -> None:
    encoding = build(RoPE(head_dim=8))
    with pytest.raises(ClockhandsError, match="head_dim is 6, and this rotation turns 8"):
        rotated(encoding, numbers(1, 1, 1, 6), torch.tensor([[1]]))


def test_ones_own_frequencies_turn_a_leading_part() -> None:
    encoding = build(OwnFrequencies([2.0, 0.1], head_dim=6, layout="interleaved"))
    x, positions = numbers(1, 2, 3, 6), torch.tensor([[0, 2, 9]])
    torch.testing.assert_close(
        rotated(encoding, x, positions), by_complex_numbers(x, positions, [2.0, 0.1], "interleaved")
    )


def test_layered_gives_each_layer_its_base() -> None:
    speeds = [build(Layered(head_dim=4).at_layer(layer, 3)).inv_freq[1].item() for layer in range(3)]
    assert speeds == pytest.approx([1e3**-0.5, 10**-2.25, 1e-3])


# tagged ----------------------------------------------------------------------------------

TAGS = torch.tensor([[0, 1, 1, 0, 2, 1], [2, 2, 0, 0, 1, 0]])


def test_with_all_ones_tagged_is_plain_rope_to_the_last_bit() -> None:
    tagged, plain = build(Tagged(head_dim=8, tags=("n", "v", "x"))), build(RoPE(head_dim=8))
    x, counts = numbers(2, 4, 6, 8).float(), place.tag_counts(TAGS, 3)
    assert torch.equal(rotated(tagged, x, counts), rotated(plain, x, torch.arange(6)[None]))
    assert torch.equal(tagged.keys(x, tagged.table(counts)), plain.keys(x, plain.table(counts.sum(-1))))


def test_each_tag_moves_the_hands_by_its_own_step() -> None:
    steps = {"n": 1.0, "v": 0.25, "x": 3.0}
    tagged = build(Tagged(head_dim=4, tags=("n", "v", "x"), sensitivity=steps))
    walked = torch.zeros(2, 6, dtype=torch.float64)
    for row in range(2):
        for token in range(1, 6):  # the first token stands at 0, each later one steps by its own tag
            step = list(steps.values())[int(TAGS[row, token])]
            walked[row, token] = walked[row, token - 1] + step
    x = numbers(2, 1, 6, 4)
    got = rotated(tagged, x, place.tag_counts(TAGS, 3))
    torch.testing.assert_close(got, by_complex_numbers(x, walked, [1.0, 0.01], "half"))


@pytest.mark.parametrize("learned", [False, True])
def test_the_sensitivity_is_a_parameter_only_where_it_is_learned(learned: bool) -> None:
    description = Tagged(head_dim=8, tags=("n", "v", "x"), sensitivity={"v": 0.5}, learned=learned)
    encoding = build(description)
    assert list(dict(encoding.named_parameters())) == (["sensitivity"] if learned else [])
    assert encoding.sensitivity.tolist() == [1.0, 0.5, 1.0]
    assert encoding.traits.learned == learned
    assert encoding.traits.reads == "positions"
    assert encoding.axes == 3


def test_the_gradient_of_a_learned_sensitivity_is_that_of_finite_differences() -> None:
    encoding = build(Tagged(head_dim=8, tags=("n", "v", "x"), learned=True)).double()
    x, counts = numbers(2, 1, 6, 8), place.tag_counts(TAGS, 3)
    weights = numbers(2, 1, 6, 8, seed=5)

    def score() -> Tensor:
        return (rotated(encoding, x, counts) * weights).sum()

    score().backward()
    got = encoding.sensitivity.grad.tolist()
    for tag in range(3):
        ends = []
        for nudge in (1e-6, -1e-6):
            with torch.no_grad():
                encoding.sensitivity[tag] += nudge
                ends.append(score())
                encoding.sensitivity[tag] -= nudge
        assert got[tag] == pytest.approx(float(ends[0] - ends[1]) / 2e-6, rel=1e-6)


def test_tagged_refuses_plain_positions() -> None:
    encoding = build(Tagged(head_dim=8, tags=("n", "v")))
    with pytest.raises(ClockhandsError, match=r"tagged needs \(1, 3, 2\)"):
        enter([encoding], torch.zeros(1, 3, 8), torch.arange(3)[None])


def test_counts_go_on_where_the_cache_left_off() -> None:
    encoding = build(Tagged(head_dim=8, tags=("n", "v", "x"), sensitivity=(0.5, 2.0, 1.5)))
    q, k, v = (numbers(2, 2, 6, 8, seed=seed) for seed in (1, 2, 3))
    whole = attend(enter([encoding], torch.zeros(2, 6, 16), place.tag_counts(TAGS, 3))[1][0], q, k, v).output
    cache, first = LayerCache(), place.tag_counts(TAGS[:, :4], 3)
    rest = place.tag_counts(TAGS[:, 4:], 3, start=first[:, -1])
    parts = []
    for chunk, counts in ((slice(0, 4), first), (slice(4, 6), rest)):
        here = enter([encoding], torch.zeros(2, counts.shape[1], 16), counts)[1][0]
        parts.append(attend(here, q[:, :, chunk], k[:, :, chunk], v[:, :, chunk], cache=cache).output)
    torch.testing.assert_close(torch.cat(parts, dim=2), whole)
