"""The glossary agrees with itself and with the code that uses its names."""

from __future__ import annotations

import dataclasses

from clockhands.catalogue import CATALOGUE
from clockhands.language import Text
from clockhands.terms import TERMS

OUR_OWN = {  # names that belong to one scheme or to how it is drawn, explained on the scheme itself
    "arrangement", "attend_current", "base", "bidirectional", "block_dim", "c", "combine", "conv_size",
    "d_conv", "d_model", "d_rel", "exponent", "extent", "first", "first_theta", "kernel_size", "last_theta",
    "layer", "learned", "linear_weight", "log_weight", "max_positions", "mlp_width", "npos_max", "num_axes",
    "num_layers", "num_masked_heads", "num_planes", "numbers", "omega", "phi_proj_rank", "position_width",
    "rank", "rel_extent", "seed", "sensitivity", "sinusoid_dim", "spacing", "style", "symmetric", "tags",
    "threshold", "use_bias", "use_gate", "variant", "width", "widths", "window_size",
}  # fmt: skip


def test_names_are_unique_and_no_alias_is_our_own_name_for_another_thing() -> None:
    names = [term.name for term in TERMS]
    assert len(set(names)) == len(names)
    for term in TERMS:
        assert term.name not in term.aliases


def test_every_term_is_explained_in_both_languages() -> None:
    for term in TERMS:
        for text in (term.word, term.meaning):
            assert text.en
            assert text.zh
        assert term.meaning.en.endswith(".")
        assert term.meaning.zh.endswith("。")
        assert (term.unit == Text("", "")) or all(term.unit)


def test_every_parameter_of_a_scheme_is_a_term_or_its_own() -> None:
    names = {term.name for term in TERMS}
    fields = {field.name for scheme in CATALOGUE for field in dataclasses.fields(scheme)}
    assert fields - names == OUR_OWN
