"""Maps from queries and keys: equal to what models hand out, in windows, and the model as it was."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from families import MAKERS, bytes_tokenizer, tiny

import clockhands as ch
from clockhands.analysis.attention_parts import unturned
from clockhands.errors import ClockhandsError
from clockhands.real import capture

IDS = torch.randint(3, 300, (1, 11), generator=torch.Generator().manual_seed(3))
PADDED = {"none": [1] * 11, "left": [0] * 3 + [1] * 8, "right": [1] * 8 + [0] * 3}


def handed_out(model: Any, **given: Any) -> Any:
    """What the eager implementation says."""
    model.set_attn_implementation("eager")
    return model(**given, output_attentions=True)


@pytest.mark.parametrize("padded", PADDED)
@pytest.mark.parametrize("name", [name for name in MAKERS if name != "t5"])
def test_maps_equal_those_of_the_eager_implementation(name: str, padded: str) -> None:
    model, mask = tiny(name), PADDED[padded]
    seen = ch.attention.trace(model, None, ids=IDS[0].tolist(), mask=mask).map()
    expected = handed_out(model, input_ids=IDS, attention_mask=torch.tensor([mask])).attentions
    real = [n for n, each in enumerate(mask) if each]
    gap = np.abs(seen.values - torch.stack(expected)[:, 0].numpy())[:, :, real]
    assert seen.values.shape == (3, 4, 11, 11)
    assert gap.max() < 1e-5
    assert seen.values[:, :, real].max() > 0.3  # far from even, so that a wrong bias or mask would show


def test_a_query_that_sees_nothing_has_no_weights() -> None:
    model = tiny("llama")
    seen = ch.attention.trace(model, None, ids=IDS[0].tolist(), mask=PADDED["left"]).map().values
    assert (seen[:, :, :3] == 0).all()


def test_encoder_decoder_and_cross_attention_of_t5() -> None:
    model, tokenizer = tiny("t5"), bytes_tokenizer()
    seen = ch.attention.trace(model, tokenizer, "武松打虎", target="the tiger")
    assert seen.target is not None
    given = {
        "input_ids": torch.tensor([seen.pieces.ids]),
        "decoder_input_ids": torch.tensor([seen.target.ids]),
    }
    out = handed_out(model, **given)
    for stack, kind, expected in (
        ("encoder", "self", out.encoder_attentions),
        ("decoder", "self", out.decoder_attentions),
        ("decoder", "cross", out.cross_attentions),
    ):
        found = seen.of(stack, kind)  # type: ignore[arg-type]
        assert np.abs(found.map().values - torch.stack(expected)[:, 0].numpy()).max() < 1e-5
        assert list(found.map().axes[2].values) == list(
            (seen.pieces if stack == "encoder" else seen.target).labels
        )
    with pytest.raises(ClockhandsError, match="choose with"):
        seen.map()
    alone = ch.attention.trace(model, tokenizer, "武松打虎")
    assert {(call.stack, call.kind) for call in alone.calls} == {("encoder", "self")}


@pytest.mark.parametrize("name", ["gemma2", "bloom", "gpt_oss", "mistral"])
def test_tiles_of_a_few_rows_give_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny(name)
    whole = ch.attention.trace(model, None, ids=IDS[0].tolist())
    monkeypatch.setattr(capture, "CELLS", 100)
    tiled = ch.attention.trace(model, None, ids=IDS[0].tolist())
    assert np.abs(whole.map().values - tiled.map().values).max() < 5e-6
    bands = [weights for _, weights in tiled.calls[2].bands(3, most=25)]
    assert [len(each) for each in bands] == [2, 2, 2, 2, 2, 1]
    assert np.abs(np.concatenate(bands) - whole.weights(2, 3)).max() < 5e-6


def test_layers_heads_and_rows_are_windows_of_the_whole() -> None:
    model = tiny("llama")
    whole = ch.attention.trace(model, None, ids=IDS[0].tolist()).map().values
    some = ch.attention.trace(model, None, ids=IDS[0].tolist(), layers=[-2, 0], heads=[3], rows=[2, 3, 8])
    assert [call.layer for call in some.calls] == [0, 1]
    assert np.abs(some.map().values - whole[:2, 3:][:, :, [2, 3, 8]]).max() < 1e-6
    two = ch.attention.trace(model, None, ids=IDS[0].tolist(), heads=[0, 2])  # each with other keys
    assert np.abs(two.map().values - whole[:, [0, 2]]).max() < 1e-6
    rows = ch.attention.trace(model, None, ids=IDS[0].tolist(), rows=slice(4, 6)).map().values
    assert np.abs(rows - whole[:, :, 4:6]).max() < 1e-6


def test_layers_behind_the_last_wanted_one_are_not_run() -> None:
    model = tiny("llama")
    ran: list[int] = []
    for n, layer in enumerate(model.model.layers):
        layer.mlp.register_forward_hook(lambda *_, n=n: ran.append(n))
    ch.attention.trace(model, None, ids=IDS[0].tolist(), layers=[1])
    assert ran == [0]


@pytest.mark.parametrize("name", ["llama", "bloom", "t5"])
def test_the_model_is_as_it_was(name: str) -> None:
    model = tiny(name).train()
    was = model.config._attn_implementation
    before = {key: value.clone() for key, value in model.state_dict().items()}
    ch.attention.trace(model, None, ids=IDS[0].tolist())
    assert model.config._attn_implementation == was
    assert all(module.training for module in model.modules())
    assert all("forward" not in vars(each) and "compute_bias" not in vars(each) for each in model.modules())
    assert all(torch.equal(value, before[key]) for key, value in model.state_dict().items())


def test_texts_in_one_batch_are_those_alone() -> None:
    model, tokenizer = tiny("llama"), bytes_tokenizer()
    short, long = ch.attention.traces(model, tokenizer, ["武松", "武松打虎"])
    assert len(short.pieces) == len(long.pieces) == 12
    assert short.pieces.marks == (0,) * 6 + (2,) * 6
    alone = ch.attention.trace(model, tokenizer, "武松").map().values
    assert np.abs(short.map().values[:, :, :6, :6] - alone).max() < 1e-6


def test_labels_are_whole_characters_and_rows_stay_apart() -> None:
    seen = ch.attention.trace(tiny("llama"), bytes_tokenizer(), "虎虎")
    assert seen.pieces.labels == ("虎",) * 6
    assert seen.map().values.shape == (3, 4, 6, 6)


def test_a_model_without_interface_gives_maps_and_says_what_it_cannot() -> None:
    seen = ch.attention.trace(tiny("falcon"), None, ids=IDS[0].tolist())
    assert seen.calls[0].given is not None
    with pytest.raises(ClockhandsError, match="profiles by distance work"):
        seen.parts(0, 0)


def test_a_model_that_attends_nowhere_is_said() -> None:
    from transformers import MambaConfig, MambaForCausalLM

    config = MambaConfig(vocab_size=300, hidden_size=16, state_size=4, num_hidden_layers=1)
    with pytest.raises(ClockhandsError, match="clockhands check tells still"):
        ch.attention.trace(MambaForCausalLM(config), None, ids=[5, 6, 7])


def test_more_tokens_than_were_promised_are_said_and_no_fewer() -> None:
    for count, notes in ((128, []), (129, ["129 tokens, more than the 128 that the model says it reads."])):
        seen = ch.attention.trace(tiny("llama"), None, ids=[5] * count, layers=[0], heads=[0])
        assert [note.en for note in seen.notes] == notes


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"ids": [5] * 200}, "table of 128 positions"),
        ({"ids": [5, 300]}, "belongs to another model"),
        ({"ids": [5, 6], "layers": [3]}, "layers has 3, and the model has 3"),
        ({"ids": [5, 6], "heads": []}, "heads has nothing in it"),
        ({"ids": [5, 6], "rows": [2]}, "some of 0 to 1"),
        ({"text": " "}, "text is empty"),
        ({"text": "a\udce9"}, "no character at place 1"),
        ({"text": "a", "target": "b"}, "no decoder beside an encoder"),
        ({}, "give a tokenizer and a text"),
    ],
)
def test_bad_input_is_one_sentence(given: dict[str, Any], match: str) -> None:
    tokenizer = bytes_tokenizer() if "text" in given else None
    with pytest.raises(ClockhandsError, match=match):
        ch.attention.trace(tiny("gpt2"), tokenizer, **given)


def turning_models() -> dict[str, tuple[str, dict[str, Any], list[int]]]:
    """Class, settings, and the dimensions of the first hand as attention gets them."""
    sizes = {
        "vocab_size": 50, "hidden_size": 32, "intermediate_size": 16, "num_hidden_layers": 1,
        "num_attention_heads": 4, "pad_token_id": None, "bos_token_id": None, "eos_token_id": None,
    }  # fmt: skip
    latent = {
        "q_lora_rank": 8, "kv_lora_rank": 8, "qk_nope_head_dim": 8, "qk_rope_head_dim": 4, "v_head_dim": 8,
        "num_key_value_heads": 4, "n_routed_experts": 2, "n_group": 1, "topk_group": 1,
    }  # fmt: skip
    return {
        "a part of each head": ("GPTNeoX", {**sizes, "rotary_pct": 0.5}, [0, 2]),
        "neighbours": ("Cohere", sizes, [0, 1]),
        "the end, neighbours put into halves": ("DeepseekV3", {**sizes, **latent}, [8, 10]),
    }


@pytest.mark.parametrize("name", turning_models())
def test_keys_of_one_token_are_alike_once_they_are_turned_back(name: str) -> None:
    import transformers

    kind, settings, first = turning_models()[name]
    torch.manual_seed(0)
    config = getattr(transformers, f"{kind}Config")(**settings)
    model = getattr(transformers, f"{kind}ForCausalLM")(config).eval()
    seen = ch.attention.trace(model, None, ids=[5] * 9)
    call = seen.calls[0]
    how = seen.turning(call)
    assert how is not None
    assert how.pairs[0].tolist() == first
    keys = unturned(call.k[0], np.arange(9), how)
    assert np.abs(call.k[0] - call.k[0][0]).max() > 0.02
    assert np.abs(keys - keys[0]).max() < 1e-6


def test_parts_of_a_rotary_head_are_told_by_its_own_projections() -> None:
    model = tiny("llama")
    seen = ch.attention.trace(model, None, ids=IDS[0].tolist())
    layer = model.model.layers[0]
    x = layer.input_layernorm(model.model.embed_tokens(IDS))[0]
    q = layer.self_attn.q_proj(x).view(11, 4, 8)[:, 1].double().numpy()
    k = layer.self_attn.k_proj(x).view(11, 2, 8)[:, 0].double().numpy()
    scores = np.where(np.tri(11, dtype=bool), q @ k.T / np.sqrt(8), -np.inf)
    content = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    found = seen.parts(0, 1)
    assert np.abs(found.content - content).max() < 1e-5
    assert np.abs(found.whole - seen.weights(0, 1)).max() < 1e-5
    shares = seen.pair_shares(0, 1)
    assert shares is not None
    assert shares.shape == (5,)
    assert abs(shares.sum() - 1) < 1e-6
    assert shares[-1] == pytest.approx(0, abs=1e-6)  # all of a Llama's head turns


def test_where_a_bias_is_all_that_is_known_of_position_nothing_is_left() -> None:
    """ALiBi adds position to content: together they are the scores, so nothing takes both."""
    seen = ch.attention.trace(tiny("bloom"), None, ids=IDS[0].tolist())
    found = seen.parts(1, 2)
    assert np.abs(found.rest).max() < 1e-6
    assert not found.estimated
    slope = 2.0**-6  # the third of four: 2^(-8 · 3/4)
    ratio = found.position[10, :10] / found.position[10, 1:]
    assert np.abs(np.log(ratio) + slope).max() < 1e-5
    assert seen.pair_shares(1, 2) is None


def test_a_learned_table_is_found_without_rows_for_padding() -> None:
    from transformers import RobertaConfig, RobertaModel

    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    model = RobertaModel(RobertaConfig(vocab_size=50, max_position_embeddings=34, pad_token_id=1, **sizes))
    table = ch.attention.position_table(model)
    assert table.values.shape == (32, 16)
    assert np.array_equal(table.values, model.embeddings.position_embeddings.weight[2:].numpy())
    with pytest.raises(ClockhandsError, match="looks no position up"):
        ch.attention.position_table(tiny("llama"))
