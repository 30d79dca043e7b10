"""The picture on the first screen: made by its script, in both languages, small enough to load at once."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[3]


def test_the_script_makes_the_committed_picture(tmp_path):
    spec = importlib.util.spec_from_file_location("clock_hands", ROOT / "gallery" / "clock_hands.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    made = script.main(tmp_path)
    assert [path.name for path in made] == ["clock_hands.gif", "clock_hands.zh.gif"]
    for path in made:
        assert path.stat().st_size < 1_500_000
        committed = ROOT / "docs" / "images" / path.name
        with Image.open(path) as fresh, Image.open(committed) as shown:
            assert fresh.n_frames == shown.n_frames == 50
            assert fresh.size == shown.size
