"""The small Transformer: what it sees, what it hands out, and how it starts."""

import math

import pytest
import torch

from clockhands.catalogue import SCHEMES
from clockhands.core.cache import Cache
from clockhands.core.encoding import Encoding
from clockhands.errors import ClockhandsError
from clockhands.models import Transformer, generate, stream

VOCAB, T = 23, 9
SMALL = {"dim": 16, "heads": 4, "layers": 3, "seed": 5}


def model(encoding="rope", **options):
    return Transformer(VOCAB, encoding=encoding, **(SMALL | options)).eval()


def tokens(seed=0, rows=2):
    return torch.randint(VOCAB, (rows, T), generator=torch.Generator().manual_seed(seed))


def places(encoding):
    if encoding != "tagged":
        return None
    kinds = torch.arange(T) % 11
    return (kinds[:, None] == torch.arange(11)).long().cumsum(0)[None]


def close(a, b):
    torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("encoding", SCHEMES)
@pytest.mark.parametrize("causal", [True, False])
def test_every_scheme_works_and_hands_out_its_weights(encoding, causal):
    made = model(encoding, causal=causal)
    ids, valid = tokens(), torch.arange(T) < torch.tensor([[T], [6]])
    plain = made(ids, places(encoding), valid=valid)
    assert plain.weights is None
    seen = made(ids, places(encoding), valid=valid, want_weights=True)
    close(seen.logits, plain.logits)
    assert len(seen.weights) == 3
    for weights in seen.weights:
        assert weights.shape == (2, 4, T, T)
        softmax = not type(made.encodings[0]).overrides("weigh")  # else it promises neither sum nor direction
        if softmax:
            close(weights.sum(-1), torch.ones(2, 4, T))
        assert (weights[1, :, :, 6:] == 0).all()
        assert not causal or (weights.triu(1) == 0).all()
        assert causal or not softmax or weights.triu(1).sum() > 1


def test_a_decoder_sees_no_later_token_and_an_encoder_does():
    ids = tokens()
    changed = ids.clone()
    changed[:, 5] = (changed[:, 5] + 1) % VOCAB
    decoder, encoder = model(), model(causal=False)
    before, after = decoder(ids).logits, decoder(changed).logits
    close(before[:, :5], after[:, :5])
    assert not torch.allclose(before[:, 5:], after[:, 5:])
    assert not torch.allclose(encoder(ids).logits[:, :5], encoder(changed).logits[:, :5])


def test_an_encoder_without_positions_can_not_tell_order():
    ids, order = tokens(), torch.randperm(T, generator=torch.Generator().manual_seed(1))
    blind, seeing = model("nope", causal=False), model("rope", causal=False)
    close(blind(ids).logits[:, order], blind(ids[:, order]).logits)
    assert not torch.allclose(seeing(ids).logits[:, order], seeing(ids[:, order]).logits, atol=1e-3)


@pytest.mark.parametrize("encoding", ["rope", "alibi", "t5", "sinusoidal", "learned"])
def test_chunks_with_a_cache_are_the_whole(encoding):
    made, ids, cache = model(encoding), tokens(), Cache(3)
    chunks = [made(ids[:, start:stop], cache=cache).logits for start, stop in ((0, 4), (4, 5), (5, T))]
    close(torch.cat(chunks, 1), made(ids).logits)


def test_padding_and_packing_change_nothing_for_real_tokens():
    made, ids = model(), tokens(rows=1)
    short = made(ids[:, :5]).logits
    padded = made(ids, valid=torch.arange(T)[None] < 5).logits
    close(padded[:, :5], short)
    documents = torch.tensor([[0] * 4 + [1] * 5])
    packed = made(ids, positions=torch.tensor([[0, 1, 2, 3, 0, 1, 2, 3, 4]]), documents=documents).logits
    close(packed[:, 4:], made(ids[:, 4:]).logits)


def others(made):
    """Every parameter that belongs to no encoding."""
    inside = {id(p) for e in made.encodings for p in e.parameters()}
    return {name: p for name, p in made.named_parameters() if id(p) not in inside}


