"""What is compared, on what, how often, at what cost: all that determines the numbers, nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, ClassVar, Self

from clockhands.catalogue import describe
from clockhands.catalogue.description import Description
from clockhands.catalogue.rules import require_count, require_real
from clockhands.errors import BadParameter, ClockhandsError, shown
from clockhands.experiments.tasks import Task, make_task

MOST_SEEDS = 1_000
PRESETS: dict[str, dict[str, Any]] = {
    "quick": {"steps": 500, "batch": 32, "length": 5, "items": 200, "seeds": 3, "rates": (3e-3,)},
}
"""Sizes that go together. Three seeds can't decide anything: the report says so."""
FIRST_TUNING_SEED = 1_000_000
"""Rates are chosen with seeds of their own, which no result is made with."""


@dataclass(frozen=True)
class Contender:
    """A scheme of the catalogue (or ``package.module:Class``) with parameters of its own.

    >>> Contender("rope", {"rope_theta": 500}).label
    'rope(rope_theta=500)'
    """

    id: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash(self.label)

    @property
    def label(self) -> str:
        """What it is called in tables."""
        given = ", ".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"{self.id}({given})" if given else self.id

    def description(self, size: ModelSize, max_positions: int, seed: int) -> Description:
        """It, with the sizes of the model filled in; ``seed``: of what it draws for itself."""
        sizes = {
            "d_model": size.dim, "head_dim": size.dim // size.heads, "num_heads": size.heads,
            "num_layers": size.layers, "max_positions": max_positions, "bidirectional": False, "seed": seed,
        }  # fmt: skip
        return type(describe(self.id)).fitted(sizes, **self.parameters)


@dataclass(frozen=True)
class ModelSize:
    """Of the decoder that all schemes go into."""

    dim: int = 64
    heads: int = 4
    layers: int = 2

    def __post_init__(self) -> None:
        for name in ("dim", "heads", "layers"):
            require_count(getattr(self, name), name, most=65_536)
        if self.dim % self.heads:
            wider = (self.dim // self.heads + 1) * self.heads
            raise ClockhandsError(
                f"dim is {self.dim} and heads is {self.heads}: heads must divide dim, e.g. dim {wider}",
                f"dim 为 {self.dim}，heads 为 {self.heads}：heads 必须整除 dim，例如把 dim 改成 {wider}",
            )


@dataclass(frozen=True, kw_only=True)
class Design:
    """One comparison. Models have equally many parameters: what a scheme has of its own, the MLP has less.

    schemes       ids or Contenders; tasks: ids of ``experiments.tasks``
    seeds         how many; the same ones for each scheme, so that runs are paired
    steps, batch  updates of each run, and items an update
    rates         learning rates tried; of several, each scheme gets the one with the least loss on items of
                  the training length, over ``tuning_seeds`` seeds of ``tuning_steps`` updates each
    length        longest question of the tasks with answers; context: characters of a window of text
    text          for the task ``characters``
    items         tested of each length

    Raises ClockhandsError for whatever does not fit, before anything is trained.
    """

    schemes: tuple[Contender, ...]
    tasks: tuple[str, ...]
    seeds: int = 3
    steps: int = 800
    batch: int = 32
    rates: tuple[float, ...] = (3e-3,)
    tuning_seeds: int = 2
    tuning_steps: int = 270
    length: int = 8
    context: int = 64
    items: int = 200
    model: ModelSize = ModelSize()
    text: str = field(default="", repr=False)

    matching: ClassVar[str] = "parameters"

    def __post_init__(self) -> None:
        named = (self.schemes,) if isinstance(self.schemes, str | Contender) else self.schemes
        given = (Contender(one) if isinstance(one, str) else one for one in named)
        object.__setattr__(self, "schemes", tuple(given))
        tasks = (self.tasks,) if isinstance(self.tasks, str) else tuple(self.tasks)
        object.__setattr__(self, "tasks", tasks)
        object.__setattr__(self, "rates", tuple(self.rates))
        _require_distinct("schemes", [one.label for one in self.schemes], least=2)
        _require_distinct("tasks", self.tasks, least=1)
        _require_distinct("rates", [f"{rate:g}" for rate in self.rates], least=1)
        require_count(self.seeds, "seeds", most=MOST_SEEDS)
        for name in ("steps", "tuning_steps", "tuning_seeds", "batch"):
            require_count(getattr(self, name), name)
        require_count(self.items, "items", least=2)
        require_count(self.length, "length", least=2, most=4096)
        require_count(self.context, "context", least=2, most=65_536)
        for rate in self.rates:
            require_real(rate, "rates", least=1e-8, most=10.0)
        for task in self.tasks:
            self.task(task)
        for one in self.schemes:
            try:
                one.description(self.model, 64, 0)
            except BadParameter as error:
                raise error.called(f"{error.name} ({one.label})") from error

    def task(self, id: str) -> Task:
        """One of its tasks, ready to make items."""
        return make_task(id, length=self.length, context=self.context, text=self.text)

    @property
    def tunes(self) -> bool:
        """Whether there is a learning rate to choose."""
        return len(self.rates) > 1

    @property
    def text_sha256(self) -> str | None:
        """Tells whether texts are the same; None without the task that reads one."""
        return hashlib.sha256(self.text.encode()).hexdigest() if "characters" in self.tasks else None

    def to_json(self) -> dict[str, Any]:
        """As plain values, the text by its fingerprint."""
        values = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "text"}
        schemes = [{"id": one.id, "parameters": dict(one.parameters)} for one in self.schemes]
        return values | {
            "schemes": schemes, "tasks": list(self.tasks), "rates": list(self.rates),
            "model": asdict(self.model), "matching": self.matching, "text_sha256": self.text_sha256,
        }  # fmt: skip

    @classmethod
    def from_json(cls, values: Mapping[str, Any], text: str = "") -> Self:
        """What ``to_json`` wrote; KeyError, TypeError or ValueError if it is no such thing."""
        given = dict(values)
        fingerprint, matching = given.pop("text_sha256"), given.pop("matching")
        schemes = (Contender(one["id"], _tuples(one["parameters"])) for one in given.pop("schemes"))
        model = ModelSize(**given.pop("model"))
        design = cls(**given, schemes=tuple(schemes), model=model, text=text)
        if (fingerprint, matching) != (design.text_sha256, cls.matching):
            raise ValueError(fingerprint)
        return design

    def with_(self, **changes: Any) -> Self:
        """The same with some settings changed."""
        return replace(self, **changes)


def _tuples(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in parameters.items()}


def _require_distinct(name: str, given: Any, least: int) -> None:
    values = list(given)
    if len(values) < least:
        raise BadParameter(
            name,
            f" has {len(values)} of the {least} or more that a comparison needs: name more, with commas",
            f" 只有 {len(values)} 个，而比较至少需要 {least} 个：请用逗号隔开多写几个",
        )
    twice = [value for value in values if values.count(value) > 1]
    if twice:
        raise BadParameter(
            name,
            f" names {shown(twice[0])} twice: leave one out",
            f" 中 {shown(twice[0])} 出现了两次：请去掉一个",
        )
