"""Stories of functions that answer the same question twice, or leave traces: asked, and answered."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clockhands.analysis.precision import rounded
from clockhands.check.outputs.stories.kinds.calls import Call, calls
from clockhands.check.outputs.stories.story import Story
from clockhands.formulas.frequencies.geometric import default_inv_freq
from clockhands.formulas.frequencies.scaled import linear_inv_freq
from clockhands.formulas.rotation import rotate
from clockhands.language import Text

COSINES = Text("cosines of the hand at 1 rad a token", "每词元 1 弧度的指针的余弦")


def cosines(at: ArrayLike) -> list[float]:
    """Cosines of a hand that turns one radian a token, three digits."""
    return np.cos(np.asarray(at, np.float64)).round(3).tolist()


def call(en: str, zh: str, should: ArrayLike, answered: ArrayLike) -> Call:
    """One question in both languages, with what should be answered and what is."""
    return Call(Text(en, zh), _list(should), _list(answered))


def _list(values: ArrayLike) -> list[float]:
    return np.asarray(values, np.float64).tolist()


def answered_from_cache() -> Story:
    """CH131: answers for two questions of one shape, the second from a cache."""
    first, later = cosines([0, 1, 2, 3]), cosines([4, 5, 6, 7])
    wrong = sum(a != b for a, b in zip(first, later, strict=True))
    return calls(
        Text(
            "A cache that knows answers by their shape: asked for positions 4 to 7 it gives "
            f"those of 0 to 3, {wrong} of 4 wrong.",
            f"按形状查找的缓存：问位置 4 到 7，却给出 0 到 3 的答案，4 个中错 {wrong} 个。",
        ),
        [
            call("positions 0 1 2 3", "位置 0 1 2 3", first, first),
            call("positions 4 5 6 7", "位置 4 5 6 7", later, first),
        ],
        of=COSINES,
    )


def _turned(x: NDArray[np.float64]) -> NDArray[np.float64]:
    speed = default_inv_freq(4)
    return rotate(x, np.cos(speed), np.sin(speed)).round(3)


def inputs_changed() -> Story:
    """CH140: queries before a call, after it and after another."""
    given = np.array([1.0, 2.0, 0.5, 1.0])
    once = _turned(given)
    return calls(
        Text(
            f"Turned in place: after one call {int((once != given).sum())} of {len(given)} "
            "numbers of the caller's own q are others; the next call turns them again.",
            f"就地转动：调用一次后，调用者自己的 q 有 {len(given)} 个数中 "
            f"{int((once != given).sum())} 个变了；下一次调用会再转一次。",
        ),
        [
            call("q before the call", "调用前的 q", given, given),
            call("q after the call", "调用后的 q", given, once),
            call("the same call again", "同样的调用再来一次", once, _turned(once)),
        ],
        of=Text("numbers of q, and the answer", "q 的数值与回答"),
    )


def not_finite() -> Story:
    """CH143: frequencies of base 10,000 and of base -5."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a negative number has no such power: the story
        bad = np.power(-5.0, -np.arange(4) / 4)
    good = default_inv_freq(8).round(3)
    lost = int(np.isnan(bad).sum())
    return calls(
        Text(
            f"A base of -5: {lost} of {len(bad)} frequencies are no numbers, and every score "
            "that they touch is none.",
            f"底数为 -5：{len(bad)} 个频率中有 {lost} 个不是数，凡是用到它们的得分也不是数。",
        ),
        [call("base 10000", "底数 10000", good, good), call("base -5", "底数 -5", good, bad)],
        of=Text("frequencies, rad / token", "角频率，弧度 / 词元"),
    )


def printed() -> Story:
    """CH144: lines that a model has printed after so many tokens."""
    layers, steps = 32, 1000
    lines = [float(layers * step) for step in (1, 10, steps)]
    return calls(
        Text(
            f"One line a call: {layers} layers have printed {layers * steps:,} lines after {steps:,} tokens.",
            f"每次调用打印一行：{layers} 层模型生成 {steps:,} 个词元后已打印 {layers * steps:,} 行。",
        ),
        [
            call(f"{step:,} {'token' if step == 1 else 'tokens'}", f"{step:,} 个词元", [0], [line])
            for step, line in zip((1, 10, steps), lines, strict=True)
        ],
        of=Text("lines printed", "打印的行数"),
    )


