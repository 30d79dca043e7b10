"""The state of a run on disk: weights, optimizer, measurements. Whatever happens, one whole state stays.

Two files take turns. Each is written aside, flushed and renamed over the older of the two, so an interrupted
write harms neither, and a checksum finds a file that the disk itself has damaged.
"""

from __future__ import annotations

import re
import zlib
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from clockhands.errors import ClockhandsError
from clockhands.training.history import History
from clockhands.training.job import Job
from clockhands.writing import written_aside

_VERSION = "1"
_WEIGHT, _OPTIMIZER, _HISTORY = "weight", "optimizer", "history"
_MOMENTS = {"step", "exp_avg", "exp_avg_sq"}
_COUNT = re.compile(r"[0-9]{1,15}")


def state_files(folder: Path) -> tuple[Path, Path]:
    """The two files that take turns."""
    return folder / "state-0.safetensors", folder / "state-1.safetensors"


class Checkpoints:
    """The two states of one run."""

    def __init__(self, folder: Path):
        self.files = state_files(folder)

    def save(self, job: Job, step: int, history: History) -> None:
        """Write the state after ``step`` steps. ClockhandsError if it can't be written."""
        tensors = _gathered(job, history)
        about = {
            "version": _VERSION, "step": str(step), "milliseconds": str(round(1000 * job.seconds)),
            "checksum": str(_checksum(tensors)),
        }  # fmt: skip
        older = min(self.files, key=_step_of)
        with written_aside(older, lasting=True) as aside:
            aside.write_bytes(save(tensors, metadata=about))

    def packed(self) -> bytes | None:
        """The newest whole state as one file has it, to be taken elsewhere; None where there is none."""
        for file in sorted(self.files, key=_step_of, reverse=True):
            if _whole(file) is not None:
                return file.read_bytes()
        return None

    def put(self, content: bytes) -> None:
        """Keep what ``packed`` gave. ClockhandsError if it can't be written."""
        with written_aside(min(self.files, key=_step_of), lasting=True) as aside:
            aside.write_bytes(content)

    def load(self, job: Job) -> tuple[int, History]:
        """Put the newest whole state into ``job``; how many steps it has behind it (0 without a state).

        Raises ClockhandsError where files are there and none is whole, or they don't fit the job.
        """
        there = [file for file in self.files if file.exists()]
        for file in sorted(there, key=_step_of, reverse=True):
            tensors, step = _whole(file), _step_of(file)
            history = None if tensors is None else _restored(job, tensors, step, file)
            if history is not None:
                job.seconds = max(0, _said_of(file, "milliseconds")) / 1000
                return step, history
        if there:
            raise ClockhandsError(
                f"no state of the run is whole ({', '.join(map(str, there))} damaged): "
                "train again in a new folder",
                f"没有完好的训练状态（{'、'.join(map(str, there))} 已损坏）：请在新的目录重新训练",
            )
        return 0, History()


def save_weights(path: Path, model: torch.nn.Module) -> None:
    """The parameters of a model as safetensors, each once."""
    with written_aside(path, lasting=True) as aside:
        aside.write_bytes(save(_parameters(model), metadata={"version": _VERSION}))


def load_weights(path: Path, model: torch.nn.Module) -> None:
    """Put saved parameters into a model. ClockhandsError if the file is missing, damaged or does not fit."""
    tensors = _read(path)
    if tensors is None or not _fits(model, tensors):
        raise ClockhandsError(
            f"{path} is missing, damaged or of another model: go on with --resume, or train again",
            f"{path} 缺失、损坏，或属于另一个模型：请用 --resume 继续，或重新训练",
        )
    _put(model, tensors)


def _parameters(model: torch.nn.Module) -> dict[str, Tensor]:
    """By name; what layers share comes once."""
    return {name: each.detach().cpu().contiguous() for name, each in model.named_parameters()}


def _fits(model: torch.nn.Module, tensors: dict[str, Tensor]) -> bool:
    named = dict(model.named_parameters())
    return named.keys() == tensors.keys() and all(_like(tensors[name], named[name]) for name in named)


