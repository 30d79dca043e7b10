"""The model whose context is to be extended: which of its hands turn without a window, and what training showed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clockhands.check.form import LayerForm
from clockhands.check.subject import Subject
from clockhands.errors import ClockhandsError
from clockhands.language import Text

Target = str | os.PathLike[str] | Mapping[str, Any]

KEPT = ("partial_rotary_factor", "mrope_section", "mrope_interleaved")
"""What a scaling leaves as it is."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """What a plan needs to know.

    name      of the target
    file      the configuration as it is written, None for a GGUF file
    form      the layers that attend over the whole text with hands; all kinds of them turn alike
    windowed  layers with hands that see a window within the trained length: they need nothing
    trained   tokens that the hands were trained on: what the model promises, where it was trained again for that
    original  tokens it was trained on before a scaling that is there; ``trained`` where there is none
    before    the factor of that scaling, 1 where there is none
    """

    name: str
    file: Mapping[str, Any] | None
    form: LayerForm
    windowed: tuple[LayerForm, ...]
    trained: int
    original: int
    before: float

    @property
    def theta(self) -> float:
        """Base of the ladder."""
        assert self.form.rope_theta is not None
        return self.form.rope_theta

    @property
    def width(self) -> int:
        """Dimensions that turn."""
        assert self.form.rotary_dim is not None
        return self.form.rotary_dim

    @property
    def scaled(self) -> bool:
        """Whether a scaling is there already."""
        return self.form.rope_type not in (None, "default")

    @property
    def kept(self) -> dict[str, Any]:
        """Rotary parameters that stay, as a configuration has them."""
        found: dict[str, Any] = {}
        for place in ("rope_parameters", "rope_scaling"):
            told = (self.file or {}).get(place)
            if isinstance(told, Mapping):
                found |= {key: told[key] for key in KEPT if key in told}
        return found

    @property
    def nested(self) -> tuple[str, ...]:
        """Layer types that the file keeps rotary parameters for, one dictionary each; none where it is flat."""
        told = (self.file or {}).get("rope_parameters")
        if not isinstance(told, Mapping):
            return ()
        return tuple(key for key, value in told.items() if isinstance(value, Mapping))


def read_source(target: Target, trained: int | None = None) -> Source:
    """What is to be extended: a configuration (file, folder or mapping) or a GGUF file.

    trained  tokens trained on, where the target doesn't say it or says it wrong

    Raises ClockhandsError for what can't be read, and where there are no hands to slow.
    """
    subject = _subject(target)
    hands = [form for form in subject.layers if form.family == "rope" and form.inv_freq and form.rope_theta]
    if not hands:
        raise ClockhandsError(*_no_hands(subject))
    length = trained or _trained(subject, hands)
    whole = [form for form in hands if form.window is None or form.window > length]
    if not whole:
        raise ClockhandsError(
            f"every layer of {subject.target} sees a window of at most {length:,} tokens, whatever the text: "
            "its hands never leave the trained range, and there is nothing to extend",
            f"{subject.target} 的每一层都只看至多 {length:,} 个词元的窗口，文本再长也一样："
            "指针不会超出训练范围，不需要扩展",
        )
    kinds = {(form.inv_freq, form.attention_factor) for form in whole}
    if len(kinds) > 1:
        raise ClockhandsError(
            f"layers of {subject.target} that see the whole text turn in {len(kinds)} ways, and a plan is "
            "for one: give a configuration with one of them",
            f"{subject.target} 中看到整篇文本的层有 {len(kinds)} 种转法，而一个方案只对一种："
            "请给出只含其中一种的配置",
        )
    windowed = tuple(form for form in hands if form not in whole)
    file = subject.settings.file if subject.settings is not None and subject.kind == "config" else None
    own = whole[0].scaling.get("factor")
    return Source(
        name=subject.target, file=file, form=whole[0], windowed=windowed, trained=length,
        original=subject.context.trained or length if whole[0].rope_type not in (None, "default") else length,
        before=float(own) if isinstance(own, int | float) and own > 1 else 1.0,
    )  # fmt: skip


def _subject(target: Target) -> Subject:
    if not isinstance(target, Mapping):
        path = Path(target)
        if path.suffix.lower() == ".gguf":
            from clockhands.check.read.gguf import read_gguf

            return read_gguf(path)
        target = path / "config.json" if path.is_dir() else path
    from clockhands.check.read import read_config

    return read_config(target)


def _trained(subject: Subject, hands: list[LayerForm]) -> int:
    """A model with a scaling of its own was trained again for what it promises; others promise what they saw."""
    context = subject.context
    scaled = any(form.rope_type not in (None, "default") for form in hands)
    length = (context.promised if scaled else None) or context.trained or context.promised
    if length is None:
        raise ClockhandsError(
            f"{subject.target} doesn't say how long the texts were that it was trained on: "
            "give the number of tokens with --trained",
            f"{subject.target} 没有说明训练时的文本长度：请用 --trained 给出词元数",
        )
    return length


ADVICE = {
    "alibi": Text(
        "its bias goes on by itself, straight on: try it at the length as it is",
        "它的偏置会沿直线自然延伸：请直接在目标长度上试",
    ),
    "t5": Text(
        "its last bucket holds all farther distances: try it at the length as it is",
        "它的最后一个桶装下所有更远的距离：请直接在目标长度上试",
    ),
    "learned": Text(
        "a learned table has no row past its last: new rows must be trained",
        "可学习的表在最后一行之后什么都没有：新的行必须训练",
    ),
    "sinusoidal": Text(
        "added hands can be read only where training showed them: train on longer texts",
        "加到词元上的指针只有训练见过的部分才能读懂：请用更长的文本训练",
    ),
    "none": Text(
        "no encoding is there: temperature of the softmax and training on longer texts are what is left",
        "它没有位置编码：只剩下调节 softmax 的温度，或用更长的文本训练",
    ),
}


def _no_hands(subject: Subject) -> Text:
    families = {form.family for form in subject.layers}
    known = next((family for family in ADVICE if family in families), None)
    if known is None:
        return Text(
            f"{subject.target} says of no layer how fast its hands turn: clockhands check tells what it says",
            f"{subject.target} 没有说明任何一层的指针转多快：clockhands check 会说明它写了什么",
        )
    en, zh = ADVICE[known]
    return Text(
        f"{subject.target} turns no queries and keys, so there are no hands to slow; {en}",
        f"{subject.target} 不旋转查询和键，没有可以放慢的指针；{zh}",
    )
