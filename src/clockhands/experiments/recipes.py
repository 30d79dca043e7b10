"""A recipe: a question, what is expected, and the designs that answer it; run in pieces."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from clockhands.errors import ClockhandsError, shown, shown_zh
from clockhands.experiments.costing import costed
from clockhands.experiments.design import Design
from clockhands.experiments.hypotheses import Hypothesis
from clockhands.experiments.measures import require_measured
from clockhands.experiments.rules import require_said, require_text
from clockhands.experiments.run import begin, finish, require_place, require_runnable
from clockhands.experiments.store import Store
from clockhands.language import Language, Text
from clockhands.training.loop import Stopped
from clockhands.training.threads import one_thread

_FOLDER = re.compile(r"\w([\w. -]{0,58}\w)?")


@dataclass(frozen=True)
class Recipe:
    """parts  designs by name, carried out in this order; their texts are not kept with the results

    hypotheses  about tasks of the parts; tested together, so that Holm's correction is over all of them
    notes       what a reader must know beside the question, such as what had been tried before
    """

    id: str
    title: Text
    question: Text
    parts: dict[str, Design]
    hypotheses: tuple[Hypothesis, ...]
    notes: tuple[Text, ...] = field(default=())

    def __post_init__(self) -> None:
        require_text(self.id, "the id of a recipe", "配方的 id")
        require_said(self.title, f"the title of the recipe '{self.id}'", f"配方“{self.id}”的 title")
        require_said(self.question, f"the question of the recipe '{self.id}'", f"配方“{self.id}”的 question")
        for one in self.notes:
            require_said(one, f"a note of the recipe '{self.id}'", f"配方“{self.id}”的 notes")
        for one in self.hypotheses:
            if not isinstance(one, Hypothesis):
                raise ClockhandsError(
                    f"a hypothesis of the recipe '{self.id}' is {shown(one)}: give a Hypothesis",
                    f"配方“{self.id}”的一个假设为{shown_zh(one)}：请给出 Hypothesis",
                )
        if not self.parts:
            raise ClockhandsError(
                f"the recipe '{self.id}' has no parts: give it a design or more, by name",
                f"配方“{self.id}”没有任何部分：请给出一个或几个带名称的设计",
            )
        folders = [str(name).casefold() for name in self.parts]
        for name, design in self.parts.items():
            if not isinstance(name, str) or not _FOLDER.fullmatch(name):
                raise ClockhandsError(
                    f"a part of the recipe '{self.id}' is called {shown(name)}: its results go into a folder "
                    "of that name, so use up to 60 letters, digits, -, _ and dots within, e.g. 'copy-short'",
                    f"配方“{self.id}”有一部分名为 {shown(name)}：它的结果存进同名目录，所以请只用字母、数字、"
                    "-、_ 和中间的点（不超过 60 个），例如“copy-short”",
                )
            if folders.count(name.casefold()) > 1:
                raise ClockhandsError(
                    f"two parts of the recipe '{self.id}' are called {name} but for capitals, which is one "
                    "folder on some systems: rename one",
                    f"配方“{self.id}”有两部分都叫 {name}（仅大小写不同），在某些系统上是同一个目录：请改名",
                )
            if not isinstance(design, Design):
                raise ClockhandsError(
                    f"the part {name} of the recipe '{self.id}' is {shown(design)}: give a Design",
                    f"配方“{self.id}”的 {name} 部分为{shown_zh(design)}：请给出 Design",
                )

    def require_decidable(self) -> None:
        """Refuse a hypothesis that nothing that is trained can decide. ClockhandsError names it."""
        ids = [one.id for one in self.hypotheses]
        twice = [id for id in ids if ids.count(id) > 1]
        if twice:
            raise ClockhandsError(
                f"two hypotheses are called '{twice[0]}': rename one",
                f"有两个假设都叫“{twice[0]}”：请给其中一个改名",
            )
        for one in self.hypotheses:
            having = [name for name, design in self.parts.items() if one.task in design.tasks]
            if len(having) > 1:
                raise ClockhandsError(
                    f"the hypothesis '{one.id}' is about the task {one.task}, which the parts "
                    f"{' and '.join(having)} both have: make two recipes, so that it is plain which one "
                    "decides it",
                    f"假设“{one.id}”说的是任务 {one.task}，而 {'、'.join(having)} 几部分都有它：请分成"
                    "两个配方，以便明确由哪一个来判断",
                )
            part = self.parts[having[0]] if having else None
            if part is None:
                raise ClockhandsError(
                    f"the hypothesis '{one.id}' is about the task {one.task}, which no part has: add a part "
                    "with that task, or leave the hypothesis out",
                    f"假设“{one.id}”说的是任务 {one.task}，但没有哪一部分有它：请加上一个，或去掉这个假设",
                )
            labels = [scheme.label for scheme in part.schemes]
            missing = [label for label in (one.scheme, *one.than) if label not in labels]
            if missing:
                raise ClockhandsError(
                    f"the hypothesis '{one.id}' names {missing[0]}, which is not compared: name one of "
                    f"{', '.join(labels)}",
                    f"假设“{one.id}”提到 {missing[0]}，它不参加比较：请从 {'、'.join(labels)} 中选取",
                )
            try:
                require_measured(one.measure, part, one.task)
            except ClockhandsError as error:
                raise ClockhandsError(
                    f"the hypothesis '{one.id}': {error.text.en}", f"假设“{one.id}”：{error.text.zh}"
                ) from error


def carry_out(
    recipe: Recipe,
    folder: Path,
    *,
    workers: int | None = None,
    ray: str | None = None,
    gpus_per_cell: float = 0.0,
    data_parallel: int = 1,
    log: Path | None = None,
    minutes: float | None = None,
    quiet: bool = True,
    lang: Language = "en",
) -> None:
    """Begin a recipe in ``folder``, or go on with it: a folder of results a part.

    minutes  after so many it stops, as after Ctrl-C; None: when all is done

    Raises Stopped where something is left, and ClockhandsError if the recipe is no longer the one that was
    begun there.
    """
    recipe.require_decidable()
    require_place(workers, ray, gpus_per_cell, data_parallel, *recipe.parts.values(), log=log)
    heed = _until(None if minutes is None else time.monotonic() + 60 * minutes)
    stores = {name: Store(folder / name) for name in recipe.parts}
    for name, store in stores.items():  # all of them before the first is trained
        if not store.design_file.exists():
            store.require_free()
            require_runnable(recipe.parts[name])
    designs = {name: _begun(store, recipe, recipe.parts[name]) for name, store in stores.items()}
    for name, store in stores.items():
        design = designs[name]
        finish(
            store, design, workers=workers, ray=ray, gpus_per_cell=gpus_per_cell,
            data_parallel=data_parallel, log=log and log / name, quiet=quiet, lang=lang, heed=heed,
        )  # fmt: skip


def _begun(store: Store, recipe: Recipe, design: Design) -> Design:
    """The design of a part as it was begun, now or earlier, with the hypotheses that the recipe has.

    All parts are begun before the first is trained: what one of them shows can't change what is promised.
    """
    if not store.design_file.exists():
        with one_thread():
            design = costed(design)
        begin(store, design, recipe.hypotheses, keep_text=False)
        return design
    if store.promised()["hypotheses"] != [one.to_json() for one in recipe.hypotheses]:
        raise ClockhandsError(
            f"{store.path} was begun with other hypotheses than the recipe '{recipe.id}' has now: what is "
            "expected is said before the first step, so give another folder, or take the changes back",
            f"{store.path} 开始时的假设与配方“{recipe.id}”现在的不同：预期要在第一步之前说好，请换一个目录，"
            "或撤回改动",
        )
    return require_same(store, design)


def require_same(store: Store, design: Design) -> Design:
    """The design as it was begun, with what was measured of it; refused if it is another one."""
    begun = store.design(design.text)
    if begun.with_(costs={}).to_json() != design.with_(costs={}).to_json():
        raise ClockhandsError(
            f"{store.path} holds results of another design than the recipe has now: give another folder",
            f"{store.path} 里的结果来自另一个设计，与现在的不同：请换一个目录",
        )
    return begun


def _until(deadline: float | None) -> Callable[[], None]:
    def heed() -> None:
        if deadline is not None and time.monotonic() > deadline:
            raise Stopped("the time is up", "时间到了")

    return heed
