"""The lesson as HTML: readable as it is; the page's script brings its controls and pictures to life.

Attributes need no quotes where their values have no spaces or signs, and labels that all steps share are put
there by the style sheet: the page is small.
"""

from __future__ import annotations

from html import escape

from clockhands.language import Text
from clockhands.web.lesson.markup import both
from clockhands.web.lesson.mathml import formula
from clockhands.web.lesson.step import Answer, Belief, Button, Numbers, Picture, Slider, Step

LEAD = Text(
    "Fifteen steps, from a shuffled sentence to real attention. Each has something to move, a surprise, and "
    "a question whose answer you can try.",
    "十五步，从打乱一句话到真实的注意力。每一步都有可以拨动的东西、一个想不到的结果，"
    "和一个能动手验证的问题。",
)
CONTENTS = Text("Steps of the lesson", "课程目录")
PLAY, PAUSE = Text("Play", "播放"), Text("Pause", "暂停")
BACK, ON = Text("Back", "上一步"), Text("Next", "下一步")
OPEN = {
    "instrument": Text("Open this in the instrument", "在仪器里打开这一步"),
    "design": Text("Design your own", "自己设计"),
    "attention": Text("Look at attention", "去看注意力"),
}
"""By the room in which a step goes on."""
KEYS = Text(
    "The keys ← and → turn the pages. Answered: <<done>> of {count}.",
    "按 ← → 键也能翻页。已答对 <<done>> 题，共 {count} 题。",
)


def lesson_html(steps: tuple[Step, ...]) -> str:
    """All steps and the list that leads to them."""
    contents = "".join(
        f"<li><a href=#step-{place}><span>{both(step.title, {})}</span></a>"
        for place, step in enumerate(steps, 1)
    )
    onward = "".join(
        f"<button type=button data-to={room}>{both(text, {})}</button>" for room, text in OPEN.items()
    )
    articles = "\n".join(_step(step, place) for place, step in enumerate(steps, 1))
    return (
        f"<div id=lesson class=lesson>{both(LEAD, {}, 'p')}<div class=pages><nav aria-labelledby=contents>"
        f"<h2 id=contents class=hidden>{both(CONTENTS, {})}</h2><ol>{contents}</ol></nav>\n"
        f"<div>{articles}\n<p class=ways data-live hidden>"
        f'<button type=button data-by="-1">← {both(BACK, {})}</button>'
        f"<button type=button data-by=1>{both(ON, {})} →</button>"
        f"{onward}</p>"
        f"<p class=note data-live hidden>{both(KEYS, {'count': len(steps)})}</p></div></div></div>"
    )


def _step(step: Step, place: int) -> str:
    numbers = step.numbers()
    prose = "".join(both(each, numbers, "p") for each in step.prose)
    shown = "".join(f"<div class=formula>{formula(line)}</div>" for line in step.formula)
    return (
        f'<article id=step-{place} data-room={step.room} data-settings="{escape(step.settings)}">'
        f"<h2 tabindex=-1><span class=count>{place}</span> {both(step.title, {})}</h2>"
        f"{prose}{shown}{_control(step, place, numbers)}"
        f"<div class=surprise>{both(step.surprise, numbers, 'p')}</div>"
        f"<div class=question>{both(step.question.asks, numbers, 'p')}"
        f"{''.join(_answer(each, place, numbers) for each in step.question.answers)}</div>"
        f"{''.join(_belief(each, numbers) for each in step.beliefs)}</article>"
    )


def _control(step: Step, place: int, numbers: Numbers) -> str:
    """Out of sight without scripts: there it could do nothing."""
    buttons = "".join(_button(each) for each in step.buttons)
    sliders = "".join(_slider(each, place) for each in step.sliders)
    play = (
        f"<button type=button data-play=off>{_sign('▶', PLAY)}{_sign('❚❚', PAUSE)}</button>"
        if step.plays
        else ""
    )
    reading = "".join(f"<p class=read>{both(each, numbers)}</p>" for each in step.reading)
    pictures = "".join(_picture(each) for each in step.pictures)
    reading += f"<div class=formula>{formula(step.live)}</div>" if step.live else ""
    return (
        f"<div class=try data-live hidden><div class=tools>{buttons}{play}{sliders}</div>{reading}"
        f"<div class=pictures>{pictures}</div></div>"
    )


def _sign(sign: str, text: Text) -> str:
    """What the play button says, before and while it plays; the style sheet shows one of both."""
    return f"<span><span aria-hidden=true>{sign}</span> {both(text, {})}</span>"


def _button(button: Button) -> str:
    return f'<button type=button data-set="{escape(button.sets)}">{both(button.label, {})}</button>'


def _slider(slider: Slider, place: int) -> str:
    name = f"step-{place}-{slider.field}"
    return (
        f"<span class=place><label for={name}>{both(slider.label, {})}</label>"
        f"<input type=range id={name} data-field={slider.field} min={slider.least} max={slider.most}>"
        f"<b data-value={slider.field}></b></span>"
    )


def _picture(picture: Picture) -> str:
    says = picture.shows
    words = f' data-en="{escape(says.en)}" data-zh="{escape(says.zh)}"' if says else ""
    data = f" data-rows='{escape(picture.data, quote=False)}'" if picture.data else ""
    return f"<div data-picture={picture.name}{words}{data}></div>"


def _answer(answer: Answer, place: int, numbers: Numbers) -> str:
    """A disclosure: choosing an answer tells, also without scripts, and a right one counts."""
    shows = f' data-set="{escape(answer.shows.format(**numbers))}"' if answer.shows else ""
    right = " data-right=1" if answer.right else ""
    return (
        f"<details name=answer-{place}{shows}{right}><summary>{both(answer.says, numbers)}</summary>"
        f"{both(answer.reply, numbers, 'p')}</details>"
    )


def _belief(belief: Belief, numbers: Numbers) -> str:
    return (
        f"<dl class=belief><dt>{both(belief.said, numbers)}</dt><dd>{both(belief.truth, numbers)}</dd></dl>"
    )
