"""What both kinds of M-RoPE share: hands of time, row and column, so many of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from clockhands import formulas
from clockhands.catalogue.axes import COLUMN, ROW, TIME, Sections, one_for_each, require_total
from clockhands.catalogue.description import Array
from clockhands.catalogue.rotary import Rotary
from clockhands.language import Text


@dataclass(frozen=True, kw_only=True)
class Sectioned(Rotary):
    """RoPE whose hands each read one of three axes. Subclasses say how many, and which hand reads which."""

    head_dim: int = 128
    mrope_section: Sections = None

    axes: ClassVar[tuple[Text, ...]] = (TIME, ROW, COLUMN)

    def __post_init__(self) -> None:
        Rotary.check(self)
        section = self.usual_section(self.turned // 2) if self.mrope_section is None else self.mrope_section
        object.__setattr__(self, "mrope_section", one_for_each(section, "mrope_section", self.axes))
        super().__post_init__()

    def usual_section(self, pairs: int) -> tuple[int, ...]:
        """What ``mrope_section`` is by default, of ``pairs`` hands."""
        raise NotImplementedError

    def check(self) -> None:
        what = Text("half of the dimensions that turn", "参与旋转的维数的一半")
        require_total(self.section, "mrope_section", self.turned // 2, what)

    @property
    def section(self) -> tuple[int, ...]:
        """``mrope_section`` as numbers."""
        return one_for_each(self.mrope_section, "mrope_section", self.axes)

    def inv_freq(self) -> Array:
        return formulas.default_inv_freq(self.turned, float(self.rope_theta))
