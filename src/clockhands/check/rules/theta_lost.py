"""A base in the new place alone, for programs that look in the old one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import Given, givens
from clockhands.check.saying import FRAMEWORKS, number, pasted
from clockhands.check.subject import Subject
from clockhands.language import Text

DEFAULT = 10000.0


def _check(subject: Subject) -> Iterator[Finding]:
    if subject.framework == "transformers" or subject.kind != "config":
        return
    for given in givens(subject):
        base = given.number("rope_theta")
        inside = given.path.startswith("rope_parameters") and given.given.get("rope_theta") is not None
        if not inside or base in (None, DEFAULT) or _beside(given) is not None:
            continue
        key, server = given.key("rope_theta"), FRAMEWORKS[subject.framework]
        yield RULE.finding(
            "warning",
            [key],
            Text(
                f"the base {number(base)} stands in {key} alone: versions of {server} from before "
                "transformers "
                "5, and model files in it that were never changed, look for rope_theta at the top and take "
                f"{number(DEFAULT)}",
                f"底数 {number(base)} 只写在 {key}：transformers 5 之前的 {server} 版本，以及其中尚未改动的模"
                f"型文件，会到顶层找 rope_theta，找不到就取 {number(DEFAULT)}",
            ),
            Text(
                f"set {given.part.prefix}rope_theta to {pasted(base)} as well, or check the base in the "
                "running "
                "server",
                f"把 {given.part.prefix}rope_theta 也写成 {pasted(base)}，或者在运行中的服务里核对底数",
            ),
        )


def _beside(given: Given) -> Any:
    """The base at the top, by any name that servers look for: GPT-NeoX says ``rotary_emb_base``."""
    file = given.part.settings.file
    told = (file.get(name) for name in ("rope_theta", "rotary_emb_base"))
    return next((base for base in told if base is not None), None)


RULE = Rule(
    code="CH038",
    title=Text("the base is where the server may not look", "底数写在服务程序可能不看的地方"),
    story=Text(
        "Transformers 5 moved rope_theta into rope_parameters. Code of the kind getattr(config, "
        "'rope_theta', 10000) then finds nothing, says nothing and goes on with 10,000: angles are right "
        "for a few tokens and wrong for the rest, with a mean cosine of 0.19 at 1,000 tokens where 500,000 "
        "was meant.",
        "transformers 5 把 rope_theta 移进了 rope_parameters。getattr(config, 'rope_theta', 10000) 一类的代"
        "码于是找不到，也不作声，就按 10,000 继续：开头几个词元角度还对，之后就错了；本应为 500,000 时，到 "
        "1,000 个词元处平均余弦只剩 0.19。",
    ),
    check=_check,
    reference="vllm-project/vllm #42624, #56066; sgl-project/sglang #14745; lyogavin/airllm #368",
)
