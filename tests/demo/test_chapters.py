"""Every chapter: no number is typed, and those that the reference literature knows come out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from clockhands.analysis import export
from clockhands.demo.chapter import Chapter, Figure, Story
from clockhands.demo.chapters import ORDER, chapter_module
from clockhands.demo.passages import read_passages
from clockhands.demo.speech import NUMBER_END, NUMBER_START, TOKEN_END, TOKEN_START
from clockhands.demo.studio import Effort, Studio
from clockhands.language import LANGUAGES, Text

SMALL = Effort(epochs=8, steps=4, next_steps=4, frames=3)
FEW_WORDS = 12
NAMES = re.compile(r"2π|GPT-2|T5|bfloat16|float16|float32|float64|W[₁₂]")
"""Names that happen to have digits."""


def sentences(story: Story | Chapter) -> Iterator[Text]:
    yield story.title
    yield from story.paragraphs
    for belief in story.beliefs:
        yield from (belief.said, belief.found)
    yield from filter(None, (story.surprise, story.question, story.answer))
    if isinstance(story, Chapter):
        yield from (figure.caption for figure in story.figures)


def typed_digits(sentence: str) -> list[str]:
    """Digits outside fields, computed numbers and tokens."""
    for start, end in (("{", "}"), (NUMBER_START, NUMBER_END), (TOKEN_START, TOKEN_END)):
        sentence = re.sub(f"{start}[^{end}]*{end}", "", sentence)
    return re.findall(r"\d", NAMES.sub("", sentence))


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Chapter]:
    read = read_passages()
    short = replace(read, sentences=tuple(sentence[:FEW_WORDS] for sentence in read.sentences))
    studio = Studio(tmp_path_factory.mktemp("gallery"), "en", short, SMALL)
    chapters = {name: chapter_module(name).tell(studio) for name in ORDER}
    for chapter in chapters.values():
        for figure in chapter.figures:
            assert export.load(studio.folder / figure.data), figure.data
            if isinstance(figure, Figure):
                assert (studio.folder / figure.file).stat().st_size > 1000
    return chapters


@pytest.mark.parametrize("name", ORDER)
def test_no_number_is_typed(name: str, told: dict[str, Chapter]) -> None:
    for text in (*sentences(chapter_module(name).STORY), *sentences(told[name])):
        for lang in LANGUAGES:
            sentence = text.said_in(lang)
            assert sentence.strip()
            assert typed_digits(sentence) == [], sentence


@pytest.mark.parametrize("name", ORDER)
def test_both_languages_tell_the_same_numbers(name: str, told: dict[str, Chapter]) -> None:
    def numbers(sentence: str) -> set[str]:
        return set(re.findall(f"{NUMBER_START}([^{NUMBER_END}]*){NUMBER_END}", sentence))

    for text in sentences(told[name]):
        assert numbers(text.en) == numbers(text.zh), text.en


@pytest.mark.parametrize("name", ORDER)
def test_a_chapter_has_a_picture_a_surprise_and_a_question(name: str, told: dict[str, Chapter]) -> None:
    chapter = told[name]
    assert chapter.figures
    assert chapter.surprise
    assert chapter.question
    assert chapter.answer
    for figure in chapter.figures:
        if isinstance(figure, Figure):
            assert figure.alt.en
            assert figure.alt.zh


# [C]: computed for the reference tables of this field, base 10000, independently of this code.
KNOWN = {
    "naive": {"cliff": 63, "flips": 7, "cliff_step": 7**0.5, "hand_step": 1.171623, "single": 50},
    "one_hand": {
        "return_at": 710, "turns": 113, "gap": 6.0289e-5, "wavelength": 6.28319, "rational_return": 100,
    },
    "many_hands": {
        "ratio": 1.778279, "wide_ratio": 1.036633, "longest": 35332.95, "wide_longest": 60611.48,
        "claimed": 62831.85, "three_at": 1709, "three_near": 0.29728, "three_step": 1.15176,
        "all_near": 1.171623,
        "third_wave": 19.869, "zero_x": 0.0, "zero_y": 1.0,
    },
    "kernel": {
        "first_rise": 4, "at_rise": 0.7288, "at_after": 0.7361, "first_rise_mid": 11, "first_rise_wide": 43,
        "at_mid": 0.3687, "at_echo": 0.5955, "lowest": -0.1481, "lowest_at": 18469,
        "step": 1.171623, "step_mid": 1.952596, "step_wide": 3.714270,
    },
    "longer": {"finished": 46, "unfinished": 18, "ntk_base": 40889.94, "wide_short": 133, "wide_long": 75},
    "precision": {
        "clash_a": 256, "clash_b": 257, "bf16_distinct": 769, "fp16_a": 2048, "fp16_b": 2049,
        "fp16_distinct": 3073, "worst": 8, "spacing": 16,
    },
    "biases": {
        "near_window": 10, "far_window": 1179, "exact": 16, "last_bucket": 113, "right_slope": 0.5,
        "wrong_slope": 0.62996,
    },
    "mixed": {
        "geometric_longest": 35332.95, "average_longest": 1234.68, "average_near": 0.473851,
        "geometric_near": 0.767025,
        "echo_at": 181, "average_echo": 0.611, "echo_two_at": 361, "average_echo_two": 0.540, "nearer": 2,
        "gap": 0.066, "linear_first_at": 94, "linear_first": 0.88, "linear_best_at": 666, "linear_best": 0.98,
    },
}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_the_numbers_are_those_of_the_literature(name: str, told: dict[str, Chapter]) -> None:
    found = {key: told[name].numbers[key] for key in KNOWN[name]}
    assert found == pytest.approx(KNOWN[name], rel=5e-3, abs=1e-12)


def test_order_is_invisible_without_a_code_or_a_mask(told: dict[str, Chapter]) -> None:
    shuffle = told["shuffle"].numbers
    assert shuffle["without"] < 1e-12
    assert min(shuffle["with_hands"], shuffle["with_mask"]) > 0.1


def test_only_clock_hands_are_without_blemish(told: dict[str, Chapter]) -> None:
    (table,) = told["wants"].figures
    assert len(table.rows) == 4
    assert told["wants"].numbers["fraction_change"] == pytest.approx(5 / 9 - 5 / 99)


def test_what_must_be_rounding_is(told: dict[str, Chapter]) -> None:
    exact = {
        "rotation": ("miss", "sum_error", "inverse_error"),
        "kernel": ("diagonal", "length_spread", "noise"),
        "projections": ("plain", "turned"),
        "adding": ("same",),
        "rope": ("shift_error", "norm_error", "layout_same"),
        "tagged": ("same",),
    }
    for name, keys in exact.items():
        for key in keys:
            assert told[name].numbers[key] < 1e-10, (name, key)


def test_projections_destroy_the_stripes(told: dict[str, Chapter]) -> None:
    numbers = told["projections"].numbers
    assert 0.5 < numbers["projected"] < numbers["content"] <= 1


def test_random_content_does_not_decay_under_rope(told: dict[str, Chapter]) -> None:
    rope = told["rope"].numbers
    assert rope["sigmas"] < 4
    assert rope["spread"] == pytest.approx(128**0.5, rel=0.05)
    assert rope["layout_mixed"] > 1
    assert 0.2 < rope["bound_rising"] < 0.35


def test_a_verdict_tells_an_arrangement_from_a_fault(told: dict[str, Chapter]) -> None:
    _, table = told["debugging"].figures
    faults = [row[-1].en.strip(NUMBER_START + NUMBER_END) for row in table.rows]
    assert faults[:3] == ["0", "0", "0"]
    assert all(int(count) > 0 for count in faults[3:])
    assert told["debugging"].numbers["broken_least"] < told["debugging"].numbers["healthy_step"]


def test_light_words_move_the_hands_less(told: dict[str, Chapter]) -> None:
    tagged = told["tagged"].numbers
    assert tagged["tagged_last"] < tagged["plain_last"] == tagged["words"] - 1
    assert tagged["tagged_gap"] < tagged["plain_gap"]


def test_a_base_stretches_the_slow_end_only(told: dict[str, Chapter]) -> None:
    layers = told["layers"].numbers
    assert layers["longest_ratio"] == pytest.approx((1e6 / 100) ** (62 / 64))
    assert layers["fastest"] == pytest.approx(6.283185)
