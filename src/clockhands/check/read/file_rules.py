"""Rules that readers of files of weights keep while they read: CH201 … for ``--explain``.

Their findings come with the subject (``Subject.found``), so ``check`` of each has nothing left to yield.
"""

from __future__ import annotations

from clockhands.check.finding import Rule, found_while_reading
from clockhands.language import Text

UNKNOWN_ARCHITECTURE = Rule(
    code="CH201",
    title=Text("an architecture whose layout no key tells", "没有任何键说明排列方式的架构"),
    story=Text(
        "A GGUF file doesn't say how dimensions pair up, nor which layers turn nothing: llama.cpp decides it "
        "in its code, by the name of the architecture. When one such case was moved in a fork, 39 "
        "architectures "
        "paired wrong dimensions at once and perplexity went from 4.26 to 252.8. This project keeps those "
        "facts "
        "as a table; an architecture that it doesn't know is read without layout.",
        "GGUF 文件既不说明维度如何配对，也不说明哪些层不旋转：llama.cpp 在代码中按架构名决定。"
        "某个分支移动了一个 case，"
        "39 种架构的维度就一起配错，困惑度从 4.26 升到 252.8。本项目把这些事实存为一张表；表中没有的架构，"
        "读出的结果不含排列方式。",
    ),
    check=found_while_reading,
    reference="ikawrakow/ik_llama.cpp #2290",
)

ROWS_CONTRADICT = Rule(
    code="CH202",
    title=Text(
        "rows of q and k stored in another layout than they are turned in",
        "q、k 权重的行序与旋转时的排列方式不符",
    ),
    story=Text(
        "The same weights are right with halves in one program and with neighbours in another, if their "
        "rows are "
        "moved. A conversion that forgets it, moves k in the number of q's heads, or does it twice gives a "
        "model "
        "whose first token is right and whose text falls apart. Trained weights betray their layout: "
        "dimensions "
        "of one hand look alike, so the rows themselves say which are neighbours.",
        "同一组权重，只要相应地移动各行，在一个程序里可以前后对半、在另一个程序里可以交错。"
        "转换时若漏掉这一步、"
        "按 q 的头数移动 k，或移动了两次，模型的第一个词元正确，随后的文字却会散掉。"
        "训练过的权重会暴露自己的排列："
        "同一根指针的两个维度彼此相像，因此从各行本身就能看出谁与谁配对。",
    ),
    check=found_while_reading,
    reference="ggml-org/llama.cpp #2376, #3018, #13261, #22611; jzhang38/TinyLlama #24",
)

BAD_VALUE = Rule(
    code="CH203",
    title=Text("a value that can't be", "不可能成立的值"),
    story=Text(
        "A base of 0, a rotary width that is odd or wider than the head, sections that don't add up: "
        "programs "
        "take such values, and what they compute then is NaN, a crash or a quietly different model.",
        "底数为 0、旋转宽度为奇数或比头更宽、各段之和不符：程序会照收这样的值，算出的则是 NaN、崩溃，"
        "或一个悄悄变了样的模型。",
    ),
    check=found_while_reading,
    reference="huggingface/transformers #48101, #48524, #35233",
)

TENSOR_MISFIT = Rule(
    code="CH204",
    title=Text("a tensor of positions that doesn't fit the settings", "与设置不符的位置张量"),
    story=Text(
        "Divisors of the hands (rope_freqs, rope_factors_long and _short) must be as many as hands, finite "
        "and "
        "above 0; a table of positions must have as many rows as positions are promised. Programs that "
        "read past "
        "the end return garbage, or poison the process.",
        "指针的除数（rope_freqs、rope_factors_long、rope_factors_short）的个数必须等于指针数，且都是大于 0 "
        "的有限数；"
        "位置表的行数必须不少于所承诺的位置数。读过了表尾的程序会返回垃圾数据，甚至毁掉整个进程。",
    ),
    check=found_while_reading,
    reference="huggingface/transformers #125, #97, #3902; facebookresearch/fairseq #757",
)

