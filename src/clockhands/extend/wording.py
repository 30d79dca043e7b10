"""A plan in words: its heading, a table with a row for each method, what the columns mean."""

from __future__ import annotations

from dataclasses import dataclass

from clockhands.extend.look import Look
from clockhands.extend.methods import Method
from clockhands.extend.plan import Plan
from clockhands.extend.source import Source
from clockhands.language import Text

LETTERS = {"transformers": "T", "vllm": "V", "sglang": "S", "llama.cpp": "L"}
NAMES = {"transformers": "transformers", "vllm": "vLLM", "sglang": "SGLang", "llama.cpp": "llama.cpp"}

NONE = Text("", "")
AS_IT_IS = Text("as it is", "不作改动")
HEADS = (
    Text("method", "方法"),
    Text("new angles", "新角度"),
    Text("widest", "最宽"),
    Text("neighbours", "相邻区分"),
    Text("factor", "因子"),
    Text("cache", "缓存"),
    Text("settings", "设置"),
)
STATIC, MOVES, UNTURNED = Text("as before", "照旧"), Text("moves", "会变"), Text("unturned", "存原键")

LEGEND = (
    Text(
        "new angles: hands that show an angle between query and key which no distance showed in training; "
        "widest: the largest part of a turn that is new to one of them",
        "新角度：有多少根指针会转到训练中任何距离都没有出现过的查询与键之间的角度；最宽：其中一根最多越出多少圈",
    ),
    Text(
        "neighbours: how far apart the codes of two neighbours are, against before; with '<' for distances "
        "below that number, and farther ones share places",
        "相邻区分：两个相邻词元的编码相距多远（与之前相比）；带“<”时只对小于该数的距离成立，更远的共用位置",
    ),
    Text(
        "factor: on cos and sin both; cache: as before, or keys move with the text's length, or must be kept "
        "unturned",
        "因子：同时乘在 cos 与 sin 上；缓存：照旧，或键随文本长度而变，或必须存未旋转的键",
    ),
    Text(
        "settings: T transformers, V vLLM, S SGLang, L llama.cpp",
        "设置：T transformers，V vLLM，S SGLang，L llama.cpp",
    ),
)


@dataclass(frozen=True)
class Cells:
    """One row, a cell for each of ``HEADS``; ``begin``: the one to begin with."""

    cells: tuple[Text, ...]
    begin: bool = False


def heading(plan: Plan) -> tuple[Text, ...]:
    """Lengths; the scaling that is there; layers that need nothing; precision at the end."""
    source, said = plan.source, []
    times = Text(f": {plan.factor:.3g} times as many", f"：{plan.factor:.3g} 倍") if plan.factor > 1 else NONE
    said.append(
        Text(
            f"trained on {source.trained:,} tokens, {plan.to:,} wanted{times.en}",
            f"训练长度 {source.trained:,} 个词元，目标 {plan.to:,}{times.zh}",
        )
    )
    if source.form.rope_type not in (None, "default"):
        over_en = f" over {source.original:,} tokens" if source.scaled else ""
        over_zh = f"，原始长度 {source.original:,}" if source.scaled else ""
        factor = source.form.scaling.get("factor", 1.0)
        said.append(
            Text(
                f"its own scaling: {source.form.rope_type}, factor {factor:g}{over_en}",
                f"自带缩放：{source.form.rope_type}，因子 {factor:g}{over_zh}",
            )
        )
    said += _of_windows(source)
    if plan.steps:
        look = plan.as_it_is
        said.append(
            Text(
                f"angles in {look.precision} are off by up to {look.angle_error:.2g} rad at the end "
                "of the text",
                f"用 {look.precision} 计算角度时，文本末尾的误差最多 {look.angle_error:.2g} 弧度",
            )
        )
    return tuple(said)


def _of_windows(source: Source) -> list[Text]:
    """Layers that need nothing: some stay as they are, some share the one dictionary."""
    said = []
    along = tuple(form for form in source.windowed if form not in source.apart)
    for forms, stay in ((source.apart, True), (along, False)):
        if not forms:
            continue
        count = sum(len(form.layers) for form in forms)
        widest = max(form.window or 0 for form in forms)
        en = "they stay as they are" if stay else "they need nothing, but share the settings and slow along"
        zh = "保持不变" if stay else "本不需要改，但共用同一设置，会一起放慢"
        said.append(
            Text(
                f"{count} of its layers see at most {widest:,} tokens, whatever the text: {en}",
                f"其中 {count} 层最多只看 {widest:,} 个词元，与文本长度无关：{zh}",
            )
        )
    return said


def table(plan: Plan) -> tuple[Cells, ...]:
    """The model as it is, then every method."""
    rows = [Cells(_cells(AS_IT_IS, plan.as_it_is, STATIC if _still(plan) else MOVES, ""))]
    for step in plan.steps:
        id = step.method.id
        letters = " ".join(letter for name, letter in LETTERS.items() if name in step.frameworks)
        cells = _cells(Text(id, id), step.look, _cache(step.method), letters)
        rows.append(Cells(cells, begin=id == plan.begin))
    return tuple(rows)


def _still(plan: Plan) -> bool:
    return plan.source.form.rope_type not in ("dynamic", "longrope")


def _cache(method: Method) -> Text:
    return UNTURNED if method.parameters is None else MOVES if method.moving else STATIC


def _cells(name: Text, look: Look, cache: Text, letters: str) -> tuple[Text, ...]:
    hands = f"{look.unseen} / {len(look.inv_freq)}"
    widest = f"{look.arc:.1%}" if look.unseen else "-"
    near = f"{look.neighbours:.0%}" if look.exact is None else f"100% <{look.exact:,}"
    alike = (hands, widest, near, f"{look.attention_factor:.4g}")
    return (name, *(Text(each, each) for each in alike), cache, Text(letters or "-", letters or "-"))


def advice(plan: Plan) -> Text:
    """The one to begin with, in a line; the lines after it are the plan's reasons."""
    if plan.begin is None:
        return plan.reasons[0] if plan.reasons else NONE
    step = plan.step(plan.begin)
    name = step.method.name
    if len(plan.steps) == 1:
        return Text(f"{name.en}: {step.method.idea.en}", f"{name.zh}：{step.method.idea.zh}")
    return Text(f"Begin with {name.en}: {step.method.idea.en}", f"先试 {name.zh}：{step.method.idea.zh}")
