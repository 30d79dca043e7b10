"""The whole matrix scheme × view × language, each cell drawn and saved or refused with a reason.

Formats rotate over the cells, so that every view is saved in every format in both languages;
the moving formats have a pass of their own.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

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
STARTS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


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


def formats_of(scheme: str, view: str) -> str:
    """One still format per cell; a view's cells in order go through all of them."""
    return FORMATS[[cell for cell in DRAWN if cell[1] == view].index((scheme, view)) % len(FORMATS)]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("scheme", "view"), DRAWN)
def test_a_cell_draws_and_saves(scheme: str, view: str, lang: Language, tmp_path: Path) -> None:
    description = small(scheme)
    drawn = draw(view, description, positions=POSITIONS, lang=lang)
    ending = formats_of(scheme, view)
    path = tmp_path / f"cell.{ending}"
    if isinstance(drawn, Animation):
        assert drawn.frame(5).size == (1200, 660)
        path = tmp_path / f"cell.{'png' if ending == 'pdf' else ending}"
    else:
        seen = record(drawn)
        assert collisions(drawn) == []
        assert any(map(is_chinese, "".join(seen.texts))) == (lang == "zh")
        if description.untrained_seed is not None:
            assert seen.says({"en": "untrained, seed 0", "zh": "未训练，随机种子 0"}[lang])
        else:
            assert not seen.says({"en": "untrained", "zh": "未训练"}[lang])
    written = drawn.save(path).read_bytes()
    assert written.startswith((STARTS[path.suffix[1:]], b"<svg"))


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


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("ending", ["gif", "apng", "webp", "mp4", "svg", "png", "npz", "csv"])
def test_the_clock_moves_in_every_format(ending: str, lang: Language, tmp_path: Path) -> None:
    path = draw("clock", small("rope"), positions=3, lang=lang).save(tmp_path / f"clock.{ending}")
    assert path.stat().st_size > 200


@pytest.mark.parametrize("ending", ["npz", "csv"])
@pytest.mark.parametrize("view", available(small("rope")))
def test_the_numbers_of_every_view_are_saved(view: str, ending: str, tmp_path: Path) -> None:
    from clockhands.analysis import export

    drawn = draw(view, small("rope"), positions=POSITIONS, lang="en")
    saved = export.load(drawn.save(tmp_path / f"twin.{ending}"))
    for one, other in zip(saved, drawn.data, strict=True):
        assert np.array_equal(one.values, other.values, equal_nan=True)
