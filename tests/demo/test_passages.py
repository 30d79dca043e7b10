from __future__ import annotations

from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from clockhands.demo import passages
from clockhands.demo.passages import LONGEST_SENTENCE, MOST_SENTENCES, read_passages
from clockhands.errors import ClockhandsError
from clockhands.text import SAMPLES


def test_the_samples_are_read_whole() -> None:
    read = read_passages()
    assert [sentence.text for sentence in read.sentences] == [passage.text for passage in SAMPLES]
    assert read.short == ("史进", "打", "郑屠")
    assert not read.given
    assert read.total == sum(map(len, read.sentences))


def test_ones_own_sentences(tmp_path: Path) -> None:
    file = tmp_path / "story.txt"
    file.write_text("The wolf ate grandma. Then it slept!\n\nA hunter came by.\n", encoding="utf-8")
    read = read_passages(texts=[file], sentences=["Once upon a time"])
    assert read.given
    assert read.short == ("Once", "upon", "a", "time")
    assert read.sentences[1].keys[:5] == ("The", "wolf", "ate", "grandma", ".")
    assert read.sentences[-1].keys == ("A", "hunter", "came", "by", ".")


def test_long_text_is_cut_after_a_full_stop() -> None:
    text = ("wolf " * 40 + ". ") + "sheep " * 40
    first, second = read_passages(sentences=[text]).sentences
    assert len(first) == 41
    assert first.keys[-1] == "."
    assert second.keys == ("sheep",) * 40


def test_a_stop_too_early_does_not_cut() -> None:
    first, *_ = read_passages(sentences=["wolf . " + "sheep " * 100]).sentences
    assert len(first) == LONGEST_SENTENCE


def test_a_novel_is_read_in_part(tmp_path: Path) -> None:
    file = tmp_path / "novel.txt"
    file.write_text("a wolf came by the house\n" * 20_000, encoding="utf-8")
    read = read_passages(texts=[file])
    assert len(read.sentences) == MOST_SENTENCES
    assert read.total < 6000


@pytest.mark.parametrize("text", ["word", "  \n ", "a\nb\nc"])
def test_order_needs_two_words(tmp_path: Path, text: str) -> None:
    file = tmp_path / "story.txt"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ClockhandsError) as refused:
        read_passages(texts=[file])
    assert refused.value.text.zh


def test_a_sentence_that_reads_the_same_backwards_is_not_the_example() -> None:
    assert read_passages(sentences=["no yes no", "wolf eats sheep"]).short == ("wolf", "eats", "sheep")
    assert read_passages(sentences=["no yes no"]).short == ("no", "yes", "no")


def test_without_a_segmenter_chinese_falls_back_to_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> ModuleSpec | None:
        return None

    monkeypatch.setattr(passages, "find_spec", absent)
    assert read_passages().short == ("史", "进", "打", "郑", "屠")
    assert read_passages().tokenizer.en == "characters"
    assert read_passages(sentences=["wolf eats sheep"]).tokenizer.en == "words"
