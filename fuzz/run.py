"""``python -m fuzz.run gguf --seconds 600``: feeds one target with bytes from atheris, and counts.

Needs the extra ``fuzz``. Ends with the number of executions and the seconds; a fault ends it at once, with
its bytes in ``crash-…`` in the folder it was started in.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["clockhands.check.read", "fuzz.harness", "json"]):
    from fuzz import harness, seeds

TARGETS = {name: getattr(harness, name) for name in ("gguf", "safetensors", "folder", "config")}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--corpus", type=Path, help="a folder kept from run to run")
    asked = parser.parse_args()
    warnings.simplefilter("error")  # numpy's too: a number that overflows unseen is a fault
    with tempfile.TemporaryDirectory() as fresh:
        corpus = asked.corpus or Path(fresh)
        corpus.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(seeds.of(asked.target)):
            (corpus / f"seed-{number}").write_bytes(seed)
        options = [f"-max_total_time={asked.seconds}", "-max_len=8192", "-timeout=10", "-rss_limit_mb=1024"]
        atheris.Setup([sys.argv[0], str(corpus), *options, "-print_final_stats=1"], TARGETS[asked.target])
        atheris.Fuzz()


if __name__ == "__main__":
    main()
