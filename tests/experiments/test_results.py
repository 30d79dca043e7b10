"""Every form of a report tells the same numbers, written here by hand."""

import csv
import dataclasses
import io
import re
import sys

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

from clockhands.errors import MissingExtra
from clockhands.experiments.cells import cells
from clockhands.experiments.design import Contender, Design
from clockhands.experiments.overall import overall
from clockhands.experiments.pictures import of_task, over_tasks
from clockhands.experiments.report import report
from clockhands.experiments.results import as_csv, as_latex, as_markdown, as_page, as_parquet, sections
from clockhands.experiments.results.beside import at_the_edge
from clockhands.experiments.rows import Measured, Row
from clockhands.experiments.store import Store
from clockhands.language import Text

TEXT = "史进看见鲁达，鲁达看见史进。" * 200
TURNED = Contender("rope", {"rope_theta": 7})
PAST = {"nope": 0.5, TURNED.label: 0.25}
LOSS = {"nope": 2.0, TURNED.label: 1.0}


def scores(task, label, length, items=20):
    """The first of five depths is always missed, and so are longer lengths for the rest of their share."""
    if not task.exact:
        return (LOSS[label] + 0.01 * length,) * items
    if task.groups:
        return tuple(float(index % 5 != 0) for index in range(items))
    share = 1.0 if length == task.length else PAST[label]
    return tuple(float(index < share * items) for index in range(items))


def places(task, label, length):
    """The first token of a window is the hardest: one nat more than those far behind it."""
    return () if task.exact else tuple(LOSS[label] + float(place == 0) for place in range(length))


def row_of(design, cell):
    task, label = design.task(cell.task), cell.scheme.label
    measured = {n: Measured(scores(task, label, n), 0.5, places(task, label, n)) for n in task.lengths}
    undefined = {}
    if (cell.task, cell.scheme.id) == ("passkey", "rope"):
        undefined[task.lengths[-1]] = Text("the table ends", "表到此为止")
        del measured[task.lengths[-1]]
    probes = {"position": {str(n): Measured((1.0 + n, 3.0 + n), 0.0) for n in range(3)}}
    return Row(
        cell.id, "final", label, cell.task, cell.seed, 2e-3, validation=0.1, parameters=101_000, hidden=255,
        position_parameters=1_000 if cell.scheme.parameters else 0, flops=2_500, cache_bytes=512,
        measured=measured, undefined=undefined, probes=probes, losses=(3.0, 2.0, 1.0), seconds=2.0,
        speed=50.0 + cell.seed,
    )  # fmt: skip


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    design = Design(
        schemes=("nope", TURNED), tasks=("copy", "passkey", "characters"), seeds=3, length=4, context=8,
        text=TEXT, probes=("position",),
    )  # fmt: skip
    store = Store(tmp_path_factory.mktemp("results") / "run")
    store.begin(design)
    for cell in cells(design):
        failed = (cell.task, cell.scheme.id, cell.seed) == ("copy", "rope", 1)
        about = (cell.id, "final", cell.scheme.label, cell.task, cell.seed, 2e-3)
        says = Text("the loss is <nan> & gone", "损失是 <nan> & 没了")
        store.save(cell, Row(*about, says) if failed else row_of(design, cell))
    return report(store)


def table(found, heading, lang="en", task="copy"):
    """The rows of one section, by their first cell."""
    parts = [part for part in sections(found, lang) if part.about in ("", task)]
    (part,) = (part for part in parts if part.heading.startswith(heading))
    return part, {row[0]: row[1:] for row in part.table}


def test_the_matching_and_what_was_equal_are_named(found):
    first, *_ = sections(found, "en")
    assert any(one.startswith("matching parameters: as many parameters for all") for one in first.sentences)
    assert any(one.startswith("按 parameters 对齐") for one in sections(found, "zh")[0].sentences)


def test_scores_come_with_intervals_and_failures_with_reasons(found):
    _, rows = table(found, "Copy (copy)")
    assert rows["nope"][:3] == ("3", "1.000 [1.000, 1.000]", rows["nope"][2])
    assert rows["nope"][2].startswith("0.500 [")
    assert rows[TURNED.label][-2:] == ("0/3 [0.00, 0.56]", "1")  # Wilson: 1.96^2 / (3 + 1.96^2)
    every, rows = table(found, "Every seed (letters)")
    assert every.sentences == [f"{TURNED.label}, seed 1: the loss is <nan> & gone"]
    assert rows["nope"] == ("2", "1.000", "0.500", "0.500", "0.500")


