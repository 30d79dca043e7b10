"""Ways to a longer context without training: slower hands, or shorter distances. One small class each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from clockhands.catalogue import describe
from clockhands.extend.source import Source
from clockhands.extend.words import CHUNKS, GROUPS, NO_SUCH_TYPE, ONLY_CODE, TOO_LONG
from clockhands.language import Text

FARTHEST = 1_000_000
"""Tokens of a window or a group, past which the catalogue describes no remap."""

EXACT = 4
"""Of the trained length Self-Extend keeps one part in so many exact; its authors advise no more than that."""


@dataclass(frozen=True, kw_only=True)
class Method:
    """One way.

    id, name    what ``--method`` calls it, and a heading
    idea        in a few words

    parameters  rotary parameters of transformers for ``(source, factor)``, where hands are slowed; the factor
                is over plain hands, with that of a scaling that is there
    remap       a description with ``distance_map`` for ``(source, factor)``, where distances are shortened
    reach       of a remap, for a text of so many tokens: the longest distance that hands are given, and the
                distance below which every query tells distances apart as before
    moving      speeds hang on the length of the text, so that what a cache keeps may be of another length
    hazard      what a KV cache or a server must heed
    elsewhere   where it can be had, of a method that hardly any server knows
    """

    id: str
    name: Text
    idea: Text
    hazard: Text
    parameters: Callable[[Source, float], dict[str, Any]] | None = None
    remap: Callable[[Source, float], Any] | None = None
    reach: Callable[[Any, int], tuple[int, int]] | None = None
    moving: bool = False
    elsewhere: Text | None = None

    def unfit(self, source: Source, to: int) -> Text | None:
        """Why it can't be said of this model at all; None where it can.

        p-RoPE has a factor and a base, and nothing else. Windows and groups of remaps have a largest size.
        """
        if self.remap is not None:
            return TOO_LONG if max(source.trained, 2 * to // source.trained) > FARTHEST else None
        partial = source.form.rope_type == "proportional"
        return NO_SUCH_TYPE if partial and self.id not in ("linear", "ntk") else None


def _told(source: Source, kind: str, **more: Any) -> dict[str, Any]:
    return {"rope_type": kind, "rope_theta": source.theta, **more, **source.own(kind), **source.kept}


def _linear(source: Source, factor: float) -> dict[str, Any]:
    """p-RoPE has a factor of its own, that does the same."""
    kind = "proportional" if source.form.rope_type == "proportional" else "linear"
    return _told(source, kind, factor=factor)


def _ntk(source: Source, factor: float) -> dict[str, Any]:
    """A larger base, such that the slowest hand is ``factor`` times slower: no type needs to know of it."""
    kind = "proportional" if source.form.rope_type == "proportional" else "default"
    return _told(source, kind, rope_theta=source.theta * factor**source.stretch)


def _dynamic(source: Source, factor: float) -> dict[str, Any]:
    """With ``factor`` 1 a text of n tokens gets what NTK gives for n / L: as much as it needs."""
    return _told(source, "dynamic", factor=1.0)


def _yarn(source: Source, factor: float) -> dict[str, Any]:
    return _told(source, "yarn", factor=factor, original_max_position_embeddings=source.original_for("yarn"))


def _llama3(source: Source, factor: float) -> dict[str, Any]:
    return _told(
        source, "llama3", factor=factor, low_freq_factor=1.0, high_freq_factor=4.0,
        original_max_position_embeddings=source.original_for("llama3"),
    )  # fmt: skip


def _longrope(source: Source, factor: float) -> dict[str, Any]:
    """Lists as NTK would divide, on top of the model's own; searched ones are the point of the method."""
    pairs = source.width // 2
    own, more = source.form.scaling, factor / source.before
    if source.form.rope_type == "longrope":
        short, long = own["short_factor"], own["long_factor"]
    else:
        short, long = [1.0] * pairs, [1.0] * pairs
        more = factor
    divided = [more ** (i / (pairs - 1)) if pairs > 1 else more for i in range(pairs)]
    return _told(
        source, "longrope", factor=factor, short_factor=list(short),
        long_factor=[round(a * b, 6) for a, b in zip(long, divided, strict=True)],
        original_max_position_embeddings=source.original_for("longrope"),
    )  # fmt: skip


