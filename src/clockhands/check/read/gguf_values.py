"""Values of a GGUF file by their short names, held against what they must be."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from clockhands.check.finding import Finding
from clockhands.check.read.file_rules import BAD_VALUE
from clockhands.check.saying import number, said, spaced
from clockhands.check.settings import finite
from clockhands.language import Text

MOST_LAYERS = 512
"""``LLAMA_MAX_LAYERS`` of llama.cpp."""


SMALLEST, LARGEST = 1.2e-38, 3.4e38
"""Of float32, in which llama.cpp keeps them."""


class Values:
    """Values under ``{architecture}.``; those that can't be are None, and a finding says so once.

    ``found`` grows while values are read.
    """

    def __init__(self, values: Mapping[str, Any], arch: str):
        self.values, self.arch = values, arch
        self.found: list[Finding] = []

    def path(self, name: str) -> str:
        """The whole key."""
        return f"{self.arch}.{name}"

    def has(self, name: str) -> bool:
        return self.path(name) in self.values

    def raw(self, name: str) -> Any:
        return self.values.get(self.path(name))

    def whole(self, name: str, *, most: int = 2**31 - 1, least: int = 1) -> int | None:
        """A whole number within bounds; the largest of an array, where layers differ."""
        raw = self.raw(name)
        if raw is None:
            return None
        given = max(raw, default=None) if isinstance(raw, tuple) and _numbers(raw) else raw
        if isinstance(given, int) and not isinstance(given, bool) and least <= given <= most:
            return given
        self._bad(
            name,
            raw,
            Text(f"a whole number from {least} to {number(most)}", f"{least} 到 {number(most)} 的整数"),
        )
        return None

    def positive(self, name: str) -> float | None:
        """A finite number above 0."""
        raw = self.raw(name)
        if raw is None:
            return None
        number = finite(raw)
        if number is not None and SMALLEST <= number <= LARGEST:
            return number
        self._bad(
            name, raw, Text("a finite number above 0 that float32 holds", "大于 0、float32 容得下的有限数")
        )
        return None

    def number(self, name: str) -> float | None:
        """A finite number."""
        raw = self.raw(name)
        number = finite(raw)
        if raw is None or (number is not None and abs(number) <= LARGEST):
            return number
        self._bad(name, raw, Text("a finite number that float32 holds", "float32 容得下的有限数"))
        return None

    def by_layer(self, name: str, layers: int) -> tuple[int, ...] | None:
        """Whole numbers from 0, or yes and no, one a layer; one stands for all."""
        raw = self.raw(name)
        if raw is None:
            return None
        each = raw if isinstance(raw, tuple) else (raw,) * layers
        if len(each) >= layers and all(isinstance(one, int) and one >= 0 for one in each):
            return tuple(int(one) for one in each[:layers])
        self._bad(
            name,
            raw,
            Text(
                f"a whole number from 0, or a list of {layers}",
                f"不小于 0 的整数，或由 {layers} 个这样的数组成的列表",
            ),
        )
        return None

    def text(self, name: str) -> str | None:
        raw = self.raw(name)
        return raw if isinstance(raw, str) else None

    def bad(self, name: str, rule: Text) -> None:
        """That the value breaks ``rule``."""
        self._bad(name, self.raw(name), rule)

    def _bad(self, name: str, raw: Any, rule: Text) -> None:
        path, value = self.path(name), said(raw)
        if any(path in each.keys for each in self.found):
            return
        self.found.append(
            BAD_VALUE.finding(
                "error",
                [path],
                Text(
                    f"{path} is {value.en}, but it must be {rule.en}",
                    f"{path} 为{value.zh}，但它必须是{spaced(rule.zh)}",
                ),
                Text(
                    "convert the model again with a current converter, or set the key with gguf-set-metadata",
                    "请用新版转换脚本重新转换模型，或用 gguf-set-metadata 改正这个键",
                ),
            )
        )


def _numbers(values: tuple[Any, ...]) -> bool:
    return all(isinstance(each, int) or (isinstance(each, float) and math.isfinite(each)) for each in values)
