"""A plan as a page and as pictures: what they show is what the plan says, in both languages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clockhands.errors import ClockhandsError
from clockhands.extend import plan
from clockhands.extend.page import save
from clockhands.extend.pictures import going_round, wavelengths
from clockhands.extend.wording import HEADS, heading, table
from clockhands.language import Language

ROPE: dict[str, Any] = {
    "model_type": "llama", "hidden_size": 32, "num_attention_heads": 2, "num_hidden_layers": 2,
    "rope_theta": 1e4, "max_position_embeddings": 64,
}  # fmt: skip


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_holds_every_row_reason_and_setting(tmp_path: Path, lang: Language) -> None:
    made = plan({**ROPE, "model_type": "qwen2"}, 256)
    page = save(made, tmp_path / "plan.html", lang).read_text(encoding="utf-8")
    assert "default-src 'none'" in page
    assert not re.search(r"(src|href)=\"(?!data:)", page)
    assert page.count("<img ") == 1 + 6  # all methods, and each that slows hands
    for cell in [*HEADS, *(cell for row in table(made) for cell in row.cells), *heading(made), *made.reasons]:
        assert cell.said_in(lang).replace("<", "&lt;").replace("'", "&#x27;") in page
    for step in made.steps:
        assert step.method.hazard.said_in(lang).replace("'", "&#x27;") in page
        assert page.count("<details>") == sum(len(each.settings) for each in made.steps)
    assert page.count("class=begin") == 1


def test_names_are_escaped(tmp_path: Path) -> None:
    file = tmp_path / "<b>.json"
    file.write_text(str(ROPE).replace("'", '"'))
    page = save(plan(file, 256, methods=["linear"]), tmp_path / "plan.html").read_text(encoding="utf-8")
    assert "<b>" not in page
    assert "&lt;b&gt;" in page


def test_the_picture_shows_how_far_each_hand_goes(tmp_path: Path) -> None:
    """Hand 7 of 1e4: speed 1e4 ** (-7 / 8), seen to 64 tokens; as it is, used to 255; linear, a quarter."""
    made = plan(ROPE, 256)
    data = {each.id: each for each in going_round(made, "en").data}
    seen, shown = data["seen"].values, data["shown"].values
    speed = 1e4 ** (-7 / 8) / (2 * np.pi)
    assert shown.shape == (10, 8)
    assert seen[7] == pytest.approx(64 * speed)
    assert shown[0, 7] == pytest.approx(255 * speed)
    assert shown[1, 7] == pytest.approx(255 * speed / 4)
    assert seen[0] == shown[0, 0] == 1
    arcs = np.maximum(shown - seen, 0).max(axis=1)
    np.testing.assert_allclose(arcs, [made.as_it_is.arc, *(step.look.arc for step in made.steps)], atol=1e-12)
    for ending in ("png", "svg", "pdf"):
        assert save(made, tmp_path / f"plan.{ending}", "zh").stat().st_size > 1000
    slow = {each.id: each.values for each in wavelengths(made, made.step("ntk"), "zh").data}
    np.testing.assert_allclose(slow["inv_freq"], made.step("ntk").look.inv_freq)
    assert slow["lengths"].tolist() == [64, 256]


def test_what_can_not_be_drawn_or_written(tmp_path: Path) -> None:
    with pytest.raises(ClockhandsError, match="ends in none of"):
        save(plan(ROPE, 256, methods=["linear"]), tmp_path / "plan.doc")
    with pytest.raises(ClockhandsError, match="nothing to draw: 32 tokens are within"):
        save(plan(ROPE, 32), tmp_path / "plan.png")
    assert "32 tokens are within" in save(plan(ROPE, 32), tmp_path / "plan.html").read_text(encoding="utf-8")


def test_the_method_to_begin_with_has_the_star() -> None:
    made = plan(ROPE, 256)
    heads = [panel.texts[0].get_text() for panel in going_round(made, "en").figure.axes]
    assert [head for head in heads if "★" in head] == ["yarn ★"]
