"""No scale without a name: over each colour bar and each upright axis stands what it measures."""

from __future__ import annotations

import numpy as np
import pytest

from clockhands.analysis.axes import NATS_A_TOKEN
from clockhands.analysis.labelled import Axis, Labelled
from clockhands.demo.drawing import Map, maps
from clockhands.language import Language, Text
from clockhands.plots import style
from clockhands.plots.attention import attention
from clockhands.plots.bias import bias
from clockhands.plots.curves import curves
from clockhands.plots.overview import overview
from clockhands.plots.picture import Picture
from clockhands.plots.recorder import collisions, record
from clockhands.views import show

STEPS = Axis(Text("step", "步"), np.arange(3))


def counting(count: int) -> Axis:
    return Axis(Text("at", "在"), np.arange(count))


def over(picture: Picture, panel: str) -> list[str]:
    """Words written close above the top left corner of a panel."""
    axes = next(one for one in picture.figure.axes if one.get_label() == panel)
    wide, high = picture.figure.get_size_inches()
    corner = axes.get_position()
    return [
        one.get_text()
        for one in picture.figure.texts
        if one.get_text()
        and 0 < (one.get_position()[1] - corner.y1) * high < 0.3
        and -0.8 < (one.get_position()[0] - corner.x0) * wide < 0.1
    ]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    ("view", "scheme", "en", "zh"),
    [
        ("heatmap", "sinusoidal", "value", "数值"),
        ("similarity", "rope", "cosine similarity", "余弦相似度"),
        ("bias", "t5", "bias", "偏置"),
        ("distance-map", "self-extend", "tokens", "词元"),
        ("relative", "rope", "logits with RoPE", "RoPE 的得分"),
        ("verdict", "sinusoidal", "value", "数值"),
    ],
)
def test_over_the_bar_of_a_view(view: str, scheme: str, en: str, zh: str, lang: Language) -> None:
    drawn = show(scheme, view, positions=40, lang=lang)
    assert isinstance(drawn, Picture)
    assert over(drawn, "colours") == [en if lang == "en" else zh]
    assert collisions(drawn) == []


def test_over_the_bar_of_attention() -> None:
    weights = np.full((2, 5, 5), 0.2)
    assert over(attention(weights), "colours") == ["weight"]
    assert over(overview([Labelled("a", Text("w", "权"), weights, (counting(2), counting(5), counting(5)))]),
                "colours") == ["weight"]  # fmt: skip


def test_curves_say_what_they_all_measure_and_in_what() -> None:
    one, other = (Labelled(name, Text(name, name), np.arange(3.0), (STEPS,), NATS_A_TOKEN) for name in "ab")
    measured = Text("loss", "损失")
    assert over(curves([one, other], measured=measured), "curves") == ["loss (nats a token)"]
    assert over(curves([one, other], measured=measured, lang="zh"), "curves") == ["损失（奈特 / 词元）"]
    bare = Labelled("c", Text("c", "c"), np.arange(3.0), (STEPS,))
    assert over(curves([one, bare], measured=measured), "curves") == ["loss"]  # of two units none is said
    assert over(curves([one]), "curves") == ["a (nats a token)"]


def test_a_scale_of_powers_shows_the_numbers_themselves() -> None:
    axes = (counting(2), counting(2))
    waves = Labelled(
        "waves", Text("wavelength", "波长"), np.array([[7.0, 80.0], [900.0, 2e4]]), axes, Text("words", "词")
    )
    picture = maps([Map(waves, Text("h", "题"))], lang="en", title=Text("t", "题"), powers=True)
    assert over(picture, "colours 0") == ["wavelength (words)"]
    assert record(picture).panel("colours 0").y_ticks == ("10", "100", "1,000", "10,000")
    assert record(picture).panel("map 0").images[0].limits == (7.0, 2e4)


def test_rows_of_an_overview_have_room_for_their_names() -> None:
    weights = np.full((4, 6, 6), 1 / 6)
    one = Labelled("w", Text("w", "权"), weights, (counting(4), counting(6), counting(6)))
    picture = overview([one, one], ["sentence 1, RoPE", "sentence 1, no position"])
    assert record(picture).says("sentence 1, no position")
    assert collisions(picture) == []


@pytest.mark.parametrize(
    ("heads", "rows"), [(1, 1), (2, 1), (3, 1), (4, 2), (5, 2), (6, 2), (8, 2), (12, 3), (32, 4)]
)
def test_maps_of_a_bias_fill_the_page(heads: int, rows: int) -> None:
    picture = bias(-np.outer(np.arange(1, heads + 1), np.arange(20)))
    tops = {
        round(one.get_position().y1, 3) for one in picture.figure.axes if one.get_label().startswith("head")
    }
    assert len(tops) == rows
    lowest = min(one.get_position().y0 for one in picture.figure.axes)
    assert lowest * picture.figure.get_size_inches()[1] < 1.3  # inches left under the last map or axis


def test_names_of_curves_can_be_read_on_the_page() -> None:
    def luminance(colour: str) -> float:
        linear = [((c / 255 + 0.055) / 1.055) ** 2.4 for c in style.rgb(colour)]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    hands = [f"#{r:02x}{g:02x}{b:02x}" for r, g, b in style.hand_colours(12).astype(int)]
    for colour in (*style.CATEGORIES, *hands):
        written = style.legible(colour)
        assert (luminance(style.PAGE) + 0.05) / (luminance(written) + 0.05) > 4.4
    assert style.legible(style.INK) == style.INK
