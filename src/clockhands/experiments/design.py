"""What is compared, on what, how often, at what cost: all that determines the numbers, nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, NamedTuple, Self

from clockhands.catalogue import describe
from clockhands.catalogue.description import Description
from clockhands.catalogue.rules import require_choice, require_count, require_real
from clockhands.errors import BadParameter, ClockhandsError, said_by
from clockhands.experiments.rules import (
    frozen,
    require_costs,
    require_different,
    require_distinct,
    require_longer,
    require_multiples,
    require_plain,
    require_probes_of_texts,
)
from clockhands.experiments.tasks import Task, kind_of_task, lengths_of, make_task
from clockhands.language import Text

MOST_SEEDS = 1_000
MATCHINGS = ("parameters", "flops", "wall-clock")
PROBES = ("sliding", "shuffle", "position")
"""What may be measured beside the tests; the first two of decoders that read a text alone."""
OF_TEXTS = ("sliding", "shuffle")
RANDOMISED = "randomised_to"
FIRST_TUNING_SEED = 1_000_000
"""Rates are chosen with seeds of their own, which no result is made with."""


@dataclass(frozen=True)
class Contender:
    """A scheme of the catalogue (or ``package.module:Class``) with parameters of its own.

    parameters     of finite numbers, text and lists of such, so that a file can say them
    randomised_to  in place of 0, 1, 2, ... each text has a sorted sample of 0 to one less than this, drawn
                   anew in training and in tests (Ruoss et al. 2023, arXiv 2305.16843); a text of more tokens
                   than this has 0, 1, 2, ...

    >>> Contender("rope", {"rope_theta": 500}, randomised_to=64).label
    'rope(rope_theta=500, randomised_to=64)'
    """

    id: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    randomised_to: int | None = None

    def __post_init__(self) -> None:
        require_plain(self.id, self.parameters)
        object.__setattr__(self, "parameters", frozen(self.parameters))  # as it comes back from a file
        if self.randomised_to is not None:
            require_count(self.randomised_to, "randomised_to", least=2, most=2**20)

    def __hash__(self) -> int:
        return hash(self.label)

    @property
    def label(self) -> str:
        """What it is called in tables."""
        every = dict(self.parameters)
        if self.randomised_to is not None:
            every[RANDOMISED] = self.randomised_to
        given = ", ".join(f"{name}={value}" for name, value in every.items())
        return f"{self.id}({given})" if given else self.id

    def description(
        self, size: ModelSize, max_positions: int, seed: int, *, causal: bool = True
    ) -> Description:
        """It, with the sizes of the model filled in; ``seed``: of what it draws for itself."""
        sizes = {
            "d_model": size.dim, "head_dim": size.dim // size.heads, "num_heads": size.heads,
            "num_layers": size.layers, "max_positions": max(max_positions, self.randomised_to or 0),
            "bidirectional": not causal, "seed": seed,
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


PRESETS: dict[str, dict[str, Any]] = {
    "quick": {
        "seeds": 3, "steps": 1200, "batch": 32, "length": 5, "context": 32, "items": 200, "rates": (2e-3,),
        "model": ModelSize(layers=3),
    },
    "standard": {
        "seeds": 8, "steps": 3000, "batch": 32, "length": 10, "context": 64, "items": 200,
        "rates": (1e-3, 2e-3, 4e-3), "tuning_steps": 1000, "model": ModelSize(layers=3),
    },
    "paper": {
        "seeds": 10, "steps": 10_000, "batch": 64, "length": 20, "context": 128, "items": 500,
        "rates": (3e-4, 1e-3, 3e-3), "tuning_steps": 3300, "model": ModelSize(dim=128, heads=8, layers=4),
    },
}  # fmt: skip
"""Sizes that go together.

quick     four schemes learn copy and reverse within the training length, in minutes on two cores; its three
          seeds can't decide anything, and the report says so
