"""Models of transformers as subjects: what they declare beside what they are measured to do."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from clockhands.check.subject import Subject
from clockhands.check.unmeasured import partly, unable, unmeasured
from clockhands.errors import ClockhandsError, MissingExtra
from clockhands.language import Text

if TYPE_CHECKING:
    from transformers import PreTrainedModel


def measured(model: PreTrainedModel) -> Subject:
    """A live model: its layers as measured, and what its configuration says of them.

    The measurement sees the model alone; the configuration is read apart from it.

    Raises ClockhandsError for a model that can't be run on text.
    """
    from clockhands.check.probe.hf import examine
    from clockhands.check.read.config import read_config

    found = examine(model)
    said = read_config(json.loads(model.config.to_json_string(use_diff=False)))
    return replace(
        said, target=type(model).__name__, kind="model", measured=found.layers, facts=dict(found.facts),
        found=(*said.found, *partly(found.facts)),
    )  # fmt: skip


def measured_small(subject: Subject) -> Subject:
    """A configuration with what a small random model of its class does.

    Raises ClockhandsError where there is no configuration, or no class for it in transformers, and
    MissingExtra without transformers.
    """
    _require_transformers()
    from clockhands.check.probe.hf.running import CannotRun, first_that_runs
    from clockhands.check.probe.hf.small import Unmeasurable, known_type
    from clockhands.check.probe.standing import standing_for
    from clockhands.check.read.config import read_config

    if subject.settings is None or not subject.settings.model_type:
        raise ClockhandsError(
            f"{subject.target} names no model_type of transformers, so no model can be built from it: leave "
            "--measure out",
            f"{subject.target} 没有 transformers 的 model_type，无法据此构建模型：请去掉 --measure",
        )
    known_type(subject.settings.file)
    try:
        small, found = first_that_runs(subject.settings.file)
    except CannotRun as error:
        if not subject.declared:  # a class for images, say
            raise
        blamed = unable(error.text) if error.blame == "settings" else unmeasured(error.text, error.blame)
        return replace(subject, found=(*subject.found, blamed))
    except Unmeasurable:
        raise
    except ClockhandsError as error:  # settings that the class refuses to read
        if not subject.declared:
            raise
        return replace(subject, found=(*subject.found, unable(error.text)))
    said = read_config(json.loads(small.model.config.to_json_string(use_diff=False))).declared
    layers = standing_for(small, found.layers, said, subject.declared)
    return replace(
        subject, measured=layers, facts={**subject.facts, **found.facts},
        found=(*subject.found, *partly(found.facts)),
    )  # fmt: skip


def _require_transformers() -> None:
    try:
        import transformers  # noqa: F401
    except ImportError as error:
        raise MissingExtra(Text("measuring a model", "实测模型"), "hf") from error
