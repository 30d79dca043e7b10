"""Going longer: hands that never made a full turn in training."""

from __future__ import annotations

import math

import numpy as np

from clockhands.analysis.horizon import horizon
from clockhands.analysis.neighbours import neighbour_distance
from clockhands.analysis.spectrum import spectrum
from clockhands.demo.chapter import Belief, Chapter, Story
from clockhands.demo.described import speeds
from clockhands.demo.speech import said
from clockhands.demo.studio import Studio
from clockhands.language import Text
from clockhands.plots.spectrum import spectrum as draw_spectrum

STORY = Story(
    title=Text("Longer than in training", "比训练时更长"),
    paragraphs=(
        Text(
            "A model is trained on texts of some length and then used on longer ones. What is new to it? "
            "Look at the hands: the fast ones have been everywhere on their dials. The slow ones have "
            "only ever shown an arc near twelve, and the rest of the dial is *never seen*.",
            "模型用一定长度的文本训练，然后拿去读更长的文本。对它来说，什么是新的？看指针：快针早把表盘"
            "转遍了；慢针只走过十二点附近的一段弧，表盘的其余部分它*从没见过*。",
        ),
        Text(
            "With {head_dim} dimensions and base {base}, trained on {trained} words: {finished} hands of "
            "{pairs} made a full turn, {unfinished} did not. Beyond that length these {unfinished} move "
            "into angles that they never showed.",
            "{head_dim} 维、底数 {base}、训练长度 {trained} 时：{pairs} 根针里有 {finished} 根转满过一圈，"
            "{unfinished} 根没有。超过这个长度，这 {unfinished} 根针就会转到从没到过的角度。",
        ),
        Text(
            "Two remedies, in hands. *Interpolation* slows every hand by {factor}: no new angles, but "
            "neighbours come closer, {near_step:.3f} instead of {step:.3f} apart. *A larger base* ("
            "{ntk_base:,.0f}, the NTK rule for {factor} times the length) leaves the fastest hand alone "
            "and slows the slowest by exactly {factor}.",
            "两种补救，都可以用指针来说。*位置内插*让每根针都慢 {factor} 倍：没有新角度了，但相邻位置靠"
            "得更近，距离从 {step:.3f} 变成 {near_step:.3f}。*增大底数*（按 NTK 规则，长度 {factor} 倍时"
            "取 {ntk_base:,.0f}）不动最快的针，把最慢的针正好放慢 {factor} 倍。",
        ),
    ),
    surprise=Text(
        "The text of this page has {own_tokens} words. In it, {own_unfinished} of these {pairs} hands "
        "never finish a turn, and the slowest moves by {own_slowest:.2f}°.",
        "本页所用的文本有 {own_tokens} 个词。读完它，这 {pairs} 根针里有 {own_unfinished} 根没转满一圈，"
        "最慢的只动了 {own_slowest:.2f}°。",
    ),
    beliefs=(
        Belief(
            Text("All hands matter.", "每根指针都有用。"),
            Text(
                "With {wide} dimensions, {wide_short} of {wide_pairs} hands need more than "
                "{short_context} words for one turn, {wide_long} more than {trained}. Within such a text "
                "they hardly tell positions apart.",
                "{wide} 维时，{wide_pairs} 根针里有 {wide_short} 根转一圈要超过 {short_context} 个词，"
                "{wide_long} 根要超过 {trained} 个。在这么长的文本里，它们几乎分不开位置。",
            ),
        ),
        Belief(
            Text("Sinusoids and RoPE extrapolate by themselves.", "正弦编码和 RoPE 天生就能外推。"),
            Text(
                "They are *defined* everywhere; that is not the same as working. On the way to {longer} "
                "words, {new_share:.0%} of the hands pass through angles that no training step has ever "
                "shown.",
                "它们在任何位置都*有定义*，但有定义不等于管用。走到 {longer} 个词的路上，{new_share:.0%} "
                "的指针会经过训练中从未出现过的角度。",
            ),
        ),
        Belief(
            Text("For long texts, use a learned table.", "处理长序列，可以改用可学习的位置编码。"),
            Text(
                "A learned table of {short_context} rows ends there: position {short_context} is an "
                "error. The hands at least have an answer, and {unfinished} of {pairs} of them give it "
                "from a place never seen.",
                "{short_context} 行的可学习位置表到此为止：位置 {short_context} 直接报错。指针至少有个答"
                "案，虽然 {pairs} 根里有 {unfinished} 根的答案来自没见过的地方。",
            ),
        ),
    ),
    question=Text(
        "Why not simply make every hand fast, so that each finishes many turns in training?",
        "那么让每根针都转得快，训练中都转上好多圈，不就行了？",
    ),
    answer=Text(
        "Because then nothing tells far from near. With {small_dim} dimensions and base {small_base} the "
        "longest wavelength is {small_longest:.0f} words, and a word {small_far} away looks as similar ("
        "{at_small_far:.2f}) as one {small_near} away ({at_small_near:.2f}).",
        "那样就没有针能区分远近了。{small_dim} 维、底数 {small_base} 时，最长的波长只有 "
        "{small_longest:.0f} 个词；{small_far} 个词以外的词（相似度 {at_small_far:.2f}），看起来和 "
        "{small_near} 个词以外的（{at_small_near:.2f}）一样近。",
    ),
)
HEAD_DIM, BASE, TRAINED, FACTOR = 128, 10000, 4096, 4
WIDE, SHORT_CONTEXT, SMALL_DIM, SMALL_BASE = 512, 512, 32, 10
ALT = Text(
    "A row for each hand with a dot at its wavelength, on a logarithmic axis; the lower rows end in the "
    "shaded part beyond the training length.",
    "每根针一行，点的位置表示波长（对数轴）；下面几行的点落在训练长度以外的阴影里。",
)
CAPTION = Text(
    "Wavelengths of {pairs} hands against a training length of {trained} words. Hollow: never went round.",
    "{pairs} 根针的波长与训练长度 {trained} 个词的对照。空心：从没转满一圈。",
)


