"""Stories of files whose keys or values are not what programs look for."""

from __future__ import annotations

import json
import math
import pickletools
from difflib import SequenceMatcher

from clockhands.check.outputs.stories.kinds.lines import Line, lines
from clockhands.check.outputs.stories.story import Story
from clockhands.errors import nearest
from clockhands.formulas.frequencies.geometric import default_inv_freq
from clockhands.language import Text
from clockhands.plots.numerals import numeral

FINE = Text("read", "读取")
NOBODY = Text("read by nobody", "没有程序读取")


def _said(of: object) -> Text:
    return Text(str(of), str(of))


def keys_twice() -> Story:
    """CH090: a key that stands twice, as Python's own reader takes it."""
    written = ['"rope_theta": 500000,', '"max_position_embeddings": 8192,', '"rope_theta": 10000']
    kept = json.loads("{" + " ".join(written) + "}")["rope_theta"]
    return lines(
        Text(
            f"Two lines say rope_theta; every program keeps the last and has {kept}.",
            f"有两行写了 rope_theta；程序都只留最后一行，得到 {kept}。",
        ),
        [
            Line(written[0], Text("dropped without a word", "不声不响地丢弃"), True),
            Line(written[1], FINE),
            Line(written[2], Text(f"rope_theta = {kept}", f"rope_theta = {kept}")),
        ],
    )


def no_json_numbers() -> Story:
    """CH091: numbers past what JSON has, as Python's own reader takes them."""
    written = {"rope_theta": "1e400", "factor": "NaN", "partial_rotary_factor": "-Infinity"}
    read = {key: float(json.loads(value)) for key, value in written.items()}
    bad = sum(not math.isfinite(value) for value in read.values())
    return lines(
        Text(
            f"{bad} of {len(read) + 1} values are not finite once read, and so is every angle "
            "that is made of them.",
            f"{len(read) + 1} 个值中有 {bad} 个读入后不是有限的数，由它们算出的角度也都不是。",
        ),
        [
            Line('"head_dim": 128,', _said(numeral(128))),
            *(Line(f'"{key}": {value},', _said(numeral(read[key])), True) for key, value in written.items()),
        ],
    )


def no_numbers() -> Story:
    """CH010: values of four types, as Python's own reader takes them."""
    written = ['"rope_theta": 500000.0,', '"factor": "8",', '"rope_theta_local": true,', '"beta_fast": null']
    kinds = [type(json.loads("{" + line.rstrip(",") + "}").popitem()[1]).__name__ for line in written]
    wrong = [kind != "float" for kind in kinds]
    return lines(
        Text(
            f"{sum(wrong)} of {len(written)} values are no numbers: one program stops, one "
            f"counts true as {int(True)}, one takes its default.",
            f"{len(written)} 个值中有 {sum(wrong)} 个不是数：有的程序停下，有的把 true 当作 "
            f"{int(True)}，有的取默认值。",
        ),
        [Line(line, _said(kind), bad) for line, kind, bad in zip(written, kinds, wrong, strict=True)],
    )


def misspelt() -> Story:
    """CH041: a misspelt key, and the base that is used in its place."""
    written, meant = "rope_thetha", "rope_theta"
    alike = SequenceMatcher(None, written, meant).ratio()
    slow = [2 * math.pi / float(default_inv_freq(128, theta)[-1]) for theta in (5e5, 1e4)]
    return lines(
        Text(
            f"{100 * alike:.0f} per cent right, and read by nobody: the slowest hand turns in "
            f"{numeral(round(slow[1]))} tokens, not in {numeral(round(slow[0]))}.",
            f"{100 * alike:.0f}% 拼对了，却没有程序读取：最慢的指针每 "
            f"{numeral(round(slow[1]))} 个词元转一圈，而不是 {numeral(round(slow[0]))}。",
        ),
        [
            Line('"hidden_size": 4096,', FINE),
            Line(f'"{written}": 500000,', NOBODY, True),
            Line('"max_position_embeddings": 8192', FINE),
            Line(f"config.{meant}", Text("10000, the default", "10000，默认值"), True),
        ],
    )


def width_null() -> Story:
    """CH042: an empty width of the head."""
    width = 4096 // 32
    return lines(
        Text(
            f"'linear' fills in 4,096 / 32 = {width}; 'yarn' multiplies null by a number and stops.",
            f"linear 会补上 4,096 / 32 = {width}；yarn 则拿 null 去乘一个数，随即停下。",
        ),
        [
            Line('"hidden_size": 4096,', FINE),
            Line('"num_attention_heads": 32,', FINE),
            Line('"head_dim": null,', Text("None × 1.0: TypeError", "None × 1.0：TypeError"), True),
            Line(
                '"rope_scaling": {"rope_type": "yarn", "factor": 4.0}',
                Text("needs head_dim", "需要 head_dim"),
            ),
        ],
    )


