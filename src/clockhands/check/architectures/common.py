"""Entries that many classes share."""

from __future__ import annotations

from collections.abc import Callable

from clockhands.check.architectures.added import Learned, NoPosition, Sinusoidal
from clockhands.check.architectures.mixtures import Chosen, Stacks
from clockhands.check.architectures.relative import Bucketed
from clockhands.check.architectures.rope import Rope
from clockhands.check.architectures.widths import split_width
from clockhands.check.settings import Settings
from clockhands.formulas.slopes import alibi_slopes

LLAMA = Rope()
"""Whole heads turned in halves; ``partial_rotary_factor`` is ignored where frequencies are not scaled."""

SLIDING_ROPE = Rope(window="sliding_window")
NO_POSITION = NoPosition()
OTHER = NoPosition(mixer="other")

BERT = Learned(head_dim=split_width)
"""A table of ``max_position_embeddings`` rows, first token at row 0, no ``head_dim``."""

NARROW_BERT = Learned(head_dim=split_width, width="embedding_size")
"""The same, of the width of the embeddings, which are widened after it is added."""


def after_padding(s: Settings) -> int:
    """Row of the first token where the padding token's row precedes it, as in RoBERTa."""
    pad = s.get("pad_token_id", 1)
    return pad + 1 if isinstance(pad, int) and not isinstance(pad, bool) and abs(pad) < 2**31 else 1


ROBERTA = Learned(
    rows=lambda s: s.whole(
        "max_position_embeddings"
    ),  # all of them: the first pad_token_id + 1 hold no token
    offset=after_padding,
    head_dim=split_width,
)


def width_by(heads: str, width: str = "d_model") -> Callable[[Settings], int | None]:
    """The hidden width by the heads of one stack."""

    def head_dim(s: Settings) -> int | None:
        hidden, count = s.whole(width), s.whole(heads)
        return None if hidden is None or count is None else hidden // count

    return head_dim


def learned_stacks(offset: int = 0) -> Stacks:
    """BART's two stacks, each with a table of ``max_position_embeddings`` and ``offset`` rows."""
    return Stacks(
        encoder=Learned(offset=offset, width="d_model", head_dim=width_by("encoder_attention_heads")),
        decoder=Learned(offset=offset, width="d_model", head_dim=width_by("decoder_attention_heads")),
    )


def sines(heads: str, width: str = "d_model") -> Sinusoidal:
    """M2M-100 and others: all sines, then all cosines; the first token stands after the padding's row.

    heads  key of the heads of one stack
    width  key of the hidden width
    """
    return Sinusoidal(
        layout="half",
        exponent="i/(d/2-1)",
        offset=after_padding,
        rows=lambda s: (s.whole("max_position_embeddings") or 0) + 2,
        width=width,
        head_dim=width_by(heads, width),
    )


def plain_sines(heads: str) -> Sinusoidal:
    """Marian and Pegasus: the same over 2i/d, from 0 on."""
    return Sinusoidal(
        layout="half", rows="max_position_embeddings", width="d_model", head_dim=width_by(heads)
    )


def told_width(s: Settings) -> int | None:
    """``d_kv`` of T5, whatever ``d_model`` is."""
    return s.whole("d_kv")


T5 = Stacks(
    encoder=Bucketed(bidirectional=True, head_dim=told_width),
    decoder=Bucketed(head_dim=told_width),
    encoder_layers="num_layers",
    decoder_layers="num_decoder_layers",
)
"""A bias by buckets of distances, of the first layer (UMT5: of each); scores are not scaled."""


def learned_or_sinusoidal(key: str) -> Chosen:
    """BERT's table, filled with sines and cosines that alternate where ``key`` says so."""
    return Chosen(
        lambda s: "sinusoidal" if s.get(key) else "learned",
        {"learned": BERT, "sinusoidal": Sinusoidal(rows="max_position_embeddings", head_dim=split_width)},
    )


def root_key(key: str) -> Callable[[Settings, int | None], float | None]:
    """A scale of scores that is one over the root of what ``key`` holds."""

    def scale(s: Settings, width: int | None) -> float | None:
        value = s.number(key)
        return value**-0.5 if value is not None and value > 0 else None

    return scale


def told_scale(key: str) -> Callable[[Settings, int | None], float | None]:
    """A scale of scores that ``key`` holds."""
    return lambda s, width: s.number(key)


MOST_HEADS = 65536
"""More than any model has; slopes are computed for no more."""


def published_slopes(s: Settings) -> tuple[float, ...] | None:
    """Those of the ALiBi paper, for any number of heads."""
    heads = s.whole("num_attention_heads")
    return None if heads is None or heads > MOST_HEADS else tuple(alibi_slopes(heads).tolist())
