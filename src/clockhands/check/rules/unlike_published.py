"""Settings that differ from those of the published model whose weights have these sizes."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.read.rope_parameters import DICTIONARIES
from clockhands.check.rules.published import Published, like
from clockhands.check.rules.written import PROMISED, TRAINED, Given, givens
from clockhands.check.saying import pasted
from clockhands.check.subject import Subject
from clockhands.language import Text

NUMBERS = (
    ("factor", "factor"),
    (TRAINED, "trained"),
    ("low_freq_factor", "low"),
    ("high_freq_factor", "high"),
)


def _check(subject: Subject) -> Iterator[Finding]:
    for given in givens(subject):
        models = like(given.part.settings) if given.layer_type is None else ()
        if not models:
            continue
        unlike = {model: _unlike(given, model, subject.laid_over) for model in models}
        if all(unlike.values()):
            nearest = min(models, key=lambda model: (model.length != given.part.promised, len(unlike[model])))
            yield from _of(given, nearest, unlike[nearest])


def _unlike(given: Given, model: Published, meant: frozenset[str]) -> dict[str, object]:
    """Keys that say something else, with what the model has; what isn't written at all is told elsewhere.

    meant  keys that an override lays over the file: what is set on purpose was not lost on the way
    """
    found = _differing(given, model)
    return {key: value for key, value in found.items() if not meant & _homes(key)}


def _homes(key: str) -> set[str]:
    """The key and the dictionaries that it is in, either name of rotary ones standing for both."""
    steps = key.split(".")
    homes = {".".join(steps[: end + 1]) for end in range(len(steps))}
    for each in [*homes]:
        start, _, last = each.rpartition(".")
        if last in DICTIONARIES:
            homes |= {f"{start}.{name}" if start else name for name in DICTIONARIES}
    return homes


def _differing(given: Given, model: Published) -> dict[str, object]:
    found: dict[str, object] = {}
    if given.says("rope_theta") and given.number("rope_theta") not in (None, model.theta):
        found[given.key("rope_theta")] = model.theta
    if given.part.promised not in (None, model.length):
        found[given.part.key(PROMISED)] = model.length
    if given.kind != model.scaling.kind:
        if model.scaling.kind != "default":  # adding a scaling is how contexts are extended
            found[given.key("rope_type") if given.path else f"{given.part.prefix}rope_scaling"] = (
                model.scaling.kind
            )
        return found
    for name, field in NUMBERS:
        wanted, value = getattr(model.scaling, field), given.number(name)
        if wanted is not None and name in given.given and value != wanted:
            found[given.key(name)] = wanted
    return found


def _of(given: Given, model: Published, unlike: dict[str, object]) -> Iterator[Finding]:
    promised, keys = given.part.key(PROMISED), list(unlike)
    as_promised = promised not in unlike
    settings = " and ".join(f"{key}: {pasted(value)}" for key, value in unlike.items())
    settings_zh = "，".join(f"{key}: {pasted(value)}" for key, value in unlike.items())
    message = Text(
        f"the sizes are those of {model.name}, whose published file has {settings}",
        f"尺寸与 {model.name} 相同，而它公开的文件写的是 {settings_zh}",
    )
    if as_promised:
        remedy = Text("write what the published file has", "按公开的文件来写")
    else:
        remedy = Text(
            "leave it if the weights were tuned for this context; if not, write what the published file has",
            "如果权重是为这一上下文调过的，就不必改；否则按公开的文件来写",
        )
    severity = "error" if as_promised else "warning" if keys == [promised] else "note"
    yield RULE.finding(severity, keys, message, remedy)


RULE = Rule(
    code="CH040",
    title=Text("not what the published model has", "与公开模型的设置不同"),
    story=Text(
        "Weights fix the sizes of a file, and sizes tell which model it is. Where the promised length is "
        "that of the published model and base or scaling is not, something was lost on the way: the "
        "scaling of Llama 3.1 in a conversion (a mean cosine of 0.96 at 1,000 tokens, 0.54 at 60,000), or "
        "CodeLlama's length, published as 2,048 for 16,384. A file that promises another length was probably "
        "tuned for it.",
        "权重决定了文件中的尺寸，从尺寸可以看出是哪个模型。承诺长度与公开模型相同，而底数或缩放不同，就是中"
        "途丢了什么：例如转换时丢失了 Llama 3.1 的缩放（平均余弦在 1,000 个词元处为 0.96，60,000 处为 "
        "0.54），又如 CodeLlama 的长度本是 16,384，却曾公布为 2,048。承诺别的长度的文件，多半是为那个长度调过"
        "的。",
    ),
    check=_check,
    reference="unslothai/unsloth #6907; lablup/mlxcel #1355; meta-llama/codellama #188; "
    "huggingface/transformers #24986",
)
