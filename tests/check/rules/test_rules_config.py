"""Each rule: a configuration that it must speak of, and one beside it that it must not."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from clockhands.check.rules import RULES

sys.path.insert(0, str(Path(__file__).parent))
