"""Models that can't be measured get one sentence, faults of the probe's own are not passed over, and what a
model and the process were they are afterwards."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch
import transformers as hf
from torch import Tensor, nn

from clockhands.check import measure
from clockhands.check.probe.hf import beside, examine, interface, positions, products, run, watch
from clockhands.errors import ClockhandsError

SIZES: dict[str, Any] = {
    "vocab_size": 40, "hidden_size": 72, "intermediate_size": 32, "num_hidden_layers": 2,
    "num_attention_heads": 3,
}  # fmt: skip


def llama(**others: Any) -> Any:
    torch.manual_seed(0)
    return hf.LlamaForCausalLM(hf.LlamaConfig(**{**SIZES, **others}))


def bloom() -> Any:
    return hf.BloomForCausalLM(hf.BloomConfig(vocab_size=40, hidden_size=72, n_layer=2, n_head=3))


def of_class(base: type[nn.Module], **methods: Any) -> Any:
    model = llama()
    model.__class__ = type("Mine", (base,), methods)
    return model


def on_meta() -> Any:
    with torch.device("meta"):
        return llama()


def no_number() -> Any:
    model = llama()
    model.model.layers[0].mlp.up_proj.weight.data[0, 0] = float("nan")
    return model


def uncopied() -> Any:
    model = llama()
    model.file = sys.stderr.buffer
    model.stream = io.TextIOWrapper(io.BytesIO())
    return model


def gives(*answers: Any) -> Callable[..., Any]:
    def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        yield from answers

    return forward


def falls(self: Any, *args: Any, **kwargs: Any) -> Any:
    raise KeyError("no\nkey")


CASES: dict[str, tuple[Callable[[], Any], str]] = {
    "without memory": (on_meta, "is on the meta device"),
    "no number": (no_number, r"layers\.0\.mlp\.up_proj\.weight holds numbers that are not finite"),
    "uncopied": (uncopied, "can't be copied"),
    "a generator": (lambda: of_class(hf.LlamaForCausalLM, forward=gives(1)), "no layers ran"),
    "nothing": (lambda: of_class(hf.LlamaForCausalLM, forward=lambda self, *a, **k: None), "no layers ran"),
    "raises": (lambda: of_class(hf.LlamaForCausalLM, forward=falls), "KeyError"),
    "no layers": (lambda: llama(num_hidden_layers=0), "no layers ran"),
    "no forward": (lambda: of_class(hf.PreTrainedModel), "could not be run on text alone"),
    "pictures": (
        lambda: hf.ViTModel(
            hf.ViTConfig(hidden_size=24, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8,
                         image_size=8, patch_size=4)
        ),
        "could not be run on text alone",
    ),
    "another library's": (lambda: nn.Sequential(nn.Linear(3, 3)), "can't be measured"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_one_sentence(case: str) -> None:
    make, says = CASES[case]
    with pytest.raises(ClockhandsError, match=says) as caught:
        measure(make())
    assert "\n" not in str(caught.value)
    assert caught.value.text.zh != caught.value.text.en


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_frequencies_that_a_cast_has_rounded(dtype: str) -> None:
    """The base stays in the settings; 0.46416 becomes 0.46411 or 0.46484."""
    found = measure(llama().to(getattr(torch, dtype))).findings
    assert [(each.code, each.severity) for each in found] == [("CH302", "error")]
    assert measure(llama()).findings == ()


def test_a_model_and_the_process_stay_as_they_were(capsys: pytest.CaptureFixture[str]) -> None:
    def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        print("hello")
        torch.set_default_dtype(torch.float64)
        torch.set_num_threads(torch.get_num_threads() + 1)
        torch.set_grad_enabled(True)
        torch.rand(3)
        return hf.LlamaForCausalLM.forward(self, *args, **kwargs)

    model = of_class(hf.LlamaForCausalLM, forward=forward).train()
    weights = {name: each.clone() for name, each in model.named_parameters()}
    settings = model.config.to_dict()
    process = torch.get_default_dtype(), torch.get_num_threads(), torch.get_rng_state().tolist()
    assert [form.family for form in examine(model).layers] == ["rope"]
    assert (torch.get_default_dtype(), torch.get_num_threads(), torch.get_rng_state().tolist()) == process
    assert torch.is_grad_enabled()
    assert capsys.readouterr().out == ""
    assert model.training
    assert model.config.to_dict() == settings
    assert all(torch.equal(each, weights[name]) for name, each in model.named_parameters())
    assert not any(each._forward_hooks or each._forward_pre_hooks for each in model.modules())


def broken(*_: Any, **__: Any) -> Any:
    raise ZeroDivisionError("a fault of the probe's own")


@pytest.mark.parametrize(
    ("module", "name", "make"),
    [
        (products, "factors", bloom),  # called from within the model's own products
        (interface, "_is_bias", llama),  # from within its attention
        (watch, "_hidden", llama),  # from within hooks
        (beside, "one_apart", llama),  # what is fed where attention is muted
        (beside, "_mixes", llama),
        (positions, "_flat", llama),
        (run, "constant", llama),
    ],
)
def test_faults_of_the_probe_are_not_passed_over(
    module: Any, name: str, make: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, name, broken)
    with pytest.raises(ZeroDivisionError, match="a fault of the probe's own"):
        examine(make())


def test_a_fault_that_the_model_swallows_is_not_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return hf.LlamaForCausalLM.forward(self, *args, **kwargs)
        except ZeroDivisionError:
            return None

    monkeypatch.setattr(interface, "_is_bias", broken)
    with pytest.raises(ZeroDivisionError):
        examine(of_class(hf.LlamaForCausalLM, forward=forward))


def test_what_a_model_refuses_is_left_out_and_said() -> None:
    """Texts in which a token differs from the others."""

    def forward(self: Any, hidden_states: Tensor, *args: Any, **kwargs: Any) -> Any:
        if (hidden_states[:2] != hidden_states[:1]).any():
            raise ValueError("rows that differ")
        return hf.models.llama.modeling_llama.LlamaDecoderLayer.forward(self, hidden_states, *args, **kwargs)

    model = llama()
    first = model.model.layers[0]
    first.__class__ = type("Mine", (type(first),), {"forward": forward})
    report = measure(model)
    assert [(each.code, each.severity) for each in report.findings] == [("CH307", "note")]
    assert "ValueError: rows that differ" in report.findings[0].message.en


def test_only_the_ways_of_attending_are_read_of_a_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever of the probe asks for anything else is caught."""
    asked: set[str] = set()
    plain = hf.PreTrainedConfig.__getattribute__

    def spied(self: Any, name: str) -> Any:
        if sys._getframe(1).f_globals.get("__name__", "").startswith("clockhands."):
            asked.add(name)
        return plain(self, name)

    monkeypatch.setattr(hf.PreTrainedConfig, "__getattribute__", spied)
    for model in (llama(), bloom()):
        examine(model)
    assert asked <= {"_attn_implementation", "_clockhands_was", "__class__", "__dict__", "__deepcopy__"}
    assert "_attn_implementation" in asked