def test_what_stands_beside_the_scores(found):
    _, rows = table(found, "What it costs")
    assert rows[TURNED.label] == ("101,000", "1,000", "255", "800", "0.002", "2.5", "512", "51.0")
    _, rows = table(found, "Error of a linear probe")
    assert rows["scheme"] == ("0", "1", "2")
    assert rows["nope"] == ("2.000", "3.000", "4.000")
    part, _ = table(found, "Share of items right by depth", task="passkey")
    assert part.table[0] == ("scheme", "length", "0", "0.25", "0.5", "0.75", "1")
    assert part.table[1] == ("nope", "4", "0.000", "1.000", "1.000", "1.000", "1.000")
    part, _ = table(found, "No number there", task="passkey")
    assert part.sentences == [f"{TURNED.label} at 32: the table ends"]
    assert not any(one.about == "copy" and "No number" in one.heading for one in sections(found, "en"))


@pytest.mark.parametrize(
    ("rates", "says"),
    [
        ((2e-3,), []),
        ((1e-3, 2e-3, 4e-3), []),
        ((1e-3, 2e-3), ["all: the highest learning rate tried did best, and higher ones may do better"]),
        ((2e-3, 4e-3), ["all: the lowest learning rate tried did best, and lower ones may do better"]),
    ],
)
def test_a_rate_at_the_end_of_those_tried_is_told(found, rates, says):
    standings = [one for one in found.standings if one.task == "copy"]
    assert [one.en for one in at_the_edge(found.design.with_(rates=rates), standings)] == says
    one = standings[0], standings[1]
    other = dataclasses.replace(
        one[1], rows=tuple(dataclasses.replace(row, rate=3e-3) for row in one[1].rows)
    )
    (said,) = at_the_edge(found.design.with_(rates=(2e-3, 3e-3, 4e-3)), [one[0], other])
    assert said.en.startswith("nope: the lowest learning rate tried")


def test_what_is_detectable_and_what_was_at_the_end_are_told(found):
    part, _ = table(found, "Pairs of schemes")
    assert part.sentences[0].startswith("detectable: the mean difference that so many seeds")
    tried = dataclasses.replace(found, design=found.design.with_(rates=(1e-3, 2e-3)))
    part, _ = table(tried, "What it costs")
    assert part.sentences[1].startswith("all: the highest learning rate tried did best")
    assert len(table(found, "What it costs")[0].sentences) == 1


def test_who_never_ended_well_has_no_rate_that_did_best(found):
    one = next(one for one in found.standings if one.task == "copy")

    def changed(**changes):
        return [dataclasses.replace(row, **changes) for row in one.rows]

    tried = found.design.with_(rates=(2e-3, 3e-3, 4e-3))
    assert at_the_edge(tried, [dataclasses.replace(one, rows=changed(failed=Text("no", "否")))]) == []
    some = dataclasses.replace(one, rows=[one.rows[0], *changed(rate=3e-3)])
    assert len(at_the_edge(tried, [some])) == 1  # one seed of it is enough


def test_markdown_shows_what_looks_like_html(found):
    assert "the loss is &lt;nan> &amp; gone" in as_markdown(sections(found, "en"))


def test_few_steps_have_a_loss_each_and_are_drawn_beside_others(found):
    """A scheme that costs more is trained for fewer steps, and has fewer losses where all have few."""
    standings = []
    for at, one in enumerate(found.standings):
        losses = (1.0, 2.0, 3.0, 4.0)[: 3 + at % 2]
        rows = [dataclasses.replace(row, losses=losses) for row in one.rows]
        standings.append(dataclasses.replace(one, rows=rows))
    pictures = dict(of_task(dataclasses.replace(found, standings=tuple(standings)), "copy", "en"))
    (picture,) = (one for name, one in pictures.items() if name.endswith("learning"))
    assert [one.values[:, 0].tolist() for one in picture.data] == [[1.0, 2.0, 3.0], [1.5, 3.0, 4.0]]


def test_the_raw_table_has_a_line_for_each_length(found):
    lines = list(csv.DictReader(io.StringIO(as_csv(found))))
    copy = [one for one in lines if one["task"] == "copy"]
    assert len(copy) == 5 * 4 + 1
    (failed,) = (one for one in copy if one["failed"])
    assert (failed["scheme"], failed["seed"], failed["score"]) == (TURNED.label, "1", "")
    assert {one["score"] for one in copy if one["length"] == "8" and one["scheme"] == "nope"} == {"0.5"}
    assert [one["undefined"] for one in lines if one["undefined"]] == ["the table ends"] * 3
    here = ("characters", "16", "nope")
    loss = {one["score"] for one in lines if (one["task"], one["length"], one["scheme"]) == here}
    assert [float(one) for one in loss] == [pytest.approx(2.16)]


def test_parquet_holds_the_same_with_types(found):
    read = parquet.read_table(pyarrow.BufferReader(as_parquet(found))).to_pylist()
    lines = list(csv.DictReader(io.StringIO(as_csv(found))))
    assert [{name: "" if one is None else str(one) for name, one in row.items()} for row in read] == lines
    kinds = {name: {type(row[name]) for row in read} - {type(None)} for name in ("seed", "score", "failed")}
    assert kinds == {"seed": {int}, "score": {float}, "failed": {str}}


