"""Every rule has a picture, its numbers are those of papers and reports, and nothing on it is cut off."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clockhands.check.finding import Rule
from clockhands.check.outputs.stories import draw, picture_of
from clockhands.check.outputs.stories.kinds import pairs
from clockhands.check.outputs.stories.table import STORIES
from clockhands.check.rules import EVERY, explain
from clockhands.cli import main
from clockhands.errors import ClockhandsError
from clockhands.language import LANGUAGES, Language
from clockhands.plots.picture import Picture

HAN = re.compile(r"[\u4e00-\u9fff]")
every_rule = pytest.mark.parametrize("place", range(len(EVERY)), ids=[rule.code for rule in EVERY])


def numbers(code: str) -> dict[str, np.ndarray]:
    return {each.id: np.asarray(each.values) for each in picture_of(explain(code)).data}


def boxes(picture: Picture) -> list[tuple[str, Any]]:
    """What is written on the page and on its panels, and where, pixels."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    renderer = FigureCanvasAgg(picture.figure).get_renderer()
    written = [*picture.figure.texts, *(one for axes in picture.figure.axes for one in axes.texts)]
    return [(one.get_text(), one.get_window_extent(renderer)) for one in written if one.get_text()]


def overlap(one: Any, other: Any) -> bool:
    """Whether two boxes lie over each other; descenders may touch."""
    across = min(one.x1, other.x1) - max(one.x0, other.x0)
    upright = min(one.y1, other.y1) - max(one.y0, other.y0)
    return across > 1 and upright > 3


def test_every_rule_has_a_picture_and_every_picture_a_rule() -> None:
    assert list(STORIES) == [rule.code for rule in EVERY]
    assert len(set(STORIES.values())) == len(STORIES)


@every_rule
def test_a_sentence_has_its_number_and_both_languages(place: int) -> None:
    says = STORIES[EVERY[place].code]().says
    assert HAN.search(says.zh) and not HAN.search(says.en)  # noqa: PT018
    assert re.search(r"\d", says.en) and re.search(r"\d", says.zh)  # noqa: PT018
    assert "{" not in says.en + says.zh


@every_rule
def test_nothing_is_cut_off_or_written_over(place: int) -> None:
    """In turn in one of the two languages; each kind of picture has more than enough of both."""
    lang: Language = LANGUAGES[place % 2]
    rule = EVERY[place]
    picture = picture_of(rule, lang)
    assert picture.title == rule.title
    assert picture.data
    width, height = picture.figure.get_size_inches() * picture.figure.dpi
    placed = boxes(picture)
    assert any(text.startswith(rule.title.said_in(lang)[:12]) for text, _ in placed)
    for text, box in placed:
        assert box.x0 >= 0, text
        assert box.x1 <= width, text
        assert box.y0 >= 0, text
        assert box.y1 <= height, text
    outside = {one.get_text() for one in picture.figure.texts}
    for text, box in placed:
        for axes in picture.figure.axes if text in outside else ():
            assert not overlap(box, axes.bbox), f"{text!r} lies on {axes.get_label()!r}"
    for (first, one), (second, other) in combinations(placed, 2):
        assert not overlap(one, other), f"{first!r} and {second!r}"


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_a_picture_is_written(tmp_path: Path, ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / f"story.{ending}"
    assert main(["check", "--explain", "ch012", "-o", str(out), "--lang", "en"]) == 0
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending]
    assert out.read_bytes().startswith(start)
    assert "CH012" in capsys.readouterr().out


def test_another_ending_or_place_gets_one_sentence(tmp_path: Path) -> None:
    rule = explain("CH012")
    with pytest.raises(ClockhandsError, match=r"story\.docx"):
        draw(rule, tmp_path / "story.docx")
    with pytest.raises(ClockhandsError, match="nowhere"):
        draw(rule, tmp_path / "nowhere" / "story.png")
    assert list(tmp_path.iterdir()) == []


def test_numbers_have_a_file_of_their_own(tmp_path: Path) -> None:
    out = draw(explain("CH012"), tmp_path / "story.npz")
    with np.load(out, allow_pickle=False) as held:
        assert [4096, 163840, 262144] in [held[name].tolist() for name in held.files]


# numbers that come from elsewhere --------------------------------------------------------


def test_hands_of_llama_3_are_29_kept_6_blended_29_divided() -> None:
    """Llama 3.1: base 500000, factor 8, 8192 tokens; computed by transformers 5.24 as well."""
    held = numbers("CH107")
    plain = 5e5 ** (-np.arange(64) / 64)
    slowed = plain / held["meant"]
    assert [int(np.isclose(slowed, 1).sum()), int(np.isclose(slowed, 8).sum())] == [29, 29]
    assert np.allclose(plain / held["used"], 8)


