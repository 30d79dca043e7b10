"""How a run ends: exit codes, and one sentence instead of a traceback."""

from __future__ import annotations

import errno
import logging
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clockhands.cli import list as list_command
from clockhands.cli.surroundings import matplotlib_left_alone
from clockhands.errors import ClockhandsError, MissingExtra
from clockhands.language import Text


@pytest.fixture
def failing(run, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Run ``list`` with a callback that raises."""

    def one(error: BaseException, *arguments: str) -> Any:
        def fail(**_: Any) -> None:
            raise error

        monkeypatch.setattr(list_command.command, "callback", fail)
        return run("list", *arguments)

    return one


def test_bad_input_is_one_sentence_in_each_language(failing) -> None:
    error = ClockhandsError("dim is 0: use 2 or more", "dim 为 0：请用 2 或更大的数")
    said = failing(error)
    assert (said.code, said.err) == (2, "clockhands: dim is 0: use 2 or more\n")
    assert failing(error, "--lang", "zh").err == "clockhands：dim 为 0：请用 2 或更大的数\n"


def test_a_missing_extra_says_what_to_install(failing) -> None:
    said = failing(MissingExtra(Text("Training", "训练"), "torch"))
    assert said.code == 2
    assert 'pip install "clockhands[torch]"' in said.err


@pytest.mark.parametrize(
    ("number", "english", "chinese"),
    [
        (errno.EACCES, "out.png: permission denied", "out.png：没有权限"),
        (errno.ENOENT, "out.png: no such file or folder", "out.png：文件或文件夹不存在"),
        (errno.EISDIR, "out.png: it is a folder", "out.png：这是文件夹"),
        (errno.ENOSPC, "out.png: the disk is full", "out.png：磁盘已满"),
    ],
)
def test_a_file_problem_names_the_file_and_the_reason(
    failing, number: int, english: str, chinese: str
) -> None:
    error = OSError(number, os.strerror(number), "out.png")
    assert failing(error).code == 2
    assert english in failing(error).err
    assert chinese in failing(error, "--lang", "zh").err


def test_a_file_problem_of_another_kind_keeps_the_system_s_words(failing) -> None:
    assert (
        failing(OSError(errno.EIO, os.strerror(errno.EIO))).err == f"clockhands: {os.strerror(errno.EIO)}\n"
    )
    assert failing(OSError("no number at all")).err == "clockhands: no number at all\n"


def test_too_little_memory_is_bad_input(failing) -> None:
    said = failing(MemoryError())
    assert said.code == 2
    assert "memory" in said.err
    assert "内存" in failing(MemoryError(), "--lang", "zh").err


def test_ctrl_c_exits_with_130(failing) -> None:
    said = failing(KeyboardInterrupt())
    assert said.code == 130
    assert "stopped" in said.err
    assert "已停止" in failing(KeyboardInterrupt(), "--lang", "zh").err


def test_a_fault_of_ours_keeps_its_traceback(failing) -> None:
    with pytest.raises(ZeroDivisionError):
        failing(ZeroDivisionError())


def clockhands(*arguments: str, **settings: Any) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, **settings.pop("environment", {})}
    command = [
        sys.executable,
        "-c",
        "import sys; from clockhands.cli import main; sys.exit(main())",
        *arguments,
    ]
    return subprocess.run(command, env=environment, stderr=subprocess.PIPE, check=False, **settings)


@pytest.mark.parametrize(
    ("encoding", "shown"), [("latin-1", b"\\u8bcd\\u5143"), ("gb18030", "词元".encode("gb18030"))]
)
def test_a_console_of_another_encoding_survives(encoding: str, shown: bytes) -> None:
    environment = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    result = clockhands("list", "--lang", "zh", stdout=subprocess.PIPE, environment=environment)
    assert result.returncode == 0
    assert result.stderr == b""
    assert shown in result.stdout


def test_a_shell_can_complete_names() -> None:
    environment = {"_CLOCKHANDS_COMPLETE": "bash_complete", "COMP_WORDS": "clockhands li", "COMP_CWORD": "1"}
    assert b"list" in clockhands(stdout=subprocess.PIPE, environment=environment).stdout


def test_a_closed_pipe_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    result = clockhands("list", "--format", "json", stdout=writing)
    os.close(writing)
    assert result.returncode == 141
    assert result.stderr == b""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /dev/full")
def test_a_full_disk_behind_the_output_is_said() -> None:
    with open("/dev/full", "wb") as full:
        result = clockhands("list", stdout=full)
    assert result.returncode == 2
    assert b"disk is full" in result.stderr
    assert b"Traceback" not in result.stderr


@pytest.mark.parametrize("module", ["clockhands", "clockhands.cli"])
def test_python_runs_it_by_name(module: str) -> None:
    command = [sys.executable, "-m", module, "--version"]
    assert subprocess.run(command, capture_output=True, check=True).stdout.startswith(b"clockhands 0")
    bad = subprocess.run([sys.executable, "-m", module, "lst"], capture_output=True, check=False)
    assert bad.returncode == 2
    assert b"did you mean 'list'" in bad.stderr


def in_a_shell(redirections: str, unbuffered: str, *arguments: str) -> int:
    command = ["sh", "-c", f'"$@" {redirections}', "sh", sys.executable, "-m", "clockhands", *arguments]
    surroundings = {**os.environ, "PYTHONUNBUFFERED": unbuffered}  # what is buffered fails at exit only
    return subprocess.run(command, check=False, env=surroundings).returncode


STREAMS = [">&- 2>/dev/null", ">/dev/null 2>&-", "<&- >&- 2>&-", ">/dev/null 2>/dev/full"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /dev/full")
@pytest.mark.parametrize("redirections", STREAMS)
@pytest.mark.parametrize(("command", "code"), [("list", 0), ("lst", 2)])
@pytest.mark.parametrize("unbuffered", ["1", ""])
def test_closed_or_full_streams_change_no_exit_code(
    redirections: str, command: str, code: int, unbuffered: str
) -> None:
    assert in_a_shell(redirections, unbuffered, command) == code


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_control_characters_are_told_as_escapes(run, lang: str) -> None:
    said = run("show", "a\x1b[31mb\n\n\x07c\u2028\u202e\x9b\r", "--lang", lang)
    assert said.code == 2
    assert "a\\x1b[31mb \\x07c \\u202e\\x9b" in said.err  # what ends a line is a space
    assert said.err.count("\n") == 1
    assert said.err.rstrip("\n").isprintable() or lang == "zh"


def drawing(tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "clockhands", "show", "rope", "--view", "card", "-o", "x.png"]
    surroundings = {
        name: value for name, value in os.environ.items() if not name.startswith(("MPL", "XDG", "MATPLOTLIB"))
    }
    return subprocess.run(
        command, cwd=tmp_path, env=surroundings | environment, capture_output=True, check=False
    )


def test_settings_of_matplotlib_do_not_show(tmp_path: Path) -> None:
    (tmp_path / "matplotlibrc").write_text("nonsense: 3\nbackend: tk\nfont.size: huge\n")
    home = tmp_path / "home"
    (home / ".config" / "matplotlib").mkdir(parents=True)
    (home / ".config" / "matplotlib" / "matplotlibrc").write_bytes(b"\xff\xfe nonsense")
    result = drawing(tmp_path, MPLBACKEND="foo", HOME=str(home))
    assert (result.returncode, result.stderr) == (0, b"wrote x.png\n")


def test_a_home_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")  # a home that is a file is closed to everyone, root too
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    result = drawing(tmp_path, HOME=str(tmp_path / "file"), TMPDIR=str(temporary))
    assert (result.returncode, result.stderr) == (0, b"wrote x.png\n")
    assert list(temporary.iterdir()) == []


def test_processes_share_one_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes of the gallery end without cleaning up what matplotlib would make for each of them."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HOME", str(tmp_path / "file"))
    for name in ("MPLCONFIGDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    with matplotlib_left_alone():
        folder = Path(os.environ["MPLCONFIGDIR"])
        assert folder.is_dir()
    assert not folder.exists()
    monkeypatch.setenv("HOME", str(tmp_path))
    with matplotlib_left_alone():
        assert "MPLCONFIGDIR" not in os.environ


def test_surroundings_are_as_before_when_a_run_ends(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "foo")
    monkeypatch.delenv("MATPLOTLIBRC", raising=False)
    logger = logging.getLogger("matplotlib")
    before, level = dict(os.environ), logger.level
    assert run("list").code == 0
    assert dict(os.environ) == before
    assert logger.level == level
