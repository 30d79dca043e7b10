"""Where a small model does not run: the settings are blamed where they are at fault, and only there."""

from __future__ import annotations

from typing import Any

import pytest

from clockhands.check.agreement import disagreements
from clockhands.check.probe.hf import cutting
from clockhands.check.probe.live import measured_small
from clockhands.check.read import read_config
from clockhands.check.unmeasured import QUESTIONS, partly

LLAMA: dict[str, Any] = {
    "model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008, "num_attention_heads": 32,
    "num_hidden_layers": 32, "num_key_value_heads": 8, "vocab_size": 32000, "rope_theta": 54321.0,
}  # fmt: skip
QWEN: dict[str, Any] = {
    "model_type": "qwen2_vl_text", "hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 32,
    "num_key_value_heads": 8, "vocab_size": 32000,
    "rope_parameters": {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [3, 4, 5]},
}  # fmt: skip


def said(config: dict[str, Any]) -> list[tuple[str, str, str]]:
    found = measured_small(read_config(config)).found
    return [(each.code, each.severity, each.message.en) for each in found if each.code >= "CH300"]


def test_sections_that_do_not_fit_the_head() -> None:
    ((code, severity, message),) = said(QWEN)
    assert (code, severity) == ("CH301", "error")
    assert "split_sizes=[3, 4, 5]" in message


def test_a_size_that_was_cut_wrongly_is_no_fault_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Heads of keys that don't divide those of queries: the class builds them, and falls over."""
    plain = cutting._cut_heads

    def wrong(inside: dict[str, Any], names: Any, most: int) -> None:
        plain(inside, names, most)
        inside["num_key_value_heads"] = inside["num_attention_heads"] + 1

    monkeypatch.setattr(cutting, "_cut_heads", wrong)
    ((code, severity, message),) = said(LLAMA)
    assert (code, severity) == ("CH306", "note")
    assert message.startswith("the settings run as they are, and the small model cut from them does not")


def test_a_smaller_cut_is_taken_where_the_largest_falls_over(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = cutting._cut_heads

    def wrong(inside: dict[str, Any], names: Any, most: int) -> None:
        plain(inside, names, most)
        if most == cutting.FEWEST:
            inside["num_key_value_heads"] = inside["num_attention_heads"] + 1

    monkeypatch.setattr(cutting, "_cut_heads", wrong)
    subject = measured_small(read_config(LLAMA))
    assert subject.measured is not None
    assert (subject.found, disagreements(subject)) == ((), ())


def test_a_class_that_does_not_run_with_its_own_defaults() -> None:
    """DeepSeek-V2's class knows no number of experts a token, and its layers ask for one."""
    config = {"model_type": "deepseek_v2", "hidden_size": 2048, "num_attention_heads": 16, "rope_theta": 1e4}
    ((code, severity, message),) = said(config)
    assert (code, severity) == ("CH306", "note")
    assert "with its own defaults either" in message


def test_a_fault_in_cutting_is_not_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise ZeroDivisionError("ours")

    monkeypatch.setattr(cutting, "_cut_wide", broken)
    with pytest.raises(ZeroDivisionError, match="ours"):
        measured_small(read_config(LLAMA))


def test_what_was_left_out_is_said() -> None:
    assert partly({}) == ()
    for name in QUESTIONS:
        (finding,) = partly({"left_out": {name: "ValueError: no"}})
        assert (finding.code, finding.severity) == ("CH307", "note")
        assert finding.message.en.endswith("could not be asked: ValueError: no")
        assert finding.message.zh != finding.message.en
