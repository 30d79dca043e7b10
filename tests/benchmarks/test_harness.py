"""The harness takes turns, and says where it measured."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import harness, machine, start_up
from benchmarks.__main__ import main, names
from benchmarks.similarity import double_loop, matrix_product


def test_contenders_take_turns_forward_and_backward():
    log = []
    contenders = [
        harness.Contender("a", lambda: log.append("a")),
        harness.Contender("b", lambda: log.append("b"), repeats=2),
    ]
    seconds = harness.take_turns(contenders, turns=2)
    assert "".join(log) == "ab" + "abb" + "bba"
    assert {name: len(taken) for name, taken in seconds.items()} == {"a": 2, "b": 2}


def test_turns_that_last_long_are_few(monkeypatch):
    clock = iter(range(0, 10**6, 10))  # each look at the clock is ten seconds later
    monkeypatch.setattr(harness.time, "perf_counter", lambda: float(next(clock)))
    contenders = [harness.Contender("a", lambda: None)]
    assert len(harness.take_turns(contenders, 20, within=1.0)["a"]) == harness.LEAST
    assert len(harness.take_turns(contenders, 20, within=310.0)["a"]) == 9
    assert len(harness.take_turns(contenders, 20)["a"]) == 20


def test_a_verdict_says_whether_a_target_is_reached():
    assert harness.verdict("x", 1.0, 1.0, most=True).endswith("reached")
    assert harness.verdict("x", 1.1, 1.0, most=True).endswith("**missed**")
    assert harness.verdict("x", 0.9, 1.0, most=False, because="so").endswith("**missed**: so")
    assert harness.median_ratio([2.0, 9.0, 4.0], [1.0, 3.0, 1.0]) == 3.0


def test_ratios_are_taken_within_a_turn():
    assert harness.ratios([2.0, 300.0, 9.0], [1.0, 100.0, 9.0]) == "2 (1 to 3)"
    assert harness.spread([0.001, 0.003, 0.002], "ms", 1e3) == "2 ms (1 to 3)"


def test_a_report_names_its_machine(tmp_path, monkeypatch):
    monkeypatch.setattr(harness, "RESULTS", tmp_path / "results")
    text = (
        harness.Report("Title", (harness.table(("a", "b"), [("1", "x|y")]),))
        .write("trial")
        .read_text("utf-8")
    )
    assert text.startswith("# Title\n\nMeasured on 20")
    assert "| a | b |\n| --- | --- |\n| 1 | x\\|y |" in text
    assert machine.processor() in text
    assert "OPENBLAS_CORETYPE=" in text
    assert f"| numpy | {np.__version__} |" in text


def test_peers_of_the_similarity_benchmark_agree():
    rows = np.random.default_rng(0).normal(size=(9, 4))
    np.testing.assert_allclose(double_loop(rows), matrix_product(rows), atol=1e-12)


def test_every_benchmark_is_found_and_a_misspelt_one_is_refused(monkeypatch, capsys):
    assert {"similarity", "kernel", "start_up"} <= set(names())
    assert not {"harness", "machine", "__main__"} & set(names())
    monkeypatch.setattr("sys.argv", ["benchmarks", "kernle"])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert "no benchmark named kernle" in capsys.readouterr().err


def test_imports_of_python_and_of_a_script_are_listed(tmp_path: Path) -> None:
    script = tmp_path / "says.py"
    script.write_text("import wave\n")
    for command in ((sys.executable, "-c", "import wave"), (str(script),)):
        assert start_up.imports("wave", *command)
        assert not start_up.imports("tabnanny", *command)


def test_what_cannot_be_measured_leaves_the_others_alone(monkeypatch, capsys, tmp_path):
    class Module:
        def __init__(self, lacks):
            self.lacks = lacks

        def measure(self):
            if self.lacks:
                raise SystemExit(self.lacks)
            return harness.Report("Here", ("one",))

    modules = {"benchmarks.page": Module("no browser"), "benchmarks.rope": Module("")}
    monkeypatch.setattr(importlib, "import_module", modules.__getitem__)
    monkeypatch.setattr(harness, "RESULTS", tmp_path)
    monkeypatch.setattr(sys, "argv", ["benchmarks", "page", "rope"])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 1
    assert [path.name for path in tmp_path.iterdir()] == ["rope.md"]
    assert capsys.readouterr().err == "not measured, page: no browser\n"
