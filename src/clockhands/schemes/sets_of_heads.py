"""Numbers that differ from head to head, given to whatever heads an attention layer has."""

from __future__ import annotations

from torch import Tensor

from clockhands.errors import ClockhandsError


def for_heads(sets: Tensor, num_heads: int) -> Tensor:
    """``(b, t, sets, ...)`` -> ``(b, num_heads, t, ...)``; neighbouring heads share where sets are fewer.

    Raises ClockhandsError where the sets are not one for each head or for equally many.
    """
    count = sets.shape[2]
    if num_heads % count:
        raise ClockhandsError(
            f"{count} heads have rotations of their own, which {num_heads} heads can't share out: "
            f"make the encoding with num_heads={num_heads}",
            f"编码里有 {count} 个头各有自己的旋转，无法分给 {num_heads} 个头："
            f"请用 num_heads={num_heads} 建编码",
        )
    return sets.movedim(2, 1).repeat_interleave(num_heads // count, dim=1)