def _put(model: torch.nn.Module, tensors: dict[str, Tensor]) -> None:
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(tensors[name])


def _like(tensor: Tensor, parameter: Tensor) -> bool:
    """Whether a saved tensor can stand for a parameter."""
    fits = tensor.shape == parameter.shape and tensor.dtype == parameter.dtype
    return fits and bool(tensor.isfinite().all())


def _gathered(job: Job, history: History) -> dict[str, Tensor]:
    tensors = {f"{_WEIGHT}/{name}": each for name, each in _parameters(job.model).items()}
    for index, values in job.optimizer.state_dict()["state"].items():
        for name, value in values.items():
            tensors[f"{_OPTIMIZER}/{index}/{name}"] = value.detach().cpu().contiguous()
    return tensors | {f"{_HISTORY}/{name}": each for name, each in history.tensors().items()}


def _restored(job: Job, tensors: dict[str, Tensor], step: int, file: Path) -> History | None:
    """Put a state into ``job``; None, and the job is as it was, if it is no state after ``step`` steps."""
    parts: dict[str, dict[str, Tensor]] = {_WEIGHT: {}, _OPTIMIZER: {}, _HISTORY: {}}
    for name, tensor in tensors.items():
        kind, _, rest = name.partition("/")
        if kind not in parts:
            return None
        parts[kind][rest] = tensor
    try:
        history = History.of(parts[_HISTORY])
    except ValueError:
        return None
    if step > job.steps or not history.complete(step, job.measured):
        return None
    if not _fits(job.model, parts[_WEIGHT]):
        raise ClockhandsError(
            f"the state {file} is of another model: train again in a new folder",
            f"训练状态 {file} 属于另一个模型：请在新的目录重新训练",
        )
    state = _moments(job, parts[_OPTIMIZER])
    if state is None:
        return None
    _put(job.model, parts[_WEIGHT])
    job.optimizer.load_state_dict(
        {"state": state, "param_groups": job.optimizer.state_dict()["param_groups"]}
    )
    return history


def _moments(job: Job, tensors: dict[str, Tensor]) -> dict[int, dict[str, Tensor]] | None:
    """What Adam remembers of each parameter, by its index; None if it can't be that."""
    parameters = [each for group in job.optimizer.param_groups for each in group["params"]]
    state: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        index, _, key = name.partition("/")
        number = _number(index)
        if not 0 <= number < len(parameters) or key not in _MOMENTS:
            return None
        if not _like(tensor, torch.zeros(()) if key == "step" else parameters[number]):
            return None
        state.setdefault(number, {})[key] = tensor
    return state if all(each.keys() == _MOMENTS for each in state.values()) else None


def _number(written: str) -> int:
    """A count as ``save`` writes it; -1 for anything else, numbers past all counts included."""
    return int(written) if _COUNT.fullmatch(written) else -1


def _step_of(file: Path) -> int:
    """Steps behind a state; -1 if the file is missing or no state of this version."""
    return _said_of(file, "step")


def _said_of(file: Path, name: str) -> int:
    """A count that is written beside the tensors of a state; -1 if it says none."""
    try:
        with safe_open(str(file), framework="pt") as opened:
            about = opened.metadata() or {}
    except (OSError, SafetensorError):
        return -1
    return _number(about.get(name, "")) if about.get("version") == _VERSION else -1


def _whole(file: Path) -> dict[str, Tensor] | None:
    """The tensors of a state, None if it is damaged."""
    tensors = _read(file) if _step_of(file) >= 0 else None
    if tensors is None:
        return None
    with safe_open(str(file), framework="pt") as opened:
        return tensors if opened.metadata().get("checksum") == str(_checksum(tensors)) else None


def _read(file: Path) -> dict[str, Tensor] | None:
    try:
        with safe_open(str(file), framework="pt") as opened:
            return {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118 (not a mapping)
    except (OSError, SafetensorError):
        return None


def _checksum(tensors: dict[str, Tensor]) -> int:
    total = 0
    for name in sorted(tensors):
        total = zlib.crc32(name.encode(), total)
        total = zlib.crc32(tensors[name].numpy().tobytes(), total)
    return total
