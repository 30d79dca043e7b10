"""Everything that decides what a run computes, checked in one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, Self, get_args

from clockhands.catalogue import describe
from clockhands.catalogue.description import Description
from clockhands.catalogue.rules import require_bool, require_choice, require_count, require_real
from clockhands.errors import BadParameter, ClockhandsError
from clockhands.models.projections import head_dim_of
from clockhands.text import TOKENIZERS, Entry, parse_window
from clockhands.text.dictionary import well_formed
from clockhands.text.segment import TokenizerName
from clockhands.training.described import as_json, from_json

Task = Literal["next-token", "masked", "reconstruct"]
TASKS: tuple[Task, ...] = get_args(Task)

LONGEST = 512
"""Tokens that a sentence to draw, or a training window, may have."""

CHARS = 60_000
"""Characters of a longer text that are used unless ``chars`` asks for others."""


@dataclass(frozen=True, kw_only=True)
class AttendSettings:
    """One experiment: a task, a positional encoding, texts, sizes. Equal settings give equal numbers.

    task          ``next-token``: a decoder guesses the next token; ``masked``: an encoder guesses hidden
                  tokens; ``reconstruct``: one attention layer gives back its own embedding
    scheme        an id of the catalogue with ``parameters``, or a description
    as_printed    reconstruct exactly as the article does: padding takes part in attention and in the loss
    texts         to train on, none: the sentences; and if there are none either, the three sample passages
    sentences     to draw attention maps of, none: the beginning of each of the first three texts
    tokenizer, lang, punctuation, dictionary  see ``clockhands.text.Segmenter``
    tokens        window of each drawn sentence, such as ``"0:40"``; chars: window of each text to train on
    layers, heads, kv_heads, dim  sizes of the model (reconstruct: one layer); None: as suits the task
    context       tokens of a training window
    epochs        times over the text; None: as many as make about as many steps as the task needs
    batch         training windows a step
    hidden_share  of the tokens, hidden in the masked task
    held_out      share of each text at its end that is not trained on
    min_count     a rarer word becomes ``<unk>``; None: 1 for short texts, 2 for long ones

    Raises ClockhandsError for whatever does not fit.
    """

    task: Task = "reconstruct"
    scheme: str | Description = "rope"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    as_printed: bool = False
    texts: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()
    tokenizer: TokenizerName = "words"
    lang: str | None = None
    punctuation: bool = True
    dictionary: tuple[Entry, ...] = ()
    tokens: str | None = None
    chars: str | None = None
    layers: int | None = None
    heads: int = 4
    kv_heads: int | None = None
    dim: int | None = None
    context: int = 64
    epochs: int | None = None
    batch: int = 16
    learning_rate: float | None = None
    dropout: float = 0.1
    hidden_share: float = 0.15
    held_out: float = 0.1
    min_count: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        require_choice(self.task, "task", TASKS)
        require_choice(self.tokenizer, "tokenizer", TOKENIZERS)
        for name in ("heads", "context", "batch"):
            require_count(getattr(self, name), name)
        for name in ("layers", "dim", "epochs", "min_count", "kv_heads"):
            if getattr(self, name) is not None:
                require_count(getattr(self, name), name)
        require_count(self.context, "context", least=2, most=LONGEST)
        require_count(self.seed, "seed", least=0, most=2**63 - 1)
        require_real(self.dropout, "dropout", least=0.0, most=0.9)
        require_real(self.hidden_share, "hidden_share", least=0.01, most=0.9)
        require_real(self.held_out, "held_out", least=0.0, most=0.5)
        if self.learning_rate is not None:
            require_real(self.learning_rate, "learning_rate", least=1e-8, most=10.0)
        for window in (self.tokens, self.chars):
            if window is not None:
                parse_window(window)
        self._check_kinds()
        self._check_reconstruct()
        self.description()

    def _check_kinds(self) -> None:
        for name in ("as_printed", "punctuation"):
            require_bool(getattr(self, name), name)
        for name in ("texts", "sentences"):
            values = getattr(self, name)
            if not isinstance(values, tuple) or not all(isinstance(value, str) for value in values):
                raise ClockhandsError(
                    f"{name} must be a tuple of strings: put a single one into (...,)",
                    f"{name} 必须是由字符串组成的元组：只有一个时请写成 (...,)",
                )
        if self.lang is not None and not isinstance(self.lang, str):
            raise ClockhandsError(
                f"lang is {self.lang!r}, but it must be the name of a language, such as 'zh'",
                f"lang 为 {self.lang!r}，但它必须是语言的名称，例如 'zh'",
            )
        if not isinstance(self.dictionary, tuple) or not all(map(well_formed, self.dictionary)):
            raise ClockhandsError(
                "the dictionary must be a tuple of entries, each a word, a count and a part of speech: "
                "use clockhands.text.Entry",
                "词典必须是由词条组成的元组，每条为词、次数和词性：请用 clockhands.text.Entry",
            )

    def _check_reconstruct(self) -> None:
        if self.alone and self.layers not in (None, 1):
            raise ClockhandsError(
                f"layers is {self.layers}, and the task 'reconstruct' has one layer: leave it out, "
                "or use another task",
                f"layers 为 {self.layers}，而任务 reconstruct 只有一层：请去掉它，或换一个任务",
            )
        if self.as_printed and not self.alone:
            raise ClockhandsError(
                f"as_printed belongs to the task 'reconstruct', and the task is '{self.task}': leave it out",
                f"as_printed 只用于任务 reconstruct，而现在的任务是 {self.task}：请去掉它",
            )

    @property
    def causal(self) -> bool:
        """Whether a token sees earlier ones only."""
        return self.task == "next-token"

    @property
    def alone(self) -> bool:
        """Whether the model is one attention layer and no more."""
        return self.task == "reconstruct"

    @property
    def model_dim(self) -> int:
        """``dim``, or what suits the task."""
        return self.dim or (32 if self.alone else 64)

    @property
    def model_layers(self) -> int:
        """``layers``, or what suits the task."""
        return self.layers or (1 if self.alone else 2)

    @property
    def full_rate(self) -> float:
        """``learning_rate``, or what suits the task."""
        return self.learning_rate or (1e-3 if self.alone else 3e-3)

    def filled(self, epochs: int) -> Self:
        """With every size written out."""
        return replace(
            self, dim=self.model_dim, layers=self.model_layers, learning_rate=self.full_rate, epochs=epochs
        )

    def description(self) -> Description:
        """The encoding, with the sizes of the model filled in."""
        dim = self.model_dim
        sizes = {
            "d_model": dim, "head_dim": head_dim_of(dim, self.heads, self.kv_heads or self.heads),
            "num_heads": self.heads, "num_layers": self.model_layers, "max_positions": LONGEST + 1,
            "bidirectional": not self.causal, "seed": self.seed,
        }  # fmt: skip
        if isinstance(self.scheme, Description):
            if self.parameters:
                raise ClockhandsError(
                    "parameters belong to a scheme given by its id, and this one is ready: leave them out",
                    "parameters 只用于按名称给出的方案，而这里给的是现成的描述：请去掉它",
                )
            return self.scheme
        try:
            return type(describe(self.scheme)).fitted(sizes, **self.parameters)
        except BadParameter as error:
            if error.name != "head_dim" or error.name in self.parameters:
                raise
            raise error.called("head_dim (dim / heads)") from error

    def to_json(self) -> dict[str, Any]:
        """As plain values, without the texts (a run keeps their tokens)."""
        kept = (name for name in self.names() if name not in ("texts", "parameters"))
        values = {name: getattr(self, name) for name in kept}
        values["dictionary"] = [list(entry) for entry in self.dictionary]
        values["sentences"] = list(self.sentences)
        return values | {"scheme": as_json(self.description())}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """What ``to_json`` wrote, without texts; KeyError, TypeError or ValueError if it is no such thing."""
        given = dict(values)
        given["scheme"] = from_json(given["scheme"])
        given["dictionary"] = tuple(Entry(*entry) for entry in given["dictionary"])
        if isinstance(given["sentences"], list):
            given["sentences"] = tuple(given["sentences"])
        return cls(**given)

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Names of all settings."""
        return tuple(one.name for one in fields(cls))
