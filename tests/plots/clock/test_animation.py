"""An animation can be saved in every format, played in a notebook, and is refused with one clear sentence."""

from __future__ import annotations

import base64
import io
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

import clockhands as ch
from clockhands.errors import ClockhandsError
from clockhands.plots.clock import clock, relative_clock
from clockhands.plots.clock.animation import FORMATS
from tests.plots.clock.seeing import differing

SPEEDS = [1.0, 0.1, 0.01]
SIZE = (260, 240)


@pytest.fixture
def animation():
    return clock(SPEEDS, 6, wall=False, size=SIZE, steps_per_second=4)


def opened(path):
    """Number of frames, and seconds of one run."""
    with Image.open(path) as picture:
        seconds = 0.0
        for number in range(picture.n_frames):
            picture.seek(number)
            picture.load()
            seconds += picture.info["duration"] / 1000
        return picture.n_frames, seconds


@pytest.mark.parametrize("ending", [".gif", ".apng", ".webp"])
def test_moving_pixels(animation, tmp_path, ending):
    path = animation.save(tmp_path / f"clock{ending}")
    assert opened(path) == (6, pytest.approx(1.5, abs=0.01))
    with Image.open(path) as picture:
        for number, frame in enumerate(animation.frames()):
            picture.seek(number)
            assert differing(picture, frame) == 0


def test_video(animation, tmp_path):
    import av

    with av.open(str(animation.save(tmp_path / "clock.mp4"))) as container:
        assert container.streams.video[0].frames == 6
        assert container.duration / 1e6 == pytest.approx(1.5, abs=0.01)


def test_vectors(animation, tmp_path):
    path = animation.save(str(tmp_path / "clock.SVG"))
    assert path.read_text(encoding="utf-8") == animation.svg()
    ElementTree.parse(path)
    assert 'repeatCount="1"' in animation.save(tmp_path / "once.svg", loop=False).read_text(encoding="utf-8")


def test_one_frame_as_png(animation, tmp_path):
    with Image.open(animation.save(tmp_path / "last.png")) as picture:
        assert differing(picture, animation.frame(5)) == 0
    with Image.open(animation.save(tmp_path / "one.png", position=2)) as picture:
        assert differing(picture, animation.frame(2)) == 0
        assert not getattr(picture, "is_animated", False)


def test_a_moving_png(animation, tmp_path):
    path = animation.save(tmp_path / "clock.png", apng=True)
    assert opened(path) == (6, pytest.approx(1.5, abs=0.01))
    assert path.read_bytes() == animation.save(tmp_path / "clock.apng").read_bytes()


def test_strips(animation, tmp_path):
    width, height = SIZE
    with Image.open(animation.save(tmp_path / "four.png", strip=4)) as picture:
        assert picture.size == (4 * width, height)
        for column, position in enumerate((0, 2, 3, 5)):
            part = picture.crop((column * width, 0, (column + 1) * width, height))
            assert differing(part, animation.frame(position)) == 0
    with Image.open(animation.save(tmp_path / "some.png", strip=[10**9, 3])) as picture:
        assert picture.size == (2 * width, height)
        assert differing(picture.crop((0, 0, width, height)), animation.frame(10**9)) == 0
    with Image.open(animation.save(tmp_path / "all.png", strip=99)) as picture:
        assert picture.size == (6 * width, height)  # all six positions, one row


@pytest.mark.parametrize("strip", [0, -3, []])
def test_a_strip_of_nothing_is_refused(animation, tmp_path, strip):
    with pytest.raises(ClockhandsError, match="strip"):
        animation.save(tmp_path / "a.png", strip=strip)


def test_the_numbers(animation, tmp_path):
    stored = np.load(animation.save(tmp_path / "clock.npz"), allow_pickle=False)
    angle, turns = animation.data
    np.testing.assert_array_equal(stored["angle"], angle.values)
    assert angle.values.shape == turns.values.shape == (6, 3)
    np.testing.assert_allclose(angle.values[:, 0], np.arange(6.0))
    assert animation.save(tmp_path / "clock.csv").read_text(encoding="utf-8-sig").count("\n") > 6