NO_EFFECT = Rule(
    code="CH205",
    title=Text(
        "an option or a key of llama.cpp that changes nothing here", "在这里不起作用的 llama.cpp 选项或键"
    ),
    story=Text(
        "llama.cpp takes every option with every model: a base for a model that turns nothing, a factor "
        "beside "
        "--rope-scaling none, parameters of YaRN without YaRN, an attention factor that YaRN replaces by "
        "its own. "
        "Layers with a window keep the base and the factor of the file, whatever the options say. A file too "
        "has keys that nobody reads: the conversion writes YaRN's betas and attention factor for every "
        "architecture, and llama.cpp takes 32, 1 and its own factor for all but a few.",
        "无论什么模型，llama.cpp 都接受全部选项：给不旋转的模型设底数，在 --rope-scaling none 之外再设因子，"
        "没有 YaRN 却设 YaRN 的参数，或设一个会被 YaRN 自己的值取代的注意力因子。"
        "有窗口的层始终保留文件中的底数和因子，"
        "不受这些选项影响。文件里也有没人读的键：转换脚本给每种架构都写入 YaRN 的 beta 和注意力因子，"
        "而除少数架构外，llama.cpp 一律取 32、1 和它自己的因子。",
    ),
    check=found_while_reading,
    reference="ggml-org/llama.cpp #17945; ggml-org/ggml #835",
)

CONTEXT_CAPPED = Rule(
    code="CH206",
    title=Text("a context longer than llama-server admits", "超出 llama-server 允许范围的上下文"),
    story=Text(
        "Scaling by option slows the hands and leaves llama.context_length as it is. The server capped every "
        "slot "
        "at that length, so a longer context is promised, paid for in precision and never used.",
        "用选项设置缩放会让指针变慢，却不会改变 llama.context_length。服务端会把每个槽位限制在这个长度，"
        "于是更长的上下文虽然作了承诺、也付出了精度的代价，却从未用上。",
    ),
    check=found_while_reading,
    reference="ggml-org/llama.cpp #17459, #28030",
)

TWICE_SHARPENED = Rule(
    code="CH207",
    title=Text("YaRN's attention factor applied twice", "YaRN 的注意力因子被乘了两次"),
    story=Text(
        "YaRN multiplies cos and sin by 0.1 ln(factor) + 1, and llama.cpp does it by itself. A file that "
        "holds "
        "the same number as rope.scaling.attn_factor gets it twice, and scores carry its fourth power.",
        "YaRN 会把 cos 和 sin 乘以 0.1 ln(factor) + 1，llama.cpp 自己就会这样做。若文件又把同一个数写进 "
        "rope.scaling.attn_factor，它就会被乘两次，注意力得分里便是它的四次方。",
    ),
    check=found_while_reading,
    reference="ggml-org/llama.cpp #17945; ggml-org/ggml #835",
)

ROWS_AS_STORED = Rule(
    code="CH210",
    title=Text("which layout the stored rows of q and k have", "所存 q、k 权重的行是哪种排列"),
    story=Text(
        "No file format says in which layout rows of q and k are stored. In trained weights it can be "
        "measured: "
        "products of the q and k rows of one hand are alike on the diagonal and antisymmetric beside it, "
        "since training can't tell the two dimensions of a hand apart.",
        "没有哪种文件格式会说明 q、k 权重的行按哪种方式排列。但在训练过的权重上可以测出来："
        "训练分不清一根指针的两个维度，"
        "所以同一根指针的 q、k 行之积，对角线上彼此相近，对角线外则符号相反。",
    ),
    check=found_while_reading,
    reference="vllm-project/vllm #40267",
)

SHAPES_CONTRADICT = Rule(
    code="CH221",
    title=Text("projections of another size than the configuration says", "投影矩阵的尺寸与配置不符"),
    story=Text(
        "Rows of q, k and v are heads times head_dim. Where weights and configuration differ, a loader that "
        "reshapes them splits heads in wrong places, and every hand turns dimensions of two heads.",
        "q、k、v 的行数等于头数乘以 head_dim。若权重与配置不符，按配置变形的加载器会在错误的位置切分各头，"
        "于是每根指针都在转动分属两个头的维度。",
    ),
    check=found_while_reading,
    reference="ggml-org/llama.cpp #2376; karpathy/llama2.c #314",
)

