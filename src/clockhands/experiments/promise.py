"""What is fixed before the first step, so that no one can choose afterwards what to measure."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from clockhands import __version__
from clockhands.experiments.cells import cells
from clockhands.experiments.design import Design
from clockhands.experiments.hypotheses import Hypothesis
from clockhands.experiments.statistics import seeds_needed, smallest_p
from clockhands.language import Text

LEVEL = 0.05
SUCCESS = 0.9
"""Share of a seed's items that must be right for the seed to count as a success."""

OUTCOME = Text(
    "primary outcome: the mean score over all tested lengths past the training length, one number a seed; "
    "beside it, the score at the training length",
    "主要结果：超过训练长度的各测试长度上的平均得分，每个种子一个数；并列给出训练长度上的得分",
)
TEST = Text(
    "each pair of schemes on each task: paired differences by seed, exact two-sided sign-flip test, Holm "
    "over all pairs and tasks, and a 95 % bootstrap interval over seeds and items; a difference is "
    "reported as supported only if the corrected p is at most 0.05 and the interval excludes 0",
    "每个任务上的每一对方案：按种子配对求差，做精确双侧符号翻转检验，对所有配对和任务作 Holm 校正，"
    "并给出对种子和题目重抽样的 95% 区间；只有校正后的 p 不超过 0.05 且区间不含 0，才说差别有依据",
)
STOPPING = Text(
    "the number of seeds and steps is fixed here; each cell is run once, whatever comes of it",
    "种子数和步数在此确定；每个单元只跑一次，不因结果而重跑",
)
FAILURES = Text(
    "a cell that diverges or raises is reported as such, counts as no success, and its pair is not tested",
    "发散或出错的单元如实报告，不算成功，相应的配对不作检验",
)
RATES = Text(
    "learning rates are chosen for each scheme and task from the same list, by the mean loss within the "
    "training length over tuning seeds that no result is made with",
    "每个方案和任务的学习率从同一列表中选取，依据是训练长度内的平均损失，所用种子不参与任何结果",
)


def comparisons(design: Design) -> list[tuple[str, str, str]]:
    """Task, first and second scheme of each test."""
    labels = [scheme.label for scheme in design.schemes]
    return [(task, *pair) for task in design.tasks for pair in itertools.combinations(labels, 2)]


HYPOTHESES = Text(
    "each hypothesis below is tested as it says and by nothing else, Holm over the hypotheses; one that "
    "names several schemes holds only if it holds against each of them, so its p is the largest of theirs; "
    "one that says that a scheme has no number somewhere is seen, not tested, and counts in no correction",
    "下列每个假设只按所写的方式检验，对全部假设作 Holm 校正；一个假设涉及几种方案时，须对每一种都成立，"
    "因此它的 p 取其中最大的；假设若只说某方案在某处没有数，看结果即知，不作检验，也不计入校正",
)


def promise(design: Design, hypotheses: Sequence[Hypothesis] = ()) -> dict[str, Any]:
    """The pre-registration, in both languages, with what the number of seeds allows."""
    tests = comparisons(design)
    every = cells(design)
    said = [OUTCOME, TEST, STOPPING, FAILURES, *([RATES] if design.tunes else [])]
    if hypotheses:
        said.append(HYPOTHESES)
    return {
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": __version__,
        "design": design.to_json(),
        "cells": [cell.id for cell in every],
        "updates": sum(cell.steps for cell in every),
        "comparisons": [list(test) for test in tests],
        "level": LEVEL,
        "success": SUCCESS,
        "smallest_p": smallest_p(design.seeds),
        "seeds_needed": seeds_needed(len(tests), LEVEL),
        "rules": [one._asdict() for one in said],
        "hypotheses": [one.to_json() for one in hypotheses],
    }
