"""The interactive page: one HTML file that opens from the disk and asks the network for nothing.

>>> from clockhands import web
>>> web.page(lang="zh").splitlines()[1]
'<html lang="zh-CN">'

The script and style in ``built/`` are made from the TypeScript in ``web/`` of the source tree, and committed:
nobody who uses the page needs Node.
"""

from __future__ import annotations

from clockhands.analysis.attention_trace import AttentionRun, Sentence, sentence
from clockhands.web.attention_file import load_attention, save_attention
from clockhands.web.html import page, save
from clockhands.web.widget import Widget, widget

__all__ = [
    "AttentionRun",
    "Sentence",
    "Widget",
    "load_attention",
    "page",
    "save",
    "save_attention",
    "sentence",
    "widget",
]
