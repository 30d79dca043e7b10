"""The table of results: every architecture, misses included."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any


def write(results: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write it aside and rename it, so that a run that is stopped leaves the old one."""
    aside = path.with_suffix(".new")
    aside.write_text(text(results), encoding="utf-8")
    aside.replace(path)


def text(results: Sequence[Mapping[str, Any]]) -> str:
    """The page."""
    counts = Counter(each["result"] for each in results)
    total = len(results)
    lines = [
        "# Architectures: measured against what their code was read to do",
        "",
        f"transformers {version('transformers')}, torch {version('torch')}; every key of its causal, masked, "
        "sequence-to-sequence and text-encoding maps. Made by `make architectures`.",
        "",
        "Each is built small with odd settings (`benchmarks/architectures/settings.py`), measured without "
        "its configuration, and compared, layer by layer and field by field, with the entry written by hand "
        "from its modelling code (`src/clockhands/check/architectures/`).",
        "",
        f"**{counts['agrees']} of {total} agree in every layer and field**; "
        + "; ".join(f"{counts[each]} {each}" for each in sorted(counts) if each != "agrees")
        + ".",
        "",
        "| architecture | class | settings | measured | result |",
        "|---|---|---|---|---|",
    ]
    for each in results:
        said = "; ".join(each.get("differences", ())) or (
            each.get("why", "") if "measured" not in each else ""
        )
        result = each["result"] + (f": {said}" if said else "")
        cells = (
            each["model_type"], each.get("class", ""), each.get("settings", ""),
            "<br>".join(_form(form) for form in each.get("measured", ())), result,
        )  # fmt: skip
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def _form(form: Mapping[str, Any]) -> str:
    """One form in few words."""
    stack = f"{form['stack']} " if form["stack"] else ""
    words = [f"{stack}{_layers(form['layers'])}: {form['family']}"]
    if form["mixer"] == "other":
        words.append("no attention")
    if form["family"] == "rope":
        words.append(f"{form['layout']} {form['rotary_dim']}/{form['head_dim']} {form['rotary_dims']}")
        if form["rope_theta"]:
            words.append(f"base {form['rope_theta']:g}")
        words += [str(form["rope_type"])] if form["rope_type"] not in (None, "default") else []
        if form["mrope_section"]:
            words.append(
                f"sections {form['mrope_section']}{' interleaved' if form['mrope_interleaved'] else ''}"
            )
    if form["rows"]:
        words.append(f"{form['rows']} rows from {form['offset']}")
    if form["num_buckets"]:
        words.append(f"{form['num_buckets']} buckets to {form['max_distance']}")
    if form["window"]:
        words.append(f"{'chunk' if form['window_kind'] == 'chunked' else 'window'} {form['window']}")
    return ", ".join(words)


def _layers(layers: Sequence[int]) -> str:
    if len(layers) > 2 and list(layers) == list(range(layers[0], layers[-1] + 1)):
        return f"{layers[0]}–{layers[-1]}"
    return ", ".join(map(str, layers))
