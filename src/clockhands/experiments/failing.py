"""What is said of a training that ends early: its scheme is at fault, or the machine."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from clockhands.errors import ClockhandsError, reason_of, said_by
from clockhands.language import Text


def no_memory(scheme: str, task: str) -> ClockhandsError:
    """What is said where memory runs out, of the machine or of its GPU: no row is kept of it."""
    return ClockhandsError(
        f"memory ran out in {scheme}, {task}: use fewer processes at once, or a smaller model, batch or "
        "length (what is finished is kept, and --resume goes on)",
        f"{scheme}、{task} 内存不足：请减少同时运行的进程，或缩小模型、批量或长度（已完成的都保存了，可用 "
        "--resume 继续）",
    )


@contextmanager
def blaming(scheme: str, task: str) -> Iterator[None]:
    """Within it what anybody's code raises is a sentence that names its scheme, or says what ran out."""
    try:
        yield
    except (Exception, SystemExit) as error:
        if is_of_memory(error):
            raise no_memory(scheme, task) from error
        why = why_it_failed(error)
        raise ClockhandsError(f"{scheme}: {why.en}", f"{scheme}：{why.zh}") from error


def is_of_memory(error: BaseException) -> bool:
    """Whether it says that memory ran out; PyTorch has no class of its own for that of a CPU."""
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    return isinstance(error, RuntimeError) and any(words in str(error) for words in _OF_MEMORY)


_OF_MEMORY = ("can't allocate memory", "not enough memory", "out of memory", "ALLOC_FAILED")


def why_it_failed(error: BaseException) -> Text:
    """What is said of a scheme that raised it."""
    if isinstance(error, ClockhandsError):
        return error.text
    if isinstance(error, OSError):
        kind, reason = type(error).__name__, reason_of(error)
        return Text(f"the scheme raised {kind}: {reason.en}", f"方案出错（{kind}：{reason.zh}）")
    return Text(f"the scheme raised {said_by(error)}", f"方案出错（{said_by(error)}）")
