"""DeBERTa: how far apart two tokens are stands beside what they are, in scores of its own."""

from __future__ import annotations

from clockhands.check.architectures.added import Learned, NoPosition
from clockhands.check.architectures.common import OTHER
from clockhands.check.architectures.mixtures import Architecture, Chosen, Together
from clockhands.check.architectures.relative import Bucketed
from clockhands.check.architectures.widths import Scale, Width, split_width
from clockhands.check.form import LayerForm
from clockhands.check.settings import Settings


def kinds_of_score(s: Settings) -> list[str]:
    """``pos_att_type``, a list or ``"c2p|p2c"``."""
    told = s.get("pos_att_type")
    if isinstance(told, str):
        return [each.strip() for each in told.lower().split("|")]
    return [each for each in told if isinstance(each, str)] if isinstance(told, list | tuple) else []


def known(s: Settings) -> int:
    """How many of them the code knows."""
    return sum(each in kinds_of_score(s) for each in ("c2p", "p2c"))


def scale_v1(s: Settings, width: int | None) -> float | None:
    """One over the root of the width and the count of summands, told ones whether known or not."""
    return None if not width else (width * (1 + len(kinds_of_score(s)))) ** -0.5


def scale_v2(s: Settings, width: int | None) -> float | None:
    """The same over those known."""
    return None if not width else (width * (1 + known(s))) ** -0.5


def furthest(s: Settings) -> int | None:
    """``max_relative_positions``, the table's length where it is below 1."""
    return s.whole("max_relative_positions") or s.whole("max_position_embeddings")


def narrow(s: Settings) -> int | None:
    """Width of the embeddings, widened afterwards where it isn't the hidden one."""
    return s.whole("embedding_size") or s.whole("hidden_size")


def convolved(s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
    """DeBERTa-V2: a convolution over the first layer, where there is one."""
    return OTHER(s, (0,)) if s.whole("conv_kernel_size") else ()


def deberta(bucketed: Bucketed, *, head: Width, scale: Scale) -> Together:
    """A table with ``position_biased_input``, relative scores with ``relative_attention`` if any are told."""
    table = Learned(width=narrow, head_dim=head, scale=scale)
    relative = Chosen(lambda s: str(bool(s.get("relative_attention") and known(s))), {"True": bucketed})
    added = Chosen(lambda s: str(bool(s.get("position_biased_input", True))), {"True": table})
    plain = NoPosition(head_dim=head, scale=scale)

    def neither(s: Settings) -> str:
        return str(not (s.get("position_biased_input", True) or (s.get("relative_attention") and known(s))))

    return Together((added, relative, Chosen(neither, {"True": plain})))


def head_v2(s: Settings) -> int | None:
    """``attention_head_size``, else the hidden width by the heads."""
    return s.whole("attention_head_size") or split_width(s)


DEBERTA = deberta(
    Bucketed(
        family="deberta",
        num_buckets=None,
        max_distance=furthest,
        bidirectional=True,
        head_dim=split_width,
        scale=scale_v1,
    ),
    head=split_width,
    scale=scale_v1,
)
DEBERTA_V2 = deberta(
    Bucketed(
        family="deberta",
        num_buckets="position_buckets",  # to either side, so that the table has twice as many
        max_distance=furthest,
        bidirectional=True,
        head_dim=head_v2,
        scale=scale_v2,
    ),
    head=head_v2,
    scale=scale_v2,
)

DEBERTAS: dict[str, Architecture] = {
    "deberta": DEBERTA,
    "deberta-v2": Together((DEBERTA_V2, convolved)),
}
