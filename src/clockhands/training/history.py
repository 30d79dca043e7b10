"""What a run measured, step by step."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from clockhands.analysis.labelled import NOTHING, Axis, Labelled
from clockhands.language import Text
from clockhands.writing import written_aside

LOSS, HELD_OUT, VARIANCE, NORM = "loss", "held_out", "embedding_variance", "embedding_norm"
NAMES = {
    LOSS: Text("training loss", "训练损失"),
    HELD_OUT: Text("held-out loss", "留出文本损失"),
    VARIANCE: Text("variance of the embedding", "嵌入的方差"),
    NORM: Text("mean norm of the embedding", "嵌入的平均模长"),
}
_STEPS = Text("step", "步")


class History:
    """Named series of (step, value); step n is what was measured before the n-th update, counted from 1."""

    def __init__(self) -> None:
        self._series: dict[str, list[tuple[int, float]]] = {}

    def add(self, step: int, values: Mapping[str, float]) -> None:
        """Remember values measured at a step."""
        for name, value in values.items():
            self._series.setdefault(name, []).append((step, value))

    def __contains__(self, name: str) -> bool:
        return name in self._series

    def values(self, name: str) -> NDArray[np.float64]:
        """One series, ``(n,)``; empty if there is none of that name."""
        return np.array([value for _, value in self._series.get(name, [])], dtype=np.float64)

    def curve(self, name: str, unit: Text = NOTHING) -> Labelled:
        """One series against its steps."""
        steps = np.array([step for step, _ in self._series[name]], dtype=np.int64)
        return Labelled(name, NAMES[name], self.values(name), (Axis(_STEPS, steps),), unit)

    def tensors(self) -> dict[str, Tensor]:
        """All series as float64 tensors ``(n, 2)``, to be saved."""
        return {name: torch.tensor(pairs, dtype=torch.float64) for name, pairs in self._series.items()}

    @classmethod
    def of(cls, tensors: Mapping[str, Tensor]) -> History:
        """What ``tensors`` gave; ValueError for what they can't have given."""
        history = cls()
        for name, pairs in tensors.items():
            if name not in NAMES or pairs.shape != (len(pairs), 2) or not pairs.isfinite().all():
                raise ValueError(name)
            history._series[name] = [(int(step), value) for step, value in pairs.tolist()]
        return history

    def complete(self, step: int, names: Collection[str]) -> bool:
        """Whether this is what a run measures in ``step`` steps: ``names`` at each of them, in order."""
        every = list(range(1, step + 1))
        steps = {name: [at for at, _ in pairs] for name, pairs in self._series.items()}
        held_out = steps.pop(HELD_OUT, [])
        ordered = held_out == sorted(set(held_out)) and all(0 <= at <= step for at in held_out)
        return ordered and steps.keys() == set(names) and all(each == every for each in steps.values())

    def write(self, path: Path) -> None:
        """JSON lines, one a step, with whatever was measured at it."""
        by_step: dict[int, dict[str, float]] = {}
        for name, pairs in self._series.items():
            for step, value in pairs:
                by_step.setdefault(step, {"step": step})[name] = value
        with written_aside(path) as aside:
            lines = (json.dumps(by_step[step]) for step in sorted(by_step))
            aside.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
