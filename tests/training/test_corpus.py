"""What is trained on, what is held out, what is drawn."""

import pytest

from clockhands.errors import ClockhandsError
from clockhands.text import SAMPLES, UNK
from clockhands.training import AttendSettings
from clockhands.training.batches import batched, begun, order, windows
from clockhands.training.corpus import Numbered, prepared


def chars(**options):
    return AttendSettings(**({"task": "next-token", "tokenizer": "chars"} | options))


def test_the_end_of_each_text_is_held_out_and_no_word_of_it_counted():
    corpus = prepared(chars(texts=("一二三四五六七八九十", "甲乙丙丁"), held_out=0.2))
    words = [corpus.vocabulary.decode(text.ids) for text in corpus.train]
    assert words == [tuple("一二三四五六七八"), tuple("甲乙丙")]
    assert [text.ids.tolist() for text in corpus.held_out] == [[UNK, UNK], [UNK]]
    assert "九" not in corpus.vocabulary.tokens


def test_nothing_held_out():
    corpus = prepared(chars(texts=("一二三",), held_out=0.0))
    assert corpus.held_out == ()
    assert len(corpus.train[0].ids) == 3


def test_rare_words_of_long_texts_become_unknown():
    long = "一二" * 1500 + "三"
    assert "三" not in prepared(chars(texts=(long,), held_out=0.0)).vocabulary.tokens
    assert "三" in prepared(chars(texts=(long,), held_out=0.0, min_count=1)).vocabulary.tokens
    assert "三" in prepared(chars(texts=("一二三",), held_out=0.0)).vocabulary.tokens


def test_long_texts_are_cut_and_that_is_said():
    corpus = prepared(chars(texts=("一二三四五" * 13_000,)))
    assert sum(len(text.ids) for text in (*corpus.train, *corpus.held_out)) == 60_000
    assert "65,000 characters; the first 60,000" in corpus.notes[0].en
    other = prepared(chars(texts=("一二三四五" * 13_000,), chars="0:65000"))
    assert sum(len(text.ids) for text in (*other.train, *other.held_out)) == 65_000
    assert other.notes == ()
    window = prepared(chars(texts=("一二三四五",), chars="1:4", held_out=0.0))
    assert window.sentences[0].keys == ("二", "三", "四")


def test_the_sample_passages_are_the_default_and_drawn_whole():
    corpus = prepared(AttendSettings())
    assert ["".join(sentence.keys) for sentence in corpus.sentences] == [passage.text for passage in SAMPLES]
    lengths = [len(text.ids) for text in corpus.train]
    assert lengths == [len(sentence) for sentence in corpus.sentences]
    assert max(lengths) - min(lengths) >= 5  # so that padding plays the part that it plays in the article


def test_what_is_drawn():
    text = "一二三四五六七八九十" * 10
    assert len(prepared(chars(texts=(text,))).sentences[0]) == 60
    assert prepared(chars(texts=(text,), tokens="2:5")).sentences[0].keys == ("三", "四", "五")
    assert len(prepared(chars(texts=(text,) * 5)).sentences) == 3
    assert [len(each) for each in prepared(chars(texts=("一", text, "二三", "四"))).sentences] == [60, 2]
    given = prepared(chars(texts=(text,), sentences=("天地玄黄", "一二")))
    assert [sentence.keys for sentence in given.sentences] == [tuple("天地玄黄"), tuple("一二")]
    alone = prepared(chars(sentences=("天地玄黄宇宙洪荒",), held_out=0.0))
    assert alone.vocabulary.decode(alone.train[0].ids) == tuple("天地玄黄宇宙洪荒")


def test_the_longest_sentence_is_512_tokens():
    assert len(prepared(chars(texts=("一二三",), sentences=("一" * 512,))).sentences[0]) == 512


def test_reconstruct_trains_on_what_it_draws():
    corpus = prepared(chars(task="reconstruct", texts=("一二三四五六七八九十" * 9,), tokens="0:7"))
    assert [len(text.ids) for text in corpus.train] == [7]
    assert corpus.held_out == ()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"texts": ("",)}, "0 token"),
        ({"texts": (" \n",)}, "0 token"),
        ({"texts": ("，。",), "punctuation": False}, "0 token"),
        ({"texts": ("一",)}, "1 token"),
        ({"texts": ("一二三",), "chars": "7:9"}, "0 token"),
        ({"texts": ("一二三",), "sentences": (" ",)}, "has no token"),
        ({"texts": ("一二三",), "sentences": ("一",)}, "attention needs two"),
        ({"texts": ("一二三",), "tokens": "2:3"}, "another window than 2:3"),
        ({"texts": ("一二三",), "sentences": ("一" * 513,)}, "a map holds 512"),
        ({"scheme": "tagged"}, "parts of speech belong to words"),
        ({"scheme": "tagged", "tokenizer": "words", "texts": ("not Chinese at all",)}, "not Chinese"),
    ],
)
def test_texts_that_can_not_be_used(options, message):
    with pytest.raises(ClockhandsError, match=message):
        prepared(chars(**options))


def test_empty_texts_among_others_do_no_harm():
    assert len(prepared(chars(texts=("", "一二三四", " "))).train) == 1


def test_tags_become_kinds():
    corpus = prepared(
        AttendSettings(task="masked", scheme="tagged", texts=("鲁提辖打死了郑屠。",), held_out=0.0)
    )
    tags = AttendSettings(scheme="tagged").description().tags
    kinds = [tags[kind] for kind in corpus.train[0].kinds]
    assert kinds == ["n", "v", "u", "n", "x"]
    text = begun(corpus.train[0], AttendSettings(scheme="tagged").description())
    assert tags[text.kinds[0]] == "x"
    assert text.ids[0] == 2


def test_windows_cover_each_text_apart(cpu):
    texts = [
        Numbered(corpus)
        for corpus in (prepared(chars(texts=("一二三四五",), held_out=0.0)).train[0].ids,) * 2
    ]
    assert [len(window.ids) for window in windows(texts, 2)] == [2, 2, 1] * 2
    batch = batched(windows(texts, 3)[:2], AttendSettings().description(), cpu)
    assert batch.valid.tolist() == [[True] * 3, [True, True, False]]
    assert batch.positions is None
    assert batched(windows(texts, 5), AttendSettings().description(), cpu).valid is None


def test_positions_of_tags_are_running_counts(cpu):
    import numpy as np

    description = AttendSettings(scheme="tagged").description()
    batch = batched(
        [Numbered(np.array([5, 6, 7]), np.array([0, 1, 0])), Numbered(np.array([5]), np.array([2]))],
        description,
        cpu,
    )
    assert batch.positions[0, :, :2].tolist() == [[0, 0], [0, 1], [1, 1]]
    assert batch.positions.sum(-1).tolist() == [[0, 1, 2], [0, 0, 0]]


def test_the_order_hangs_on_seed_and_epoch_alone():
    assert order(9, 0, 1).tolist() == order(9, 0, 1).tolist()
    assert order(9, 0, 1).tolist() != order(9, 0, 2).tolist() != order(9, 1, 1).tolist()
    assert sorted(order(9, 0, 1)) == list(range(9))