def test_parquet_needs_its_extra(found, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"clockhands\[parquet\]"):
        as_parquet(found)


def test_loss_by_place(found):
    _, rows = table(found, "Loss by the place of the token", task="characters")
    assert rows["scheme"] == ("1", "2", "3–4", "5–8", "9–16", "17–32", "33–64")
    assert rows["nope"] == ("3.000", *["2.000"] * 6)
    assert not any("by the place" in one.heading for one in sections(found, "en") if one.about == "copy")
    (panel,) = (one for one in dict(of_task(found, "characters", "en"))["characters-places"].figure.axes
                if one.get_label() == "lengths")  # fmt: skip
    lines = {line.get_label(): (line.get_xdata(), line.get_ydata()) for line in panel.get_lines()}
    at, loss = lines["nope"]
    assert np.allclose(at, np.arange(1, 64, 2))  # middles of two tokens, a quarter of the training length
    assert np.allclose(loss, [2.5, *[2.0] * 31])


def test_latex_escapes_what_it_would_read_as_its_own(found):
    written = as_latex(sections(found, "en"))
    assert r"the loss is \textless{}nan\textgreater{} \& gone" in written
    assert r"rope(rope\_theta=7) & 2 & 1.000 & 0.250 & 0.250 & 0.250 \\" in written
    assert written.count(r"\begin{tabular}") == written.count(r"\end{tabular}") > 5
    assert not re.search(r"(?<!\\)[_%#]", written.replace("&", ""))
    assert "| rope(rope_theta=7) | 2 | 1.000 |" in as_markdown(sections(found, "en"))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_asks_for_nothing_and_says_all(found, lang):
    page = as_page(found, lang)
    assert "default-src 'none'" in page
    assert not re.search(r"https?://|<script|<link(?! rel=\"icon\" href=\"data:)", page)
    assert "&lt;nan&gt; &amp;" in page
    assert page.count("<img ") == 3 * 3 + 2  # of copy no pair, since a seed failed; nor of passkey: undefined
    for part in sections(found, lang):
        assert part.heading.replace("&", "&amp;") in page
    assert page.index(sections(found, lang)[-1].heading) < page.index("<figure>")


def test_axes_are_named_by_the_task(found):
    """The loss of a text is counted in what it is cut into, and pictures hold the numbers of the tables."""
    by_name = dict(of_task(found, "characters", "en"))
    assert [*by_name] == [f"characters{one}" for one in ("", "-map", "-places", "-learning", "-pairs")]
    written = [one.get_text() for one in by_name["characters"].figure.texts]
    assert "loss, nats a character" in written
    (grid,) = by_name["characters-map"].data
    assert np.allclose(grid.values[0], [2 + 0.01 * n for n in (8, 12, 16, 32, 64)])
    (panel,) = (one for one in by_name["characters-learning"].figure.axes if one.get_label() == "lengths")
    assert panel.get_xlabel() == "steps done (%)"
    lines = {line.get_label(): line.get_ydata() for line in panel.get_lines()}
    assert np.allclose(lines["nope"], [3, 2, 1])
    (pair,) = by_name["characters-pairs"].data
    assert np.allclose(pair.values, 1.0)  # 2 minus 1, for each seed and item alike
    lengths = dict(of_task(found, "passkey", "zh"))["passkey-map"]
    assert np.isnan(lengths.data[0].values[1, -1])


def test_schemes_are_ranked_over_tasks_where_all_have_numbers(tmp_path):
    design = Design(
        schemes=("nope", TURNED), tasks=("copy", "characters"), seeds=2, length=4, context=8, text=TEXT
    )
    store = Store(tmp_path / "run")
    store.begin(design)
    for cell in cells(design)[:-1]:
        store.save(cell, row_of(design, cell))
    assert overall(report(store)) is not None  # by the seeds that there are
    store.save(cells(design)[-1], row_of(design, cells(design)[-1]))
    ranks = overall(report(store))
    assert (ranks.schemes, ranks.ranks, ranks.tasks) == (("nope", TURNED.label), (1.5, 1.5), 2)
    assert ranks.critical == pytest.approx(1.960 * np.sqrt(2 * 3 / (6 * 2)))  # Demšar 2006, table 5
    assert ranks.says.en.startswith("no two schemes are told apart")
    picture = over_tasks(report(store), "en")
    assert np.allclose(picture.data[0].values, [1.5, 1.5])


def test_no_ranks_where_a_scheme_lacks_numbers(found):
    assert overall(found) is None
    assert over_tasks(found, "en") is None
