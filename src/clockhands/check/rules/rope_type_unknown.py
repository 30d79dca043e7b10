"""A scaling that nobody has: programs either stop or, worse, go on without any."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import givens
from clockhands.check.saying import FRAMEWORKS, listed, said
from clockhands.check.subject import Subject
from clockhands.errors import meant
from clockhands.language import Text

OF_TRANSFORMERS = ("default", "axial", "linear", "dynamic", "yarn", "longrope", "llama3", "proportional")
OF_VLLM = ("ntk", "mrope", "xdrope", "deepseek_yarn", "deepseek_llama_scaling", "mllama4", "openpangu")
OF_LLAMA_CPP = ("none",)

ALONE: dict[str, tuple[str, ...]] = {
    "phi3": ("default", "longrope"),
    "phi4_multimodal": ("default", "longrope"),
}
"""Classes of transformers 5.24.0 that stop at any other when they are made; servers read by them too."""


def _check(subject: Subject) -> Iterator[Finding]:
    known = {"vllm": (*OF_TRANSFORMERS, *OF_VLLM), "llama.cpp": (*OF_TRANSFORMERS, *OF_LLAMA_CPP)}.get(
        subject.framework, OF_TRANSFORMERS
    )
    for given in givens(subject):
        model_type = given.part.settings.model_type
        if given.kind in known:
            alone = ALONE.get(model_type) or known
            if given.kind not in alone and subject.framework != "llama.cpp":
                yield _refused(given.key("rope_type"), given.kind, model_type, alone)
            continue
        key, value = given.key("rope_type"), given.values.get("rope_type")
        if "rope_type" not in given.given and "type" in given.given:
            key = given.key("type")
        own_code = "auto_map" in given.part.settings.file
        yield RULE.finding(
            "warning" if own_code and given.kind else "error",
            [key],
            Text(
                f"{key} is {said(value).en}: {FRAMEWORKS[subject.framework]} knows no such scaling",
                f"{key} 为{said(value).zh}：{FRAMEWORKS[subject.framework]} 没有这种缩放",
            ),
            _one_of(given.kind, known)
            if given.kind
            else Text("write its name as a string", "用字符串写上它的名称"),
        )


def _refused(key: str, kind: str, model_type: str, alone: tuple[str, ...]) -> Finding:
    names = listed(alone)
    return RULE.finding(
        "error",
        [key],
        Text(
            f"{key} is '{kind}', and the class of '{model_type}' takes none but {names.en}: it stops",
            f"{key} 为“{kind}”，而“{model_type}”的模型类只接受 {names.zh}，否则中止",
        ),
        _one_of(kind, alone),
    )


def _one_of(kind: str, known: tuple[str, ...]) -> Text:
    likely = meant(kind, known)
    if likely is not None:
        return Text(f"did you mean '{likely}'?", f"是不是想写“{likely}”？")
    names = listed(known)
    return Text(f"use one of {names.en}", f"请用 {names.zh} 之一")


RULE = Rule(
    code="CH004",
    title=Text("an unknown kind of scaling", "未知的缩放类型"),
    story=Text(
        "The rope_type names the formula that makes frequencies. Transformers 5.24 logs a line when it "
        "doesn't know the name and fails later, when the model is built; other programs fall back to plain "
        "RoPE, so that a long context is promised and not kept. Files with code of their own may name "
        "formulas of their own.",
        "rope_type 指明用哪个公式计算频率。transformers 5.24 遇到不认识的名称只记一行日志，到建立模型时才失"
        "败；有的程序则退回普通 RoPE，于是承诺的长上下文并不存在。自带代码的模型可以有自己的名称。",
    ),
    check=_check,
    reference="huggingface/transformers #38224, #33753",
)