def test_angles_in_bf16_are_those_of_the_report() -> None:
    """EleutherAI/gpt-neox #1003: head 32, angle[1857, 1] = 1044.268, in bf16 1040."""
    picture = picture_of(explain("CH112"))
    meant, kept = picture.data
    there = meant.axes[0].values.tolist().index(1857)
    assert meant.values[there] == pytest.approx(1044.268, abs=5e-4)
    assert kept.values[there] == 1040


def test_positions_in_bf16_collide_from_256_on() -> None:
    meant, kept = picture_of(explain("CH110")).data
    same = meant.values == kept.values
    assert meant.values[np.argmin(same)] == 257
    assert "769" in STORIES["CH110"]().says.en


def test_rounded_frequencies_are_off_as_reported() -> None:
    """huggingface/transformers #29496: head 128 in bf16, 0.63 rad at 511, 5 at 4,095, 40 at 32,767."""
    assert "0.63 rad at position 511, 5 at 4,095, 40 at 32,767" in STORIES["CH111"]().says.en
    at = picture_of(explain("CH111")).data[0]
    assert at.values[-1] == pytest.approx(40, abs=0.5)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("CH037", "0.004 rad at 131,072 and by up to 0.8 near ten million"),
        ("CH038", "0.87 left at 10 tokens, 0.51 at 100 and 0.19 at 1,000"),
        ("CH040", "0.96 left at 1,000 tokens and 0.54 at 60,000"),
        ("CH043", "24 per cent"),
        ("CH106", "0.107 and not at 0.000133"),
        ("CH130", "62 per cent"),
    ],
)
def test_a_sentence_has_the_number_of_the_story(code: str, said: str) -> None:
    assert said in STORIES[code]().says.en


def test_slopes_of_six_heads() -> None:
    """Press et al. 2022 and their code: four slopes of 4 heads, then two of 8; ml-explore/mlx #343."""
    held = numbers("CH032")
    assert held["curve0"].tolist() == [0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125]
    assert held["curve1"][0] == pytest.approx(0.397, abs=5e-4)


def test_bucket_of_distance_128() -> None:
    """lucidrains/x-transformers #10: bucket 31 is the last of 32; without the clamp it is 32."""
    meant, used = picture_of(explain("CH174")).data
    there = meant.axes[0].values.tolist().index(128)
    assert (meant.values[there], used.values[there]) == (31, 32)


def test_magnitudes_of_yarn() -> None:
    """DeepSeek: factor 40, mscale 1; the square of 0.1 ln(40) + 1 is 1.873854."""
    held = numbers("CH018")["bars"]
    assert held[:2].tolist() == pytest.approx([1.873854, 1.0], abs=1e-6)
    assert held[2] == pytest.approx(1.873854**2, abs=1e-5)


def test_layers_of_smollm3() -> None:
    """huggingface/transformers #43756: layers 3, 7 ... 35 have no RoPE; read by its name, 27 lose theirs."""
    meant, used = numbers("CH028")["cells"]
    assert np.flatnonzero(meant == 1).tolist() == list(range(3, 36, 4))
    assert int(((meant == 0) & (used == 1)).sum()) == 27


def test_packed_documents_start_anew() -> None:
    held = numbers("CH123")
    assert held["curve0"].tolist() == [0, 1, 2, 3, 4, 0, 1, 2, 3, 0, 1, 2, 3, 4, 5]
    assert held["curve1"].tolist() == list(range(15))


def test_pairs_that_are_no_rotation() -> None:
    held = numbers("CH101")
    partner, hand = held["partner"], held["hand"]
    assert (hand[0] == hand[0][partner[0]]).all()
    assert not (hand[1] == hand[1][partner[1]]).any()
    assert pairs.half(4, 6) == ([2, 3, 0, 1, -1, -1], [0, 1, 0, 1, -1, -1])


def test_inputs_that_were_turned_in_place_keep_their_length() -> None:
    """A turned vector is as long as before, however often it is turned: the fault is quiet."""
    answered = numbers("CH140")["answered"]
    assert np.linalg.norm(answered, axis=1) == pytest.approx(2.5, abs=2e-3)
    assert not np.isclose(answered[0], answered[1]).all()


def test_a_pickle_calls() -> None:
    marked = picture_of(explain("CH226")).data[0]
    chosen = [line for line, mark in zip(marked.axes[0].values, marked.values, strict=True) if mark]
    assert chosen == ["GLOBAL builtins print", "REDUCE"]


def test_a_rule_without_a_picture_is_a_mistake_of_ours() -> None:
    rule = EVERY[0]
    stranger = Rule(code="CH999", title=rule.title, story=rule.story, check=rule.check)
    with pytest.raises(KeyError):
        picture_of(stranger)
