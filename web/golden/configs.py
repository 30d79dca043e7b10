"""Write what clockhands reads in configurations, for the page's reader: ``python web/golden/configs.py``.

The published configurations of ``tests/check/fixtures``, those with bugs in them, and an empty one of every
class. Of each form only what the page draws is kept, and forms that differ in nothing else are one.
"""

from __future__ import annotations

import json
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any

import clockhands
from clockhands.check.form import LayerForm, merged
from clockhands.check.read import read_config
from clockhands.errors import ClockhandsError

ROOT = Path(__file__).parents[2]
HOME = Path(__file__).with_name("configs.json")
CLASSES = ROOT / "src" / "clockhands" / "web" / "built" / "classes.json"
FIXTURES = ROOT / "tests" / "check" / "fixtures"

DRAWN = (
    "layers", "family", "stack", "mixer", "layout", "head_dim", "rotary_dim", "rope_theta", "rope_type",
    "inv_freq", "attention_factor", "slopes", "num_buckets", "max_distance", "bidirectional", "rows",
    "offset", "window",
)  # fmt: skip


def drawn(form: LayerForm) -> LayerForm:
    """The form without what the page doesn't draw."""
    return replace(
        form, rotary_dims=None, scaling={}, score_scale=None, mrope_section=None, mrope_interleaved=None
    )


def expected(config: dict[str, Any]) -> dict[str, Any] | None:
    """Lengths and layers; None where clockhands refuses the file or says nothing of its layers."""
    try:
        subject = read_config(config)
    except ClockhandsError:
        return None
    if not subject.layers:
        return None
    records = [form.as_record() for form in merged([drawn(form) for form in subject.layers])]
    context = subject.context.as_record()
    return {
        "context": {name: context[name] for name in ("trained", "promised")},
        "layers": [{name: _finite(each[name]) for name in DRAWN} for each in records],
    }


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not isfinite(value) else value


def golden() -> dict[str, Any]:
    """The whole file; lists of numbers that several forms share are told once."""
    found: dict[str, Any] = {}
    for path in sorted(FIXTURES.glob("*/**/*.json")):
        config = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(config, dict):
            found[str(path.relative_to(FIXTURES))] = expected(config)
    classes = json.loads(CLASSES.read_text(encoding="utf-8"))["classes"]
    found |= {model_type: expected({"model_type": model_type}) for model_type in classes}
    lists: list[list[float]] = []
    places: dict[str, int] = {}
    for each in found.values():
        for form in each["layers"] if each else ():
            for name in ("inv_freq", "slopes", "layers"):
                if form[name] is not None:
                    place = places.setdefault(json.dumps(form[name]), len(lists))
                    lists += [form[name]] if place == len(lists) else []
                    form[name] = place
    provenance = {"made_by": "python web/golden/configs.py", "clockhands": clockhands.__version__}
    return {"provenance": provenance, "lists": lists, "forms": found}


if __name__ == "__main__":
    HOME.write_text(json.dumps(golden(), separators=(",", ":")) + "\n", encoding="utf-8")
