"""Pieces of tokenizers: what they spell, and where each stands."""

from __future__ import annotations

import pytest

from clockhands.text.pieces import spelled

# The alphabet of GPT-2's byte-level BPE, as issue 1470 of huggingface/tokenizers shows it.
SHOWN = {"这是": ["è¿Ļ", "æĺ¯"], " the": ["Ġthe"], "\n": ["Ċ"]}


@pytest.mark.parametrize(("text", "pieces"), SHOWN.items())
def test_the_byte_alphabet_is_undone(text: str, pieces: list[str]) -> None:
    found = spelled(pieces)
    assert found is not None
    assert found.text == text
    assert "".join(found.text[start:end] for start, end in found.spans) == text


def test_a_character_cut_into_bytes_is_named_part_by_part() -> None:
    found = spelled(["<s>", "▁Hi", "<0xF0>", "<0x9F>", "<0x98>", "<0x80>", "▁水"], [True] + [False] * 6)
    assert found is not None
    assert found.text == " Hi😀 水"
    assert found.labels == ("<s>", "␣Hi", "😀⟨1/4⟩", "😀⟨2/4⟩", "😀⟨3/4⟩", "😀⟨4/4⟩", "␣水")
    assert found.spans == ((0, 0), (0, 3), (3, 4), (3, 4), (3, 4), (3, 4), (4, 6))


def test_a_piece_may_hold_the_end_of_one_character_and_the_next() -> None:
    found = spelled(["æ", "°´æ", "µĴ"])  # 水浒, cut within both
    assert found is not None
    assert found.text == "水浒"
    assert found.spans == ((0, 1), (0, 2), (1, 2))
    assert found.labels == ("水⟨1/2⟩", "水浒", "浒⟨2/2⟩")


def test_word_pieces_go_on_and_keep_their_names() -> None:
    found = spelled(["[CLS]", "swim", "##ming"], [True, False, False])
    assert found is not None
    assert found.text == " swimming"
    assert found.labels == ("[CLS]", "swim", "##ming")
    assert found.spans[1:] == ((0, 5), (5, 9))


@pytest.mark.parametrize(
    "pieces",
    [
        ["史进", "打"],
        ["a", "b"],
        ["é", "a"],
        ["<0xE6>", "a"],
        ["è¿Ļ", "æĺ"],
        ["<E4>"],
        ["##"],
        ["\ud800"],
        [],
    ],
)
def test_what_is_of_no_known_kind_stays_as_it_is(pieces: list[str]) -> None:
    assert spelled(pieces) is None
