"""Tasks whose items can be longer than those trained on: numpy alone, the same items for every scheme."""

from __future__ import annotations

from collections.abc import Sequence

from clockhands.catalogue.rules import require_choice
from clockhands.errors import ClockhandsError
from clockhands.experiments.tasks.addition import Addition, ReversedAddition
from clockhands.experiments.tasks.encoders import RepeatAtOnce, ReverseAtOnce
from clockhands.experiments.tasks.languages import Dyck, EvenPairs, Parity
from clockhands.experiments.tasks.retrieval import Passkey, Recall
from clockhands.experiments.tasks.strings import Copy, Count, Reverse, Sort
from clockhands.experiments.tasks.task import Answering, Items, Task, lengths_of
from clockhands.experiments.tasks.texts import Bytes, Characters, MaskedWords, NextToken, Reading, Words

ANSWERING: tuple[type[Answering], ...] = (
    Copy, Reverse, Sort, Count, Addition, ReversedAddition, Parity, EvenPairs, Dyck, Recall, Passkey,
)  # fmt: skip
ENCODERS = (ReverseAtOnce, RepeatAtOnce)
READING: tuple[type[Reading], ...] = (Characters, Bytes, Words, MaskedWords)
TASKS: tuple[type[Task], ...] = (*ANSWERING, *ENCODERS, *READING)

__all__ = [
    "ANSWERING",
    "READING",
    "TASKS",
    "Answering",
    "Characters",
    "Items",
    "NextToken",
    "Task",
    "kind_of_task",
    "lengths_of",
    "make_task",
]


def kind_of_task(id: str) -> type[Task]:
    """The class of that id, which knows its title and unit. ClockhandsError for another id."""
    require_choice(id, "tasks", tuple(task.id for task in TASKS))
    return next(kind for kind in TASKS if kind.id == id)


def make_task(
    id: str, *, length: int, context: int, text: str = "", multiples: Sequence[float] | None = None
) -> Task:
    """The task of that id.

    length     longest question trained on
    context    tokens of a training window of ``text``: both are for tasks that read a text alone
    multiples  lengths of the tests in training lengths; None: those of the task

    Raises ClockhandsError for another id, and for a task that reads a text without enough of it.

    >>> make_task("copy", length=8, context=64).lengths
    (8, 12, 16, 32)
    """
    kind = kind_of_task(id)
    for reading in READING:
        if kind is reading:
            if not text:
                raise ClockhandsError(
                    f"the task '{id}' needs a text: give --text FILE",
                    f"任务 {id} 需要一个文本：请用 --text 给出文件",
                )
            return reading(context, text, multiples)
    return next(one for one in (*ANSWERING, *ENCODERS) if one is kind)(length, multiples)
