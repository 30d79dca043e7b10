"""Heat map: what is added to each token, or what the hands say where nothing is added."""

from __future__ import annotations

from clockhands.analysis.labelled import NOTHING, Labelled
from clockhands.catalogue.description import Description
from clockhands.language import Text
from clockhands.plots.heatmap import TITLE, heatmap
from clockhands.plots.picture import Picture
from clockhands.views.naming import about
from clockhands.views.offers import has, table_of, turns_only, what_it_does
from clockhands.views.settings import Settings
from clockhands.views.view import View

TURNED = Text(
    "Nothing is added to the tokens: these are sin and cos of each hand, which turn queries and keys.",
    "它不往词元上加任何东西：这里画的是每根指针的 sin 与 cos，用来旋转查询和键。",
)
WAVES = Text(
    "Fast hands change from one position to the next, slow hands hardly at all.",
    "快针每走一步都在变，慢针几乎不动。",
)
RANDOM = Text("Random numbers until training sets them.", "训练之前，这些都只是随机数。")


def needs(description: Description) -> Text | None:
    return None if has(description, "table") or has(description, "inv_freq") else what_it_does(description)


def data(description: Description, settings: Settings) -> tuple[Labelled, ...]:
    return (table_of(description, settings),)


def draw(description: Description, settings: Settings) -> Picture:
    title = Text("What the hands say", "指针的读数") if turns_only(description) else TITLE
    (table,) = data(description, settings)
    return heatmap(table, lang=settings.lang, title=title, about=about(description), says=_says(description))


def _says(description: Description) -> Text:
    if turns_only(description):
        return TURNED
    if has(description, "inv_freq"):
        return WAVES
    return RANDOM if description.untrained_seed is not None else NOTHING


VIEW = View("heatmap", TITLE, needs, draw, data, any_step=True)
