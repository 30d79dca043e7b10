"""What the trained chapters say of a run is what the run shows, whatever the text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from clockhands.demo.chapter import Chapter, Figure
from clockhands.demo.chapters import chapter_module, decoder, order, reconstruct
from clockhands.demo.outcome import learned_by_heart, lower_loss, well_above
from clockhands.demo.passages import read_passages
from clockhands.demo.speech import plain
from clockhands.demo.studio import Effort, Studio
from clockhands.language import Text

FEW = "The wolf ate the sheep. Then the old dog sang to the quiet moon."


def spoken(chapter: Chapter) -> Iterator[Text]:
    yield from (*chapter.paragraphs, *filter(None, (chapter.surprise, chapter.answer)))
    yield from (belief.found for belief in chapter.beliefs)
    yield from (text for figure in chapter.figures for text in (figure.caption, *alts(figure)))


def alts(figure: object) -> tuple[Text, ...]:
    return (figure.alt,) if isinstance(figure, Figure) else ()


def says(chapter: Chapter, sentence: Text) -> bool:
    """In both languages, or in neither."""
    here = [
        any(plain(sentence.said_in(lang)) in plain(text.said_in(lang)) for text in spoken(chapter))
        for lang in ("en", "zh")
    ]
    assert here[0] == here[1]
    return here[0]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Chapter]:
    """Chapters on a text of a dozen words, hardly trained: nothing in them stands out."""
    folder = tmp_path_factory.mktemp("few")
    studio = Studio(
        Path(folder), "en", read_passages(sentences=[FEW]), Effort(epochs=4, steps=2, next_steps=2)
    )
    return lambda name: chapter_module(name).tell(studio)


def test_hardly_trained_maps_and_losses_are_not_praised(told: Callable[[str], Chapter]) -> None:
    chapter = told("order")
    assert not lower_loss(chapter.numbers["rope"], chapter.numbers["nope"])
    assert says(chapter, order.LOSSES_CLOSE)
    assert says(chapter, order.MAPS_SILENT)
    for sentence in (order.LOSSES_APART, order.MAPS_TELL, order.LOSS_ALT_APART, order.MAP_ALT_TELLS):
        assert not says(chapter, sentence)


def test_a_hardly_trained_decoder_is_not_said_to_read_or_to_know(told: Callable[[str], Chapter]) -> None:
    chapter = told("decoder")
    assert says(chapter, decoder.UNLEARNED)
    assert says(chapter, decoder.READS_NOT)
    assert says(chapter, decoder.NEITHER_READS)
    assert says(chapter, decoder.NO_SINK)
    for sentence in (
        decoder.READS,
        decoder.MASK_UNHEARD,
        decoder.TWO_READINGS,
        decoder.SINK,
        decoder.LEARNED,
    ):
        assert not says(chapter, sentence)


def test_reconstruction_says_what_its_numbers_say(told: Callable[[str], Chapter]) -> None:
    chapter = told("reconstruct")
    quarters = [chapter.numbers[f"p{i}"] for i in (1, 2, 3, 4)]
    falls = all(np.diff(quarters) < 0)
    assert says(chapter, reconstruct.FALLS) == falls
    assert says(chapter, reconstruct.WAVERS) != falls
    worse = chapter.numbers["n4"] > 1.5 * chapter.numbers["p4"]
    assert says(chapter, reconstruct.POSITION_AHEAD) == worse


# Losses and weights as they came out of a full training on the sample text, and of one on few words.
LONG = {"rope": 0.66, "nope": 3.28, "rope_near": 0.29, "nope_near": 0.04, "chance_near": 0.02}
SHORT = {"rope": 0.53, "nope": 2.14, "rope_near": 0.14, "nope_near": 0.11, "chance_near": 0.06}


def test_a_lower_loss_does_not_make_the_maps_speak() -> None:
    assert order.losses_apart(LONG)
    assert order.maps_tell(LONG)
    assert order.losses_apart(SHORT)
    assert not order.maps_tell(SHORT)
    assert not order.maps_tell(LONG | {"rope": 3.3})
    assert not order.maps_tell(LONG | {"chance_near": 0.25})


def costs(rope: float, nope: float) -> dict[str, float]:
    return {"rope_kept": 0.02, "nope_kept": 0.02, "rope_shuffled": 0.02 + rope, "nope_shuffled": 0.02 + nope}


@pytest.mark.parametrize(
    ("rope", "nope", "mask", "reading"),
    [
        (0.36, 0.003, decoder.MASK_UNHEARD, decoder.TWO_READINGS),
        (0.003, 0.36, decoder.MASK_HEARD, decoder.TWO_READINGS),
        (0.36, 0.5, decoder.MASK_HEARD, decoder.ONE_READING),
        (0.003, 0.0001, decoder.NEITHER_READS, decoder.ONE_READING),
    ],
)
def test_who_reads_the_order_is_read_off_the_cost_of_shuffling(
    rope: float, nope: float, mask: Text, reading: Text
) -> None:
    found = decoder.readings(costs(rope, nope))
    assert (found["mask"], found["reading"]) == (mask, reading)
    assert found["rope_reads"] == (decoder.READS if rope > 0.1 else decoder.READS_NOT)
    assert found["nope_reads"] == (decoder.READS if nope > 0.1 else decoder.READS_NOT)


PRINTED = {
    "p1": 0.72, "p2": 0.48, "p3": 0.35, "p4": 0.26, "s4": 0.29, "n4": 0.23,
    "shrinking": 0.18, "nope_difference": 0.34, "seed_difference": 0.53,
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "field", "usual", "then"),
    [
        ({"p3": 0.5}, "falls", reconstruct.FALLS, reconstruct.WAVERS),
        ({"n4": 0.5}, "needed", reconstruct.UNNEEDED, reconstruct.POSITION_AHEAD),
        ({"nope_difference": 0.9}, "map", reconstruct.MAP_MUTE, reconstruct.MAP_DIFFERS),
        ({"s4": 0.9}, "likeness", reconstruct.AS_GOOD, reconstruct.UNLIKE),
        ({"s4": 0.1}, "likeness", reconstruct.AS_GOOD, reconstruct.UNLIKE),
    ],
)
def test_each_claim_about_reconstruction_hangs_on_its_number(
    change: dict[str, float], field: str, usual: Text, then: Text
) -> None:
    assert reconstruct.verdicts(PRINTED)[field] == usual
    assert reconstruct.verdicts(PRINTED | change)[field] == then


@pytest.mark.parametrize("share", [-0.2, float("nan")])
def test_an_input_that_grows_explains_no_fall(share: float) -> None:
    assert "18%" in plain(reconstruct.verdicts(PRINTED)["shrunk"].en)
    assert reconstruct.verdicts(PRINTED | {"shrinking": share})["shrunk"] == reconstruct.NOT_SHRUNK


def test_what_counts_as_clear() -> None:
    assert [well_above(x, 0.1) for x in (0.14, 0.16)] == [False, True]
    assert [lower_loss(x, 1.0) for x in (0.95, 0.85, 2.0)] == [False, True, False]
    assert [learned_by_heart(x) for x in (0.69, 0.70)] == [True, False]
