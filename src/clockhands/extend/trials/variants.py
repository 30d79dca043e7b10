"""A method put on a model: its settings as a plan proposes them, read by the model's own classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from clockhands.check.read.config import laid_over
from clockhands.errors import ClockhandsError
from clockhands.extend.plan import Plan, Step
from clockhands.extend.source import Source
from clockhands.extend.trials.distances import Distances, at_distances, attentions_of
from clockhands.formulas.remaps import Leg
from clockhands.language import Text

MOVING = ("dynamic", "longrope")
"""Scalings that turn hands otherwise past the trained length: distances can't be kept beside them."""


class Variant(Protocol):
    """A way of reading: within ``applied`` the model reads windows of so many tokens that way."""

    def applied(self, model: PreTrainedModel, length: int) -> Any:
        """A context manager."""
        ...


@dataclass(frozen=True)
class AsGiven:
    """The model as it is."""

    def applied(self, model: PreTrainedModel, length: int) -> Any:
        return nullcontext()


@dataclass(frozen=True)
class Slowed:
    """Rotary parameters as a plan writes them.

    keys  of a configuration, laid over the model's own
    """

    keys: Mapping[str, Any]

    @contextmanager
    def applied(self, model: PreTrainedModel, length: int) -> Iterator[None]:
        """Rotary modules and score scales made by the model's class from the new configuration; no state of
        an earlier window is left in them."""
        config = type(model.config).from_dict(laid_over(model.config.to_dict(), self.keys))
        inner = config.get_text_config()
        rotaries = _rotaries_of(model)
        scales = _scales(model, config)
        kept = {id(module): module.scaling for module in attentions_of(model) if hasattr(module, "scaling")}
        try:
            for parent, name, module in rotaries:
                made: Any = type(module)(config=inner)
                setattr(parent, name, made.to(next(model.parameters()).device))
            for module, scale in zip(attentions_of(model), scales, strict=True):
                if scale is not None:
                    module.scaling = scale
            yield
        finally:
            for parent, name, module in rotaries:
                setattr(parent, name, module)
            for module in attentions_of(model):
                if id(module) in kept:
                    module.scaling = kept[id(module)]


@dataclass(frozen=True)
class Remapped:
    """Distances changed in attention.

    remap   a description with ``legs``
    """

    remap: Any
    source: Source

    def at_half(self) -> Remapped:
        """With half of every distance instead, which hands of half the speed show, too."""
        return replace(self, remap=_Half())

    @contextmanager
    def applied(self, model: PreTrainedModel, length: int) -> Iterator[None]:
        form = self.source.form
        first = 0
        if form.rotary_dims == "suffix" and form.head_dim and form.rotary_dim:
            first = form.head_dim - form.rotary_dim
        distances = Distances.of(
            self.remap, speeds_of(model, self.source), length, layout=form.layout or "half", first=first
        )
        with at_distances(model, form.layers, distances):
            yield


class _Half:
    """Every distance half as long."""

    def legs(self, queries: Tensor, keys: Tensor) -> tuple[Leg, ...]:
        everywhere = torch.ones(len(queries), len(keys), dtype=torch.bool, device=queries.device)
        return (Leg(queries, keys, everywhere, 0.5),)


@contextmanager
def halved(model: PreTrainedModel, source: Source) -> Iterator[None]:
    """Within it the model's own hands turn at half their speed."""
    speeds = speeds_of(model, source)
    kept = speeds.clone()
    try:
        speeds.mul_(0.5)
        yield
    finally:
        speeds.copy_(kept)


def variant_of(made: Plan, step: Step | None) -> Variant:
    """How a step of a plan is tried; None: the model as it is. ClockhandsError where it can't be."""
    if step is None:
        return AsGiven()
    if step.method.remap is not None:
        if made.source.form.rope_type in MOVING:
            raise ClockhandsError(*BESIDE)
        return Remapped(step.method.remap(made.source, made.factor), made.source)
    for setting in step.settings:
        if setting.framework == "transformers":
            return Slowed(setting.keys)
    why = next(each.why for each in step.missing if each.framework == "transformers")
    raise ClockhandsError(*why)


BESIDE = Text(
    "the model's own scaling turns hands otherwise past the trained length, and distances can't be kept "
    "beside that",
    "模型自带的缩放在训练长度之外会改变指针的转速，无法与改变距离并用",
)


OTHER_HANDS = Text(
    "the model holds other hands than its configuration says (divisors of a converted file, or hands that "
    "were rounded with the weights): settings for the configuration would lose them",
    "模型里的指针与它的配置不一致（转换出的文件自带除数，或指针随权重一起被舍入）：按配置所做的设置会丢掉它们",
)


def as_configured(model: PreTrainedModel) -> bool:
    """Whether its hands are those that its class makes of its configuration, but for those that move."""
    for _, _, module in _rotaries_of(model):
        kinds = module.rope_type if isinstance(module.rope_type, dict) else {"": module.rope_type}
        fresh: Any = type(module)(config=module.config)
        for kind, rope_type in kinds.items():
            name = f"{kind}_inv_freq" if kind else "inv_freq"
            held, made = getattr(module, name).float().cpu(), getattr(fresh, name).float().cpu()
            if rope_type not in MOVING and not torch.allclose(held, made, rtol=1e-5, atol=0):
                return False
    return True


def speeds_of(model: PreTrainedModel, source: Source) -> Tensor:
    """Rad / token of the hands as the model holds them, ``(pairs,)``."""
    for _, _, module in _rotaries_of(model):
        for name in ("inv_freq", f"{source.layer_type}_inv_freq"):
            held = getattr(module, name, None)
            if isinstance(held, Tensor) and len(held) == source.width // 2:
                return held
    raise ClockhandsError(
        f"{type(model).__name__} doesn't hold its hands where they are looked for (rotary_emb.inv_freq)",
        f"{type(model).__name__} 的指针不在预期的位置（rotary_emb.inv_freq）",
    )


def require_rotary(model: Any) -> None:
    """ClockhandsError for what is no causal language model of transformers with a rotary module."""
    if not isinstance(model, PreTrainedModel) or model.get_output_embeddings() is None:
        raise ClockhandsError(
            f"model is a {type(model).__name__}, but it must be a language model of transformers: give e.g. "
            "a LlamaForCausalLM",
            f"model 的类型是 {type(model).__name__}，但它必须是 transformers 的语言模型："
            "请给出例如 LlamaForCausalLM",
        )
    if not _rotaries_of(model) or not attentions_of(model):
        raise ClockhandsError(
            f"{type(model).__name__} has no rotary_emb that could be replaced: methods can be planned for it "
            "(without --try), not tried",
            f"{type(model).__name__} 没有可以替换的 rotary_emb：只能做规划（不带 --try），不能试",
        )


def _rotaries_of(model: nn.Module) -> list[tuple[nn.Module, str, Any]]:
    """Parent, name and module of each rotary embedding of the part that reads text."""
    inner = type(model.config.get_text_config())  # type: ignore[union-attr]
    return [
        (parent, name, module)
        for parent in model.modules()
        for name, module in parent.named_children()
        if name.startswith("rotary_emb") and isinstance(getattr(module, "config", None), inner)
    ]


def _scales(model: PreTrainedModel, config: Any) -> list[float | None]:
    """What each attention multiplies its scores by under another configuration: some take it from there."""
    with torch.device("meta"):
        shell = type(model)(config)
    return [getattr(each, "scaling", None) for each in attentions_of(shell)]
