"""Pages without their Chinese glyphs, which take a second to cut; a test that is about them asks for them."""

from __future__ import annotations

import pytest


@pytest.fixture
def glyphs() -> None:
    """Asked for by a test that wants pages with their glyphs."""


@pytest.fixture(autouse=True)
def without_glyphs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "glyphs" not in request.fixturenames:
        monkeypatch.setattr("clockhands.web.html.font_face", lambda page, lang: "")
