"""Models of transformers as subjects: what they declare beside what they are measured to do."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from clockhands.check.agreement import unable
from clockhands.check.subject import Subject
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
        said, target=type(model).__name__, kind="model", measured=found.layers, facts=dict(found.facts)
    )


def measured_small(subject: Subject) -> Subject:
    """A configuration with what a small random model of its class does.

    Raises ClockhandsError where there is no configuration, or no class for it in transformers, and
    MissingExtra without transformers.
    """
    _require_transformers()
    from transformers import CONFIG_MAPPING

    from clockhands.check.probe.hf import examine
    from clockhands.check.probe.hf.small import Unmeasurable, known_type, small_of, text_part
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
        small = small_of(subject.settings.file)
        try:
            found = examine(small.model)
        except ClockhandsError:  # a class whose code wants pictures or sound besides
            whole = CONFIG_MAPPING[subject.settings.model_type].from_dict(dict(subject.settings.file))
            part = text_part(whole)
            if part is None:
                raise
            small = small_of(part)
            found = examine(small.model)
    except Unmeasurable:
        raise
    except ClockhandsError as error:
        if not subject.declared:  # a class for images, say, whose settings are not to blame
            raise
        return replace(subject, found=(*subject.found, unable(error.text)))
    said = read_config(json.loads(small.model.config.to_json_string(use_diff=False))).declared
    layers = standing_for(small, found.layers, said, subject.declared)
    return replace(subject, measured=layers, facts={**subject.facts, **found.facts})


def _require_transformers() -> None:
    try:
        import transformers  # noqa: F401
    except ImportError as error:
        raise MissingExtra(Text("measuring a model", "实测模型"), "hf") from error
