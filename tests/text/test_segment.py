"""Texts into tokens: nothing lost, nothing invented, labels that lead back to the text."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clockhands.errors import ClockhandsError
from clockhands.text import SAMPLES, TOKENIZERS, Entry, Segmenter, is_chinese, segment, tag, whole_characters

WORDS = Segmenter()  # one dictionary for all tests here: loading it takes most of a second
TAGGED = Segmenter(tags=True)
SEGMENTERS = {
    "words": WORDS,
    "tags": TAGGED,
    "english": Segmenter(lang="en"),
    "chars": Segmenter("chars"),
    "bytes": Segmenter("bytes"),
}
LETTERS = "鲁提辖镇关西史进打，。 \n\r\tab1'-.é\u0301\u200d👩🚀🇨🇳한\u1100\u1161\u202eעא\ud800"
PIECES = st.text(st.sampled_from(LETTERS), max_size=30)


def test_names_of_the_novel_stay_whole():
    keys = WORDS("鲁提辖拳打镇关西，洪太尉误走妖魔，张天师上山，王进往延安府，史进在华阴县").keys
    assert {"鲁提辖", "镇关西", "洪太尉", "张天师", "王进", "延安府", "史进", "华阴县"} <= set(keys)


def test_plain_jieba_cuts_those_names_apart():
    """Why the package ships a dictionary. jieba 0.42.1, its default dictionary."""
    import jieba

    plain = jieba.Tokenizer()
    plain.FREQ, plain.total = jieba.Tokenizer.gen_pfdict(plain.get_dict_file())
    plain.initialized = True
    assert plain.lcut("鲁提辖拳打镇关西") == ["鲁", "提辖", "拳打", "镇", "关西"]


@pytest.mark.parametrize("passage", SAMPLES, ids=lambda passage: passage.title.en)
def test_sample_passages_are_short_and_whole(passage):
    keys = WORDS(passage.text).keys
    words = [key for key in keys if key not in "，。"]
    assert "".join(keys) == passage.text
    assert 35 <= len(words) <= 50
    assert not {"提辖", "关西", "太尉山", "天师", "史家"} & set(keys)


@given(PIECES)
@settings(max_examples=60)
@pytest.mark.parametrize("name", SEGMENTERS)
def test_spans_are_in_order_and_cover_all_but_spaces(name, text):
    try:
        segmented = SEGMENTERS[name](text)
    except ClockhandsError:
        assert name == "tags"
        assert not is_chinese(text)
        return
    end = 0
    for token, (start, stop) in zip(segmented, segmented.spans, strict=True):
        if name == "bytes":
            assert start in (end, end - 1)
        else:
            assert start >= end
            assert token.key in (text[start:stop], " ")
        assert text[end:start].strip() == ""
        assert stop > start
        end = stop
    assert text[end:].strip() == ""
    if name == "bytes":
        assert bytes(int(key[3:-1], 16) for key in segmented.keys).decode("utf-8", "surrogatepass") == text


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("Don't stop, well-known naïve words!", ["Don't", "stop", ",", "well-known", "naïve", "words", "!"]),
        ("rock-n-r", ["rock-n-r"]),
        ("'quoted' - x-", ["'", "quoted", "'", "-", "x", "-"]),
        ("е́ль हिन्दी 42", ["е́ль", "हिन्दी", "42"]),
        ("שלום world", ["שלום", "world"]),
        ("日本のかな", ["日", "本", "の", "か", "な"]),
        ("</script>", ["<", "/", "script", ">"]),
        ("👩‍🚀🇨🇳👍🏽x", ["👩‍🚀", "🇨🇳", "👍🏽", "x"]),
    ],
)
def test_words_of_other_languages(text, keys):
    assert list(segment(text).keys) == keys


def test_an_emoji_in_chinese_text_stays_whole():
    assert WORDS("史进👩‍🚀打👍🏽了").keys == ("史进", "👩‍🚀", "打", "👍🏽", "了")


def test_characters_keep_single_spaces_only_where_spaces_mean_something():
    assert segment(" to \n be ", "chars").keys == ("t", "o", " ", "b", "e")
    assert segment(" to \n be ", "chars").labels[2] == "␣"
    assert segment("水 浒\n传", "chars").keys == ("水", "浒", "传")
    assert segment("水 浒", "chars", lang="en").keys == ("水", " ", "浒")


def test_bytes_say_which_character_they_are_part_of():
    segmented = segment("a 水", "bytes")
    assert segmented.keys == ("<0x61>", "<0x20>", "<0xE6>", "<0xB0>", "<0xB4>")
    assert segmented.labels == ("a", "␣", "水⟨1/3⟩", "水⟨2/3⟩", "水⟨3/3⟩")
    assert segmented.spans[2:] == ((2, 3),) * 3
    assert whole_characters(segmented.keys) == "a 水"
    assert whole_characters(segmented.keys[:3]) == "a �"


def test_labels_are_short_and_hide_nothing():
    assert segment("a" * 10_000).labels == ("aaaaaaaaaaaa…aaaaaaaaaaa",)
    assert segment("a" * 10_000).keys == ("a" * 10_000,)
    assert segment("\u202e", "bytes").labels[0] == "U+202E⟨1/3⟩"
    assert segment("x\u202ey", "chars").labels == ("x", "U+202E", "y")
    assert len(segment("e" + "\u0301" * 999, "chars").labels[0]) < 30


def test_punctuation_can_be_left_out():
    assert segment("史进，打！“好”", punctuation=False).keys == ("史进", "打", "好")
    assert segment("a+b, c.", "chars", punctuation=False).keys == ("a", "+", "b", " ", "c")


def test_a_users_word_stays_whole_and_only_there():
    text = "他在聚贤茶馆里喝酒"
    with_entry = Segmenter(dictionary=[Entry("聚贤茶馆里")])
    assert "聚贤茶馆里" in with_entry(text).keys
    assert "聚贤茶馆里" not in WORDS(text).keys


def test_the_last_entry_for_a_word_counts():
    tags = Segmenter(tags=True, dictionary=[Entry("鲁提辖", 10**6, "x")])("鲁提辖来了").tags
    assert tags[0] == "x"


def test_parts_of_speech():
    segmented = TAGGED("鲁提辖在渭州打死了郑屠。")
    tags = dict(zip(segmented.keys, segmented.tags, strict=True))
    assert tags["鲁提辖"] == tags["郑屠"] == "nr"
    assert tags["渭州"] == "ns"
    assert tags["打死"] == "v"
    assert tag("史进").tags == ("nr",)


@pytest.mark.parametrize("text", ["Lu Da strikes", "水滸伝を読む"])
def test_parts_of_speech_are_refused_for_other_languages(text):
    with pytest.raises(ClockhandsError, match="not Chinese"):
        TAGGED(text)


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        ("鲁智深倒拔垂杨柳，林教头风雪山神庙，青面兽ぞ北京斗武", True),  # as whole novels on the web have it
        ("汤姆・索亚", True),
        ("三民法第九十条は公序良俗違反", False),
        ("水滸伝ヲ讀ム", False),
        ("・", False),
        ("", False),
    ],
)
def test_one_stray_kana_does_not_make_a_novel_japanese(text, chinese):
    assert is_chinese(text) is chinese
    if chinese:
        assert len(WORDS(text).keys) < len(text)
        assert all(one.tag for one in tag(text).tokens)


def test_parts_of_speech_belong_to_words():
    with pytest.raises(ClockhandsError, match="'chars'"):
        Segmenter("chars", tags=True)


def test_unknown_tokenizer_names_the_nearest():
    with pytest.raises(ClockhandsError, match="did you mean 'words'") as caught:
        Segmenter("word")  # type: ignore[arg-type] (the error under test)
    assert "是不是想写“words”" in caught.value.text.zh


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_nothing_in_nothing_out(tokenizer):
    assert segment("", tokenizer).keys == ()
    assert segment(" \n\u3000", tokenizer, punctuation=False).keys == () or tokenizer == "bytes"


def test_windows_are_slices_of_the_same_text():
    segmented = segment("一二三四", "chars")
    window = segmented[1:3]
    assert (window.keys, window.spans, window.text) == (("二", "三"), ((1, 2), (2, 3)), "一二三四")
    assert segmented[0].key == "一"


def test_jieba_is_silent_and_leaves_no_file(tmp_path):
    code = (
        f"import tempfile; tempfile.tempdir = {str(tmp_path)!r}\n"
        "from clockhands.text import tag, segment\n"
        "segment('史进打郑屠'); tag('史进打郑屠')\n"
    )
    done = subprocess.run(
        [sys.executable, "-X", f"pycache_prefix={tmp_path / 'none'}", "-W", "error", "-B", "-c", code],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


def test_without_jieba_the_extra_is_named_and_the_rest_works(monkeypatch):
    monkeypatch.setattr("clockhands.text.jieba_words.find_spec", lambda name: None)
    with pytest.raises(ClockhandsError, match=r'pip install "clockhands\[text\]"'):
        segment("史进打郑屠")
    assert segment("史进打", "chars").keys == ("史", "进", "打")
    assert segment("no jieba here").keys == ("no", "jieba", "here")
