"""From one call of attention to the form of its layer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from torch import Tensor, nn

from clockhands.check.form import LayerForm
from clockhands.check.probe.hf import bias as hf_bias
from clockhands.check.probe.hf import inner as hf_inner
from clockhands.check.probe.hf import masks as hf_masks
from clockhands.check.probe.hf import rotation as hf_rotation
from clockhands.check.probe.hf.feed import ROWS
from clockhands.check.probe.hf.schedule import schedule
from clockhands.check.probe.hf.seen import Run, Seen

POSITIONS = (0, 1, 3, 17, 67, 289, 1009, 4913, 20011, 100_003, 100_004)
"""Near and far; each is few times the one before, so that none is a turn or more in doubt."""

BEGUN = 6
"""Tokens after which convolutions of a few tokens have begun."""

CONTENTS = 40
"""Heads of the batch that are looked at; more say nothing new."""


@dataclass(frozen=True)
class Heads:
    """One call of attention in numbers.

    q, k   ``(b, h, t, hd)``
    scale  of the scores, as given or as the scores show; bias ``(h or 1, t, t)`` of the first text
    """

    q: np.ndarray
    k: np.ndarray
    scale: float | None
    bias: np.ndarray | None
    seen: Seen
    mixed: bool = False
    """Whether what is added depends on content."""
    logits: np.ndarray | None = None
    before: int = 0
    """Tokens that were put before the text."""

    def of_text(self, start: int, count: int) -> Heads:
        """The same of ``count`` tokens from ``start`` on only."""
        part = slice(start, start + count)
        bias, logits = (None if each is None else each[..., part, part] for each in (self.bias, self.logits))
        return replace(
            self, q=self.q[:, :, part], k=self.k[:, :, part], bias=bias, logits=logits, before=start
        )


def heads_of(seen: Seen, count: int) -> Heads | None:
    """None where this call isn't one of a text looking at itself, or its queries were not seen.

    Where there are more keys than tokens (summaries of earlier ones), only queries and scale are told.
    """
    if seen.q is None or seen.k is None:
        return None
    q, k = four(seen.q), four(seen.k)
    if q is not None and k is not None and q.shape[-2] == count < k.shape[-2] and q.shape[-1] == k.shape[-1]:
        return Heads(q, k[:, :, :count], seen.scaling, None, seen)
    if q is None or k is None or q.shape[-2] != count or k.shape[-2] != count or q.shape[-1] != k.shape[-1]:
        return None
    scale, bias = seen.scaling, None if seen.bias is None else seen.bias[0].double().numpy()
    if bias is not None and bias.shape[-2] != count:
        bias = np.broadcast_to(bias, (bias.shape[0], count, count))
    if seen.logits is not None:
        logits = four(seen.logits)
        if logits is None or logits.shape[1] != q.shape[1] or q.shape[1] % k.shape[1]:
            return None
        scale, bias, mixed = _apart(logits, q, k)
        return Heads(q, k, scale, bias, seen, mixed, logits)
    if seen.bias is not None and seen.scaling is not None and seen.bias.shape[-2] == count:
        every = seen.bias.double().numpy()
        shown = every[:, :, (every > hf_bias.HIDDEN).all((0, 1))]
        if shown.size and np.abs(shown - shown[:1]).max() > 1e-9 * max(1.0, np.abs(shown).max()):
            dots = q @ np.repeat(k, q.shape[1] // k.shape[1], 1).swapaxes(-1, -2)
            return Heads(q, k, scale, bias, seen, True, seen.scaling * dots + every)
    return Heads(q, k, scale, bias, seen)


def products(heads: Heads) -> np.ndarray:
    """``(b, h, t, t)`` queries times keys."""
    k = np.repeat(heads.k, heads.q.shape[1] // heads.k.shape[1], 1)
    return heads.q @ k.swapaxes(-1, -2)


def four(each: Tensor) -> np.ndarray | None:
    """``(b, h, t, n)`` of what may have batch and heads in one axis."""
    array = each.double().numpy()
    if array.ndim == 3 and len(array) % ROWS == 0:
        array = array.reshape(ROWS, -1, *array.shape[1:])
    return array if array.ndim == 4 and len(array) in (1, ROWS) else None


def _apart(logits: np.ndarray, q: np.ndarray, k: np.ndarray) -> tuple[float | None, np.ndarray | None, bool]:
    """Scale and bias of the first text, as the scores of several texts tell them apart.

    Where a query looks at its own place, position turns nothing, and only the content differs between texts.
    """
    dots = q @ np.repeat(k, q.shape[1] // k.shape[1], 1).swapaxes(-1, -2)
    open_ = (logits > hf_bias.HIDDEN).all((0, 1))
    own = np.flatnonzero(np.diagonal(open_))
    if not len(own):
        return None, None, False
    i = int(own[-1])
    x, y = dots[:, :, i, i], logits[:, :, i, i]
    x, y = x - x.mean(0), y - y.mean(0)
    over = float((x * x).sum())
    if over <= 0:
        return None, None, False
    scale = float((x * y).sum()) / over
    rest = np.where(open_, logits - scale * dots, -np.inf)
    shown = rest[:, :, open_]
    mixed = bool(np.abs(shown - shown[:1]).max() > 1e-6 * max(1.0, float(np.abs(logits[:, :, open_]).max())))
    return scale, rest[0], mixed


def first_steps(heads: Heads) -> dict[tuple[int, int], float]:
    """The angle of each pair from the first position to the second, rad."""
    turn = hf_rotation.turning(_flat(heads))
    return (
        {}
        if turn is None
        else {tuple(p): float(a) for p, a in zip(turn.pairs, turn.angles[:, 1], strict=True)}
    )


def _flat(heads: Heads) -> np.ndarray:
    return heads.q.reshape(-1, *heads.q.shape[2:])[:: max(1, heads.q.shape[0] * heads.q.shape[1] // CONTENTS)]


def form_of(n: int, heads: Heads, run: Run, far: Any, long: hf_rotation.Turning | None) -> LayerForm:
    """The form of layer ``n`` from what its attention saw."""
    turn = hf_rotation.turning(_flat(heads))
    positions = np.arange(heads.q.shape[2], dtype=float)
    steps = [each for each in (0, 1, 2, 4, 8, 16) if each < len(positions)]
    if turn is not None and long is not None and _agree(turn, long):
        turn, positions, steps = long, np.asarray(POSITIONS, dtype=float), list(range(len(POSITIONS) - 1))
    if turn is None and len(positions) > 2 * BEGUN:
        # A convolution before the rotation makes the first tokens unlike the others.
        turn = hf_rotation.turning(_flat(heads)[:, BEGUN:])
        steps = [each for each in steps if each < len(positions) - BEGUN]
    width = heads.q.shape[-1]
    fields: dict[str, Any] = {"layers": (n,), "head_dim": width, **window_of(heads, run)}
    moving = np.zeros(width, dtype=bool)
    if turn is not None:
        moving[turn.pairs.ravel()] = True
    origins = [_origin(heads.seen, each) for each in (heads.q, heads.k)]
    amplitude, times = _amplitude(moving, origins)
    if heads.scale is not None:
        fields["score_scale"] = _six(heads.scale * times)
    if turn is not None:
        fields |= _rope(turn, origins[0], far, positions, steps)
        fields["attention_factor"] = 1.0 if amplitude is None else _six(amplitude)
        fields["family"] = "rope"
        return LayerForm(**fields)
    fields |= {"family": "other"} if heads.mixed else _biased(heads)
    return LayerForm(**fields)


def _agree(near: hf_rotation.Turning, long: hf_rotation.Turning) -> bool:
    """Whether the hands turn alike in a long text, whose far positions then tell them more precisely.

    The third position there is 3, unless the model ignores what positions it is given.
    """
    far = {tuple(pair): angles for pair, angles in zip(long.pairs, long.angles, strict=True)}
    for pair, angles in zip(near.pairs, near.angles, strict=True):
        if tuple(pair) not in far:
            return False
        for here, there in ((1, 1), (POSITIONS[2], 2)):
            gap = abs(np.exp(1j * angles[here]) - np.exp(1j * far[tuple(pair)][there]))
            if gap > max(1e-6, 1e-3 * abs(angles[here])):
                return False
    return True


def _rope(
    turn: hf_rotation.Turning,
    origin: hf_inner.Origin | None,
    far: Any,
    positions: np.ndarray,
    steps: list[int],
) -> dict[str, Any]:
    speed = hf_rotation.speeds(turn.angles[:, steps], positions[steps])
    layout, turned, where, hands = hf_rotation.shape(turn.pairs, turn.width)
    if origin is not None:
        at = origin.index[turn.pairs]
        gaps = np.abs(at[:, 1] - at[:, 0])
        if (at >= 0).all() and len(gaps) > 1 and len(np.unique(gaps)) == 1:
            layout = "interleaved" if gaps[0] == 1 else "half"
    inv_freq = np.zeros(max(turned // 2, int(hands.max()) + 1))
    inv_freq[hands] = np.abs(speed)
    if layout == "half" and turned == turn.width and (inv_freq == 0).all():
        return {}
    found = schedule(inv_freq)
    return {
        "layout": layout,
        "rotary_dim": 2 * len(inv_freq),
        "rotary_dims": where,
        "inv_freq": tuple(_six(float(each)) for each in inv_freq),
        "rope_theta": found.rope_theta,
        "rope_type": found.rope_type,
        "scaling": found.scaling,
        **({} if far is None else far.fields(hands, len(inv_freq))),
    }


def within(heads: Heads) -> float:
    """What queries and keys that don't turn were multiplied by before their product."""
    moving = np.zeros(heads.q.shape[-1], dtype=bool)
    return _amplitude(moving, [_origin(heads.seen, each) for each in (heads.q, heads.k)])[1]


