"""Encoders that turn and see windows to both sides: NeoMME, UltraBERT, and T5Gemma's stacks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from clockhands.check.architectures.common import root_key
from clockhands.check.architectures.mixtures import Architecture, ByLayer, Chosen, Together, Within
from clockhands.check.architectures.patterns import FULL, SLIDING, last_of, listed, told_or
from clockhands.check.architectures.rope import Rope
from clockhands.check.architectures.widths import Width
from clockhands.check.form import LayerForm
from clockhands.check.read.rope_parameters import DICTIONARIES, RopeParameters
from clockhands.check.settings import Settings, finite

LONG_WINDOW = 1024
"""NeoMME: a constant of its configuration class, ``default_long_sliding_window``."""


def both_sides(window: int | None) -> int | None:
    """So many tokens to either side, and the token itself: masks take distances up to it."""
    return None if window is None else 2 * window + 1


def sixth_and_last(s: Settings, n: int, count: int) -> str:
    """NeoMME: every sixth layer sees everything, and the last."""
    return FULL if (n + 1) % 6 == 0 or n == count - 1 else SLIDING


NEOMME_KINDS = told_or(sixth_and_last)


def neomme_windows(s: Settings) -> list[int | None]:
    """For every layer: ``sliding_window`` and 1024 by turns, unless a file tells single layers theirs."""
    kinds, windows, sliding = NEOMME_KINDS(s), list[int | None](), 0
    told = s.get("per_layer_config") if s.written("per_layer_config") else None
    layers = told if isinstance(told, Mapping) else None
    given = {str(key).lstrip("0") or "0": value for key, value in (layers or {}).items()}
    for n, kind in enumerate(kinds):
        own = given.get(str(n))
        if kind != SLIDING:
            windows.append(None)
        elif layers is None and sliding % 2:
            windows.append(LONG_WINDOW)
        elif isinstance(own, Mapping) and "sliding_window" in own:
            windows.append(Settings(own).whole("sliding_window"))
        else:
            windows.append(s.whole("sliding_window"))
        sliding += kind == SLIDING
    return windows


def two_axes(form: LayerForm) -> LayerForm:
    """Rows and columns of a page take hands by turns; text has one position on both of them."""
    if form.inv_freq is None:
        return form
    rows = (len(form.inv_freq) + 1) // 2
    return replace(form, mrope_section=(rows, len(form.inv_freq) - rows), mrope_interleaved=True)


def neomme(s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
    """A quarter of the head turns where all is seen, all of it in windows, whose widths differ."""
    groups: dict[tuple[str, int | None], list[int]] = {}
    for n, (kind, window) in enumerate(zip(NEOMME_KINDS(s), neomme_windows(s), strict=True)):
        if kind in (FULL, SLIDING) and (layers is None or n in layers):
            groups.setdefault((kind, window), []).append(n)
    return tuple(
        replace(two_axes(form), window=both_sides(window))
        for (kind, window), members in groups.items()
        for form in Rope(layer_type=kind, partial=True)(s, tuple(members))
    )


def ultra_kinds(s: Settings) -> list[str]:
    """Every third without a window; older files list the window of every layer, 0 where there is none."""
    windows = listed(s, "attention_windows")

    def rule(s: Settings, n: int, count: int) -> str:
        if windows:
            return SLIDING if n < len(windows) and windows[n] else FULL
        return SLIDING if (n + 1) % 3 else FULL

    return list(told_or(rule)(s))


def ultra_window(s: Settings) -> int | None:
    """``sliding_window``, or the first that older files list."""
    older = Settings({"first": next((each for each in listed(s, "attention_windows") if each), None)})
    return both_sides(older.whole("first") or s.whole("sliding_window"))


class ListedRope(Rope):
    """UltraBERT: older files list a base for every layer; the last of a kind counts for all of it."""

    def parameters(self, s: Settings) -> RopeParameters:
        """Those of these layers."""
        found = super().parameters(s)
        if any(s.within(name) for name in DICTIONARIES):
            return found
        bases = [
            each
            for kind, each in zip(ultra_kinds(s), listed(s, "rope_theta"), strict=False)
            if kind == self.layer_type and finite(each) is not None
        ]
        if not bases:
            return found
        values = {**found.values, "rope_type": "default", "rope_theta": bases[-1]}
        return RopeParameters(values, {**found.paths, "rope_theta": "rope_theta"}, found.ignored)


ULTRABERT = ByLayer(
    ultra_kinds,
    {FULL: ListedRope(layer_type=FULL), SLIDING: ListedRope(layer_type=SLIDING, window=ultra_window)},
)


def to_both_sides(s: Settings) -> int | None:
    """T5Gemma's encoder."""
    return both_sides(s.whole("sliding_window"))


def gemma_stack(window: str | Width) -> ByLayer:
    """T5Gemma: every other layer has a window, the first among them."""
    scale = root_key("query_pre_attn_scalar")
    return ByLayer(last_of(2), {SLIDING: Rope(scale=scale, window=window), FULL: Rope(scale=scale)})


# Windows of T5Gemma 2 hold as many tokens as told to both sides together in the encoder too
GEMMA2_STACK = ByLayer(
    last_of("sliding_window_pattern", 6),
    {
        kind: Rope(
            layer_type=kind,
            scale=root_key("query_pre_attn_scalar"),
            window="sliding_window" if kind == SLIDING else None,
        )
        for kind in (SLIDING, FULL)
    },
)
GEMMA2_ENCODER = Within("text_config", GEMMA2_STACK, "t5gemma2_text")

BIDIRECTIONALS: dict[str, Architecture] = {
    "neomme": neomme,
    "t5gemma": Together(
        (
            Within("encoder", gemma_stack(to_both_sides), "t5_gemma_module", "encoder"),
            Within("decoder", gemma_stack("sliding_window"), "t5_gemma_module", "decoder"),
        )
    ),
    "t5_gemma_module": Chosen(
        lambda s: str(bool(s.get("is_decoder"))),
        {"True": gemma_stack("sliding_window"), "False": gemma_stack(to_both_sides)},
    ),
    # Its decoder looks at its own text and at the encoder's at once; keys of the encoder's are not turned
    "t5gemma2": Together(
        (
            Within("encoder", GEMMA2_ENCODER, "t5gemma2_encoder", "encoder"),
            Within("decoder", GEMMA2_STACK, "t5gemma2_decoder", "decoder"),
        )
    ),
    "t5gemma2_encoder": GEMMA2_ENCODER,
    "t5gemma2_text": GEMMA2_STACK,
    "t5gemma2_decoder": GEMMA2_STACK,
    "ultrabert": ULTRABERT,
    "ultravbert": Within("text_config", None, "ultrabert"),
}
