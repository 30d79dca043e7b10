"""What can be wrong with which positions a function sees, and how exactly: CH110 to CH136."""

from __future__ import annotations

from clockhands.check.probe.findings.making import rule
from clockhands.language import Text

POSITIONS_ROUNDED = rule(
    "CH110",
    Text("positions are rounded, so that neighbours collide", "位置被舍入，相邻位置重合"),
    Text(
        "bf16 has 8 significant bits: from 256 on, not every integer exists, and neighbouring tokens get "
        "the very "
        "same position. Of 4,096 positions 769 remain. It comes from making positions in the dtype of the "
        "activations; keep them integers, and multiply in float32.",
        "bf16 只有 8 位有效数字：从 256 起并非每个整数都能表示，相邻词元得到完全相同的位置。"
        "4,096 个位置只剩 769 个。原因是用激活值的类型来生成位置；应保持整数，并用 float32 相乘。",
    ),
    "huggingface/candle #3520",
)
SPEEDS_ROUNDED = rule(
    "CH111",
    Text("frequencies are rounded to 16 bits", "角频率被舍入到 16 位"),
    Text(
        "A frequency that is off by a thousandth is off by one radian at position 1,000. In bf16, head 128: "
        "0.63 rad "
        "at 511, 5 rad at 4,095, 40 rad at 32,767. Keep inv_freq in float32 whatever the model's dtype is.",
        "角频率相差千分之一，到位置 1,000 就差一弧度。bf16、头宽 128 时：位置 511 差 0.63 弧度，"
        "4,095 差 5 弧度，32,767 差 40 弧度。无论模型用什么类型，inv_freq 都应保持 float32。",
    ),
    "huggingface/transformers #29496",
)
ANGLES_ROUNDED = rule(
    "CH112",
    Text("angles are rounded to 16 bits", "角度被舍入到 16 位"),
    Text(
        "The product of position and frequency was made in 16 bits: at position 1,857 an angle of 1044.27 "
        "becomes 1,040 in bf16, which is half a turn and more. Multiply in float32, cast cos and sin last.",
        "位置与角频率的乘积用 16 位计算：位置 1,857 的角度 1044.27 在 bf16 中变成 1,040，差了半圈以上。"
        "请用 float32 相乘，最后才转换 cos 和 sin 的类型。",
    ),
    "EleutherAI/gpt-neox #1003",
)
IGNORED = rule(
    "CH120",
    Text("positions are ignored: it counts from 0 by itself", "忽略给出的位置：它自己从 0 数起"),
    Text(
        "With a cache the next token is not at position 0. A function that makes its own 0, 1, 2 … from the "
        "shape of its input restarts at every chunk, and each decoded token sits at position 0.",
        "有缓存时，下一个词元不在位置 0。如果函数只按输入形状自己生成 0、1、2……，每一段都会重新开始，"
        "解码出的每个词元都在位置 0。",
    ),
    "huggingface/transformers #45381",
)
OFF_BY_ONE = rule(
    "CH121",
    Text("positions are off by a constant", "位置相差一个常数"),
    Text(
        "After a prompt of 9 tokens the next one is at position 9, not 10. With relative encodings a "
        "constant offset everywhere changes no score; an offset in one of prefill and decode does.",
        "提示有 9 个词元时，下一个在位置 9，不是 10。对相对编码，处处相同的偏移不改变得分；"
        "只在预填充或解码之一出现偏移，就会改变。",
    ),
    "fla-org/flash-linear-attention #766",
)
ROW_ZERO = rule(
    "CH122",
    Text("every row of a batch gets the positions of the first", "批次中每一行都用第一行的位置"),
    Text(
        "Rows padded on the left start at different places, so each row has positions of its own. One "
        "shared vector makes the short rows wrong, and only them.",
        "左侧填充的各行起点不同，所以每行有自己的位置。共用一个位置向量会让较短的行出错，而且只有它们出错。",
    ),
    "unslothai/unsloth #3699",
)
COUNTS_ON = rule(
    "CH123",
    Text(
        "it counts on from the first position, whatever follows", "它只从第一个位置往下数，不管后面给了什么"
    ),
    Text(
        "Packed documents start anew: lengths 3 and 2 have positions 0, 1, 2, 0, 1. A function that takes "
        "the first position and adds 0, 1, 2 … lets the second document count on.",
        "拼在一起的文档各自从头数：长度 3 和 2 的位置是 0、1、2、0、1。如果函数只取第一个位置再加 0、1、2……，"
        "第二个文档就会接着数下去。",
    ),
    "NVIDIA/Megatron-LM #453",
)
CHUNKS = rule(
    "CH124",
    Text("reading in chunks differs from reading at once", "分段读取与一次读取的结果不同"),
    Text(
        "Prefill and decode together must give what one pass gives: in chunks of 1, 3 and 8 tokens, each "
        "starting where the last one ended.",
        "预填充加解码应与一次计算的结果相同：按 1、3、8 个词元分段，每段从上一段结束处开始。",
    ),
    "onnxruntime-genai #2354",
)
MISPLACED = rule(
    "CH125",
    Text(
        "what a token gets depends on the other positions of the call",
        "词元得到的编码取决于同一次调用中的其他位置",
    ),
    Text(
        "A token at position 5 has the encoding of position 5, whatever its neighbours are. Dynamic "
        "scalings break "
        "that by design within one text; taken from the longest row of a batch, the rows change each other.",
        "位置 5 的词元应得到位置 5 的编码，与相邻词元无关。动态缩放在同一文本内按设计打破这一点；"
        "但若取批次中最长的一行，各行就会互相影响。",
    ),
    "huggingface/transformers #27033",
)
LENGTH_DEPENDENT = rule(
    "CH126",
    Text("frequencies depend on the length of the text", "角频率取决于文本长度"),
    Text(
        "Dynamic NTK and LongRoPE change their frequencies with the length of the text. Keys that are "
        "cached after being turned keep the old ones, so cache them unturned.",
        "动态 NTK 和 LongRoPE 的角频率随文本长度改变。转动之后再缓存的键仍保留旧的频率，"
        "所以应缓存未转动的键。",
    ),
    "huggingface/transformers #25104",
)
STAYS = rule(
    "CH130",
    Text("an earlier call changes later answers", "之前的调用改变之后的结果"),
    Text(
        "Frequencies that were stretched for a long text and stay so, or a table that was replaced: the "
        "same short text gives another answer after a long one than before it.",
        "为长文本拉伸的频率没有恢复，或者表被替换：同一段短文本，在长文本之后与之前的结果不同。",
    ),
    "huggingface/transformers #46624",
)
STALE = rule(
    "CH131",
    Text("a cache gives an answer to another question", "缓存给出了别的问题的答案"),
    Text(
        "A kept table or output that is looked up by shape or length alone is given back for other "
        "positions, another dtype or another device of the same shape.",
        "如果保存的表或结果只按形状或长度查找，遇到形状相同而位置、类型或设备不同的调用，"
        "就会返回错误的内容。",
    ),
    "positional-encodings (output kept by shape)",
)
TABLE_ENDS = rule(
    "CH132",
    Text("positions past a table raise", "超出表的位置会抛出异常"),
    Text(
        "A table of fixed length has no row for later positions. On a CPU that raises; on a GPU it may "
        "poison the process. See that the longest text admitted is no longer than the table.",
        "固定长度的表没有更后位置的行。在 CPU 上会抛出异常；在 GPU 上可能毁掉整个进程。"
        "请确认允许的最长文本不超过表长。",
    ),
    "huggingface/transformers #125",
)
STOPS = rule(
    "CH133",
    Text("past some position tokens are silently left unturned", "超过某个位置后不再转动，而且没有任何提示"),
    Text(
        "Past its table a kernel takes cos = 1 and sin = 0: every later token sits at position 0, and "
        "nothing says so.",
        "超出表后内核取 cos = 1、sin = 0：之后的词元都在位置 0，而没有任何提示。",
    ),
    "flash-attention (seqlen_offsets past the table)",
)
REPEATS = rule(
    "CH134",
    Text(
        "past some position all tokens silently get the same or an earlier one",
        "超过某个位置后各词元得到相同或更早的位置",
    ),
    Text(
        "Clamping an index to the end of the table, or wrapping it around, hides that the table is too "
        "short: many tokens share one position.",
        "把下标截到表尾，或绕回表头，会掩盖表太短的问题：许多词元共用一个位置。",
    ),
    "nanochat #514",
)

