"""The normal form: what a model does with position, in the same words wherever it was read or measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

Family = Literal[
    "none", "sinusoidal", "learned", "rope", "alibi", "t5", "shaw", "transformer_xl", "deberta", "other"
]
Layout = Literal["half", "interleaved"]
RotaryDims = Literal["whole", "prefix", "suffix"]
TableLayout = Literal["half", "interleaved", "narrow"]
WindowKind = Literal["sliding", "chunked"]
Source = Literal["declared", "measured", "both"]
Stack = Literal["encoder", "decoder"]
Kind = Literal["config", "gguf", "model", "function"]


@dataclass(frozen=True, kw_only=True)
class LayerForm:
    """What layers of one kind do with position; a field is None where it does not apply or is not known.

    Layers may be named by two forms: one says what is added to the tokens (``sinusoidal``, ``learned``), the
    other what their attention does.

    layers             which ones, counted from 0 within their stack
    stack              of an encoder-decoder; None where there is one stack only
    mixer              ``attention``, or ``other``: a recurrence, a convolution, a Fourier transform, which
                       know order without any encoding, or nothing at all (``family`` is then ``none``)
    layout             how dimensions pair up as hands, where there are any
    head_dim           width of a query; of the whole hidden state where a table is added to it
    rotary_dim         dimensions that turn, and where in the head they lie: ``rotary_dims``
    rope_theta         base of the frequencies
    rope_type          how they are scaled: ``default``, ``linear``, ``yarn`` …
    scaling            parameters of that scaling, by the names of transformers
    inv_freq           rad / token, ``rotary_dim / 2`` of them, fastest first as the model holds them
    attention_factor   on cos and sin both, so that rotated scores carry its square
    score_scale        what ``q . k`` is multiplied by before the softmax
    slopes             ALiBi, logits / token, positive, one a head
    num_buckets, max_distance, bidirectional   of T5's bias, and of other relative ones
    rows, offset       of a learned table; position 0 takes row ``offset``
    window             tokens that a query sees, itself counted
    window_kind        ``sliding``: as many for every query; ``chunked``: the text is cut every so many
                       tokens, and a query sees back to where its piece begins
    mrope_section      hands a position axis has, in the order time, height, width
    table_layout       how cos and sin are laid out that a function is given: all hands twice (``half``), each
                       hand twice (``interleaved``) or once (``narrow``); where it turns as many dimensions as
                       they are wide, ``rotary_dim`` is None
    """

    layers: tuple[int, ...]
    family: Family
    stack: Stack | None = None
    mixer: Literal["attention", "other"] = "attention"
    layout: Layout | None = None
    head_dim: int | None = None
    rotary_dim: int | None = None
    rotary_dims: RotaryDims | None = None
    rope_theta: float | None = None
    rope_type: str | None = None
    scaling: Mapping[str, Any] = field(default_factory=dict)
    inv_freq: tuple[float, ...] | None = None
    attention_factor: float | None = None
    score_scale: float | None = None
    slopes: tuple[float, ...] | None = None
    num_buckets: int | None = None
    max_distance: int | None = None
    bidirectional: bool | None = None
    rows: int | None = None
    offset: int | None = None
    window: int | None = None
    window_kind: WindowKind | None = None
    mrope_section: tuple[int, ...] | None = None
    mrope_interleaved: bool | None = None
    table_layout: TableLayout | None = None
    source: Source = "declared"

    def alike(self, other: LayerForm) -> bool:
        """Whether they differ in nothing but the layers they speak of."""
        return replace(self, layers=()) == replace(other, layers=())

    def as_was_measured(self, others: Iterable[LayerForm]) -> LayerForm | None:
        """Measured layers that are declared to do the same as these, which were not measured themselves.

        A small model has fewer layers than the configuration it stands for.
        """
        if self.source != "declared":
            return None
        ours = replace(self, layers=(), source="both")
        return next((each for each in others if replace(each, layers=()) == ours), None)

    def as_record(self) -> dict[str, Any]:
        """For JSON: every field by its name."""
        return {each.name: _plain(getattr(self, each.name)) for each in fields(self)}


def merged(forms: tuple[LayerForm, ...] | list[LayerForm]) -> tuple[LayerForm, ...]:
    """One form for each distinct kind, in the order in which the kinds first appear.

    >>> [form.layers for form in merged([LayerForm(layers=(n,), family="none") for n in range(3)])]
    [(0, 1, 2)]
    """
    kinds: list[LayerForm] = []
    for form in forms:
        for place, kind in enumerate(kinds):
            if kind.alike(form):
                kinds[place] = replace(kind, layers=tuple(sorted({*kind.layers, *form.layers})))
                break
        else:
            kinds.append(form)
    return tuple(kinds)


@dataclass(frozen=True)
class Context:
    """Lengths in tokens: trained on, promised by the configuration, served. None: not known."""

    trained: int | None = None
    promised: int | None = None
    served: int | None = None

    def as_record(self) -> dict[str, int | None]:
        """For JSON."""
        return {"trained": self.trained, "promised": self.promised, "served": self.served}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    return value
