"""Words for the normal form, in both languages; the text, the picture and the page all say it with these."""

from __future__ import annotations

from math import isfinite

from clockhands.check.clock_view import ClockView, Scaled, TwoLists
from clockhands.check.finding import SEVERITIES, Finding
from clockhands.check.form import Context, LayerForm
from clockhands.check.saying import has, number, ranges, said, short
from clockhands.language import Text

FAMILIES: dict[str, Text] = {
    "none": Text("no position encoding", "没有位置编码"),
    "sinusoidal": Text("sinusoidal table, added", "相加的正弦位置表"),
    "learned": Text("learned table, added", "相加的可学习位置表"),
    "rope": Text("RoPE", "RoPE（旋转位置编码）"),
    "alibi": Text("ALiBi", "ALiBi（线性偏置）"),
    "t5": Text("T5's relative bias", "T5 相对位置偏置"),
    "shaw": Text("relative vectors (Shaw)", "相对位置向量（Shaw）"),
    "transformer_xl": Text("relative scores (Transformer-XL)", "相对位置得分（Transformer-XL）"),
    "deberta": Text("disentangled relative position (DeBERTa)", "解耦的相对位置（DeBERTa）"),
    "other": Text("something else", "其他方式"),
}
OTHER_MIXER = Text("no attention: order is known without an encoding", "不是注意力：无需位置编码即知道顺序")
LAYOUTS: dict[str, Text] = {
    "half": Text("half: i with i + d/2", "前后对半：i 与 i + d/2 配对"),
    "interleaved": Text("interleaved: 2i with 2i + 1", "交错：2i 与 2i + 1 配对"),
}
PAIRED: dict[str, Text] = {"half": Text("half", "前后对半"), "interleaved": Text("interleaved", "交错")}
"""The same where a sentence goes on."""

WHERE: dict[str, Text] = {
    "whole": Text("the whole head", "整个头"),
    "prefix": Text("the first dimensions", "头的前部"),
    "suffix": Text("the last dimensions", "头的后部"),
}
SOURCES: dict[str, Text] = {
    "declared": Text("declared", "声明"),
    "measured": Text("measured", "实测"),
    "both": Text("declared and measured alike", "声明与实测一致"),
}
SEVERITY: dict[str, Text] = {
    "error": Text("error", "错误"),
    "warning": Text("warning", "警告"),
    "note": Text("note", "提示"),
}
WINDOW_KINDS: dict[str, Text] = {
    "sliding": Text("sliding", "滑动"),
    "chunked": Text("in pieces: back to where a query's own begins", "分段：只看到查询所在段的开头"),
}
TABLES: dict[str, Text] = {
    "half": Text("all hands, then all hands again", "全部指针排一遍，再重复一遍"),
    "interleaved": Text("each hand twice in a row", "每根指针连续排两次"),
    "narrow": Text("each hand once", "每根指针排一次"),
}
STACKS: dict[str, Text] = {"encoder": Text("encoder", "编码器"), "decoder": Text("decoder", "解码器")}

Row = tuple[Text, Text]


def same(word: object) -> Text:
    """A word that both languages write alike."""
    return Text(str(word), str(word))


def name_of(form: LayerForm) -> Text:
    """What a form speaks of: its layers, how many, and their stack."""
    count = len(form.layers)
    stack = STACKS.get(form.stack or "", Text("", ""))
    which = ranges(form.layers)
    en = f"{stack.en} layer {which}" if count == 1 else f"{stack.en} layers {which} ({count})"
    zh = f"{stack.zh}第 {which} 层" if count == 1 else f"{stack.zh}第 {which} 层（共 {count} 层）"
    return Text(en.strip(), zh)


def family_of(form: LayerForm) -> Text:
    """The family in words."""
    return OTHER_MIXER if form.mixer == "other" else FAMILIES[form.family]


def as_measured(twin: LayerForm) -> Text:
    """That layers which were not measured are declared to do what measured ones do."""
    return Text(
        f"not measured themselves; declared like {name_of(twin).en}, which were",
        f"本身没有实测，声明与实测过的{name_of(twin).zh}相同",
    )


def rows(form: LayerForm) -> list[Row]:
    """Everything the form says, a name and a value each."""
    said: list[Row] = []

    def add(en: str, zh: str, value: Text | None) -> None:
        if value is not None:
            said.append((Text(en, zh), value))

    add("layout", "排列方式", LAYOUTS.get(form.layout or "") if form.family == "rope" else None)
    add("width", "宽度", _widths(form))
    add("theta", "底数 theta", None if form.rope_theta is None else same(number(form.rope_theta)))
    add("scaling", "缩放", _scaling(form))
    add("attention factor", "注意力因子", _plain(form.attention_factor))
    add("score scale", "得分缩放", _plain(form.score_scale))
    add("slopes", "斜率", _list(form.slopes))
    add("buckets", "分桶", _buckets(form))
    add("rows", "行数", _rows(form))
    add("window", "窗口", _window(form))
    add("axes", "轴", _sections(form))
    add("cos and sin", "cos 和 sin", TABLES.get(form.table_layout or ""))
    return said


