"""Whole characters, against examples of Unicode Standard Annex 29."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clockhands.text.graphemes import graphemes

E_ACUTE = "e\u0301"
FAMILY = "👨\u200d👩\u200d👧"
SCOTLAND = "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"


@pytest.mark.parametrize(
    "clusters",
    [
        [E_ACUTE, "x"],
        ["e\u0300", "x"],
        [FAMILY, FAMILY],
        [SCOTLAND],
        ["👍🏽", "a"],
        ["❤\ufe0f", "1\ufe0f\u20e3"],
        ["🇨🇳", "🇫🇷", "🇩"],
        ["\r\n", "\n", "\r", "a"],
        ["\n", "\u0301"],
        ["नि", "म"],
        ["한", "\u1112\u1161\u11ab", "가\u11a8"],
        ["각", "\u1161"],
        ["水", "浒"],
        ["a\u200d", "b"],
    ],
    ids=ascii,
)
def test_clusters(clusters):
    assert graphemes("".join(clusters)) == clusters


@given(st.text())
def test_joined_again_they_are_the_text(text):
    assert "".join(graphemes(text)) == text
