"""Stories of lengths, sizes and magnitudes that don't fit each other."""

from __future__ import annotations

import numpy as np

from clockhands.analysis.axes import TOKENS
from clockhands.check.outputs.stories.frequencies import WIDTH
from clockhands.check.outputs.stories.kinds.bars import Bar, bars
from clockhands.check.outputs.stories.story import Story
from clockhands.formulas.frequencies.geometric import default_inv_freq
from clockhands.formulas.frequencies.yarn import yarn_attention_factor, yarn_magnitude
from clockhands.language import Text
from clockhands.plots.numerals import numeral

LENGTH, ROWS, HANDS = Text("length", "长度"), Text("rows", "行数"), Text("hands", "指针数")
SCORES = Text("what multiplies the scores", "得分所乘的倍数")
TRAINED, PROMISED = Text("trained", "训练长度"), Text("promised", "承诺长度")


def factor_and_lengths() -> Story:
    """CH012: what the factor reaches against what is promised."""
    trained, factor, promised = 4096, 40, 262144
    reach = trained * factor
    return bars(
        Text(
            f"{trained} × {factor} = {numeral(reach)} tokens, but the file promises {numeral(promised)}.",
            f"{trained} × {factor} = {numeral(reach)} 个词元，文件却承诺 {numeral(promised)} 个。",
        ),
        LENGTH,
        [
            Bar(TRAINED, trained),
            Bar(Text("trained × factor", "训练长度 × 因子"), reach),
            Bar(PROMISED, promised, True),
        ],
        unit=TOKENS,
        log=True,
    )


def served_too_far() -> Story:
    """CH034: the promised length against the served one."""
    promised, served = 8192, 32768
    untold = int((2 * np.pi / default_inv_freq(WIDTH, 5e5) > promised).sum())
    return bars(
        Text(
            f"{untold} of {WIDTH // 2} hands finish no turn within {numeral(promised)} tokens: "
            "past that their angles were never seen.",
            f"{WIDTH // 2} 根指针中有 {untold} 根在 {numeral(promised)} 个词元内转不满一圈："
            "再往后的角度从未见过。",
        ),
        LENGTH,
        [Bar(PROMISED, promised), Bar(Text("served", "部署长度"), served, True)],
        unit=TOKENS,
        log=True,
    )


def capped() -> Story:
    """CH036: what YaRN reaches against the context length of the file."""
    return _capped(
        Text(
            "The file says {file}, YaRN by hand reaches {reach}: llama.cpp serves {file}.",
            "文件写 {file}，手动加的 YaRN 可达 {reach}：llama.cpp 只按 {file} 服务。",
        ),
        Text("context length of the file", "文件中的上下文长度"),
        32768,
    )


def not_admitted() -> Story:
    """CH206: the context that is asked for against what a slot gets."""
    return _capped(
        Text(
            "--ctx-size {reach} with a file of {file}: each slot of the server gets {file}.",
            "--ctx-size 为 {reach}，文件为 {file}：服务器的每个槽只有 {file}。",
        ),
        Text("llama.context_length, the most a slot gets", "llama.context_length，每个槽的上限"),
        8192,
    )


def _capped(says: Text, name: Text, file: int) -> Story:
    reach = 4 * file
    return bars(
        says.filled(file=numeral(file), reach=numeral(reach)),
        LENGTH,
        [
            Bar(Text("asked for: trained length × factor 4", "要求的：训练长度 × 因子 4"), reach),
            Bar(name, file, True),
        ],
        unit=TOKENS,
        log=True,
    )


def table_too_short() -> Story:
    """CH030: tokens against the rows of RoBERTa's table."""
    rows, offset, admitted = 514, 2, 1024
    held = rows - offset
    return bars(
        Text(
            f"RoBERTa's first {offset} of {rows} rows are no positions: of {numeral(admitted)} "
            f"tokens {admitted - held} find no row.",
            f"RoBERTa 的 {rows} 行中前 {offset} 行不是位置：{numeral(admitted)} 个词元中有 "
            f"{admitted - held} 个没有对应的行。",
        ),
        ROWS,
        [
            Bar(Text("tokens admitted", "允许的词元数"), admitted, True),
            Bar(Text("rows of the table", "表的行数"), rows),
            Bar(Text("rows that hold positions", "存放位置的行"), held),
        ],
    )


