"""The animated SVG: well-formed, exact at any moment, escaped, still where nothing may move."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from clockhands.errors import MissingExtra
from clockhands.plots.clock import clock, relative_clock
from clockhands.plots.clock.hands import hands_of
from clockhands.plots.clock.svg_text import Outlines, is_common

SVG = "{http://www.w3.org/2000/svg}"
SINUSOID = 10000.0 ** (-np.arange(16) / 16)


def parsed(animation, **options):
    return ElementTree.fromstring(animation.svg(**options))


def turning(root):
    """Each turning shape: id of what turns, first and last angle in degrees, seconds of one run."""
    for use in root.iter(f"{SVG}use"):
        motion = use.find(f"{SVG}animateTransform")
        if motion is not None:
            first, last = (float(motion.get(side).split()[0]) for side in ("from", "to"))
            assert motion.get("type") == "rotate"
            yield use.get("href").removeprefix("#"), first, last, float(motion.get("dur").removesuffix("s"))


@pytest.mark.parametrize("count", [1, 24, 25])
@pytest.mark.parametrize(("wall", "lang"), [(True, "en"), (False, "en"), (True, "zh")])
def test_it_is_well_formed_and_every_reference_is_there(count, wall, lang):
    speeds = 10000.0 ** (-np.arange(count) / count)
    options = {"wall": wall, "lang": lang}
    for animation in (clock(speeds, 3, **options), relative_clock(speeds, 5, 3, **options)):
        root = parsed(animation)
        ids = [element.get("id") for element in root.iter() if element.get("id")]
        assert len(ids) == len(set(ids))
        used = {use.get("href").removeprefix("#") for use in root.iter(f"{SVG}use")}
        assert used == set(ids)
        width, height = animation.frame(0).size
        assert root.get("viewBox") == f"0 0 {width} {height}"


@pytest.mark.parametrize("positions", [range(50), range(7, 1000, 13), range(10**9, 10**9 + 50)])
def test_every_hand_turns_at_exactly_its_speed(positions):
    hands = hands_of(SINUSOID)
    animation = clock(SINUSOID, positions, steps_per_second=2.5, wall=False)
    found = list(turning(parsed(animation)))
    assert len(found) == 16
    tokens = len(positions) * positions.step
    start = np.degrees(hands.angle(positions[0]))
    for (_, first, last, seconds), speed, angle in zip(reversed(found), hands.speed, start, strict=True):
        assert seconds == pytest.approx(len(positions) / 2.5, abs=1e-6)
        assert first == pytest.approx(angle, abs=1e-6)
        assert last - first == pytest.approx(math.degrees(speed) * tokens, abs=2e-6)


def test_hands_are_drawn_to_twelve_before_they_are_turned():
    root = parsed(clock(SINUSOID[:3], wall=False))
    for group in root.find(f"{SVG}defs"):
        hand = group.find(f"{SVG}line")
        assert float(hand.get("x1")) == float(hand.get("x2"))
        assert float(hand.get("y2")) < float(hand.get("y1"))


def test_where_nothing_may_move_the_last_position_stands():
    animation = clock(SINUSOID, 50, wall=False)
    root = parsed(animation)
    style = root.find(f"{SVG}style").text
    (mark,) = set(re.findall(r"\.(c[0-9a-f]{8})[ms]\b", style))
    assert "prefers-reduced-motion:reduce" in style
    assert f".{mark}m{{display:none}}" in style
    assert f".{mark}s{{display:inline}}" in style
    still = [use for use in root.iter(f"{SVG}use") if use.get("class") == f"{mark}s"]
    angles = [float(re.match(r"rotate\((\S+)", use.get("transform"))[1]) for use in still]
    np.testing.assert_allclose(angles[::-1], np.degrees(hands_of(SINUSOID).angle(49)), atol=1e-6)
    assert all(use.get("display") == "none" for use in still)
    titles = [group for group in root.iter(f"{SVG}g") if group.get("class") == f"{mark}s"]
    assert ["".join(title.itertext()) for title in titles] == ["Position 49"]


@pytest.mark.parametrize("count", [1, 2, 50, 777])
def test_one_position_is_named_at_any_moment(count):
    root = parsed(clock([1.0], count, wall=False))
    moving = [group for group in root.iter(f"{SVG}g") if (group.get("class") or "").endswith("m")]
    for moment in np.linspace(0, 0.9999, 61):
        shown = [group for group in moving if visible_at(group, moment)]
        assert len(shown) == 1, moment
        named = int("".join(shown[0].itertext()).removeprefix("Position ").replace(",", ""))
        assert named <= moment * count + 1e-6
        assert moment * count < named + math.ceil(count / 500) + 1e-6


def visible_at(group, moment):
    motion = group.find(f"{SVG}animate")
    times = [float(time) for time in motion.get("keyTimes").split(";")]
    values = motion.get("values").split(";")
    assert motion.get("calcMode") == "discrete"
    assert times[0] == 0
    assert times == sorted(times)
    return values[max(i for i, time in enumerate(times) if time <= moment)] == "visible"


@pytest.mark.parametrize("title", ["", "mine", "x" * 500])
def test_the_subtitle_begins_after_the_title_and_ends_on_the_page(title):
    """Letters of a wide face take up to 0.7 of the text size, on average 0.62."""
    root = parsed(clock(SINUSOID, 50, title=title, size=(900, 495)))
    titles = [text for text in root.iter(f"{SVG}text") if text.get("font-weight") == "bold"]
    (subtitle,) = (text for text in root.iter(f"{SVG}text") if "hands" in text.text or "xxx" in text.text)
    assert len(titles) == 51
    start, size = float(subtitle.get("x")), float(subtitle.get("font-size"))
    longest = max(len(text.text) for text in titles)
    assert start > float(titles[0].get("x")) + 0.7 * longest * float(titles[0].get("font-size"))
    assert start < 300
    assert start + 0.56 * size * len(subtitle.text) < 900
    assert subtitle.text.endswith("…") == (len(title) > 100)


def test_playing_once_or_for_ever():
    ever, once = clock([1.0], 3).svg(), clock([1.0], 3).svg(loop=False)
    assert "indefinite" in ever
    assert 'repeatCount="1"' not in ever
    assert "indefinite" not in once
    assert 'repeatCount="1"' in once


def test_a_run_from_0_starts_without_trails():
    assert 'attributeName="opacity"' in clock([1.0], 50, wall=False).svg()
    assert 'attributeName="opacity"' not in clock([1.0], 50, start=100, wall=False).svg()


def test_a_trail_is_behind_its_hand():
    """At angle 0 the tip is at twelve: what lies behind a clockwise hand is left of it."""
    for speed, side in ((0.3, -1), (-0.3, 1)):
        root = parsed(clock([speed], wall=False))
        centre = float(root.find(f".//{SVG}line").get("x1"))
        paths = list(root.find(f"{SVG}defs").iter(f"{SVG}path"))
        assert len(paths) == 6
        for path in paths:
            xs = [float(pair.split()[0]) for pair in re.findall(r"[M ](\S+ \S+)(?=A|$)", path.get("d"))]
            assert all(side * (x - centre) > -1e-6 for x in xs)
        opacities = [float(path.get("opacity")) for path in paths]
        assert opacities == sorted(opacities, reverse=True)


@pytest.mark.parametrize(
    "title", ["<script>alert(1)</script>", "&\"'</svg>", "\x00\x0b\ud800\u202e", "位<b>"]
)
def test_text_is_escaped(title):
    root = parsed(clock([1.0], 2, title=title))
    assert not list(root.iter(f"{SVG}script"))
    assert not list(root.iter(f"{SVG}b"))
    assert "hand" in root.find(f"{SVG}desc").text


def test_two_pictures_on_one_page_keep_apart():
    one, other = (parsed(clock(speeds, 3)) for speeds in ([1.0, 0.1], [1.0, 0.2]))
    ids = [{element.get("id") for element in root.iter() if element.get("id")} for root in (one, other)]
    assert not ids[0] & ids[1]
    assert clock([1.0, 0.1], 3).svg() == clock([1.0, 0.1], 3).svg()


def test_many_positions_and_hands_stay_small():
    assert len(clock(SINUSOID, 10**6).svg()) < 250_000
    assert len(clock(np.geomspace(1, 1e-4, 65_536), 50).svg()) < 500_000


# Chinese ------------------------------------------------------------------------------------------


def test_chinese_is_drawn_as_outlines():
    """A viewer without a Chinese font shows no boxes, as no text of the picture needs one."""
    root = parsed(clock(SINUSOID, 5, lang="zh"))
    for text in root.iter(f"{SVG}text"):
        assert is_common(text.text)
    assert root.find(f"{SVG}title").text.startswith("位置 0")
    glyphs = [path for path in root.find(f"{SVG}defs").iter(f"{SVG}path") if path.get("id")]
    assert len(glyphs) > 20


def test_outlines_are_defined_once_and_placed_by_their_widths():
    outlines = Outlines("p", "zh", "位置 ")
    drawn = outlines.placed(100.0, 50.0, 20.0, "位置 位", "start", bold=False)
    assert [re.search(r'id="(\w+)"', path)[1] for path in outlines.definitions] == ["pg0", "pg1"]
    assert re.findall(r'href="#(\w+)"', drawn) == ["pg0", "pg1", "pg0"]
    x = [float(value) for value in re.findall(r"translate\((\S+) 50.00\)", drawn)]
    assert x[:2] == [100.0, 120.0]
    middle = outlines.placed(100.0, 50.0, 20.0, "位置", "middle", bold=True)
    assert [float(value) for value in re.findall(r"translate\((\S+) ", middle)] == [80.0, 100.0]
    assert "stroke-width" in middle
    end = outlines.placed(100.0, 50.0, 20.0, "位置", "end", bold=False)
    assert [float(value) for value in re.findall(r"translate\((\S+) ", end)] == [60.0, 80.0]


def test_chinese_without_a_font_is_refused_with_the_extra(monkeypatch):
    monkeypatch.setattr("clockhands.plots.fonts.font_files", lambda: iter(()))
    with pytest.raises(MissingExtra, match=r"clockhands\[zh\]"):
        clock([1.0], lang="zh").svg()
    with pytest.raises(MissingExtra, match=r"clockhands\[zh\]"):
        clock([1.0], lang="zh").frame(0)


# the relative clock -------------------------------------------------------------------------------


def test_query_and_key_turn_as_one_rigid_shape():
    animation = relative_clock(SINUSOID[:3], 5, 50, wall=False)
    root = parsed(animation)
    groups = {group.get("id"): group for group in root.find(f"{SVG}defs")}
    found = list(turning(root))
    assert len(found) == 3
    for (name, first, last, _), speed in zip(reversed(found), SINUSOID, strict=False):
        assert first == 0
        assert last == pytest.approx(math.degrees(speed) * 50, abs=1e-6)
        key, query = groups[name].findall(f"{SVG}line")
        x, y = (
            float(query.get("x2")) - float(query.get("x1")),
            float(query.get("y1")) - float(query.get("y2")),
        )
        assert math.atan2(x, y) % (2 * math.pi) == pytest.approx(5 * speed, abs=1e-6)
        assert float(key.get("x1")) == float(key.get("x2"))