def _self_extend(source: Source, factor: float) -> Any:
    """The smallest group with which no distance of the longer text leaves the trained ones.

    The window is a multiple of the group, as llama.cpp asks: then (L - w) G + w tokens are reached exactly.
    """
    trained, wanted = source.trained, round(source.trained * factor)
    near = max(1, trained // EXACT)
    group = max(1, (wanted - near) // (trained - near))
    while (reached := (trained - near) * group + near // group * group) < wanted:
        group += 1 if reached + trained > wanted else (wanted - reached) // trained
    return describe("self-extend", window=near // group * group or near, group_size=group, **_of(source))


def _reach_self_extend(remap: Any, to: int) -> tuple[int, int]:
    """The first key of the last query: ``m // G + w - w // G``."""
    grouped = (to - 1) // remap.group_size + remap.window - remap.window // remap.group_size
    return grouped, remap.window


def _rerope(source: Source, factor: float) -> Any:
    return describe("rerope", window=max(1, source.trained // 2), **_of(source))


def _reach_rerope(remap: Any, to: int) -> tuple[int, int]:
    """A text longer than the trained length is longer than half of it."""
    return remap.window, remap.window


def _dual_chunk(source: Source, factor: float) -> Any:
    return describe("dual-chunk", original_max_position_embeddings=source.trained, **_of(source))


def _reach_dual_chunk(remap: Any, to: int) -> tuple[int, int]:
    """A query further than L - 1 - c into its chunk sees the chunk before it from L - 1, too near."""
    return remap.length - 1, remap.length - remap.chunk + 1


def _of(source: Source) -> Mapping[str, Any]:
    return {"head_dim": source.width, "rope_theta": source.theta}


STATIC = Text(
    "Nothing moves with the length, so a cache stays right. Short texts are turned the slower way too.",
    "转速不随长度变化，缓存始终正确。不过短文本也会按放慢后的速度转。",
)
BY_DISTANCE = Text(
    "The cache must keep unrotated keys, and attention must turn them by distance: kernels that take rotated "
    "keys can't.",
    "缓存必须保存未旋转的键，注意力再按距离旋转：只接受已旋转的键的内核做不到。",
)

METHODS: tuple[Method, ...] = (
    Method(
        id="linear",
        name=Text("linear (position interpolation)", "线性（位置内插）"),
        idea=Text("all hands slow alike", "所有指针一样放慢"),
        hazard=STATIC,
        parameters=_linear,
    ),
    Method(
        id="ntk",
        name=Text("NTK-aware (larger base)", "NTK（更大的底数）"),
        idea=Text("the slower a hand, the more it slows", "越慢的指针放得越慢"),
        hazard=STATIC,
        parameters=_ntk,
    ),
    Method(
        id="dynamic",
        name=Text("dynamic NTK", "动态 NTK"),
        idea=Text("NTK, as much as the text's length asks for", "NTK，放慢多少由文本长度决定"),
        hazard=Text(
            "Each new length turns all hands otherwise: keys that were cached at a shorter length keep the "
            "old turn, and scores with them are wrong. The cache must keep unrotated keys.",
            "长度一变，所有指针的转速都变：在较短长度时缓存的键仍是旧的角度，与它们算出的得分是错的。"
            "缓存必须保存未旋转的键。",
        ),
        parameters=_dynamic,
        moving=True,
    ),
    Method(
        id="yarn",
        name=Text("YaRN", "YaRN"),
        idea=Text("fast hands stay, slow ones slow; a sharper softmax", "快针不变，慢针放慢；softmax 更尖锐"),
        hazard=STATIC,
        parameters=_yarn,
    ),
    Method(
        id="llama3",
        name=Text("Llama 3", "Llama 3"),
        idea=Text(
            "fast hands stay, slow ones slow, by turns made in training",
            "快针不变，慢针放慢，以训练中转过的圈数为界",
        ),
        hazard=STATIC,
        parameters=_llama3,
    ),
    Method(
        id="longrope",
        name=Text("LongRoPE", "LongRoPE"),
        idea=Text("a divisor for each hand, found by a search", "每根指针一个除数，由搜索得到"),
        hazard=Text(
            "Speeds change once, at the trained length: keys cached before it keep the old turn after it. "
            "The list here stands in for a searched one; it is what NTK amounts to.",
            "转速在训练长度处变一次：在此之前缓存的键，之后仍是旧的角度。"
            "这里的列表只是代替搜索结果，相当于 NTK。",
        ),
        parameters=_longrope,
        moving=True,
    ),
    Method(
        id="self-extend",
        name=Text("Self-Extend", "Self-Extend"),
        idea=Text("near tokens exact, far ones in groups", "近处精确，远处分组"),
        hazard=BY_DISTANCE,
        remap=_self_extend,
        reach=_reach_self_extend,
        elsewhere=GROUPS,
    ),
    Method(
        id="rerope",
        name=Text("ReRoPE", "ReRoPE"),
        idea=Text("distances end at a window", "距离到窗口为止"),
        hazard=BY_DISTANCE,
        remap=_rerope,
        reach=_reach_rerope,
        elsewhere=ONLY_CODE,
    ),
    Method(
        id="dual-chunk",
        name=Text("dual chunk", "双块注意力"),
        idea=Text("exact within a chunk, nearly so beside it", "块内精确，相邻块近似"),
        hazard=BY_DISTANCE,
        remap=_dual_chunk,
        reach=_reach_dual_chunk,
        elsewhere=CHUNKS,
    ),
)
IDS = tuple(method.id for method in METHODS)
