"""The one look of every picture: no colour or size is kept that no picture uses."""

from __future__ import annotations

import re
from pathlib import Path

from clockhands.plots import style


def test_every_name_of_the_style_is_used() -> None:
    sources = Path(style.__file__).parents[1].rglob("*.py")
    code = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    names = [name for name in vars(style) if name.isupper() and not name.startswith(("_", "TYPE"))]
    assert len(names) > 5
    assert [name for name in names if len(re.findall(rf"\b{name}\b", code)) < 2] == []
