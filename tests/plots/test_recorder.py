"""The recorder sees what is there, and says where texts collide."""

from __future__ import annotations

import numpy as np
import pytest

from clockhands.errors import ClockhandsError
from clockhands.language import Text
from clockhands.plots.recorder import boxes, collisions, record
from clockhands.plots.sheet import sheet


def test_what_is_drawn_is_recorded() -> None:
    with sheet("en", Text("A title", "标题"), body=2.0) as page:
        panel = page.panel(1, 0.5, 3, 1, "one")
        panel.imshow(np.array([[1.0, np.nan]]), vmin=-2, vmax=2, cmap="RdBu_r")
        panel.plot([0, 1], [2, 3], color="red", label="line")
        panel.scatter([5], [6])
        panel.fill_between([0, 1], [0, 0], [1, 1])
        panel.set_xlim(0, 9)
        panel.set_xticks([0, 9], ["a", "b"])
        picture = page.picture()
    drawn = record(picture)
    one = drawn.panel("one")
    assert one.images[0].limits == (-2, 2)
    assert one.images[0].values[0, 0] == 1
    assert np.isnan(one.images[0].values[0, 1])
    assert one.images[0].colours == "RdBu_r"
    assert (one.lines[0].label, one.lines[0].y.tolist()) == ("line", [2, 3])
    assert one.marks[0].tolist() == [[5, 6]]
    assert one.bands == 1
    assert one.x_limits == (0, 9)
    assert one.x_ticks == ("a", "b")
    assert drawn.says("A title")
    assert not drawn.says("something else")


def test_a_panel_that_is_not_there() -> None:
    with sheet("en", Text("t", "t")) as page:
        picture = page.picture()
    with pytest.raises(ClockhandsError, match="0 panels are called map"):
        record(picture).panel("map")


def test_texts_on_each_other_and_off_the_page_are_found() -> None:
    with sheet("en", Text("Title", "标题"), body=2.0) as page:
        page.write(2.0, 1.0, "one text")
        page.write(2.2, 1.0, "another")
        page.write(10.8, 1.5, "leaves to the right")
        picture = page.picture()
    found = collisions(picture)
    assert sorted(found) == ["'leaves to the right' leaves the page", "'one text' on 'another'"]
    assert len(boxes(picture)) == 4


def test_a_page_without_collisions_has_none() -> None:
    with sheet("en", Text("Title", "标题"), about=Text("about", "关于"), says=(Text("says", "说"),)) as page:
        picture = page.picture()
    assert collisions(picture) == []
