"""Guessing the next word: two decoders, and whether they read the order."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from clockhands.analysis.attention import attention_statistics
from clockhands.analysis.labelled import Labelled
from clockhands.demo.chapter import Belief, Chapter, Figure, Story
from clockhands.demo.chapters.order import LOSS, smoothed
from clockhands.demo.outcome import learned_by_heart, lower_loss, well_above
from clockhands.demo.speech import said
from clockhands.demo.studio import Studio
from clockhands.demo.trained import Trained, loss_with_past_shuffled, trained
from clockhands.language import Text
from clockhands.plots.attention import attention
from clockhands.plots.curves import curves

STORY = Story(
    title=Text("A loss does not say how it is read", "损失看不出读法"),
    paragraphs=(
        Text(
            "Last, a decoder: every word guesses the next one and sees only what came before. With RoPE "
            "the loss after {steps} steps is {rope:.3f}. Without any position it is {nope:.3f}. "
            "{losses}",
            "最后是解码器：每个词猜下一个词，只看得见前面的词。有 RoPE 时，{steps} 步之后损失是 "
            "{rope:.3f}；完全没有位置时是 {nope:.3f}。{losses}",
        ),
        Text(
            "Ask in another way. Shuffle all words before the last one. With RoPE the loss then goes "
            "from {rope_kept:.3f} to {rope_shuffled:.3f}: {rope_reads}. Without position it goes from "
            "{nope_kept:.3f} to {nope_shuffled:.3f}: {nope_reads}. {mask}",
            "换个问法：把最后一个词之前的词全部打乱。有 RoPE 时，损失从 {rope_kept:.3f} 变到 "
            "{rope_shuffled:.3f}：{rope_reads}。没有位置时，从 {nope_kept:.3f} 变到 "
            "{nope_shuffled:.3f}：{nope_reads}。{mask}",
        ),
    ),
    surprise=Text(
        "Look at the first column. The head most fond of it rests {sink:.0%} of its weight there, on the "
        "start sign `<bos>`, which says nothing at all; chance would give {sink_chance:.0%}. {sink_is}",
        "看第一列。最偏爱它的头把 {sink:.0%} 的权重放在那里，放在什么也没说的起始符 `<bos>` 上；碰运气会"
        "有 {sink_chance:.0%}。{sink_is}",
    ),
    beliefs=(
        Belief(
            Text(
                "If the loss is as low without a position code, the code makes no difference.",
                "不用位置编码损失也一样低，说明编码没有作用。",
            ),
            Text(
                "The loss alone can't tell. Here it is {rope:.3f} and {nope:.3f}; shuffling the past costs "
                "{rope_cost:.3f} with RoPE and {nope_cost:.3f} without. {reading}",
                "单看损失看不出来。这里损失是 {rope:.3f} 和 {nope:.3f}；打乱前文，有 RoPE 时损失变化 "
                "{rope_cost:.3f}，没有时变化 {nope_cost:.3f}。{reading}",
            ),
        ),
        Belief(
            Text(
                "The first word gets most attention, so it is the most important.",
                "第一个词得到的注意力最多，所以最重要。",
            ),
            Text(
                "Here the first token is a start sign without content, and one head gives it {sink:.0%} "
                "all the same.",
                "这里第一个词元是没有内容的起始符，照样有一个头给了它 {sink:.0%} 的权重。",
            ),
        ),
    ),
    question=Text(
        "How would you find out whether a model of your own reads the order of words?",
        "怎样知道你自己的模型读不读词的次序？",
    ),
    answer=Text(
        "Not by its loss and not by its maps. Shuffle the past and look what it costs, or set a task "
        "that is impossible without order; and always train a twin without position beside it.",
        "不看损失，也不看注意力图。把前文打乱，看损失上升多少；或者换一个没有次序就做不成的任务；旁边总"
        "要训练一个没有位置的孪生模型。",
    ),
)
LOSSES_ALIKE = Text("So is position useless here?", "那么位置在这里没有用吗？")
LOSSES_DIFFER = Text("But what does each of them read?", "可是它们各自读的是什么？")
READS = Text("this model counts on the order", "这个模型依靠次序")
READS_NOT = Text("the order hardly counts for this model", "次序对这个模型几乎没有影响")
MASK_UNHEARD = Text(
    "It goes mostly by *which* words came before. The mask could have told it the order, as the first step "
    "showed; nothing forced it to listen.",
    "它主要看前面*有哪些*词。掩码本来可以告诉它次序（见第一步），但没有什么逼它去听。",
)
MASK_HEARD = Text(
    "It has no position code: only the mask can have told it the order, as the first step showed.",
    "它没有位置编码，次序只能是掩码告诉它的（见第一步）。",
)
NEITHER_READS = Text(
    "In this text nothing forced either of them to read the order.", "在这段文本里，没有什么逼它们去读次序。"
)
TWO_READINGS = Text("Two ways of reading.", "两种读法。")
ONE_READING = Text("In this run the two read alike.", "在这次训练里，两个模型的读法一样。")
SINK = Text(
    "That is an *attention sink*: where to look when there is nothing to look for.",
    "这就是*注意力汇*（attention sink）：没什么可看的时候，目光停放的地方。",
)
NO_SINK = Text(
    "That is too little for an *attention sink*, where heads look when there is nothing to look for.",
    "这还算不上*注意力汇*（attention sink），也就是没什么可看的时候目光停放的地方。",
)
SEED, MOST_SENTENCES = 0, 6
NAMES = {"rope": Text("RoPE", "RoPE"), "nope": Text("no position", "没有位置")}
LOSS_TITLE = Text("Guessing the next word", "猜下一个词")
LOSS_ALT = Text("Two loss curves, with RoPE and without position.", "两条损失曲线：有 RoPE 与没有位置。")
LOSS_ALT_ALIKE = Text("Two loss curves that end together.", "两条损失曲线，最后走到一起。")
LOSS_CAPTION = Text(
    "Training loss, mean over {width} steps, seed {seed}. {learned}",
    "训练损失，每 {width} 步取平均，种子 {seed}。{learned}",
)
LEARNED = Text("Both know the text by heart.", "两个模型都把文本背了下来。")
UNLEARNED = Text("At least one of them does not know the text by heart.", "至少有一个模型没有把文本背下来。")
MAP_TITLE = Text("The layer that looks most at the start sign", "最看起始符的一层")
MAP_ALT = Text(
    "Attention maps of one layer; each word sees only earlier ones and itself.",
    "一层的注意力图，每个词只看得见前面的词和它自己。",
)
MAP_ALT_SINK = Text(
    "Attention maps of one layer; each word sees only earlier ones and itself, and the first column of a "
    "head is bright.",
    "一层的注意力图，每个词只看得见前面的词和它自己；有的头第一列特别亮。",
)
MAP_CAPTION = Text(
    "The decoder with RoPE reads the first sentence. Trained, seed {seed}; hatched: hidden by the mask.",
    "带 RoPE 的解码器读第一句。已训练，种子 {seed}；斜线部分被掩码遮住。",
)


def tell(studio: Studio) -> Chapter:
    sentences = studio.passages.sentences[:MOST_SENTENCES]
    steps = studio.effort.next_steps
    runs = {name: trained(sentences, "next-token", name, steps, seed=SEED, dropout=0.0) for name in NAMES}
    weights = runs["rope"].maps[0]
    on_first = attention_statistics(weights.values).on_first.values
    numbers = {
        **shuffling(runs),
        "steps": steps,
        "rope": runs["rope"].late(),
        "nope": runs["nope"].late(),
        "sink": on_first.max(),
        "sink_chance": (1 / np.arange(2, weights.values.shape[-1] + 1)).mean(),
    }
    layer = int(on_first.max(axis=1).argmax())
    sink = well_above(numbers["sink"], numbers["sink_chance"])
    figures = [_losses(studio, runs), _layer(studio, weights, layer, MAP_ALT_SINK if sink else MAP_ALT)]
    losses = LOSSES_ALIKE if _alike(runs) else LOSSES_DIFFER
    return STORY.told(numbers, figures, losses=losses, sink_is=SINK if sink else NO_SINK, **readings(numbers))


def shuffling(runs: dict[str, Trained]) -> dict[str, float]:
    """What each model loses when the words before the last one are shuffled."""
    numbers: dict[str, float] = {}
    for name, run in runs.items():
        kept, shuffled = loss_with_past_shuffled(run, SEED)
        numbers |= {f"{name}_kept": kept, f"{name}_shuffled": shuffled, f"{name}_cost": shuffled - kept}
    return numbers


def readings(numbers: Mapping[str, float]) -> dict[str, Text]:
    """What may be said of two models that lose ``rope_cost`` and ``nope_cost`` when the past is shuffled."""
    rope, nope = (lower_loss(numbers[f"{name}_kept"], numbers[f"{name}_shuffled"]) for name in NAMES)
    unheard = MASK_UNHEARD if rope else NEITHER_READS
    return {
        "rope_reads": READS if rope else READS_NOT,
        "nope_reads": READS if nope else READS_NOT,
        "mask": MASK_HEARD if nope else unheard,
        "reading": ONE_READING if rope == nope else TWO_READINGS,
    }


def _alike(runs: dict[str, Trained]) -> bool:
    one, other = (run.late() for run in runs.values())
    return not (lower_loss(one, other) or lower_loss(other, one))


def _losses(studio: Studio, runs: dict[str, Trained]) -> Figure:
    width = max(1, studio.effort.next_steps // 40)
    lines = [smoothed(name, NAMES[name], run, width) for name, run in runs.items()]
    picture = curves(lines, lang=studio.lang, title=LOSS_TITLE, measured=LOSS)
    learned = LEARNED if all(learned_by_heart(run.late()) for run in runs.values()) else UNLEARNED
    caption = said(LOSS_CAPTION, width=width, seed=SEED, learned=learned)
    alt = LOSS_ALT_ALIKE if _alike(runs) else LOSS_ALT
    return studio.picture("decoder_loss", picture, alt=alt, caption=caption)


def _layer(studio: Studio, weights: Labelled, layer: int, alt: Text) -> Figure:
    shown = Labelled(weights.id, weights.name, weights.values[layer], weights.axes[1:])
    picture = attention(shown, causal=True, lang=studio.lang, title=MAP_TITLE)
    return studio.picture("decoder", picture, alt=alt, caption=said(MAP_CAPTION, seed=SEED))
