"""Tables of positions of transformers 5.24.0, and how its models number their rows."""

from __future__ import annotations

import numpy as np
import torch
from comparing import Peers, randomised

from clockhands.catalogue import describe
from clockhands.core.attend import enter
from clockhands.positions import after_padding_row, from_mask
from clockhands.schemes.building import make

MASK = torch.tensor([[0, 0, 0, 1, 1, 1], [1, 1, 1, 1, 1, 1]])


def test_opt_begins_at_the_second_row(peers: Peers) -> None:
    peer = randomised(peers.hf("opt").OPTLearnedPositionalEmbedding(16, 8))
    scheme = make("learned", d_model=8, max_positions=16, offset=2)
    scheme.rows.copy_(peer.weight)
    ours, _ = enter([scheme], torch.zeros(2, 6, 8), from_mask(MASK))
    real = MASK.bool()  # padding has another row there, and nobody looks at it
    torch.testing.assert_close(ours[real], peer(MASK)[real])


def test_roberta_begins_after_the_row_of_padding(peers: Peers) -> None:
    rows = peers.hf("roberta").RobertaEmbeddings.create_position_ids_from_input_ids(
        1 + 6 * MASK, padding_idx=1
    )
    torch.testing.assert_close(after_padding_row(MASK), rows)
    torch.testing.assert_close((from_mask(MASK) + 2)[MASK.bool()], rows[MASK.bool()])


def test_m2m_has_the_sinusoid_of_tensor2tensor(peers: Peers) -> None:
    """Exponents i / (d/2 - 1), all sines first, rows numbered as in fairseq."""
    peer = peers.hf("m2m_100").M2M100SinusoidalPositionalEmbedding(512, 10, padding_idx=1)
    theirs = peer(1 + 6 * MASK)
    table = describe("sinusoidal", d_model=10, exponent="i/(d/2-1)", arrangement="concatenated")
    ours = table.table(after_padding_row(MASK).numpy())
    real = MASK.bool().numpy()
    np.testing.assert_allclose(ours[real], theirs.numpy()[real], atol=2e-6)
    far = table.table(np.asarray([500]))
    np.testing.assert_allclose(far[0], peer.weights[500].numpy(), atol=5e-5)


def test_whisper_and_marian(peers: Peers) -> None:
    slots = np.arange(512)
    whisper = peers.hf("whisper").sinusoids(512, 10)
    table = describe("sinusoidal", d_model=10, exponent="i/(d/2-1)", arrangement="concatenated").table(slots)
    np.testing.assert_allclose(table, whisper.numpy(), atol=5e-5)
    marian = peers.hf("marian").MarianSinusoidalPositionalEmbedding(512, 10).create_weight()
    table = describe("sinusoidal", d_model=10, arrangement="concatenated").table(slots)
    np.testing.assert_allclose(table, marian.numpy(), atol=2e-6)
