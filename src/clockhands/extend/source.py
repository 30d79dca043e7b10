"""The model whose context is to be extended: which hands turn without a window, and what training showed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clockhands.check.form import LayerForm
from clockhands.check.read.rope_parameters import DICTIONARIES
from clockhands.check.settings import Settings
from clockhands.check.subject import Subject
from clockhands.errors import BadParameter, ClockhandsError
from clockhands.extend.home import home_of
from clockhands.formulas.frequencies import from_rope_parameters
from clockhands.language import Text

Target = str | os.PathLike[str] | Mapping[str, Any]

KEPT = ("partial_rotary_factor", "mrope_section", "mrope_interleaved")
"""What a scaling leaves as it is."""

TUNED = (
    "beta_fast", "beta_slow", "truncate", "mscale", "mscale_all_dim", "low_freq_factor", "high_freq_factor",
)  # fmt: skip
"""Numbers of a scaling that hold at another factor too."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """What a plan needs to know.

    name      of the target
    subject   the target as ``clockhands check`` reads it
    file      the configuration as it is written; of a GGUF file the like of it, None where there is none
    part      settings of the part that reads text, None where ``file`` is
    path      keys that lead to this part, ``("text_config",)``; empty where it is the whole
    form      the layers that attend over the whole text with hands; all kinds of them turn alike
    windowed  layers with hands that see a window within the trained length, and need nothing; where they turn
              as the others do, one dictionary is for all, and they slow along
    trained   tokens that the hands were trained on: where it was trained again for more, what it promises
    original  tokens it was trained on before a scaling that is there; ``trained`` where there is none
    before    the factor of that scaling, 1 where there is none
    """

    name: str
    subject: Subject
    file: Mapping[str, Any] | None
    part: Settings | None
    path: tuple[str, ...]
    form: LayerForm
    windowed: tuple[LayerForm, ...]
    trained: int
    original: int
    before: float

    @property
    def theta(self) -> float:
        """Base of the ladder; Hunyuan's ``alpha``, which holds at every length, is in it."""
        assert self.form.rope_theta is not None
        alpha = self.form.scaling.get("alpha")
        return self.form.rope_theta * (alpha**self.stretch if alpha else 1.0)

    @property
    def width(self) -> int:
        """Dimensions that turn; of p-RoPE those over which the ladder is spread."""
        assert self.form.rotary_dim is not None
        return self.form.rotary_dim

    @property
    def stretch(self) -> float:
        """Power of a factor that the base is multiplied by, so that the slowest hand slows by that factor."""
        assert self.form.inv_freq is not None
        turning = sum(speed > 0 for speed in self.form.inv_freq)
        return self.width / (2 * (turning - 1)) if turning > 1 else 1.0

    def original_for(self, kind: str) -> int:
        """Trained length to write beside a factor over it: that of the file where it has this very scaling.

        Of another it is what the factor leaves: Llama 3.1 says 8192 and factor 8 for 131072, so that its slow
        hands went as far as plain ones would in 16384.
        """
        return self.original if self.form.rope_type == kind else self.plain

    @property
    def plain(self) -> int:
        """Tokens in which plain hands go as far as those that a scaling slowed do in the trained length."""
        return round(self.trained / self.before)

    @property
    def apart(self) -> tuple[LayerForm, ...]:
        """Windowed layers that turn otherwise than the whole ones: keys for these must leave them alone."""
        return tuple(form for form in self.windowed if form.inv_freq != self.form.inv_freq)

    @property
    def scaled(self) -> bool:
        """Whether the weights were trained with a scaling; dynamic NTK is none that needs training."""
        return self.form.rope_type not in (None, "default", "proportional", "dynamic")

    @property
    def kept(self) -> dict[str, Any]:
        """Rotary parameters that stay, as a configuration has them."""
        found: dict[str, Any] = {}
        for told in self._dictionaries():
            found |= {key: told[key] for key in KEPT if key in told}
        return found

    def own(self, kind: str) -> dict[str, Any]:
        """What the file says of a scaling beside factor and lengths, where it has one of this ``kind``."""
        if self.form.rope_type != kind:
            return {}
        told = {key: value for each in self._dictionaries() for key, value in each.items()}
        return {key: value for key, value in self.form.scaling.items() if key in TUNED and (
            key in told or self.part is None)}  # fmt: skip

    def _dictionaries(self) -> list[Mapping[str, Any]]:
        """Of rotary parameters: flat ones, and what nested ones have for these layers."""
        file = self.part.file if self.part is not None else {}
        given = [file[name] for name in DICTIONARIES if isinstance(file.get(name), Mapping)]
        inner = [each[self.layer_type] for each in given if isinstance(each.get(self.layer_type), Mapping)]
        return [*given, *inner]

    @property
    def layer_type(self) -> str:
        """What nested dictionaries call the layers that see the whole text."""
        return "full_attention"

    @property
    def nested(self) -> bool:
        """Whether rotary parameters are kept by the type of layers: in the file, or in its class."""
        if self.part is None:
            return False
        told = self.part.file.get("rope_parameters")
        places = [told if isinstance(told, Mapping) else {}, self.part.rope.own, self.part.rope.fill]
        return any(isinstance(each.get(self.layer_type), Mapping) for each in places)

    def turning(self, length: int) -> tuple[NDArray[np.float64], float]:
        """Rad / token of each hand and the attention factor, of the model as it is at ``length`` tokens."""
        form = self.form
        assert form.inv_freq is not None
        speeds = np.asarray(form.inv_freq, dtype=np.float64)
        factor = 1.0 if form.attention_factor is None else form.attention_factor
        if length > self.original and form.rope_type == "longrope" and "long_factor" in form.scaling:
            short, long = (np.asarray(form.scaling[name]) for name in ("short_factor", "long_factor"))
            speeds = speeds * short / long
        elif length > self.trained and form.rope_type == "dynamic" and not form.scaling.get("alpha"):
            told = {"rope_type": "dynamic", "rope_theta": self.theta, "factor": form.scaling["factor"]}
            speeds, factor = from_rope_parameters(
                told, head_dim=self.width, max_position_embeddings=self.trained, seq_len=length
            )
        return np.asarray(speeds, dtype=np.float64), factor


