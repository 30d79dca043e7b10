"""Functions that make positions or codes: of the slice of a rank, of text with a picture in it, of a picture.

A picture is 3 rows by 5 columns, never square: squares hide that the two are taken for each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from clockhands.check.form import LayerForm
from clockhands.check.probe.findings import places as say
from clockhands.check.probe.function.asking import Asked
from clockhands.check.probe.function.calling import Floats, Refused, as_numbers
from clockhands.check.probe.function.study import Study

TALL, WIDE = 3, 5
"""Rows and columns of the picture; twice as many where a function merges patches in blocks of 2."""
FRAMES, BEFORE, AFTER = 2, 4, 3
"""Frames, tokens of text before them, and after."""
TEXTS = ((16, 2, (0, 8, 16)), (24, 3, (0, 6, 24)))
"""Tokens, ranks that share them, and where packed documents begin: each fits twice as many pieces as
ranks.
"""

Ints = NDArray[np.int64]


def some_places(asked: Asked) -> object:
    """What it makes of the smallest question."""
    return _slices(asked, *TEXTS[0])[0] if asked.caller.signature.takes("rank") else _picture(asked)


def check_makers(study: Study) -> tuple[LayerForm, ...]:
    """All about what it makes; the form of a table of a picture, and none of positions."""
    signature = study.asked.caller.signature
    if signature.takes("rank"):
        _ranks(study)
        return ()
    _, tall, wide = _picture(study.asked)
    if signature.kind == "places":
        _axes(study, tall, wide)
        return ()
    return (_coded(study, tall, wide),)


def _given(asked: Asked, more: Mapping[str, object]) -> dict[str, object]:
    return {"num_heads": asked.caller.heads, "head_dim": asked.caller.head_dim, **more}


# Ranks


def _slices(asked: Asked, length: int, ranks: int, starts: Sequence[int]) -> list[Ints]:
    """Positions that each rank says it holds."""
    out: list[Ints] = []
    for rank in range(ranks):
        given = _given(
            asked, {"length": length, "ranks": ranks, "rank": rank, "boundaries": np.asarray(starts)}
        )
        out.append(_whole(asked, given).reshape(-1))
    return out


def _whole(asked: Asked, given: dict[str, object]) -> Ints:
    raw = asked.caller.call(given)
    found = as_numbers(raw[0])
    if not np.isfinite(found).all() or (found != np.round(found)).any():
        raise Refused("positions that came back are no integers", "返回的位置不是整数")
    return found.astype(np.int64)


def _ranks(study: Study) -> None:
    packed = study.asked.caller.signature.takes("boundaries")
    for length, ranks, starts in TEXTS:
        slices = _slices(study.asked, length, ranks, starts)
        sizes = np.diff(starts) if packed else np.array([length])
        own = np.concatenate([np.arange(size) for size in sizes])  # each document from 0 on
        held = np.sort(np.concatenate(slices))
        if any(np.array_equal(held, np.sort(each)) for each in (own, np.arange(length))):
            study.facts.setdefault("slices", [each.tolist() for each in slices])
            continue
        first, second = (str(each[:8].tolist()) for each in slices[:2])
        alike = all(np.array_equal(each, slices[0]) for each in slices)
        en = (
            f"all {ranks} ranks hold positions {first}"
            if alike
            else f"ranks 0 and 1 hold {first} and {second}"
        )
        zh = f"{ranks} 个进程的位置都是 {first}" if alike else f"进程 0 和 1 的位置是 {first} 和 {second}"
        study.say(
            say.RANKS, "error", ("rank",),
            f"{en}: of {length} tokens every position must be held once",
            f"{zh}：{length} 个词元的每个位置应恰好由一个进程持有",
            ("slice the positions of the whole text as its tokens are sliced, each document by itself",
             "像切分词元那样切分整段文本的位置，每个文档各自切分"),
        )  # fmt: skip
        return


# Text with a picture


def _picture(asked: Asked) -> tuple[NDArray[np.float64], int, int]:
    """What comes back of a picture, and its rows and columns: twice as many where 3 by 5 is refused."""
    try:
        return _of_picture(asked, TALL, WIDE), TALL, WIDE
    except Refused:
        return _of_picture(asked, 2 * TALL, 2 * WIDE), 2 * TALL, 2 * WIDE


def _of_picture(asked: Asked, tall: int, wide: int) -> NDArray[np.float64]:
    """``(axes, n)`` positions, or ``(n, width)`` codes of the patches; Refused where there are not as
    many.
    """
    signature = asked.caller.signature
    sizes = {"before": BEFORE, "after": AFTER, "frames": FRAMES, "height": tall, "width": wide}
    raw = asked.caller.call(_given(asked, sizes))
    if signature.kind == "places":
        count = sum(sizes[word] for word in ("before", "after") if signature.takes(word))
        count += tall * wide * (FRAMES if signature.takes("frames") else 1)
        found = as_numbers(raw[0]).squeeze()
        if found.ndim == 2 and found.shape[1] != count:
            found = found.T
        if found.ndim != 2 or found.shape[1] != count or found.shape[0] not in (2, 3):
            raise Refused(
                f"it gave positions back in shape {as_numbers(raw[0]).shape}, and 2 or 3 for each of {count} "
                "tokens were expected",
                f"它返回的位置形状为 {as_numbers(raw[0]).shape}，而 {count} 个词元应各有 2 或 3 个",
            )
        return found
    parts = []
    for word, value in zip(signature.returned, raw, strict=False):
        if word != "_":
            array = as_numbers(value)
            if array.size % (tall * wide) or array.ndim < 2:
                raise Refused(
                    f"it gave {word} back in shape {array.shape}, and {tall * wide} rows were expected",
                    f"它返回的 {word} 形状为 {array.shape}，而应有 {tall * wide} 行",
                )
            if array.shape[:2] == (wide, tall):  # columns first: read as it stands
                array = array.swapaxes(0, 1)
            array = array.reshape(tall * wide, -1)
            parts += [array.real, array.imag] if np.iscomplexobj(array) else [array]
    return np.concatenate(parts, axis=1)


def _orders(tall: int, wide: int) -> list[tuple[Ints, Ints]]:
    """Row and column of each patch in reading order, and in blocks of 2 by 2 where they fit."""
    rows, columns = (each.reshape(-1) for each in np.indices((tall, wide)))
    out = [(rows, columns)]
    if tall % 2 == 0 and wide % 2 == 0:
        blocks = np.arange(tall * wide).reshape(tall // 2, 2, wide // 2, 2).transpose(0, 2, 1, 3).reshape(-1)
        out.append((rows[blocks], columns[blocks]))
    return out


def _axes(study: Study, tall: int, wide: int) -> None:
    signature = study.asked.caller.signature
    found = _picture(study.asked)[0]
    before = BEFORE if signature.takes("before") else 0
    frames = FRAMES if signature.takes("frames") else 1
    patches = tall * wide * frames
    picture = found[:, before : before + patches].reshape(len(found), frames, tall * wide)
    rows, columns = (picture[axis] - picture[axis].min() for axis in (-2, -1))
    orders = _orders(tall, wide)
    if not any((rows == r).all() and (columns == c).all() for r, c in orders):
        swapped = [(c, r) for r, c in orders] + [(r, c) for r, c in _orders(wide, tall)]
        swapped += [(c, r) for r, c in _orders(wide, tall)]
        if any((rows == r).all() and (columns == c).all() for r, c in swapped):
            first = f"{rows[0, :7].astype(int).tolist()} …"
            _say_swapped(study, tall, wide, f"its rows are {first}", f"行号为 {first}")
        else:
            _say(study, "height", f"patches of a picture of {tall} rows and {wide} columns are on rows "
                 f"{rows[0, :7].astype(int).tolist()} … and columns {columns[0, :7].astype(int).tolist()} …",
                 f"{tall} 行 {wide} 列的图像，图块的行号为 {rows[0, :7].astype(int).tolist()} …，"
                 f"列号为 {columns[0, :7].astype(int).tolist()} …",
                 ("give each patch its row and its column", "给每个图块它的行号和列号"))  # fmt: skip
        return
    if len(found) == 3 and np.ptp(picture[0], axis=1).max() > 0:
        _say(study, "frames", "patches of one frame are at different times", "同一帧的图块时间不同",
             ("give all patches of a frame one time", "同一帧的所有图块用同一个时间"))  # fmt: skip
        return
    if signature.takes("before"):
        _text(study, found, picture, before)
    if signature.takes("after") and not study.has(say.AXES):
        _continued(study, found, before + patches)


def _text(study: Study, found: Floats, picture: Floats, before: int) -> None:
    text = found[:, :before]
    if (text != np.arange(before)).any():
        _say(study, "before",
             f"text at the start is at {text.astype(int).tolist()}, axis by axis: all must be "
             f"{list(range(before))}",
             f"开头的文本在各轴上位于 {text.astype(int).tolist()}：都应为 {list(range(before))}",
             ("give text one position on all axes", "文本在所有轴上用同一个位置"))  # fmt: skip
        return
    starts = picture.reshape(len(picture), -1).min(axis=1).astype(int).tolist()
    if any(start != before for start in starts):
        _say(study, "frames", f"after {before} tokens of text a picture begins at {starts}, axis by axis",
             f"{before} 个文本词元之后，图像在各轴上从 {starts} 开始",
             (f"begin at the next position, {before}, on every axis",
              f"每个轴都从下一个位置 {before} 开始"))  # fmt: skip


def _continued(study: Study, found: Floats, end: int) -> None:
    text = found[:, end:]
    first = int(found[:, :end].max()) + 1
    if (text != first + np.arange(text.shape[1])).any():
        _say(study, "after",
             f"text after a picture goes on at {text[:, 0].astype(int).tolist()}, axis by axis, "
             f"and the largest position before it is {first - 1}",
             f"图像之后的文本在各轴上从 {text[:, 0].astype(int).tolist()} 继续，"
             f"而之前最大的位置是 {first - 1}",
             (f"go on at the largest position and one, {first}, on every axis",
              f"每个轴都从最大位置加一，即 {first} 继续"))  # fmt: skip


# Codes of a picture


def _coded(study: Study, tall: int, wide: int) -> LayerForm:
    """Whether each number of a patch's code follows its row or its column."""
    codes = _picture(study.asked)[0]
    form = LayerForm(layers=(0,), family="other", head_dim=study.asked.caller.head_dim, source="measured")
    moving = np.flatnonzero(np.ptp(codes, axis=0) > 1e-9 * max(float(np.abs(codes).max()), 1e-30))
    if not len(moving):
        return form
    right = _kinds(codes[:, moving], _orders(tall, wide))
    if right is None:
        if _kinds(codes[:, moving], _orders(wide, tall)) is not None:
            _say_swapped(study, tall, wide, f"patch {tall} begins a new row", f"第 {tall} 个图块就换了行")
        return form
    by_row, by_column = right
    study.facts["followed"] = ["row" if each else "column" for each in by_row]
    if not (by_row.any() and by_column.any()):
        key, named, named_zh = ("width", "columns", "列") if by_row.any() else ("height", "rows", "行")
        _say(study, key, f"{named} of a picture are not told apart", f"图像的各{named_zh}没有被区分",
             ("let some numbers follow the row and others the column",
              "让一部分数随行变化，另一部分随列变化"))  # fmt: skip
    return form


