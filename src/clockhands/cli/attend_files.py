"""The files that ``clockhands attend`` writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from clockhands.analysis import export
from clockhands.analysis.labelled import Labelled
from clockhands.language import Language, Text
from clockhands.plots.attention import attention
from clockhands.plots.curves import curves
from clockhands.plots.overview import overview
from clockhands.training import AttendSettings, Result
from clockhands.writing import cannot_write


def write_maps(
    out: Path, settings: AttendSettings, maps: Sequence[Labelled], lang: Language
) -> Iterator[Path]:
    """One picture a sentence, one of all, and their numbers; ``rope_attention_sentence1.png`` and so on.

    maps  one ``(layer, head, query, key)`` a sentence
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(out, error) from error
    card = settings.description().card
    for number, one in enumerate(maps, 1):
        title = Text(f"{card.name}: sentence {number}", f"{card.name}：第 {number} 句")
        picture = attention(one, causal=settings.causal, lang=lang, title=title)
        yield picture.save(out / f"{card.id}_attention_sentence{number}.png")
    whole = overview(maps, causal=settings.causal, lang=lang)
    yield whole.save(out / f"{card.id}_attention_overview.png")
    yield export.save(out / f"{card.id}_attention.npz", *whole.data)


def write_curves(out: Path, result: Result, lang: Language) -> Iterator[Path]:
    """The loss over the steps, and its numbers."""
    picture = curves(result.curves, lang=lang)
    yield picture.save(out / "loss.png")
    yield export.save(out / "loss.csv", *picture.data)
