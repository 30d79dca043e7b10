"""No value of whatever kind, at whatever key, makes a rule raise: reading alone has errors of its own."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from around import GEMMA, LLAMA, LLAMA3, LONG, YARN, but

from clockhands.check.read.config import read_config
from clockhands.check.rules import findings
from clockhands.errors import ClockhandsError

FIXTURES = Path(__file__).parent.parent / "fixtures"

VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 2.5, 10**400, 1e308, 1e-308, float("nan"), "8", [], [1, "a"], {"a": 1},
    {"sliding_attention": 3, "full_attention": {}}, {"rope_type": ["x"], "type": {}},
    {"rope_type": "yarn", "factor": [1]},
)  # fmt: skip

MORE = ("rope_scaling", "rope_parameters", "layer_types", "no_rope_layers", "head_dim", "text_config")

SERVED = (("transformers", None, None), ("vllm", 50000, "bf16"), ("llama.cpp", 1, "fp16"))

CONFIGS = {
    "yarn": but(LLAMA, rope_scaling={**YARN, "mscale": 1.0, "mscale_all_dim": 0.5, "attention_factor": 1.0}),
    "llama3": but(LLAMA, rope_scaling=LLAMA3),
    "longrope": but(LLAMA, rope_scaling=LONG, partial_rotary_factor=0.5),
    "dynamic": but(LLAMA, rope_scaling={"type": "dynamic", "factor": 2.0}),
    "nested": GEMMA,
    "nope": json.loads((FIXTURES / "bugs" / "B33-no-rope-layers-inverted.json").read_text(encoding="utf-8")),
    "latent": json.loads((FIXTURES / "bugs" / "B23-softmax-scale.json").read_text(encoding="utf-8")),
    "t5": json.loads((FIXTURES / "alarms" / "t5-small" / "config.json").read_text(encoding="utf-8")),
}


def places(config: dict[str, Any], home: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for key, value in config.items():
        yield (*home, key)
        if isinstance(value, dict):
            yield from places(value, (*home, key))


@pytest.mark.parametrize("name", CONFIGS)
def test_no_value_makes_a_rule_raise(name: str) -> None:
    read = 0
    for place in (*places(CONFIGS[name]), *((key,) for key in MORE)):
        for value in VALUES:
            config = copy.deepcopy(CONFIGS[name])
            home: Any = config
            for key in place[:-1]:
                home = home[key]
            home[place[-1]] = value
            try:
                subject = read_config(config)
            except ClockhandsError:
                continue
            framework, length, dtype = SERVED[read % len(SERVED)]
            findings(replace(subject, framework=framework, dtype=dtype).served(length))  # type: ignore[arg-type]
            read += 1
    assert read > 100


NOT_FINITE = {
    "rope_theta": but(LLAMA, rope_theta=float("nan")),
    "hidden_size": but(LLAMA, hidden_size=float("inf")),
    "num_attention_heads": but(LLAMA, num_attention_heads=float("nan")),
    "max_position_embeddings": but(LLAMA, max_position_embeddings=float("-inf")),
    "rope_scaling.factor": but(LLAMA, rope_scaling={**YARN, "factor": float("nan")}),
    "rope_scaling.original_max_position_embeddings": but(
        LLAMA, rope_scaling={**YARN, "original_max_position_embeddings": float("inf")}
    ),
    "rope_scaling.long_factor": but(LLAMA, rope_scaling={**LONG, "long_factor": [float("nan")] * 64}),
    "relative_attention_max_distance": but(LLAMA, relative_attention_max_distance=float("nan")),
    "rope_parameters.full_attention.rope_theta": but(
        GEMMA,
        rope_parameters={
            **GEMMA["rope_parameters"],
            "full_attention": {"rope_type": "default", "rope_theta": float("nan")},
        },
    ),
}


@pytest.mark.parametrize("key", NOT_FINITE)
def test_a_number_that_is_not_finite_is_told_once_and_is_an_error(key: str) -> None:
    of_key = [each for each in findings(read_config(NOT_FINITE[key])) if key in each.keys]
    assert [(each.code, each.severity) for each in of_key] == [("CH091", "error")]
    assert re.search(r"holds (NaN|-?Infinity), which is no finite number", of_key[0].message.en)


def test_a_key_that_stands_twice_and_is_not_finite_is_told_of_both(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text('{"model_type": "llama", "rope_theta": 1e4, "rope_theta": 1e400}', encoding="utf-8")
    assert [each.code for each in findings(read_config(path)) if "rope_theta" in each.keys] == [
        "CH090",
        "CH091",
    ]
