"""The kinds of layers: one for each, and a window where one is needed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import Part, parts
from clockhands.check.saying import has
from clockhands.check.subject import Subject
from clockhands.language import Text

_ENTRY, _LAYER = Text("entry", "项"), Text("layer", "层")
WINDOWS = ("sliding_window", "sliding_window_size", "local_attention", "window_size", "attention_window_size")
PATTERNS = ("sliding_window_pattern", "_sliding_window_pattern", "global_attn_every_n_layers")


def _check(subject: Subject) -> Iterator[Finding]:
    for part in parts(subject):
        told = part.settings.file.get("layer_types")
        if isinstance(told, list) and told:
            yield from _of(part, told)


def _of(part: Part, told: list[object]) -> Iterator[Finding]:
    key, layers = part.key("layer_types"), part.settings.whole("num_hidden_layers")
    if layers is not None and len(told) != layers:
        keys = [key, part.key("num_hidden_layers")]
        yield RULE.finding(
            "error",
            keys,
            Text(
                f"{key} has {has(len(told), _ENTRY, 'entries').en}, and the model {has(layers, _LAYER).en}",
                f"{key} 有 {len(told)} 项，而模型有 {layers} 层",
            ),
            Text("write a type for each layer", "每层写一个类型"),
        )
    window = next((name for name in WINDOWS if part.settings.get(name) is not None), None)
    if "sliding_attention" in told and window is None:
        yield RULE.finding(
            "warning",
            [key, part.key("sliding_window")],
            Text(
                f"{key} has sliding layers, and {part.key('sliding_window')} gives no window",
                f"{key} 中有滑动窗口层，而 {part.key('sliding_window')} 没有给出窗口",
            ),
            Text("write the window in tokens", "写上窗口大小（词元数）"),
        )
    every = next((name for name in PATTERNS if name in part.settings.file), None)
    if every is not None and part.settings.whole(every):
        yield from _pattern(part, told, every)


def _pattern(part: Part, told: list[object], name: str) -> Iterator[Finding]:
    every = part.settings.whole(name) or 1
    full = [layer for layer, kind in enumerate(told) if kind == "full_attention"]
    steps = {after - before for before, after in itertools.pairwise(full)}
    if len(full) > 1 and steps != {every}:
        keys = [part.key("layer_types"), part.key(name)]
        yield RULE.finding(
            "warning",
            keys,
            Text(
                f"{keys[1]} is {every}, but in {keys[0]} full layers follow one another after "
                f"{' or '.join(map(str, sorted(steps)))}: programs that read the list go by it",
                f"{keys[1]} 为 {every}，而 {keys[0]} 中全注意力层相隔 {' 或 '.join(map(str, sorted(steps)))} "
                "层：会读列表的程序以列表为准",
            ),
            Text("write the same pattern in both, or remove the number", "两处写成一致，或者删去这个数"),
        )


RULE = Rule(
    code="CH029",
    title=Text("the pattern of layers doesn't fit", "层的排布不符"),
    story=Text(
        "Which layers see a window and which see everything is written as a list, as a number (every "
        "sixth), or both. Programs read one of the two. A list of another length than the model has layers "
        "was left over from a larger model, and shifts base and window of every layer after the first that "
        "is wrong.",
        "哪些层只看窗口、哪些看全部，可以写成列表，也可以写成一个数（每六层一次），或两者都写。程序只读其中"
        "之一。与层数不符的列表是从更大的模型遗留下来的，会使出错之后每一层的底数和窗口都错位。",
    ),
    check=_check,
    reference="huggingface/transformers #48392",
)
