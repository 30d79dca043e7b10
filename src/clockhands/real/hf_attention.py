"""Attention of transformers computed by an encoding: what its attention and mask interfaces call.

A hook on each attention layer hands the interface what a layer's heads alone don't say: hidden states,
positions, and the record of earlier tokens. It travels with the call, so nothing is kept between calls.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.cache_utils import Cache
from transformers.masking_utils import sdpa_mask

from clockhands.core.attend import attend, enter
from clockhands.core.cache import LayerCache, Tokens
from clockhands.core.encoding import Encoding
from clockhands.core.visibility import Visibility
from clockhands.errors import ClockhandsError
from clockhands.real.hf_record import Owner, Record, record_of

NAME = "clockhands"
"""What the interfaces know it as, and what the hook's keyword is called."""

CHANGES = ("softcap", "s_aux")
"""Keywords by which a model asks for an attention that is not the softmax of its scores."""


@dataclass(frozen=True)
class Noted:
    """What goes with one call of one layer.

    x          ``(b, t, d_model)`` what queries, keys and values are made from
    positions  ``(b or 1, t)``
    record     of the layer's cache; None without a cache
    """

    encoding: Encoding
    x: Tensor
    positions: Tensor
    record: Record | None


@dataclass(eq=False)
class Note:
    """The hook of one attention layer, run before it."""

    encoding: Encoding
    layer: int
    num_layers: int
    owner: Owner

    def __call__(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        positions = kwargs.get("position_ids")
        if not isinstance(positions, Tensor) or positions.ndim != 2:
            given = f"shape {tuple(positions.shape)}" if isinstance(positions, Tensor) else "none"
            raise ClockhandsError(
                f"position_ids must be (b, t) where attention is computed, and there is {given}: this model "
                "can't be swapped",
                f"计算注意力时需要形状为 (b, t) 的 position_ids，而现在是 {given}：这个模型不能替换位置编码",
            )
        x = kwargs["hidden_states"] if "hidden_states" in kwargs else args[0]
        cache = next((each for each in (*args, *kwargs.values()) if isinstance(each, Cache)), None)
        record = None if cache is None else record_of(cache, self.layer, self.num_layers, self.owner)
        return args, {**kwargs, NAME: Noted(self.encoding, x, positions, record)}


def stand_still(module: nn.Module, args: Any, output: Any) -> tuple[Tensor, Tensor]:
    """The hook of a rotary embedding: cos 1 and sin 0, which turn nothing and change no bit."""
    if not isinstance(output, tuple) or len(output) != 2:
        raise ClockhandsError(
            f"the model's rotary embedding gives a {type(output).__name__} instead of cos and sin: this "
            "model can't be swapped",
            f"这个模型的旋转编码给出的是 {type(output).__name__}，不是 cos 和 sin：它不能替换位置编码",
        )
    cos, sin = output
    return torch.ones_like(cos), torch.zeros_like(sin)


def register() -> None:
    """Make the name known to both interfaces; doing it again changes nothing."""
    AttentionInterface.register(NAME, attention)
    AttentionMaskInterface.register(NAME, whole_mask)


def whole_mask(*args: Any, **kwargs: Any) -> Tensor | None:
    """The mask of transformers as ``(b, 1, tq, tk)`` bool, True where a query may look; never left out."""
    return sdpa_mask(*args, **{**kwargs, "allow_is_causal_skip": False, "allow_is_bidirectional_skip": False})


def attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Any,
    scaling: float | None = None,
    dropout: float = 0.0,
    **kwargs: Any,
) -> tuple[Tensor, Tensor | None]:
    """Heads ``(b, h, t, hd)``, keys and values ``(b, hk, tk, hd)`` -> ``(b, t, h, hd)``.

    Keys are as the model made them, cached ones first. Weights ``(b, h, t, tk)`` come back if
    ``output_attentions`` asks for them.
    """
    noted = kwargs.get(NAME)
    if not isinstance(noted, Noted):
        raise ClockhandsError(
            "this model was not swapped, but it shares its configuration with one that was: give each model "
            "a configuration of its own (copy.deepcopy)",
            "这个模型没有替换位置编码，却与已替换的模型共用一个配置对象：请给每个模型单独的配置（copy.deepcopy）",
        )
    asked = [name for name in CHANGES if kwargs.get(name) is not None]
    if asked:
        raise ClockhandsError(
            f"this model's attention is changed by {', '.join(asked)}, which a swap doesn't compute: "
            "use a model without it",
            f"这个模型的注意力还受 {'、'.join(asked)} 影响，替换后无法计算：请换一个没有它的模型",
        )
    seen = key.shape[2] - query.shape[2]
    earlier = _earlier(noted, key[:, :, :seen], value[:, :, :seen])
    visibility = _visibility(noted, attention_mask, query, earlier)
    _, (placed,) = enter([noted.encoding], noted.x, noted.positions)
    cache = LayerCache(earlier, turned=False)
    attended = attend(
        placed, query, key[:, :, seen:], value[:, :, seen:],
        visibility=visibility, x=noted.x, cache=cache, scale=scaling, dropout=dropout,
        want_weights=bool(kwargs.get("output_attentions")),
    )  # fmt: skip
    if noted.record is not None:
        assert cache.tokens is not None
        noted.record.add(cache.tokens, query.shape[2])
    weights = attended.weights
    return attended.output.transpose(1, 2).contiguous(), None if weights is None else weights.to(query.dtype)


