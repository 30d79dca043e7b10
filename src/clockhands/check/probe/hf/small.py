"""A small random model of a configuration: what decides about position kept, width, depth and words cut."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from clockhands.check.probe.hf.classes import built, parameters_of
from clockhands.check.probe.hf.cutting import cut
from clockhands.check.probe.hf.refusal import Refusal
from clockhands.check.saying import brief, number
from clockhands.errors import ClockhandsError, shown, shown_zh

if TYPE_CHECKING:
    from transformers import PreTrainedConfig, PreTrainedModel

UNLIKE = {
    "alibi": ("slopes",),
    "learned": ("head_dim",),
    "sinusoidal": ("head_dim", "inv_freq"),
}
"""What depends on how many heads there are, or on the hidden width."""

LIMIT = 60_000_000
"""Parameters of a small model at most."""

LEFT_OUT = ("auto_map", "quantization_config", "num_labels", "id2label", "label2id", "torch_dtype", "dtype")
"""Keys that nothing is built from: code and weights of others, names of classes, precision."""

LISTED = re.compile("^(?!.*(vocab|size)).*(layer|depth|stage|blocks)")
MOST_LISTED = 100_000


class Unmeasurable(ClockhandsError):
    """No model can be measured, and the settings are not to blame for it."""


@dataclass(frozen=True)
class Small:
    """A small model, and how it stands for the real one.

    layers  those of the real one that each of its layers stands for
    unlike  by family, the fields that are not the real one's, since heads or the hidden width were cut
    """

    model: PreTrainedModel
    layers: tuple[tuple[int, ...], ...]
    unlike: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def build_small(config: Mapping[str, Any]) -> PreTrainedModel:
    """A small random model of the class that ``config`` names. See ``small_of``."""
    return small_of(config).model


def small_of(config: Mapping[str, Any]) -> Small:
    """The same, with the layers that its layers stand for: the smallest model that its class builds.

    Nothing is downloaded and no code of others is run. Raises ``ClockhandsError`` where transformers
    doesn't know the model type or can't build it.
    """
    refusals: list[Refusal] = []
    for small in smalls_of(config):
        if isinstance(small, Small):
            return small
        refusals.append(small)
    # What sees or hears may need libraries that are not here, or sizes that can't be cut.
    text = text_part(full_of(config))
    if text is not None:
        return small_of(text)
    kind = known_type(config)
    raise ClockhandsError(
        f"a small model of type '{kind}' could not be built ({brief(str(refusals[0]))}): check the sizes",
        f"无法构建小型的“{kind}”模型（{brief(str(refusals[0]))}）：请检查各尺寸",
    )


CUTS: tuple[tuple[str, ...], ...] = (
    ("depth", "width", "heads", "few", "experts"),
    ("depth", "width", "heads", "experts"),
    ("depth", "width", "heads"),
    ("depth", "heads"),
    ("depth",),
    ("width", "heads", "experts"),
    (),
)
"""Smaller and smaller demands: all is cut; experts left; only depth and words cut; nothing."""


def smalls_of(config: Mapping[str, Any]) -> Iterator[Small | Refusal]:
    """Small models of these settings, those of which most is cut first; or why its class builds none."""
    import torch

    from clockhands.check.probe.hf.copy import quiet

    full, named = full_of(config), config.get("architectures")
    for cuts in CUTS:
        try:
            with quiet():
                small, layers = cut(full, cuts)
                count = parameters_of(small, named)
                if count > LIMIT:
                    raise Refusal(f"{count:,} parameters where all is cut that can be")
                torch.manual_seed(0)
                model = built(small, named)
        except Refusal as refusal:
            yield refusal
            continue
        yield Small(model.eval(), layers, {} if _width(small) == _width(full) else UNLIKE)


def full_of(config: Mapping[str, Any]) -> PreTrainedConfig:
    """The settings as their class reads them, uncut. ClockhandsError where it refuses them."""
    from transformers import CONFIG_MAPPING

    from clockhands.check.probe.hf.copy import quiet

    kind = known_type(config)
    plain = {key: value for key, value in config.items() if key not in LEFT_OUT}
    _refuse_counts(plain)
    with quiet():
        return _settings(CONFIG_MAPPING[kind], kind, plain)


def text_part(config: PreTrainedConfig) -> dict[str, Any] | None:
    """Settings of the part of a configuration that reads text; None where that is all of it."""
    from transformers import CONFIG_MAPPING

    text = config.get_text_config()
    known = text is not config and getattr(text, "model_type", "") in CONFIG_MAPPING
    return text.to_dict() if known else None


def known_type(config: Mapping[str, Any]) -> str:
    """The model type of a configuration. ClockhandsError where transformers doesn't know it."""
    from transformers import CONFIG_MAPPING

    kind = str(config.get("model_type", ""))
    if kind not in CONFIG_MAPPING:
        if config.get("auto_map"):
            raise ClockhandsError(
                f"model_type is {shown(kind)}, whose class is code that comes with the model, and such "
                "code is "
                "never run: leave --measure out",
                f"model_type 为{shown_zh(kind)}，它的类是模型自带的代码，而这里从不运行这类代码：请去掉 "
                "--measure",
            )
        raise ClockhandsError(
            f"model_type is {shown(kind)}, which the installed transformers doesn't know: upgrade it, or "
            "check the name",
            f"model_type 为{shown_zh(kind)}，当前安装的 transformers 不认识它：请升级它，或检查名称",
        )
    return kind


def _settings(made_by: Any, kind: str, plain: Mapping[str, Any]) -> PreTrainedConfig:
    try:
        return made_by.from_dict(copy.deepcopy(dict(plain)))
    except ImportError as error:
        said = brief(str(error))
        raise Unmeasurable(
            f"a model of type '{kind}' needs what is not installed ({said}): install it, or leave "
            "--measure out",
            f"{kind} 模型需要尚未安装的包（{said}）：请安装它，或去掉 --measure",
        ) from error
    except Exception as error:  # whatever a class says of values that it doesn't like
        said = brief(f"{type(error).__name__}: {error}")
        raise ClockhandsError(
            f"transformers can't make a model of type '{kind}' with these settings ({said}): correct them",
            f"transformers 无法按这些设置建立“{kind}”模型（{said}）：请改正",
        ) from error


def _refuse_counts(config: Mapping[str, Any]) -> None:
    """Raises Unmeasurable for counts that a class would make lists of before anything is cut."""
    waiting = [config]
    while waiting:
        for key, value in waiting.pop().items():
            if isinstance(value, Mapping):
                waiting.append(value)
            elif isinstance(value, int | float) and value > MOST_LISTED and LISTED.search(key):
                raise Unmeasurable(
                    f"{key} is {number(value)}, and models have no more than {number(MOST_LISTED)} of these: "
                    "write their number",
                    f"{key} 为 {number(value)}，模型不会超过 {number(MOST_LISTED)} 个：请写上正确的个数",
                )


def _width(config: PreTrainedConfig) -> tuple[Any, ...]:
    values = config.to_dict()  # some classes refuse what layers may have of their own as an attribute
    names = config.attribute_map
    return tuple(values.get(names.get(name, name)) for name in ("hidden_size", "num_attention_heads"))
