"""Attention maps: one scale, readable labels whatever the tokens, padding gone, the future hatched."""

from __future__ import annotations

import numpy as np
import pytest

from clockhands.analysis.labelled import Axis, Labelled
from clockhands.errors import ClockhandsError
from clockhands.language import Language, Text
from clockhands.plots import attention, overview
from clockhands.plots.recorder import collisions, record

ODD = [
    "مرحبا", "👩‍🚀", "</script>", "x" * 10_000, "\n", " ", "", "the", "the", "的", "的", "\u202e",
    "鲁提辖拳打镇关西", "$x^2$", "𠀀", "<b>&amp;", "\ud800", "é",
]  # fmt: skip
WORDS = ["史进", "与", "鲁达", "结义", "，", "路遇", "镇关西", "郑屠", "。"]


def weights(*shape: int, seed: int = 0) -> np.ndarray:
    grown = np.exp(np.random.default_rng(seed).normal(size=shape) * 2)
    return grown / grown.sum(axis=-1, keepdims=True)


def test_heads_share_one_sequential_scale_from_zero() -> None:
    given = weights(3, 9, 9)
    picture = attention(given, WORDS)
    maps = [record(picture).panel(f"layer 0 head {head}").images[0] for head in range(3)]
    assert {image.limits for image in maps} == {(0.0, given.max())}
    assert {image.colours for image in maps} == {"viridis"}
    assert all(np.array_equal(image.values, head) for image, head in zip(maps, given, strict=True))
    assert np.array_equal(picture.data[0].values[0], given)


def test_each_head_has_its_own_scale_only_if_asked() -> None:
    given = weights(2, 9, 9)
    drawn = record(attention(given, WORDS, shared_scale=False))
    for head in range(2):
        assert drawn.panel(f"layer 0 head {head}").images[0].limits == (0, given[head].max())
    assert "colours" not in {panel.name for panel in drawn.panels}
    assert drawn.says("up to")


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("heads", [1, 4])
def test_odd_tokens_keep_their_rows_and_can_be_read(lang: Language, heads: int) -> None:
    picture = attention(weights(heads, len(ODD), len(ODD)), ODD, lang=lang)
    assert collisions(picture) == []
    panel = record(picture).panel("layer 0 head 0")
    assert panel.images[0].values.shape == (len(ODD), len(ODD))
    assert len(panel.y_ticks) == len(panel.x_ticks) == len(ODD)
    assert panel.y_ticks[7] == panel.y_ticks[8] == "the"
    assert panel.y_ticks[9] == panel.y_ticks[10] == "的"
    assert panel.y_ticks[2] == "</script>"
    assert panel.y_ticks[13] == "$x^2$"
    assert all(label.strip() for label in panel.y_ticks)
    assert max(len(label) for label in panel.y_ticks) <= 12
    assert list(picture.data[0].axes[3].values) == ODD  # the data keep every token whole


@pytest.mark.parametrize("count", [1, 2, 36, 60, 300])
def test_labels_never_overlap_however_many(count: int) -> None:
    words = [WORDS[i % 9] for i in range(count)]
    picture = attention(weights(2, count, count), words)
    assert collisions(picture) == []
    panel = record(picture).panel("layer 0 head 0")
    shown = len(panel.y_ticks)
    assert shown == count or record(picture).says("is written along the sides")
    assert shown >= min(count, 60)


def test_chinese_labels_stand_upright_above_their_column() -> None:
    panel = record(attention(weights(1, 9, 9), WORDS)).panel("layer 0 head 0")
    assert panel.x_ticks[6] == "镇\n关\n西"
    assert panel.y_ticks[6] == "镇关西"


def test_padding_is_cut_away_on_either_side() -> None:
    given = weights(2, 5, 5)
    valid = [False, True, True, True, False]
    picture = attention(given, ["<pad>", "史进", "打", "郑屠", "<pad>"], valid=valid)
    panel = record(picture).panel("layer 0 head 0")
    assert panel.y_ticks == ("史进", "打", "郑屠")
    assert np.array_equal(panel.images[0].values, given[0, 1:4, 1:4])
    assert np.array_equal(picture.data[0].values[0], given[:, 1:4, 1:4])
    assert not record(picture).says("<pad>")


