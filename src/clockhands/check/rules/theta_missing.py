"""A base that nobody wrote: the class then takes 10,000, whatever the weights were trained with."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.published import like
from clockhands.check.rules.written import Given, givens
from clockhands.check.saying import number, numbers, pasted
from clockhands.check.subject import Subject
from clockhands.language import Text

NEEDS = {"llama3": 500000.0, "proportional": 1000000.0}
"""Types that transformers lists the base as required for, with the base of the models they were made for."""

SIBLINGS: dict[str, tuple[float, ...]] = {
    "cohere2": (50000.0,),
    "exaone4": (1e6,),
    "glm4_moe": (1e6,),
    "internlm3": (5e7,),
    "ministral": (1e6,),
    "olmo2": (5e5,),
    "qwen2": (1e6,),
    "qwen2_moe": (1e6,),
    "qwen3": (1e6, 5e6),
    "qwen3_moe": (1e6, 1e7),
    "seed_oss": (1e7,),
    "starcoder2": (1e5, 1e6),
}
"""Bases in published files of model types whose class in transformers 5.24.0 takes 10,000 by itself."""


def _check(subject: Subject) -> Iterator[Finding]:
    for given in givens(subject):
        base = given.number("rope_theta")
        if given.says("rope_theta") and given.values["rope_theta"] is None:
            yield _null(given.key("rope_theta"))
        if given.says("rope_theta") or base is None:
            continue
        expected = _expected(given)
        if expected and base not in expected:
            key, usual = given.key("rope_theta"), numbers(expected)
            file = [pasted(each) for each in expected]
            yield RULE.finding(
                "error",
                [key],
                Text(
                    f"{key} is missing, so the base is {number(base)}: models like this one were trained "
                    "with "
                    f"{usual.en}",
                    f"缺少 {key}，于是底数取 {number(base)}：同类模型训练时用的是 {usual.zh}",
                ),
                Text(
                    f"set {key} to the base of the original file: {' or '.join(file)}",
                    f"写上 {key}，取原文件中的底数：{' 或 '.join(file)}",
                ),
            )


def _null(key: str) -> Finding:
    return RULE.finding(
        "error",
        [key],
        Text(
            f"{key} is null: transformers 5.24 takes no default then, and stops when it computes frequencies",
            f"{key} 为 null：这时 transformers 5.24 不取默认值，计算频率时会中止",
        ),
        Text(
            "write the base, or remove the key where the default is meant",
            "写上底数；如果本来就要默认值，就删去这个键",
        ),
    )


def _expected(given: Given) -> tuple[float, ...]:
    settings = given.part.settings
    known = tuple(dict.fromkeys(each.theta for each in like(settings)))
    if known:
        return known
    if given.path and given.kind in NEEDS:
        return (NEEDS[given.kind],)
    return SIBLINGS.get(settings.model_type, ()) if settings.rope.fill.get("rope_theta") == 10000.0 else ()


RULE = Rule(
    code="CH002",
    title=Text("the base is missing, and the default is another", "缺少底数，而默认值与训练时不同"),
    story=Text(
        "Where rope_theta is missing, most classes take 10,000 without a word. Llama 3 was trained with "
        "500,000, Qwen 2 and 3 with 1,000,000. Short answers stay fluent: the mean cosine of the error of "
        "the "
        "angles is 0.87 at 10 tokens, 0.51 at 100 and 0.19 at 1,000. After transformers 5 moved the key "
        "into rope_parameters, several libraries that asked for it in the old place got the default and "
        "served garbage at length.",
        "缺少 rope_theta 时，多数模型类会默默取 10,000。Llama 3 训练时用 500,000，Qwen 2 与 3 用 "
        "1,000,000。短"
        "回答仍然通顺：角度误差的平均余弦在 10 个词元处为 0.87，100 处为 0.51，1,000 处只剩 0.19。"
        "transformers 5 把这个键移入 rope_parameters 之后，好几个仍到老地方去找的库取到了默认值，文本一长就"
        "成了乱码。",
    ),
    check=_check,
    reference="vllm-project/vllm #42624, #56066; deepspeedai/DeepSpeed #8345; sgl-project/sglang #14745",
)
