"""Why a framework gets no settings, and what stays a hazard where it gets some."""

from __future__ import annotations

from clockhands.language import Text

NO_FILE = Text(
    "what its config.json says isn't told by a GGUF file of this architecture: give the config.json",
    "这种架构的 GGUF 文件说明不了 config.json 里写了什么：请给出 config.json",
)
NOT_TAKEN = Text(
    "the model's class doesn't take it up: it reads no such scaling, or makes another of it",
    "该模型的类不接受它：不读这种缩放，或者当成别的缩放",
)
NOT_DYNAMIC = Text(
    "its 'dynamic' hangs on no length: it enlarges the base once, for every text; use ntk, which says so",
    "它的 dynamic 并不随长度变化：底数一次性加大，对所有文本都一样；请用 ntk，那样写明了",
)
NOT_KNOWN = Text("doesn't know it", "没有这种方法")
FLAT = Text(
    "--json-model-override-args replaces a part such as text_config as a whole: write the keys for "
    "transformers into its config.json",
    "--json-model-override-args 会把 text_config 这样的部分整个换掉：请把 transformers 的键写进 config.json",
)
ONLY_OLD = Text(
    "parameters by the type of layers are read from config.json: write the keys for transformers there",
    "按层的类型区分的参数要从 config.json 读取：请把 transformers 的键写在那里",
)
NO_OPTION = Text("has no option for it", "没有对应的选项")
OWN_DIVISORS = Text(
    "a converted file of this model divides each hand's speed by a tensor of its own, and options of the "
    "command line come on top: convert again from a config.json with the keys for transformers",
    "由该模型转换出的文件自带一张量，逐根指针除以其中的数，命令行选项会叠加在上面："
    "请用写有 transformers 键的 config.json 重新转换",
)
OTHERWISE = Text(
    "its options would turn the hands otherwise than planned here",
    "它的选项会让指针转得与这里的方案不同",
)
CAPPED = Text(
    "llama-server from before its pull request 28030 caps each slot at the file's own context_length: use a "
    "later one, or add --override-kv ARCHITECTURE.context_length=int:N",
    "pull request 28030 之前的 llama-server 把每个槽位限制在文件自身的 context_length："
    "请用更新的版本，或加上 --override-kv 架构名.context_length=int:N",
)
ONE_LIST = Text(
    "The server chooses one list by the length it serves: every text, the shortest too, gets the long one.",
    "服务程序按服务长度选定一列：所有文本，再短的也用长的那列。",
)
SWITCHES = Text(
    "A text that grows past the trained length changes lists, and keys in the cache stay turned the old way: "
    "empty the cache there.",
    "文本越过训练长度时会换一列，缓存里的键仍按旧的转：请在该处清空缓存。",
)
COARSE = Text(
    "Angles in 32 bits are off by more than 0.1 rad at that length, with any method: tables must be computed "
    "in 64 bits.",
    "在这一长度，32 位角度的误差超过 0.1 弧度，用哪种方法都一样：表格必须用 64 位计算。",
)
ONLY_CODE = Text(
    "doesn't know it: the paper's own code, or clockhands.make for experiments",
    "没有这种方法：可用论文自己的代码，或用 clockhands.make 做实验",
)
GROUPS = Text(
    "doesn't know it; of llama.cpp only llama-completion has it, as --grp-attn-n and --grp-attn-w",
    "没有这种方法；llama.cpp 中只有 llama-completion 有，选项是 --grp-attn-n 与 --grp-attn-w",
)
CHUNKS = Text(
    "doesn't know it; SGLang has it for Qwen 2 and 3 (back end dual_chunk_flash_attn)",
    "没有这种方法；SGLang 对 Qwen 2 与 3 提供（后端 dual_chunk_flash_attn）",
)
TOO_LONG = Text(
    "windows and groups of more than 1,000,000 tokens are not counted here",
    "超过 1,000,000 个词元的窗口或分组，这里不计算",
)
NO_SUCH_TYPE = Text(
    "the model turns a part of each head's ladder (p-RoPE), and this method has no such part",
    "该模型只旋转每个头阶梯的一部分（p-RoPE），而这种方法没有这样的部分",
)