def _earlier(noted: Noted, k: Tensor, v: Tensor) -> Tokens | None:
    count, record = k.shape[2], noted.record
    if count > (0 if record is None else record.length):
        raise ClockhandsError(
            f"{count} keys come from tokens that were not cached here, so where they are can't be known: "
            "prefixes of keys can't be used with a swap",
            f"有 {count} 个键所属的词元不是在这里存入缓存的，无法知道它们的位置：替换后不能使用键的前缀",
        )
    if record is None:
        return None
    if count < record.length and noted.encoding.overrides("annotate"):
        raise _needs_all_tokens(noted.encoding)
    return record.tokens(k, v)


def _visibility(noted: Noted, mask: Any, query: Tensor, earlier: Tokens | None) -> Visibility:
    """The rules behind a mask ``(b or 1, 1, t, tk)`` if they are causal and padding, else the mask itself."""
    rows, _, count, _ = query.shape
    seen = 0 if earlier is None else earlier.length
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool or mask.shape[1:] != (1, count, seen + count):
        given = f"{mask.dtype} {tuple(mask.shape)}" if isinstance(mask, Tensor) else type(mask).__name__
        raise ClockhandsError(
            f"the attention mask is {given}, but a swap needs bool of shape (b, 1, {count}, {seen + count}), "
            "True where a query may look: give a 2-D mask of the padding, or a boolean one",
            f"注意力掩码是 {given}，但替换后需要形状为 (b, 1, {count}, {seen + count}) 的布尔掩码"
            "（True 表示可以看）：请给出二维的填充掩码，或者布尔掩码",
        )
    allowed = mask[:, 0].expand(rows, -1, -1)
    # A token that is no padding sees itself; what is neither causal nor padding shows as a difference.
    valid = allowed.diagonal(seen, dim1=1, dim2=2)
    before = valid.new_ones(rows, seen) if earlier is None or earlier.valid is None else earlier.valid
    rules = Visibility(valid=torch.cat((before, valid), dim=1))
    if torch.equal(rules.mask(rows, count, seen + count, query.device)[:, 0], allowed):
        return Visibility(valid=None if valid.all() else valid)
    if noted.encoding.overrides("annotate"):
        raise _needs_all_tokens(noted.encoding)
    return Visibility(causal=False, allowed=allowed)


def _needs_all_tokens(encoding: Encoding) -> ClockhandsError:
    return ClockhandsError(
        f"{encoding.id} reads all tokens between a query and a key, but this mask hides some (a window, "
        "packed texts, or a mask of your own): use a causal mask with padding only",
        f"{encoding.id} 要读取查询与键之间的所有词元，而这个掩码遮住了一部分"
        "（窗口、打包的文本，或自定义掩码）：请只用因果掩码和填充",
    )
