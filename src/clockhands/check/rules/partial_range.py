"""A part of the head that turns must be more than none and at most all of it."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import givens, parts
from clockhands.check.settings import finite
from clockhands.check.subject import Subject
from clockhands.language import Text


def _check(subject: Subject) -> Iterator[Finding]:
    shares: dict[str, float] = {}
    for given in givens(subject):
        share = given.number("partial_rotary_factor")
        if share is not None and given.says("partial_rotary_factor"):
            shares[given.key("partial_rotary_factor")] = share
    for part in parts(subject):
        for name in ("partial_rotary_factor", "rotary_pct"):
            share = finite(part.settings.file.get(name))
            if share is not None:
                shares[f"{part.prefix}{name}"] = share
        yield from _width(part.prefix, part.settings.whole("rotary_dim"), part.rotary_width)
    # A class that nobody here has read may mean something else by it (EfficientLoFTR: 4, for two axes).
    unknown = any(found.code == "CH092" for found in subject.found)
    for key, share in shares.items():
        if not 0 < share <= 1:
            yield RULE.finding(
                "warning" if unknown else "error",
                [key],
                Text(
                    f"{key} is {share:g}: the part of a head that turns must be above 0 and at most 1",
                    f"{key} 为 {share:g}：注意力头中旋转的部分应大于 0 且不超过 1",
                ),
                Text("write 1.0 for the whole head, 0.5 for half of it", "整个头写 1.0，一半写 0.5"),
            )


def _width(prefix: str, turned: int | None, width: int | None) -> Iterator[Finding]:
    if turned is not None and width is not None and turned > width:
        key = f"{prefix}rotary_dim"
        yield RULE.finding(
            "error",
            [key],
            Text(
                f"{key} is {turned}, and a head has {width} dimensions",
                f"{key} 为 {turned}，而每个头只有 {width} 维",
            ),
            Text(f"write {width} or less", f"写 {width} 或更小的数"),
        )


RULE = Rule(
    code="CH020",
    title=Text("a part of the head outside 0 to 1", "旋转部分不在 0 到 1 之间"),
    story=Text(
        "partial_rotary_factor is the share of a head's dimensions that turn. vLLM refuses values outside "
        "(0, 1]; transformers 5.24 takes them: 0 leaves no frequencies, more than 1 makes more of them "
        "than the head has dimensions. A percentage (25 for 0.25) is the usual slip.",
        "partial_rotary_factor 是注意力头中旋转维度所占的比例。vLLM 拒绝 (0, 1] 以外的值，transformers "
        "5.24 却接受：0 则没有频率，大于 1 则频率比维度还多。常见的失误是写成百分数（把 0.25 写成 25）。",
    ),
    check=_check,
    reference="vllm-project/vllm #43770",
)
