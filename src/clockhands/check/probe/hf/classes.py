"""The class of a configuration, and a random model of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from clockhands.check.probe.hf.refusal import Refusal

if TYPE_CHECKING:
    from transformers import PreTrainedConfig, PreTrainedModel


def parameters_of(config: PreTrainedConfig, architectures: Any) -> int:
    """How many a model would have, counted without memory."""
    import torch

    with torch.device("meta"):
        return sum(each.numel() for each in built(config, architectures).parameters())


def built(config: PreTrainedConfig, architectures: Any) -> PreTrainedModel:
    """A model of the first class that is named, else of the likeliest that the library has for it.

    Raises ``Refusal`` where it has none, or the class doesn't like the sizes.
    """
    import transformers
    from transformers.models.auto import modeling_auto

    named = architectures[0] if isinstance(architectures, list) and architectures else None
    known = getattr(transformers, named, None) if isinstance(named, str) else None
    if isinstance(known, type) and issubclass(known, transformers.PreTrainedModel):
        return _made(known, config)
    whole = ["AutoModelForSeq2SeqLM"] if config.is_encoder_decoder else []
    for name in (
        *whole,
        "AutoModelForMaskedLM",
        "AutoModelForCausalLM",
        "AutoModelForSeq2SeqLM",
        "AutoModelForTextEncoding",
        "AutoModel",
    ):
        auto = getattr(modeling_auto, name)
        if type(config) in auto._model_mapping:
            cls = auto._model_mapping[type(config)]
            part = _asked(cls, config)
            return _made(auto.from_config, config) if part is None else _made(cls._from_config, part)
    raise Refusal(f"no model class of {type(config).__name__}")


def _made(make: Callable[[Any], PreTrainedModel], config: PreTrainedConfig) -> PreTrainedModel:
    try:
        return make(config)
    except Exception as error:  # a class may say anything of sizes that it doesn't like
        raise Refusal(error) from error


def _asked(cls: Any, config: PreTrainedConfig) -> PreTrainedConfig | None:
    """The part of a configuration that a class asks for; None where it takes the whole."""
    wanted = getattr(cls, "config_class", None)
    if not isinstance(wanted, type) or isinstance(config, wanted):
        return None
    parts = [getattr(config, name, None) for name in getattr(config, "sub_configs", {})]
    return next((part for part in parts if isinstance(part, wanted)), None)