def type_unknown() -> Story:
    """CH092: a model type that no class has."""
    known, given = ["llama", "qwen2", "mistral"], "lama"
    guess, code = nearest(given, known), Text("what it means, code would say", "含义要由代码决定")
    drawn = [
        Line(f'"model_type": "{given}",', Text("no class of this name", "没有这个名字的类"), True),
        Line('"rope_theta": 500000,', code),
        Line('"head_dim": 128', code),
    ]
    return lines(
        Text(
            f"The first of {len(drawn)} lines decides which code runs, and '{given}' names none: {guess.en}",
            f"{len(drawn)} 行中的第一行决定运行哪段代码，而“{given}”谁也不是：{guess.zh}",
        ),
        drawn,
    )


def values_unusable() -> Story:
    """CH093: sizes that are no counts."""
    written = ['"num_hidden_layers": "thirty-two",', '"num_attention_heads": 0,', '"hidden_size": 4096']
    values = [json.loads("{" + line.rstrip(",") + "}").popitem()[1] for line in written]
    usable = [isinstance(value, int) and value > 0 for value in values]
    return lines(
        Text(
            f"{usable.count(False)} of {len(values)} sizes are no counts: how wide a head is can't be told.",
            f"{len(values)} 个尺寸中有 {usable.count(False)} 个不是个数：头有多宽无从得知。",
        ),
        [
            Line(line, FINE if good else Text("no count", "不是个数"), not good)
            for line, good in zip(written, usable, strict=True)
        ],
    )


def values_impossible() -> Story:
    """CH203: metadata of GGUF with a width and a base that can't be."""
    rotary, head, base = 129, 128, 0.0
    return lines(
        Text(
            f"A rotary width of {rotary} is odd and {rotary - head} more than the head has; a "
            f"base of {base:.0f} has no powers below 0.",
            f"旋转宽度 {rotary} 是奇数，还比头宽多 {rotary - head}；底数 {base:.0f} 没有负指数的幂。",
        ),
        [
            Line(f"llama.attention.key_length = {head}", FINE),
            Line(
                f"llama.rope.dimension_count = {rotary}",
                Text("odd, and wider than the head", "奇数，且比头宽"),
                True,
            ),
            Line(f"llama.rope.freq_base = {base}", Text("frequencies: inf", "角频率：inf"), True),
        ],
    )


def option_idle() -> Story:
    """CH205: options of llama.cpp, two of which do nothing."""
    options = [
        ("--rope-scaling none", True),
        ("--rope-scale 4", False),
        ("--yarn-beta-fast 64", False),
        ("--ctx-size 8192", True),
    ]
    idle = sum(not does for _, does in options)
    return lines(
        Text(
            f"{idle} of {len(options)} options change nothing: without scaling no factor and "
            "no beta is read.",
            f"{len(options)} 个选项中有 {idle} 个不起作用：没有缩放，就不读因子和 beta。",
        ),
        [Line(option, FINE if does else NOBODY, not does) for option, does in options],
    )


def remote_code() -> Story:
    """CH224: a configuration that brings its class along."""
    auto_map = {"AutoModelForCausalLM": "modeling_own.OwnForCausalLM"}
    named = sorted({place.split(".")[0] + ".py" for place in auto_map.values()})
    return lines(
        Text(
            f"What happens with position is written in {', '.join(named)}: {len(named)} file "
            "of the model's, never run here.",
            f"怎样处理位置写在 {'、'.join(named)} 里；这里绝不运行模型自带的这 {len(named)} 个文件。",
        ),
        [
            Line('"model_type": "own",', Text("the settings are read as this says", "按它读取设置")),
            Line(f'"auto_map": {json.dumps(auto_map)}', Text("a program", "一段程序"), True),
        ],
    )


def index_broken() -> Story:
    """CH225: an index of shards, one of which is missing."""
    index = {
        f"layers.{layer}.q_proj": f"model-{layer // 2 + 1:05}-of-00003.safetensors" for layer in (0, 2, 4)
    }
    here = {"model-00001-of-00003.safetensors", "model-00003-of-00003.safetensors"}
    missing = sum(shard not in here for shard in index.values())
    return lines(
        Text(
            f"Of {len(index)} shards that the index names, {missing} isn't there.",
            f"索引列出 {len(index)} 个分片，其中 {missing} 个不存在。",
        ),
        [
            Line(
                f'"{name}": "{shard}"',
                FINE if shard in here else Text("no such file", "没有这个文件"),
                shard not in here,
            )
            for name, shard in index.items()
        ],
    )


def pickled() -> Story:
    """A pickle as written by hand, taken apart without running it: it would call a function of its choice."""
    program = b"cbuiltins\nprint\n(S'anything'\ntR."
    steps = [(code.name, argument) for code, argument, _ in pickletools.genops(program)]
    calls = [name in ("GLOBAL", "REDUCE") for name, _ in steps]
    means = {"GLOBAL": Text("finds a function", "找到一个函数"), "REDUCE": Text("calls it", "调用它")}
    return lines(
        Text(
            f"A pickle is a program: {sum(calls)} of these {len(steps)} steps find and call a "
            "function of the author's choice.",
            f"pickle 是程序：这 {len(steps)} 步中有 {sum(calls)} 步在查找并调用作者任选的函数。",
        ),
        [
            Line(f"{name} {'' if argument is None else argument}".strip(), means.get(name, Text("", "")), bad)
            for (name, argument), bad in zip(steps, calls, strict=True)
        ],
    )