BUFFER_DIFFERS = Rule(
    code="CH223",
    title=Text("stored frequencies that differ from the declared ones", "所存频率与声明的频率不同"),
    story=Text(
        "Old checkpoints hold inv_freq as a buffer. Most programs drop it and compute their own, some load "
        "it; "
        "where the two differ, the model depends on who reads it. Values that went through 16 bits differ by "
        "parts in a thousand, which is whole turns far out.",
        "旧的检查点把 inv_freq 存为缓冲区。多数程序丢弃它、自行计算，也有程序会加载它；两者不同，"
        "模型的表现便取决于由谁读取。经过 16 位存储的值会有千分之几的偏差，到远处就是整圈之差。",
    ),
    check=found_while_reading,
    reference="huggingface/transformers #24576; EleutherAI/gpt-neox #1168; transformers #25681",
)

REMOTE_CODE = Rule(
    code="CH224",
    title=Text("a class that is remote code", "模型类是远程代码"),
    story=Text(
        "auto_map in a configuration names a class in a file that comes with the model. What it does with "
        "position "
        "is written in that file, and this project never runs it: the settings are read as the model type "
        "says.",
        "配置中的 auto_map 指向随模型附带的文件里的类。它如何处理位置写在那个文件里，而本项目从不运行它："
        "这里按模型类型解读各项设置。",
    ),
    check=found_while_reading,
)

BROKEN_INDEX = Rule(
    code="CH225",
    title=Text("an index that names what isn't there", "索引指向不存在的内容"),
    story=Text(
        "model.safetensors.index.json says which shard holds which tensor. A shard that is missing, or a "
        "tensor "
        "that its shard doesn't have, is most often a download that stopped.",
        "model.safetensors.index.json 说明每个张量在哪个分片里。分片缺失，或分片里没有该张量，"
        "多半是下载中断。",
    ),
    check=found_while_reading,
)

PICKLES = Rule(
    code="CH226",
    title=Text("weights that are pickles", "权重是 pickle 文件"),
    story=Text(
        "A pickle (pytorch_model.bin, .pt, .ckpt) is a program: reading it may run whatever its author put "
        "in. "
        "Such weights are never opened here; safetensors and GGUF hold numbers and nothing else.",
        "pickle（pytorch_model.bin、.pt、.ckpt）其实是程序：读取它可能会运行作者放进去的任何代码。"
        "这里从不打开这类权重；"
        "safetensors 和 GGUF 里只有数字，别无其他。",
    ),
    check=found_while_reading,
)

TABLE_MISFIT = Rule(
    code="CH227",
    title=Text("a table of positions of another size than declared", "位置表的尺寸与声明不符"),
    story=Text(
        "A learned table has the rows that it was trained with, a table of relative biases a row a bucket. "
        "Where "
        "the configuration promises more, the first long text reads past the end.",
        "可学习位置表的行数就是训练时的行数，相对偏置表则每个桶一行。若配置承诺得更多，"
        "第一段长文本就会读过表尾。",
    ),
    check=found_while_reading,
    reference="huggingface/transformers #125, #97, #3902; facebookresearch/esm #49",
)

FILE_RULES: tuple[Rule, ...] = (
    UNKNOWN_ARCHITECTURE,
    ROWS_CONTRADICT,
    BAD_VALUE,
    TENSOR_MISFIT,
    NO_EFFECT,
    CONTEXT_CAPPED,
    TWICE_SHARPENED,
    ROWS_AS_STORED,
    SHAPES_CONTRADICT,
    BUFFER_DIFFERS,
    REMOTE_CODE,
    BROKEN_INDEX,
    PICKLES,
    TABLE_MISFIT,
)
