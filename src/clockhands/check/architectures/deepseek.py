"""DeepSeek's generations and dots3, whose layers have settings of their own."""

from __future__ import annotations

from collections.abc import Mapping

from clockhands.check.architectures.latent import latent, latent_width, layout_told, turned_width
from clockhands.check.architectures.mixtures import Architecture, ByLayer, Within
from clockhands.check.architectures.patterns import FULL, SLIDING, listed, told_or
from clockhands.check.architectures.rope import Rope
from clockhands.check.architectures.widths import Width, root_of_width
from clockhands.check.read.rope_parameters import RopeParameters, rope_parameters_of
from clockhands.check.settings import Settings

SPARSE, HEAVY, INDEXED = "compressed_sparse_attention", "heavily_compressed_attention", "indexed_attention"
RATIOS = {0: SLIDING, 4: SPARSE, 128: HEAVY}
"""Kinds of layers by their older ``compress_ratios``."""


class LabelledRope(Rope):
    """DeepSeek-V4: parameters ``main`` are for windows alone, ``compress`` for layers that see further.

    A file that has no such dictionaries scales ``compress`` only, whose base has a key of its own, and YaRN's
    attention factor is then 1.
    """

    def parameters(self, s: Settings) -> RopeParameters:
        """Those of the label."""
        given = s.within("rope_parameters") or s.within("rope_scaling")
        if isinstance(given.get("main"), Mapping) and isinstance(given.get("compress"), Mapping):
            return super().parameters(s)
        if self.layer_type == "main":
            values = {"rope_type": "default", "rope_theta": s.get("rope_theta", 10000.0)}
            return RopeParameters({**values, "partial_rotary_factor": share(s)}, written(s, "rope_theta"))
        found = rope_parameters_of(s, layer_type="compress", partial=False)
        values = {
            **found.values,
            "rope_theta": s.get("compress_rope_theta", 160000.0),
            "partial_rotary_factor": share(s),
        }
        if values["rope_type"] == "yarn":
            values.setdefault("attention_factor", 1.0)
        paths = {name: path for name, path in found.paths.items() if name != "rope_theta"}
        return RopeParameters(values, {**paths, **written(s, "compress_rope_theta")}, found.ignored)


def written(s: Settings, key: str) -> dict[str, str]:
    """Where the base is told, if it is."""
    path = s.written(key)
    return {"rope_theta": path} if path else {}


def share(s: Settings) -> float:
    """Part of the head that turns: told, or by ``qk_rope_head_dim``, else 64 of 512."""
    told, turned, width = s.number("partial_rotary_factor"), s.whole("qk_rope_head_dim"), s.whole("head_dim")
    if s.written("partial_rotary_factor") and told is not None:
        return told
    return turned / width if turned and width else 64 / 512


def v4_kinds(s: Settings) -> list[str]:
    """Two layers compressed heavily, then heavily and sparsely by turns."""
    ratios = listed(s, "compress_ratios")

    def rule(s: Settings, n: int, count: int) -> str:
        if n < len(ratios):
            return RATIOS.get(ratios[n], "") if isinstance(ratios[n], int) else ""
        return HEAVY if n < 2 or n % 2 == 0 else SPARSE

    return list(told_or(rule)(s))


def labelled(label: str) -> LabelledRope:
    """``[unturned | turned]``; values turn as keys do, and what attention gives is turned back.

    Beyond the window a query sees compressed keys only.
    """
    return LabelledRope(
        layout="interleaved",
        rotary_dims="suffix",
        partial=True,
        layer_type=label,
        window="sliding_window",
    )


def dots3_kinds(s: Settings) -> list[str]:
    """Windows but in the first two layers and every fourth after them."""
    uses_index = s.get("use_dsa", None if s.written("per_layer_config") else True)
    windowed = s.get("use_sliding_window", True)

    def rule(s: Settings, n: int, count: int) -> str:
        if not windowed or n < 2 or n % 4 == 1:
            return FULL if uses_index is False else INDEXED
        return SLIDING

    return list(told_or(rule)(s))


def in_windows(name: str, older: str, usual: int) -> Width:
    """A width of the layers with windows: under the settings of a layer, or ``swa_…`` of older files."""

    def width(s: Settings) -> int | None:
        layers = s.get("per_layer_config") if s.written("per_layer_config") else None
        if not isinstance(layers, Mapping):
            return s.whole(older) or usual
        first = next((n for n, kind in enumerate(dots3_kinds(s)) if kind == SLIDING), 0)
        told = {str(key).lstrip("0") or "0": value for key, value in layers.items()}.get(str(first))
        inner = Settings(told) if isinstance(told, Mapping) else None
        return (inner and inner.whole(name)) or s.whole(name)

    return width


def turned_in_windows(s: Settings) -> int | None:
    """What is left of the head, where it isn't told."""
    if s.written("per_layer_config") or s.written("swa_qk_rope_head_dim"):
        return in_windows("qk_rope_head_dim", "swa_qk_rope_head_dim", 64)(s)
    width, unturned = in_windows("head_dim", "swa_head_dim", 256)(s), unturned_in_windows(s)
    return None if width is None or unturned is None else width - unturned


unturned_in_windows = in_windows("qk_nope_head_dim", "swa_qk_nope_head_dim", 192)


def width_in_windows(s: Settings) -> int | None:
    """Of a whole query."""
    unturned, turned = unturned_in_windows(s), turned_in_windows(s)
    return None if unturned is None or turned is None else unturned + turned


def dots3(kind: str) -> Rope:
    """Latent attention without YaRN's scale; what turns is told by widths, whatever part is told."""
    windowed = kind == SLIDING
    return DotsRope(
        layout="interleaved",
        head_dim=width_in_windows if windowed else latent_width,
        rotary_dim=turned_in_windows if windowed else turned_width,
        rotary_dims="suffix",
        layer_type=kind,
        scale=root_of_width,
        window=(lambda s: s.whole("sliding_window") or s.whole("sliding_window_size") or 512)
        if windowed
        else None,
    )


class DotsRope(Rope):
    """dots3: bases are 50000 in windows and 80000000 without, under ``swa_rope_theta`` and ``rope_theta``."""

    def parameters(self, s: Settings) -> RopeParameters:
        """The dictionary of these layers, else the base of their own."""
        found = super().parameters(s)
        if s.within("rope_parameters") or s.within("rope_scaling"):
            return found
        key, usual = ("swa_rope_theta", 50000.0) if self.layer_type == SLIDING else ("rope_theta", 80000000.0)
        path = {"rope_theta": key} if s.written(key) else {}
        return RopeParameters({"rope_type": "default", "rope_theta": s.get(key, usual)}, path, found.ignored)


DOTS3 = ByLayer(dots3_kinds, {kind: dots3(kind) for kind in (INDEXED, FULL, SLIDING)})

DEEPSEEKS: dict[str, Architecture] = {
    "deepseek_v2": latent(),  # as complex numbers
    "deepseek_v3": latent(layout_told),
    "deepseek_v32": latent(),  # its indexer, which picks keys, turns a prefix in halves
    "deepseek_v4": ByLayer(
        v4_kinds, {SLIDING: labelled("main"), SPARSE: labelled("compress"), HEAVY: labelled("compress")}
    ),
    "dots3_note": Within("text_config", DOTS3, "dots3_note_text"),
    "dots3_note_text": DOTS3,
}
