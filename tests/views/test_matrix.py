"""The whole matrix scheme × view × format × language: each cell is drawn and saved, or refused with a reason.

A picture is drawn once in each language and saved in every format that it has, still, moving or of numbers.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from clockhands.analysis import export
from clockhands.catalogue import SCHEMES, describe
from clockhands.catalogue.description import Description
from clockhands.errors import ClockhandsError
from clockhands.language import LANGUAGES, Language
from clockhands.plots import Animation, Picture
from clockhands.plots.fonts import is_chinese
from clockhands.plots.picture import FORMATS
from clockhands.plots.recorder import collisions, record
from clockhands.views import VIEWS, available, data, draw

POSITIONS = 12
CELLS = list(product(SCHEMES, VIEWS))
STARTS = {
    "png": b"\x89PNG", "apng": b"\x89PNG", "svg": b"<", "pdf": b"%PDF", "gif": b"GIF8", "webp": b"RIFF",
}  # fmt: skip
MOVING = ("gif", "apng", "webp", "mp4", "svg", "png")
NUMBERS = ("npz", "csv")


def small(scheme: str) -> Description:
    """The scheme at sizes that draw fast."""
    names = SCHEMES[scheme].parameters()
    sizes = {"d_model": 12, "head_dim": 8, "num_heads": 3, "max_positions": 20}
    return describe(scheme, **{name: size for name, size in sizes.items() if name in names})


WORDS_ONLY = (("nope", "card"), ("stick-breaking", "card"))
"""Cards without a single number on them."""


def can(scheme: str, view: str) -> bool:
    return view in available(small(scheme))


DRAWN = [(scheme, view) for scheme, view in CELLS if can(scheme, view)]
REFUSED = [(scheme, view) for scheme, view in CELLS if not can(scheme, view)]


def test_the_matrix_has_the_shape_that_the_hooks_say() -> None:
    """Written down by hand: what each scheme has, from what it is."""
    hands = {"heatmap", "clock", "similarity", "kernel", "distance", "spectrum", "verdict", "card"}
    written = {
        "nope": {"card"},
        "sinusoidal": hands,
        "learned": {"heatmap", "similarity", "distance", "verdict", "card"},
        "rope": hands | {"relative"},
        "alibi": {"bias", "card"},
        "t5": {"bias", "card"},
        "mixed": hands,
        "layered": hands | {"relative"},
        "tagged": hands | {"relative"},
        "rerope": {"distance-map", "card"},
    }
    assert {scheme: set(available(small(scheme))) for scheme in written} == written


@pytest.mark.parametrize("scheme", SCHEMES)
def test_views_follow_from_the_hooks(scheme: str) -> None:
    hooks, views = small(scheme).touches(), set(available(small(scheme)))
    assert ("bias" in views) == ("bias" in hooks)
    assert ("distance-map" in views) == ("distance_map" in hooks)
    assert ("clock" in views) == ("spectrum" in views) == ("inv_freq" in hooks)
    assert ("heatmap" in views) == ("inv_freq" in hooks or "table" in hooks)
    assert "card" in views


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("scheme", "view"), DRAWN)
def test_a_cell_draws_and_saves_in_every_format(
    scheme: str, view: str, lang: Language, tmp_path: Path
) -> None:
    description = small(scheme)
    drawn = draw(view, description, positions=3 if view == "clock" else POSITIONS, lang=lang)
    if isinstance(drawn, Animation):
        assert drawn.frame(2).size == (1200, 660)
    else:
        seen = record(drawn)
        assert collisions(drawn) == []
        assert any(map(is_chinese, "".join(seen.texts))) == (lang == "zh")
        if description.untrained_seed is not None:
            assert seen.says({"en": "untrained, seed 0", "zh": "未训练，随机种子 0"}[lang])
        else:
            assert not seen.says({"en": "untrained", "zh": "未训练"}[lang])
    for ending in MOVING if isinstance(drawn, Animation) else FORMATS:
        written = drawn.save(tmp_path / f"cell.{ending}").read_bytes()
        assert len(written) > 200
        assert written[4:8] == b"ftyp" if ending == "mp4" else written.startswith(STARTS[ending])
    if not drawn.data:
        assert view == "card"  # of a scheme whose parameters hold no numbers
        assert scheme in ("nope", "stick-breaking")
        return
    for ending in NUMBERS:
        saved = export.load(drawn.save(tmp_path / f"cell.{ending}"))
        for one, other in zip(saved, drawn.data, strict=True):
            assert np.array_equal(one.values, other.values, equal_nan=True)


@pytest.mark.parametrize(("scheme", "view"), REFUSED)
def test_a_cell_that_makes_no_sense_says_why_and_what_to_use(scheme: str, view: str) -> None:
    with pytest.raises(ClockhandsError) as refused:
        draw(view, small(scheme), positions=POSITIONS, lang="en")
    said = refused.value.text
    for text in said:
        assert f"{view}" in text
        assert all(other in text for other in available(small(scheme)))
        assert text.count(".") + text.count("。") <= 1  # one sentence
    assert SCHEMES[scheme].card.name in said.en
    assert sum(map(is_chinese, said.zh)) > 10


def test_nothing_is_refused_for_its_name() -> None:
    """Every reason comes from the hooks: a scheme nobody knows is treated like its kind."""
    assert DRAWN
    assert REFUSED
    assert len(DRAWN) + len(REFUSED) == len(CELLS) == len(SCHEMES) * len(VIEWS)


@pytest.mark.parametrize(("scheme", "view"), [cell for cell in DRAWN if cell not in WORDS_ONLY])
def test_the_data_twin_is_what_is_drawn(scheme: str, view: str) -> None:
    description = small(scheme)
    drawn = draw(view, description, positions=POSITIONS, lang="en")
    twin = data(view, description, positions=POSITIONS)
    assert [one.id for one in twin] == [one.id for one in drawn.data]
    assert len({one.id for one in twin}) == len(twin)  # one file holds them all
    for one, other in zip(twin, drawn.data, strict=True):
        assert np.array_equal(one.values, other.values, equal_nan=True)
    if view in {"heatmap", "similarity", "verdict"}:
        assert isinstance(drawn, Picture)
        (image,) = record(drawn).panel("map").images
        expected = twin[0].values if view == "similarity" else twin[0].values.T
        assert np.array_equal(image.values, expected, equal_nan=True)  # a row of zeros has no direction
        assert image.limits[0] == -image.limits[1] < 0