def draws_repeated() -> Story:
    """A caller that draws, and a function that seeds with 0 in between."""
    seeded = [float(np.random.RandomState(0).random_sample()) for _ in range(2)]
    stream = np.random.RandomState(2).random_sample(3).round(3).tolist()
    again = [round(each, 3) for each in seeded]
    return calls(
        Text(
            f"A function that sets the seed to 0: whatever the caller draws after each call is {again[0]}.",
            f"函数把随机种子设为 0：每次调用之后，调用者抽到的都是 {again[0]}。",
        ),
        [
            call("the caller draws", "调用者抽样", stream[:1], stream[:1]),
            call("calls, then draws", "调用之后抽样", stream[1:2], again[:1]),
            call("calls, then draws", "再次调用之后抽样", stream[2:3], again[1:]),
        ],
        of=Text("number drawn", "抽到的数"),
    )


def two_answers() -> Story:
    """CH146: two answers to one question."""
    at = np.arange(4)
    draw = np.random.default_rng(0)
    first, second = (cosines(at + draw.uniform(0, 0.5, 4)) for _ in range(2))
    apart = max(abs(a - b) for a, b in zip(first, second, strict=True))
    return calls(
        Text(
            f"Positions 0 to 3, asked twice: the answers are up to {apart:.2f} apart.",
            f"位置 0 到 3，问两次：两次回答最多相差 {apart:.2f}。",
        ),
        [call("asked", "第一次问", first, first), call("asked again", "再问一次", first, second)],
        of=COSINES,
    )


def buffer_written() -> Story:
    """CH161: frequencies of a module before and after a call."""
    before, after = default_inv_freq(8).round(4), linear_inv_freq(8, factor=2.0).round(4)
    return calls(
        Text(
            "A call for a text twice as long halves the module's own inv_freq: "
            f"{int((before != after).sum())} of {len(before)} numbers stay changed.",
            f"读一次两倍长的文本，模块自己的 inv_freq 就减半：{len(before)} 个数中有 "
            f"{int((before != after).sum())} 个从此变了。",
        ),
        [
            call("inv_freq before the call", "调用前的 inv_freq", before, before),
            call("inv_freq after the call", "调用后的 inv_freq", before, after),
        ],
        of=Text("rad / token", "弧度 / 词元"),
    )


def copy_differs() -> Story:
    """A copy that keeps frequencies in 16 bits, as a copy through a cast checkpoint does."""
    at = 1000.0
    speed = default_inv_freq(8)
    own, copied = np.cos(at * speed).round(3), np.cos(at * rounded(speed, "bf16")).round(3)
    return calls(
        Text(
            "A copy whose frequencies went through 16 bits: at position 1,000 "
            f"{int((own != copied).sum())} of {len(own)} hands point elsewhere.",
            f"副本的频率经过了 16 位：在位置 1,000，{len(own)} 根指针中有 "
            f"{int((own != copied).sum())} 根指向别处。",
        ),
        [call("the original", "原模块", own, own), call("its copy", "副本", own, copied)],
        of=Text("cosines at position 1000", "位置 1000 处的余弦"),
    )


def raw_memory() -> Story:
    """What text that lay in the memory before reads as: four numbers of 32 bits."""
    good = default_inv_freq(8).round(4)
    raw = np.frombuffer(b"clockhands check", "<f4").astype(np.float64)
    return calls(
        Text(
            "A buffer that nobody fills holds what lay there before: the text 'clockhands "
            f"check' is {raw[0]:.0e}, {raw[1]:.0e} ... as frequencies.",
            f"没人填写的缓冲区里是原先的内容：文字“clockhands check”当作频率就是 {raw[0]:.0e}、"
            f"{raw[1]:.0e}……",
        ),
        [
            call("made in memory", "直接创建", good, good),
            call("made on meta, then filled", "在 meta 上创建再分配", good, raw),
        ],
        of=Text("frequencies, rad / token", "角频率，弧度 / 词元"),
    )


def loaded_otherwise() -> Story:
    """CH164: cosines before saving and after loading."""
    at = 100.0
    saved, loaded = (np.cos(at * default_inv_freq(8, theta)).round(3) for theta in (5e5, 1e4))
    return calls(
        Text(
            "A base of 500,000 given to the constructor and saved nowhere: loaded with 10,000, "
            f"{int((saved != loaded).sum())} of {len(saved)} hands differ.",
            f"底数 500,000 只传给了构造函数，没有存下来：载入后是 10,000，{len(saved)} "
            f"根指针中有 {int((saved != loaded).sum())} 根不同。",
        ),
        [call("before saving", "保存前", saved, saved), call("loaded again", "重新载入", saved, loaded)],
        of=Text("cosines at position 100", "位置 100 处的余弦"),
    )
