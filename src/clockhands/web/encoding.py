"""Any scheme, or one's own, as the page takes a model: hands, a bias by distance, or a table."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clockhands.catalogue.description import Description
from clockhands.check.form import Context, LayerForm
from clockhands.errors import ClockhandsError
from clockhands.language import Text

MOST_ROWS = 1024
"""Positions, or distances to either side, that a page gets the numbers of where it has no formula."""

MOST_NUMBERS = 300_000
"""Numbers of one table or bias in a page: some 1.6 MB of text."""


def encoding_record(description: Description) -> dict[str, Any]:
    """Name, lengths and one kind of layer, in the form of ``model_record``, with ``drawn``: what to draw.

    Hands are given by their speeds, and the page computes the rest exactly. A bias or another table is given
    by its numbers, as base64 of little-endian float32, for up to 1,024 distances or positions.

    Raises ClockhandsError where a row alone is wider than a page can hold.

    >>> from clockhands.catalogue import describe
    >>> record = encoding_record(describe("alibi", num_heads=4))
    >>> record["name"], record["layers"][0]["drawn"]["bias"]["heads"]
    ('ALiBi', 4)
    """
    card = description.card
    trained = getattr(description, "original_max_position_embeddings", None)
    form = LayerForm(layers=(0,), family="other")
    drawn: dict[str, Any] = {"title": _both(card.title), "idea": _both(card.idea)}
    caution = _caution(description)
    if caution:
        drawn["caution"] = _both(caution)
    speeds = description.inv_freq()
    touched = description.touches()
    if "bias" in touched:
        drawn["bias"] = _bias(description)
    elif "table" in touched and not _plain_sinusoid(description):
        drawn["table"] = _table(description)
    elif speeds is not None:
        form = _hands(description, speeds)
    return {
        "name": card.name,
        "dialect": "clockhands",
        "context": Context(trained=trained).as_record(),
        "layers": [{**form.as_record(), "drawn": drawn}],
    }


def _hands(description: Description, speeds: NDArray[np.float64]) -> LayerForm:
    turned = "table" not in description.touches()
    return LayerForm(
        layers=(0,),
        family="rope" if turned else "sinusoidal",
        layout=getattr(description, "layout", "half") if turned else None,
        head_dim=getattr(description, "head_dim", None) or 2 * len(speeds),
        rotary_dim=2 * len(speeds) if turned else None,
        rope_theta=getattr(description, "rope_theta", None) if turned else None,
        rope_type=description.card.id if turned else None,
        inv_freq=tuple(float(each) for each in speeds),
        attention_factor=float(description.magnitude()),
    )


def _plain_sinusoid(description: Description) -> bool:
    """Whether sine and cosine of each hand, side by side, are the whole table."""
    speeds = description.inv_freq()
    if speeds is None:
        return False
    at = np.array([1, 37])
    table = description.table(at)
    angles = at[:, None] * speeds
    both = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(2, -1)
    return table is not None and table.shape == both.shape and bool(np.allclose(table, both, atol=1e-9))


def _bias(description: Description) -> dict[str, Any]:
    both = description.traits.bidirectional
    heads = np.asarray(description.bias(np.arange(1))).shape[0]
    rows = _rows(description, heads * (2 if both else 1))
    while True:
        try:
            values = np.asarray(description.bias(np.arange(-rows + 1 if both else 0, rows)))
        except ClockhandsError:  # its own table of distances ends earlier
            if rows == 2:
                raise
            rows = max(2, rows // 2)
        else:
            return {"heads": heads, "distances": rows, "both": both, "values": _packed(values)}


def _table(description: Description) -> dict[str, Any]:
    width = np.asarray(description.table(np.arange(1))).shape[-1]
    rows = _rows(description, width)
    values = np.asarray(description.table(np.arange(rows)))
    return {"rows": rows, "width": width, "values": _packed(values)}


def _rows(description: Description, width: int) -> int:
    rows = min(MOST_ROWS, MOST_NUMBERS // width, description.traits.max_position or MOST_ROWS)
    if rows < 2:
        raise ClockhandsError(
            f"{description.card.id} has {width:,} numbers a position, and a page holds {MOST_NUMBERS:,} of "
            "two positions or more: make it narrower",
            f"{description.card.id} 每个位置有 {width:,} 个数，而一个页面总共放得下 {MOST_NUMBERS:,} 个："
            "请减小宽度",
        )
    return rows


def _caution(description: Description) -> Text | None:
    said = [text for text in (description.unseen,) if text]
    if description.untrained_seed is not None:
        seed = description.untrained_seed
        said.append(Text(f"untrained, seed {seed}", f"未训练，随机种子 {seed}"))
    if not said:
        return None
    return Text("; ".join(text.en for text in said), "；".join(text.zh for text in said))


def _both(text: Text) -> dict[str, str]:
    return {"en": text.en, "zh": text.zh}


def _packed(values: NDArray[Any]) -> str:
    return b64encode(np.ascontiguousarray(values, dtype="<f4").tobytes()).decode("ascii")
