"""The step of ``action.yml`` and the hook of pre-commit call the command as it can be called."""

from __future__ import annotations

import json
import os
import subprocess
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STEP = textwrap.dedent((ROOT / "action.yml").read_text(encoding="utf-8").rpartition("run: |\n")[2])

CALLS = [
    ("a/config.json\n\n  \nb c/config.json\n", "", ["a/config.json", "b c/config.json"], []),
    ("m.gguf", "--strict\n--dtype bf16", ["m.gguf"], ["--strict", "--dtype", "bf16"]),
    ("m.json", """--override '{"rope_theta": 1e6}'""", ["m.json"], ["--override", '{"rope_theta": 1e6}']),
]


@pytest.mark.parametrize(("targets", "options", "files", "words"), CALLS)
def test_the_step_of_a_workflow(
    tmp_path: Path, targets: str, options: str, files: list[str], words: list[str]
) -> None:
    fake = tmp_path / "clockhands"
    fake.write_text("#!/bin/sh\nfor word; do printf '%s\\n' \"$word\"; done\nexit 1\n")
    fake.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEP],
        env={"PATH": path, "TARGETS": targets, "OPTIONS": options},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines() == ["check", "--each", "--format", "github", *words, "--", *files]


def test_the_hook_of_pre_commit(run) -> None:
    """What it calls, with the files behind it: all are told, and the exit code is that of the worst."""
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    (entry,) = [line.split(": ", 1)[1] for line in hook.splitlines() if line.strip().startswith("entry:")]
    good = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "rope_theta": 10000.0}
    for name, theta in (("one.json", 10000.0), ("two.json", 0.5)):
        Path(name).write_text(json.dumps({**good, "rope_theta": theta}))
    program, *words = entry.split()
    assert program == "clockhands"
    said = run(*words, "one.json", "two.json")
    assert (said.code, "one.json" in said.out, "CH001 error" in said.out) == (1, True, True)
    assert run(*words, "one.json").code == 0
