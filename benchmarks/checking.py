"""How long ``check`` takes: configurations, beside reading them with transformers, and a small model."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from benchmarks.harness import Contender, Report, ratios, spread, table, take_turns
from benchmarks.start_up import command

TURNS = 5
CONFIGS = Path(__file__).parent.parent / "tests/check/fixtures/alarms"
"""Configurations of published models, about 130."""
SMALL = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": 1000, "hidden_size": 256,
    "intermediate_size": 512, "num_attention_heads": 4, "num_key_value_heads": 2, "num_hidden_layers": 4,
    "max_position_embeddings": 2048, "rope_theta": 10000.0, "head_dim": 64,
}  # fmt: skip
CHECK, READ, MEASURE = (
    "`clockhands check config.json`", "`AutoConfig.from_pretrained` in Python, nothing checked",
    "`clockhands check config.json --measure`",
)  # fmt: skip


def readable() -> list[Path]:
    """Folders of configurations that transformers can read by itself, with no code of others."""
    from transformers import AutoConfig
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING
    from transformers.utils import logging

    logging.set_verbosity_error()  # it warns of what is odd in some
    found = []
    for folder in sorted(CONFIGS.iterdir()):
        file = folder / "config.json"
        if file.exists() and json.loads(file.read_text(encoding="utf-8")).get("model_type") in CONFIG_MAPPING:
            try:
                AutoConfig.from_pretrained(folder)
            except (ValueError, KeyError, TypeError, AttributeError, OSError):
                continue
            found.append(folder)
    return found


def processes(folder: Path) -> list[Contender]:
    """Whole commands: a new process each."""
    clockhands, config = command(), str(folder / "config.json")
    program = f"from transformers import AutoConfig; AutoConfig.from_pretrained({str(folder)!r})"

    def runs(*arguments: str) -> Callable[[], None]:
        def run() -> None:
            done = subprocess.run(arguments, check=False, capture_output=True)
            assert done.returncode in (0, 1), done.stderr  # 1: it found an error in the model

        return run

    return [
        Contender(CHECK, runs(clockhands, "check", config)),
        Contender(READ, runs(sys.executable, "-c", program)),
        Contender(MEASURE, runs(clockhands, "check", config, "--measure")),
    ]


def in_process(folders: list[Path]) -> list[Contender]:
    """All configurations one after the other, with everything imported."""
    from transformers import AutoConfig

    from clockhands.check.examine import examine

    def ours() -> None:
        for folder in folders:
            examine(str(folder / "config.json"))

    def theirs() -> None:
        for folder in folders:
            AutoConfig.from_pretrained(folder)

    return [Contender("`examine`", ours), Contender("`AutoConfig.from_pretrained`, nothing checked", theirs)]


def measure() -> Report:
    folders = readable()
    with tempfile.TemporaryDirectory() as place:
        small = Path(place)
        (small / "config.json").write_text(json.dumps(SMALL), encoding="utf-8")
        whole = take_turns(processes(small), TURNS)
    each = take_turns(in_process(folders), TURNS)
    head = ("", "time", "times `clockhands check`")
    rows = [(name, spread(took, "s"), ratios(took, whole[CHECK])) for name, took in whole.items()]
    ours = next(iter(each))
    inside = [
        (name, spread(took, "ms", 1e3 / len(folders)), ratios(took, each[ours]))
        for name, took in each.items()
    ]
    return Report(
        "Checking what a model does with position",
        (
            f"transformers {version('transformers')}. {TURNS} turns in alternation; median and range.",
            "### A process\n\nFrom the shell, for a Llama of 4 layers of width 256. `--measure` builds it "
            "and sees what it does, which takes torch and transformers.\n\n" + table(head, rows),
            f"### In a process that is there already\n\nTime for one of {len(folders)} configurations of "
            "published models.\n\n" + table(("", "time for one", "times `examine`"), inside),
        ),
    )
