"""Hands need two dimensions each: an odd width leaves one without a partner."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import Given, givens, turning
from clockhands.check.saying import listed
from clockhands.check.subject import Subject
from clockhands.language import Text


def _check(subject: Subject) -> Iterator[Finding]:
    rotary = any(form.family == "rope" for form in subject.declared)
    for given in givens(subject):
        width = turning(given)
        if width is None or width % 2 == 0 or not (rotary or given.path or given.says("rope_theta")):
            continue
        keys = _keys(given)
        yield RULE.finding(
            "error",
            keys,
            Text(
                f"by {listed(keys).en}, {width} dimensions of a head turn: a hand needs two, so the number "
                "must be even",
                f"按 {listed(keys).zh}，每个头有 {width} 维旋转：一根指针需要两维，所以必须是偶数",
            ),
            Text(
                f"choose sizes that give {width - 1 or 2} or {width + 1}",
                f"选择能得到 {width - 1 or 2} 或 {width + 1} 的尺寸",
            ),
        )


def _keys(given: Given) -> list[str]:
    part = given.part
    if part.settings.whole("qk_rope_head_dim"):
        return [part.key("qk_rope_head_dim")]
    sizes = ["head_dim"] if part.settings.whole("head_dim") else ["hidden_size", "num_attention_heads"]
    share = (
        [given.key("partial_rotary_factor")] if given.number("partial_rotary_factor") not in (None, 1) else []
    )
    return [part.key(name) for name in sizes] + share


RULE = Rule(
    code="CH022",
    title=Text("an odd number of dimensions turns", "旋转的维度数是奇数"),
    story=Text(
        "520 hidden dimensions over 8 heads make 65 a head: older versions accepted this and failed in the "
        "middle of a forward pass, some programs silently leave a dimension out. A head of 4 with a part "
        "of 0.75 gives 3; transformers rounds such a part up, others down, and the two don't agree.",
        "隐藏维度 520、8 个头，每头 65 维：旧版本接受它，到前向计算中途才出错，有的程序则默默丢掉一维。头"
        "宽 4、比例 0.75 得 3 维；transformers 向上取整，别的程序向下取整，两者不一致。",
    ),
    check=_check,
    reference="huggingface/transformers #48101, #48524, #35233; lucidrains/rotary-embedding-torch #45",
)
