"""A width of a head that is there and says nothing, for formulas that ask for it."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import givens
from clockhands.check.subject import Subject
from clockhands.language import Text

LEFT_EMPTY = (
    "afmoe", "apertus", "axk1", "bamba", "bitnet", "chameleon", "cohere", "cohere2", "dbrx",
    "deepseek_v3", "doge", "dots1", "exaone4", "exaone_moe", "falcon_h1", "flex_olmo", "glm", "glm4_moe",
    "glm4_moe_lite", "gpt_neox", "granite", "granitemoe", "granitemoehybrid", "granitemoeshared",
    "jetmoe", "lfm2", "lfm2_moe", "mistral4", "mllama_text_model", "nanochat", "olmo", "olmo2",
    "olmo_hybrid", "olmoe", "persimmon", "phi", "qwen2", "qwen2_5_vl_text", "qwen2_moe", "qwen2_vl_text",
    "qwen3_moe", "smollm3", "stablelm", "starcoder2", "youtu", "zamba2",
)  # fmt: skip
"""Types of transformers 5.24.0 that leave a ``head_dim`` of null as it is; found by making each."""

EMPTY = (
    "hunyuan_v1_dense", "hunyuan_v1_moe", "hunyuan_vl_text", "kimi_linear", "minimax", "ministral", "mixtral",
)  # fmt: skip
"""Types whose ``head_dim`` is None where the file has none; found the same way."""

ASKING = ("dynamic", "yarn", "longrope")


def _check(subject: Subject) -> Iterator[Finding]:
    for given in givens(subject):
        settings = given.part.settings
        null = "head_dim" in settings.file and settings.file["head_dim"] is None
        if subject.framework != "transformers" or given.kind not in ASKING:
            continue
        empty = settings.model_type in EMPTY and settings.file.get("head_dim") is None
        if empty or (null and settings.model_type in LEFT_EMPTY):
            key = given.part.key("head_dim")
            state = Text(f"{key} is null", f"{key} 为 null") if null else _missing(key)
            yield RULE.finding(
                "error",
                [key, given.key("rope_type")],
                Text(
                    f"{state.en}, and a scaling of type '{given.kind}' computes with it: transformers 5.24 "
                    "stops "
                    "with a TypeError",
                    f"{state.zh}，而“{given.kind}”缩放要用它计算：transformers 5.24 会以 TypeError 中止",
                ),
                Text(
                    "write the width of a head: hidden_size / num_attention_heads, unless the weights have "
                    "another",
                    "写上头宽：除非权重用的是别的宽度，即 hidden_size / num_attention_heads",
                ),
            )


def _missing(key: str) -> Text:
    return Text(f"{key} is missing", f"缺少 {key}")


RULE = Rule(
    code="CH042",
    title=Text("'head_dim' is null where a scaling needs it", "缩放需要 head_dim，而它是 null"),
    story=Text(
        "Linear scaling, llama3 and proportional fill an empty head_dim in from the hidden width; dynamic, "
        "yarn and longrope take what they find and multiply None by a number. Adding YaRN to a file that "
        "worked then fails in a place that names neither key.",
        "linear、llama3 与 proportional 会用隐藏维度补上空的 head_dim；dynamic、yarn 与 longrope 则拿来就"
        "用，于是让 None 乘以数字。给原本能用的文件加上 YaRN，便会在一个与这两个键都无关的地方出错。",
    ),
    check=_check,
)