def table_otherwise() -> Story:
    """CH227: rows as declared against rows in the weights."""
    declared, stored = 2048, 1024
    return bars(
        Text(
            f"{numeral(declared)} rows declared, {numeral(stored)} in the file: token "
            f"{numeral(stored + 1)} reads past the end.",
            f"声明 {numeral(declared)} 行，文件里 {numeral(stored)} 行：第 "
            f"{numeral(stored + 1)} 个词元读到表外。",
        ),
        ROWS,
        [Bar(Text("declared", "声明"), declared, True), Bar(Text("in the weights", "权重中"), stored)],
    )


def lists_misfit() -> Story:
    """CH016: hands of a head against the numbers of LongRoPE's list."""
    hands, listed = 96 // 2, 64
    return bars(
        Text(
            f"A head of 96 has {hands} hands, the list has {listed} numbers: {listed - hands} too many.",
            f"头宽 96 有 {hands} 根指针，列表却有 {listed} 个数：多了 {listed - hands} 个。",
        ),
        HANDS,
        [
            Bar(Text("hands of the head", "头的指针"), hands),
            Bar(Text("numbers in long_factor", "long_factor 中的个数"), listed, True),
        ],
    )


def tensor_misfits() -> Story:
    """CH204: hands of a head against the divisors of a tensor."""
    hands, stored = 128 // 2, 32
    return bars(
        Text(
            f"{hands} hands, but rope_freqs.weight has {stored} divisors: {hands - stored} are "
            "read from past its end.",
            f"有 {hands} 根指针，rope_freqs.weight 却只有 {stored} 个除数：有 {hands - stored} "
            "个读到张量之外。",
        ),
        HANDS,
        [
            Bar(Text("hands of a head", "头的指针"), hands),
            Bar(Text("numbers in rope_freqs.weight", "rope_freqs.weight 中的个数"), stored, True),
        ],
    )


def rows_misfit() -> Story:
    """CH221: rows of a projection as declared against those in the weights."""
    heads, width, stored = 32, 128, 2560
    return bars(
        Text(
            f"{heads} heads of {width} are {numeral(heads * width)} rows, q_proj has "
            f"{numeral(stored)}: heads of {stored // heads}.",
            f"{heads} 个 {width} 维的头应有 {numeral(heads * width)} 行，q_proj 有 "
            f"{numeral(stored)} 行：每头 {stored // heads} 维。",
        ),
        ROWS,
        [
            Bar(Text("num_attention_heads × head_dim", "num_attention_heads × head_dim"), heads * width),
            Bar(Text("rows of q_proj", "q_proj 的行数"), stored, True),
        ],
    )


def part_too_large() -> Story:
    """CH020: a quarter of a head against 25 of it."""
    width, part = 256, 25
    return bars(
        Text(
            f"25 for 0.25: of {width} dimensions {numeral(width * part)} should turn.",
            f"把 0.25 写成 25：{width} 维中要转动 {numeral(width * part)} 维。",
        ),
        Text("dimensions", "维度数"),
        [
            Bar(Text("head_dim", "head_dim"), width),
            Bar(Text("0.25 of it", "其 0.25"), width * 0.25),
            Bar(Text("25 of it", "其 25 倍"), width * part, True),
        ],
        log=True,
    )


