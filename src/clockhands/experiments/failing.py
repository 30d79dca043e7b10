"""What is said of a training that ends early: its scheme is at fault, or the machine."""

from __future__ import annotations

import torch

from clockhands.errors import ClockhandsError, reason_of
from clockhands.experiments.cells import Cell
from clockhands.language import Text


class NoMemory(ClockhandsError):
    """Memory ran out in a training, of the machine or of its GPU."""

    def __init__(self, cell: Cell):
        which = f"{cell.scheme.label}, {cell.task}, seed {cell.seed}"
        which_zh = f"{cell.scheme.label}、{cell.task}、种子 {cell.seed}"
        super().__init__(
            f"memory ran out in {which}: what is finished is kept, go on with --resume and fewer --workers, "
            "or begin anew with a smaller model, batch or length",
            f"{which_zh} 内存不足：已完成的都保存了，请用 --resume 和更少的 --workers 继续，或改用更小的"
            "模型、批量或长度重新开始",
        )
        self.cell = cell

    def __reduce__(self):  # BaseException pickles with args, which are the two sentences here
        return (NoMemory, (self.cell,))


def is_of_memory(error: BaseException) -> bool:
    """Whether it says that memory ran out; PyTorch has no class of its own for that of a CPU."""
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    return isinstance(error, RuntimeError) and any(words in str(error) for words in _OF_MEMORY)


_OF_MEMORY = ("can't allocate memory", "not enough memory", "out of memory")


def why_it_failed(error: BaseException) -> Text:
    """What is said of a scheme that raised it."""
    if isinstance(error, ClockhandsError):
        return error.text
    kind = type(error).__name__
    said = reason_of(error) if isinstance(error, OSError) else Text(str(error), str(error))
    words, words_zh = (" ".join(one.split())[:200] for one in said)
    return Text(f"the scheme raised {kind}: {words}", f"方案出错（{kind}）：{words_zh}")
