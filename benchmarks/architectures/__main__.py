"""``python -m benchmarks.architectures [MODEL_TYPE …]``: measure every text architecture and write the
table."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from benchmarks.architectures.table import write

TIMEOUT = 180.0
"""Seconds that one architecture may take, imports included, on a machine that others use too."""

WORKERS = 1
KINDS = ("CAUSAL_LM", "MASKED_LM", "SEQ_TO_SEQ_CAUSAL_LM", "TEXT_ENCODING")


def model_types() -> list[str]:
    """Every text architecture that the installed transformers has."""
    from transformers.models.auto import modeling_auto

    found: set[str] = set()
    for kind in KINDS:
        found |= set(getattr(modeling_auto, f"MODEL_FOR_{kind}_MAPPING_NAMES"))
    return sorted(found)


def _start() -> subprocess.Popen[str]:
    env = {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error"}
    return subprocess.Popen(
        [sys.executable, "-m", "benchmarks.architectures.worker"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env,
    )  # fmt: skip


def _serve(todo: Queue[str], done: list[dict[str, Any]]) -> None:
    worker = _start()
    while True:
        try:
            kind = todo.get_nowait()
        except Empty:
            break
        assert worker.stdin is not None
        assert worker.stdout is not None
        worker.stdin.write(kind + "\n")
        worker.stdin.flush()
        ready, _, _ = select.select([worker.stdout], [], [], TIMEOUT)
        line = worker.stdout.readline() if ready else ""
        if line:
            done.append(json.loads(line))
        else:
            why = "the worker ended" if ready else f"took more than {TIMEOUT:g} s"
            done.append({"model_type": kind, "result": "not measured", "why": why})
            worker.kill()
            worker.wait()
            worker = _start()
        print(f"{len(done)} {kind}: {done[-1]['result']} {done[-1].get('why', '')}", flush=True)
    worker.kill()
    worker.wait()


def main(wanted: list[str]) -> None:
    """Measure them, and write ``benchmarks/architectures.md`` if it was all of them."""
    todo: Queue[str] = Queue()
    for kind in wanted or model_types():
        todo.put(kind)
    done: list[dict[str, Any]] = []
    threads = [threading.Thread(target=_serve, args=(todo, done)) for _ in range(min(WORKERS, todo.qsize()))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    done.sort(key=lambda each: each["model_type"])
    for each in done:
        for line in each.get("differences", ()):
            print(f"{each['model_type']}: {line}")
        if each["result"].startswith("not ") and "why" in each:
            print(f"{each['model_type']}: {each['result']}: {each['why']}")
    if keep := os.environ.get("ARCHITECTURES_JSON"):
        Path(keep).write_text(json.dumps(done, indent=1), encoding="utf-8")
    if not wanted:
        write(done, Path(__file__).parent.parent / "architectures.md")


if __name__ == "__main__":
    main(sys.argv[1:])
