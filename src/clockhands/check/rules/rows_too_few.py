"""A table of positions that ends before the text does."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import PROMISED, parts
from clockhands.check.saying import number
from clockhands.check.subject import Subject
from clockhands.language import Text

ADMITTED = (
    "n_ctx",
    "seq_length",
    "max_seq_len",
    "max_seq_length",
    "max_sequence_length",
    "model_max_length",
    "seq_len",
)
"""Keys by which files admit a length beside the one their table is made for."""

ROWS = (PROMISED, "n_positions")


def _check(subject: Subject) -> Iterator[Finding]:
    tables = [
        form
        for form in subject.declared
        if form.rows is not None and form.family in ("learned", "sinusoidal")
    ]
    usable = min(((form.rows or 0) - (form.offset or 0) for form in tables), default=None)
    rotary = any(form.family == "rope" for form in subject.declared)
    for part in parts(subject):
        rows = next((name for name in ROWS if part.settings.written(name)), PROMISED)
        limit = usable if usable is not None else part.settings.whole(rows)
        if limit is None or not (tables or rotary):
            continue
        longer = [name for name in ADMITTED if (part.settings.whole(name) or 0) > limit]
        longer = [
            name for name in longer if name in part.settings.file and part.settings.written(rows) != name
        ]
        for name in longer:
            keys = [part.key(name), part.key(rows)]
            yield _finding(keys, part.settings.whole(name) or 0, limit, table=bool(tables))
        served = subject.context.served or 0
        if not tables:  # vLLM's table of cos and sin is as long as the scaling reaches
            limit = max(limit, subject.context.promised or 0)
        if served > limit and (tables or subject.framework == "vllm"):
            yield _finding([part.key(rows)], served, limit, table=True)


def _finding(keys: list[str], length: int, limit: int, *, table: bool) -> Finding:
    asked = f"{keys[0]} is {number(length)}" if len(keys) > 1 else f"it is served at {number(length)} tokens"
    asked_zh = f"{keys[0]} 为 {number(length)}" if len(keys) > 1 else f"服务长度为 {number(length)} 个词元"
    return RULE.finding(
        "error" if table else "warning",
        keys,
        Text(
            f"{asked}, and the table has rows for {number(limit)} positions, as {keys[-1]} says",
            f"{asked_zh}，而由 {keys[-1]} 决定的表只有 {number(limit)} 个位置",
        ),
        Text(
            f"admit at most {number(limit)} tokens, or make the table longer and train the new rows",
            f"最多接受 {number(limit)} 个词元，或者加长表并训练新增的行",
        ),
    )


RULE = Rule(
    code="CH030",
    title=Text("a table shorter than the text it admits", "位置表比允许的文本短"),
    story=Text(
        "A learned table has one row a position and nothing after the last: GPT-2 with 17 tokens on 16 "
        "rows stops with an IndexError, on a GPU with a failed assertion that poisons the process. "
        "RoBERTa's and ESM-2's first two rows are no positions, so 514 rows hold 512 tokens. Servers that "
        "keep cos and sin in a table of max_position_embeddings rows and admit more read whatever lies "
        "behind it.",
        "可学习的位置表每个位置一行，最后一行之后什么也没有：GPT-2 有 16 行而输入 17 个词元时以 IndexError "
        "中止，在 GPU 上则是断言失败并毁掉整个进程。RoBERTa 与 ESM-2 的前两行不是位置，所以 514 行只容纳 "
        "512 个词元。把 cos 与 sin 存成 max_position_embeddings 行、却接受更长文本的服务程序，读到的是表后"
        "面的内存。",
    ),
    check=_check,
    reference="pegainfer-project/pegainfer #220; sgl-project/sglang #10788; huggingface/transformers #125; "
    "facebookresearch/esm #49",
)
