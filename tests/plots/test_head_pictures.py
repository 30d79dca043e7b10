"""Pictures of many heads, of parts of maps, of hands that are used, and of learned tables."""

from __future__ import annotations

import numpy as np
import pytest

from clockhands.analysis.attention_heads import HeadScores, ranked
from clockhands.analysis.attention_parts import Parts
from clockhands.errors import ClockhandsError
from clockhands.language import Language, Text
from clockhands.plots import head_sheet as sheets
from clockhands.plots.head_hands import head_hands
from clockhands.plots.head_parts import head_parts
from clockhands.plots.head_sheet import head_sheet
from clockhands.plots.learned_table import learned_table
from clockhands.plots.recorder import collisions, record

LANGUAGES: tuple[Language, ...] = ("en", "zh")


def scores(count: int) -> list[HeadScores]:
    rng = np.random.default_rng(1)
    made = []
    for n in range(count):
        values = dict.fromkeys(("next", "itself", "local"), 0.0) | {"first": 0.9 if n % 3 else 0.1}
        previous = float(rng.uniform(0.4, 0.9)) if n % 3 == 0 else 0.0
        made.append(
            HeadScores(
                n // 4,
                n % 4,
                previous=previous,
                induction=float("nan"),
                entropy=1.0,
                evenness=0.4,
                distance=2.0,
                profile=np.array([0.1, 0.2]),
                **values,
            )
        )
    return ranked(made)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_sheet_has_a_map_of_each_head_sorted_by_kind(lang: Language) -> None:
    found = scores(12)
    picture = head_sheet(found, [np.eye(6) * n / 12 for n in range(12)], lang=lang, about=Text("tiny", "小"))
    drawn = record(picture)
    assert drawn.says("previous token" if lang == "en" else "前一词元")
    assert drawn.says("8 heads" if lang == "en" else "8 个头")
    one = drawn.panel(f"layer {found[5].layer} head {found[5].head}")
    assert one.images[0].values.max() == pytest.approx(5 / 12)
    assert one.images[0].limits == (0, 1)
    assert not collisions(picture)
    ranking = picture.data[0]
    assert str(ranking.axes[0].values[0]).startswith("1 previous L")
    assert ranking.values.shape == (12, 9)


def test_a_sheet_of_too_many_heads_keeps_some_of_each_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheets, "MOST_HEADS", 20)
    monkeypatch.setattr(sheets, "ACROSS", 5)
    found = scores(60)
    picture = head_sheet(found, [np.eye(3)] * 60)
    drawn = record(picture)
    assert drawn.says("19 of 60 heads: the clearest of each kind.")
    assert picture.data[0].values.shape[0] == 60
    with pytest.raises(ClockhandsError, match="60 heads and 1 maps"):
        head_sheet(found, [np.eye(3)])


def test_large_maps_become_small_by_their_largest_weights() -> None:
    cells = np.zeros((100, 100))
    cells[99, 51] = 0.7
    made = sheets.small(cells)
    assert made.shape == (34, 34)
    assert made[33, 17] == 0.7


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("causal", [True, False])
def test_parts_stand_beside_each_other_on_one_scale(lang: Language, causal: bool) -> None:
    even = np.tri(5) / np.tri(5).sum(1, keepdims=True)
    one = Parts(even, np.eye(5), even, even - np.eye(5), 0.25, 0.5, estimated=not causal)
    names = [Text("L0 H1 · itself", "0 层 1 头 · 自身")]
    picture = head_parts([one], names, list("武松打虎。"), causal=causal, lang=lang)
    drawn = record(picture)
    for column in ("the map", "position alone", "content alone"):
        assert drawn.panel(f"L0 H1 · itself {column}").images[0].limits == (0, 1)
    assert drawn.panel("L0 H1 · itself what takes both").images[0].limits == (-1, 1)
    assert drawn.says("position 25%" if lang == "en" else "与位置一致 25%")
    assert drawn.says("came in with the embeddings" if lang == "en" else "随嵌入进入") == (not causal)
    assert not collisions(picture)
    assert [each.id for each in picture.data] == ["whole", "position", "content", "rest"]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_hands_are_named_by_their_wavelengths(lang: Language) -> None:
    shares = np.array([[0.5, 0.75, -0.25, 0.0], [1.0, 0.0, 0.0, 0.0]])
    picture = head_hands(shares, np.array([1.0, 0.1, 0.0]), ["0·0", "0·1"], lang=lang)
    drawn = record(picture).panel("shares")
    assert drawn.x_ticks == ("6.28", "62.8", "∞")
    assert drawn.images[0].values.shape == (2, 3)
    low, high = drawn.images[0].limits
    assert low == -high
    assert not collisions(picture)
    still = head_hands(np.array([[0.5, 0.5]]), np.array([1.0]), ["0·0"], lang=lang)
    assert record(still).panel("shares").x_ticks == ("6.28", "none" if lang == "en" else "不转")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_learned_table_stands_beside_sinusoids_of_its_size(lang: Language) -> None:
    table = np.random.default_rng(0).normal(size=(40, 8))
    picture = learned_table(table, lang=lang)
    data = {each.id: each.values for each in picture.data}
    assert np.array_equal(data["learned"], table)
    assert data["sinusoidal"][3, :2] == pytest.approx([np.sin(3), np.cos(3)])
    assert np.ptp(data["sinusoidal_steps"]) < 1e-12
    assert data["learned_steps"][4] == pytest.approx(np.linalg.norm(table[5] - table[4]))
    assert data["learned_similarity"][2, 9] == pytest.approx(
        table[2] @ table[9] / np.linalg.norm(table[2]) / np.linalg.norm(table[9])
    )
    assert not collisions(picture)
    with pytest.raises(ClockhandsError, match="an even width"):
        learned_table(np.zeros((4, 3)))
