"""Where tokens are when nobody says: a row reads as it would alone, whatever stands around it."""

import pytest
import torch

from clockhands.core.cache import Cache
from clockhands.errors import ClockhandsError
from clockhands.models import Attention, Transformer


def model(encoding="sinusoidal", causal=True):
    return Transformer(20, dim=16, heads=2, layers=2, encoding=encoding, causal=causal, seed=0).eval()


TOKENS = torch.arange(3, 10)[None]


@pytest.mark.parametrize("encoding", ["sinusoidal", "learned", "rope", "alibi"])
@pytest.mark.parametrize("causal", [True, False])
def test_left_padding_changes_nothing(encoding, causal):
    reader = model(encoding, causal)
    padded = torch.cat((torch.zeros(1, 3, dtype=torch.int64), TOKENS), dim=1)
    valid = torch.arange(10)[None] >= 3
    torch.testing.assert_close(reader(padded, valid=valid).logits[:, 3:], reader(TOKENS).logits)


@pytest.mark.parametrize("encoding", ["sinusoidal", "rope"])
def test_decoding_after_left_padding_goes_on_where_the_row_is(encoding):
    reader = model(encoding)
    padded = torch.cat((torch.zeros(1, 3, dtype=torch.int64), TOKENS), dim=1)
    valid = torch.arange(10)[None] >= 3
    cache = Cache(num_layers=2)
    reader(padded[:, :6], valid=valid[:, :6], cache=cache)
    later = torch.cat([reader(padded[:, i : i + 2], cache=cache).logits for i in (6, 8)], dim=1)
    torch.testing.assert_close(later, reader(TOKENS).logits[:, 3:])


@pytest.mark.parametrize("encoding", ["sinusoidal", "rope"])
def test_packed_documents_read_as_they_do_alone(encoding):
    reader = model(encoding)
    documents = torch.tensor([[1, 1, 1, 2, 2, 2, 2]])
    packed = reader(TOKENS, documents=documents).logits
    alone = torch.cat((reader(TOKENS[:, :3]).logits, reader(TOKENS[:, 3:]).logits), dim=1)
    torch.testing.assert_close(packed, alone)


def test_padding_and_documents_at_once_need_positions():
    with pytest.raises(ClockhandsError, match="pass positions"):
        model()(TOKENS, valid=TOKENS > 0, documents=TOKENS * 0)


@pytest.mark.parametrize("causal", [True, False])
def test_an_encoder_gets_the_bias_that_looks_both_ways(causal):
    layer = Attention(32, 4, encoding="alibi", causal=causal)
    assert layer.encoding.description.symmetric is not causal
    with torch.no_grad():
        constant = torch.ones(1, 9, 32)
        middle = layer.attended(constant).weights[0, :, 4]
    if not causal:  # equal contents: nearest keys weigh most, the same on both sides
        torch.testing.assert_close(middle, middle.flip(-1))
        assert (middle.argmax(-1) == 4).all()
