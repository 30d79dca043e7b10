"""The whole way from texts to a page, with few chapters."""

from __future__ import annotations

import multiprocessing.context
import re
import signal
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from clockhands.demo import assemble, build, trained, worker
from clockhands.demo.chapters import ORDER, SLOWEST_FIRST
from clockhands.demo.passages import read_passages
from clockhands.demo.studio import Effort, Studio
from clockhands.errors import ClockhandsError
from clockhands.language import LANGUAGES, Language

LITTLE = Effort(epochs=4, steps=2, next_steps=2, frames=2)
HOSTILE = 'عربي </script><img src=x onerror=alert(1)> & "quotes" 🙂 \u202e*mark* `up` {brace}'


def made(out: Path, lang: Language, *chapters: str, **texts: object) -> str:
    page = build(out, lang=lang, chapters=chapters, processes=1, effort=LITTLE, **texts)  # type: ignore[arg-type]  # whatever the test gives
    assert page == out / "index.html"
    return page.read_text(encoding="utf-8")


def links(page: str) -> set[str]:
    return set(re.findall(r'(?:src|srcset|href)="([^"#][^"]*)"', page)) - {"data:,"}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_link_leads_to_a_file_and_every_file_is_linked(tmp_path: Path, lang: Language) -> None:
    out = tmp_path / "gallery"
    page = made(out, lang, "shuffle", "wants", "many_hands")
    files = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    assert links(page) == files - {"index.html", "gallery.json"}
    assert not re.search(r"https?:|=\"//", page)
    assert page.index('id="shuffle"') < page.index('id="wants"') < page.index('id="many_hands"')


def test_the_first_moving_picture_opens_the_page(tmp_path: Path) -> None:
    page = made(tmp_path / "gallery", "en", "wants", "many_hands")
    header = page[page.index("<header>") : page.index("</header>")]
    assert "pictures/clock.gif" in header
    assert "pictures/clock.png" in header


def test_chinese_brings_its_own_glyphs(tmp_path: Path) -> None:
    page = made(tmp_path / "gallery", "zh", "wants")
    assert '@font-face { font-family: "clockhands han"' in page


def test_ones_own_text_is_told_and_stays_text(tmp_path: Path) -> None:
    page = made(tmp_path / "gallery", "en", "shuffle", "adding", "tagged", sentences=[HOSTILE])
    assert "<script" not in page
    assert "onerror=alert" not in page.replace("&quot;", "").replace("onerror = alert", "")
    assert "\u202e" not in page
    assert "<bdi>عربي</bdi>" in page
    assert "Water Margin" not in page


def test_chapters_that_train_say_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> ModuleSpec | None:
        return None

    monkeypatch.setattr(trained, "find_spec", absent)
    page = made(tmp_path / "gallery", "en", "wants", "reconstruct", "order", "decoder")
    assert page.count("clockhands[torch]") == 3
    assert page.index('id="wants"') < page.index("clockhands[torch]")


def test_progress_counts_to_the_end(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    made(tmp_path / "gallery", "en", "wants", "naive", progress=lambda *count: seen.append(count))
    assert seen == [(1, 2), (2, 2)]


def test_what_can_not_be_read_or_written_is_said_before_any_work(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    for out, texts in ((tmp_path / "notes.txt", None), (tmp_path / "new", [tmp_path / "missing.txt"])):
        with pytest.raises(ClockhandsError):
            build(out, lang="en", texts=texts, progress=lambda *count: seen.append(count))
    assert seen == []
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_chapter_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ModuleNotFoundError):
        made(tmp_path / "gallery", "en", "wants", "no_such_chapter")
    assert list(tmp_path.iterdir()) == []


def test_an_interruption_in_the_middle_leaves_nothing(tmp_path: Path) -> None:
    def interrupt(*_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        made(tmp_path / "gallery", "en", "wants", "naive", progress=interrupt)
    assert list(tmp_path.iterdir()) == []


def test_two_processes_tell_the_same_story(tmp_path: Path) -> None:
    """Run as a program, since new processes start from its main part."""
    script = tmp_path / "tell.py"
    script.write_text(
        "import sys\n"
        "from clockhands.demo import build\n"
        "if __name__ == '__main__':\n"
        "    build(sys.argv[1], lang='en', chapters=('wants', 'naive', 'one_hand'))\n",
        encoding="utf-8",
    )
    subprocess.run([sys.executable, str(script), str(tmp_path / "two")], check=True)
    alone = made(tmp_path / "one", "en", "wants", "naive", "one_hand")
    assert (tmp_path / "two" / "index.html").read_text(encoding="utf-8") == alone


def test_where_no_process_can_be_made_one_does_it_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a pool that can't be had nor a process that can't be started harms the gallery."""
    alone = made(tmp_path / "one", "en", "wants")

    def no_semaphores(*_: object, **__: object) -> None:
        raise ImportError("This platform lacks a functioning sem_open implementation")

    def no_room(*_: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    for target, name, refusal in (
        (assemble, "ProcessPoolExecutor", no_semaphores),
        (multiprocessing.context.SpawnProcess, "start", no_room),
    ):
        out = tmp_path / name
        with monkeypatch.context() as patch:
            patch.setattr(target, name, refusal)
            page = build(out, lang="en", chapters=("wants",), processes=3, effort=LITTLE)
        assert page.read_text(encoding="utf-8") == alone


def test_no_chapter_is_begun_after_a_stop(tmp_path: Path) -> None:
    studio = Studio(tmp_path, "en", read_passages(), LITTLE)
    (tmp_path / worker.STOP).touch()
    assert worker.make("one_hand", studio).paragraphs == ()
    assert [path.name for path in tmp_path.iterdir()] == [worker.STOP]


def test_the_slow_chapters_are_chapters() -> None:
    assert set(SLOWEST_FIRST) <= set(ORDER)
    assert len(set(ORDER)) == len(ORDER)


KILLED = """
import multiprocessing, os, signal, sys
from clockhands.demo import build

def killed(*_):
    print(*(child.pid for child in multiprocessing.active_children()), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    build(sys.argv[1], lang="en", chapters=("wants", "one_hand", "naive"), progress=killed)
"""


def test_workers_end_with_a_parent_that_is_killed_and_the_next_run_clears_up(tmp_path: Path) -> None:
    script = tmp_path / "tell.py"
    script.write_text(KILLED, encoding="utf-8")
    command = [sys.executable, script, tmp_path / "out" / "g"]
    # The workers share the output: it ends when the last of them has.
    result = subprocess.run(command, capture_output=True, check=False, timeout=100)
    assert result.returncode == -signal.SIGKILL
    assert len(result.stdout.split()) == 2
    assert [path.name[:14] for path in (tmp_path / "out").iterdir()] == [".g.unfinished-"]
    made(tmp_path / "out" / "g", "en", "wants")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["g"]