def _origin(seen: Seen, heads: np.ndarray) -> hf_inner.Origin | None:
    """Where the first head's numbers at the first position came from among what ran within attention."""
    b, _, count, _ = heads.shape
    outputs: list[np.ndarray] = []
    for each in seen.inner:
        shape = list(each.shape)
        # A text may stand several times in a row, as streams that predict different tokens.
        times = [n for n, size in enumerate(shape) if size and size % count == 0]
        if b not in shape or not times:
            continue
        axis = shape.index(b)
        times = [n for n in times if n != axis] if b == count else times
        if not times:
            continue
        along = min(times, key=lambda n: shape[n])
        array = np.moveaxis(each.double().numpy(), (axis, along), (0, 1))
        if np.abs(array[:, 0] - array[:, 1]).max() > 1e-9 * np.abs(array).max():
            continue
        outputs.append(array[:, 0].reshape(b, -1))
    return hf_inner.origin(heads[:, 0, 0], outputs) if outputs else None


def _amplitude(moving: np.ndarray, origins: list[hf_inner.Origin | None]) -> tuple[float | None, float]:
    """Attention factor, and what queries and keys together were multiplied by besides.

    The factor stretches the turned dimensions of both; a scale that sits in the queries stretches all of
    theirs.
    """
    still: list[float | None] = []
    turned: list[float | None] = []
    for each in origins:
        still.append(None if each is None else hf_inner.common(each.factor[~moving]))
        turned.append(None if each is None else hf_inner.common(each.factor[moving]))
    if not moving.any():
        return None, _product(still)
    for apart, whole in zip(turned, still, strict=True):
        if apart is not None and whole is not None:
            return apart / whole, _product(still)
    q, k = turned
    if q is None or k is None:
        return None, 1.0
    # All dimensions turn: scales are put on queries, never on keys alone.
    return k, q / k


