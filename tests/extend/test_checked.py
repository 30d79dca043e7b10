"""``clockhands check`` finds nothing wrong in what a plan proposes, but for what the plan says itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from clockhands.check import Report, examine
from clockhands.check.subject import Framework
from clockhands.extend import Plan, plan
from clockhands.extend.settings import FRAMEWORKS, Setting
from clockhands.extend.wording import LETTERS

FILES = Path(__file__).parent.parent / "check" / "fixtures" / "alarms"
SERVED_BY: dict[str, Framework] = {
    "transformers": "transformers", "vllm": "vllm", "sglang": "vllm", "llama.cpp": "llama.cpp",
}  # fmt: skip

# Of methods that slow hands, those that each framework can be told; "-" where none.
OFFERED = {
    "llama-2-7b": "linear TVSL, ntk TVSL, dynamic T, yarn TVSL, llama3 TVS, longrope TVS",
    # a GGUF file has Llama 3's scaling as a tensor, with which options multiply
    "llama-3.1-8b": "linear TVS, ntk TVS, dynamic T, yarn TVS, llama3 TVS, longrope TVS",
    # the text model is nested, and SGLang's override replaces it as a whole
    "gemma-3-12b": "linear TVL, ntk TVL, dynamic T, yarn TVL, llama3 TV, longrope TV",
    "gemma-3-1b": "linear TVL, ntk TVL, dynamic T, yarn TVL, llama3 TV, longrope TV",
    # p-RoPE has a factor and a base alone
    "gemma-4-26b-a4b": "linear TV, ntk TV",
    # llama.cpp slows its windowed layers along, which transformers leaves alone
    "mimo-v2-flash": "linear TV, ntk TV, dynamic T, yarn TV, llama3 TV, longrope TV",
    "gpt-neox-20b": "linear TVSL, ntk TVSL, dynamic T, yarn TVSL, llama3 TVS, longrope TVS",
    "mixtral-8x22b": "linear TVSL, ntk TVSL, dynamic T, yarn TVSL, llama3 TVS, longrope TVS",
    # its class takes longrope alone
    "phi-3.5-mini": "linear -, ntk TVS, dynamic -, yarn -, llama3 -, longrope TVS",
    "phi-3.5-vision": "linear TVS, ntk TVS, dynamic T, yarn TVS, llama3 TVS, longrope TVS",
    "deepseek-r1": "linear TVSL, ntk TVSL, dynamic T, yarn TVSL, llama3 TVS, longrope TVS",
    "kimi-k2.5": "linear TVL, ntk TVL, dynamic T, yarn TVL, llama3 TV, longrope TV",
    "internlm2.5-7b": "linear TVSL, ntk TVSL, dynamic T, yarn TVSL, llama3 TVS, longrope TVS",
    # its class reads no scaling at all
    "gpt-j-6b": "linear L, ntk L, dynamic -, yarn L, llama3 -, longrope -",
    # llama.cpp rounds the bounds of YaRN, and this model has them unrounded
    "gpt-oss-20b": "linear TVSL, ntk TVSL, dynamic T, yarn TVS, llama3 TVS, longrope TVS",
    "glm-5.2": "linear TVSL, ntk TVSL, dynamic T, yarn TVSL, llama3 TVS, longrope TVS",
    "glm-4-9b-0414": "linear TVSL, ntk TVSL, dynamic T, yarn TVSL, llama3 TVS, longrope TVS",
    "qwen3-8b": "linear TVSL, ntk TVSL, dynamic T, yarn TVSL, llama3 TVS, longrope TVS",
}


def planned(name: str) -> Plan:
    trained = plan(FILES / name, 2).source.trained
    return plan(FILES / name, 4 * trained)


def served(name: str, setting: Setting | None, framework: str, to: int) -> Report:
    target, server = FILES / name, SERVED_BY[framework]
    if setting is None:
        return examine(target, framework=server)
    if framework == "llama.cpp":
        return examine(target, framework=server, served_length=to, llama_cpp=setting.keys)
    return examine(target, framework=server, served_length=to, override=setting.keys)


def warned(report: Report) -> set[str]:
    return {finding.code for finding in report.findings if finding.severity != "note"}


@pytest.mark.parametrize("name", OFFERED)
def test_what_is_proposed_is_sound(name: str) -> None:
    made = planned(name)
    told = {each: warned(served(name, None, each, made.to)) for each in FRAMEWORKS}
    wrong = []
    for step in made.steps:
        for setting in step.settings:
            report = served(name, setting, setting.framework, made.to)
            new = warned(report) - told[setting.framework]
            if new - set(setting.announced):
                wrong.append((step.method.id, setting.framework, setting.what.en, new))
    assert wrong == []


@pytest.mark.parametrize("name", OFFERED)
def test_where_each_method_can_be_had(name: str) -> None:
    """And each framework that has none of it says why, in a sentence."""
    made, said = planned(name), []
    for step in made.steps:
        missing = {each.framework: each.why for each in step.missing}
        assert {*step.frameworks, *missing} == set(FRAMEWORKS)
        assert not set(step.frameworks) & set(missing)
        assert all(why.en and why.zh for why in missing.values())
        if step.method.parameters is not None:
            letters = "".join(LETTERS[each] for each in FRAMEWORKS if each in step.frameworks)
            said.append(f"{step.method.id} {letters or '-'}")
    assert ", ".join(said) == OFFERED[name]


def test_what_is_announced_does_come() -> None:
    """A hazard that the check never tells would hide one that it does."""
    heard: dict[str, set[str]] = {}
    announced: dict[str, set[str]] = {}
    for name in ("llama-2-7b", "phi-3.5-mini", "glm-5.2", "qwen3-8b"):
        made = planned(name)
        for step in made.steps:
            for setting in step.settings:
                codes = warned(served(name, setting, setting.framework, made.to))
                heard.setdefault(setting.framework, set()).update(codes & set(setting.announced))
                announced.setdefault(setting.framework, set()).update(setting.announced)
    assert announced == heard
    assert heard == {
        "transformers": {"CH017", "CH035", "CH037"},
        "vllm": {"CH017", "CH037"},
        "sglang": {"CH017", "CH037"},
        "llama.cpp": {"CH037", "CH206"},
    }


def test_dual_chunk_is_had_in_sglang_for_two_families() -> None:
    step = planned("qwen3-8b").step("dual-chunk")
    (setting,) = step.settings
    told = setting.keys["dual_chunk_attention_config"]
    assert setting.framework == "sglang"
    assert "--attention-backend dual_chunk_flash_attn" in setting.paste
    assert told["original_max_position_embeddings"] == 40960
    assert told["chunk_size"] + told["local_size"] == 40960
    assert planned("llama-2-7b").step("dual-chunk").settings == ()


def test_keys_are_written_where_each_program_looks() -> None:
    """Phi-3 in version 4 takes three keys and no other; SGLang reads rope_scaling, vLLM rope_parameters."""
    phi = {each.what.en: each for each in planned("phi-3.5-mini").step("longrope").settings}
    old = phi["config.json, version 4"].keys
    assert old["rope_scaling"].keys() == {"type", "short_factor", "long_factor"}
    names = {
        each.framework: {key for key in each.keys if key.startswith("rope_")}
        for each in planned("llama-2-7b").step("yarn").settings
    }
    assert names["sglang"] == {"rope_theta", "rope_scaling"}
    assert names["vllm"] == {"rope_theta", "rope_parameters"}


def test_a_file_with_a_tensor_of_divisors_is_to_be_converted_again() -> None:
    missing = {each.framework: each.why.en for each in planned("llama-3.1-8b").step("yarn").missing}
    assert "convert again" in missing["llama.cpp"]
    missing = {each.framework: each.why.en for each in planned("gpt-oss-20b").step("yarn").missing}
    assert "otherwise than planned" in missing["llama.cpp"]


def test_what_can_be_set_somewhere_comes_first() -> None:
    """GPT-J's class reads no scaling: linear can be had in llama.cpp, Llama 3's nowhere."""
    assert plan(FILES / "gpt-j-6b", 8192, methods=["linear", "llama3"]).begin == "linear"
    assert plan(FILES / "llama-2-7b", 8192, methods=["dynamic", "longrope"]).begin == "longrope"
