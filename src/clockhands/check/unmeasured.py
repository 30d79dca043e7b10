"""What is said where something could not be measured, and whose fault that is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clockhands.check.finding import Finding, Rule, found_while_reading
from clockhands.language import Text

UNABLE = Rule(
    code="CH301",
    title=Text("a class that can't run with these settings", "这个类无法按这些设置运行"),
    story=Text(
        "Transformers builds many models whose settings don't fit each other, and they fall over at the "
        "first token, or on one device only: a partial rotation that the class doesn't know, an odd head, "
        "a list with too few entries. A small model of the same class shows it in seconds, before the "
        "weights are loaded.",
        "transformers 会构建许多设置互相矛盾的模型，它们在处理第一个词元时就会出错，或者只在某种设备上出"
        "错：类不认识的部分旋转、奇数的头宽、条目太少的列表。按同一个类建一个小模型，几秒钟就能看出来，不必"
        "先加载权重。",
    ),
    check=found_while_reading,
    reference="huggingface/transformers #48101",
)


UNMEASURED = Rule(
    code="CH306",
    title=Text("nothing was measured, and the settings are not to blame", "没有测到任何东西，但不是设置的错"),
    story=Text(
        "``--measure`` stands a small model of the same class for the real one. A size that was "
        "cut may have to "
        "fit another, and a class may want more than text. So the settings are tried uncut on a "
        "device without "
        "memory, and the class with its own defaults: only what fails uncut, in a class that "
        "runs, is an error "
        "of the settings (CH301).",
        "--measure 用同一个类的小模型代替真正的模型。被缩小的尺寸可能要与另一个尺寸一致，"
        "类也可能不只需要文本。"
        "因此会在不占内存的设备上按原设置试一次，再用类的默认值试一次：只有类本身能运行、而原设置不能运行时，"
        "才算设置的错误（CH301）。",
    ),
    check=found_while_reading,
)

PARTLY = Rule(
    code="CH307",
    title=Text("a part of the measurement was left out", "有一部分没有测量"),
    story=Text(
        "A probe asks a model unusual questions: long texts, other positions, tokens that are no "
        "words. Where a "
        "model's code refuses one, the rest is measured all the same, and what hangs on that question stays "
        "unknown or is taken for absent.",
        "探测会向模型提出不寻常的问题：很长的文本、别的位置、不是词的词元。如果模型的代码拒绝其中一个，"
        "其余部分照常测量，而取决于这个问题的内容仍属未知，或被当作没有。",
    ),
    check=found_while_reading,
)

QUESTIONS: dict[str, Text] = {
    "mixing": Text("whether anything but attention mixes tokens", "除注意力之外是否还有别的东西混合词元"),
    "long texts": Text("buckets and windows of long texts", "长文本的分桶和窗口"),
    "tables": Text("tables that are added to tokens", "加到词元上的位置表"),
}
"""What is left out, by the names that a probe has for it."""

REASONS: dict[str, Text] = {
    "cutting": Text(
        "the settings run as they are, and the small model cut from them does not",
        "按原设置能运行，缩小后的模型却不能",
    ),
    "class": Text(
        "the class does not run on text with its own defaults either", "类用默认值也无法只用文本运行"
    ),
    "unknown": Text(
        "the small model does not run, and whether the settings are to blame could not be told",
        "小模型无法运行，也无法判断是否是设置的错",
    ),
}


def unable(reason: Text) -> Finding:
    """What ``--measure`` finds where the class falls over with these very settings."""
    return UNABLE.finding(
        "error",
        (),
        Text(
            f"this class can't run with these settings: {reason.en}", f"这个类无法按这些设置运行：{reason.zh}"
        ),
        Text("correct the settings that this or another finding names", "请改正这里或其他发现所指出的设置"),
    )


def unmeasured(reason: Text, blame: str) -> Finding:
    """What ``--measure`` finds where the settings are not to blame, or nobody can tell."""
    why = REASONS[blame]
    return UNMEASURED.finding(
        "warning" if blame == "unknown" else "note",
        (),
        Text(f"{why.en}: {reason.en}", f"{why.zh}：{reason.zh}"),
        Text(
            "measure the model itself, from Python: clockhands.check.measure(model)",
            "请在 Python 中测量模型本身：clockhands.check.measure(model)",
        ),
    )


def partly(facts: Mapping[str, Any]) -> tuple[Finding, ...]:
    """What a measurement left out, and what the model said to it."""
    return tuple(
        PARTLY.finding(
            "note",
            (),
            Text(
                f"{QUESTIONS[name].en} could not be asked: {said}",
                f"无法测量{QUESTIONS[name].zh}：{said}",
            ),
            Text("read the code of the class for it", "请在类的代码中查看"),
        )
        for name, said in facts.get("left_out", {}).items()
    )
