"""The clock view of a report as a picture."""

from __future__ import annotations

from clockhands.check.clock_view import clock_view, plain_ladder, short_and_long
from clockhands.check.form import LayerForm
from clockhands.check.report import Report
from clockhands.check.wording import clock_rows, family_of, name_of
from clockhands.errors import ClockhandsError
from clockhands.language import Language, Text
from clockhands.plots.picture import Picture
from clockhands.plots.slowed_hands import slowed_hands

TRAINED, PROMISED, SERVED = Text("trained", "训练"), Text("promised", "承诺"), Text("served", "部署")
PLAIN = Text("The hands", "指针")
TWO_LISTS = Text("The hands under the short list and the long one", "短列表与长列表下的指针")


def drawable(report: Report) -> list[LayerForm]:
    """The forms that have hands to draw."""
    return [form for form in report.layers if form.inv_freq]


def clock_picture(report: Report, form: LayerForm, lang: Language) -> Picture:
    """The hands of one form, with what the clock view says of them."""
    context = report.subject.context
    view = clock_view(form, context, report.subject.dtype)
    assert view is not None
    assert form.inv_freq is not None
    plain = plain_ladder(form) if view.scaled is not None else None
    lengths = {TRAINED: context.trained, PROMISED: context.promised, SERVED: context.served}
    known: dict[Text, int] = {}
    for name, length in lengths.items():  # equal lengths are one line, by its first name
        if length and length not in known.values():
            known[name] = length
    name, family = name_of(form), family_of(form)
    says = [
        Text(f"{row.en}: {value.en}.", f"{row.zh}：{value.zh}。") for row, value in clock_rows(view, context)
    ]
    about = Text(f"{name.en} · {family.en}", f"{name.zh} · {family.zh}")
    title = {} if plain is not None else {"title": PLAIN}
    if view.lists is not None:
        title = {"title": TWO_LISTS}
    lists = short_and_long(form)
    return slowed_hands(
        form.inv_freq if lists is None else lists.short, plain, known,
        longer=None if lists is None else lists.long, lang=lang, about=about, says=tuple(says[:3]), **title,
    )  # fmt: skip


def first_picture(report: Report, lang: Language) -> Picture:
    """The picture of the first layers that have hands; ClockhandsError where none have."""
    forms = drawable(report)
    if not forms:
        raise ClockhandsError(
            f"{report.subject.target} has no hands to draw: write the report as .html",
            f"{report.subject.target} 没有可画的指针：请把报告写成 .html",
        )
    return clock_picture(report, forms[0], lang)
