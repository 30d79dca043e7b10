"""``clockhands attend --model``: where the attention of a model that people have looks, head by head."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from clockhands.analysis import export
from clockhands.analysis.attention_heads import KINDS
from clockhands.cli.console import tell
from clockhands.errors import ClockhandsError, MissingExtra
from clockhands.language import Language, Text, counted
from clockhands.writing import cannot_write, written_aside

if TYPE_CHECKING:
    from clockhands.real.attention import Trace
    from clockhands.real.loading import Loaded
    from clockhands.real.study import Study

MOST_DRAWN = 1024
"""Tokens up to which a map is drawn whole; longer ones are for tiles."""
MOST_BYTES = 2**28
"""Of queries and keys in the file for the page."""
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

    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(out, error) from error
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
    for path in _table(out, loaded, lang):
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
        for path in _pictures(out, name, loaded, made, chosen, tokens, lang):
            tell(Text(f"wrote {path}", f"已写入 {path}"), lang)
        if tiles:
            for path in _tiles(out, name, loaded, made, chosen, lang):
                tell(Text(f"wrote {path}", f"已写入 {path}"), lang)
        traces.append((number, made))
        if target is not None:
            for path in _cross(out, name, loaded, text, target, lang):
                tell(Text(f"wrote {path}", f"已写入 {path}"), lang)
    path = _for_page(out / f"{slug(loaded.name)}_attention.safetensors", loaded, traces, lang)
    if path is not None:
        tell(Text(f"wrote {path}", f"已写入 {path}"), lang)


def slug(name: str) -> str:
    """A model's name as the beginning of a file's.

    >>> slug("owner/model 7B")
    'owner-model-7B'
    """
    return re.sub(r"[^\w.-]+", "-", name).strip("-.") or "model"


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


def head_name(layer: int, head: int, kind: Text) -> Text:
    """What a picture calls a head, counted from 0, with what it does."""
    return Text(f"L{layer} H{head} · {kind.en}", f"{layer} 层 {head} 头 · {kind.zh}")


def _pictures(
    out: Path, name: str, loaded: Loaded, made: Study, chosen: list[tuple[int, int]], tokens: str | None,
    lang: Language,
) -> Iterator[Path]:  # fmt: skip
    from clockhands.plots.head_sheet import head_sheet, limits_said

    about = Text(loaded.name, loaded.name)
    causal = bool(np.isclose(np.triu(_first_rows(made), 1), 0).all())
    window = _window(tokens, int(made.kept.sum()))
    if window.stop - window.start <= MOST_DRAWN and len(made.seen.pieces) <= 4 * MOST_DRAWN:
        yield from _maps(out, name, made, chosen, window, causal, about, lang)
    else:
        tell(
            Text(
                f"A map of {made.kept.sum():,} tokens is not drawn whole: --tokens draws a part of it, "
                "--tiles all.",
                f"{made.kept.sum():,} 个词元的图不整张绘制：--tokens 画一部分，--tiles 画全部。",
            ),
            lang,
        )
    sheet = head_sheet(made.scores, [_small(made, one.layer, one.head, causal) for one in made.scores],
                       lang=lang, about=about, says=limits_said())  # fmt: skip
    yield sheet.save(out / f"{name.format('heads')}.png")
    yield export.save(out / f"{name.format('ranking')}.csv", *sheet.data)
    yield _ranking(out / f"{name.format('ranking')}.json", loaded, made)
    yield from _hands(out, name, made, about, lang)


def _maps(
    out: Path, name: str, made: Study, chosen: list[tuple[int, int]], window: slice, causal: bool,
    about: Text, lang: Language,
) -> Iterator[Path]:  # fmt: skip
    from clockhands.plots.attention import attention, require_few_maps
    from clockhands.plots.head_parts import head_parts

    require_few_maps(1, len(chosen))
    kinds = {(one.layer, one.head): KINDS[one.kind] for one in made.scores}
    names = [head_name(*each, kinds[each]) for each in chosen]
    labels = made.labels[window]
    maps = np.stack([made.map(*each)[window, window] for each in chosen])
    says = made.said()
    picture = attention(
        maps, labels, causal=causal, lang=lang, names=names, about=about,
        says=Text(" ".join(each.en for each in says), "".join(each.zh for each in says)),
    )  # fmt: skip
    yield picture.save(out / f"{name.format('sentence')}.png")
    yield export.save(out / f"{name.format('sentence')}.npz", *picture.data)
    if all(call.given is None for call in made.seen.calls):
        few = chosen[:4]
        parts = [_of_groups(made, *each, window) for each in few]
        drawn = head_parts(parts, names[:4], labels, causal=causal, lang=lang, about=about)
        yield drawn.save(out / f"{name.format('parts')}.png")
        yield export.save(out / f"{name.format('parts')}.npz", *drawn.data)


def _of_groups(made: Study, layer: int, head: int, window: slice) -> Any:
    found = made.seen.parts(layer, head)
    cells = {
        each: made.of_groups(getattr(found, each))[window, window]
        for each in ("whole", "position", "content", "rest")
    }
    return replace(found, **cells)


def _table(out: Path, loaded: Loaded, lang: Language) -> Iterator[Path]:
    """A learned table of positions beside sinusoids; without one a text is needed."""
    from clockhands.plots.learned_table import learned_table
    from clockhands.real.tables import position_table, table_of

    if table_of(loaded.model) is None:
        return
    table = position_table(loaded.model)
    picture = learned_table(table, lang=lang, about=Text(loaded.name, loaded.name))
    yield picture.save(out / f"{slug(loaded.name)}_positions.png")
    yield export.save(out / f"{slug(loaded.name)}_positions.npz", *picture.data)


def _hands(out: Path, name: str, made: Study, about: Text, lang: Language) -> Iterator[Path]:
    from clockhands.plots.head_hands import head_hands

    found = [
        (one.layer, one.head, made.seen.pair_shares(one.layer, one.head))
        for one in sorted(made.scores, key=lambda one: (one.layer, one.head))
        if made.seen.call(one.layer).given is None
    ]
    usable = [
        (layer, head, shares)
        for layer, head, shares in found
        if shares is not None and np.isfinite(shares).all()
    ]
    if not usable or len({len(shares) for _, _, shares in usable}) > 1:
        return
    how = made.seen.turning(made.seen.call(usable[0][0]))
    assert how is not None
    picture = head_hands(
        np.stack([shares for _, _, shares in usable]), how.inv_freq,
        [f"{layer}·{head}" for layer, head, _ in usable], lang=lang, about=about,
    )  # fmt: skip
    yield picture.save(out / f"{name.format('hands')}.png")
    yield export.save(out / f"{name.format('hands')}.csv", *picture.data)


def _ranking(path: Path, loaded: Loaded, made: Study) -> Path:
    from clockhands.plots.head_sheet import SCORES

    heads = [
        {"rank": n, "layer": one.layer, "head": one.head, "kind": one.kind}
        | {name: _plain(getattr(one, name)) for name in SCORES}
        for n, one in enumerate(made.scores, 1)
    ]
    about = {
        "model": loaded.name,
        "text": made.seen.pieces.text,
        "tokens": len(made.seen.pieces),
        "heads": heads,
    }
    with written_aside(path) as aside:
        aside.write_text(json.dumps(about, ensure_ascii=False, indent=1), encoding="utf-8")
    return path


def _plain(value: float) -> float | None:
    return None if np.isnan(value) else round(float(value), 6)


def _small(made: Study, layer: int, head: int, causal: bool) -> np.ndarray:
    """A small map of a head: some rows of a long text, every cell the largest of its block."""
    from clockhands.plots.attention import hidden_future
    from clockhands.plots.head_sheet import PIXELS, small

    call = made.seen.call(layer)
    if len(call.queries) <= MOST_DRAWN:
        return hidden_future(small(made.map(layer, head).astype(np.float64)), causal)
    rows = np.linspace(0, len(call.queries) - 1, PIXELS).astype(np.int64)
    return hidden_future(small(call.weights(head, rows).astype(np.float64)), causal)


def _first_rows(made: Study) -> np.ndarray:
    """What the first few queries see, of all layers: a later key among it shows that it is not causal."""
    few = made.seen.calls[0].queries[:8]
    return np.max([call.sees.rows(few)[:, : len(few)] for call in made.seen.calls], axis=0)


def _window(tokens: str | None, count: int) -> slice:
    if tokens is None:
        return slice(0, count)
    from clockhands.text import parse_window

    found = slice(*parse_window(tokens).indices(count)[:2])
    if found.start >= found.stop:
        raise ClockhandsError(
            f"--tokens {tokens} leaves nothing of {count} tokens: give another window",
            f"--tokens {tokens} 在 {count} 个词元中什么都没留下：请换一个窗口",
        )
    return found


def _cross(out: Path, name: str, loaded: Loaded, text: str, target: str, lang: Language) -> Iterator[Path]:
    """What the decoder of an encoder-decoder looks at: its own text, and that of the encoder."""
    from clockhands.plots.attention import MOST_MAPS, attention
    from clockhands.real.attention import trace

    seen = trace(loaded.model, loaded.require_tokenizer(), text, target=target)
    for kind, heading in (
        ("self", Text("Attention of the decoder", "解码器的注意力")),
        ("cross", Text("Attention of the decoder to the encoder's text", "解码器对编码器文本的注意力")),
    ):
        found = seen.of("decoder", kind)  # type: ignore[arg-type]
        fits = max(1, MOST_MAPS // len(found.calls[0].heads))
        few = replace(found, calls=found.calls[-fits:])
        names = [
            Text(f"L{call.layer} H{head}", f"{call.layer} 层 {head} 头")
            for call in few.calls
            for head in call.heads
        ]
        picture = attention(few.map(), causal=kind == "self", lang=lang, names=names, title=heading,
                            about=Text(loaded.name, loaded.name))  # fmt: skip
        yield picture.save(out / f"{name.format(f'decoder_{kind}')}.png")
        yield export.save(out / f"{name.format(f'decoder_{kind}')}.npz", *picture.data)


def _tiles(
    out: Path, name: str, loaded: Loaded, made: Study, chosen: list[tuple[int, int]], lang: Language
) -> Iterator[Path]:
    from clockhands.plots.tiles import save_tiles

    for layer, head in chosen:
        call = made.seen.call(layer)
        folder = out / f"{name.format('tiles')}_L{layer}H{head}"
        title = Text(f"{loaded.name}, layer {layer}, head {head}", f"{loaded.name}，第 {layer} 层，头 {head}")
        yield save_tiles(folder, call.bands(head), len(call.queries), call.keys, title=title, lang=lang,
                         labels=made.seen.pieces.labels)  # fmt: skip


def _fitting(seen: Trace, lang: Language) -> Trace:
    """The trace, or as many of its layers from the first on as a page takes."""
    call = seen.calls[0]
    each = 2 * call.count * call.q.shape[-1] * (len(call.heads) + len(call.k))
    fits = max(1, MOST_BYTES // max(1, each))
    if fits < len(seen.calls):
        tell(Text(f"The file for the page holds layers 0 to {fits - 1}: all would be too large.",
                  f"供页面使用的文件只含第 0 到 {fits - 1} 层：全部放进去太大。"), lang)  # fmt: skip
    return replace(seen, calls=seen.calls[:fits])


def _for_page(path: Path, loaded: Loaded, found: Sequence[tuple[int, Study]], lang: Language) -> Path | None:
    from clockhands.analysis.attention_trace import AttentionRun
    from clockhands.real.for_page import for_page
    from clockhands.web.attention_file import save_attention

    sentences = []
    for number, made in found:
        try:
            sentences.append(for_page(_fitting(made.seen, lang)))
        except ClockhandsError as error:
            tell(Text(f"Text {number}: {error.text.en}", f"第 {number} 段：{error.text.zh}"), lang)
    if not sentences:
        return None
    return save_attention(path, AttentionRun(Text(loaded.name, loaded.name), tuple(sentences)))