def test_the_future_is_hatched_and_not_shown_as_zero() -> None:
    drawn = record(attention(weights(1, 4, 4), WORDS[:4], causal=True))
    cells = drawn.panel("layer 0 head 0").images[0].values
    assert np.isnan(cells[np.triu_indices(4, 1)]).all()
    assert np.isfinite(cells[np.tril_indices(4)]).all()


def test_with_a_cache_the_last_query_is_the_last_key() -> None:
    panel = record(attention(weights(1, 2, 5), WORDS[:5], causal=True)).panel("layer 0 head 0")
    assert panel.y_ticks == ("结义", "，")
    assert np.isnan(panel.images[0].values[0]).tolist() == [False] * 4 + [True]


def test_layers_and_heads_are_named() -> None:
    drawn = record(attention(weights(2, 3, 4, 4), WORDS[:4], lang="zh"))
    assert drawn.says("第 2 层 · 头 3")
    assert len([panel for panel in drawn.panels if panel.name.startswith("layer")]) == 6


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_map_says_what_a_weight_is_not(lang: Language) -> None:
    note = Text("untrained, seed 0", "未训练，随机种子 0")
    drawn = record(attention(weights(1, 4, 4), WORDS[:4], lang=lang, note=note))
    assert drawn.says({"en": "An attention weight is not importance", "zh": "注意力权重不等于重要程度"}[lang])
    assert drawn.says(note.said_in(lang))


def test_more_cells_than_pixels_show_the_strongest() -> None:
    given = np.full((1, 1600, 1600), 0.25)
    given[0, 1234, 567] = 1.0
    drawn = record(attention(given, [str(i) for i in range(1600)]))
    image = drawn.panel("layer 0 head 0").images[0]
    assert max(image.values.shape) <= 768
    assert image.values.max() == 1.0


@pytest.mark.parametrize(
    ("shape", "tokens", "valid"),
    [
        ((2, 4, 4), WORDS[:3], None),
        ((2, 5, 4), WORDS[:4], None),
        ((4, 4), WORDS[:4], None),
        ((2, 4, 4), WORDS[:4], [True] * 3),
        ((2, 4, 4), WORDS[:4], [False] * 4),
    ],
)
def test_what_does_not_fit_is_refused(
    shape: tuple[int, ...], tokens: list[str], valid: list[bool] | None
) -> None:
    with pytest.raises(ClockhandsError) as refused:
        attention(np.full(shape, 0.25), tokens, valid=valid)
    assert refused.value.text.zh != refused.value.text.en


def test_more_maps_than_can_be_read_are_refused_with_a_way_out() -> None:
    with pytest.raises(ClockhandsError, match=r"144 maps .* one picture holds 96"):
        attention(weights(12, 12, 2, 2), WORDS[:2])


def sentence(length: int, heads: int = 4) -> Labelled:
    axes = tuple(
        Axis(Text(name, name), np.arange(n)) for name, n in (("h", heads), ("q", length), ("k", length))
    )
    return Labelled("a", Text("weight", "权重"), weights(heads, length, length, seed=length), axes)


def test_the_overview_puts_all_sentences_on_one_scale() -> None:
    sentences = [sentence(5), sentence(8), sentence(6)]
    picture = overview(sentences, names=["一", "二", "三"])
    drawn = record(picture)
    limits = {panel.images[0].limits for panel in drawn.panels if panel.name.startswith("sentence")}
    assert limits == {(0.0, max(float(one.values.max()) for one in sentences))}
    assert drawn.panel("sentence 2 layer 0 head 3").images[0].values.shape == (6, 6)
    assert [one.id for one in picture.data] == ["sentence1", "sentence2", "sentence3"]
    assert drawn.says("二")
    assert collisions(picture) == []


def test_the_overview_wants_one_model() -> None:
    with pytest.raises(ClockhandsError, match="all from one model"):
        overview([sentence(5, heads=4), sentence(5, heads=2)])
    with pytest.raises(ClockhandsError, match="at least one"):
        overview([])


def test_the_overview_holds_so_many_maps() -> None:
    with pytest.raises(ClockhandsError, match=r"388 maps .* an overview holds 384"):
        overview([sentence(2, heads=4)] * 97)
