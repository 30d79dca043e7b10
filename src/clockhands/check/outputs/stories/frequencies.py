"""Stories of hands that turn at another speed than they should."""

from __future__ import annotations

from collections.abc import Mapping

from clockhands.arrays import Array
from clockhands.check.outputs.stories.kinds.hands import hands
from clockhands.check.outputs.stories.story import MEANT, USED, Story
from clockhands.formulas.frequencies.geometric import default_inv_freq
from clockhands.formulas.frequencies.longrope import longrope_inv_freq
from clockhands.formulas.frequencies.scaled import by_parts_inv_freq, dynamic_ntk_inv_freq, linear_inv_freq
from clockhands.formulas.frequencies.selected import proportional_inv_freq
from clockhands.formulas.frequencies.yarn import yarn_inv_freq
from clockhands.language import Text
from clockhands.plots.numerals import numeral

WIDTH = 128
TRAINED, PROMISED = Text("trained", "训练长度"), Text("promised", "承诺长度")


def llama3(trained: int = 8192, slow: float = 1.0, fast: float = 4.0) -> Array:
    """Hands of Llama 3.1: base 500,000, factor 8."""
    return by_parts_inv_freq(
        WIDTH, 5e5, factor=8.0, original_max_position_embeddings=trained, slow=slow, fast=fast
    )


def yarn(
    trained: int = 4096, factor: float = 16.0, theta: float = 1e4, fast: float = 32.0, slow: float = 1.0
) -> Array:
    """Hands of a YaRN model that leaves those alone that make ``fast`` turns in the trained length."""
    return yarn_inv_freq(
        WIDTH,
        theta,
        factor=factor,
        original_max_position_embeddings=trained,
        beta_fast=fast,
        beta_slow=slow,
    )


def _slowest(inv_freq: Array) -> str:
    return numeral(round(6.283185307179586 / float(inv_freq[-1])))


def _changed(meant: Array, used: Array) -> int:
    return sum(abs(float(a) / float(b) - 1) > 1e-6 for a, b in zip(used, meant, strict=True))


def base(meant: float, used: float, says: Text, names: tuple[Text, Text] = (MEANT, USED)) -> Story:
    """Two bases; ``says`` takes the wavelengths of the slowest hand as ``{meant}`` and ``{used}``."""
    right, wrong = default_inv_freq(WIDTH, meant), default_inv_freq(WIDTH, used)
    filled = says.filled(meant=_slowest(right), used=_slowest(wrong))
    return hands(filled, right, wrong, names=names)


def differing(
    meant: Array,
    used: Array,
    says: Text,
    *,
    names: tuple[Text, Text] = (MEANT, USED),
    lengths: Mapping[Text, int] | None = None,
) -> Story:
    """Two ladders; ``says`` takes how many hands differ as ``{count}``, of ``{of}``."""
    filled = says.filled(count=_changed(meant, used), of=len(meant))
    return hands(filled, meant, used, names=names, lengths=lengths)


def base_below_one() -> Story:
    """CH001: base 500,000 against 0.5."""
    return base(
        5e5,
        0.5,
        Text(
            "With a base of 0.5 the slowest hand needs {used} tokens a turn where 500,000 gives {meant}.",
            "底数为 0.5 时，最慢的指针每 {used} 个词元转一圈；底数为 500,000 时是 {meant} 个。",
        ),
    )


def base_missing() -> Story:
    """CH002: base 500,000 against the default of 10,000."""
    return base(
        5e5,
        1e4,
        Text(
            "Llama 3 without its base of 500,000: the slowest hand turns once in {used} tokens "
            "and not in {meant}.",
            "Llama 3 丢了底数 500,000：最慢的指针每 {used} 个词元转一圈，而不是 {meant} 个。",
        ),
    )


