"""All schemes in one table, each linked to its page."""

from __future__ import annotations

from collections.abc import Iterable

from clockhands.catalogue.description import Description
from clockhands.catalogue.touching import touched
from clockhands.language import Language, Text
from clockhands.pages.markdown import escaped, table

TITLE = Text("All schemes", "所有方案")
_HEADINGS = (
    Text("scheme", "方案"),
    Text("what it is", "是什么"),
    Text("touches", "作用于"),
    Text("relative", "相对"),
    Text("learned", "可学习"),
    Text("both sides", "分清前后"),
    Text("since", "年份"),
    Text("used by", "谁在用"),
)
_WORDS = Text(
    "{count} schemes. *Relative*: shifting all positions changes no score. *Learned*: training must set some "
    "of its numbers. *Both sides*: it tells left from right without a causal mask.",
    "共 {count} 种方案。“相对”：所有位置一起平移，得分不变。“可学习”：有些数要靠训练来定。"
    "“分清前后”：没有因果掩码也能分清前后。",
)
_MOST_USERS = 4


def overview_page(schemes: Iterable[type[Description]], lang: Language) -> str:
    """The table in Markdown; each page is expected beside it, ``ID.md``."""
    rows = [_row(scheme, lang) for scheme in schemes]
    words = _WORDS.filled(count=len(rows)).said_in(lang)
    grid = table([heading.said_in(lang) for heading in _HEADINGS], rows)
    return f"# {TITLE.said_in(lang)}\n\n{words}\n\n{grid}\n"


def _row(scheme: type[Description], lang: Language) -> tuple[str, ...]:
    card, traits = scheme.card, scheme().traits
    users = card.users(lang)
    more = ["…"] if len(users) > _MOST_USERS else []
    return (
        f"[{escaped(card.name)}]({card.id}.md)",
        escaped(card.title.said_in(lang)),
        touched(scheme).said_in(lang),
        *("✓" if promise else "–" for promise in (traits.relative, traits.learned, traits.bidirectional)),
        str(card.sources[0].year) if card.sources else "–",
        escaped(Text(", ", "、").said_in(lang).join((*users[:_MOST_USERS], *more))),
    )
