"""The page of one scheme in Markdown, from its card, its class and its views."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clockhands.catalogue import SCHEMES
from clockhands.catalogue.card import Card, Source
from clockhands.catalogue.description import Description
from clockhands.catalogue.touching import touched
from clockhands.language import Language, Text
from clockhands.pages import parameters
from clockhands.pages.docstring import docstring
from clockhands.pages.markdown import escaped, fenced, link, table
from clockhands.pages.pictures import Drawing, drawings
from clockhands.pages.related import related
from clockhands.plots.card import promises

_PARAMETERS = (Text("parameter", "参数"), Text("default", "默认值"), Text("meaning", "含义"))
_TOUCHES = Text("It touches: {what}.", "作用于：{what}。")
_EXCEPTION = Text("By design it is excepted from the law `{law}`", "有意不遵守定律 `{law}`")
_UNTRAINED = Text(
    "Untrained: random numbers (seed {seed}) stand in for trained ones.",
    "未经训练：用随机数（随机种子 {seed}）代替训练所得的数。",
)
_LINKS = (
    ("same_paper", Text("From the same paper", "出自同一篇论文")),
    ("named", Text("Named here", "本页提到")),
    ("naming", Text("Pages that name it", "提到它的页面")),
    ("beside", Text("Beside it in the list", "列表中的邻居")),
)


def scheme_page(
    scheme: type[Description],
    lang: Language,
    *,
    pictures: Sequence[Drawing] | None = None,
    folder: str = "pictures",
    others: Sequence[type[Description]] = (),
) -> str:
    """All that a scheme says of itself, as Markdown with the formula in a ``math`` fence.

    pictures  what ``drawings(scheme, lang)`` gives unless said otherwise; ``Drawing.save(folder)`` draws one
    folder    where they lie, seen from the page
    others    schemes whose pages lie beside this one, ``ID.md``; those that belong to it are linked
    """
    if pictures is None:
        pictures = drawings(scheme, lang)
    card = scheme.card
    parts = [f"# {escaped(card.name)}"]
    title = card.title.said_in(lang)
    parts.append(f"`{card.id}`" if title == card.name else f"**{escaped(title)}** (`{card.id}`)")
    parts += [fenced(card.formula, "math"), escaped(card.idea.said_in(lang))]
    parts += _shown(scheme, lang, pictures, folder)
    for heading, body in _sections(scheme, lang, pictures, others):
        if body:
            parts += [f"## {heading.said_in(lang)}", body]
    return "\n\n".join(parts) + "\n"


def _sections(
    scheme: type[Description],
    lang: Language,
    pictures: Sequence[Drawing],
    others: Sequence[type[Description]],
) -> Iterator[tuple[Text, str]]:
    card, said = scheme.card, docstring(scheme)
    yield Text("What it promises", "性质"), _listed(_promised(scheme, lang))
    yield (
        Text("How it differs", "与其他方案和论文的不同"),
        escaped(card.differs.said_in(lang)) if card.differs else "",
    )
    if lang == "en":
        yield Text("As the code has it", "代码中的写法"), "\n\n".join(map(escaped, said.prose))
    headings = [heading.said_in(lang) for heading in _PARAMETERS]
    rows = list(parameters.rows(scheme, lang))
    yield Text("Parameters", "参数"), table(headings, rows) if rows else ""
    yield Text("A value to check", "可以核对的数值"), fenced(said.example, "pycon") if said.example else ""
    yield Text("Draw it", "画出来"), _drawn(scheme, lang, pictures)
    yield Text("Who uses it", "谁在用"), _listed(escaped(user) for user in card.users(lang))
    yield Text("Sources", "出处"), _listed(_source(source, lang) for source in card.sources)
    yield Text("Related schemes", "相关方案"), _linked(card, lang, others)


def _shown(
    scheme: type[Description], lang: Language, pictures: Sequence[Drawing], folder: str
) -> Iterator[str]:
    for drawing in pictures:
        name = f"{scheme.card.name}: {drawing.title.en}"
        said = Text(name, f"{scheme.card.name}：{drawing.title.zh}").said_in(lang)
        yield f"![{escaped(said)}]({folder}/{drawing.file})"
    seed = scheme().untrained_seed
    if seed is not None:
        yield f"> {_UNTRAINED.filled(seed=seed).said_in(lang)}"


def _promised(scheme: type[Description], lang: Language) -> Iterator[str]:
    description = scheme()
    what = touched(scheme)
    yield Text(_TOUCHES.en.format(what=what.en), _TOUCHES.zh.format(what=what.zh)).said_in(lang)
    yield escaped(promises(description.traits).said_in(lang))
    if description.unseen is not None:
        unseen = Text(
            f"Pictures of its hands, table or bias don't show: {description.unseen.en}.",
            f"指针、表或偏置的图上没有画出：{description.unseen.zh}。",
        )
        yield escaped(unseen.said_in(lang))
    for law, reason in description.exceptions.items():
        head = _EXCEPTION.filled(law=law)
        yield Text(f"{head.en}: {escaped(reason)}.", f"{head.zh}。").said_in(lang)


def _drawn(scheme: type[Description], lang: Language, pictures: Sequence[Drawing]) -> str:
    name, known = scheme.card.id, SCHEMES.get(scheme.card.id) is scheme
    called = name if known else f"{scheme.__module__}:{scheme.__qualname__}"
    commands = [
        f"clockhands show {called} --view {drawing.view} --lang {lang} -o {drawing.file}"
        for drawing in pictures
    ]
    calls = [
        f'ch.show("{called}", view="{drawing.view}", lang="{lang}").save("{drawing.file}")'
        for drawing in pictures
    ]
    python = "\n".join(("import clockhands as ch", "", *calls))
    return fenced("\n".join(commands), "bash") + "\n\n" + fenced(python, "python")


def _source(source: Source, lang: Language) -> str:
    authors, title, where = escaped(source.authors), escaped(source.title), link(source.where)
    said = Text(
        f"{authors} ({source.year}). *{title}*. {where}", f"{authors}（{source.year}）：*{title}*。{where}"
    )
    return said.said_in(lang)


def _linked(card: Card, lang: Language, others: Sequence[type[Description]]) -> str:
    ties = related(card, [other.card for other in others])
    joined = Text(", ", "、").said_in(lang)
    lines = []
    for tie, words in _LINKS:
        links = [f"[{escaped(other.name)}]({other.id}.md)" for other in getattr(ties, tie)]
        if links:
            lines.append(words.said_in(lang) + Text(": ", "：").said_in(lang) + joined.join(links))
    return _listed(lines)


def _listed(lines: Iterator[str] | Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