def base_twice() -> Story:
    """CH003: base 1,000,000 against 10,000 in another place of the file."""
    names = (
        Text("base within rope_parameters: 1,000,000", "rope_parameters 内的底数：1,000,000"),
        Text("base at the top: 10,000", "最外层的底数：10,000"),
    )
    return base(
        1e6,
        1e4,
        Text(
            "One file, two programs: the slowest hand turns once in {meant} tokens in one, in "
            "{used} in the other.",
            "同一个文件，两个程序：最慢的指针在一个里每 {meant} 个词元转一圈，在另一个里是 {used} 个。",
        ),
        names,
    )


def base_measured() -> Story:
    """CH302: base 1,000,000 as declared against 10,000 as measured."""
    names = (Text("declared: 1000000", "声明的底数：1000000"), Text("measured: 10000", "实测的底数：10000"))
    return base(
        1e6,
        1e4,
        Text(
            "The slow hands tell the bases apart: {meant} tokens a turn declared, {used} measured.",
            "慢指针能区分底数：声明为每 {meant} 个词元一圈，实测为 {used} 个。",
        ),
        names,
    )


def kind_unknown() -> Story:
    """CH004: YaRN against no scaling at all."""
    return differing(
        yarn(32768, 4.0, 1e6),
        default_inv_freq(WIDTH, 1e6),
        Text(
            "YaRN with a factor of 4 is not known here and dropped: {count} of {of} hands "
            "keep the speed of short texts.",
            "这里不认识因子为 4 的 YaRN，于是丢弃：{of} 根指针中有 {count} 根仍是短文本的速度。",
        ),
        lengths={TRAINED: 32768, PROMISED: 131072},
    )


def length_filled_in() -> Story:
    """CH005: Llama 3's bands over 8,192 tokens against 131,072."""
    return differing(
        llama3(),
        llama3(131072),
        Text(
            "Llama 3.1 without its trained length of 8,192 counts turns over 131,072: {count} "
            "of {of} hands differ.",
            "Llama 3.1 缺少训练长度 8,192，于是按 131,072 数圈：{of} 根指针中有 {count} 根不同。",
        ),
        lengths={TRAINED: 8192, PROMISED: 131072},
    )


def bands_unread() -> Story:
    """CH006: Llama 3's bands against a division by 8."""
    return differing(
        llama3(),
        linear_inv_freq(WIDTH, 5e5, factor=8.0),
        Text(
            "Llama 3's bands beside the type 'linear' do nothing: {count} of {of} hands are "
            "slowed that should not be, or not so much.",
            "类型是 linear 时 Llama 3 的频段不起作用：{of} 根指针中有 {count} 根本不该变慢，"
            "或不该变慢这么多。",
        ),
    )


def llama3_as_linear() -> Story:
    """CH107: Llama 3's scaling as expected against a division by 8 as measured."""
    return differing(
        llama3(),
        linear_inv_freq(WIDTH, 5e5, factor=8.0),
        Text(
            "Llama 3's scaling was expected, a plain division by 8 was measured: {count} of "
            "{of} hands differ.",
            "期望的是 Llama 3 的缩放，实测却是全部除以 8：{of} 根指针中有 {count} 根不同。",
        ),
        names=(Text("expected", "期望"), Text("measured", "实测")),
    )


def key_unread() -> Story:
    """CH007: YaRN over 4,096 tokens against the length that stands in for a misspelt key."""
    return differing(
        yarn(4096, 40.0),
        yarn(163840, 40.0),
        Text(
            "A misspelt 'original_max_position_embeding' leaves 163,840 in place of 4,096: "
            "{count} of {of} hands differ.",
            "original_max_position_embeding 拼错，于是 163,840 顶替了 4,096：{of} 根指针中有 {count} 根不"
            "同。",
        ),
    )


def kinds_differ() -> Story:
    """CH008: YaRN against a plain division, both by 4."""
    names = (Text("'rope_type': yarn", "“rope_type”：yarn"), Text("'type': linear", "“type”：linear"))
    return differing(
        yarn(4096, 4.0),
        linear_inv_freq(WIDTH, 1e4, factor=4.0),
        Text(
            "One factor of 4, two names of the formula: {count} of {of} hands differ.",
            "同一个因子 4，公式的两个名字不同：{of} 根指针中有 {count} 根不同。",
        ),
        names=names,
    )


