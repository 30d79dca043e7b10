"""What a comparison found, for programs: JSON, and a table of all that was measured, as CSV or Parquet."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator
from typing import Any

from clockhands.errors import MissingExtra
from clockhands.experiments.report import Report
from clockhands.experiments.results.sections import conclusions
from clockhands.language import Language, Text

COLUMNS: tuple[str, ...] = (
    "task", "scheme", "seed", "length", "score", "tokens", "items", "undefined", "failed", "rate",
    "validation", "parameters", "position_parameters", "hidden", "flops", "cache_bytes", "speed", "seconds",
    "cell",
)  # fmt: skip
"""``score``: mean over the items, as the task counts; ``tokens``: share guessed right."""
WORDS = ("task", "scheme", "undefined", "failed", "cell")
WHOLE = ("seed", "length", "items", "parameters", "position_parameters", "hidden", "flops", "cache_bytes")


def as_csv(found: Report, lang: Language = "en") -> str:
    """One line for each length of each training; a failed one has one line that says why."""
    target = io.StringIO()
    writer = csv.DictWriter(target, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(_lines(found, lang))
    return target.getvalue()


def as_parquet(found: Report, lang: Language = "en") -> bytes:
    """The lines of ``as_csv`` with their types; MissingExtra without pyarrow (extra ``parquet``)."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtra(Text("writing Parquet", "写 Parquet "), "parquet") from error
    lines = list(_lines(found, lang))
    whole, words = pyarrow.int64(), pyarrow.string()
    kinds = {name: pyarrow.float64() for name in COLUMNS} | dict.fromkeys(WHOLE, whole)
    schema = pyarrow.schema(kinds | dict.fromkeys(WORDS, words))
    target = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(lines, schema), target)
    return target.getvalue()


def _lines(found: Report, lang: Language) -> Iterator[dict[str, Any]]:
    for one in found.standings:
        for row in one.rows:
            about: dict[str, Any] = {
                "task": one.task, "scheme": one.scheme, "seed": row.seed, "rate": row.rate, "cell": row.id,
                "seconds": row.seconds,
            }  # fmt: skip
            if row.failed is not None:
                yield about | {"failed": row.failed.said_in(lang)}
                continue
            about |= {name: getattr(row, name) for name in COLUMNS[10:17]}
            for length in one.lengths:
                here: dict[str, Any] = {"length": length}
                if length in row.measured:
                    measured = row.measured[length]
                    here |= {"score": measured.mean, "tokens": measured.tokens, "items": len(measured.scores)}
                elif length in row.undefined:
                    here |= {"undefined": row.undefined[length].said_in(lang)}
                yield about | here


def as_record(found: Report) -> dict[str, Any]:
    """For programs; what is not a number is null."""

    def number(value: float) -> float | None:
        return value if math.isfinite(value) else None

    return {
        "design": found.design.to_json(),
        "cells": {"finished": found.cells[0], "all": found.cells[1]},
        "power": found.power._asdict() | {"enough": found.power.enough},
        "standings": [
            {
                "scheme": one.scheme, "task": one.task, "lengths": list(one.lengths),
                "within": one.within and one.within._asdict(), "past": one.past and one.past._asdict(),
                "quartiles": one.spread and one.spread._asdict(),
                "successes": one.successes
                and dict(zip(("count", "of", "low", "high"), one.successes, strict=True)),
                "seeds": [
                    {
                        "seed": row.seed, "rate": row.rate, "parameters": row.parameters,
                        "position_parameters": row.position_parameters, "seconds": row.seconds,
                        "failed": row.failed and row.failed._asdict(),
                        "scores": {str(length): measured.mean for length, measured in row.measured.items()},
                        "tokens": {str(length): measured.tokens for length, measured in row.measured.items()},
                    }
                    for row in one.rows
                ],
            }
            for one in found.standings
        ],
        "pairs": [
            {
                "task": pair.task, "first": pair.first, "second": pair.second,
                "difference": pair.difference._asdict(), "p": pair.p, "corrected": pair.corrected,
                "detectable": number(pair.detectable), "better": pair.better,
            }
            for pair in found.pairs
        ],
        "conclusions": [one._asdict() for one in conclusions(found)],
    }  # fmt: skip