def magnitude_lost() -> Story:
    """YaRN's magnitude as DeepSeek means it, and as three programs had it. The scores have it twice."""
    plain, ratio = yarn_attention_factor(40.0), yarn_attention_factor(40.0, 1.0, 1.0)
    scale = yarn_magnitude(40.0) ** 2
    return bars(
        Text(
            f"cos and sin × {numeral(plain, 7)} or softmax scale × {numeral(scale, 7)}: once "
            "is right, never or twice is not.",
            f"cos、sin 乘 {numeral(plain, 7)}，或者 softmax 缩放乘 {numeral(scale, 7)}："
            "一次才对，零次或两次都错。",
        ),
        SCORES,
        [
            Bar(Text("DeepSeek: ratio, and softmax", "DeepSeek：比值，加 softmax"), ratio**2 * scale),
            Bar(Text("softmax forgotten", "漏了 softmax"), ratio**2, True),
            Bar(Text("plain rule, and softmax too", "普通规则，又加 softmax"), plain**2 * scale, True),
        ],
    )


def magnitude_ignored() -> Story:
    """CH019: the magnitude that a file says against the one its factor gives."""
    asked, computed = 1.0, yarn_magnitude(64.0)
    return bars(
        Text(
            "attention_factor 1.0 with a factor of 64: a program that computes "
            f"{numeral(computed, 8)} by itself has scores {computed**2:.2f} times as large.",
            f"attention_factor 为 1.0、因子为 64：自己算出 {numeral(computed, 8)} 的程序，"
            f"得分是应有的 {computed**2:.2f} 倍。",
        ),
        SCORES,
        [
            Bar(Text("as the file says", "按文件"), asked**2),
            Bar(Text("computed from the factor", "由因子算出"), computed**2, True),
        ],
    )


def magnitude_twice() -> Story:
    """CH207: YaRN's magnitude once against twice."""
    once = yarn_magnitude(4.0)
    return bars(
        Text(
            f"llama.cpp multiplies by {once:.4f} itself; with {once:.4f} in the file too, "
            f"scores are {once**4:.3f} and not {once**2:.3f} times as large.",
            f"llama.cpp 自己会乘 {once:.4f}；文件里再写 {once:.4f}，得分就是 {once**4:.3f} "
            f"倍而不是 {once**2:.3f} 倍。",
        ),
        SCORES,
        [Bar(Text("once", "一次"), once**2), Bar(Text("twice", "两次"), once**4, True)],
    )


def scale_otherwise() -> Story:
    """CH304: DeepSeek's scale as declared against two measurements."""
    scale = yarn_magnitude(40.0) ** 2
    return bars(
        Text(
            f"Declared {scale:.6f}; a measurement finds {1.0} where it was left out, "
            f"{scale**2:.3f} where it was counted twice.",
            f"声明为 {scale:.6f}；漏掉时实测为 {1.0}，算了两次时实测为 {scale**2:.3f}。",
        ),
        SCORES,
        [
            Bar(Text("declared, factor 40", "声明，因子 40"), scale),
            Bar(Text("measured: left out", "实测：漏掉"), 1.0, True),
            Bar(Text("measured: counted twice", "实测：算了两次"), scale**2, True),
        ],
    )


def memory_doubled() -> Story:
    """CH141: memory of queries in float16 against that of the answer in float32."""
    q = np.zeros((1, 32, 4096, 128), np.float16)
    turned = q[..., :1, :1] * np.float32(1.0)
    sizes = [q.size * dtype.itemsize / 2**20 for dtype in (q.dtype, turned.dtype)]
    return bars(
        Text(
            f"32 heads, 4,096 tokens: {q.dtype} comes in, {turned.dtype} comes out, "
            f"{sizes[1] / sizes[0]:.0f} times the memory.",
            f"32 个头、4,096 个词元：输入 {q.dtype}，输出 {turned.dtype}，内存变为 "
            f"{sizes[1] / sizes[0]:.0f} 倍。",
        ),
        Text("memory of the queries", "查询所占内存"),
        [Bar(Text("as given", "输入"), sizes[0]), Bar(Text("as returned", "输出"), sizes[1], True)],
        unit=Text("MiB", "MiB"),
    )
