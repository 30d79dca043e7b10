"""What a study says of a text, and the file of it that the page reads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from families import bytes_tokenizer, tiny

import clockhands as ch
from clockhands.analysis.attention_trace import weights_of
from clockhands.errors import ClockhandsError
from clockhands.real import study as studying
from clockhands.real.attention import trace
from clockhands.real.for_page import for_page
from clockhands.real.loading import Loaded
from clockhands.real.study import induction_of, study

TEXT = "武松打虎，下山。"


def loaded(name: str) -> Loaded:
    model = tiny(name)
    return Loaded(model, bytes_tokenizer(), name, "folder", 1)


def test_maps_are_of_whole_characters_or_words_or_pieces() -> None:
    made = loaded("llama")
    pieces, characters, words = (study(made, TEXT, unit=unit) for unit in ("pieces", "characters", "words"))
    assert len(pieces.labels) == 24
    assert characters.labels == list(TEXT)
    assert words.labels == ["武松打虎", "，", "下山", "。"]
    assert characters.map(1, 2).shape == (8, 8)
    assert characters.map(1, 2).sum(1) == pytest.approx(np.ones(8), abs=1e-5)
    whole = pieces.map(1, 2)
    assert characters.map(1, 2)[4, 3] == pytest.approx(whole[12:15, 9:12].sum() / 3, abs=1e-6)
    assert study(made, TEXT, unit=[(0, 4), (4, 8)]).labels == ["武松打虎", "，下山。"]


def test_what_is_hidden_is_gone_and_its_weight_is_said() -> None:
    made = study(loaded("llama"), TEXT, hide=["first"])
    assert made.labels == list(TEXT)  # the first of three bytes is hidden, and its character stays
    assert made.groups.starts.tolist()[:4] == [0, 1, 3, 6]
    assert len(made.groups) == 9
    said = made.said()[-1].en
    seen = study(loaded("llama"), TEXT, unit="pieces")
    first = np.mean([seen.map(one.layer, one.head)[:, 0].mean() for one in seen.scores])
    assert 0 < first < 1
    assert "of the weight lies on tokens that are hidden here" in said
    with pytest.raises(ClockhandsError, match="nothing called 'sink'"):
        study(loaded("llama"), TEXT, hide=["sink"])  # type: ignore[list-item]
    with pytest.raises(ClockhandsError, match="nothing of the text is left"):
        study(loaded("llama"), "a", hide=["first"])


def test_induction_is_measured_on_tokens_said_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def traced(model: Any, tokenizer: Any, *, ids: list[int]) -> Any:
        asked.extend(ids)
        return trace(model, tokenizer, ids=ids)

    monkeypatch.setattr(studying, "trace", traced)
    made = loaded("llama")
    found = induction_of(made)
    assert found is not None
    assert found.shape == (3, 4)
    assert asked[:24] == asked[24:]
    assert not set(asked) & set(made.require_tokenizer().all_special_ids)
    weights = trace(made.model, None, ids=asked).weights(2, 1)
    assert found[2, 1] == pytest.approx(np.mean([weights[i, i - 23] for i in range(25, 48)]), abs=1e-6)


def test_a_sink_is_explained_where_there_is_one() -> None:
    import torch

    made = loaded("llama")
    assert not any("attention sink" in each.en for each in study(made, TEXT).said())
    for layer in made.model.model.layers:  # queries of nothing look at all alike: the first of two takes half
        layer.self_attn.q_proj.weight.data = torch.zeros_like(layer.self_attn.q_proj.weight)
    said = study(made, "ab").said()
    assert said[0].en.startswith("50% of all weight lies on the first token")
    assert "注意力汇（attention sink）" in said[0].zh


def test_large_maps_are_of_heads_of_every_kind() -> None:
    made = study(loaded("llama"), TEXT)
    chosen = made.clearest(4)
    kinds = {(one.layer, one.head): one.kind for one in made.scores}
    assert len(chosen) == 4
    assert {kinds[each] for each in chosen} == set(list(dict.fromkeys(kinds.values()))[:4])


def test_induction_is_measured_where_heads_look_back() -> None:
    found = induction_of(loaded("llama"))
    assert found is not None
    assert found.shape == (3, 4)
    assert ((found >= 0) & (found < 1)).all()
    assert induction_of(loaded("bert")) is None


@pytest.mark.parametrize("name", ["llama", "bloom", "t5", "bert", "mistral", "gemma2", "gpt_oss", "falcon"])
def test_the_page_shows_the_models_own_weights(name: str) -> None:
    seen = trace(tiny(name), bytes_tokenizer(), TEXT)
    one = for_page(seen)
    assert one.tokens == seen.pieces.labels
    assert one.error < 1e-3
    assert (one.weights is None) == (name in ("llama", "bloom", "t5", "bert"))
    for layer, head in ((0, 1), (2, 3)):
        assert np.abs(weights_of(one, layer, head) - seen.weights(layer, head)).max() < 2e-3


def test_some_heads_that_share_their_keys_go_to_the_page() -> None:
    seen = trace(tiny("llama"), bytes_tokenizer(), TEXT, heads=[1, 2, 3])
    one = for_page(seen)
    assert np.abs(weights_of(one, 1, 2) - seen.weights(1, 3)).max() < 2e-3


def test_cross_attention_is_not_for_the_page() -> None:
    seen = trace(tiny("t5"), bytes_tokenizer(), TEXT, target="tiger").of("decoder", "cross")
    with pytest.raises(ClockhandsError, match="looks at itself"):
        for_page(seen)


def test_the_public_name_is_there() -> None:
    made: Any = ch.attention
    assert made.trace is trace
