"""Files of all kinds: encodings found out, and one sentence for everything that is no text."""

import os
import random

import pytest

from clockhands.errors import ClockhandsError
from clockhands.text import SAMPLES, read_dictionary, read_text
from clockhands.text.dictionary import Entry, parse

CHINESE = "\n".join(passage.text for passage in SAMPLES)
ENGLISH = "It is a truth universally acknowledged.\nSo it is."
TRADITIONAL = "話說大宋仁宗天子在位，嘉祐三年三月三日五更三點，天子駕坐紫宸殿，受百官朝賀。"


@pytest.mark.parametrize("text", [CHINESE, ENGLISH, TRADITIONAL, "史进"], ids=["zh", "en", "zh-hant", "two"])
@pytest.mark.parametrize(
    ("codec", "said"),
    [("utf-8", "UTF-8"), ("utf-8-sig", "UTF-8"), ("utf-16", "UTF-16"), ("gb18030", "GB18030")],
)
def test_encodings(tmp_path, text, codec, said):
    path = tmp_path / "text.txt"
    path.write_bytes(text.encode(codec))
    found = read_text(path)
    assert found.text == text
    assert found.encoding == said or text.isascii()


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [CHINESE, ENGLISH, TRADITIONAL], ids=["zh", "en", "zh-hant"])
def test_utf_16_without_a_mark(tmp_path, codec, text):
    (tmp_path / "t").write_bytes(text.encode(codec))
    assert read_text(tmp_path / "t") == (text, "UTF-16")


def test_big_endian_utf_16_with_a_mark(tmp_path):
    (tmp_path / "t").write_bytes(b"\xfe\xff" + CHINESE.encode("utf-16-be"))
    assert read_text(tmp_path / "t") == (CHINESE, "UTF-16")


def test_line_ends_of_windows_become_plain(tmp_path):
    (tmp_path / "t").write_bytes("一\r\n二".encode())
    assert read_text(tmp_path / "t").text == "一\n二"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is empty"),
        (b" \n\t  ", "only spaces"),
        ("\ufeff\u3000\n".encode(), "only spaces"),
        (b"\xff\xfe", "only spaces"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "not text"),
        (b"PK\x03\x04\x14\x00\x08\x08", "not text"),
        (b"text with \x00 inside", "not text"),
        (bytes(range(256)) * 8, "not text"),
        (random.Random(0).randbytes(5000), "not text"),
        (b"\xff\xfe\x00\xd8", "not text"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path, data, reason):
    path = tmp_path / "file"
    path.write_bytes(data)
    with pytest.raises(ClockhandsError, match=reason) as caught:
        read_text(path)
    assert str(path) in caught.value.text.en
    assert str(path) in caught.value.text.zh


def test_a_folder_and_a_missing_file_are_refused(tmp_path):
    with pytest.raises(ClockhandsError, match="is a folder"):
        read_text(tmp_path)
    with pytest.raises(ClockhandsError, match="does not exist"):
        read_text(tmp_path / "missing.txt")
    with pytest.raises(ClockhandsError, match="can't be read"):
        read_text(str(tmp_path) + "/a\0b")


def test_the_limit_is_said(tmp_path):
    (tmp_path / "t").write_bytes(b"a" * 2049)
    with pytest.raises(ClockhandsError, match=r"larger than 0\.00195 MB"):
        read_text(tmp_path / "t", largest=2048)
    (tmp_path / "t").write_bytes(b"a" * 2048)
    assert len(read_text(tmp_path / "t", largest=2048).text) == 2048


def test_dictionaries(tmp_path):
    path = tmp_path / "my.dict"
    path.write_bytes("鲁提辖 99 nr\r\n\n镇关西\n郑屠 nr\n".encode("gb18030"))
    assert read_dictionary(path) == (Entry("鲁提辖", 99, "nr"), Entry("镇关西"), Entry("郑屠", 0, "nr"))


@pytest.mark.parametrize("line", ["鲁 提辖 nr 99", "鲁提辖 99 NR", "鲁提辖 99999999999 nr", "鲁提辖 -1"])
def test_a_broken_line_of_a_dictionary_is_named(line):
    with pytest.raises(ClockhandsError, match=r"line 2 of my\.dict"):
        parse(f"史进\n{line}", "my.dict")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ClockhandsError, match="is a named pipe") as caught:
        read_text(tmp_path / "pipe")
    assert "命名管道" in caught.value.text.zh


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="no /dev/fd here")
def test_a_pipe_of_the_shell_is_read():
    ours, theirs = os.pipe()
    os.write(theirs, "史进打郑屠".encode())
    os.close(theirs)
    try:
        assert read_text(f"/dev/fd/{ours}") == ("史进打郑屠", "UTF-8")
    finally:
        os.close(ours)
