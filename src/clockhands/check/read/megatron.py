"""Arguments of Megatron-LM and NeMo, whose names and defaults differ from those of transformers.

As in ``megatron/training/arguments.py`` and ``rotary_pos_embedding.py`` of NVIDIA/Megatron-LM (commit
00caa53) and NeMo's ``GPTConfig``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clockhands.check.architectures.added import Learned, NoPosition
from clockhands.check.architectures.mixtures import Architecture, ByLayer
from clockhands.check.architectures.relative import Bucketed
from clockhands.check.architectures.rope import Rope
from clockhands.check.architectures.widths import layer_count, root_of_width
from clockhands.check.read.rope_parameters import RopeParameters
from clockhands.check.settings import Settings, finite

OWN_KEYS = (
    "rotary_base", "rotary_percent", "rotary_percentage", "rotary_interleaved", "use_rope_scaling",
    "rotary_seq_len_interpolation_factor", "seq_len_interpolation_factor", "use_rotary_position_embeddings",
    "kv_channels", "num_query_groups", "position_embedding_type", "encoder_seq_length",
)  # fmt: skip

ALIASES = {
    "num_hidden_layers": "num_layers",
    "head_dim": "kv_channels",
    "num_key_value_heads": "num_query_groups",
    "rope_theta": "rotary_base",
}
DEFAULTS = {"rotary_base": 10000, "rotary_percent": 1.0, "rope_scaling_factor": 8.0}

LLAMA3 = {"low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}
"""Written in the code: no argument changes them."""

MLA = {"factor": 40.0, "original_max_position_embeddings": 4096, "mscale": 1.0, "mscale_all_dim": 0.0}
"""What ``MLATransformerConfig`` takes for YaRN."""


def is_megatron(values: Mapping[str, Any]) -> bool:
    """Whether these are arguments of Megatron: its names of layers and positions, and no ``model_type``."""
    return "model_type" not in values and "num_layers" in values and any(key in values for key in OWN_KEYS)


def megatron_settings(values: Mapping[str, Any]) -> Settings:
    """Its names for what every model has, and its defaults."""
    return Settings(values, defaults=DEFAULTS, aliases=ALIASES, model_type="megatron")


def megatron_stack(values: Mapping[str, Any]) -> Architecture:
    """What ``--position-embedding-type`` asks for; ``learned_absolute`` where nothing does."""
    kind = values.get("position_embedding_type")
    if values.get("use_rotary_position_embeddings"):
        kind = "rope"
    if kind is None:
        rotary = any(key in values for key in OWN_KEYS if key.startswith(("rotary", "seq_len")))
        kind = "rope" if rotary else "learned_absolute"
    if kind in ("rope", "mrope", "yarn"):
        turned = MegatronRope(
            layout=lambda s: "interleaved" if s.get("rotary_interleaved") else "half",
            partial=True,
            mrope=kind == "mrope",
            scale=_scale,
            window=_window,
            yarn=kind == "yarn" or values.get("rope_type") == "yarn",
        )
        return ByLayer(_kinds, {"rope": turned, "none": NoPosition(scale=_scale, window=_window)})
    if kind == "relative":
        return Bucketed(scale=_scale)
    if kind in ("none", "nope"):
        return NoPosition(scale=_scale, window=_window)
    return Learned(scale=_scale, window=_window)


@dataclass(frozen=True, kw_only=True)
class MegatronRope(Rope):
    """RoPE by Megatron's arguments; ``yarn``: whether frequencies are scaled so."""

    yarn: bool = False

    def parameters(self, s: Settings) -> RopeParameters:
        """Its arguments by the names of transformers."""
        named = {"rope_theta": "rotary_base", "mrope_section": "mrope_section"}
        named["partial_rotary_factor"] = next(
            (key for key in ("rotary_percent", "rotary_percentage") if key in s.file), "rotary_percent"
        )
        values: dict[str, Any] = {"rope_type": "default"}
        stretch = next(
            (
                key
                for key in ("rotary_seq_len_interpolation_factor", "seq_len_interpolation_factor")
                if key in s.file
            ),
            None,
        )
        if self.yarn:
            named.update({name: name for name in ("beta_fast", "beta_slow", "mscale", "mscale_all_dim",
                                                  "original_max_position_embeddings")})  # fmt: skip
            named["factor"] = "rotary_scaling_factor"
            values.update({"rope_type": "yarn", **MLA})
        elif s.get("use_rope_scaling"):
            named["factor"] = (
                "rotary_scaling_factor" if "rotary_scaling_factor" in s.file else "rope_scaling_factor"
            )
            values.update({"rope_type": "llama3", **LLAMA3})
        elif stretch is not None and s.get(stretch) not in (None, 1):
            named["factor"] = stretch
            values["rope_type"] = "linear"
        paths = {name: key for name, key in named.items() if key in s.file}
        values.update({name: s.get(key) for name, key in named.items() if s.get(key) is not None})
        share = finite(values.get("partial_rotary_factor"))
        if share is not None and share >= 1:
            values.pop("partial_rotary_factor")
        return RopeParameters(values, paths)


def _scale(s: Settings, width: int | None) -> float | None:
    given = s.number("softmax_scale")
    return root_of_width(s, width) if given is None else given


def _window(s: Settings) -> int | None:
    """``window_size`` counts the tokens to the left, the query not among them; -1 is no window."""
    given = s.get("window_size")
    left = given[0] if isinstance(given, list) and given else given
    return left + 1 if type(left) is int and 0 <= left < 2**53 else None


def _kinds(s: Settings) -> Sequence[str]:
    """``no_rope_freq``: a period whose last layer doesn't turn, or a list where 1 marks those that don't."""
    count, given = layer_count(s), s.get("no_rope_freq")
    if isinstance(given, list):
        still = [bool(each) for each in given[:count]]
        return ["none" if still[n : n + 1] == [True] else "rope" for n in range(count)]
    period = s.whole("no_rope_freq")
    return ["none" if period and (n + 1) % period == 0 else "rope" for n in range(count)]