def dictionaries_differ() -> Story:
    """CH009: Llama 3's scaling by 8 against a division by 2."""
    names = (
        Text("rope_scaling: llama3, factor 8", "rope_scaling：llama3，因子 8"),
        Text("rope_parameters: linear, factor 2", "rope_parameters：linear，因子 2"),
    )
    return differing(
        llama3(),
        linear_inv_freq(WIDTH, 5e5, factor=2.0),
        Text(
            "Which dictionary is read decides over {count} of {of} hands.",
            "读哪个字典，决定了 {of} 根指针中 {count} 根的速度。",
        ),
        names=names,
    )


def factor_inverted() -> Story:
    """CH011: a factor of 4 against 0.25."""
    right, wrong = linear_inv_freq(WIDTH, factor=4.0), linear_inv_freq(WIDTH, factor=0.25)
    ratio = numeral(float(wrong[0] / right[0]))
    return hands(
        Text(
            f"0.25 copied where 4 is meant: every hand turns {ratio} times as fast as it "
            "should, 4 times as fast as in training.",
            f"本该写 4，却抄成了 0.25：每根指针的速度是应有的 {ratio} 倍、训练时的 4 倍。",
        ),
        right,
        wrong,
    )


def trained_copied() -> Story:
    """CH013: YaRN over 32,768 tokens against 131,072."""
    return differing(
        yarn(32768, 4.0, 1e6),
        yarn(131072, 4.0, 1e6),
        Text(
            "The promised length copied into the trained one: {count} of {of} hands keep more "
            "speed than they should.",
            "把承诺长度抄成了训练长度：{of} 根指针中有 {count} 根没有按应有的程度变慢。",
        ),
        lengths={TRAINED: 32768, PROMISED: 131072},
    )


def bands_swapped() -> Story:
    """CH014: Llama 3's bands against the same swapped."""
    return differing(
        llama3(),
        llama3(slow=4.0, fast=1.0),
        Text(
            "low_freq_factor 4 and high_freq_factor 1 instead of 1 and 4: {count} of {of} hands are wrong.",
            "low_freq_factor 和 high_freq_factor 写成 4 和 1，应为 1 和 4：{of} 根指针中有 "
            "{count} 根是错的。",
        ),
        lengths={TRAINED: 8192},
    )


def turns_swapped() -> Story:
    """CH015: YaRN's turns against the same swapped."""
    return differing(
        yarn(),
        yarn(fast=1.0, slow=32.0),
        Text(
            "beta_fast 1 and beta_slow 32 instead of 32 and 1: the ramp runs backwards, "
            "{count} of {of} hands are wrong.",
            "beta_fast 和 beta_slow 写成 1 和 32，应为 32 和 1：斜坡反了，{of} 根指针中有 {count} 根是错的。",
        ),
        lengths={TRAINED: 4096},
    )


def longrope_lists() -> Story:
    """Two lists such as a search finds: the short one changes nothing, the long one slows up to 32 times."""
    side = WIDTH // 2
    short, long = [1.0] * side, [32.0 ** (place / (side - 1)) for place in range(side)]
    within, past = (
        longrope_inv_freq(
            WIDTH, short_factor=short, long_factor=long, original_max_position_embeddings=4096, length=length
        )
        for length in (4096, 4097)
    )
    names = (
        Text("4,096 tokens: the short list", "4,096 个词元：短列表"),
        Text("4,097 tokens: the long list", "4,097 个词元：长列表"),
    )
    return differing(
        within,
        past,
        Text(
            "One token more, another list (here one that grows from 1 to 32): {count} of {of} "
            "hands change their speed.",
            "多一个词元，就换一个列表（这里从 1 增到 32）：{of} 根指针中有 {count} 根改变速度。",
        ),
        names=names,
        lengths={TRAINED: 4096},
    )


