"""Measures one model type a line of standard input; answers with one line of JSON each."""

from __future__ import annotations

import json
import sys
import time
from typing import Any


def result(model_type: str) -> dict[str, Any]:
    """What was built, measured and read, and where they differ."""
    from benchmarks.architectures.compare import differences
    from benchmarks.architectures.settings import variants
    from clockhands.check.architectures import find, settings_of
    from clockhands.check.architectures.windows import kinds_told
    from clockhands.check.probe.hf import examine
    from clockhands.check.probe.hf.small import build_small

    out: dict[str, Any] = {"model_type": model_type, "result": "not built", "said": ""}
    try:
        tries = variants(model_type)
    except Exception as error:  # noqa: BLE001  a class whose own defaults don't fit each other
        return {**out, "why": f"its defaults: {' '.join(str(error).split())[:300]}"}
    for name, config in tries:
        begun = time.perf_counter()
        try:
            model = build_small(config)
        except Exception as error:  # noqa: BLE001  a class may say anything of settings
            out.setdefault("why", f"{name}: {type(error).__name__}: {' '.join(str(error).split())[:300]}")
            continue
        out |= {"class": type(model).__name__, "settings": name, "result": "not measured"}
        try:
            found = examine(model)
        except Exception as error:  # noqa: BLE001
            out.setdefault("why", f"{type(error).__name__}: {' '.join(str(error).split())[:300]}")
            continue
        out["seconds"] = round(time.perf_counter() - begun, 2)
        out["measured"] = [form.as_record() for form in found.layers]
        out["facts"] = {key: str(value)[:80] for key, value in found.facts.items()}
        out["result"], out["differences"] = "not read", []
        try:
            entry = find(model_type)
            if entry is not None:
                said = kinds_told(entry(settings_of(whole(model_type, model.config))))
                out["read"] = [form.as_record() for form in said]
                out["differences"] = list(differences(found.layers, said))
                out["result"] = "differs" if out["differences"] else "agrees"
        except Exception as error:  # noqa: BLE001  an entry that falls over is a result too
            out["result"] = "differs"
            out["differences"] = [f"reading fell over: {type(error).__name__}: {str(error)[:200]}"]
        return out
    return out


def whole(model_type: str, config: Any) -> dict[str, Any]:
    """The settings of a model; those of a part, where it keeps no others, in that part's place."""
    from clockhands.check.architectures import parts_of

    values = config.to_dict()
    for key, kind in parts_of(model_type).items():
        if kind == values.get("model_type"):
            return {"model_type": model_type, key: values}
    return values


def main() -> None:
    """Answers until standard input ends."""
    answers, sys.stdout = sys.stdout, sys.stderr  # whatever a model prints goes elsewhere
    import torch

    torch.set_num_threads(1)
    for line in sys.stdin:
        answers.write(json.dumps(result(line.strip())) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
