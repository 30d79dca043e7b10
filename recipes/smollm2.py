"""Question 7: what becomes of SmolLM2 past the 8,192 tokens it was trained on, by each method, untrained?

``clockhands extend smollm2 --to 16384 --try`` on two texts: a Chinese one that is given, and an English one
that every Python brings, the manual of the language. Both are read as they are in one window of the trained
length and one of twice that, as given and by five methods.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from clockhands import extend
from clockhands.errors import ClockhandsError
from clockhands.experiments.trial import versions
from clockhands.extend.trials.design import AS_GIVEN, USUAL
from clockhands.extend.trials.found import Found
from clockhands.extend.trials.words import FALLS_APART
from clockhands.language import Text
from clockhands.real.loading import load
from clockhands.training.alone import alone_in
from clockhands.training.loop import Stopped
from clockhands.writing import written_aside

MODEL, TRAINED, TO = "smollm2", 8192, 16384
METHODS = (AS_GIVEN, *USUAL)
CHINESE, ENGLISH = "chinese", "english"
TEXTS = (CHINESE, ENGLISH)
RUNS = 16
"""Of neighbouring tokens, 128 each, that methods are compared by."""
LETTERS = 400_000
"""Of each text, as many as hold more tokens than are read; no more of it is asked for to be the same."""


@dataclass(frozen=True)
class Expected:
    """``first`` minus ``second``, nats a token for the same tokens, is above ``bound`` in each text.

    first, second  (method, tokens of the window)
    """

    id: str
    says: Text
    first: tuple[str, int]
    second: tuple[str, int]
    bound: float = 0.0


HYPOTHESES = (
    Expected(
        "given-collapses",
        Text(f"as it is, the model pays over {FALLS_APART:g} nat more for the same tokens at twice its "
             "length",
             f"模型原样用在两倍长度时，同样词元的损失上升超过 {FALLS_APART:g} 纳特"),
        (AS_GIVEN, TO), (AS_GIVEN, TRAINED), FALLS_APART,
    ),
    *(
        Expected(
            f"linear-worse-than-{other}",
            Text(f"at twice the length, linear interpolation without training is worse than {other}",
                 f"两倍长度、不训练时，线性内插比 {other} 差"),
            ("linear", TO), (other, TO),
        )
        for other in ("ntk", "dynamic", "yarn")
    ),
)  # fmt: skip


def english() -> str:
    """The manual that ``help("topics")`` shows, in the order of its names."""
    from pydoc_data.topics import topics

    return "\n\n".join(topics[name] for name in sorted(topics))[:LETTERS]


def carry_out(
    text: str, folder: Path, *, minutes: float | None = None, quiet: bool = True,
    say: Callable[[Text], None] | None = None,
) -> None:  # fmt: skip
    """Begin in ``folder`` or go on: a file for each text that ended, ``running/`` for the one that has not.

    text     the Chinese one
    minutes  after so many it stops, as after Ctrl-C; None: when all is done
    say      is told how large the model is, and how long it will take

    Raises Stopped where something is left, and ClockhandsError where the model's package is not installed, or
    if another text or design was begun there.
    """
    deadline = None if minutes is None else time.monotonic() + 60 * minutes
    texts = {CHINESE: text[:LETTERS], ENGLISH: english()}
    loaded = load(MODEL, say=say)
    folder.mkdir(parents=True, exist_ok=True)
    with alone_in(folder):
        _promise(folder, texts)
        for name in TEXTS:
            if not _file(folder, name).exists():
                _read(loaded, name, texts[name], folder, deadline, quiet, say)


def _read(
    loaded: Any, name: str, text: str, folder: Path, deadline: float | None, quiet: bool,
    say: Callable[[Text], None] | None,
) -> None:  # fmt: skip
    running = folder / "running" / name

    def heed(*_: Any) -> None:
        if deadline is not None and time.monotonic() > deadline:
            raise KeyboardInterrupt

    handle = loaded.model.register_forward_pre_hook(heed)
    try:
        found = extend.trial(
            loaded.model, text, to=TO, tokenizer=loaded.tokenizer, name=loaded.name, methods=list(USUAL),
            path=running, quiet=quiet, say=say,
        )  # fmt: skip
    except KeyboardInterrupt as interrupt:  # before the first window
        raise Stopped("the time is up", "时间到了") from interrupt
    finally:
        handle.remove()
    with written_aside(_file(folder, name), lasting=True) as aside:
        aside.write_text(json.dumps(_told(name, found), indent=1) + "\n", encoding="utf-8")
    shutil.rmtree(running, ignore_errors=True)


def _told(name: str, found: Found) -> dict[str, Any]:
    """What is kept of a text: ``same`` has the mean loss of each of 16 runs of the tokens that all lengths
    have in common, in the order of the text, so that methods are compared run by run.
    """
    design = found.design
    losses: dict[str, dict[str, Any]] = {}
    for method in design.methods:
        losses[method] = {}
        for length in design.lengths:
            same, whole = found.same_tokens(method, length), found.loss(method, length)
            assert same is not None
            assert whole is not None
            runs = [round(float(run.mean()), 5) for run in np.array_split(same, RUNS)]
            losses[method][str(length)] = {"same": runs, "whole": round(whole.value, 5)}
    import torch
    import transformers

    return {
        "text": name, "ended": datetime.now(UTC).isoformat(timespec="seconds"), "model": design.model,
        "compared": design.part, "losses": losses, "seconds": round(found.seconds, 1),
        "threads": torch.get_num_threads(), "text_sha256": design.text, "model_sha256": design.fingerprint,
        "left_out": {id: why._asdict() for id, why in design.left_out.items()},
        "versions": {**versions(), "transformers": transformers.__version__},
    }  # fmt: skip


def _file(folder: Path, name: str) -> Path:
    return folder / f"{name}.json"


def design() -> dict[str, Any]:
    """What is fixed beforehand."""
    return {
        "model": MODEL, "trained": TRAINED, "to": TO, "methods": list(METHODS), "texts": list(TEXTS),
        "runs": RUNS,
        "hypotheses": [
            {"id": one.id, "says": one.says._asdict(), "first": list(one.first), "second": list(one.second),
             "bound": one.bound}
            for one in HYPOTHESES
        ],
    }  # fmt: skip


def _promise(folder: Path, texts: dict[str, str]) -> None:
    file = folder / "preregistration.json"
    sums = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
    asked = {"design": design(), "texts_sha256": sums}
    if os.path.lexists(file):
        there = json.loads(file.read_bytes())
        if {name: there[name] for name in asked} != json.loads(json.dumps(asked)):
            raise ClockhandsError(
                f"{folder} holds results of another design or text than the recipe has now (the English one "
                "comes with Python and may change with it): give another folder",
                f"{folder} 里的结果来自另一个设计或文本，与现在的不同（英文文本随 Python 而来，"
                "版本不同可能有别）：请换一个目录",
            )
        return
    written = datetime.now(UTC).isoformat(timespec="seconds")
    with written_aside(file, lasting=True) as aside:
        content = json.dumps({"written": written, **asked}, ensure_ascii=False, indent=1)
        aside.write_text(content + "\n", encoding="utf-8")
