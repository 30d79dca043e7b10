"""``clockhands attend --model``: where the attention of a model that people have looks, head by head."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clockhands.analysis.attention_heads import KINDS
from clockhands.cli.attend_real_files import cross, page_file, pictures, slug, table_pictures, tiles_of
from clockhands.cli.console import tell
from clockhands.errors import ClockhandsError, MissingExtra
from clockhands.language import Language, Text, counted
from clockhands.writing import make_folder

if TYPE_CHECKING:
    from clockhands.real.study import Study

MOST_TOLD = 5
"""Kinds of heads whose clearest one is printed."""


def run_real(
    model: str, texts: Sequence[str], out: Path, lang: Language, *, tokenizer: Path | None, layer: Any,
    head: Any, group: str | None, merge: str | None, hide: str | None, tokens: str | None, tiles: bool,
    dtype: str | None, target: str | None, device: str,
) -> None:  # fmt: skip
    """Load the model, look at each text, write the pictures and their numbers."""
    if find_spec("transformers") is None or find_spec("torch") is None:
        raise MissingExtra(Text("Looking at a model", "查看模型"), "hf")
    from clockhands.real.loading import load
    from clockhands.real.study import induction_of, study
    from clockhands.real.tables import table_of

    make_folder(out)
    loaded = load(
        model,
        tokenizer=tokenizer,
        words=bool(texts),
        dtype=dtype or "float32",
        device=device,
        say=lambda said: tell(said, lang),
    )
    for note in loaded.notes:
        tell(note, lang)
    if not texts and table_of(loaded.model) is None:
        raise ClockhandsError(
            f"{loaded.name} has no table of positions to draw, and no text was given to attend to: give "
            "one or more "
            "after the options",
            f"{loaded.name} 没有可画的位置表，又没有给出文本：请在选项之后给出一段或几段文本",
        )
    for path in table_pictures(out, loaded, lang):
        tell(Text(f"wrote {path}", f"已写入 {path}"), lang)
    if not texts:
        return
    induction, traces = induction_of(loaded), []
    hidden = () if hide is None else tuple(each.strip() for each in hide.split(",") if each.strip())
    for number, text in enumerate(texts, 1):
        made = study(
            loaded, text, unit=group or "characters", how=merge or "sum", hide=hidden,  # type: ignore[arg-type]
            induction=induction, layers=layer, heads=head,
        )  # fmt: skip
        for line in summary(made, number):
            click.echo(line.said_in(lang))
        chosen = chosen_heads(made, layer, head)
        name = f"{slug(loaded.name)}_{{}}{number}"
        for path in pictures(out, name, loaded, made, chosen, tokens, lang):
            tell(Text(f"wrote {path}", f"已写入 {path}"), lang)
        if tiles:
            for path in tiles_of(out, name, loaded, made, chosen, lang):
                tell(Text(f"wrote {path}", f"已写入 {path}"), lang)
        traces.append((number, made))
        if target is not None:
            unit, how = group or "characters", merge or "sum"
            for path in cross(out, name, loaded, text, target, unit, how, lang):
                tell(Text(f"wrote {path}", f"已写入 {path}"), lang)
    path = page_file(out / f"{slug(loaded.name)}_attention.safetensors", loaded, traces, lang)
    if path is not None:
        tell(Text(f"wrote {path}", f"已写入 {path}"), lang)


def summary(made: Study, number: int) -> Iterator[Text]:
    """What the heads do, in a few lines."""
    count, heads = len(made.seen.pieces), len(made.scores)
    yield Text(
        f"Text {number}: {counted(count, 'token')}, {counted(heads, 'head')}.",
        f"第 {number} 段：{count} 个词元，{heads} 个头。",
    )
    kinds = Counter(one.kind for one in made.scores)
    yield Text(
        "Heads: " + ", ".join(f"{KINDS[kind].en} {kinds[kind]}" for kind in KINDS if kinds[kind]) + ".",
        "各类头：" + "，".join(f"{KINDS[kind].zh} {kinds[kind]}" for kind in KINDS if kinds[kind]) + "。",
    )
    clearest = [next(one for one in made.scores if one.kind == kind) for kind in KINDS if kinds[kind]][
        :MOST_TOLD
    ]
    said = [(KINDS[one.kind], f"L{one.layer}H{one.head} {one.strength:.2f}") for one in clearest]
    yield Text(
        "The clearest: " + ", ".join(f"{kind.en} {what}" for kind, what in said) + " (counted from 0).",
        "最明显的：" + "，".join(f"{kind.zh} {what}" for kind, what in said) + "（从 0 数起）。",
    )
    yield from made.said()


def chosen_heads(
    made: Study, layers: Sequence[int] | None, heads: Sequence[int] | None
) -> list[tuple[int, int]]:
    """``(layer, head)`` to draw large: those that were asked for, else the clearest of each kind."""
    if layers is None and heads is None:
        return made.clearest()
    if made.partial:
        return [(call.layer, head) for call in made.seen.calls for head in call.heads]
    calls = {call.layer: call for call in made.seen.calls}
    many = len(calls)
    wanted = sorted(calls) if layers is None else [_place(each, many, "--layer") for each in layers]
    found = []
    for layer in wanted:
        own = calls[layer].heads
        found += [
            (layer, h)
            for h in (own if heads is None else [_place(each, len(own), "--head") for each in heads])
        ]
    return found


def _place(given: int, many: int, name: str) -> int:
    if not -many <= given < many:
        raise ClockhandsError(
            f"{name} is {given}, and the model has {many}: use 0 to {many - 1}",
            f"{name} 为 {given}，而模型有 {many} 个：请用 0 到 {many - 1}",
        )
    return given % many
