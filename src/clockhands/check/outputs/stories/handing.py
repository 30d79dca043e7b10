"""Pictures of what is handed to a function and what it hands on: tables, slices, pictures, biases, sizes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from clockhands.check.outputs.stories.conduct import call
from clockhands.check.outputs.stories.kinds.calls import calls
from clockhands.check.outputs.stories.places import places
from clockhands.check.outputs.stories.story import Story
from clockhands.formulas.rotation import rotate
from clockhands.language import Text
from clockhands.positions import from_grid, shard_slots

POSITIONS = Text("positions", "位置")
ROWS = Text("rows of the first patches", "前几个图块的行号")
NUMBERS = Text("numbers", "数值")
HEIGHT, WIDTH = 3, 5


def taken_for_each_other() -> Story:
    """CH109: a vector turned at positions 0 and 1, with cos and sin swapped."""
    x = np.array([1.0, 0.0])

    def turned(position: int, swapped: bool) -> ArrayLike:
        cos, sin = np.cos([float(position)]), np.sin([float(position)])
        return rotate(x, sin, cos).round(3) if swapped else rotate(x, cos, sin).round(3)

    return calls(
        Text(
            "With cos and sin swapped, position 0 turns (1, 0) into (0, 1): a quarter of a turn "
            "where none belongs.",
            "cos 和 sin 弄反时，位置 0 把 (1, 0) 变成 (0, 1)：本不该转，却转了四分之一圈。",
        ),
        [
            call(f"(1, 0) at position {n}", f"位置 {n} 的 (1, 0)", turned(n, False), turned(n, True))
            for n in (0, 1)
        ],
        of=Text("the vector", "向量"),
    )  # fmt: skip


def counted_by_ranks() -> Story:
    """CH127: positions that two ranks hold of 8 tokens, against both counting from 0."""
    held = [np.asarray(shard_slots(8, ranks=2, rank=rank)) for rank in (0, 1)]
    wrong = sum(int((each != np.arange(4)).sum()) for each in held)
    return calls(
        Text(
            "Two ranks share 8 tokens, a piece from each end to rank 0; both count from 0: "
            f"{wrong} of 8 wrong.",
            f"两个进程分 8 个词元，进程 0 取两端各一段；若都从 0 数起，8 个中错 {wrong} 个。",
        ),
        [call(f"rank {rank}", f"进程 {rank}", each, np.arange(4)) for rank, each in enumerate(held)],
        of=POSITIONS,
    )


def rows_for_columns() -> Story:
    """CH128: rows of the patches of a picture of 3 by 5, against those of 5 by 3."""
    meant = np.asarray(from_grid(HEIGHT, WIDTH))[:, 0]
    used = np.asarray(from_grid(WIDTH, HEIGHT))[:, 0]
    wrong = int((meant != used).sum())
    square = np.asarray(from_grid(2, 2))[:, 0]
    return calls(
        Text(
            f"Of 3 rows and 5 columns, taken for 5 and 3, {wrong} of 15 patches are on a wrong "
            "row; a square hides it.",
            f"3 行 5 列被当成 5 行 3 列时，15 个图块中有 {wrong} 个行号错误；正方形看不出来。",
        ),
        [
            call("3 rows, 5 columns", "3 行 5 列", meant[:7], used[:7]),
            call("2 rows, 2 columns", "2 行 2 列", square, square),
        ],
        of=ROWS,
    )


def text_after_picture() -> Story:
    """CH129: positions of text around a picture of 3 by 5, against those by slot."""
    before, after = 4, 5
    patches = HEIGHT * WIDTH
    largest = before + max(HEIGHT, WIDTH) - 1
    time = [*range(before), *[before] * patches, *range(largest + 1, largest + 1 + after)]
    by_slot = [*range(before), *[before] * patches, *range(before + patches, before + patches + after)]
    return places(
        Text(
            "4 tokens of text, a picture of 15 patches, 5 tokens more: {count} go on by slot and "
            "not from the "
            "largest position.",
            "4 个文本词元、15 个图块的图像、再 5 个词元：后面 {count} 个按序号继续，而不是从最大位置加一。",
        ),
        time,
        by_slot,
    )


def told_apart_across() -> Story:
    """CH179: a bias on keys of another text."""
    keys = 5
    bias = -0.5 * np.arange(keys)[::-1]
    return calls(
        Text(
            f"A decoder's token looks at {keys} of the encoder: between two texts there is no "
            "distance, and no bias.",
            f"解码器的词元看编码器的 {keys} 个词元：两段文本之间没有距离，也就没有偏置。",
        ),
        [
            call("within its own text", "自己的文本内", bias, bias),
            call("across to another", "看另一段文本", np.zeros(keys), bias),
        ],
        of=Text("added to the scores", "加到得分上的数"),
    )  # fmt: skip


def weights_for_bias() -> Story:
    """CH180: the weights of a row where its bias should stand."""
    bias = -0.5 * np.arange(4)[::-1]
    weights = (np.exp(bias) / np.exp(bias).sum()).round(3)
    return calls(
        Text(
            f"A row of weights sums to {weights.sum():.0f}; handed on as a bias it hardly tells keys apart.",
            f"一行注意力权重的和为 {weights.sum():.0f}；当作偏置传下去，几乎区分不了键。",
        ),
        [call("bias of a row", "一行的偏置", bias, weights)],
        of=NUMBERS,
    )


def cut_apart() -> Story:
    """CH306: heads of a model and of the small one that stands for it, one of them cut wrongly."""
    heads, kept = (32, 8), (4, 1)
    return calls(
        Text(
            f"{heads[0]} heads share {heads[1]} of keys; cut to {kept[0]} they need {kept[1]}: "
            f"left at {heads[1]}, "
            "only the small model falls over.",
            f"{heads[0]} 个头共用 {heads[1]} 个键头；缩到 {kept[0]} 个时键头应为 {kept[1]} 个："
            f"若仍为 {heads[1]} 个，"
            "只有小模型会出错。",
        ),
        [
            call("as it is: heads, key heads", "原样：头数、键头数", heads, heads),
            call("cut: heads, key heads", "缩小后：头数、键头数", kept, (kept[0], heads[1])),
        ],
        of=Text("sizes", "尺寸"),
    )


def question_refused() -> Story:
    """CH307: texts that a model of 64 positions is asked, of which it refuses the longer."""
    lengths, rows = (307, 101, 47, 19), 64
    read = [length for length in lengths if length <= rows]
    return calls(
        Text(
            f"Asked with {lengths[0]} tokens first, a table of {rows} rows refuses "
            f"{len(lengths) - len(read)} "
            f"lengths: what shows past {rows} tokens is not known.",
            f"先问 {lengths[0]} 个词元；{rows} 行的表拒绝其中 {len(lengths) - len(read)} 种长度："
            f"{rows} 个词元以外的情况无从得知。",
        ),
        [
            call(
                "tokens of a text", "文本的词元数", lengths, [each if each <= rows else 0 for each in lengths]
            )
        ],
        of=Text("tokens read, 0 where it refuses", "读到的词元数，拒绝时为 0"),
    )


def left_set() -> Story:
    """CH147: bytes of a number before a call that sets the default dtype, and after it."""
    before, after = np.dtype(np.float32).itemsize, np.dtype(np.float64).itemsize
    return calls(
        Text(
            f"A call leaves float64 as the default: from then on every new number takes {after} "
            f"bytes, not {before}.",
            f"一次调用把默认类型留在 float64：此后每个新的数占 {after} 字节，而不是 {before} 字节。",
        ),
        [
            call("before the call", "调用之前", [before] * 3, [before] * 3),
            call("after it", "调用之后", [before] * 3, [after] * 3),
        ],
        of=Text("bytes of a number", "每个数的字节数"),
    )
