"""False alarms: real configurations of well-known models, in which no rule may find an error.

Where each comes from stands in ``fixtures/alarms/SOURCES.md``.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from around import LLAMA, but, found

from clockhands.check.read.config import read_config
from clockhands.check.rules import findings
from clockhands.check.rules.published import MODELS, like

ALARMS = Path(__file__).parent.parent / "fixtures" / "alarms"
FILES = sorted(ALARMS.glob("*/config.json"))

WARNED = {("llama-4-scout", "CH037")}
"""Warnings that are right: its ten million tokens are too many for angles in 32 bits."""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_alarms_stay_silent_for_real_models(path: Path) -> None:
    subject = read_config(path)
    said = [*subject.found, *findings(subject)]
    assert [finding.message.en for finding in said if finding.severity == "error"] == []
    warned = {(path.parent.name, finding.code) for finding in said if finding.severity == "warning"}
    assert warned <= WARNED


def test_alarms_of_at_least_sixty_models_have_a_source_each() -> None:
    listed = re.findall(r"^\| ([a-z0-9.-]+) \|", (ALARMS / "SOURCES.md").read_text(encoding="utf-8"), re.M)
    assert listed[1:] == [path.parent.name for path in FILES]
    assert len(FILES) >= 60


def test_alarms_that_published_models_raise_are_none() -> None:
    """Every real file whose sizes are those of a model in the list has that model's settings."""
    alike = {path.parent.name: list(like(read_config(path).settings)) for path in FILES}  # type: ignore[arg-type]
    assert {model.name for models in alike.values() for model in models} == {model.name for model in MODELS}


def test_alarms_of_variants_that_are_no_bugs() -> None:
    """Half-split without a permutation; a list of layers that looks inverted; a Llama past its length."""
    assert findings(read_config(LLAMA)) == ()
    smollm = json.loads((ALARMS / "smollm3-3b" / "config.json").read_text(encoding="utf-8"))
    assert found(smollm, "CH028") == []
    past = findings(read_config(but(LLAMA)).served(65536))
    assert [finding.severity for finding in past] == ["warning"]


SHOWN = ALARMS / "llama-3.1-8b" / "config.json"


@pytest.mark.parametrize(
    ("key", "value", "named"),
    [
        ("rope_theta", None, "rope_theta"),
        ("factor", 80.0, "rope_scaling.factor"),
        ("factor", 4.0, "rope_scaling.factor"),
        ("original_max_position_embeddings", None, "rope_scaling.original_max_position_embeddings"),
        ("original_max_position_embeddings", 4096, "rope_scaling.original_max_position_embeddings"),
    ],
)
def test_alarms_ring_once_a_value_is_lost_or_wrong(key: str, value: float | None, named: str) -> None:
    config = json.loads(SHOWN.read_text(encoding="utf-8"))
    home = config if key in config else config["rope_scaling"]
    del home[key]
    if value is not None:
        home[key] = value
    errors = [finding for finding in findings(read_config(config)) if finding.severity == "error"]
    assert errors
    assert all(named in finding.keys for finding in errors)
