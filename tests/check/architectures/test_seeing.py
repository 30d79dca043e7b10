"""Text parts of models that see or hear: entries against published sizes, and against small models."""

from __future__ import annotations

from typing import Any

import pytest

from clockhands.check.architectures import find
from clockhands.check.architectures.seeing import SEEING
from clockhands.check.examine import examine
from clockhands.check.form import LayerForm

SMALL = {
    "hidden_size": 96, "num_attention_heads": 4, "num_key_value_heads": 2, "num_hidden_layers": 2,
    "head_dim": 24, "max_position_embeddings": 530,
}  # fmt: skip


def form_of(config: dict[str, Any], **options: Any) -> LayerForm:
    (form,) = examine(config, **options).layers
    return form


def turned(**more: Any) -> dict[str, Any]:
    return {**SMALL, "rope_parameters": {"rope_type": "default", "rope_theta": 54321.0, **more}}


def test_every_part_is_found_by_its_type() -> None:
    assert all(find(model_type) is entry for model_type, entry in SEEING.items())


def test_half_a_head_of_glm_turns_and_layouts_of_its_two_parts_differ() -> None:
    """GLM-4.1V-9B and GLM-4.5V: heads of 128, ``partial_rotary_factor`` 0.5, 8 + 12 + 12 hands of 32."""
    sizes = {"hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 40}
    for model_type, layout in (("glm4v_text", "interleaved"), ("glm4v_moe_text", "half")):
        form = form_of({"model_type": model_type, **sizes, "head_dim": 128, "partial_rotary_factor": 0.5})
        assert (form.layout, form.rotary_dim, form.rotary_dims) == (layout, 64, "prefix")
        assert form.mrope_section == (8, 12, 12)


def test_a_composite_speaks_of_its_text_part() -> None:
    form = form_of({"model_type": "glm4v", "text_config": turned(mrope_section=[2, 4, 6])})
    assert (form.layout, form.layers, form.mrope_section) == ("interleaved", (0, 1), (2, 4, 6))


def test_ernie_tells_height_and_width_before_time() -> None:
    """Its file has 22, 22, 20: height, width, time; the normal form begins with time."""
    form = form_of({"model_type": "ernie4_5_vl_moe_text", "hidden_size": 2560, "num_attention_heads": 20})
    assert (form.mrope_section, form.mrope_interleaved, form.rotary_dim) == ((20, 22, 22), True, 128)


def test_hunyuan_has_as_many_axes_as_sections() -> None:
    form = form_of({"model_type": "hunyuan_vl_text", **turned(mrope_section=[3, 3, 3, 3])})
    assert form.mrope_section == (3, 3, 3, 3)
    assert form_of({"model_type": "hunyuan_vl_text", **turned()}).mrope_section is None


def test_granite_multiplies_its_scores() -> None:
    for model_type in ("granite4_vision_text", "granite_docling_text"):
        assert form_of({"model_type": model_type, **turned(), "attention_multiplier": 0.3}).score_scale == 0.3


def test_every_fourth_layer_of_glm5_is_attention_and_none_turns() -> None:
    report = examine({"model_type": "glm5_next_text", "num_hidden_layers": 8, "qk_nope_head_dim": 24})
    assert [(form.layers, form.family, form.mixer) for form in report.layers] == [
        ((0, 1, 2, 4, 5, 6), "none", "other"),
        ((3, 7), "none", "attention"),
    ]
    assert report.layers[1].head_dim == 24


MEASURED = {
    "glm4v_text": turned(mrope_section=[2, 3, 1], partial_rotary_factor=0.5),
    "glm_image_text": turned(mrope_section=[2, 3, 1], partial_rotary_factor=0.5),
    "hunyuan_vl_text": turned(mrope_section=[3, 3, 3, 3]),
    "paddleocr_vl": {"text_config": {"model_type": "paddleocr_vl_text", **turned(mrope_section=[2, 4, 6])}},
    "ernie4_5_vl_moe": {
        "text_config": {"model_type": "ernie4_5_vl_moe_text", **turned(mrope_section=[5, 5, 2])}
    },
}


@pytest.mark.parametrize("model_type", MEASURED)
def test_small_models_do_what_is_written_of_them(model_type: str) -> None:
    report = examine({"model_type": model_type, **MEASURED[model_type]}, measure=True)
    assert [(form.source, form.layers) for form in report.layers] == [("both", (0, 1))]
    assert [each.code for each in report.findings if each.severity != "note"] == []
