"""Queries and keys as attention met them, of a model that is run once more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from clockhands.analysis.attention_trace import PADDING, SPECIAL, WORD, Sentence, sentence
from clockhands.core.attend import attend
from clockhands.core.back_ends import WHOLE_ROWS, Call, Dense
from clockhands.core.bias import dense_bias
from clockhands.language import Text
from clockhands.models.projections import SelfAttention
from clockhands.text import PAD, SPECIALS, Segmented
from clockhands.training.corpus import Numbered
from clockhands.training.settings import AttendSettings

Array = NDArray[Any]


class Layer(NamedTuple):
    """One layer of one forward: turned q ``(b, h, t, hd)`` and k ``(b, hk, t, hd)``.

    bias  ``(b, h, t, t)``, finite, or None
    sums  whether the logits are ``scale · <q, k> + bias``; where they aren't, only weights tell them
    """

    q: Array
    k: Array
    scale: float
    bias: Array | None
    sums: bool


@dataclass
class Recorder:
    """The dense back end, which keeps what it was given."""

    name: str = "recorder"
    layers: list[Layer] = field(default_factory=list[Layer])

    def refusal(self, call: Call) -> Text | None:
        return None

    def run(self, call: Call) -> tuple[Tensor, Tensor | None]:
        bias = dense_bias(call.encoding, call.ctx)
        if bias is not None:
            bias = bias.expand(*call.q.shape[:3], call.k.shape[2])
        masks = bias is not None and not bool(bias.isfinite().all())  # a bias that hides what is far
        self.layers.append(
            Layer(
                _array(call.q), _array(call.k), call.ctx.scale,
                None if bias is None or masks else _array(bias),
                not masks and not any(call.encoding.overrides(hook) for hook in WHOLE_ROWS),
            )
        )  # fmt: skip
        return Dense().run(call)


@contextmanager
def recorded(model: nn.Module) -> Iterator[Recorder]:
    """Within it, each attention layer of ``model`` is seen as it runs; what it returns stays the same."""
    recorder = Recorder()
    hooks = [
        module.register_forward_hook(_seen(recorder))
        for module in model.modules()
        if isinstance(module, SelfAttention)
    ]
    try:
        yield recorder
    finally:
        for hook in hooks:
            hook.remove()


def _seen(recorder: Recorder) -> Any:
    def hook(module: SelfAttention, given: tuple[Any, ...], returned: Any) -> None:
        x, placed, visibility = given[:3]
        q, k, v = (
            projected(x).unflatten(-1, (-1, module.head_dim)).transpose(1, 2)
            for projected in (module.query, module.key, module.value)
        )
        attend(placed, q, k, v, visibility=visibility, x=x, back_ends=(recorder,), want_weights=True)

    return hook


def _array(values: Tensor) -> Array:
    return values.detach().cpu().double().numpy()


def trace(
    numbers: Numbered,
    text: Segmented,
    weights: Tensor,
    layers: Sequence[Layer],
    row: int,
    settings: AttendSettings,
) -> Sentence:
    """The sentence in row ``row`` of a batch, as the page draws it.

    numbers  its ids, a sign in front of them included; text: as it was segmented
    weights  ``(layers, heads, t, t)``, padding included, which is kept where it is looked at
    """
    signs = len(numbers.ids) - len(text)
    count = weights.shape[-1] if settings.as_printed else len(numbers.ids)
    padding = count - len(numbers.ids)
    truth = _array(weights)[..., :count, :count]
    q = np.stack([layer.q[row, :, :count] for layer in layers])
    k = np.stack([layer.k[row, :, :count] for layer in layers])
    biases = [layer.bias for layer in layers]
    bias, told = None, all(layer.sums for layer in layers)
    if told and any(each is not None for each in biases):
        zeros = np.zeros((*q.shape[1:3], count))
        dense = np.stack([zeros if each is None else each[row, :, :count, :count] for each in biases])
        bias = by_distance(dense)
        told = bias is not None
    ids = [*numbers.ids.tolist(), *[PAD] * padding]
    return sentence(
        [*(SPECIALS[each] for each in ids[:signs]), *text.labels, *[SPECIALS[PAD]] * padding],
        q if told else None,
        k if told else None,
        weights=truth,
        scale=[layer.scale for layer in layers],
        bias=bias,
        causal=settings.causal,
        ids=ids,
        spans=[*[(0, 0)] * signs, *text.spans, *[(0, 0)] * padding],
        marks=[*[SPECIAL] * signs, *[WORD] * len(text), *[PADDING] * padding],
        text=text.text,
    )


def by_distance(bias: Array) -> Array | None:
    """``(..., t, t)`` -> ``(..., 2t − 1)``, distances 1 − t … t − 1; None unless distance says it all.

    >>> by_distance(np.array([[0.0, 5.0], [-1.0, 0.0]])).tolist()
    [5.0, 0.0, -1.0]
    """
    count = bias.shape[-1]
    curve = np.concatenate((bias[..., 0, :0:-1], bias[..., :, 0]), -1)
    place = np.arange(count)
    same = np.array_equal(curve[..., place[:, None] - place + count - 1], bias)
    return curve if same else None
