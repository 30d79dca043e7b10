"""What more dimensions buy, and what they don't."""

from __future__ import annotations

from clockhands.analysis.spectrum import spectrum
from clockhands.demo.chapter import Belief, Chapter, Story
from clockhands.demo.described import speeds
from clockhands.demo.speech import said
from clockhands.demo.studio import Studio
from clockhands.language import Text
from clockhands.plots.dimensions import WIDTHS, bought
from clockhands.plots.dimensions import dimensions as draw_dimensions

STORY = Story(
    title=Text("How many dimensions?", "要多少维"),
    paragraphs=(
        Text(
            "“Enough dimensions,” says the advice, “so that there is room for position.” What do they "
            "really buy? More hands. But the new hands are squeezed in between the same two ends: the "
            "fastest always goes round in {shortest:.2f} words, the slowest in {longest_narrow:,.0f} "
            "with {narrow} dimensions and in {longest_wide:,.0f} with {wide}.",
            "常见的建议是：维度要足够大，才装得下位置信息。维度到底换来了什么？更多的指针。可是新的指针"
            "都挤在同样的两端之间：最快的总是 {shortest:.2f} 个词一圈，最慢的在 {narrow} 维时是 "
            "{longest_narrow:,.0f} 个词，{wide} 维时是 {longest_wide:,.0f} 个词。",
        ),
        Text(
            "Two things do grow. The step from one position to the next: {step_narrow:.2f} with {narrow} "
            "dimensions, {step_wide:.2f} with {wide}. And the silence far away: the strongest echo "
            "beyond {far} words sinks from {echo_narrow:.2f} to {echo_wide:.2f}.",
            "真正变大的有两样。一是相邻位置的距离：{narrow} 维时 {step_narrow:.2f}，{wide} 维时 "
            "{step_wide:.2f}。二是远处的安静：{far} 个词以外最强的回声，从 {echo_narrow:.2f} 降到 "
            "{echo_wide:.2f}。",
        ),
    ),
    surprise=Text(
        "Most of what is added hardly moves. Within {context} words {finished_narrow} of {hands_narrow} "
        "hands make a full turn with {narrow} dimensions, and {finished_wide} of {hands_wide} with "
        "{wide}: {share_narrow:.0%} and {share_wide:.0%}. {width_ratio} times the width, about the same "
        "share.",
        "添进来的针大多不怎么动。在 {context} 个词之内转满一圈的，{narrow} 维时 {hands_narrow} 根里有 "
        "{finished_narrow} 根，{wide} 维时 {hands_wide} 根里有 {finished_wide} 根：分别是 "
        "{share_narrow:.0%} 和 {share_wide:.0%}。宽度是原来的 {width_ratio} 倍，比例却差不多。",
    ),
    beliefs=(
        Belief(
            Text("More dimensions make the code reach farther.", "维度越大，编码管得越远。"),
            Text(
                "From {narrow} to {wide} dimensions the longest wavelength grows by a factor of "
                "{reach_ratio:.1f} only. What improves is the contrast: step {step_narrow:.2f} to "
                "{step_wide:.2f}, echo {echo_narrow:.2f} to {echo_wide:.2f}.",
                "从 {narrow} 维到 {wide} 维，最长波长只增加到 {reach_ratio:.1f} 倍。变好的是对比度：步长 "
                "{step_narrow:.2f} 到 {step_wide:.2f}，回声 {echo_narrow:.2f} 到 {echo_wide:.2f}。",
            ),
        ),
    ),
    question=Text("What would make the code reach farther, then?", "那么，怎样才能管得更远？"),
    answer=Text(
        "The base. With {narrow} dimensions, a base of {large_base} instead of {base} stretches the "
        "longest wavelength from {longest_narrow:,.0f} to {longest_large:,.0f} words, and leaves the "
        "fastest hand alone.",
        "靠底数。同样 {narrow} 维，底数从 {base} 改成 {large_base}，最长波长就从 {longest_narrow:,.0f} "
        "个词拉到 {longest_large:,.0f} 个，最快的针不受影响。",
    ),
)
NARROW, WIDE, BASE, LARGE_BASE, CONTEXT = 32, 512, 10_000, 100_000, 512
ALT = Text(
    "Bars and curves over the number of dimensions: hands grow in proportion, the step grows slowly, the "
    "echo falls.",
    "横轴是维数：指针数成比例增加，步长慢慢变大，回声逐渐变弱。",
)
CAPTION = Text(
    "Sinusoidal codes of different widths within {context} words.", "{context} 个词之内，不同宽度的正弦编码。"
)


def tell(studio: Studio) -> Chapter:
    measured = bought(WIDTHS, BASE, CONTEXT)
    narrow, wide = WIDTHS.index(NARROW), WIDTHS.index(WIDE)
    numbers = {
        "narrow": NARROW,
        "wide": WIDE,
        "width_ratio": WIDE // NARROW,
        "base": BASE,
        "large_base": LARGE_BASE,
        "context": CONTEXT,
        "far": measured.far,
        "shortest": spectrum(speeds("sinusoidal", d_model=NARROW, base=BASE), CONTEXT).shortest,
        "longest_narrow": spectrum(speeds("sinusoidal", d_model=NARROW, base=BASE), CONTEXT).longest,
        "longest_wide": spectrum(speeds("sinusoidal", d_model=WIDE, base=BASE), CONTEXT).longest,
        "longest_large": spectrum(speeds("sinusoidal", d_model=NARROW, base=LARGE_BASE), CONTEXT).longest,
    }
    for name, at in (("narrow", narrow), ("wide", wide)):
        hands, finished = int(measured.hands.values[at]), int(measured.finished.values[at])
        numbers |= {
            f"hands_{name}": hands,
            f"finished_{name}": finished,
            f"share_{name}": finished / hands,
            f"step_{name}": float(measured.step.values[at]),
            f"echo_{name}": float(measured.echo.values[at]),
        }
    numbers["reach_ratio"] = numbers["longest_wide"] / numbers["longest_narrow"]
    picture = draw_dimensions(measured, lang=studio.lang)
    figure = studio.picture("dimensions", picture, alt=ALT, caption=said(CAPTION, context=CONTEXT))
    return STORY.told(numbers, [figure])