def tell(studio: Studio) -> Chapter:
    speed = speeds("rope", head_dim=HEAD_DIM, rope_theta=BASE)
    seen, own = spectrum(speed, TRAINED), spectrum(speed, studio.passages.total)
    wide = speeds("sinusoidal", d_model=WIDE)
    numbers = {
        "head_dim": HEAD_DIM, "base": BASE, "trained": TRAINED, "longer": FACTOR * TRAINED, "factor": FACTOR,
        "pairs": len(speed), "finished": seen.finished, "unfinished": seen.unfinished,
        "new_share": seen.unfinished / len(speed),
        "step": neighbour_distance(speed), "near_step": neighbour_distance(speed / FACTOR),
        "ntk_base": BASE * FACTOR ** (HEAD_DIM / (HEAD_DIM - 2)),
        "own_tokens": studio.passages.total, "own_unfinished": own.unfinished,
        "own_slowest": np.degrees(speed[-1]) * studio.passages.total,
        "wide": WIDE, "wide_pairs": len(wide), "short_context": SHORT_CONTEXT,
        "wide_short": spectrum(wide, SHORT_CONTEXT).unfinished,
        "wide_long": spectrum(wide, TRAINED).unfinished,
    }  # fmt: skip
    numbers |= only_fast_hands()
    picture = draw_spectrum(seen, lang=studio.lang)
    caption = said(CAPTION, pairs=len(speed), trained=TRAINED)
    return STORY.told(numbers, [studio.picture("longer", picture, alt=ALT, caption=caption)])


def only_fast_hands() -> dict[str, float]:
    """With a small base: the most similar distance past the longest wavelength, and what it looks like."""
    speed = speeds("rope", head_dim=SMALL_DIM, rope_theta=SMALL_BASE)
    longest = spectrum(speed, TRAINED).longest
    curve = horizon(speed, TRAINED).kernel.values
    beyond = math.ceil(longest)
    far = beyond + int(curve[beyond:].argmax())
    near = 1 + int(np.abs(curve[1:beyond] - curve[far]).argmin())
    return {
        "small_dim": SMALL_DIM, "small_base": SMALL_BASE, "small_longest": longest,
        "small_far": far, "at_small_far": curve[far], "small_near": near, "at_small_near": curve[near],
    }  # fmt: skip
