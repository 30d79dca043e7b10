"""Stories of dimensions that pair up with others than they should."""

from __future__ import annotations

import numpy as np

from clockhands.check.outputs.stories.kinds.pairs import LEFT, Head, half, neighbours, pairs
from clockhands.check.outputs.stories.story import Story
from clockhands.formulas.layouts import relayout
from clockhands.language import Text

WIDTH = 12
HALF, NEXT = (
    Text("halves: i with i + d/2", "前后对半：i 与 i + d/2"),
    Text("interleaved: 2i with 2i + 1", "交错：2i 与 2i + 1"),
)


def _named(name: Text, way: Text) -> Text:
    return Text(f"{name.en} · {way.en}", f"{name.zh} · {way.zh}")


def _differing(first: tuple[list[int], list[int]], second: tuple[list[int], list[int]]) -> int:
    return sum(a != b for a, b in zip(first[0], second[0], strict=True))


def named_otherwise() -> Story:
    """CH044: halves as named against neighbours as used."""
    return _two(
        Text("named", "写明"),
        Text("used", "实际使用"),
        Text(
            "{count} of {of} dimensions turn with another partner than the file names; at "
            "position 0 nothing turns, so the first token is right.",
            "{of} 个维度中有 {count} 个的搭档与文件写明的不同；位置 0 什么也不转，所以第一个词元总是对的。",
        ),
    )


def declared_otherwise() -> Story:
    """CH303: halves as declared against neighbours as measured."""
    return _two(
        Text("declared", "声明"),
        Text("measured", "实测"),
        Text(
            "{count} of {of} dimensions turn with another partner than declared.",
            "{of} 个维度中有 {count} 个的搭档与声明的不同。",
        ),
    )


def queries_and_keys() -> Story:
    """CH103: halves in queries against neighbours in keys."""
    return _two(
        Text("queries", "查询"),
        Text("keys", "键"),
        Text(
            "{count} of {of} dimensions of a key turn with another partner than those of the "
            "query: scores no longer know the distance.",
            "键的 {of} 个维度中有 {count} 个的搭档与查询不同：得分不再只由距离决定。",
        ),
    )


def _two(first: Text, second: Text, says: Text) -> Story:
    meant, used = half(WIDTH), neighbours(WIDTH)
    filled = says.filled(count=_differing(meant, used), of=WIDTH)
    return pairs(filled, [Head(_named(first, HALF), *meant), Head(_named(second, NEXT), *used)])


def mixed() -> Story:
    """Swapped in halves, cos and sin laid out for neighbours."""
    partner, hand = half(WIDTH)[0], neighbours(WIDTH)[1]
    torn = sum(hand[place] != hand[partner[place]] for place in range(WIDTH)) // 2
    lost = tuple(place for place in range(WIDTH) if hand[place] != hand[partner[place]])
    return pairs(
        Text(
            f"Swapped in halves, angles laid out for neighbours: in {torn} of {WIDTH // 2} "
            "pairs the two get different angles, which is no rotation.",
            f"按前后对半交换，角度却按相邻排列：{WIDTH // 2} 对中有 {torn} "
            "对的两个维度角度不同，这已不是旋转。",
        ),
        [
            Head(_named(Text("as meant", "应有的"), HALF), *half(WIDTH)),
            Head(Text("as it comes out", "实际的"), partner, hand, lost=lost),
        ],
    )


def rows_moved() -> Story:
    """CH202: rows of a head moved from one layout to the other against the same left in place."""
    order = relayout(np.arange(WIDTH), "half", "interleaved", num_heads=1).tolist()
    lost = sum(place != row for place, row in enumerate(order))
    right = Head(
        Text("rows moved: each hand finds its two", "行已移动：每根指针都找到自己的两行"),
        *neighbours(WIDTH),
        stored=order,
    )
    wrong = Head(
        Text("rows not moved: neighbours were never a hand", "行未移动：相邻两行从来不是一根指针"),
        *neighbours(WIDTH),
        stored=list(range(WIDTH)),
        lost=tuple(p for p, row in enumerate(order) if p != row),
    )
    return pairs(
        Text(
            f"Weights trained for halves, in a program that turns neighbours: {lost} of "
            f"{WIDTH} rows of a head must move (numbers: the row as trained).",
            f"按前后对半训练的权重，放进按相邻转动的程序：每个头的 {WIDTH} 行中有 {lost} "
            "行必须移动（数字为训练时的行号）。",
        ),
        [right, wrong],
    )