def _kinds(
    codes: Floats, orders: list[tuple[Ints, Ints]]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]] | None:
    """Which numbers follow the row and which the column, in an order in which each follows either;
    else None.
    """
    for order in orders:
        by_row, by_column = _followed(codes, *order)
        if (by_row | by_column).all():
            return by_row, by_column
    return None


def _followed(codes: Floats, rows: Ints, columns: Ints) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which numbers ``(n, width)`` are one for each row, and which one for each column."""
    range_ = np.ptp(codes, axis=0)

    def one_for_each(groups: Ints) -> NDArray[np.bool_]:
        spread = [np.ptp(codes[groups == each], axis=0) for each in np.unique(groups)]
        return np.max(spread, axis=0) <= 1e-3 * range_

    return one_for_each(rows), one_for_each(columns)


def _say_swapped(study: Study, tall: int, wide: int, seen: str, seen_zh: str) -> None:
    study.say(
        say.SWAPPED, "error", ("height", "width"),
        f"a picture of {tall} rows and {wide} columns is taken for one of {wide} rows and {tall} "
        f"columns: {seen}",
        f"{tall} 行 {wide} 列的图像被当成 {wide} 行 {tall} 列：{seen_zh}",
        ("count patches row by row: row = n // width, column = n % width",
         "逐行数图块：行 = n // 列数，列 = n % 列数"),
    )  # fmt: skip


def _say(study: Study, key: str, en: str, zh: str, remedy: tuple[str, str]) -> None:
    study.say(say.AXES, "error", (key,), en, zh, remedy)