standard  enough seeds for six comparisons; rates are chosen; hours for four schemes and two tasks
paper     as small studies of length generalisation are published; days on a few cores
"""


class About(NamedTuple):
    """What a table says of a task without making its items."""

    id: str
    title: Text
    unit: Text
    exact: bool
    chance: float
    groups: tuple[str, ...]
    length: int
    lengths: tuple[int, ...]
    reads_text: bool


@dataclass(frozen=True, kw_only=True)
class Design:
    """One comparison.

    schemes       ids or Contenders; tasks: ids of ``experiments.tasks``
    seeds         how many; the same ones for each scheme, so that runs are paired
    steps, batch  updates of each run, and items an update
    rates         learning rates tried; of several, each scheme gets the one with the least loss on items of
                  the training length, over ``tuning_seeds`` seeds of ``tuning_steps`` updates each
    length        longest question of the tasks with answers; context: tokens of a window of text
    multiples     lengths of the tests, in training lengths, the first of them 1; None: as the task has them
    text          for the tasks that read one
    items         tested of each length; probes: what is measured beside them, of ``PROBES``
    matching      what is equal for all schemes. ``parameters``: what one has of its own, the MLP has less;
                  ``flops`` and ``wall-clock``: MLPs are as wide, and one that costs more gets fewer steps
    costs         of a step of each scheme and task, ``{label: {task: cost}}``, the one without positions
                  being 1; measured before the first step for the last two matchings

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
    multiples: tuple[float, ...] | None = None
    items: int = 200
    probes: tuple[str, ...] = ()
    model: ModelSize = ModelSize()
    matching: str = "parameters"
    costs: Mapping[str, Mapping[str, float]] = field(default_factory=dict, hash=False)
    text: str = field(default="", repr=False)
    text_sha256: str | None = None

    def __post_init__(self) -> None:
        named = (self.schemes,) if isinstance(self.schemes, str | Contender) else self.schemes
        given = (Contender(one) if isinstance(one, str) else one for one in named)
        object.__setattr__(self, "schemes", tuple(given))
        tasks = (self.tasks,) if isinstance(self.tasks, str) else tuple(self.tasks)
        object.__setattr__(self, "tasks", tasks)
        object.__setattr__(self, "rates", tuple(self.rates))
        probes = (self.probes,) if isinstance(self.probes, str) else tuple(self.probes)
        object.__setattr__(self, "probes", tuple(one for one in PROBES if one in probes) if probes else ())
        require_distinct("schemes", [one.label for one in self.schemes], least=2)
        require_distinct("tasks", self.tasks, least=1)
        require_distinct("rates", [f"{rate:g}" for rate in self.rates], least=1)
        for probe in probes:
            require_choice(probe, "probes", PROBES)
        require_costs(self.costs)
        require_choice(self.matching, "matching", MATCHINGS)
        require_count(self.seeds, "seeds", most=MOST_SEEDS)
        for name in ("steps", "tuning_steps", "tuning_seeds", "batch"):
            require_count(getattr(self, name), name)
        require_count(self.items, "items", least=2)
        require_count(self.length, "length", least=2, most=4096)
        require_count(self.context, "context", least=2, most=65_536)
        for rate in self.rates:
            require_real(rate, "rates", least=1e-8, most=10.0)
        if self.multiples is not None:
            object.__setattr__(self, "multiples", tuple(float(one) for one in self.multiples))
            require_multiples(self.multiples)
        for task in self.tasks:
            about = self.about(task)
            require_longer(task, about.length, about.lengths)
        kinds = [kind_of_task(task) for task in self.tasks]
        reads = any(kind.reads_text for kind in kinds)
        if not any(kind.reads_text and kind.causal for kind in kinds):
            require_probes_of_texts(self.probes, OF_TEXTS)
        if not reads or self.text:
            for task in self.tasks:
                self.task(task)
            fingerprint = hashlib.sha256(self.text.encode()).hexdigest() if reads else None
            object.__setattr__(self, "text_sha256", fingerprint)
        elif self.text_sha256 is None:
            self.task(next(kind.id for kind in kinds if kind.reads_text))  # says what is missing
        require_different({one.label: self._told_apart_by(one) for one in self.schemes})

    def _told_apart_by(self, scheme: Contender) -> tuple[Any, ...]:
        """All that a scheme is, whatever it is called, in models of two sizes, seeds and kinds.

        What it is given may be what one of them would have filled in.
        """
        causal = sorted({kind_of_task(task).causal for task in self.tasks})
        found = []
        for rows, seed, each in ((64, 0, causal[0]), (96, 1, causal[-1])):
            try:
                one = scheme.description(self.model, rows, seed, causal=each)
            except BadParameter as error:
                raise error.called(f"{error.name} ({scheme.label})") from error
            except ClockhandsError:
                raise
            except Exception as error:  # it may be anybody's code
                raise ClockhandsError(
                    f"{scheme.label} can't be described ({said_by(error)}): mend it, or leave it out",
                    f"无法描述 {scheme.label}（{said_by(error)}）：请修改它，或去掉它",
                ) from error
            found.append((type(one), *(getattr(one, name) for name in one.parameters())))
        return (scheme.randomised_to, *found)

    def task(self, id: str) -> Task:
        """One of its tasks, ready to make items."""
        return make_task(
            id, length=self.length, context=self.context, text=self.text, multiples=self.multiples
        )

    def about(self, id: str) -> About:
        """What is known of a task without its items, even where the text is not at hand."""
        kind = kind_of_task(id)
        length = self.context if kind.reads_text else self.length
        multiples = kind.multiples if self.multiples is None else self.multiples
        lengths = lengths_of(length, multiples)
        return About(
            id, kind.title, kind.unit, kind.exact, kind.chance, kind.groups, length, lengths, kind.reads_text
        )

    @property
    def tunes(self) -> bool:
        """Whether there is a learning rate to choose."""
        return len(self.rates) > 1

    def steps_of(self, scheme: Contender, task: str, steps: int) -> int:
        """Updates of a run whose scheme costs what it does: as many as ``steps`` of one without positions."""
        return max(1, round(steps / self.costs.get(scheme.label, {}).get(task, 1.0)))

    def to_json(self) -> dict[str, Any]:
        """As plain values, the text by its fingerprint."""
        values = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "text"}
        schemes = [
            {"id": one.id, "parameters": dict(one.parameters), RANDOMISED: one.randomised_to}
            for one in self.schemes
        ]
        return values | {
            "schemes": schemes, "tasks": list(self.tasks), "rates": list(self.rates),
            "probes": list(self.probes), "model": asdict(self.model),
            "multiples": None if self.multiples is None else list(self.multiples),
            "costs": {label: dict(one) for label, one in self.costs.items()},
        }  # fmt: skip

    @classmethod
    def from_json(cls, values: Mapping[str, Any], text: str = "") -> Self:
        """What ``to_json`` wrote; KeyError, TypeError or ValueError if it is no such thing."""
        given = dict(values)
        fingerprint = given["text_sha256"]
        schemes = (Contender(one["id"], one["parameters"], one[RANDOMISED]) for one in given.pop("schemes"))
        model = ModelSize(**given.pop("model"))
        design = cls(**given, schemes=tuple(schemes), model=model, text=text)
        if fingerprint != design.text_sha256:
            raise ValueError(fingerprint)
        return design

    def with_(self, **changes: Any) -> Self:
        """The same with some settings changed."""
        return replace(self, **changes)
