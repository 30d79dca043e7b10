"""A loop over rows shared out: each thread finds its rows by its number, without a lock or a list."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import torch
from numba import types
from numpy.typing import NDArray

from clockhands.kernels.team import team
from clockhands.kernels.work import Work

TENSORS, FIELDS = 2, 21
"""Queries and keys; numbers of a ``Work``."""
TEAM = team()


class Shared:
    """``loop(x, out, cos, sin, sizes, steps, far, first, last)``, compiled, over the rows of all tensors."""

    def __init__(self, loop: Callable[..., None]):
        def share(works: Any, number: int, size: int) -> None:
            """What thread ``number`` of ``size`` has to do of ``works``, each told as ``Work.numbers``."""
            rows = works[:, 20].sum()
            first, last = rows * number // size, rows * (number + 1) // size
            for one in works:
                begin, end = max(first, 0), min(last, one[20])
                if begin < end:
                    sizes = (one[4], one[5], one[6], one[7], one[8], one[9])
                    steps = ((one[10], one[11], one[12]), (one[13], one[14], one[15]),
                             (one[16], one[17], one[18]))  # fmt: skip
                    loop(one[0], one[1], one[2], one[3], sizes, steps, one[19] != 0, begin, end)
                first, last = first - one[20], last - one[20]

        self.share = numba.njit(nogil=True)(share)
        self._compiled: Any = None

    def _for_team(self) -> Any:
        """The same as a function of C that asks OpenMP for its number. It must outlive what runs it.

        It is compiled when it is first met and kept, as numba keeps what it compiles.
        """
        if self._compiled is None:
            self._compiled = self._compile()
        return self._compiled

    def _compile(self) -> Any:
        assert TEAM is not None
        share: Any = self.share
        number, size = TEAM.number, TEAM.size

        def mine(works: Any) -> None:
            told = numba.carray(works, (TENSORS, FIELDS), np.int64)  # pyright: ignore[reportPrivateImportUsage] (numba's own way to import it)
            share(told, np.int64(number()), np.int64(size()))

        return numba.cfunc(types.void(types.voidptr))(mine)

    def run(self, works: list[Work], threads: int, held: object) -> None:
        """Do all of it: here if ``threads`` is 1, else by torch's threads, or by so many without a team.

        held  what the addresses lead into; it is kept while any thread works
        """
        told = np.zeros((TENSORS, FIELDS), dtype=np.int64)
        for n, work in enumerate(works):
            told[n] = work.numbers()
        if threads == 1:
            self.share(told, 0, 1)
        elif TEAM is not None:
            function = self._for_team()  # kept here, lest another thread puts its own in its place meanwhile
            # All of torch's, as torch itself does: those that a smaller team leaves out would end, in GCC's
            # OpenMP, and torch's next operation would start new ones (pytorch issue 32008).
            TEAM.run(function.address, told.ctypes.data, torch.get_num_threads(), 0)
        else:
            self._by_new_threads(told, threads, held)

    def _by_new_threads(self, works: NDArray[np.int64], threads: int, held: object) -> None:
        def part(number: int, _: object) -> None:
            self.share(works, number, threads)

        # If Ctrl-C ends the waiting, they go on for a moment, in memory that nobody else may hold any more.
        others = [threading.Thread(target=part, args=(n, held)) for n in range(1, threads)]
        for other in others:
            other.start()
        self.share(works, 0, threads)
        for other in others:
            other.join()