def test_every_format_is_named_in_the_refusal_of_another(animation, tmp_path):
    for name, near in (("clock.giff", "'.gif'"), ("clock", "clock"), ("clock.txt", ".webp")):
        with pytest.raises(ClockhandsError) as caught:
            animation.save(tmp_path / name)
        assert near in str(caught.value)
        assert re.search("[一-鿿]", caught.value.text.zh)
    assert set(FORMATS) == {".gif", ".apng", ".webp", ".mp4", ".png", ".svg", ".npz", ".csv"}
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", FORMATS)
def test_a_place_that_cannot_be_written(animation, tmp_path, ending):
    with pytest.raises(ClockhandsError, match="nowhere"):
        animation.save(tmp_path / "nowhere" / f"clock{ending}")


@pytest.mark.parametrize("ending", [".gif", ".svg", ".png", ".mp4"])
def test_a_folder_in_the_way_is_left_alone(animation, tmp_path, ending):
    folder = tmp_path / f"clock{ending}"
    folder.mkdir()
    with pytest.raises(ClockhandsError):
        animation.save(folder)
    assert folder.is_dir()
    assert [path.name for path in tmp_path.iterdir()] == [folder.name]


def test_too_many_frames_are_refused_before_the_first(tmp_path):
    long = clock(SPEEDS, 20_001, wall=False, size=SIZE)
    with pytest.raises(ClockhandsError, match=r"20,001 frames.*\.svg"):
        long.save(tmp_path / "clock.gif")
    assert long.save(tmp_path / "clock.svg").stat().st_size < 200_000


def test_progress(animation, tmp_path):
    told = []
    animation.save(tmp_path / "clock.gif", progress=lambda done, whole: told.append((done, whole)))
    assert told == [(number, 6) for number in range(1, 7)]


def test_frames_come_one_at_a_time(animation):
    long = clock(SPEEDS, 10**6, wall=False, size=SIZE)
    frames = long.frames()
    for position in range(3):
        assert differing(next(frames), long.frame(position)) == 0


def test_positions_may_be_far_and_apart():
    animation = clock([np.pi / 2], range(10**9, 10**9 + 5, 4), wall=False, size=SIZE)
    assert list(animation.positions) == [10**9, 10**9 + 4]
    assert animation.seconds == pytest.approx(2 / 3)
    np.testing.assert_allclose(np.sin(animation.data[0].values), 0, atol=1e-6)


# notebooks ----------------------------------------------------------------------------------------


def embedded(html):
    image = re.fullmatch(r'<img alt="[^"]*" src="data:image/([\w+]+);base64,([^"]+)" style="[^"]*">', html)
    return image[1], base64.b64decode(image[2])


def test_it_plays_in_a_notebook(animation):
    kind, content = embedded(animation._repr_html_())
    assert kind == "gif"
    with Image.open(io.BytesIO(content)) as picture:
        assert picture.n_frames == 6
        assert picture.info["loop"] == 0
    assert animation._repr_mimebundle_()["text/html"] == animation._repr_html_()


@pytest.mark.parametrize("options", [{"positions": 301}, {"positions": 3, "steps_per_second": 60}])
def test_long_or_fast_runs_are_embedded_as_vectors(options):
    kind, content = embedded(clock(SPEEDS, **options)._repr_html_())
    assert kind == "svg+xml"
    ElementTree.fromstring(content)


def test_its_description_is_escaped_and_in_its_language():
    html = relative_clock(SPEEDS, 3, 2, lang="zh", title='"><script>', size=SIZE, wall=False)._repr_html_()
    assert "<script" not in html
    assert "夹角不变" in html


# the public face ------------------------------------------------------------------------------------


def test_it_is_called_as_the_manual_says(tmp_path):
    path = ch.plots.clock([1.0, 0.1], positions=3, wall=False, size=SIZE).save(tmp_path / "clock.gif")
    assert opened(path)[0] == 3
    assert ch.plots.relative_clock([1.0], size=SIZE, wall=False).frame().size == SIZE
    assert isinstance(ch.plots.clock([1.0]), ch.plots.Animation)


@pytest.mark.parametrize("name", ["a\0.gif", 5, None, b"a.gif", ""])
def test_what_cannot_name_a_file_is_refused(animation, name):
    with pytest.raises(ClockhandsError, match="can't name a file"):
        animation.save(name)
