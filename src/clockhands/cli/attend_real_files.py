"""The files that ``clockhands attend --model`` writes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from clockhands.analysis import export
from clockhands.analysis.attention_heads import KINDS
from clockhands.analysis.labelled import Labelled
from clockhands.cli.console import tell
from clockhands.errors import ClockhandsError
from clockhands.language import Language, Text
from clockhands.writing import written_aside

if TYPE_CHECKING:
    from clockhands.real.attention import Trace
    from clockhands.real.loading import Loaded
    from clockhands.real.study import Study

MOST_DRAWN = 1024
"""Tokens up to which a map is drawn whole; longer ones are for tiles."""
MOST_BYTES = 2**28
"""Of queries and keys in the file for the page."""
MOST_PROFILES = 7
"""Heads whose weights by distance share one picture."""


def slug(name: str) -> str:
    """A model's name as the beginning of a file's.

    >>> slug("owner/model 7B")
    'owner-model-7B'
    """
    return re.sub(r"[^\w.-]+", "-", name).strip("-.") or "model"


def head_name(layer: int, head: int, kind: Text) -> Text:
    """What a picture calls a head, counted from 0, with what it does."""
    return Text(f"L{layer} H{head} · {kind.en}", f"第 {layer} 层 · 头 {head} · {kind.zh}")


def pictures(
    out: Path, name: str, loaded: Loaded, made: Study, chosen: list[tuple[int, int]], tokens: str | None,
    lang: Language,
) -> Iterator[Path]:  # fmt: skip
    """Maps, the sheet, the ranking, profiles and hands of one text; ``name`` has a gap for what each is."""
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
    yield _profiles(out / f"{name.format('profiles')}.png", made, chosen, about, lang)
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


def table_pictures(out: Path, loaded: Loaded, lang: Language) -> Iterator[Path]:
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


def _profiles(path: Path, made: Study, chosen: list[tuple[int, int]], about: Text, lang: Language) -> Path:
    """Mean weight at each distance of the heads that are drawn large; the ranking has those of all."""
    from clockhands.analysis.axes import distance_axis
    from clockhands.plots.curves import curves

    by_place = {(one.layer, one.head): one for one in made.scores}
    lines = [
        Labelled(
            f"L{one.layer}H{one.head}", head_name(one.layer, one.head, KINDS[one.kind]), one.profile,
            (distance_axis(np.arange(len(one.profile))),),
        )
        for one in (by_place[each] for each in chosen[:MOST_PROFILES])
    ]  # fmt: skip
    title = Text("Mean weight by distance", "各距离上的平均权重")
    picture = curves(lines, lang=lang, title=title, about=about, measured=Text("mean weight", "平均权重"))
    return picture.save(path)


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


def cross(
    out: Path, name: str, loaded: Loaded, text: str, target: str, unit: Any, how: Any, lang: Language
) -> Iterator[Path]:
    """What the decoder of an encoder-decoder looks at: its own text, and that of the encoder."""
    from clockhands.plots.attention import MOST_MAPS, attention
    from clockhands.real.attention import trace
    from clockhands.real.study import map_of_groups

    seen = trace(loaded.model, loaded.require_tokenizer(), text, target=target)
    for kind, heading in (
        ("self", Text("Attention of the decoder", "解码器的注意力")),
        ("cross", Text("Attention of the decoder to the encoder's text", "解码器对编码器文本的注意力")),
    ):
        found = seen.of("decoder", kind)  # type: ignore[arg-type]
        fits = max(1, MOST_MAPS // len(found.calls[0].heads))
        few = replace(found, calls=found.calls[-fits:])
        names = [
            Text(f"L{call.layer} H{head}", f"第 {call.layer} 层 · 头 {head}")
            for call in few.calls
            for head in call.heads
        ]
        maps, about = map_of_groups(few, unit, how), Text(loaded.name, loaded.name)
        picture = attention(maps, causal=kind == "self", lang=lang, names=names, title=heading, about=about)
        yield picture.save(out / f"{name.format(f'decoder_{kind}')}.png")
        yield export.save(out / f"{name.format(f'decoder_{kind}')}.npz", *picture.data)


def tiles_of(
    out: Path, name: str, loaded: Loaded, made: Study, chosen: list[tuple[int, int]], lang: Language
) -> Iterator[Path]:
    """Tiles of the maps that are drawn large, a folder each."""
    from clockhands.plots.tiles import save_tiles

    for layer, head in chosen:
        call = made.seen.call(layer)
        folder = out / f"{name.format('tiles')}_L{layer}H{head}"
        title = Text(
            f"{loaded.name}, layer {layer}, head {head}", f"{loaded.name}，第 {layer} 层 · 头 {head}"
        )
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


def page_file(path: Path, loaded: Loaded, found: Sequence[tuple[int, Study]], lang: Language) -> Path | None:
    """What ``clockhands page --attention`` reads; None where no text fits into it, which is said."""
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
