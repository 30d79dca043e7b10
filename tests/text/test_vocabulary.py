"""Numbers of tokens, and their way to a file and back."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clockhands.errors import ClockhandsError
from clockhands.text import BOS, PAD, UNK, Vocabulary

TEXTS = [["史进", "打", "郑屠", "打"], ["打", "史进", "鲁达"]]


def test_special_tokens_come_first_then_frequent_ones():
    vocabulary = Vocabulary.built(TEXTS)
    assert (PAD, UNK, BOS) == (0, 1, 2)
    assert vocabulary.tokens == ("<pad>", "<unk>", "<bos>", "打", "史进", "郑屠", "鲁达")
    assert vocabulary.counts == (0, 0, 0, 3, 2, 1, 1)
    assert len(vocabulary) == 7


def test_cut_off_and_largest():
    assert Vocabulary.built(TEXTS, min_count=2).tokens[3:] == ("打", "史进")
    assert Vocabulary.built(TEXTS, largest=1).tokens[3:] == ("打",)


def test_unknown_words_become_unk_and_are_named():
    vocabulary = Vocabulary.built(TEXTS)
    ids = vocabulary.encode(["史进", "李逵", "打", "李逵"])
    assert ids.tolist() == [4, UNK, 3, UNK]
    assert ids.dtype == np.int64
    assert vocabulary.unknown(["史进", "李逵", "打", "李逵", "宋江"]) == ("李逵", "宋江")
    assert vocabulary.decode(ids) == ("史进", "<unk>", "打", "<unk>")


def test_a_text_can_not_forge_a_special_token():
    vocabulary = Vocabulary.built([["<pad>", "<bos>", "打"]])
    assert vocabulary.tokens[3:] == ("打",)
    assert vocabulary.encode(["<pad>", "<bos>", "打"]).tolist() == [UNK, UNK, 3]


@given(st.lists(st.lists(st.text(max_size=4), max_size=5), max_size=4))
def test_round_trips(tmp_path_factory, texts):
    vocabulary = Vocabulary.built(texts)
    for text in texts:
        assert vocabulary.decode(vocabulary.encode(text)) == tuple(text)
    path = tmp_path_factory.mktemp("v") / "vocabulary.json"
    vocabulary.save(path)
    assert Vocabulary.load(path) == vocabulary


@pytest.mark.parametrize(
    "change",
    [
        lambda content: [],
        lambda content: content | {"format": "other"},
        lambda content: content | {"tokens": ["a", 3]},
        lambda content: content | {"tokens": "ab", "counts": [1, True]},
        lambda content: content | {"tokens": ["a", "a"], "counts": [1, 1]},
        lambda content: content | {"counts": [1]},
        lambda content: {key: content[key] for key in ("format", "version")},
    ],
)
def test_damaged_files_are_refused(tmp_path, change):
    path = tmp_path / "vocabulary.json"
    Vocabulary.built(TEXTS).save(path)
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    with pytest.raises(ClockhandsError, match="damaged"):
        Vocabulary.load(path)


def test_half_a_file_another_version_and_no_file(tmp_path):
    path = tmp_path / "vocabulary.json"
    with pytest.raises(ClockhandsError, match="can't be read"):
        Vocabulary.load(path)
    Vocabulary.built(TEXTS).save(path)
    whole = path.read_text()
    path.write_text(whole[: len(whole) // 2])
    with pytest.raises(ClockhandsError, match="damaged"):
        Vocabulary.load(path)
    path.write_text(json.dumps(json.loads(whole) | {"version": 2}))
    with pytest.raises(ClockhandsError, match="version 2"):
        Vocabulary.load(path)


def test_an_unwritable_place_is_said_and_nothing_left_behind(tmp_path):
    with pytest.raises(ClockhandsError, match="can't be written"):
        Vocabulary.built(TEXTS).save(tmp_path / "missing" / "v.json")
    (tmp_path / "v.json").mkdir()
    with pytest.raises(ClockhandsError, match="can't be written"):
        Vocabulary.built(TEXTS).save(tmp_path / "v.json")
    assert [path.name for path in tmp_path.iterdir()] == ["v.json"]


def test_ids_and_tokens_that_are_none_are_refused() -> None:
    words = Vocabulary.built([["史进", "打"]])
    for wrong in (-1, 5):
        with pytest.raises(ClockhandsError, match=f"{wrong} is the id of no token, .* has 0 to 4"):
            words.decode([3, wrong])
    with pytest.raises(ClockhandsError, match="these 1 tokens are no vocabulary"):
        Vocabulary(("史进",), (1,))
    with pytest.raises(ClockhandsError, match="there are 1 counts for 3 tokens"):
        Vocabulary(("<pad>", "<unk>", "<bos>"), (1,))
