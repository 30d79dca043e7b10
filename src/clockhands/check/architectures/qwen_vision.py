"""Qwen's models that see: a text has one position on all three axes, a picture has rows and columns."""

from __future__ import annotations

from dataclasses import dataclass

from clockhands.check.architectures.axes import ThreeAxes
from clockhands.check.architectures.mixtures import Architecture, ByLayer, Within
from clockhands.check.architectures.patterns import FULL, SLIDING, windows_where
from clockhands.check.architectures.qwen import if_used, past_the_whole_ones
from clockhands.check.architectures.rope import Rope
from clockhands.check.form import LayerForm
from clockhands.check.settings import Settings

SECTIONS = (16, 24, 24)

QWEN2 = ByLayer(
    windows_where(past_the_whole_ones),
    {FULL: Rope(mrope=SECTIONS), SLIDING: Rope(mrope=SECTIONS, window=if_used)},
)
"""Hands in three chunks: time, height, width."""

QWEN3 = ThreeAxes(mrope=(24, 20, 20), mrope_interleaved=True)


@dataclass(frozen=True)
class Flat:
    """A text part under ``text_config``; files of its first years have its keys beside the others."""

    part: Architecture
    model_type: str

    def __call__(self, s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
        from clockhands.check.architectures import settings_of

        if s.file.get("text_config") is not None:
            return Within("text_config", self.part, self.model_type)(s, layers)
        return self.part(settings_of({**s.file, "model_type": self.model_type}), layers)


SEEING: dict[str, Architecture] = {
    "qwen2_vl": Flat(QWEN2, "qwen2_vl_text"),
    "qwen2_vl_text": QWEN2,
    "qwen2_5_vl": Flat(QWEN2, "qwen2_5_vl_text"),
    "qwen2_5_vl_text": QWEN2,
    "qwen3_vl": Within("text_config", QWEN3, "qwen3_vl_text"),
    "qwen3_vl_text": QWEN3,
    "qwen3_vl_moe": Within("text_config", QWEN3, "qwen3_vl_moe_text"),
    "qwen3_vl_moe_text": QWEN3,
}
