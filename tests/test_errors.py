"""Errors say one sentence in each language, survive copying, and suggest what was meant."""

from __future__ import annotations

import copy
import errno
import os
import pickle

import pytest

from clockhands.errors import BadParameter, ClockhandsError, MissingExtra, nearest, reason_of
from clockhands.language import Text

BOTH = Text("dim is 0: use 2 or more", "dim 为 0：请用 2 或更大的数")


def test_an_error_holds_both_languages_and_reads_in_english() -> None:
    error = ClockhandsError(*BOTH)
    assert error.text == BOTH
    assert str(error) == BOTH.en
    assert isinstance(error, ValueError)


def test_a_missing_extra_says_how_to_get_it_in_both_languages() -> None:
    error = MissingExtra(Text("Training", "训练"), "torch")
    assert error.text.en == (
        "Training needs the extra 'torch', which is not installed: run pip install \"clockhands[torch]\""
    )
    assert error.text.zh == '训练需要扩展包“torch”，目前没有安装：请运行 pip install "clockhands[torch]"'
    assert (error.feature, error.extra) == (Text("Training", "训练"), "torch")


@pytest.mark.parametrize(
    "error", [ClockhandsError(*BOTH), MissingExtra(BOTH, "torch"), BadParameter("dim", *BOTH)]
)
def test_errors_cross_processes(error: ClockhandsError) -> None:
    pickled = pickle.loads(pickle.dumps(error))  # noqa: S301 (made here)
    for other in (pickled, copy.copy(error)):
        assert type(other) is type(error)
        assert other.text == error.text


def test_a_near_name_is_suggested() -> None:
    assert nearest("ropp", ["nope", "rope", "alibi"]) == Text("did you mean 'rope'?", "是不是想写“rope”？")


def test_far_from_all_names_they_are_listed() -> None:
    assert nearest("zzzz", iter(["nope", "rope"])) == Text("known: nope, rope", "可选：nope、rope")


SCHEMES = ["nope", "sinusoidal", "learned", "rope", "alibi", "t5", "mixed", "layered", "tagged"]
ROPE = ["head_dim", "rope_theta", "rotary_dim", "partial_rotary_factor", "layout", "dim", "base"]
OPTIONS = ["--out", "--view", "--positions", "--lang", "--dim", "--heads", "--layout", "--set", "--help"]
ENDINGS = [".gif", ".webp", ".apng", ".mp4", ".svg", ".png"]


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("rpe", SCHEMES, "rope"), ("Rope", SCHEMES, "rope"), ("alib", SCHEMES, "alibi"),
        ("lerned", SCHEMES, "learned"), ("sin", SCHEMES, "sinusoidal"), ("layer", SCHEMES, "layered"),
        ("bas", ROPE, "base"), ("theta", ROPE, "rope_theta"), ("head-dim", ROPE, "head_dim"),
        ("--positon", OPTIONS, "--positions"), ("--pos", OPTIONS, "--positions"),
        ("--hepl", OPTIONS, "--help"),
        ("gif", ENDINGS, ".gif"), (".PNG", ENDINGS, ".png"),
    ],
)  # fmt: skip
def test_near_names(name: str, known: list[str], meant: str) -> None:
    assert nearest(name, known).en == f"did you mean '{meant}'?"


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("yarn", SCHEMES), ("xpos", SCHEMES), ("relative", SCHEMES), ("kerple", SCHEMES), ("si", SCHEMES),
        ("heads", ROPE), ("slopes", ROPE), ("--foo", OPTIONS), ("--scheme", OPTIONS), ("--", OPTIONS),
        (".jpg", ENDINGS), (".txt", ENDINGS), ("", SCHEMES),
    ],
)  # fmt: skip
def test_names_of_something_else_are_answered_with_the_list(name: str, known: list[str]) -> None:
    assert nearest(name, known) == Text(f"known: {', '.join(known)}", f"可选：{'、'.join(known)}")


@pytest.mark.parametrize(
    ("number", "en", "zh"),
    [(errno.EACCES, "permission denied", "没有权限"), (errno.ENOSPC, "the disk is full", "磁盘已满")],
)
def test_common_reasons_of_the_system_are_translated(number: int, en: str, zh: str) -> None:
    assert reason_of(OSError(number, "whatever")) == Text(en, zh)


def test_rare_reasons_keep_the_system_s_words() -> None:
    words = os.strerror(errno.EIO)
    assert reason_of(OSError(errno.EIO, words)) == Text(words, words)
    assert reason_of(OSError("no number")) == Text("no number", "no number")
