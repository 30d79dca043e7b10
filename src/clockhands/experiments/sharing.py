"""What each of several processes does of a training that they share: its rows of every batch."""

from __future__ import annotations

import time
from collections.abc import Iterable

import torch
from torch import Tensor, distributed, nn

from clockhands.experiments.failing import is_of_memory
from clockhands.training.loop import Stopped


class PeerLost(Stopped):
    """Another process, or the way to it, is gone: nothing of that is the scheme's fault."""

    def __init__(self) -> None:
        super().__init__("a process that shares the training is gone", "共同训练的某个进程已退出")


class Share:
    """One of ``count`` processes of torch's process group, ``rank`` counted from 0.

    All hold the same model and draw the same batches. Each computes the gradient of its rows, divided by what
    is asked in the whole batch; their sum is the gradient of the batch, and is the same in all of them to the
    bit. So they stay alike, and differ from one process alone by the order of sums.

    seconds  after which the first process ends the piece, and with it all others, at the same step
    """

    def __init__(self, rank: int, count: int, seconds: float):
        self.rank, self.count, self.over = rank, count, False
        self._until = time.monotonic() + seconds

    def rows(self, batch: int) -> slice:
        """Its part of a batch, in turn as large as the others' or one row larger.

        >>> [Share(rank, 3, 0.0).rows(8) for rank in range(3)]
        [slice(0, 2, None), slice(2, 5, None), slice(5, 8, None)]
        """
        return slice(batch * self.rank // self.count, batch * (self.rank + 1) // self.count)

    def total(self, value: Tensor) -> Tensor:
        """The sum over all processes of one number, without a gradient."""
        found = value.detach().clone()
        self._add_up(found)
        return found

    def add_up_gradients(self, parameters: Iterable[nn.Parameter]) -> None:
        """Put the sum over all processes in the place of each gradient; learn whether the piece is over."""
        grads = [each.grad for each in parameters if each.grad is not None]
        late = self.rank == 0 and time.monotonic() >= self._until
        flat = torch.cat([*(grad.flatten() for grad in grads), grads[0].new_tensor([float(late)])])
        self._add_up(flat)
        *parts, said = flat.split([*(grad.numel() for grad in grads), 1])
        for grad, part in zip(grads, parts, strict=True):
            grad.copy_(part.view_as(grad))
        self.over = bool(said > 0)

    @staticmethod
    def _add_up(values: Tensor) -> None:
        try:
            distributed.all_reduce(values)
        except (RuntimeError, ValueError) as error:  # the latter where the group is taken down
            if is_of_memory(error):
                raise
            raise PeerLost from error
