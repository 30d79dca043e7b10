"""Tasks whose items can be longer than those trained on: numpy alone, the same items for every scheme."""

from __future__ import annotations

from clockhands.catalogue.rules import require_choice
from clockhands.errors import ClockhandsError
from clockhands.experiments.tasks.addition import Addition, ReversedAddition
from clockhands.experiments.tasks.characters import Characters
from clockhands.experiments.tasks.languages import Dyck, EvenPairs, Parity
from clockhands.experiments.tasks.strings import Copy, Reverse, Sort
from clockhands.experiments.tasks.task import Answering, Items, Task

ANSWERING: tuple[type[Answering], ...] = (
    Copy, Reverse, Addition, ReversedAddition, Sort, Parity, EvenPairs, Dyck,
)  # fmt: skip
TASKS: tuple[type[Task], ...] = (*ANSWERING, Characters)

__all__ = ["ANSWERING", "TASKS", "Answering", "Characters", "Items", "Task", "make_task"]


def make_task(id: str, *, length: int, context: int, text: str = "") -> Task:
    """The task of that id.

    length   longest question trained on
    context  characters of a training window; ``text``: what they are of. Both are for ``characters`` alone

    Raises ClockhandsError for another id, and for ``characters`` without enough text.

    >>> make_task("copy", length=8, context=64).lengths
    (8, 12, 16, 32)
    """
    require_choice(id, "tasks", tuple(task.id for task in TASKS))
    for kind in ANSWERING:
        if kind.id == id:
            return kind(length)
    if not text:
        raise ClockhandsError(
            "the task 'characters' needs a text: give --text FILE",
            "任务 characters 需要一个文本：请用 --text 给出文件",
        )
    return Characters(context, text)
