"""Training small models on text, and the attention maps that come of it."""

from clockhands.training.attend import Drawing, Result, attend_with, resume_attend, run_attend
from clockhands.training.lesson import Lesson, Twin
from clockhands.training.loop import Stopped
from clockhands.training.settings import TASKS, AttendSettings

__all__ = [
    "TASKS",
    "AttendSettings",
    "Drawing",
    "Lesson",
    "Result",
    "Stopped",
    "Twin",
    "attend_with",
    "resume_attend",
    "run_attend",
]
