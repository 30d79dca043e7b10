"""What the parameters of schemes mean, in both languages: one entry a name that the glossary hasn't.

A scheme whose parameter means something else, or that belongs to another package, says so itself, in its
``meanings``.
"""

from __future__ import annotations

from clockhands.catalogue.description import Description
from clockhands.language import Text
from clockhands.terms import TERMS

OF_SCHEMES: dict[str, Text] = {
    "arrangement": Text(
        "sines and cosines alternate, or all sines come first", "正弦与余弦交替排列，还是正弦全在前面"
    ),
    "at_test": Text("plain or random positions once training is over", "训练结束后用普通位置还是随机位置"),
    "attend_current": Text("whether a token may attend to itself", "词元能否关注自己"),
    "base": Text("base of the geometric frequencies", "几何频率的底数"),
    "bidirectional": Text("keys after the query get values of their own", "查询之后的键也有自己的值"),
    "block_dim": Text("width of each square block of the rotation", "旋转矩阵里每个方块的宽度"),
    "c": Text("curvature of the logarithm at which training starts", "训练开始时对数曲线的弯曲程度"),
    "chunk_size": Text("length of a chunk, tokens", "一块的长度（词元）"),
    "clip": Text("distances past it share the last vector, tokens", "超过它的距离共用最后一个向量（词元）"),
    "clipped": Text("how many of the slowest hands are slowed", "最慢的多少根指针被放慢"),
    "combine": Text("add the table to the tokens, or concatenate it", "把表加到词元上，还是与词元拼接"),
    "context": Text("the trained length, tokens", "训练长度（词元）"),
    "conv_size": Text("length of the short convolution, tokens", "短卷积的长度（词元）"),
    "d_conv": Text("length of the short convolution, tokens", "短卷积的长度（词元）"),
    "d_model": Text("width of the model", "模型的宽度"),
    "d_rel": Text(
        "numbers with which a token mixes its curve in each head", "每个头里，词元用多少个数来调配自己的曲线"
    ),
    "exponent": Text("exponent of the frequencies: 2i/d or i/(d/2-1)", "频率的指数：2i/d 或 i/(d/2-1)"),
    "extent": Text("steps that count as one unit", "多少步算作一个单位"),
    "features": Text("number of sines and cosines", "正弦和余弦的个数"),
    "first": Text("sine or cosine first", "正弦在前还是余弦在前"),
    "first_theta": Text("base of the first layer", "第一层的底数"),
    "floor_scale": Text("positions after which the temperature takes a step", "每隔多少个位置温度变一次"),
    "gain": Text("how much of other waves is mixed in", "混入多少其他频率的波"),
    "gamma": Text(
        "tokens over which positions look alike at the start", "训练开始时，相距多少词元以内的位置彼此相似"
    ),
    "global_branch": Text("first tokens that stay visible", "始终可见的开头词元数"),
    "group_size": Text("far positions that count as one", "远处多少个位置合成一个"),
    "hidden": Text("hidden units of the network", "网络的隐藏单元数"),
    "high_freq_factor": Text(
        "turns in the trained length above which a hand is kept", "训练长度内转的圈数超过它，指针保持不变"
    ),
    "kernel_size": Text("width of the convolution over keys", "沿键方向的卷积宽度"),
    "last_theta": Text("base of the last layer", "最后一层的底数"),
    "layer": Text("which layer this is, from 0", "这是第几层，从 0 数起"),
    "learned": Text("training may change the steps", "训练可以改变步长"),
    "linear_weight": Text("weight of the linear schedule", "线性频率的权重"),
    "local": Text("nearest tokens whose distance stays true", "最近多少个词元保持真实距离"),
    "log_weight": Text("weight of the geometric schedule", "几何频率的权重"),
    "long_factor": Text("divisor of each hand in long texts", "长文本中每根指针的除数"),
    "low_freq_factor": Text(
        "turns in the trained length below which a hand is slowed in full",
        "训练长度内转的圈数低于它，指针完全放慢",
    ),
    "max_global_scaling": Text(
        "largest factor that stretches a text in training", "训练时整段文本的最大伸缩倍数"
    ),
    "max_global_shift": Text(
        "largest shift of a text in training, tokens", "训练时整段文本的最大平移（词元）"
    ),
    "max_length": Text("positions are drawn below it, tokens", "随机位置的上限（词元）"),
    "max_local_shift": Text(
        "largest shift of one token in training, tokens", "训练时单个词元的最大抖动（词元）"
    ),
    "max_offset": Text("largest random start in training", "训练时随机起点的最大值"),
    "max_positions": Text("how many positions there are", "一共有多少个位置"),
    "max_relative_positions": Text(
        "distances from here on are not told apart, tokens", "从这个距离起不再区分（词元）"
    ),
    "max_shift": Text("largest shift of a text in training, tokens", "训练时整段文本的最大平移（词元）"),
    "mlp_width": Text("hidden units of the network", "网络的隐藏单元数"),
    "moving_share": Text("share of the hands that turn, the fastest", "最快的指针中有多大比例在转"),
    "mscale": Text("DeepSeek's factor on queries and keys", "DeepSeek 乘在查询和键上的系数"),
    "mscale_all_dim": Text("DeepSeek's factor on the softmax scale", "DeepSeek 用于 softmax 缩放的系数"),
    "npos_max": Text("largest contextual position", "上下文位置的最大值"),
    "num_axes": Text("axes of a position", "位置有几个坐标轴"),
    "num_layers": Text("how many layers there are", "一共有多少层"),
    "num_masked_heads": Text(
        "heads with a window; the others see everything", "有窗口的头数，其余的头什么都看得到"
    ),
    "num_planes": Text("one plane for all heads, or one for each", "所有头共用一个旋转平面，还是各有一个"),
    "num_scales": Text("how many widths of waves there are", "小波有多少种宽度"),
    "numbers": Text("trained numbers in place of random ones", "用训练好的数代替随机数"),
    "offset": Text(
        "row of position 0: the rows before it belong to padding", "位置 0 所在的行；前面的行留给填充"
    ),
    "omega": Text("angular speed at which training starts, rad / token", "训练开始时的角频率（弧度 / 词元）"),
    "on_values": Text("values get vectors too", "值也加上距离向量"),
    "phi_proj_rank": Text("rank of the map that gives the angles", "给出角度的映射的秩"),
    "position_buckets": Text("groups of distances on each side", "每一侧的距离分成多少组"),
    "position_width": Text("width of the table where it is concatenated", "拼接时位置表的宽度"),
    "rank": Text("rank of the map that gives the directions", "给出方向的映射的秩"),
    "rel_extent": Text("length of a curve, tokens", "一条曲线的长度（词元）"),
    "relative": Text("add a bias by distance as T5 does", "再加上 T5 那样按距离的偏置"),
    "rotary_part": Text("whether the first or the last dimensions turn", "旋转的是前面的维度还是后面的维度"),
    "scale_base": Text("tokens in which a hand fades by its base", "指针每隔多少个词元按其底数变淡一次"),
    "seed": Text(
        "seed of the random numbers that stand in for trained ones", "随机种子：随机数代替训练所得的数"
    ),
    "sensitivity": Text("step of each tag", "每种词性的步长"),
    "shift": Text("how far far distances are moved back, tokens", "远处的距离往回移多少（词元）"),
    "short_factor": Text("divisor of each hand in short texts", "短文本中每根指针的除数"),
    "sinks": Text("first tokens that are always kept", "始终保留的开头词元数"),
    "sinusoid_dim": Text("width of the sinusoid behind the bias", "偏置背后的正弦编码的宽度"),
    "soft": Text("slow hands taper off instead of stopping at once", "慢针逐渐停下，而不是一下子停住"),
    "spacing": Text("how hands are dealt to the axes", "指针怎样分给各个坐标轴"),
    "style": Text(
        "blend the two schedules, or give each a band of hands", "两种频率取平均，还是各占一段指针"
    ),
    "symmetric": Text("use the distance without its sign", "距离不分正负"),
    "tags": Text("kinds of words that are told apart", "区分哪些词性"),
    "threshold": Text(
        "length from which distances are normalised by the position, tokens",
        "从这个长度起按位置归一化距离（词元）",
    ),
    "truncate": Text("move the ends of the ramp to whole pairs", "把过渡带的两端取整到维度对"),
    "untie_cls": Text("the token at position 0 has scores of its own", "位置 0 的词元有自己的得分"),
    "use_bias": Text("the map has a constant", "映射带常数项"),
    "use_gate": Text("angles pass a gate that reads the token", "角度要经过一个读词元的门"),
    "variant": Text("which of the paper's two constructions", "论文两种构造中的哪一种"),
    "width": Text("hidden units of the network", "网络的隐藏单元数"),
    "widths": Text("dimensions of the head that each axis turns", "每个坐标轴旋转多少维"),
    "window": Text("nearest tokens whose distance stays true", "最近多少个词元保持真实距离"),
    "window_size": Text("positions along each axis in training", "训练时每个坐标轴上有多少个位置"),
    "alpha": Text(
        "turns in the trained length below which a hand is slowed", "训练长度内转的圈数低于它，指针被放慢"
    ),
    "beta": Text(
        "turns in the trained length above which a hand is kept", "训练长度内转的圈数超过它，指针保持不变"
    ),
    "beta_fast": Text(
        "turns in the trained length at which the ramp begins", "过渡带从训练长度内转多少圈处开始"
    ),
    "beta_slow": Text(
        "turns in the trained length at which the ramp ends", "过渡带到训练长度内转多少圈处结束"
    ),
}


def meaning(scheme: type[Description], parameter: str) -> Text | None:
    """What a parameter of a scheme means: in its own words, or the usual ones; None if nobody says."""
    usual = {term.name: _clause(term.meaning) for term in TERMS} | OF_SCHEMES
    return scheme.meanings.get(parameter) or usual.get(parameter)


def _clause(sentence: Text) -> Text:
    """A sentence of the glossary as a clause: without its full stop, and small at the start."""
    en = sentence.en.removesuffix(".")
    return Text(en[0].lower() + en[1:], sentence.zh.removesuffix("。"))
