"""What a command or a name imports: a budget of structure, not of time."""

import json
import subprocess
import sys
from pathlib import Path

HEAVY = (
    "PIL", "anywidget", "av", "fontTools", "gguf", "jieba", "matplotlib", "numba", "numpy", "pandas", "ray",
    "rich", "safetensors", "scipy", "sklearn", "sympy", "tensorboard", "torch", "tqdm", "transformers",
    "triton",
)  # fmt: skip
LOOK = """
import contextlib, io, json, sys
def look(name):
    ours = {".".join(each.split(".")[:2]) for each in sys.modules if each.startswith("clockhands.")}
    found[name] = sorted(set(HEAVY) & set(sys.modules)), sorted(ours), sorted(sys.modules)
def command(*arguments):
    from clockhands.cli import main
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        assert main([*arguments]) == 0, arguments
found = {}
"""

Found = dict[str, tuple[list[str], list[str], list[str]]]


def looked(program: str, **names: object) -> Found:
    """What ``look`` has seen in a process of its own: heavy packages, our packages, all modules."""
    given = "".join(f"{name} = {value!r}\n" for name, value in {"HEAVY": HEAVY, **names}.items())
    code = LOOK + given + program + "\nprint(json.dumps(found))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_each_command_imports_what_it_needs(tmp_path: Path) -> None:
    """In one process, the lightest first: each step adds what it needs, and nothing comes sooner."""
    config = tmp_path / "config.json"
    config.write_text(json.dumps({
        "model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2,
        "num_key_value_heads": 4, "intermediate_size": 128, "vocab_size": 100,
        "max_position_embeddings": 2048, "rope_theta": 10000.0,
    }))  # fmt: skip
    program = """
import clockhands as ch
look("import")
command("--help"); command("show", "--help"); command("compare", "--help"); command("check", "--help")
look("help")
ch.analysis.kernel.kernel([1.0], [0])
look("kernel")
command("check", config)
look("check")
ch.position_encoding(4, 8); ch.OwnFrequencies([1.0])
look("encoding")
command("extend", config, "--to", "8192")
command("list")
look("list")
command("show", "rope", "--view", "clock", "--positions", "2", "-o", folder + "/clock.gif")
look("clock")
command("show", "rope", "-o", folder + "/rope.png")
look("show")
"""
    found = looked(program, config=str(config), folder=str(tmp_path))
    heavy = {name: seen[0] for name, seen in found.items()}
    assert heavy == {
        "import": [], "help": [], "kernel": ["numpy"], "check": ["numpy"], "encoding": ["numpy"],
        "list": ["numpy"], "clock": ["PIL", "numpy", "tqdm"],
        "show": ["PIL", "fontTools", "matplotlib", "numpy", "tqdm"],
    }  # fmt: skip
    ours = {name: set(seen[1]) for name, seen in found.items()}
    assert ours["import"] == set()
    light = {"cli", "errors", "language", "writing"}
    assert {name.split(".")[1] for name in ours["help"]} <= light
    assert not ours["check"] & {f"clockhands.{name}" for name in ("catalogue", "plots", "views", "claims")}
    assert "clockhands.catalogue.alibi" not in found["encoding"][2]  # one scheme does not bring all
    assert "clockhands.catalogue.alibi" in found["list"][2]
    assert not {"clockhands.plots", "clockhands.views"} & ours["list"]
    assert not {"clockhands.core", "clockhands.schemes", "clockhands.real"} & ours["show"]
    assert "matplotlib.pyplot" not in found["show"][2]


def test_models_bring_torch_and_no_more() -> None:
    """Neither the compiler of torch, nor kernels that are not used, nor models of other people."""
    program = """
import clockhands as ch
ch.Transformer, ch.make("rope", head_dim=8), ch.conformance
import clockhands.experiments.run, clockhands.training.attend
look("models")
"""
    heavy, _, modules = looked(program)["models"]
    assert set(heavy) <= {"numpy", "safetensors", "torch", "tqdm"}
    assert "torch._dynamo" not in modules
