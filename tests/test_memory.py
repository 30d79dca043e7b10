"""What is too big is refused before it is tried."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from clockhands import memory
from clockhands.errors import ClockhandsError
from clockhands.language import Text
from clockhands.memory import available_bytes, in_words, require_memory

TABLE = Text("a table", "这张表")


@pytest.fixture
def a_thousand_bytes_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)


@pytest.mark.usefixtures("a_thousand_bytes_free")
def test_the_last_size_that_fits_and_the_first_that_does_not() -> None:
    require_memory(TABLE, (25, 5))
    require_memory(TABLE, (1000,), bytes_each=1)
    with pytest.raises(ClockhandsError, match=r"a table of 18 x 7 numbers needs 1\.01 kB") as caught:
        require_memory(TABLE, (18, 7))
    assert "18 x 7 个数" in caught.value.text.zh


def test_nothing_is_refused_where_no_one_says_how_much_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: None)
    require_memory(TABLE, (10**9, 10**9))


def test_this_machine_has_some_memory_and_not_an_exabyte() -> None:
    free = available_bytes()
    assert free is None or 10**7 < free < 10**18


@pytest.mark.parametrize(
    ("count", "words"), [(0, "0 B"), (999, "999 B"), (3_500_000_000, "3.5 GB"), (8 * 10**24, "8e+06 EB")]
)
def test_bytes_in_words(count: int, words: str) -> None:
    assert in_words(count) == words


@pytest.mark.parametrize(("machine", "group", "free"), [(4, 3000, 3000), (4, 5000, 4096), (4, None, 4096)])
def test_the_tighter_limit_of_machine_and_container_counts(
    machine: int, group: int | None, free: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/meminfo").write_text(f"MemTotal: 9 kB\nMemAvailable: {machine} kB\n", encoding="ascii")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(memory, "ROOT", tmp_path)
    monkeypatch.setattr(memory, "left_in_cgroups", lambda: group)
    assert available_bytes() == free
