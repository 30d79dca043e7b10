"""Schemes that need whole rows of scores, block by block: numbers, gradients, what is held at once."""

from __future__ import annotations

import pytest
import torch
from largest import Largest
from torch import Tensor

from clockhands.catalogue import CATALOGUE
from clockhands.conformance.sizing import sizes_for
from clockhands.conformance.subject import Subject
from clockhands.core.attend import attend
from clockhands.core.back_ends import WHOLE_ROWS, BackEnd, Dense
from clockhands.core.blocked import Blocked
from clockhands.core.encoding import Encoding
from clockhands.core.visibility import Visibility
from clockhands.schemes import build, make, path

SCHEMES = (
    "carope", "cope-contextual", "dape", "dape-v2", "deberta", "deberta-v3", "dual-chunk", "lm-infinite",
    "path", "path-fox", "rerope", "rope-values", "selective-rope", "self-extend", "shaw", "stick-breaking",
    "streaming", "string-shift", "transformer-xl", "wavelet", "xpos",
)  # fmt: skip
SIZES = {  # tables of vectors that are small beside the scores
    "deberta": {"max_relative_positions": 12},
    "deberta-v3": {"position_buckets": 8, "max_relative_positions": 30},
}
LENGTHS = {"path": 132, "path-fox": 132}
"""Their mirrors are taken in blocks of 64 keys, of which there are more than one."""


def computed(
    encoding: Encoding, length: int, visibility: Visibility, back_end: BackEnd
) -> tuple[Tensor, tuple[Tensor | None, ...], int]:
    """Output, gradients of all that has one, and the size of the largest tensor on the way."""
    subject = Subject(lambda: encoding, sizes_for(encoding), length=length)
    x, positions = subject.tokens(encoding), subject.positions(encoding)
    hidden, (placed,) = subject.enter(encoding, x, positions)
    hidden = hidden.detach().requires_grad_()
    heads = [part.detach().requires_grad_() for part in subject.heads(hidden)]
    with Largest() as largest:
        output = attend(placed, *heads, visibility=visibility, x=hidden, back_ends=(back_end,)).output
        leaves = (*heads, hidden, *encoding.parameters())
        gradients = torch.autograd.grad(output.square().sum(), leaves, allow_unused=True)
    return output, gradients, largest.numbers


def test_these_are_all_that_need_whole_rows() -> None:
    needing = [each.card.id for each in CATALOGUE if any(map(build(each()).overrides, WHOLE_ROWS))]
    assert sorted(needing) == sorted(SCHEMES)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_blocks_give_numbers_and_gradients_of_the_whole_and_hold_a_part(
    scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a causal mask and without."""
    monkeypatch.setattr(path, "BLOCK", 32)
    encoding, length = make(scheme, **SIZES.get(scheme, {})).double(), LENGTHS.get(scheme, 64)
    blocks = Blocked(Dense(), cells=2 * 4 * length * length // 4, least=0)
    for visibility in (Visibility(), Visibility(causal=False)):
        got, of_got, held = computed(encoding, length, visibility, blocks)
        wanted, of_wanted, whole = computed(encoding, length, visibility, Dense())
        torch.testing.assert_close(got, wanted, rtol=1e-9, atol=1e-10)
        for mine, theirs in zip(of_got, of_wanted, strict=True):
            assert (mine is None) == (theirs is None)
            if mine is not None:
                torch.testing.assert_close(mine, theirs, rtol=1e-7, atol=1e-9)
        assert whole >= got.shape[0] * got.shape[1] * length**2
        assert held <= whole / 2
