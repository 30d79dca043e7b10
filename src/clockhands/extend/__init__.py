"""How to take a model past the length it was trained on, and what will break: plans, numbers, settings.

>>> from clockhands.extend import METHODS
>>> [method.id for method in METHODS][:4]
['linear', 'ntk', 'dynamic', 'yarn']
"""

from clockhands.extend.methods import IDS, METHODS, Method
from clockhands.extend.plan import Plan, Step, plan
from clockhands.extend.source import Source, read_source

__all__ = ["IDS", "METHODS", "Method", "Plan", "Source", "Step", "plan", "read_source"]
