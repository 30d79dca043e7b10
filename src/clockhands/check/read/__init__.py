"""Targets that are files: each dialect read into the same ``Subject``; numpy alone, and nothing is run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clockhands.check.subject import Subject


def read_config(
    target: str | os.PathLike[str] | Mapping[str, Any], *, override: Mapping[str, Any] | None = None
) -> Subject:
    """A configuration as what rules look at; see ``clockhands.check.read.config``."""
    # Here, since architectures read rotary parameters with modules of this package.
    from clockhands.check.read.config import read_config as read

    return read(target, override=override)


__all__ = ["read_config"]
