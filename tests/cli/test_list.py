"""``clockhands list`` tells the whole catalogue in three forms."""

from __future__ import annotations

import json

from clockhands.catalogue import CATALOGUE, describe
from clockhands.catalogue.touching import touched


def test_every_scheme_has_a_line(run) -> None:
    lines = run("list").out.splitlines()
    ids = [line.split()[0] for line in lines[1:] if not line.startswith(" ")]
    assert ids == [scheme.card.id for scheme in CATALOGUE]


def test_what_a_scheme_touches_is_derived_from_its_hooks(run) -> None:
    touches = {
        record["id"]: record["touches"]["en"] for record in json.loads(run("list", "--format", "json").out)
    }
    assert touches["nope"] == "nothing"
    assert touches["sinusoidal"] == touches["learned"] == "tokens"
    assert touches["rope"] == touches["tagged"] == touches["layered"] == "queries, keys"
    assert touches["alibi"] == touches["t5"] == "logits"


def test_json_holds_both_languages_and_the_sources(run) -> None:
    records = {record["id"]: record for record in json.loads(run("list", "--format", "json").out)}
    assert records["rope"]["title"]["zh"] == "旋转位置编码"
    assert records["rope"]["sources"][0]["where"] == "arXiv 2104.09864"
    assert records["rope"]["traits"]["relative"] is True
    assert "rope_theta" in records["rope"]["parameters"]
    assert records["rope"]["origin"] is None
    assert records["tagged"]["sources"] == []
    assert "不是发表过的方案" in records["tagged"]["origin"]["zh"]
    assert records["tagged"]["related"][0]["where"] == "arXiv 2405.18719"


def test_an_experiment_has_no_source(run) -> None:
    lines = {line.split()[0]: line for line in run("list").out.splitlines() if not line.startswith(" ")}
    assert "experiment" in lines["mixed"]
    assert "experiment" not in lines["rope"]


def test_markdown_is_a_table(run) -> None:
    lines = run("list", "--format", "md").out.splitlines()
    assert len(lines) == len(CATALOGUE) + 2
    assert {line.count("|") for line in lines} == {7}
    assert "BLOOM" in "".join(lines)


def test_chinese_headings_stand_in_line(run) -> None:
    head, first, *_ = run("list", "--lang", "zh").out.splitlines()
    assert head.startswith("名称")
    assert "作用于" in head
    assert first.startswith("nope")


def test_what_hangs_on_the_tokens_is_listed_too() -> None:
    class Reader(describe("nope").__class__):
        content_hooks = ("inv_freq", "bias")

    assert touched(Reader).en == "queries, keys, logits"
