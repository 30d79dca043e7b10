"""A report as text, JSON, SARIF, GitHub lines, page and picture: the same facts, nothing unescaped."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from clockhands.check.finding import Finding, Rule
from clockhands.check.form import Context, LayerForm
from clockhands.check.outputs.files import save
from clockhands.check.outputs.github import as_github
from clockhands.check.outputs.page import as_page
from clockhands.check.outputs.pictures import clock_picture
from clockhands.check.outputs.place import line_of
from clockhands.check.outputs.sarif import as_sarif
from clockhands.check.report import Report, report_of
from clockhands.check.subject import Subject
from clockhands.cli.check_text import as_text
from clockhands.errors import ClockhandsError
from clockhands.language import Language, Text

HOSTILE = "<script>alert(1)</script>"
FINDING = Finding(
    code="CH999", severity="error", keys=("rope_parameters.factor", "a,b:c"),
    message=Text(f"factor is 80%\nand {HOSTILE}", f"factor 为 80% {HOSTILE}"),
    remedy=Text("write 8", "写 8"), reference="somebody/something #1",
)  # fmt: skip
NOTE = Finding(code="CH001", severity="note", keys=(), message=Text("n", "注"), remedy=Text("r", "改"))
WARNING = Finding(code="CH002", severity="warning", keys=(), message=Text("w", "警"), remedy=Text("r", "改"))
ROPE = LayerForm(
    layers=(0, 1, 2), family="rope", layout="half", head_dim=4, rotary_dim=4, rotary_dims="whole",
    rope_theta=1e4, rope_type="linear", scaling={"factor": 4.0}, inv_freq=(0.25, 0.0025), score_scale=0.5,
)  # fmt: skip
NOPE = LayerForm(layers=(3,), family="none")


def report(
    *findings: Finding, layers: tuple[LayerForm, ...] = (ROPE, NOPE), target: str = "m/c.json"
) -> Report:
    subject = Subject(
        target=target, kind="config", dialect="transformers", context=Context(2048, 8192), declared=layers
    )
    return report_of(subject, findings)


def test_worst_first_and_nothing_twice() -> None:
    found = report(NOTE, WARNING, FINDING, NOTE).findings
    assert [each.severity for each in found] == ["error", "warning", "note"]


@pytest.mark.parametrize(
    ("findings", "plain", "strict"),
    [((), False, False), ((NOTE,), False, False), ((WARNING,), False, True), ((FINDING,), True, True)],
)
def test_what_fails(findings: tuple[Finding, ...], plain: bool, strict: bool) -> None:
    found = report(*findings)
    assert (found.failed(), found.failed(strict=True)) == (plain, strict)


def test_json_has_the_documented_shape() -> None:
    record = json.loads(json.dumps(report(FINDING).as_record("zh"), allow_nan=False))
    assert [*record] == ["target", "kind", "context", "layers", "findings"]
    assert record["context"] == {"trained": 2048, "promised": 8192, "served": None}
    rope, nope = record["layers"]
    assert rope["inv_freq"] == [0.25, 0.0025]
    assert (rope["scaling"], rope["layers"], nope["layers"]) == ({"factor": 4.0}, [0, 1, 2], [3])
    documented = {
        "layers", "family", "layout", "head_dim", "rotary_dim", "rotary_dims", "rope_theta",
        "rope_type", "inv_freq", "attention_factor", "score_scale", "slopes", "num_buckets",
        "max_distance", "bidirectional", "rows", "offset", "window", "mrope_section", "source",
    }  # fmt: skip
    assert documented <= set(rope)
    assert record["findings"][0]["message"] == FINDING.message.zh
    assert record["findings"][0]["keys"] == [*FINDING.keys]


def test_sarif_names_rule_file_and_keys() -> None:
    rule = Rule(code="CH999", title=Text("t", "题"), story=Text("s", "事"), check=lambda subject: ())
    other = Rule(code="CH123", title=Text("t", "题"), story=Text("s", "事"), check=lambda subject: ())
    log = as_sarif([report(FINDING, target="my models/config.json"), report()], [rule, other], "1.0", "en")
    (run,) = log["runs"]
    assert log["version"] == "2.1.0"
    assert [each["id"] for each in run["tool"]["driver"]["rules"]] == ["CH999"]
    (result,) = run["results"]
    assert (result["ruleId"], result["level"]) == ("CH999", "error")
    (place,) = result["locations"]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": "my%20models/config.json"}, "region": {"startLine": 1},
    }  # fmt: skip
    assert [each["fullyQualifiedName"] for each in place["logicalLocations"]] == [*FINDING.keys]
    assert result["ruleIndex"] == 0


def test_findings_stand_where_their_key_does(tmp_path: Path) -> None:
    """A folder's findings stand in its config.json; a key within another is looked for behind it."""
    path = tmp_path / "config.json"
    path.write_text('{\n "factor": 1,\n "rope_scaling": {\n  "factor": 2\n },\n "a": {}\n}')
    there = str(path)
    assert [line_of(there, [key]) for key in ("factor", "rope_scaling.factor", "a", "none")] == [2, 4, 6, 1]
    assert (line_of(there, ["none", "a"]), line_of(str(tmp_path / "gone.json"), ["a"])) == (6, 1)
    assert line_of(str(tmp_path / "model.gguf"), ["a"]) is None
    found = report(replace(FINDING, keys=("rope_scaling.factor",)), target=str(tmp_path))
    (result,) = as_sarif([found], [], "1.0", "en")["runs"][0]["results"]
    assert "ruleIndex" not in result
    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": path.as_uri()}, "region": {"startLine": 4},
    }  # fmt: skip
    assert as_github(found, "en").startswith(f"::error file={tmp_path}/config.json,line=4,title=")


