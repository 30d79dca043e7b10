"""What can be wrong with how a function behaves when it is called or moved: CH140 to CH166."""

from __future__ import annotations

from clockhands.check.probe.findings.making import rule
from clockhands.language import Text

MUTATES = rule(
    "CH140",
    Text("it changes its inputs", "它改变了输入"),
    Text(
        "Turned in place, the caller's own queries and keys are turned too, and turned twice when they are "
        "used "
        "again. A view passes it on to the whole tensor. Work in place only where the name and the docs say "
        "so.",
        "原地转动会连调用者的查询和键一起改变，再次使用时就转了两次；视图还会把改动传给整个张量。"
        "只有名字和文档都写明时才应原地计算。",
    ),
    "linkedin/Liger-Kernel (writes into q and k)",
)
DTYPE = rule(
    "CH141",
    Text("the output has another dtype than the input", "输出与输入的类型不同"),
    Text(
        "q in bf16 that comes back in float32 doubles the memory, and fails where queries, keys and values "
        "must agree. Calculate in float32, cast back at the end.",
        "bf16 的 q 变成 float32，内存加倍；在要求查询、键、值类型一致的地方还会失败。请用 float32 计算，"
        "最后转回原类型。",
    ),
)
STRIDES = rule(
    "CH142",
    Text("the answer depends on how the input lies in memory", "结果取决于输入在内存中的存放方式"),
    Text(
        "A transposed or sliced tensor has the same numbers in other places. Code that reads memory itself, "
        "or reshapes what isn't contiguous, sees others.",
        "转置或切片后的张量数值相同，只是存放位置不同。直接读内存，或对不连续的数据变形，就会读到别的数。",
    ),
)
NOT_FINITE = rule(
    "CH143",
    Text("it gives numbers that are not finite", "它给出非有限的数"),
    Text(
        "Frequencies of a negative base are NaN, memory that was never filled holds anything. Attention may "
        "hide it: one kernel gives NaN where another gives finite numbers.",
        "负的底数给出 NaN 频率，未填充的内存什么都可能有。注意力可能掩盖它：一种内核给出 NaN，"
        "另一种却给出有限的数。",
    ),
    "huggingface/transformers (rope_theta -5)",
)
PRINTS = rule(
    "CH144",
    Text("it prints", "它会打印"),
    Text("What a layer prints, it prints at every step.", "一层打印的内容，每一步都会再打印一次。"),
)
RANDOM = rule(
    "CH145",
    Text("it draws from, or sets, the global random state", "它使用或改变全局随机状态"),
    Text(
        "Seeding inside a function repeats other people's draws; drawing makes their results depend on how "
        "often it is called. Use a generator of its own.",
        "在函数内设置种子会让别人的随机数重复；抽取随机数会让别人的结果取决于它被调用的次数。"
        "请使用自己的生成器。",
    ),
)
UNSTEADY = rule(
    "CH146",
    Text("the same question gets two answers", "同一个问题得到两个答案"),
    Text(
        "Called twice with the same arrays it gives different numbers. If that is dropout or augmented "
        "positions, probe it in evaluation mode.",
        "用相同的数组调用两次，结果不同。若是 dropout 或位置增广，请在评估模式下探测。",
    ),
)
SETS = rule(
    "CH147",
    Text("it changes settings of the whole process", "它改变整个进程的设置"),
    Text(
        "A default dtype or device, the gradient mode, the number of threads: set inside a "
        "function they stay set "
        "for everything after it, which then works in float64, or on another device, and nobody knows why.",
        "默认类型或设备、梯度模式、线程数：在函数里设置之后，后面的一切都受影响，变成用 float64 "
        "计算，或到了另一台"
        "设备上，而没人知道原因。",
    ),
)
CASTS = rule(
    "CH160",
    Text("a cast of the whole module spoils its frequencies", "整体转换模块类型会损坏频率"),
    Text(
        "module.half() and module.to(bfloat16) cast every floating buffer, inv_freq too, and .float() "
        "afterwards "
        "cannot undo it: cos is off by up to 2 within a few thousand positions. Compute frequencies when "
        "they are needed, or keep them where a cast does not reach.",
        "module.half() 和 module.to(bfloat16) 会转换所有浮点缓冲区，包括 inv_freq，之后 .float() 也无法恢复："
        "几千个位置之内 cos 就可能差到 2。请在需要时计算频率，或把它放在类型转换影响不到的地方。",
    ),
    "NVIDIA/Megatron-LM #535",
)
WRITES = rule(
    "CH161",
    Text("a call changes the module's own buffers", "调用会改变模块自己的缓冲区"),
    Text(
        "A buffer that is written in forward breaks captured graphs, and ties one call to the next.",
        "在 forward 中写缓冲区会破坏捕获的计算图，并使一次调用影响下一次。",
    ),
    "vllm-project/vllm #33800",
)
COPIES = rule(
    "CH162",
    Text("a copy of the module differs, or cannot be made", "模块的副本不同，或无法复制"),
    Text(
        "deepcopy is how averaged weights, layers and caches are made. A copy must answer as the original "
        "does.",
        "平均权重、堆叠层和缓存都依靠 deepcopy。副本应与原模块给出相同的结果。",
    ),
)
META = rule(
    "CH163",
    Text(
        "made on the meta device and filled, it holds raw memory",
        "在 meta 设备上创建再分配后，其中是未初始化的内存",
    ),
    Text(
        "Large models are made without memory, then filled from a checkpoint. A fixed buffer that the "
        "checkpoint does not hold is filled by nobody: first values seen were nan, 3e-41, -2e14.",
        "大模型先不分配内存地创建，再由检查点填充。检查点里没有的固定缓冲区没人填充：见过的第一批值是 nan、"
        "3e-41、-2e14。",
    ),
    "pytorch/torchtitan (rebuilt after to_empty)",
)
SAVES = rule(
    "CH164",
    Text("saved and loaded it answers differently", "保存再载入后结果不同"),
    Text(
        "Something that decides the answer is neither in state_dict nor made anew by the constructor.",
        "决定结果的某些内容既不在 state_dict 中，也不由构造函数重新生成。",
    ),
    "neuronx-nemo-megatron #21",
)

RULES = (
    MUTATES, DTYPE, STRIDES, NOT_FINITE, PRINTS, RANDOM, UNSTEADY, SETS, CASTS, WRITES, COPIES, META, SAVES,
)  # fmt: skip
