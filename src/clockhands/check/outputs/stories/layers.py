"""Stories of layers, heads and columns that are taken for others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clockhands.check.outputs.stories.kinds.strips import NONE, strips
from clockhands.check.outputs.stories.story import MEANT, USED, Story
from clockhands.formulas.axes import chunked_axes
from clockhands.language import Text

LAYER, HEAD, DIMENSION = Text("layer", "层"), Text("query head", "查询头"), Text("dimension", "维度")
ROPE, NO_ROPE = Text("RoPE", "RoPE"), Text("no position", "无位置编码")
LOCAL, FULL = Text("window", "窗口"), Text("sees everything", "看全部")
Cells = Sequence[Text]


def every(period: int, layers: int, often: Text, seldom: Text) -> list[Text]:
    """The last of each ``period`` layers is another.

    >>> [cell.en for cell in every(2, 4, ROPE, NO_ROPE)]
    ['RoPE', 'no position', 'RoPE', 'no position']
    """
    return [seldom if layer % period == period - 1 else often for layer in range(layers)]


def differ(meant: Cells, used: Cells) -> int:
    """How many cells of two strips differ."""
    return sum(a != b for a, b in zip(meant, used, strict=False)) + abs(len(meant) - len(used))


def _two(says: Text, of: Text, first: tuple[Text, Cells], second: tuple[Text, Cells]) -> Story:
    count = differ(first[1], second[1])
    return strips(says.filled(count=count, of=len(first[1])), of, [first, second])


def _smollm3() -> tuple[list[Text], list[Text]]:
    """36 layers of which every fourth has no RoPE, and the same the wrong way round."""
    meant = every(4, 36, ROPE, NO_ROPE)
    return meant, [NO_ROPE if cell == ROPE else ROPE for cell in meant]


def rope_left_out() -> Story:
    """CH028: layers of SmolLM3 against its list read by its name."""
    return _flipped(
        Text(
            "SmolLM3's no_rope_layers, its name believed: {lost} of 36 layers lose RoPE, {won} get it.",
            "按字面理解 SmolLM3 的 no_rope_layers：36 层中有 {lost} 层失去 RoPE，{won} 层反而有了。",
        ),
        Text("as the code reads the list: 1 is RoPE", "按代码的读法：1 表示 RoPE"),
        Text("as its name sounds: 1 is none", "按名字的字面意思：1 表示没有"),
    )


def scheme_otherwise() -> Story:
    """CH300: layers as declared against the same as measured."""
    return _flipped(
        Text(
            "Only a measurement shows it: {lost} of 36 layers have no RoPE that should, {won} "
            "have it that should not.",
            "只有实测才看得出：36 层中有 {lost} 层该有 RoPE 却没有，{won} 层不该有却有。",
        ),
        Text("declared", "声明"),
        Text("measured", "实测"),
    )


def _flipped(says: Text, first: Text, second: Text) -> Story:
    meant, used = _smollm3()
    filled = says.filled(lost=meant.count(ROPE), won=used.count(ROPE))
    return strips(filled, LAYER, [(first, meant), (second, used)])


def no_parameters() -> Story:
    """CH026: a base for each type of layers against one for all."""
    local, whole = Text("base 10000", "底数 10000"), Text("base 1000000", "底数 1000000")
    return _two(
        Text(
            "Taken for a flat dictionary, nested parameters have no base, so the default "
            "counts: {count} of {of} layers get the wrong one.",
            "嵌套的参数被当成平铺的，找不到底数，于是用默认值：{of} 层中有 {count} 层的底数错了。",
        ),
        LAYER,
        (Text("one dictionary for each type", "每类层一个字典"), every(6, 24, local, whole)),
        (Text("taken for a flat one", "当成平铺的"), [local] * 24),
    )


def local_scaled() -> Story:
    """CH027: a scaling of one layer in six against a scaling of all."""
    local, whole = Text("no scaling", "无缩放"), Text("8 times slower", "慢 8 倍")
    return _two(
        Text(
            "Gemma 3: the factor of 8 belongs to every sixth layer; given to all, it slows "
            "{count} of {of} layers that see 1,024 tokens.",
            "Gemma 3 的因子 8 只属于每六层中的一层；给了所有层，就让 {of} 层中 {count} 个只看 "
            "1,024 个词元的层也变慢。",
        ),
        LAYER,
        (MEANT, every(6, 24, local, whole)),
        (USED, [whole] * 24),
    )


def pattern_misfits() -> Story:
    """CH029: layers as a list has them against every fourth."""
    listed, layers = every(6, 36, LOCAL, FULL), 30
    numbered = every(4, layers, LOCAL, FULL)
    return _two(
        Text(
            "A list for 36 layers and 'every fourth' for 30: two programs differ in {count} of 36 layers.",
            "列表写了 36 层，而数字说 30 层里“每四层一次”：两个程序在 36 层中有 {count} 层不同。",
        ),
        LAYER,
        (Text("the list", "列表"), listed),
        (Text("the number", "数字"), numbered),
    )


def names_looked_up() -> Story:
    """CH039: the formulas that two versions know by name."""
    common = ["linear", "dynamic", "yarn", "longrope", "llama3"]
    old, new = ["default", *common], [*common, "proportional"]
    table = [*dict.fromkeys([*old, *new])]

    def cells(names: list[str]) -> list[Text]:
        return [Text(name, name) if name in names else NONE for name in table]

    missing = [name for name in old if name not in new]
    return strips(
        Text(
            f"ROPE_INIT_FUNCTIONS: of the {len(old)} names of version 4, {len(missing)} is "
            f"gone in version 5: '{missing[0]}', the plain one.",
            f"ROPE_INIT_FUNCTIONS：第 4 版的 {len(old)} 个名字里有 {len(missing)} 个在第 5 "
            f"版消失了：“{missing[0]}”，即普通的那个。",
        ),
        Text("entry", "条目"),
        [
            (Text("transformers 4", "transformers 4"), cells(old)),
            (Text("transformers 5", "transformers 5"), cells(new)),
        ],
        written=True,
    )


def heads_and_width() -> Story:
    """CH023: dimensions shared out over heads that don't divide them."""
    width, heads = 32, 5
    each = width // heads
    owners = [_head(place // each) if place < each * heads else NONE for place in range(width)]
    left = owners.count(NONE)
    return strips(
        Text(
            f"{width} dimensions over {heads} heads, rounded down: {each} a head, and {left} belong to none.",
            f"{width} 维分给 {heads} 个头并向下取整：每头 {each} 维，有 {left} 维不属于任何头。",
        ),
        DIMENSION,
        [(Text("hidden dimensions by head", "各隐藏维度所属的头"), owners)],
    )


def _head(number: int) -> Text:
    return Text(f"head {number}", f"头 {number}")


def groups_uneven() -> Story:
    """CH024: query heads shared out over key heads that don't divide them."""
    queries, keys = 12, 5
    group = queries // keys
    served = [_key(head // group) if head // group < keys else NONE for head in range(queries)]
    left = served.count(NONE)
    return strips(
        Text(
            f"{queries} query heads, {keys} key heads: groups of {group}, and {left} query "
            "heads have no keys.",
            f"{queries} 个查询头、{keys} 个键头：每组 {group} 个，有 {left} 个查询头没有键。",
        ),
        HEAD,
        [(Text("the key head that each query head uses", "各查询头所用的键头"), served)],
    )


def _key(number: int) -> Text:
    return Text(f"key head {number}", f"键头 {number}")


def heads_reshaped() -> Story:
    """CH105: keys split into their own heads against the number of query heads."""
    queries, keys, width = 4, 2, 16
    own = [_key(place // (width // keys)) for place in range(width)]
    split = [_key(place // (width // queries)) for place in range(width)]
    return strips(
        Text(
            f"Keys of {keys} heads split into {queries}, the number of query heads: "
            f"{differ(own, split)} of {width} dimensions land in another head.",
            f"把 {keys} 个键头的键按 {queries} 个查询头来切：{width} 维中有 "
            f"{differ(own, split)} 维落进别的头。",
        ),
        DIMENSION,
        [(MEANT, own), (USED, split)],
    )


def sections() -> Story:
    """CH025: hands of three axes against sections that don't add up."""
    names = [Text("time", "时间"), Text("height", "高"), Text("width", "宽")]
    meant, hands = chunked_axes([16, 24, 24]), 64
    short = chunked_axes([8, 12, 12])
    used = [names[axis] for axis in short] + [NONE] * (hands - len(short))
    return strips(
        Text(
            f"Sections of 8, 12 and 12 for {hands} hands: {hands - len(short)} hands belong to "
            f"no axis. 16 + 24 + 24 is {len(meant)}.",
            f"64 根指针写了 8、12、12 三段：有 {hands - len(short)} 根不属于任何轴。16 + 24 + "
            f"24 才是 {len(meant)}。",
        ),
        Text("hand", "指针"),
        [(MEANT, [names[axis] for axis in meant]), (USED, used)],
    )


def columns_odd() -> Story:
    """CH031: five columns of sines and cosines against three of each."""
    return _columns(
        5,
        Text(
            "{width} columns need {sines} sines and {cosines} cosines; with as many of both "
            "there are {made} for {width}.",
            "{width} 列需要 {sines} 个正弦和 {cosines} 个余弦；两者一样多时，会为 {width} 列造出 {made} 个。",
        ),
        both=3,
    )


def columns_dropped() -> Story:
    """CH108: seven columns of sines and cosines against three of each."""
    return _columns(
        7,
        Text(
            "{width} columns need {sines} sines and {cosines} cosines; with as many of both "
            "only {made} of {width} are filled.",
            "{width} 列需要 {sines} 个正弦和 {cosines} 个余弦；两者一样多时，{width} 列只填了 {made} 列。",
        ),
        both=3,
    )


def _columns(width: int, says: Text, both: int) -> Story:
    sine, cosine = Text("sine", "正弦"), Text("cosine", "余弦")
    meant = [cosine if column % 2 else sine for column in range(width)]
    made = [cosine if column % 2 else sine for column in range(2 * both)]
    filled = says.filled(width=width, sines=meant.count(sine), cosines=meant.count(cosine), made=len(made))
    longest = max(width, len(made))
    rows = [[*each, *[NONE] * (longest - len(each))] for each in (meant, made)]
    return strips(filled, Text("column", "列"), [(MEANT, rows[0]), (USED, rows[1])])


def memory_order() -> Story:
    """A transposed array has its numbers in the order of memory that it had before."""
    given = np.arange(6).reshape(2, 3).T
    seen, read = given.ravel().tolist(), given.ravel(order="K").tolist()
    cells = [[Text(str(number), str(number)) for number in numbers] for numbers in (seen, read)]
    return strips(
        Text(
            f"A transposed array, read as it lies in memory: {differ(*cells)} of {len(seen)} "
            "numbers are others.",
            f"转置后的数组，按内存顺序去读：{len(seen)} 个数中有 {differ(*cells)} 个不对。",
        ),
        Text("number", "第几个数"),
        [
            (Text("as its shape says", "按形状读"), cells[0]),
            (Text("as it lies in memory", "按内存顺序读"), cells[1]),
        ],
        written=True,
    )