def clock_rows(view: ClockView, context: Context) -> list[Row]:
    """What the hands do, a name and a value each."""
    said: list[Row] = []
    if view.finished is not None and context.trained:
        trained = number(context.trained)
        said.append(
            (
                Text("full turns", "转满一圈"),
                Text(
                    f"{view.finished} of {view.hands} hands within the trained {trained} tokens",
                    f"训练长度 {trained} 个词元内，{view.hands} 根指针中有 {view.finished} 根",
                ),
            )
        )
    if view.lists is not None:
        said += _two_lists(view.lists, view.hands, context)
    elif view.scaled is not None:
        said.append((Text("the scaling", "缩放效果"), _scaled(view.scaled)))
    if view.critical is not None and view.reach is not None:
        reach = number(round(view.reach))
        said.append(
            (
                Text("critical dimension", "临界维度"),
                Text(
                    f"{view.critical} of {2 * view.hands}: carries to about {reach} tokens at this base, "
                    "unscaled",
                    f"{2 * view.hands} 维中的 {view.critical} 维：不缩放时，这个底数约可用到 {reach} 个词元",
                ),
            )
        )
    if view.first_negative is not None:
        said.append((Text("base bound", "底数下界"), _bound(view)))
    said.append((Text("precision", "精度"), _precision(view, context)))
    return said


def tokens(count: float) -> Text:
    """A length in words."""
    return Text(f"{number(count)} tokens", f"{number(count)} 个词元")


def context_words(context: Context) -> Text:
    """The three lengths in one line."""
    named = (
        (Text("trained", "训练"), context.trained),
        (Text("promised", "承诺"), context.promised),
        (Text("served", "部署"), context.served),
    )
    known = [(name, number(value)) for name, value in named if value is not None]
    if not known:
        return Text("not known", "未知")
    return Text(
        ", ".join(f"{name.en} {value}" for name, value in known) + " tokens",
        "，".join(f"{name.zh} {value}" for name, value in known) + " 个词元",
    )


def _plain(value: float | None) -> Text | None:
    return None if value is None else same(number(value))


def _list(values: tuple[float, ...] | None, most: int = 6) -> Text | None:
    if values is None:
        return None
    shown = ", ".join(number(each) for each in values[:most])
    rest = len(values) - most
    return Text(shown + (f" … ({len(values)} heads)" if rest > 0 else ""),
                shown + (f" …（共 {len(values)} 个头）" if rest > 0 else ""))  # fmt: skip


