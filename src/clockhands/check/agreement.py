"""What is declared and what is measured as one normal form, and where the two disagree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

from clockhands.check.compare import Difference, differences
from clockhands.check.finding import Finding, Rule, found_while_reading
from clockhands.check.form import LayerForm, merged
from clockhands.check.subject import Subject
from clockhands.language import Text


def agreed(declared: Sequence[LayerForm], measured: Sequence[LayerForm]) -> tuple[LayerForm, ...]:
    """Measured forms; where they agree with the declared ones, these, with the names and digits they have.

    Layers that were not measured stay as declared.

    >>> form = LayerForm(layers=(0,), family="rope", layout="half", rope_type="linear")
    >>> agreed([form], [replace(form, rope_type=None, source="measured")])[0].source
    'both'
    """
    seen = [part for form in measured for part in _beside(form, declared)]
    covered = {(form.stack, layer) for form in measured for layer in form.layers}
    return merged([*seen, *_rest(declared, covered)])


def _beside(form: LayerForm, declared: Sequence[LayerForm]) -> list[LayerForm]:
    """A measured form, in parts where different things are declared of its layers."""
    found, left = [], set(form.layers)
    for said in declared:
        common = left & set(said.layers) if _same_place(said, form) else set()
        if common:
            found.append(_one(tuple(sorted(common)), form, said))
            left -= common
    if left:
        found.append(replace(form, layers=tuple(sorted(left)), source="measured"))
    return sorted(found, key=lambda each: each.layers[0])


def _one(layers: tuple[int, ...], form: LayerForm, said: LayerForm) -> LayerForm:
    seen, said = replace(form, layers=layers, source="measured"), replace(said, layers=layers)
    if differences([said], [seen]):
        return seen
    unsaid = {name: value for name, value in _values(seen).items() if getattr(said, name) in (None, {})}
    return replace(said, **unsaid, source="both")


def _rest(declared: Sequence[LayerForm], covered: set[tuple[str | None, int]]) -> Iterator[LayerForm]:
    """What is declared of layers that were not measured, as in a small model that has fewer."""
    for form in declared:
        left = tuple(layer for layer in form.layers if (form.stack, layer) not in covered)
        if left:
            yield replace(form, layers=left)


def _values(form: LayerForm) -> dict[str, Any]:
    return {each.name: getattr(form, each.name) for each in fields(form)}


def _same_place(said: LayerForm, form: LayerForm) -> bool:
    return said.stack == form.stack and said.family == form.family


def disagreements(subject: Subject) -> tuple[Difference, ...]:
    """Where what was measured is not what was declared, on the layers that were measured."""
    if subject.measured is None or not subject.declared:
        return ()
    declared = subject.declared
    if subject.kind == "config":  # measured on a small model, which has fewer layers
        covered = {(form.stack, layer) for form in subject.measured for layer in form.layers}
        unseen = {(form.stack, layer) for form in _rest(declared, covered) for layer in form.layers}
        declared = tuple(
            replace(form, layers=left)
            for form in declared
            if (left := tuple(layer for layer in form.layers if (form.stack, layer) not in unseen))
        )
    return differences(declared, subject.measured)


UNABLE = Rule(
    code="CH301",
    title=Text("a class that can't run with these settings", "这个类无法按这些设置运行"),
    story=Text(
        "Transformers builds many models whose settings don't fit each other, and they fall over at the "
        "first token, or on one device only: a partial rotation that the class doesn't know, an odd head, "
        "a list with too few entries. A small model of the same class shows it in seconds, before the "
        "weights are loaded.",
        "transformers 会构建许多设置互相矛盾的模型，它们在处理第一个词元时就会出错，或者只在某种设备上出"
        "错：类不认识的部分旋转、奇数的头宽、条目太少的列表。按同一个类建一个小模型，几秒钟就能看出来，不必"
        "先加载权重。",
    ),
    check=found_while_reading,
    reference="huggingface/transformers #48101",
)


def unable(reason: Text) -> Finding:
    """What ``--measure`` finds where the small model falls over."""
    return UNABLE.finding(
        "error",
        (),
        Text(f"a small model of this class can't run: {reason.en}", f"这个类的小模型无法运行：{reason.zh}"),
        Text("mend the settings that the other findings name", "请修正其他发现所指出的设置"),
    )
