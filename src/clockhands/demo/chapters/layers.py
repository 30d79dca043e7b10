"""A base for every layer: fast hands in shallow layers, slow ones in deep layers, and the reverse."""

from __future__ import annotations

import numpy as np

from clockhands.analysis.labelled import Axis, Labelled
from clockhands.analysis.spectrum import Spectrum, spectrum
from clockhands.catalogue import describe
from clockhands.catalogue.description import Description
from clockhands.demo.chapter import Chapter, Story
from clockhands.demo.described import speeds_of
from clockhands.demo.drawing import Map, maps
from clockhands.demo.speech import listed, number
from clockhands.demo.studio import Studio
from clockhands.language import Text

STORY = Story(
    title=Text("A clock for every layer", "每层一只钟"),
    paragraphs=(
        Text(
            "Shallow layers mostly look at neighbours, deep layers farther off. So give each its own "
            "clock: {layers} layers, the base growing in equal ratios from {first:,} to {last:,}. Then "
            "in layer {shallow} all hands are fairly quick (longest wavelength {shallow_longest:,.0f} "
            "words), in layer {deep} the slowest takes {deep_longest:,.0f}.",
            "浅层多半看邻近的词，深层看得更远。那就让每层有自己的钟：共 {layers} 层，底数按等比从 "
            "{first:,} 增到 {last:,}。第 {shallow} 层的针都比较快（最长波长 {shallow_longest:,.0f} 个词），"
            "第 {deep} 层最慢的针转一圈要 {deep_longest:,.0f} 个词。",
        ),
        Text(
            "Or the other way round; nothing but training can say which is better, and the second map "
            "shows it. Both are one line: a geometric path between two bases.",
            "反过来也行（见第二张图）；哪个更好，只有训练了才知道。两种都只要一行：在两个底数之间走一条"
            "等比的路。",
        ),
    ),
    surprise=Text(
        "Between the bases {first:,} and {last:,} the longest wavelength changes {longest_ratio:,.0f}"
        "-fold, but the fastest hand does not change at all: {fastest:.2f} words in every layer. A base "
        "only stretches the slow end.",
        "底数从 {first:,} 变到 {last:,}，最长波长变了 {longest_ratio:,.0f} 倍，最快的针却纹丝不动：每层"
        "都是 {fastest:.2f} 个词一圈。底数拉长的只是慢的那一端。",
    ),
    question=Text(
        "In which layers can all hands finish a turn within {context:,} words?",
        "哪些层的指针能在 {context:,} 个词之内全都转满一圈？",
    ),
    answer=Text(
        "In {complete} of the {layers}. From layer {shallow} to layer {deep}, the number of hands of "
        "{pairs} that finish goes {finished}.",
        "{layers} 层里有 {complete} 层。从第 {shallow} 层到第 {deep} 层，{pairs} 根针中转满一圈的依次是 "
        "{finished} 根。",
    ),
)
LAYERS, HEAD_DIM, FIRST, LAST, CONTEXT = 8, 64, 100, 1_000_000, 1024
PICTURE = Text("Wavelengths in every layer", "每一层的波长")
HEADINGS = (Text("fast shallow layers, slow deep ones", "浅层快，深层慢"), Text("the reverse", "反过来"))
ALT = Text(
    "Two maps of layers and hands: the first grows brighter from top left to bottom right, the second "
    "from bottom left to top right.",
    "层与指针的两张图：第一张从左上到右下越来越亮，第二张从左下到右上越来越亮。",
)
CAPTION = Text(
    "Each row is a layer, each column a hand; the colour is its wavelength, on a logarithmic scale.",
    "每行一层，每列一根针；颜色表示波长，按对数刻度。",
)


def tell(studio: Studio) -> Chapter:
    upwards = describe("layered", head_dim=HEAD_DIM, first_theta=FIRST, last_theta=LAST)
    downwards = describe("layered", head_dim=HEAD_DIM, first_theta=LAST, last_theta=FIRST)
    seen = layers_of(upwards)
    finished = [layer.finished for layer in seen]
    numbers = {
        "layers": LAYERS,
        "first": FIRST,
        "last": LAST,
        "shallow": 0,
        "deep": LAYERS - 1,
        "shallow_longest": seen[0].longest,
        "deep_longest": seen[-1].longest,
        "longest_ratio": seen[-1].longest / seen[0].longest,
        "fastest": seen[0].shortest,
        "context": CONTEXT,
        "pairs": HEAD_DIM // 2,
        "complete": sum(count == HEAD_DIM // 2 for count in finished),
    }
    panels = [
        Map(_labelled(id, layers_of(description)), heading)
        for id, description, heading in zip(
            ("upwards", "downwards"), (upwards, downwards), HEADINGS, strict=True
        )
    ]
    picture = maps(panels, lang=studio.lang, title=PICTURE, powers=True, square=False)
    figure = studio.picture("layers", picture, alt=ALT, caption=CAPTION)
    return STORY.told(numbers, [figure], finished=listed(map(number, finished)))


def layers_of(description: Description) -> list[Spectrum]:
    """What a context shows of the hands of each layer."""
    each = (description.at_layer(layer, LAYERS) for layer in range(LAYERS))
    return [spectrum(speeds_of(layer), CONTEXT) for layer in each]


def _labelled(id: str, seen: list[Spectrum]) -> Labelled:
    axes = (
        Axis(Text("layer", "层"), np.arange(LAYERS)),
        Axis(Text("hand", "指针"), np.arange(HEAD_DIM // 2)),
    )
    waves = np.array([layer.wavelength.values for layer in seen])
    return Labelled(id, Text("wavelength", "波长"), waves, axes, Text("words", "词"))
