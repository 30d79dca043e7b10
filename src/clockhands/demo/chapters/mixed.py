"""Design your own: an average of frequencies, a mix of bands, a straight line."""

from __future__ import annotations

import numpy as np

from clockhands.analysis.horizon import horizon, nearest_return
from clockhands.analysis.labelled import Axis, Labelled
from clockhands.analysis.neighbours import neighbour_distance
from clockhands.analysis.spectrum import spectrum
from clockhands.catalogue.description import Array
from clockhands.demo.chapter import Belief, Chapter, Figure, Story, Table
from clockhands.demo.described import speeds
from clockhands.demo.drawing import Map, maps
from clockhands.demo.speech import number
from clockhands.demo.studio import Studio
from clockhands.language import Text

STORY = Story(
    title=Text("Design your own frequencies", "自己设计频率"),
    paragraphs=(
        Text(
            "Nothing obliges the hands to slow down geometrically. A popular experiment *averages* the "
            "usual speeds with evenly spaced ones. It looks like a mix of fast and slow bands, but "
            "isn't: every hand gets half of an even speed, so none is slow any more. The longest "
            "wavelength drops from {geometric_longest:,.0f} to {average_longest:,.0f} words.",
            "没有谁规定指针必须按几何级数变慢。有个流行的实验把常用的速度和等距的速度取*平均*。看上去是"
            "快慢频段的混合，其实不是：每根针都分到半个等距速度，于是再没有慢针了。最长波长从 "
            "{geometric_longest:,.0f} 个词降到 {average_longest:,.0f} 个。",
        ),
        Text(
            "A true mix gives some hands to each schedule: {linear_hands} evenly spaced, the others "
            "geometric down to the usual slowest. Below, all four on the same test: {dim} dimensions, "
            "{reach} positions.",
            "真正的混合是各分一些指针：{linear_hands} 根等距，其余仍按几何级数，一直慢到原来最慢的那根。"
            "下面四种放在一起比：{dim} 维，{reach} 个位置。",
        ),
        Text(
            "Speeds of your own go the same way: `clockhands show --inv-freq FILE --view kernel`.",
            "你自己设计的速度也可以这样看：`clockhands show --inv-freq 文件 --view kernel`。",
        ),
    ),
    surprise=Text(
        "The average is sharper near by (at distance {near}: {average_near:.2f}, usually "
        "{geometric_near:.2f}) and pays with echoes: {average_echo:.3f} at distance {echo_at} and "
        "{average_echo_two:.3f} at {echo_two_at}. Of all distances up to {echo_at}, only {nearer} look "
        "nearer than {echo_at} does.",
        "取平均后近处更清楚（距离 {near} 处 {average_near:.2f}，原来 {geometric_near:.2f}），代价是回声："
        "距离 {echo_at} 处 {average_echo:.3f}，{echo_two_at} 处 {average_echo_two:.3f}。在 {echo_at} 以"
        "内的所有距离里，只有 {nearer} 个比它显得更近。",
    ),
    beliefs=(
        Belief(
            Text(
                "Averaging linear and logarithmic frequencies mixes bands and may work better.",
                "把线性和对数频率取平均，就是混合频段，效果可能更好。",
            ),
            Text(
                "No hand keeps its band: the slowest wavelength falls from {geometric_longest:,.0f} to "
                "{average_longest:,.0f}, and distance {echo_at} looks like distance {looks_like} ("
                "{average_echo:.3f}). Given hands of their own, both bands keep the longest wavelength "
                "at {bands_longest:,.0f}, with the highest echo at {bands_echo:.3f}.",
                "没有一根针留在自己的频段：最长波长从 {geometric_longest:,.0f} 降到 "
                "{average_longest:,.0f}，距离 {echo_at} 看起来就像距离 {looks_like}（{average_echo:.3f}）。"
                "如果两个频段各有自己的指针，最长波长仍是 {bands_longest:,.0f}，最强的回声是 "
                "{bands_echo:.3f}。",
            ),
        ),
    ),
    question=Text(
        "Evenly spaced speeds only, without any geometric part: sharp, or dangerous?",
        "全用等距的速度，不要几何级数：是更清楚，还是更危险？",
    ),
    answer=Text(
        "Dangerous. All speeds are nearly multiples of their common gap {gap:.4f}, so the hands meet "
        "again after about 2π / {gap:.4f} = {meeting:.0f} words: similarity {linear_first:.2f} at "
        "{linear_first_at}, and {linear_best:.2f} at {linear_best_at}.",
        "危险。所有速度几乎都是公共间隔 {gap:.4f} 的整数倍，大约 2π / {gap:.4f} = {meeting:.0f} 个词以后"
        "指针又会重聚：距离 {linear_first_at} 处相似度 {linear_first:.2f}，{linear_best_at} 处 "
        "{linear_best:.2f}。",
    ),
)
DIM, REACH, SHOWN = 32, 1000, 400
ECHO_WINDOWS = {"average": ((100, 270), (270, 450)), "linear": ((50, 200), (500, 800))}
NAMES = {
    "geometric": Text("geometric", "几何级数"),
    "average": Text("average", "平均"),
    "bands": Text("bands", "频段混合"),
    "linear": Text("even", "等距"),
}
HEADER = (
    Text("speeds", "速度"),
    Text("longest wavelength", "最长波长"),
    Text("step", "步长"),
    Text("nearest return", "最近的一次返回"),
    Text("at distance", "在距离"),
    Text("highest echo", "最强的回声"),
    Text("at distance", "在距离"),
)
SPECS = (",.0f", ".3f", ".3f", ",.0f", ".3f", ",.0f")
PICTURE = Text("Four ways to choose the speeds", "四种选速度的办法")
ALT = Text(
    "Four strips of colour over distance: the usual one fades unevenly; the others show narrow strong "
    "bands far from the left edge.",
    "四条色带，横轴是距离：常用的那条起伏着变浅；其余几条在很远处出现又窄又深的条纹。",
)
CAPTION = Text(
    "Similarity by distance, a strip for each design. Dark red far from the left is an echo: a far word "
    "that passes for a near one.",
    "每种设计一条色带，表示各个距离上的相似度。离左端很远的深红就是回声：远处的词冒充近处的词。",
)
TABLE_CAPTION = Text(
    "A return nearer than a step, or an echo near one, means that far words pass for near ones.",
    "返回比一步还近，或者回声接近一，都意味着远处的词会被当成近处的。",
)