def _product(factors: list[float | None]) -> float:
    return float(np.prod([1.0 if each is None else each for each in factors]))


def window_of(heads: Heads, run: Run) -> dict[str, Any]:
    """Tokens that a query sees: asked of the mask's rule where that is known, else as the scores show."""
    found = None
    if ruled(heads, run):
        found = hf_masks.window(run.masks[heads.seen.mask_code or 0])
    elif heads.bias is not None:
        found = hf_bias.window_of(hf_bias.visible(np.where(np.isfinite(heads.bias), heads.bias, -np.inf)))
    size, kind = (None, None) if found is None else found
    return {"window": size, "window_kind": kind}


def ruled(heads: Heads, run: Run) -> bool:
    """Whether the rule of its mask is known, and answers for places that no text has."""
    code = heads.seen.mask_code
    return code is not None and code in run.masks and hf_masks.answers(run.masks[code])


def _biased(heads: Heads) -> dict[str, Any]:
    if heads.bias is None:
        return {"family": "none"}
    bias = hf_bias.read(np.where(np.isfinite(heads.bias), heads.bias, -np.inf), heads.q.shape[1])
    if bias.family == "none":
        return {"family": "none"}
    if bias.family == "alibi":
        return {"family": "alibi", "slopes": bias.slopes, "bidirectional": bias.bidirectional}
    return {"family": bias.family, "bidirectional": bias.bidirectional}


def bucketed(heads: Heads, model: nn.Module) -> dict[str, Any]:
    """Buckets of T5's bias as the model's tables of one row a bucket and one column a head show them."""
    if heads.bias is None:
        return {}
    count = heads.q.shape[1]
    bias = hf_bias.read(np.where(np.isfinite(heads.bias), heads.bias, -np.inf), count)
    for each in model.parameters():
        if each.ndim != 2 or each.shape[1] != count or each.shape[0] < 2:
            continue
        rows = hf_bias.buckets(bias.by_distance, each.detach().double().numpy())
        if rows is not None:
            count = hf_bias.rows_used(rows, len(each), bool(bias.bidirectional))
            far = hf_bias.farthest(rows, count, bool(bias.bidirectional))
            return {
                "num_buckets": count,
                "max_distance": hf_bias.roundest(far),
                "bidirectional": bias.bidirectional,
            }
    return {"family": "other"}


def _six(value: float) -> float:
    return float(f"{value:.7g}")
