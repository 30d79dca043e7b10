"""The benchmark of the page: its rows say what was reached, and what could not be measured says why."""

import json
import subprocess

import pytest

from benchmarks import page


def test_a_row_says_whether_its_number_is_reached():
    found = [{"work": {"most": time}} for time in (30.0, 10.0, 20.0)]
    assert page.against("x", 20.0, found, "work", "most") == ("x", "20 ms", "20 ms (10 to 30)", "reached")
    assert page.against("x", 19.0, found, "work", "most")[-1] == "missed"
    assert page.against("x", None, found, "work", "most") == ("x", "", "20 ms (10 to 30)", "")
    assert page.against("x", 9.0, [{"memory": 8.0}], "memory")[1:3] == ("9 MB", "8 MB (8 to 8)")
    failed = [{"memory": 8.0}, {"failed": "it fell"}]
    assert page.against("x", 9.0, failed, "memory")[2:] == ("it fell", "missed")


@pytest.mark.parametrize(
    ("said", "complained", "why"),
    [
        ('{"failed": "page.waitForFunction: Timeout 90000ms exceeded."}', "", "nothing within 90 s"),
        ('{"failed": "more than 6144 MB of memory"}', "", "more than 6144 MB of memory"),
        ("", "node:internal\n\nError [NONE]: no 'x'\n\nNode.js v20", "Error [NONE]: no 'x'"),
        ("", "killed", "killed"),
        ("", "", "ended by itself"),
    ],
)
def test_what_could_not_be_measured_says_why(monkeypatch, said, complained, why):
    def run(command, **settings):
        if said:
            return subprocess.CompletedProcess(command, 0, said, "")
        raise subprocess.CalledProcessError(1, command, "", complained)

    monkeypatch.setattr(page.subprocess, "run", run)
    assert page.browse(what="first") == {"failed": why}


def test_what_was_measured_is_given_as_it_is(monkeypatch):
    found = {"milliseconds": 12.5, "browser": "1"}
    monkeypatch.setattr(
        page.subprocess, "run", lambda *_, **__: subprocess.CompletedProcess([], 0, json.dumps(found), "")
    )
    assert page.browse(what="first") == found
