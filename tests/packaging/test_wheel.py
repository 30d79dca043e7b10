"""The wheel and the sdist work where nothing but the base dependencies is installed: no torch, no sources."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


def base_distributions() -> list[metadata.Distribution]:
    """The base dependencies of pyproject.toml and theirs, as they are installed here."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    waiting, found = list(project["dependencies"]), {}
    while waiting:
        requirement = waiting.pop()
        name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0].lower()
        is_optional = "extra ==" in requirement
        if is_optional or name in found:
            continue
        try:
            found[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # for another system, e.g. colorama
        waiting += found[name].requires or []
    return list(found.values())


def top_levels(distribution: metadata.Distribution) -> set[Path]:
    """Files and folders of a distribution that stand in site-packages."""
    home = Path(str(distribution.locate_file("")))
    tops = {file.parts[0] for file in distribution.files or () if file.parts[0] not in ("..", "__pycache__")}
    return {home / top for top in tops}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel that was built from that sdist."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return folder


@pytest.fixture(scope="module")
def bare(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment with the wheel and the base dependencies; returns its folder of programs."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder / "venv", with_pip=False, symlinks=os.name != "nt")
    programs = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    base = folder / "base"
    base.mkdir()
    for distribution in base_distributions():
        for path in top_levels(distribution):
            (base / path.name).symlink_to(path, target_is_directory=path.is_dir())
    (wheel,) = built.glob("*.whl")
    install = ["install", "--quiet", "--no-deps", "--no-index", str(wheel)]
    python = str(programs / "python")
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", python, *install], check=True, capture_output=True
    )
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = subprocess.run([python, "-c", where], check=True, capture_output=True, text=True).stdout.strip()
    Path(site, "base.pth").write_text(str(base), encoding="utf-8")
    return programs


@pytest.fixture
def clockhands(bare: Path, tmp_path: Path) -> Iterator[object]:
    """Run the installed command in an empty folder."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "CLOCKHANDS_LANG": "en", "PYTHONWARNINGS": "error"}
        environment.pop("PYTHONPATH", None)
        return subprocess.run(
            [str(bare / "clockhands"), *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
        )

    return run


def test_nothing_but_the_base_is_there(bare: Path) -> None:
    script = "import importlib.util as u; print([n for n in ('torch', 'jieba', 'av') if u.find_spec(n)])"
    result = subprocess.run([str(bare / "python"), "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_a_clock_is_drawn(clockhands, tmp_path: Path) -> None:
    result = clockhands("show", "sinusoidal", "--view", "clock", "-o", "c.gif")
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "c.gif").read_bytes()[:6] in (b"GIF87a", b"GIF89a")


def test_schemes_are_listed(clockhands) -> None:
    result = clockhands("list")
    assert result.returncode == 0, result.stderr
    assert "rope" in result.stdout


def test_a_bias_is_drawn(clockhands, tmp_path: Path) -> None:
    result = clockhands("show", "alibi", "--view", "bias", "-o", "b.png")
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "b.png").read_bytes()[:4] == b"\x89PNG"


def test_a_card_is_shown(clockhands, tmp_path: Path) -> None:
    result = clockhands("show", "rope", "--view", "card")
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "rope-card.png").read_bytes()[:4] == b"\x89PNG"


def test_the_page_is_written(clockhands, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "gpt2"}', encoding="utf-8")
    result = clockhands("page", "-o", "p.html", "--model", "config.json")
    assert result.returncode == 0, result.stderr
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert 50_000 < len(page) < 200_000
    assert '"family":"learned"' in page


@pytest.mark.parametrize(("lang", "word"), [("en", "needs the extra"), ("zh", "需要扩展包")])
def test_attend_names_the_extra(clockhands, lang: str, word: str) -> None:
    result = clockhands("attend", "--lang", lang, "-o", "out")
    assert result.returncode == 2
    assert word in result.stderr
    assert "clockhands[torch" in result.stderr
    assert result.stderr.count("\n") == 1


def test_the_wheel_carries_its_data_and_nothing_else(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert all(name.startswith(("clockhands/", "clockhands-")) for name in names)
    assert "clockhands/py.typed" in names
    source = ROOT / "src"
    ours = {
        path.relative_to(source).as_posix() for path in (source / "clockhands").rglob("*") if path.is_file()
    }
    kept = {name for name in ours if "__pycache__" not in name}
    assert kept <= set(names)


def test_the_sdist_carries_what_tests_need(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert {"pyproject.toml", "LICENSE", "README.md", "tests/test_house.py", "Makefile"} <= names
