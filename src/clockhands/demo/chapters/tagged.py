"""Positions paced by what kind of word passes: part-of-speech-aware hands."""

from __future__ import annotations

import numpy as np

from clockhands.analysis.axes import TOKENS
from clockhands.analysis.labelled import NOTHING, Axis, Labelled
from clockhands.catalogue import describe
from clockhands.catalogue.description import Array
from clockhands.catalogue.tagged import Tagged
from clockhands.demo.chapter import Chapter, Figure, Story
from clockhands.demo.rulers import rulers
from clockhands.demo.speech import listed, said, tokens
from clockhands.demo.studio import Studio
from clockhands.language import Text
from clockhands.text import SAMPLES, Segmented, is_chinese, tag

STORY = Story(
    title=Text("Hands that listen to the words", "会听词性的指针"),
    paragraphs=(
        Text(
            "Must every word turn the hands by the same step? Let nouns and verbs count fully, and "
            "particles, adverbs and punctuation less. The position of a word is then how many words of "
            "each kind lie behind it, each kind weighted by its sensitivity.",
            "一定要每个词都让指针走同样的一步吗？可以让名词、动词走满一步，助词、副词和标点走得少一些。"
            "一个词的位置，就是它前面每种词各有几个，再按各自的灵敏度加权求和。",
        ),
        Text(
            "Take {sentence}.{borrowed} Its {words} words reach position {plain_last} when all count "
            "one, and {tagged_last:.1f} with these weights ({weights}; all others one).",
            "例如：{sentence}。{borrowed}如果每个词都算一步，{words} 个词走到位置 {plain_last}；按这些灵"
            "敏度（{weights}，其余为一），只走到 {tagged_last:.1f}。",
        ),
    ),
    surprise=Text(
        "The counts are whole numbers, so this is no soft guess: with all weights one it is plain RoPE, "
        "to the last bit (largest difference {same}), and it works with a cache.",
        "计数都是整数，一点不含糊：灵敏度全取一时，它和普通的 RoPE 一位不差（最大差别 {same}），也能配合 "
        "KV 缓存。",
    ),
    question=Text(
        "{left} and {right} are {plain_gap} words apart. How far apart do the hands see them?",
        "{left} 和 {right} 相隔 {plain_gap} 个词。在指针看来，它们相隔多远？",
    ),
    answer=Text(
        "{tagged_gap:.1f}: the light words between them hardly count. The score then compares them as if "
        "they stood closer.",
        "{tagged_gap:.1f}：中间的轻词几乎不算数。打分时，它们就像站得更近了。",
    ),
)
MOST_WORDS = 20
BORROWED = Text(
    " (A sample: parts of speech are known here for Chinese only.)",
    "（这是自带的例句：目前只有中文能标词性。）",
)
SENSITIVITY = {"u": 0.25, "x": 0.25, "m": 0.5, "p": 0.5, "d": 0.5}
KINDS = {
    "u": Text("particles {step}", "助词 {step}"),
    "x": Text("punctuation and the rest {step}", "标点和其他 {step}"),
    "m": Text("numerals {step}", "数词 {step}"),
    "p": Text("prepositions {step}", "介词 {step}"),
    "d": Text("adverbs {step}", "副词 {step}"),
}
PICTURE = Text("Where the hands put each word", "指针把每个词放在哪里")
PLAIN, PACED = Text("every word one step", "每个词一步"), Text("paced by part of speech", "按词性调整步长")
ALT = Text(
    "Words on a ruler with even marks, joined to a second ruler where light words crowd together.",
    "一把刻度均匀的尺子上排着词，与另一把尺子连线，轻词在那里挤在一起。",
)
CAPTION = Text(
    "Above, positions as usual; below, the same words when {weights}, all others one.",
    "上面是通常的位置；下面是同样的词，其中{weights}，其余都是一。",
)


def tell(studio: Studio) -> Chapter:
    sentence = tagged_sentence(studio)
    paced = describe("tagged", sensitivity=SENSITIVITY)
    even = describe("tagged")
    assert isinstance(paced, Tagged)
    assert isinstance(even, Tagged)
    places, plain = paced.places(sentence.tags), np.arange(len(sentence))
    left, right = most_shortened(sentence, places)
    numbers = {
        "words": len(sentence),
        "plain_last": int(plain[-1]),
        "tagged_last": places[-1],
        "same": np.abs(even.places(sentence.tags) - plain).max(),
        "plain_gap": right - left,
        "tagged_gap": places[right] - places[left],
    }
    weights = listed(said(KINDS[kind], step=step) for kind, step in SENSITIVITY.items())
    figure = _picture(studio, sentence, places, weights)
    keys = sentence.keys
    return STORY.told(
        numbers,
        [figure],
        sentence=tokens(keys),
        borrowed=NOTHING if is_chinese(studio.passages.sentences[0].text) else BORROWED,
        weights=weights,
        left=keys[left],
        right=keys[right],
    )


def tagged_sentence(studio: Studio) -> Segmented:
    """The first words of the run's text with their parts of speech, of a sample if the text isn't Chinese."""
    own = studio.passages.sentences[0].text
    sentence = tag(own if is_chinese(own) else SAMPLES[-1].text)
    return sentence[:MOST_WORDS]


def most_shortened(sentence: Segmented, places: Array) -> tuple[int, int]:
    """The two nouns, or any two words, whose distance shrinks most."""
    nouns = [i for i, kind in enumerate(sentence.tags) if kind.startswith("n")]
    chosen = nouns if len(nouns) > 1 else list(range(len(sentence)))
    shrink = {(i, j): (j - i) - (places[j] - places[i]) for i in chosen for j in chosen if i < j <= i + 8}
    return max(shrink, key=lambda pair: shrink[pair], default=(0, len(sentence) - 1))


def _picture(studio: Studio, sentence: Segmented, places: Array, weights: Text) -> Figure:
    axes = (
        Axis(Text("ruler", "尺子"), np.array(["plain", "paced"], dtype=object)),
        Axis(Text("word", "词"), np.array(sentence.labels, dtype=object)),
    )
    both = np.stack([np.arange(len(places)), places])
    positions = Labelled("places", Text("position", "位置"), both, axes, TOKENS)
    picture = rulers(positions, (PLAIN, PACED), lang=studio.lang, title=PICTURE)
    return studio.picture("tagged", picture, alt=ALT, caption=said(CAPTION, weights=weights))