def read_source(target: Target, trained: int | None = None) -> Source:
    """What is to be extended: a configuration (file, folder or mapping), a GGUF file, or a name of either.

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
        widest = max(form.window or 0 for form in hands)
        raise ClockhandsError(
            f"every layer of {subject.target} sees a window of at most {widest:,} tokens, whatever the text: "
            "its hands never leave the trained range, and there is nothing to extend",
            f"{subject.target} 的每一层都只看至多 {widest:,} 个词元的窗口，文本再长也一样："
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
    file, part, path = home_of(subject, whole[0], length)
    trained_again = whole[0].rope_type not in (None, "default", "proportional", "dynamic")
    own = whole[0].scaling.get("factor")
    before = float(own) if trained_again and isinstance(own, int | float) and own > 1 else 1.0
    original = subject.context.trained if whole[0].rope_type != "linear" else round(length / before)
    return Source(
        name=subject.target, subject=subject, file=file, part=part, path=path, form=whole[0],
        windowed=windowed, trained=length, original=original or length if trained_again else length,
        before=before,
    )  # fmt: skip


def _subject(target: Target) -> Subject:
    if isinstance(target, Mapping):
        from clockhands.check.read import read_config

        return read_config(target)
    from clockhands.check.read.named import read_named

    return read_named(os.fspath(target), weights=False)


def _trained(subject: Subject, hands: list[LayerForm]) -> int:
    """A model with a scaling was trained again for what it promises; others promise what they saw."""
    context = subject.context
    scaled = any(form.rope_type not in (None, "default", "proportional", "dynamic") for form in hands)
    length = (context.promised if scaled else None) or context.trained or context.promised
    if length is None:
        raise BadParameter(
            "trained",
            f" is missing: {subject.target} doesn't say how long the texts were that it was trained on",
            f" 缺失：{subject.target} 没有说明训练时的文本长度",
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
