"""Views: the same ways to look at every scheme, each in one file.

A view draws whatever a description offers (hands, a table, a bias) and never asks for a scheme's name.
To add one: write a file with a ``VIEW`` and name it in ``show.py``.
"""

from clockhands.views.settings import Settings
from clockhands.views.show import VIEWS, available, data, default_view, draw, show
from clockhands.views.view import View

__all__ = ["VIEWS", "Settings", "View", "available", "data", "default_view", "draw", "show"]
