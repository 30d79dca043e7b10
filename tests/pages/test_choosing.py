"""Every number of the page "Which encoding should I use?" is computed here again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from clockhands.analysis import bias, horizon, precision, spectrum
from clockhands.catalogue import CATALOGUE, describe
from clockhands.positions import from_parts
from clockhands.positions.vision import Grid

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGES = (DOCS / "choosing.md", DOCS / "choosing.zh.md")


def numbers() -> Iterator[tuple[str, float]]:
    """What the page says, and the number behind it."""
    rope = describe("rope", head_dim=128, rope_theta=1e4).inv_freq()
    large = describe("rope", head_dim=128, rope_theta=5e5).inv_freq()
    turns = spectrum.spectrum(rope, 4096)
    for width, first in ((512, "43"), (32, "4")):
        yield first, horizon.horizon(describe("sinusoidal", d_model=width).inv_freq(), 100).first_rise
    yield "54,410", turns.wavelength.values[-1]
    yield "46", np.count_nonzero(turns.finishes.values)
    yield "18", np.count_nonzero(~turns.finishes.values)
    yield "512", describe("learned").traits.max_position
    yield "1,707", horizon.horizon(rope, 4096).first_negative
    yield "18,438", horizon.horizon(large, 20000).first_negative
    yield "769", precision.distinct_positions(4096, "bf16").distinct
    yield "1,409", precision.distinct_positions(131_072, "bf16").distinct
    yield "256", precision.distinct_positions(4096, "bf16").first_clash[0]
    yield "257", precision.distinct_positions(4096, "bf16").first_clash[1]
    yarn = describe("yarn", head_dim=128, original_max_position_embeddings=4096, factor=8.0)
    slowed = rope / yarn.inv_freq()
    yield "21", np.count_nonzero(np.isclose(slowed, 1))
    yield "18", np.count_nonzero(np.isclose(slowed, 8))
    yield "1.208", yarn.magnitude()
    yield "13,312", describe("self-extend", window=1024, group_size=4).longest(4096)
    windows = bias.windows(describe("alibi", heads=8).slopes())
    yield "10", windows.holds_99.values[0]
    yield "1,179", windows.holds_99.values[-1]
    yield "113", describe("t5").traits.horizon
    places = from_parts([10, Grid(1, 48, 48, merge=2), 5])
    yield "576", len(places) - 15
    yield "33", places[-6].max()
    yield "34", places[-5].max()


@pytest.mark.parametrize(("said", "value"), list(numbers()), ids=str)
def test_the_number_is_right_and_on_both_pages(said: str, value: float) -> None:
    digits = len(said.partition(".")[2])
    assert f"{value:,.{digits}f}" == said
    for page in PAGES:
        assert re.search(rf"(?<![\d,.]){re.escape(said)}(?![\d]|[,.]\d)", page.read_text(encoding="utf-8")), (
            page
        )


def test_no_distance_from_113_on_is_told_apart_by_t5() -> None:
    far = describe("t5").bias(np.arange(112, 4096))
    assert (far[:, 1:] == far[:, 1:2]).all()
    assert (far[:, 0] != far[:, 1]).any()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_who_tells_left_from_right(page: Path) -> None:
    """The page's list, by the traits of the schemes."""
    text = page.read_text(encoding="utf-8")
    section = re.search(r"(?ms)^## (?:Both directions|双向)\n(.*?)^## ", text)
    assert section
    named = [name for name in re.findall(r"`([\w-]+)`", section[1]) if name in {s.card.id for s in CATALOGUE}]
    assert len(named) >= 9
    for name in named:
        both = {"t5": {"bidirectional": True}, "alibi": {"symmetric": True}}.get(name, {})
        traits = describe(name, **both).traits
        assert traits.bidirectional, name
        assert traits.mirrored == (name == "alibi"), name


def test_both_pages_name_the_same_schemes() -> None:
    english, chinese = (re.findall(r"`([\w-]+)`", page.read_text(encoding="utf-8")) for page in PAGES)
    assert set(english) == set(chinese)
