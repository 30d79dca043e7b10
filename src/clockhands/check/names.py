"""How targets are named."""

from __future__ import annotations

import re


def names_function(target: str) -> bool:
    """Whether this is ``package.module:function`` or ``file.py:function``, and not a path.

    >>> [names_function(each) for each in ("mine.rope:rotate", "mine/rope.py:rotate", "config.json")]
    [True, True, False]
    """
    return re.fullmatch(r"(?:.+\.py|[A-Za-z_][\w.]*):[A-Za-z_][\w.]*", target) is not None