@pytest.mark.parametrize("encoding", [scheme for scheme in SCHEMES if scheme != "rope"])
def test_equal_seeds_share_all_weights_but_the_encodings(encoding):
    ours, theirs = others(model(encoding)), others(model("rope"))
    assert ours.keys() == theirs.keys()
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)
    assert not torch.equal(others(model("rope", seed=6))["embedding.weight"], theirs["embedding.weight"])


def test_a_narrower_embedding_shifts_no_other_weight():
    from clockhands.catalogue import describe

    concatenated = describe("sinusoidal", d_model=16, combine="concatenate")
    ours, theirs = others(model(concatenated)), others(model("rope"))
    assert ours["embedding.weight"].shape == (VOCAB, 8)
    assert set(ours) - set(theirs) == {"narrow.weight"}
    assert all(torch.equal(ours[name], theirs[name]) for name in theirs if name != "embedding.weight")


def test_positions_of_equal_seeds_are_equal_and_of_others_not():
    rows = [model("learned", seed=seed).encodings[0].rows for seed in (5, 5, 6)]
    assert torch.equal(rows[0], rows[1])
    assert not torch.equal(rows[0], rows[2])


def test_a_seed_leaves_torchs_generator_alone_and_none_follows_it():
    torch.manual_seed(0)
    expected = torch.rand(3)
    torch.manual_seed(0)
    model(seed=5)
    assert torch.equal(torch.rand(3), expected)
    torch.manual_seed(1)
    first = model(seed=None).embedding.weight
    second = model(seed=None).embedding.weight
    torch.manual_seed(1)
    assert torch.equal(model(seed=None).embedding.weight, first)
    assert not torch.equal(first, second)


def test_streams_with_other_names_differ():
    drawn = []
    for names in (("a", "b"), ("ab",), ("a", "b")):
        with stream(0, *names):
            drawn.append(torch.rand(4))
    assert torch.equal(drawn[0], drawn[2])
    assert not torch.equal(drawn[0], drawn[1])


def test_tokens_and_logits_start_with_variance_one():
    made = Transformer(500, dim=64, heads=4, layers=2, seed=0).eval()
    ids = torch.arange(500)[None, :256]
    assert 0.9 < made.embedding(ids).std() < 1.1
    logits = made(ids).logits[0]
    others_than_itself = logits[torch.arange(500) != ids[0][:, None]]
    assert 0.8 < others_than_itself.std() < 1.2


def test_layers_by_pattern_share_what_is_equal():
    made = model({"R": "rope", "N": "nope"}, pattern="RN", layers=4)
    assert [encoding.id for encoding in made.encodings] == ["rope", "nope", "rope", "nope"]
    assert made.encodings[0] is made.encodings[2]
    by_function = model(lambda layer: "rope" if layer % 2 == 0 else "nope", layers=4)
    close(by_function(tokens()).logits, made(tokens()).logits)


def test_an_encoding_of_ones_own_goes_in():
    class Blind(Encoding):
        pass

    close(model(Blind())(tokens()).logits, model("nope")(tokens()).logits)


def test_tied_and_untied():
    tied, untied = model(), model(tied=False)
    assert set(dict(untied.named_parameters())) - set(dict(tied.named_parameters())) == {"output.weight"}
    assert untied(tokens()).logits.shape == (2, T, VOCAB)


def test_gradients_reach_every_parameter():
    made = model("learned", kv_heads=2)
    made(tokens()).logits.square().sum().backward()
    missing = [n for n, p in made.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]
    assert [name for name in missing if "key.bias" not in name] == []  # softmax ignores a shift of all keys


def test_dropout_acts_while_training_only():
    made = model(dropout=0.5)
    assert torch.equal(made(tokens()).logits, made(tokens()).logits)
    made.train()
    assert not torch.equal(made(tokens()).logits, made(tokens()).logits)