def truncated() -> Story:
    """CH043: YaRN's ramp between real numbers against whole ones."""
    sizes = {"factor": 8.0, "original_max_position_embeddings": 512}
    meant, used = (yarn_inv_freq(64, 1e4, truncate=truncate, **sizes) for truncate in (False, True))
    worst = max(abs(float(a) / float(b) - 1) for a, b in zip(meant, used, strict=True))
    return hands(
        Text(
            "truncate: false in a nested dictionary is not read: frequencies are off by up to "
            f"{100 * worst:.0f} per cent.",
            f"嵌套字典里的 truncate: false 没有被读取：频率最多偏差 {100 * worst:.0f}%。",
        ),
        meant,
        used,
        lengths={TRAINED: 512},
    )


def proportional() -> Story:
    """The turning hands of a full layer of Gemma 4: head 512, a quarter turns, base 1e6."""
    width, part = 512, 0.25
    whole = proportional_inv_freq(width, 1e6, partial_rotary_factor=part)
    meant, used = whole[whole > 0], default_inv_freq(int(width * part), 1e6)
    return hands(
        Text(
            f"Of a head of {width} a quarter turns, {len(meant)} hands: the slowest should need "
            f"{_slowest(meant)} tokens a turn; spread over the part, it needs {_slowest(used)}.",
            f"头宽 {width}、转四分之一，共 {len(meant)} 根指针：最慢的应每 {_slowest(meant)} 个词元转一圈；"
            f"按旋转部分分布则要 {_slowest(used)} 个。",
        ),
        meant,
        used,
        names=(Text("proportional", "proportional"), Text("a plain part", "普通的部分旋转")),
    )


def exponents() -> Story:
    """CH106: exponents over the turned width against those over the head."""
    meant = default_inv_freq(64)
    used = default_inv_freq(256)[:32]
    return hands(
        Text(
            f"A head of 256 of which 64 turn: the slowest hand turns at {float(used[-1]):.3g} "
            f"and not at {float(meant[-1]):.3g} rad a token.",
            f"头宽 256、其中 64 维转动：最慢的指针每个词元转 {float(used[-1]):.3g} 弧度，"
            f"而不是 {float(meant[-1]):.3g}。",
        ),
        meant,
        used,
    )


def neighbours_decide() -> Story:
    """CH125: dynamic NTK of a short text against that of a neighbour far out."""
    return _dynamic(
        Text(
            "The same token at position 5, beside a token at position 8,191: {count} of {of} "
            "hands turn at another speed.",
            "同样在位置 5 的词元，旁边有一个位置 8,191 的词元：{of} 根指针中有 {count} 根速度变了。",
        ),
        (Text("alone", "单独"), Text("beside position 8191", "与位置 8191 同在一次调用")),
    )


def stays_stretched() -> Story:
    """CH130: dynamic NTK of a text against that of a longer one before it."""
    meant, used = dynamic(4096), dynamic(8192)
    off = max(1 - float(a) / float(b) for a, b in zip(used, meant, strict=True))
    return hands(
        Text(
            f"4,096 tokens after a text of 8,192: the slowest hand is still {100 * off:.0f} per cent too "
            "slow.",
            f"读过 8,192 个词元后再读 4,096 个：最慢的指针仍然慢了 {100 * off:.0f}%。",
        ),
        meant,
        used,
        names=(Text("before the long text", "读长文本之前"), Text("after it", "之后")),
    )


def dynamic(length: int) -> Array:
    """Dynamic NTK: trained on 2,048 tokens, factor 4."""
    return dynamic_ntk_inv_freq(WIDTH, factor=4.0, max_position_embeddings=2048, length=length)


def _dynamic(says: Text, names: tuple[Text, Text]) -> Story:
    return differing(dynamic(6), dynamic(8192), says, names=names)