def tell(studio: Studio) -> Chapter:
    made = designs()
    seen = {name: horizon(speed, REACH) for name, speed in made.items()}
    curve = {name: one.kernel.values for name, one in seen.items()}
    echo_at, echo_two_at = (highest(curve["average"], *window) for window in ECHO_WINDOWS["average"])
    first_at, best_at = (highest(curve["linear"], *window) for window in ECHO_WINDOWS["linear"])
    average_echo = curve["average"][echo_at]
    gap = made["linear"][0] - made["linear"][1]
    bands_echo = seen["bands"].echo
    assert bands_echo is not None, "a set of hands always rises again"
    numbers = {
        "dim": DIM, "reach": REACH, "linear_hands": len(made["bands"]) // 2,
        "geometric_longest": spectrum(made["geometric"], REACH).longest,
        "average_longest": spectrum(made["average"], REACH).longest,
        "bands_longest": spectrum(made["bands"], REACH).longest, "bands_echo": bands_echo.value,
        "near": 3, "average_near": curve["average"][3], "geometric_near": curve["geometric"][3],
        "echo_at": echo_at, "average_echo": average_echo,
        "echo_two_at": echo_two_at, "average_echo_two": curve["average"][echo_two_at],
        "nearer": int((curve["average"][1:echo_at] > average_echo).sum()),
        "looks_like": int(np.abs(curve["average"][1:20] - average_echo).argmin()) + 1,
        "gap": gap, "meeting": 2 * np.pi / gap,
        "linear_first_at": first_at, "linear_first": curve["linear"][first_at],
        "linear_best_at": best_at, "linear_best": curve["linear"][best_at],
    }  # fmt: skip
    return STORY.told(numbers, [_picture(studio, curve), _table(studio, made)])


def designs() -> dict[str, Array]:
    """The speeds of each design, ``(DIM / 2,)``, rad / token."""
    return {
        "geometric": described(linear_weight=0.0, log_weight=1.0),
        "average": described(),
        "bands": described(style="bands"),
        "linear": described(linear_weight=1.0, log_weight=0.0),
    }


def described(**parameters: float | str) -> Array:
    """Speeds of the mixed schedule at this chapter's width, ``(pairs,)``, rad / token."""
    return speeds("mixed", d_model=DIM, **parameters)


def highest(curve: Array, first: int, last: int) -> int:
    """The distance in first ... last - 1 with the highest similarity."""
    return first + int(curve[first:last].argmax())


def _picture(studio: Studio, curve: dict[str, Array]) -> Figure:
    axes = (
        Axis(HEADER[0], np.array([NAMES[name].said_in(studio.lang) for name in curve], dtype=object)),
        Axis(Text("distance", "距离"), np.arange(SHOWN), Text("tokens", "词元")),
    )
    strips = np.stack([values[:SHOWN] for values in curve.values()])
    panel = Map(Labelled("kernels", Text("similarity", "相似度"), strips, axes), Text("", ""))
    picture = maps([panel], lang=studio.lang, title=PICTURE, square=False, widest=9.0)
    return studio.picture("mixed", picture, alt=ALT, caption=CAPTION)


def _table(studio: Studio, made: dict[str, Array]) -> Table:
    measured = {name: _measured(speed) for name, speed in made.items()}
    rows = [
        [NAMES[name], *(number(x, spec) for x, spec in zip(row, SPECS, strict=True))]
        for name, row in measured.items()
    ]
    columns = ("longest", "step", "return", "return_at", "echo", "echo_at")
    axes = (
        Axis(HEADER[0], np.array(list(measured), dtype=object)),
        Axis(Text("measurement", "测量"), np.array(columns, dtype=object)),
    )
    data = Labelled("designs", Text("measurements", "测量结果"), np.array(list(measured.values())), axes)
    return studio.table("designs", HEADER, rows, TABLE_CAPTION, data)


def _measured(speed: Array) -> tuple[float, ...]:
    back, echo = nearest_return(speed, REACH), horizon(speed, REACH).echo
    assert echo is not None, "a set of hands always rises again"
    longest, step = spectrum(speed, REACH).longest, neighbour_distance(speed)
    return longest, step, back.value, back.distance, echo.value, echo.distance
