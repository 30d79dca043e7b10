"""The position encoding of a transformers model, swapped for another one in place."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, Self, final

from torch import nn
from torch.utils.hooks import RemovableHandle
from transformers import PreTrainedModel

from clockhands.catalogue import describe
from clockhands.core.attend import distinct
from clockhands.core.encoding import Encoding
from clockhands.errors import ClockhandsError
from clockhands.real.hf_attention import NAME, Note, register, stand_still
from clockhands.real.hf_record import Owner
from clockhands.schemes.stacking import Spec, layers

PARAMETERS_AT = "position_encodings"
"""Name of the list of encodings in the swapped model, one for each that differs."""


@final
class Swap:
    """A swapped model, until ``restore``; ``with`` restores at the end.

    encodings  one a layer; layers that are described alike share one
    """

    def __init__(
        self,
        model: PreTrainedModel,
        base: nn.Module,
        encodings: Sequence[Encoding],
        handles: Sequence[RemovableHandle],
        implementation: str | None,
    ):
        self.model, self.encodings = model, tuple(encodings)
        self._base, self._handles, self._implementation = base, handles, implementation
        self._done = False

    def restore(self) -> None:
        """Give the model its own encoding back, exactly; doing it twice is fine.

        Caches that were filled while it was swapped don't fit it afterwards.
        """
        if self._done:
            return
        for handle in self._handles:
            handle.remove()
        delattr(self._base, PARAMETERS_AT)
        self.model.set_attn_implementation(self._implementation or "eager")
        self._done = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.restore()


def swap(
    model: PreTrainedModel, scheme: Spec, *, pattern: str | None = None, seed: int = 0, **parameters: Any
) -> Swap:
    """Replace the rotary position encoding of a transformers model in place.

    model       computes attention through ``AttentionInterface`` and has a ``rotary_emb``: Llama, GPT-NeoX
                and their many relatives. Its projections and everything else stay as they are
    scheme      an id such as ``"alibi"``, a description, an Encoding, a function of the layer, or what the
                letters of ``pattern`` stand for; see ``clockhands.schemes.layers``
    seed        of what a scheme learns, which starts untrained
    parameters  of the scheme, if it is given by id. The model's sizes are filled in, and its ``rope_theta``
                and ``partial_rotary_factor``, unless given

    Positions are the model's own ``position_ids``; a cache remembers them beside its keys, which stay as
    the model made them. What a scheme learns becomes part of the model, as ``position_encodings``.

    Raises ClockhandsError for a model of another form, one that is swapped already, and for schemes that work
    outside attention: those that add to the embeddings, draw or count other places, or read other positions.
    """
    base = _base_of(model)
    attentions = _attentions_of(base)
    sizes = _sizes_of(base, attentions[0], seed)
    if isinstance(scheme, str) and parameters:
        if "rotary_dim" in parameters:  # the same as a number of dimensions
            sizes.pop("partial_rotary_factor", None)
        scheme = type(describe(scheme)).fitted(sizes, **parameters)
    elif parameters:
        given = ", ".join(parameters)
        raise ClockhandsError(
            f"{given} belongs to a scheme given by id: give it where the description is made",
            f"{given} 只能与按名称给出的方案一起用：请在建立描述时给出",
        )
    encodings = layers(scheme, len(attentions), sizes, pattern)
    for encoding in distinct(encodings):
        _require_within_attention(encoding)
    register()
    implementation = model.config._attn_implementation
    model.set_attn_implementation(NAME)
    if base.config._attn_implementation != NAME:
        model.set_attn_implementation(implementation or "eager")
        raise _of_another_form(model, "its attention can't be chosen")
    weight = next(model.parameters())
    kept = nn.ModuleList(distinct(encodings)).to(weight.device, weight.dtype).train(model.training)
    base.add_module(PARAMETERS_AT, kept)
    owner = Owner()
    notes = [Note(encoding, layer, len(attentions), owner) for layer, encoding in enumerate(encodings)]
    handles = [
        attention.register_forward_pre_hook(note, with_kwargs=True)
        for attention, note in zip(attentions, notes, strict=True)
    ]
    handles += [rotary.register_forward_hook(stand_still) for rotary in _rotaries_of(base)]
    return Swap(model, base, encodings, handles, implementation)


def _base_of(model: Any) -> PreTrainedModel:
    if not isinstance(model, PreTrainedModel):
        raise ClockhandsError(
            f"model is a {type(model).__name__}, but it must be a model of transformers: give e.g. a "
            "LlamaForCausalLM",
            f"model 的类型是 {type(model).__name__}，但它必须是 transformers 的模型："
            "请给出例如 LlamaForCausalLM",
        )
    base = model.base_model
    assert isinstance(base, PreTrainedModel)
    if hasattr(base, PARAMETERS_AT):
        raise ClockhandsError(
            "this model is swapped already: call restore() on what swap returned, then swap again",
            "这个模型已经替换过位置编码：请先对 swap 返回的对象调用 restore()，再重新替换",
        )
    return base


def _attentions_of(base: PreTrainedModel) -> list[nn.Module]:
    """The attention of each layer, in order."""
    found = [each for each in base.modules() if hasattr(each, "layer_idx") and hasattr(each, "is_causal")]
    num_layers = getattr(base.config, "num_hidden_layers", None)
    if [each.layer_idx for each in found] != list(range(num_layers or 0)) or not found:
        raise _of_another_form(
            base, f"it has {num_layers} layers and {len(found)} attentions that say their layer"
        )
    for each in found:
        kinds = [parameter.kind for parameter in inspect.signature(each.forward).parameters.values()]
        if inspect.Parameter.VAR_KEYWORD not in kinds:
            raise _of_another_form(base, "its attention hands nothing on to AttentionInterface")
    if not _rotaries_of(base):
        raise _of_another_form(base, "it has no rotary_emb")
    return found


def _rotaries_of(base: nn.Module) -> list[nn.Module]:
    return [each for name, each in base.named_modules() if name.split(".")[-1].startswith("rotary_emb")]


def _sizes_of(base: PreTrainedModel, attention: nn.Module, seed: int) -> dict[str, Any]:
    config = base.config
    heads = config.num_attention_heads
    head_dim = getattr(attention, "head_dim", None) or getattr(attention, "head_size", None)
    sizes = {
        "d_model": config.hidden_size,
        "num_heads": heads,
        "head_dim": head_dim or config.hidden_size // heads,
        "num_layers": config.num_hidden_layers,
        "max_positions": getattr(config, "max_position_embeddings", None),
        "bidirectional": not attention.is_causal,
        "seed": seed,
    }
    rope = getattr(config, "rope_parameters", None) or {}
    own = {name: rope.get(name) for name in ("rope_theta", "partial_rotary_factor")}
    return {name: value for name, value in (sizes | own).items() if value is not None}


def _require_within_attention(encoding: Encoding) -> None:
    """A swap sees what each layer's attention sees, so neither the embeddings nor the ids of tokens."""
    if encoding.overrides("embed") or encoding.overrides("token_width"):
        raise ClockhandsError(
            f"{encoding.id} changes the token embeddings, which a swap of attention leaves alone: choose a "
            "scheme that works inside attention, such as 'rope' or 'alibi'",
            f"{encoding.id} 会改变词元的嵌入，而这里只替换注意力中的编码："
            "请选择在注意力内部起作用的方案，例如 'rope' 或 'alibi'",
        )
    if encoding.overrides("place"):
        raise ClockhandsError(
            f"{encoding.id} places tokens itself, once for all layers, which attention can't see: choose a "
            "scheme that takes the model's positions",
            f"{encoding.id} 要自己为所有层统一安排位置，而注意力看不到这一点：请选择直接使用模型位置的方案",
        )
    if encoding.axes is not None and not encoding.spreads:
        raise ClockhandsError(
            f"{encoding.id} reads {encoding.axes} positions a token, and this model has one: choose a scheme "
            "for plain positions",
            f"{encoding.id} 的每个词元要有 {encoding.axes} 个位置，而这个模型只有一个："
            "请选择使用普通位置的方案",
        )


def _of_another_form(model: nn.Module, why: str) -> ClockhandsError:
    name = type(model).__name__
    return ClockhandsError(
        f"{name} can't be swapped ({why}): give a rotary decoder such as Llama, Qwen, Mistral or GPT-NeoX",
        f"{name} 不能替换位置编码（{why}）："
        "请给出使用旋转编码的解码器，例如 Llama、Qwen、Mistral 或 GPT-NeoX",
    )
