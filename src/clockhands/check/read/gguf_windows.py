"""Which layers of a GGUF file see a window, and which turn nothing."""

from __future__ import annotations

from clockhands.check.form import WindowKind
from clockhands.check.read.gguf_kinds import DENSE_TURN, NO_ROPE_EVERY, WINDOWS, Windows
from clockhands.check.read.gguf_values import Values

WINDOW, PATTERN = "attention.sliding_window", "attention.sliding_window_pattern"


def windows_of(v: Values, layers: int) -> Windows | None:
    """The pattern of this file; None where no layer has a window.

    Gemma 3 and others without a length in the file have none. Llama 4 with a length of 0 neither, and there
    all layers turn.
    """
    pattern = WINDOWS.get(v.arch)
    if pattern is None or (pattern.only_layers is not None and pattern.only_layers != layers):
        return None
    if v.raw(WINDOW) == 0 or (not v.has(WINDOW) and not pattern.window):
        return None
    return pattern


def is_windowed(v: Values, windows: Windows | None, layer: int, layers: int) -> bool:
    """Whether this layer sees a window only."""
    if windows is None:
        return False
    told = v.raw(PATTERN)
    if isinstance(told, tuple):
        each = v.by_layer(PATTERN, layers)
        return each is not None and bool(each[layer])
    period = windows.period
    if period == 0:  # one value stands for all layers
        return isinstance(told, int) and bool(told)
    if isinstance(told, int) and not isinstance(told, bool) and told >= 0:
        period = told
    if period == 0:  # llama.cpp takes 0 as: all of them
        return True
    return layer % period != 0 if windows.full_first else layer % period < period - 1


def window_of(v: Values, windows: Windows | None) -> int | None:
    """Tokens that the window holds. Llama 4 and SmallThinker take theirs whatever the file says."""
    if windows is None:
        return None
    fixed = {"llama4": 8192, "smallthinker": 4096}.get(v.arch)
    width = fixed or v.whole(WINDOW) or windows.window or None
    return 2 * (width // 2) + 1 if width and windows.shape == "symmetric" else width  # half on each side


def window_kind(windows: Windows | None) -> WindowKind | None:
    """How the window lies; half of a symmetric one is ahead, and it slides too."""
    if windows is None:
        return None
    return "chunked" if windows.shape == "chunked" else "sliding"


def turns_nothing(v: Values, windows: Windows | None, layer: int, *, windowed: bool) -> bool:
    """Whether this layer is one without RoPE in a model that has it."""
    if v.arch.startswith("granite") and v.raw("rope.scaling.finetuned") is False:
        return True  # Granite's files use this key as the switch
    if v.arch in NO_ROPE_EVERY:
        return (layer + 1) % NO_ROPE_EVERY[v.arch] == 0
    if windows is None or windows.full_turns or windowed:
        return False
    dense = v.whole("leading_dense_block_count", least=0) if v.arch in DENSE_TURN else None
    return dense is None or layer >= dense