def _widths(form: LayerForm) -> Text | None:
    if form.head_dim is None:
        return None
    if form.rotary_dim is None and form.table_layout is not None:
        where = WHERE[form.rotary_dims or "prefix"]
        return Text(
            f"head of {form.head_dim}: as many turn as cos and sin are wide, {where.en}",
            f"头宽 {form.head_dim}：cos 和 sin 有多宽就旋转多少维，在{where.zh}",
        )
    if form.rotary_dim is None:
        return same(number(form.head_dim))
    hands, head = has(form.rotary_dim // 2, Text("hand", "根指针")), number(form.head_dim)
    turned = TURNED[form.rotary_dims or "whole"].filled(count=number(form.rotary_dim))
    return Text(f"head of {head}: {turned.en}, {hands.en}", f"头宽 {head}：{turned.zh}，{hands.zh}")


TURNED: dict[str, Text] = {
    "whole": Text("all turn", "全部旋转"),
    "prefix": Text("the first {count} turn", "前 {count} 维旋转"),
    "suffix": Text("the last {count} turn", "后 {count} 维旋转"),
}
"""How much of a head turns, and where in it."""


def _scaling(form: LayerForm) -> Text | None:
    if form.rope_type is None:
        return None
    given = ", ".join(f"{key} {_value(value)}" for key, value in form.scaling.items())
    kind = short(form.rope_type)
    return same(f"{kind}: {given}" if given else kind)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return said(value).en
    if not isinstance(value, int | float):
        if isinstance(value, list | tuple) and value:
            return f"[{_value(value[0])} … {_value(value[-1])}] ({len(value)})"
        return short(str(value))
    return number(value)


def _buckets(form: LayerForm) -> Text | None:
    if form.num_buckets is None:
        return None
    far = "" if form.max_distance is None else number(form.max_distance)
    sides = Text("both directions", "双向") if form.bidirectional else Text("backwards only", "只向后看")
    en = f"{form.num_buckets}" + (f", the last begins at {far}" if far else "") + f", {sides.en}"
    zh = f"{form.num_buckets}" + (f"，最远距离 {far}" if far else "") + f"，{sides.zh}"
    return Text(en, zh)


def _rows(form: LayerForm) -> Text | None:
    if form.rows is None:
        return None
    first = form.offset or 0
    return Text(
        f"{number(form.rows)}" + (f", position 0 takes row {first}" if first else ""),
        f"{number(form.rows)}" + (f"，位置 0 取第 {first} 行" if first else ""),
    )


def _window(form: LayerForm) -> Text | None:
    if form.window is None:
        return None
    size, kind = tokens(form.window), WINDOW_KINDS.get(form.window_kind or "")
    return size if kind is None else Text(f"{size.en}, {kind.en}", f"{size.zh}，{kind.zh}")


def _sections(form: LayerForm) -> Text | None:
    if form.mrope_section is None:
        return None
    parts = ", ".join(str(each) for each in form.mrope_section)
    how = Text("interleaved", "交错") if form.mrope_interleaved else Text("in chunks", "分段")
    return Text(f"hands {parts} ({how.en})", f"指针 {parts}（{how.zh}）")


def _two_lists(lists: TwoLists, hands: int, context: Context) -> list[Row]:
    """LongRoPE: what each list does, and to which texts."""
    served, length = context.served, number(lists.switch)
    chosen, nothing = Text(" (as served)", "（按部署长度）"), Text("", "")
    short, long = (chosen if served and (served > lists.switch) == far else nothing for far in (False, True))
    least, most = map(number, lists.short)
    first = Text(
        f"for texts of up to {length} tokens{short.en}: hands are divided by {least} to {most}",
        f"用于不超过 {length} 个词元的文本{short.zh}：各指针除以 {least} 到 {most}",
    )
    least, most = map(number, lists.long)
    turns = nothing
    if lists.finished is not None and context.promised:
        promised = number(context.promised)
        turns = Text(
            f"; {lists.finished} of {hands} finish a turn within the promised {promised}",
            f"；承诺长度 {promised} 内，{hands} 根中有 {lists.finished} 根转满一圈",
        )
    second = Text(
        f"for texts past {length} tokens{long.en}: hands are divided by {least} to {most}{turns.en}",
        f"用于超过 {length} 个词元的文本{long.zh}：各指针除以 {least} 到 {most}{turns.zh}",
    )
    return [(Text("short list", "短列表"), first), (Text("long list", "长列表"), second)]


def _scaled(scaled: Scaled) -> Text:
    factor = number(round(scaled.factor, 4))
    parts = [
        Text(f"{count} {each.en}", f"{count} 根{each.zh}")
        for count, each in (
            (scaled.untouched, Text("untouched", "不变")),
            (scaled.blended, Text("blended", "过渡")),
            (scaled.divided, Text(f"divided by {factor}", f"除以 {factor}")),
            (scaled.still, Text("standing still", "不动")),
        )
        if count
    ]
    return Text(", ".join(each.en for each in parts), "，".join(each.zh for each in parts))


def _bound(view: ClockView) -> Text:
    if view.first_negative is None or not isfinite(view.first_negative):
        return Text("similarity stays above zero", "相似度始终不低于零")
    far = number(view.first_negative)
    return Text(
        f"unscaled, similarity first falls below zero at distance {far}",
        f"不缩放时，相似度在距离 {far} 处首次低于零",
    )


def _precision(view: ClockView, context: Context) -> Text:
    clash = number(view.clash)
    en = f"{view.precision}: whole positions stay apart up to {clash}"
    zh = f"{view.precision}：整数位置在 {clash} 以内互不相同"
    if view.angle_error is not None:
        length = number(context.promised or context.trained or 0)
        en += f"; angles computed in it are {view.angle_error:.2g} rad off at {length} tokens"
        zh += f"；用它计算角度，在 {length} 个词元处误差为 {view.angle_error:.2g} 弧度"
    return Text(en, zh)


def total(findings: tuple[Finding, ...]) -> Text:
    """How many of each severity.

    >>> total(()).en
    'no findings'
    """
    if not findings:
        return Text("no findings", "没有发现问题")
    counts = [(sum(each.severity == severity for each in findings), severity) for severity in SEVERITIES]
    known = [(count, severity) for count, severity in counts if count]
    return Text(
        ", ".join(f"{count} {severity}{'s' if count > 1 else ''}" for count, severity in known),
        "，".join(f"{count} 个{SEVERITY[severity].zh}" for count, severity in known),
    )
