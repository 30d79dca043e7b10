"""Text parts of models that see, hear or speak as well, where their code is their own.

Where a part is a model by itself, such as Llama's in LLaVA, its own ``model_type`` says all.
"""

from __future__ import annotations

from dataclasses import replace

from clockhands.check.architectures.added import NoPosition
from clockhands.check.architectures.common import LLAMA, OTHER
from clockhands.check.architectures.granite import GRANITE
from clockhands.check.architectures.latent import latent, layout_told
from clockhands.check.architectures.mixtures import Architecture, ByLayer
from clockhands.check.architectures.patterns import FULL, LINEAR, last_of
from clockhands.check.architectures.qwen_vision import QWEN2, QWEN3
from clockhands.check.architectures.rope import Rope
from clockhands.check.architectures.widths import split_width
from clockhands.check.form import LayerForm
from clockhands.check.settings import Settings

GLM_SECTIONS, ERNIE_SECTIONS = (8, 12, 12), (22, 22, 20)


class HeightFirst(Rope):
    """Ernie: sections are told as height, width, time; height and width take the fast hands by turns."""

    def __call__(self, s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
        return tuple(_time_first(form) for form in super().__call__(s, layers))


def _time_first(form: LayerForm) -> LayerForm:
    told = form.mrope_section or ()
    return replace(form, mrope_section=(told[2], *told[:2]) if len(told) == 3 else None)


def unturned_width(s: Settings) -> int | None:
    """Of latent attention without a part that turns."""
    return s.whole("qk_nope_head_dim")


SEEING: dict[str, Architecture] = {
    # Whole heads in halves, on one axis
    "chameleon": Rope(head_dim=split_width),  # queries and keys are normed before they turn
    "deepseek_ocr2_text": LLAMA,
    "granite4_vision_text": GRANITE,
    "granite_docling_text": GRANITE,
    "unlimited_ocr_text": LLAMA,  # its window is of what it writes only, and in the cache
    # Three axes in chunks: time, height, width
    "glm4v_moe_text": Rope(partial=True, mrope=GLM_SECTIONS),
    "glm4v_text": Rope(layout="interleaved", partial=True, mrope=GLM_SECTIONS),
    "glm_image_text": Rope(partial=True, mrope=GLM_SECTIONS),
    "glm_ocr_text": Rope(layout="interleaved", partial=True, mrope=GLM_SECTIONS),
    "hunyuan_vl_text": Rope(mrope=True),  # as many axes as sections; queries and keys are normed afterwards
    "paddleocr_vl_text": Rope(mrope=(16, 24, 24)),
    "qwen2_5_omni_text": QWEN2,
    # Three axes that alternate
    "cosmos3_edge_text": QWEN3,
    "ernie4_5_vl_moe_text": HeightFirst(layout="interleaved", mrope=ERNIE_SECTIONS, mrope_interleaved=True),
    "qwen3_omni_moe_text": QWEN3,
    # Latent attention
    "mistral4": latent(layout_told),  # turned queries grow by llama_4_scaling_beta beyond the trained length
    # … which turns nothing, after every three layers that are no attention
    "glm5_next_text": ByLayer(
        last_of(4, last="indexed_attention", others=LINEAR),
        {
            "indexed_attention": NoPosition(head_dim=unturned_width),
            FULL: NoPosition(head_dim=unturned_width),
            LINEAR: OTHER,
        },
    ),
}
