"""Every claim: its verdict, its numbers, both languages, and its picture."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from clockhands.claims import CLAIMS, OUTCOMES, Claim, Number, Verdict, named
from clockhands.claims.claim import figure, judged
from clockhands.errors import ClockhandsError
from clockhands.language import LANGUAGES, Text
from clockhands.plots import Picture
from clockhands.plots.recorder import collisions, record

HAN = "\u4e00-\u9fff"

VERDICTS = {
    "similarity-decays": "false",
    "dot-product-roughly": "false",
    "neighbour-distance-varies": "false",
    "one-hand-repeats": "false",
    "far-looks-far": "conditional",
    "cos-sin-clock": "false",
    "longest-wavelength": "conditional",
    "all-hands-matter": "false",
    "sin-cos-order": "false",
    "attention-by-distance": "false",
    "concatenation-is-cleaner": "false",
    "learned-knows-neighbours": "false",
    "mixed-is-best-of-both": "false",
    "order-needs-positions": "conditional",
    "nope-finds-positions": "conditional",
    "rope-relative": "true",
    "rope-relative-bf16": "false",
    "rope-decays": "false",
    "layouts-equal": "conditional",
    "extrapolates-by-itself": "false",
    "larger-base-longer-context": "false",
    "interpolation-scales-positions": "true",
    "ntk-ends": "true",
    "yarn-code-is-paper": "false",
    "partial-is-proportional": "false",
    "self-extend-relative": "conditional",
    "fire-relative": "conditional",
    "alibi-window": "conditional",
    "alibi-slopes": "conditional",
    "alibi-keys-alone": "true",
    "t5-any-form": "conditional",
    "bf16-is-fine": "false",
    "weight-is-importance": "false",
}

MISCONCEPTIONS = {
    "Similarity falls steadily with distance": "similarity-decays",
    "RoPE decays with distance": "rope-decays",
    "Neighbour distance varies; plot it to check health": "neighbour-distance-varies",
    "PE(p+k) PE(p) is about f(k)": "dot-product-roughly",
    "... so attention depends only on distance": "attention-by-distance",
    "Repeats only when all hands return": "one-hand-repeats",
    "sin/cos order matters": "sin-cos-order",
    "a layout bug": "layouts-equal",
    "Clock hand direction": "cos-sin-clock",
    "Wavelengths 2 pi ... 10000 2 pi": "longest-wavelength",
    "All hands matter": "all-hands-matter",
    "Adding mixes words and position, concatenate is cleaner": "concatenation-is-cleaner",
    "Sinusoidal or RoPE extrapolate by themselves": "extrapolates-by-itself",
    "Positional code tells order by itself": "order-needs-positions",
    "bf16 is fine for positions": "bf16-is-fine",
    "Attention weight = importance": "weight-is-importance",
}
"""What is often believed, and the claim that looks into it."""

NUMBERS = {
    ("similarity-decays", "first rise, width 32"): 4,
    ("similarity-decays", "first rise, width 128"): 11,
    ("similarity-decays", "first rise, width 512"): 43,
    ("similarity-decays", "first negative, width 128"): 1707,
    ("neighbour-distance-varies", "neighbour distance, width 32"): 1.17162,
    ("neighbour-distance-varies", "neighbour distance, width 128"): 1.95260,
    ("neighbour-distance-varies", "neighbour distance, width 512"): 3.71427,
    ("dot-product-roughly", "length of a row"): 4.0,
    ("one-hand-repeats", "nearest return of one hand"): 710,
    ("one-hand-repeats", "nearest return of three hands"): 1709,
    ("far-looks-far", "nearest position, width 8"): 169_646,
    ("longest-wavelength", "longest, width 32"): 35_332.9,
    ("cos-sin-clock", "start of (cos, sin)"): 90,
    ("all-hands-matter", "unfinished, width 512, 512 tokens"): 133,
    ("all-hands-matter", "unfinished, width 512, 4096 tokens"): 75,
    ("all-hands-matter", "unfinished, width 128, 4096 tokens"): 18,
    ("mixed-is-best-of-both", "distance of the echo"): 181,
    ("rope-decays", "rising steps of the bound"): 0.26,
    ("rope-decays", "peak of a key made for 1000"): 1000,
    ("larger-base-longer-context", "smallest base that passes"): 4293.5,
    ("larger-base-longer-context", "largest base that fails"): 6018.3,
    ("larger-base-longer-context", "Llama 2 turns negative at"): 1707,
    ("yarn-code-is-paper", "start of the ramp, exact"): 20.9445,
    ("yarn-code-is-paper", "end of the ramp, used"): 46,
    ("partial-is-proportional", "longest, p-RoPE"): 188.25,
    ("ntk-ends", "divisor of the slowest"): 8,
    ("self-extend-relative", "change of a distance, less than a group"): 1,
    ("alibi-window", "window of the steepest head"): 10,
    ("alibi-window", "window of the flattest head"): 1179,
    ("alibi-slopes", "first slope of 12 heads"): 0.5,
    ("bf16-is-fine", "distinct in bf16"): 769,
    ("bf16-is-fine", "distinct in fp16"): 3073,
    ("weight-is-importance", "weight of the first key, before"): 0.490549,
}

every_claim = pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)


@pytest.fixture(scope="module")
def verdicts() -> dict[str, Verdict]:
    return {claim.id: claim.check() for claim in CLAIMS}


def test_verdicts(verdicts) -> None:
    assert {id: verdict.outcome for id, verdict in verdicts.items()} == VERDICTS


def test_every_misconception_is_looked_into(verdicts) -> None:
    assert set(MISCONCEPTIONS.values()) <= set(verdicts)
    assert "true" not in {verdicts[id].outcome for id in MISCONCEPTIONS.values()}


@pytest.mark.parametrize(("id", "name"), NUMBERS)
def test_numbers(id: str, name: str, verdicts) -> None:
    found = {number.name.en: number.value for number in verdicts[id].numbers}
    assert found[name] == pytest.approx(NUMBERS[id, name], rel=2e-5 if NUMBERS[id, name] < 2 else 1e-4)


@every_claim
def test_a_claim_is_complete_in_both_languages(claim: Claim, verdicts) -> None:
    verdict = verdicts[claim.id]
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", claim.id)
    assert len(claim.source) > 8
    assert verdict.numbers
    texts = [claim.statement, verdict.sentence, verdict.text]
    texts += [number.name for number in verdict.numbers if number.name.en != number.name.zh]
    for text in texts:
        assert re.search(f"[{HAN}]", text.zh) or text.zh == "p-RoPE", text
        assert not re.search(f"[{HAN}]", text.en)
    for text in (claim.statement, verdict.sentence):
        assert text.en.endswith(".")
        assert text.zh.endswith("。")
        assert "nan" not in text.en


def test_ids_are_different() -> None:
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS) >= 18


def test_a_verdict_is_always_the_same(verdicts) -> None:
    for claim in CLAIMS[::4]:
        assert claim.check() == verdicts[claim.id]


def test_all_of_them_take_seconds_and_no_torch() -> None:
    program = (
        "import sys, time; start = time.perf_counter();"
        "import clockhands as ch; [claim.check() for claim in ch.claims.CLAIMS];"
        "assert 'torch' not in sys.modules and 'matplotlib' not in sys.modules;"
        "print(time.perf_counter() - start)"
    )
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    assert time.perf_counter() - start < 20


@every_claim
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_picture_says_the_claim_and_the_verdict(claim: Claim, lang, verdicts) -> None:
    picture = claim.figure(lang, verdicts[claim.id])
    drawn = record(picture)
    assert drawn.says(claim.statement.said_in(lang).split()[0])
    assert drawn.says(verdicts[claim.id].text.said_in(lang).split()[0])
    assert picture.data
    assert collisions(picture) == []
    assert not nameless(picture)


def nameless(picture: Picture) -> bool:
    """Whether nothing stands at the upright axis of curves."""
    curves = [axes.get_position() for axes in picture.figure.axes if axes.get_label() == "curves"]
    high = picture.figure.get_size_inches()[1]
    written = [one.get_position()[1] for one in picture.figure.texts if one.get_text()]
    return any(not any(0 < (y - panel.y1) * high < 0.3 for y in written) for panel in curves)


def test_claims_are_found_by_name() -> None:
    assert [claim.id for claim in named(["rope-decays", "bf16-is-fine", "rope-decays"])] == [
        "rope-decays",
        "bf16-is-fine",
    ]
    assert named([]) == CLAIMS
    with pytest.raises(ClockhandsError, match="did you mean 'rope-decays'"):
        named(["rope-decay"])


def test_only_a_conditional_verdict_has_a_condition() -> None:
    says = Text("It does.", "的确。")
    with pytest.raises(ValueError, match="true"):
        Verdict(outcome="true", sentence=says, numbers=(), condition=says)
    with pytest.raises(ValueError, match="conditional"):
        Verdict(outcome="conditional", sentence=says, numbers=())


@pytest.mark.parametrize(
    ("holds", "holds_then", "outcome"),
    [(True, False, "true"), (False, True, "conditional"), (False, False, "false"), (True, True, "true")],
)
def test_judging(holds: bool, holds_then: bool, outcome: str) -> None:
    condition = Text("if it rains", "下雨")
    found = judged(holds, condition, condition=condition, holds_then=holds_then)
    assert found.outcome == outcome
    words = {"true": OUTCOMES["true"], "false": OUTCOMES["false"]}
    assert found.text == words.get(outcome, Text("only if it rains", "仅在下雨时成立"))


def test_numbers_are_said_with_name_and_unit() -> None:
    tokens = Text("tokens", "词元")
    assert Number(Text("rise", "回升"), 1234, tokens).text == ("rise: 1,234 tokens", "回升：1,234 词元")
    assert Number(Text("rise", "回升"), None, tokens).text == ("rise: none tokens", "回升：无 词元")
    assert [figure(x) for x in (0.0, 2.0, 0.25, 1e-9, 1707.4, -0.5)] == [
        "0", "2", "0.25", "1.0e-09", "1,707", "-0.5",
    ]  # fmt: skip


@pytest.mark.parametrize(("document", "lang"), [("claims.md", "en"), ("claims.zh.md", "zh")])
def test_the_page_lists_every_claim_with_its_verdict(document: str, lang, verdicts) -> None:
    text = (Path(__file__).parents[2] / "docs" / document).read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert rows == [
        f"| `{claim.id}` | {claim.statement.said_in(lang)} | {verdicts[claim.id].text.said_in(lang)} |"
        for claim in CLAIMS
    ]