def test_a_function_of_a_package_is_no_file() -> None:
    (result,) = as_sarif([report(FINDING, target="a.b:f")], [], "1.0", "en")["runs"][0]["results"]
    assert "physicalLocation" not in result["locations"][0]
    assert as_github(report(FINDING, target="a.b:f"), "en").startswith("::error title=")
    assert as_github(report(FINDING, target="m/b.py:f"), "en").startswith("::error file=m/b.py,line=1,title=")


def test_names_that_are_no_utf_8_are_addresses_too(tmp_path: Path) -> None:
    name = os.fsdecode(b"m\xff.json")
    (result,) = as_sarif([report(FINDING, target=name)], [], "1.0", "en")["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "m%FF.json"


def test_github_lines_are_one_line_each_and_escaped() -> None:
    lines = as_github(report(FINDING, NOTE), "en").split("\n")
    assert len(lines) == 2
    assert lines[0].startswith(
        "::error file=m/c.json,line=1,title=CH999 rope_parameters.factor%2C a%2Cb%3Ac::factor is 80%25%0Aand"
    )
    assert lines[1].startswith("::notice ")
    assert as_github(report(), "en") == ""


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_escapes_and_asks_for_nothing(lang: Language) -> None:
    page = as_page(report(FINDING, target=HOSTILE), lang)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "://" not in page
    assert "default-src 'none'" in page
    assert page.count("<figure>") == 1
    assert FINDING.remedy.said_in(lang) in page


def test_the_picture_tells_what_happened_to_each_hand() -> None:
    data = {each.id: each.values.tolist() for each in clock_picture(report(), ROPE, "en").data}
    assert data["inv_freq"] == [0.25, 0.0025]
    assert data["plain"] == pytest.approx([1.0, 0.01])
    assert data["lengths"] == [2048, 8192]


@pytest.mark.parametrize("ending", ["html", "png", "svg"])
def test_files(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"r.{ending}"
    assert save(report(FINDING), path) == path
    assert path.stat().st_size > 3000


@pytest.mark.parametrize(
    ("name", "layers", "said"),
    [
        ("r.txt", (ROPE,), "none of .html"),
        ("r.png", (NOPE,), "no hands to draw"),
        ("r", (ROPE,), "none of"),
    ],
)
def test_what_cannot_be_saved(tmp_path: Path, name: str, layers: tuple[LayerForm, ...], said: str) -> None:
    with pytest.raises(ClockhandsError, match=said):
        save(report(layers=layers), tmp_path / name)
    assert not [*tmp_path.iterdir()]


def test_a_target_whose_name_is_no_utf8(tmp_path: Path) -> None:
    page = save(report(target="bad\udcff.json"), tmp_path / "r.html")
    assert r"bad\udcff.json" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_layers_that_stand_unmeasured_are_told_once(lang: Language) -> None:
    measured = replace(ROPE, source="both")
    rest, other = replace(ROPE, layers=(3, 4)), replace(ROPE, layers=(5,), rope_theta=7.0)
    said = report(layers=(measured, rest, other))
    text, page = as_text(said, lang, 100), as_page(said, lang)
    assert text.count("10,000") == page.count("10,000") == 1
    assert "0-2" in text.split("3-4")[1]
    assert page.count("<img") == 2
