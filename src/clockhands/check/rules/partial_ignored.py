"""A part of the head that should turn, in a class that turns all of it."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import givens
from clockhands.check.subject import Subject
from clockhands.language import Text


def _check(subject: Subject) -> Iterator[Finding]:
    turned = [form for form in subject.declared if form.family == "rope" and form.rotary_dim is not None]
    whole = bool(turned) and all(form.rotary_dim == form.head_dim for form in turned)
    for given in givens(subject):
        share = given.number("partial_rotary_factor")
        if not whole or share is None or not 0 < share < 1 or not given.says("partial_rotary_factor"):
            continue
        if given.kind == "proportional":
            continue  # turns the whole width, with hands that stand still
        key, kind = given.key("partial_rotary_factor"), given.part.settings.model_type
        yield RULE.finding(
            "error",
            [key],
            Text(
                f"{key} is {share:g}, and the class of '{kind}' doesn't read it: all "
                f"{turned[0].head_dim} dimensions of a head turn",
                f"{key} 为 {share:g}，而“{kind}”的模型类不读取它：每个头的 {turned[0].head_dim} 维全部旋转",
            ),
            Text(
                "use a model type whose class turns a part (such as 'stablelm', 'phi' or 'glm'), or remove "
                "the key",
                "换用会部分旋转的模型类型（如“stablelm”“phi”“glm”），或者删去这个键",
            ),
        )


RULE = Rule(
    code="CH021",
    title=Text("the class doesn't read the part that turns", "模型类不读取旋转比例"),
    story=Text(
        "Every configuration of transformers accepts partial_rotary_factor, but only some classes act on "
        "it: Llama's turns the whole head whatever the file says. Ports have made the opposite slip too, "
        "and turned the whole head of models that turn a quarter. With a head of 256 and 0.25, dimensions "
        "64 and above must come out unchanged.",
        "transformers 的每种配置都接受 partial_rotary_factor，但只有部分模型类照办：Llama 的类无论文件怎么"
        "写都旋转整个头。移植时也有相反的错误：模型只转四分之一，移植版却整个都转。头宽 256、比例 0.25 时，"
        "第 64 维及以后应保持不变。",
    ),
    check=_check,
    reference="AI-Hypercomputer/maxtext #4616; ml-explore/mlx-lm #1698; huggingface/transformers #48630",
)
