"""The article on Chinese text as printed, and what its falling loss and its maps are worth."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from clockhands.analysis.labelled import Axis, Labelled
from clockhands.analysis.spectrum import spectrum
from clockhands.demo.chapter import Belief, Chapter, Figure, Story, Table
from clockhands.demo.described import speeds
from clockhands.demo.outcome import well_above
from clockhands.demo.speech import listed, number, said
from clockhands.demo.studio import Studio
from clockhands.demo.trained import Trained, require_torch, trained
from clockhands.language import Text
from clockhands.plots.attention import attention
from clockhands.plots.overview import overview

STORY = Story(
    title=Text("A falling loss that proves nothing", "损失下降，什么也没证明"),
    paragraphs=(
        Text(
            "A popular tutorial trains one attention layer with RoPE on a few Chinese sentences and "
            "shows where its heads look. We do the same with the first sentences of our text: {heads} "
            "heads, {dim} dimensions, {epochs} epochs, and the task to give back the layer's own input. "
            "{falls}: {p1:.4f}, {p2:.4f}, {p3:.4f} and {p4:.4f} at epochs {e1}, {e2}, {e3} and {e4}.",
            "有篇流行的教程，用几句中文训练一层带 RoPE 的注意力，再画出各个头看哪里。我们用文本开头的几"
            "句话照做一遍：{heads} 个头，{dim} 维，{epochs} 轮，任务是还原这一层自己的输入。{falls}："
            "第 {e1}、{e2}、{e3}、{e4} 轮分别是 {p1:.4f}、{p2:.4f}、{p3:.4f}、{p4:.4f}。",
        ),
        Text(
            "But the input is trained, too, and it can simply get smaller. Its variance goes from "
            "{v0:.3f} to {v1:.3f}. {shrunk} "
            "Measured against the size of the input the loss goes from {r0:.2f} to {r1:.2f}, where "
            "always giving the average word would score one.",
            "可是输入也在被训练，它完全可以自己变小。输入的方差从 {v0:.3f} 变到 {v1:.3f}。{shrunk}"
            "拿损失和输入的大小相比，是从 {r0:.2f} 到 {r1:.2f}；"
            "永远回答平均词向量，得分就是一。",
        ),
        Text(
            "And there is little RoPE in it. A head of {head_dim} dimensions has {hands} hands, with "
            "wavelengths of {wavelengths} words. In a sentence of {longest} words the slowest makes "
            "{slow_turns:.4f} of a turn.",
            "其实这里也没有多少 RoPE。一个头只有 {head_dim} 维，也就是 {hands} 根针，波长分别是 "
            "{wavelengths} 个词。在 {longest} 个词的句子里，最慢的针只转了 {slow_turns:.4f} 圈。",
        ),
    ),
    surprise=Text(
        "Take RoPE away: same seed, no position at all. The final loss is {n4:.4f}; with RoPE it was "
        "{p4:.4f}. {needed}",
        "把 RoPE 整个拿掉，种子不变，没有任何位置信息：最后的损失是 {n4:.4f}，有 RoPE 时是 {p4:.4f}。"
        "{needed}",
    ),
    beliefs=(
        Belief(
            Text(
                "The heat maps show that RoPE has learned what comes before and after.",
                "从热力图看得出，RoPE 学会了“前后左右”。",
            ),
            Text(
                "Without any position, {nope_difference:.0%} of the weight lies elsewhere. With RoPE and "
                "merely another random seed, {seed_difference:.0%} does. {map}",
                "完全不用位置，{nope_difference:.0%} 的权重换了地方；仍用 RoPE、只换一个随机种子，"
                "{seed_difference:.0%} 的权重换了地方。{map}",
            ),
        ),
        Belief(
            Text("A large attention weight marks an important word.", "注意力权重大，说明这个词重要。"),
            Text(
                "Two seeds end at {p4:.4f} and {s4:.4f}, {likeness}, and put {seed_difference:.0%} of their "
                "weight on different words. A weight says what is mixed in, not what matters.",
                "两个种子最后的损失是 {p4:.4f} 和 {s4:.4f}，{likeness}，有 {seed_difference:.0%} 的"
                "权重落在不同的词上。权重说的是混进了什么，不是什么重要。",
            ),
        ),
    ),
    question=Text(
        "What would have to change for such maps to say something about position?",
        "怎样改，这样的图才能说明位置的作用？",
    ),
    answer=Text(
        "The task: it must be impossible without order. And beside it, always, the same training without "
        "position. The next step does both.",
        "换任务：没有顺序就做不成的任务。旁边还要有一份完全不用位置的训练来对照。下一步就这么做。",
    ),
)
FALLS = Text("The loss falls nicely", "损失降得很漂亮")
WAVERS = Text("The loss does not fall steadily", "损失并没有一路下降")
SHRUNK = Text(
    "That alone is {shrinking:.0%} of the fall (counted in logarithms).",
    "单这一项就占了损失下降的 {shrinking:.0%}（按对数算）。",
)
NOT_SHRUNK = Text("This time that explains no fall of the loss.", "这一次，它解释不了损失的下降。")
UNNEEDED = Text("The task did not need position.", "这个任务根本用不着位置。")
POSITION_AHEAD = Text(
    "That is clearly more, this time. One pair of runs is no proof: try other seeds.",
    "这一次明显更大。一对训练还算不上证明：请换几个种子再试。",
)
MAP_MUTE = Text("A map from one run says nothing about RoPE.", "单次训练的图，说明不了 RoPE 什么。")
MAP_DIFFERS = Text(
    "This time position moves more than the seed does; one map alone would not have told you.",
    "这一次，位置带来的变化比种子大；但单看一张图，你看不出来。",
)
AS_GOOD = Text("about as good", "差不多一样好")
UNLIKE = Text("not equally good", "好坏不一")
HEADS, DIM, MOST_SENTENCES = 4, 32, 3
QUARTERS = (0.25, 0.5, 0.75, 1.0)
NAMES = {
    "printed": Text("as printed", "照原文"),
    "masked": Text("padding hidden", "屏蔽填充"),
    "seed": Text("as printed, another seed", "照原文，换种子"),
    "nope": Text("no position at all", "完全没有位置"),
}
HEADER = Text("training", "训练方式")
TABLE_CAPTION = Text(
    "Mean squared error at four moments of the same training. Only the last row has no position.",
    "同一训练四个时刻的均方误差。只有最后一行没有位置信息。",
)
MAP_TITLE = Text("Sentence {number}: where each word looks", "第 {number} 句：每个词看哪里")
MAP_ALT = Text(
    "Attention of {heads} heads over the words of the sentence that begins {start}.",
    "{heads} 个注意力头在一句话上的注意力，这句话以{start}开头。",
)
MAP_CAPTION = Text(
    "The heads of the layer as printed, trained for {epochs} epochs, seed {seed}; all heads share one scale.",
    "照原文训练 {epochs} 轮（种子 {seed}）之后各个头的注意力，共用一个色标。",
)
OVERVIEW_TITLE = Text("With RoPE and with nothing", "有 RoPE，与什么都没有")
WITH = Text("sentence {number}, RoPE", "第 {number} 句，RoPE")
WITHOUT = Text("sentence {number}, nothing", "第 {number} 句，什么都没有")
OVERVIEW_ALT = Text(
    "Small attention maps, a row for each sentence with RoPE and one without position.",
    "许多小注意力图，每句话一行有 RoPE，一行没有位置。",
)
OVERVIEW_CAPTION = Text("Can you tell which rows know about position?", "哪几行知道位置，看得出来吗？")
SEED = 0


def tell(studio: Studio) -> Chapter:
    require_torch()
    from clockhands.training.lesson import shrinking_share

    sentences = studio.passages.sentences[:MOST_SENTENCES]
    epochs = studio.effort.epochs
    runs = {
        "printed": trained(sentences, "reconstruct", "rope", epochs, seed=SEED, as_printed=True),
        "masked": trained(sentences, "reconstruct", "rope", epochs, seed=SEED),
        "seed": trained(sentences, "reconstruct", "rope", epochs, seed=SEED + 1, as_printed=True),
        "nope": trained(sentences, "reconstruct", "nope", epochs, seed=SEED, as_printed=True),
    }
    printed = runs["printed"]
    loss, variance = printed.loss, printed.variance
    longest = max(map(len, sentences))
    hands = spectrum(speeds("rope", head_dim=DIM // HEADS), longest)
    numbers = {
        "heads": HEADS,
        "dim": DIM,
        "epochs": epochs,
        **{f"e{i}": round(share * epochs) for i, share in enumerate(QUARTERS, 1)},
        **{f"p{i}": printed.at(share) for i, share in enumerate(QUARTERS, 1)},
        "s4": runs["seed"].at(1),
        "n4": runs["nope"].at(1),
        "v0": variance[0],
        "v1": variance[-1],
        "shrinking": shrinking_share(loss, variance),
        "r0": loss[0] / variance[0] if variance[0] else np.nan,
        "r1": loss[-1] / variance[-1] if variance[-1] else np.nan,
        "head_dim": DIM // HEADS,
        "hands": len(hands.wavelength.values),
        "longest": longest,
        "slow_turns": hands.turns.values[-1],
        "nope_difference": moved(printed, runs["nope"]),
        "seed_difference": moved(printed, runs["seed"]),
    }
    wavelengths = listed(number(wave, ",.0f") for wave in hands.wavelength.values)
    figures = [_table(studio, runs, epochs), *_maps(studio, printed), _overview(studio, runs)]
    return STORY.told(numbers, figures, wavelengths=wavelengths, **verdicts(numbers))


def verdicts(numbers: Mapping[str, float]) -> dict[str, Text]:
    """What may be said of these losses, variances and differences of maps."""
    quarters = [numbers[f"p{i}"] for i in range(1, len(QUARTERS) + 1)]
    one, other = numbers["p4"], numbers["s4"]
    shrunk = said(SHRUNK, shrinking=numbers["shrinking"])
    alike = not (well_above(one, other) or well_above(other, one))
    moved_more = well_above(numbers["nope_difference"], numbers["seed_difference"])
    return {
        "falls": FALLS if all(late < early for early, late in pairwise(quarters)) else WAVERS,
        "shrunk": shrunk if numbers["shrinking"] > 0 else NOT_SHRUNK,
        "needed": POSITION_AHEAD if well_above(numbers["n4"], one) else UNNEEDED,
        "map": MAP_DIFFERS if moved_more else MAP_MUTE,
        "likeness": AS_GOOD if alike else UNLIKE,
    }


def moved(one: Trained, other: Trained) -> float:
    """Share of the attention that lies on other words in the other run, mean over sentences and heads."""
    from clockhands.training.maps import difference

    pairs = zip(one.maps, other.maps, strict=True)
    return float(np.mean([difference(here, there) for here, there in pairs]))


def _table(studio: Studio, runs: dict[str, Trained], epochs: int) -> Table:
    at = [round(share * epochs) for share in QUARTERS]
    losses = np.array([[run.at(share) for share in QUARTERS] for run in runs.values()])
    header = [HEADER, *(said(Text("epoch {n}", "第 {n} 轮"), n=epoch) for epoch in at)]
    rows = [
        [NAMES[name], *(number(float(loss), ".4f") for loss in row)]
        for name, row in zip(runs, losses, strict=True)
    ]
    axes = (
        Axis(HEADER, np.array(list(runs), dtype=object)),
        Axis(Text("epoch", "轮"), np.array(at)),
    )
    data = Labelled("loss", Text("loss", "损失"), losses, axes)
    return studio.table("reconstruct", header, rows, TABLE_CAPTION, data)


def _maps(studio: Studio, run: Trained) -> list[Figure]:
    figures = []
    for index, weights in enumerate(run.maps, 1):
        title = MAP_TITLE.filled(number=index)
        picture = attention(weights, lang=studio.lang, title=title)
        start = str(weights.axes[-1].values[0])
        alt = said(MAP_ALT, heads=HEADS, start=start)
        caption = said(MAP_CAPTION, epochs=len(run.loss), seed=SEED)
        figures.append(studio.picture(f"rope_attention_sentence{index}", picture, alt=alt, caption=caption))
    return figures


def _overview(studio: Studio, runs: dict[str, Trained]) -> Figure:
    rows, names = [], []
    pairs = zip(runs["printed"].maps, runs["nope"].maps, strict=True)
    for index, both in enumerate(pairs, 1):
        rows += both
        names += [text.filled(number=index).said_in(studio.lang) for text in (WITH, WITHOUT)]
    picture = overview(rows, names, lang=studio.lang, title=OVERVIEW_TITLE)
    return studio.picture("reconstruct", picture, alt=OVERVIEW_ALT, caption=OVERVIEW_CAPTION)