RANKS = rule(
    "CH127",
    Text("ranks do not share out the positions of a text", "各进程持有的位置合起来不是整段文本"),
    Text(
        "With context parallelism a rank holds slices of a text, often one from each end: of 8 tokens and 2 "
        "ranks, rank 0 holds 0, 1, 6, 7 and rank 1 holds 2, 3, 4, 5. A rank that counts its own "
        "tokens from 0, "
        "or slices packed documents as one text, turns every token by another's angle.",
        "上下文并行时，每个进程持有文本的若干段，常常两端各一段：8 个词元、2 个进程时，进程 0 "
        "持有 0、1、6、7，"
        "进程 1 持有 2、3、4、5。如果进程从 0 数自己的词元，或把拼接的文档当成一段来切，每个词元都会按别人的"
        "角度转动。",
    ),
    "NVIDIA/Megatron-LM #1473",
)
SWAPPED = rule(
    "CH128",
    Text("rows and columns of a picture are swapped", "图像的行和列弄反了"),
    Text(
        "Patches of a picture are counted row by row. Where height and width are handed over the other way "
        "round, square pictures come out right and all others don't: of 3 rows and 5 columns the "
        "fourth patch "
        "begins a new row.",
        "图像的图块逐行计数。如果高和宽传反了，正方形图像仍然正确，其他图像都错：3 行 5 列时，"
        "第四个图块就换了行。",
    ),
    "huggingface/pytorch-image-models #2541",
)
AXES = rule(
    "CH129",
    Text("axes of positions are not those of text and pictures", "位置的各轴与文本和图像不符"),
    Text(
        "Models that see take positions of three axes. Text has one position on all three; a "
        "picture begins at "
        "the next one, its time stays while rows and columns count; text after it goes on at the largest "
        "position and one. In a head each hand follows one axis.",
        "能看图的模型使用三个轴的位置。文本在三个轴上位置相同；图像从下一个位置开始，时间不变，行和列各自计数；"
        "之后的文本从最大位置加一继续。头中的每根指针只跟随一个轴。",
    ),
    "huggingface/transformers #45381",
)

RULES = (
    POSITIONS_ROUNDED, SPEEDS_ROUNDED, ANGLES_ROUNDED, IGNORED, OFF_BY_ONE, ROW_ZERO, COUNTS_ON, CHUNKS,
    MISPLACED, LENGTH_DEPENDENT, RANKS, SWAPPED, AXES, STAYS, STALE, TABLE_ENDS, STOPS, REPEATS,
)  # fmt: skip
