"""The frame of every HTML page that is written here: nothing in it may ask the network for anything."""

from __future__ import annotations

from html import escape

from clockhands.language import Language


def html_document(*, lang: Language, title: str, style: str, body: str, policy: str) -> str:
    """A whole document around ``body``.

    title   plain text
    policy  the content security policy: what the page may load, at best from itself alone

    >>> html_document(lang="zh", title="a < b", style="", body="", policy="default-src 'none'")[:40]
    '<!doctype html>\\n<html lang="zh-CN">\\n<hea'
    """
    return f"""<!doctype html>
<html lang="{"zh-CN" if lang == "zh" else "en"}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{escape(title)}</title>
<link rel="icon" href="data:,">
<style>
{style}
</style>
</head>
<body>
{body}
</body>
</html>
"""