def test_generating_with_a_cache_equals_generating_without():
    made, ids = model(), tokens(rows=1)[:, :4]
    expected = ids
    for _ in range(5):
        expected = torch.cat((expected, made(expected).logits[:, -1].argmax(-1, keepdim=True)), 1)
    assert torch.equal(generate(made, ids, 5), expected)
    sources = [torch.Generator().manual_seed(seed) for seed in (0, 0, 1)]
    draws = [generate(made, ids, 5, temperature=1.0, generator=source) for source in sources]
    assert torch.equal(draws[0], draws[1])
    assert not torch.equal(draws[0], draws[2])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layers": 0}, "layers is 0"),
        ({"dim": 10}, "heads must divide dim"),
        ({"dim": 12}, "head_dim is 3"),
        ({"dim": 1_000_000, "heads": 1}, "free: use smaller sizes"),
        ({"dropout": 2.0}, "dropout is 2.0"),
        ({"hidden": -1}, "hidden is -1"),
        ({"pattern": "RN"}, "needs a mapping"),
    ],
)
def test_sizes_that_do_not_fit(options, message):
    with pytest.raises(ClockhandsError, match=message):
        model(**options)


def test_generating_needs_a_decoder_and_sound_numbers():
    with pytest.raises(ClockhandsError, match="encoder"):
        generate(model(causal=False), tokens(), 3)
    with pytest.raises(ClockhandsError, match="length is 0"):
        generate(model(), tokens(), 0)
    with pytest.raises(ClockhandsError, match="temperature is nan"):
        generate(model(), tokens(), 1, temperature=math.nan)


@pytest.mark.parametrize("encoding", SCHEMES)
def test_positions_said_once_count_for_all_rows(encoding):
    made, ids, where = model(encoding), tokens(rows=3), places(encoding)
    where = torch.arange(T)[None] if where is None else where
    axes = made.encodings[0].axes
    if axes is not None and where.ndim == 2:
        where = where[..., None].expand(1, T, axes)
    close(made(ids, where).logits, made(ids, where.expand(3, *where.shape[1:])).logits)


@pytest.mark.parametrize("encoding", ["rope", "alibi", "t5", "sinusoidal", "fox", "path", "cope-contextual"])
@pytest.mark.parametrize("causal", [True, False])
def test_what_is_asked_for_is_read_without_the_rest(encoding, causal):
    made = model(encoding, causal=causal)
    ids = tokens(rows=3)
    valid = None if causal else torch.arange(T) < torch.tensor([[T], [6], [4]])
    asked = torch.zeros(3, T, dtype=torch.bool)
    asked[0, [2, 5]] = asked[1, 3] = True  # of the last row nothing
    positions = torch.arange(T)[None]
    got, want = made.read_asked(ids, asked, positions, valid), made.read(ids, positions, valid)[0][asked]
    close(got, want)
    want.sum().backward()
    grads = {name: weight.grad for name, weight in made.named_parameters()}
    made.zero_grad()
    got.sum().backward()
    for name, weight in made.named_parameters():
        close(weight.grad, grads[name])


def test_no_mlp_sees_a_token_on_which_nothing_hangs():
    made = model()
    asked = torch.zeros(2, T, dtype=torch.bool)
    asked[0, 4] = asked[1, 1] = True
    seen = []
    for block in made.blocks:
        block.mlp.register_forward_hook(lambda _, given, out: seen.append(len(given[0])))
    made.read_asked(tokens(), asked)
    assert seen == [5 + 2, 5 + 2, 2]
    seen.clear()
    made.read_asked(tokens(), torch.ones(2, T, dtype=torch.bool))
    assert seen == [2 * T] * 3
    seen.clear()
    encoder, valid = model(causal=False), torch.arange(T) < torch.tensor([[T], [6]])
    for block in encoder.blocks:
        block.mlp.register_forward_hook(lambda _, given, out: seen.append(len(given[0])))
    encoder.read_asked(tokens(), asked, valid=valid)
    assert seen == [T + 6, T + 6, 2]


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (torch.zeros(2, T, dtype=torch.bool), "no token is asked for"),
        (torch.ones(2, T), "must be torch.bool"),
        (torch.ones(2, T - 1, dtype=torch.bool), "as the tokens"),
        ([True] * T, "torch.as_tensor"),
    ],
)
def test_asking_for_what_cannot_be_is_refused(asked, says):
    with pytest.raises(ClockhandsError, match=says):
        model().read_asked(tokens(), asked)
