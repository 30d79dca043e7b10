"""The files of a trial: a page, a table for spreadsheets, and everything for programs."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

from clockhands.extend.trials.found import Found, Mean
from clockhands.extend.trials.page import as_page
from clockhands.extend.trials.words import sentences
from clockhands.language import Language
from clockhands.writing import written_aside

REPORT, TABLE, RECORD = "report.html", "results.csv", "results.json"
COLUMNS = (
    "method", "length", "windows", "perplexity", "loss", "loss_95", "same_tokens_rise", "same_tokens_rise_95",
    "passkeys_right", "passkeys_asked",
)  # fmt: skip


def write(found: Found, lang: Language) -> tuple[Path, ...]:
    """All three into the folder of the trial. ClockhandsError if they can't be written."""
    assert found.path is not None
    contents = {
        REPORT: as_page(found, lang), TABLE: as_csv(found),
        RECORD: json.dumps(as_record(found), ensure_ascii=False, indent=1, allow_nan=False) + "\n",
    }  # fmt: skip
    for name, content in contents.items():
        with written_aside(found.path / name) as aside:
            aside.write_text(content, encoding="utf-8", newline="\n", errors="backslashreplace")
    return tuple(found.path / name for name in contents)


def as_csv(found: Found) -> str:
    """A row for each method at each length."""
    target = io.StringIO()
    writer = csv.DictWriter(target, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for each in _rows(found):
        writer.writerow({name: each[name] for name in COLUMNS})
    return target.getvalue()


def as_record(found: Found) -> dict[str, Any]:
    """For programs; what was not measured is null."""
    design = found.design
    positions = {
        method: {
            str(length): None if read is None else [round(float(each), 5) for each in read]
            for length in design.lengths
            for read in (found.by_position(method, length),)
        }
        for method in design.methods
    }
    return {
        "design": design.to_json(),
        "windows": {"read": len(found.rows), "all": len(design.cells())},
        "seconds": round(found.seconds, 1),
        "methods": _rows(found),
        "says": [each._asdict() for each in sentences(found)],
        "loss_by_position": positions,
    }


def _rows(found: Found) -> list[dict[str, Any]]:
    made = []
    for method in found.design.methods:
        for length in found.design.lengths:
            loss, rise = found.loss(method, length), found.rise(method, length)
            right, asked = found.retrieved(method, length)
            made.append({
                "method": method, "length": length, "windows": found.design.windows(length),
                "perplexity": found.perplexity(method, length),
                **_told("loss", loss), **_told("same_tokens_rise", rise),
                "passkeys_right": right if asked else None, "passkeys_asked": asked,
            })  # fmt: skip
    return made


def _told(name: str, mean: Mean | None) -> dict[str, float | None]:
    if mean is None:
        return {name: None, f"{name}_95": None}
    return {name: mean.value, f"{name}_95": None if math.isnan(mean.either_side) else mean.either_side}