def rows_measured() -> Story:
    """CH210: rows that are twins in one layout and in the other."""
    return _two(
        Text("stored so, dimensions in halves look alike", "这样存放时，前后对半的维度相像"),
        Text("stored so, neighbours look alike", "这样存放时，相邻的维度相像"),
        Text(
            "The two dimensions of a hand look alike in trained weights: {count} of {of} rows "
            "have another twin in the other layout.",
            "训练后的权重里，同一指针的两个维度相像：换一种排列，{of} 行中有 {count} 行的孪生行不同。",
        ),
    )


def unknown_name() -> Story:
    """CH201: three architectures of GGUF, one of them unknown."""
    nobody = [LEFT] * WIDTH
    return pairs(
        Text(
            "A GGUF file has no key for the layout, only a name: 'llama' turns neighbours, "
            f"'qwen2' halves, and of an unknown name none of the {WIDTH} partners is known.",
            "GGUF 文件没有排列方式的键，只有名字：llama 按相邻转动，qwen2 按前后对半；"
            f"名字不认识时，{WIDTH} 个维度的搭档都不得而知。",
        ),
        [
            Head(_named(Text("llama", "llama"), NEXT), *neighbours(WIDTH)),
            Head(_named(Text("qwen2", "qwen2"), HALF), *half(WIDTH)),
            Head(Text("an unknown name: ?", "不认识的名字：？"), nobody, nobody, lost=tuple(range(WIDTH))),
        ],
    )


def part_ignored() -> Story:
    """CH021: a quarter of a head that turns against the whole."""
    width, turned = 16, int(16 * 0.25)
    wrong = half(width)
    return pairs(
        Text(
            f"partial_rotary_factor 0.25 of {width}: {turned} dimensions should turn, {width} "
            f"do, and {width - turned} of them must come out unchanged.",
            f"头宽 {width}、partial_rotary_factor 为 0.25：应转动 {turned} 个维度，实际转了 "
            f"{width} 个，其中 {width - turned} 个本应保持不变。",
        ),
        [
            Head(Text("as the file says", "按文件"), *half(turned, width)),
            Head(
                Text("a class that doesn't read it", "不读取它的类"), *wrong, lost=tuple(range(turned, width))
            ),
        ],
    )


def odd_width() -> Story:
    """CH022: a head of an odd width, and the dimension that is left."""
    width = int(520 / 8 / 5)  # 65 to a head is too wide to draw: a fifth of it is as odd
    alone = tuple(range(width - width % 2, width))
    return pairs(
        Text(
            f"520 dimensions over 8 heads are {520 // 8}, an odd number. Drawn smaller, with "
            f"{width}: {len(alone)} dimension has no partner.",
            f"520 维分给 8 个头，每头 {520 // 8} 维，是奇数。缩小为 {width} 维来画：有 "
            f"{len(alone)} 个维度没有搭档。",
        ),
        [Head(Text("what a hand needs: two", "一根指针需要两个维度"), *half(width - 1, width), lost=alone)],
    )


def part_odd() -> Story:
    """CH301: an odd part of a head rounded up and down."""
    width, share = 12, 0.25
    asked = int(width * share)
    up, down = asked + asked % 2, asked - asked % 2
    return pairs(
        Text(
            f"A part of {share} of {width} dimensions is {asked}: one program rounds up to "
            f"{up}, another down to {down}, a third falls over.",
            f"{width} 维的 {share} 是 {asked} 维：有的程序进到 {up}，有的舍到 {down}，有的直接报错。",
        ),
        [
            Head(Text(f"rounded up to {up}", f"进到 {up}"), *half(up, width), lost=(asked,)),
            Head(Text(f"rounded down to {down}", f"舍到 {down}"), *half(down, width), lost=(asked - 1,)),
        ],
    )
