"""The glossary as data: one name for one thing, its shape, its unit, and what other libraries call it."""

from __future__ import annotations

from dataclasses import dataclass

from clockhands.language import Text

NO_UNIT = Text("", "")


@dataclass(frozen=True)
class Term:
    """One name used throughout.

    name     spelling in code
    word     what readers call it
    meaning  one sentence
    shape    axes, empty for a scalar: b batch, t tokens (tq queries, tk keys), h query heads, hk key heads
    unit     empty if it has none
    aliases  names of the same thing elsewhere
    """

    name: str
    word: Text
    meaning: Text
    shape: str = ""
    unit: Text = NO_UNIT
    aliases: tuple[str, ...] = ()


TOKENS = Text("tokens", "词元")
RAD = Text("rad", "弧度")
RAD_PER_TOKEN = Text("rad / token", "弧度 / 词元")
TURNS = Text("turns", "圈")
LOGITS_PER_TOKEN = Text("logits / token", "得分 / 词元")

TERMS: tuple[Term, ...] = (
    Term(
        "positions",
        Text("position", "位置"),
        Text(
            "Where each token is, an integer; not where a tensor holds it.",
            "每个词元在哪里，是整数；不是它在张量中的下标。",
        ),
        "(b, t) or (b, t, axes)",
        TOKENS,
        ("position_ids", "cache_seqlens (offsets)"),
    ),
    Term(
        "slot",
        Text("slot", "下标"),
        Text(
            "Where a tensor holds a token. Causal order goes by slot.",
            "词元在张量中的下标。因果顺序按下标算。",
        ),
        aliases=("q_idx", "kv_idx"),
    ),
    Term(
        "distance",
        Text("distance", "距离"),
        Text(
            "Query position minus key position; 0 or more under a causal mask. Papers differ in the sign.",
            "查询位置减去键位置；有因果掩码时不小于 0。各论文的正负号不一致。",
        ),
        "(tq, tk)",
        TOKENS,
        ("relative position",),
    ),
    Term(
        "head_dim",
        Text("head width", "注意力头宽度"),
        Text("Width of one attention head.", "一个注意力头的维数。"),
        aliases=("head_size",),
    ),
    Term(
        "mrope_section",
        Text("section", "分段"),
        Text(
            "How many hands read time, how many the row and how many the column.",
            "多少根指针读时间，多少根读行，多少根读列。",
        ),
        "(3,)",
        aliases=("rope.dimension_sections",),
    ),
    Term(
        "rotary_dim",
        Text("rotated width", "旋转宽度"),
        Text(
            "The leading part of a head that is turned; even.", "每个注意力头里参与旋转的前面部分；是偶数。"
        ),
        aliases=("rope_n_elem", "int(head_dim * partial_rotary_factor)"),
    ),
    Term(
        "partial_rotary_factor",
        Text("rotated share", "旋转比例"),
        Text(
            "rotary_dim divided by head_dim, above 0 and up to 1.",
            "rotary_dim 除以 head_dim，大于 0，不超过 1。",
        ),
        aliases=("rotary_percentage", "rotary_pct"),
    ),
    Term(
        "rope_theta",
        Text("base", "底数 (base)"),
        Text("Base of the geometric frequencies.", "几何频率的底数。"),
        aliases=("base", "theta", "rope_base", "freq_base"),
    ),
    Term(
        "rope_type",
        Text("frequency function", "频率函数"),
        Text(
            "Which rule gives the frequencies, such as default or yarn.",
            "由哪条规则给出频率，例如 default 或 yarn。",
        ),
        aliases=("type",),
    ),
    Term(
        "rope_parameters",
        Text("RoPE settings of a model", "模型的 RoPE 参数"),
        Text(
            "The dictionary in a model's configuration; nested by layer type where layers differ.",
            "模型配置里的字典；各层不同时按层的类型嵌套。",
        ),
        aliases=("rope_scaling", "rope_theta (before version 5)"),
    ),
    Term(
        "inv_freq",
        Text("angular frequency", "角频率"),
        Text("How fast each hand turns, fastest first.", "每根指针转得多快，最快的在前。"),
        "(rotary_dim/2,)",
        RAD_PER_TOKEN,
        ("freqs", "theta_i", "div_term"),
    ),
    Term(
        "angle",
        Text("angle", "角度"),
        Text("Position times angular frequency.", "位置乘以角频率。"),
        "(b, t, rotary_dim/2)",
        RAD,
        ("freqs (the same word as for inv_freq: avoid it)",),
    ),
    Term(
        "phase",
        Text("phase", "相位"),
        Text("The angle without its whole turns.", "去掉整圈以后的角度。"),
        "(b, t, rotary_dim/2)",
        RAD,
    ),
    Term(
        "turns",
        Text("turns", "圈数"),
        Text("The angle counted in full turns.", "角度折合多少圈。"),
        "(b, t, rotary_dim/2)",
        TURNS,
    ),
    Term(
        "wavelength",
        Text("wavelength", "波长"),
        Text("Tokens that a hand needs for a full turn.", "一根指针转一圈要经过多少个词元。"),
        "(rotary_dim/2,)",
        TOKENS,
        ("wavelen", "lambda"),
    ),
    Term(
        "pair",
        Text("pair (one hand)", "维度对（一根指针）"),
        Text("The two dimensions that turn together.", "一起旋转的两个维度。"),
        aliases=("frequency index", "band"),
    ),
    Term(
        "layout",
        Text("layout", "排列方式"),
        Text(
            "Which dimensions are a pair: half (i, i + d/2) or interleaved (2i, 2i + 1).",
            "哪两个维度成对：前后对半（i 与 i + d/2），或交错（2i 与 2i + 1）。",
        ),
        aliases=("rotate_half", "is_neox_style", "rope_interleave"),
    ),
    Term(
        "cos, sin",
        Text("rotation table", "旋转表"),
        Text("Cosine and sine of each angle, at least float32.", "每个角度的余弦和正弦，至少 float32。"),
        "(b, t, rotary_dim/2)",
        aliases=("position_embeddings (doubled)", "cos_sin_cache"),
    ),
    Term(
        "attention_factor",
        Text("attention factor", "注意力系数"),
        Text(
            "What YaRN and LongRoPE multiply queries and keys with.", "YaRN 和 LongRoPE 给查询和键乘的系数。"
        ),
        aliases=("attention_scaling", "mscale"),
    ),
    Term(
        "score_scale",
        Text("score scale", "得分系数"),
        Text(
            "What multiplies the logits besides 1/sqrt(head_dim): the attention factor squared.",
            "除 1/sqrt(head_dim) 之外乘在得分上的系数：注意力系数的平方。",
        ),
    ),
    Term(
        "scale",
        Text("scale", "缩放"),
        Text(
            "What multiplies the dot product, 1/sqrt(head_dim) unless stated.",
            "点积的系数，默认为 1/sqrt(head_dim)。",
        ),
        aliases=("softmax_scale", "scaling"),
    ),
    Term(
        "max_position_embeddings",
        Text("context length", "上下文长度"),
        Text("The context a model promises now.", "模型现在承诺的上下文长度。"),
        unit=TOKENS,
        aliases=("block_size", "sequence_len"),
    ),
    Term(
        "original_max_position_embeddings",
        Text("original context length", "原上下文长度"),
        Text("The context before it was extended.", "扩展之前的上下文长度。"),
        unit=TOKENS,
        aliases=("original_seq_len",),
    ),
    Term(
        "factor",
        Text("scaling factor", "缩放因子"),
        Text("New context length divided by the original one.", "新上下文长度除以原长度。"),
        aliases=("rope_factor", "scale"),
    ),
    Term(
        "num_heads",
        Text("attention heads", "注意力头数"),
        Text("Heads of the queries.", "查询的头数。"),
        aliases=("num_attention_heads", "n_head"),
    ),
    Term(
        "num_kv_heads",
        Text("key and value heads", "键值头数"),
        Text(
            "Heads of keys and values; fewer under grouped-query attention.",
            "键和值的头数；分组查询注意力时更少。",
        ),
        aliases=("num_key_value_heads", "n_query_groups"),
    ),
    Term(
        "slopes",
        Text("slopes", "斜率"),
        Text("How much each ALiBi head subtracts per token of distance.", "ALiBi 各头每隔一个词元减去多少。"),
        "(h,)",
        LOGITS_PER_TOKEN,
        ("alibi_slopes",),
    ),
    Term(
        "num_buckets",
        Text("buckets", "桶数"),
        Text("Groups of distances that share one T5 bias.", "T5 偏置中，共用一个值的距离分成多少组。"),
        aliases=("relative_attention_num_buckets",),
    ),
    Term(
        "max_distance",
        Text("largest distance", "最大距离"),
        Text(
            "The distance from which on all share T5's last bucket.", "从这个距离起，全部共用 T5 的最后一桶。"
        ),
        unit=TOKENS,
        aliases=("relative_attention_max_distance",),
    ),
    Term(
        "logits",
        Text("scores", "注意力得分"),
        Text(
            "What a head says of each pair of tokens before softmax.",
            "softmax 之前，注意力头对每对词元打的分。",
        ),
        "(b, h, tq, tk)",
        aliases=("scores",),
    ),
    Term(
        "weights",
        Text("attention weights", "注意力权重"),
        Text("The logits after softmax; each row sums to 1.", "softmax 之后的得分；每行之和为 1。"),
        "(b, h, tq, tk)",
        aliases=("attention probabilities",),
    ),
    Term(
        "memory",
        Text("memory", "随词元缓存的信息"),
        Text(
            "Facts about each token that are cached beside its key and value.",
            "与键、值一起缓存的每个词元的信息。",
        ),
        "(b, t, ...)",
    ),
    Term(
        "horizon",
        Text("horizon", "可分辨范围"),
        Text(
            "The distance past which a scheme is blind by design.", "超过这个距离，方案在设计上就分辨不出了。"
        ),
        unit=TOKENS,
    ),
    Term(
        "similarity",
        Text("similarity", "相似度"),
        Text("Normalised inner product of two positions' codes.", "两个位置编码的归一化内积。"),
        "(t, t)",
        aliases=("positional kernel (as a function of distance)",),
    ),
)
"""Every name, in the order in which a reader meets them."""
