"""What a scheme changes in a model, in words: derived from its hooks, never from its name."""

from __future__ import annotations

from clockhands.catalogue.description import Description
from clockhands.language import Text

_TOKENS = Text("tokens", "词元")
_QUERIES_AND_KEYS = Text("queries, keys", "查询、键")
_QUERIES = Text("queries", "查询")
_VALUES = Text("values", "值")
_LOGITS = Text("logits", "注意力得分")
_NOTHING = Text("nothing", "无")
_JOINED = Text(", ", "、")


def touched(scheme: type[Description]) -> Text:
    """What a scheme changes: the tokens, queries and keys, values, the logits, or nothing."""
    hooks = (*scheme().touches(), *scheme.content_hooks, *scheme.other_hooks)
    parts: list[Text] = []
    if "table" in hooks:
        parts.append(_TOKENS)
    elif "inv_freq" in hooks or "distance_map" in hooks:
        parts.append(_QUERIES_AND_KEYS)
    elif "queries" in hooks:
        parts.append(_QUERIES)
    if "values" in hooks:
        parts.append(_VALUES)
    if "bias" in hooks:
        parts.append(_LOGITS)
    if not parts:
        return _NOTHING
    return Text(_JOINED.en.join(part.en for part in parts), _JOINED.zh.join(part.zh for part in parts))
