"""Attention of other people's models: any layers, heads and rows, from queries and keys.

>>> import clockhands as ch                                                  # doctest: +SKIP
>>> seen = ch.attention.trace(model, tokenizer, "武松打虎", layers=[0])       # doctest: +SKIP
>>> seen.map().values.shape  # layers, heads, queries, keys                  # doctest: +SKIP
(1, 9, 11, 11)

Queries and keys are taken where the model hands them to its attention, so that it works where flash or SDPA
hand out no weights. Maps are made of them in windows, and no map of n² cells is held.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import torch
from torch import nn
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from clockhands.analysis.attention_call import Call
from clockhands.analysis.attention_parts import Parts, Turning, pair_shares, parts
from clockhands.analysis.attention_trace import PADDING
from clockhands.analysis.labelled import Axis, Labelled
from clockhands.errors import ClockhandsError, shown
from clockhands.language import Text
from clockhands.memory import require_memory
from clockhands.real.capture import Enough, Watch, watched
from clockhands.real.handed import handed_out
from clockhands.real.pieces import Pieces, cut, of_ids
from clockhands.real.tables import position_table, require_length
from clockhands.real.turnings import turnings_of

__all__ = ["Trace", "position_table", "trace", "traces"]

LAYER, HEAD, QUERY, KEY = Text("layer", "层"), Text("head", "头"), Text("query", "查询"), Text("key", "键")
WEIGHT = Text("attention weight", "注意力权重")


@dataclass(frozen=True)
class Trace:
    """How a model attended to one text.

    pieces  the tokens of the keys; of an encoder-decoder the text that the encoder read
    target  those that its decoder read, else None
    calls   one for each layer that was kept, in the order that the model made them
    name    of the model
    notes   what must be said beside a picture
    turnings  how layers turn queries and keys, by stack and layer; missing where they don't
    """

    pieces: Pieces
    target: Pieces | None
    calls: tuple[Call, ...]
    name: str
    notes: tuple[Text, ...] = ()
    turnings: Mapping[tuple[str, int], Turning] = field(default_factory=dict)

    def of(self, stack: str | None = None, kind: Literal["self", "cross"] = "self") -> Trace:
        """The calls of one kind alone: of ``encoder`` or ``decoder``, on the text itself or ``cross``.

        Raises ClockhandsError where there are none.
        """
        stacks = [call.stack for call in self.calls if call.kind == kind]
        chosen = (stacks[0] if stacks else "") if stack is None else stack
        found = tuple(call for call in self.calls if (call.stack, call.kind) == (chosen, kind))
        if not found:
            have = sorted({f"{call.stack or 'model'} {call.kind}" for call in self.calls})
            raise ClockhandsError(
                f"{self.name} has no attention of the kind {chosen or 'model'} {kind}: it has "
                f"{', '.join(have)}",
                f"{self.name} 没有 {chosen or 'model'} {kind} 这种注意力：它有 {'、'.join(have)}",
            )
        return replace(self, calls=found)

    @property
    def queries(self) -> Pieces:
        """The tokens that look, of the first call."""
        call = self.calls[0]
        return self.target if self.target is not None and call.stack == "decoder" else self.pieces

    @property
    def keys(self) -> Pieces:
        """The tokens that are looked at, of the first call."""
        return self.pieces if self.calls[0].kind == "cross" else self.queries

    def call(self, layer: int) -> Call:
        """The call of a layer. Raises ClockhandsError where it was not kept."""
        for each in self.calls:
            if each.layer == layer:
                return each
        kept = ", ".join(str(each.layer) for each in self.calls)
        raise ClockhandsError(
            f"layer {layer} was not kept: there are {kept}", f"没有保留第 {layer} 层：现有 {kept}"
        )

    def turning(self, call: Call) -> Turning | None:
        """How the layer of a call turns; None where it doesn't, and where that isn't known."""
        # Many a model of one stack calls it its encoder.
        return self.turnings.get((call.stack, call.layer)) or self.turnings.get(("", call.layer))

    def weights(self, layer: int, head: int, rows: slice = slice(None)) -> np.ndarray:
        """``(rows, keys)`` weights of the kept queries ``rows``, float32."""
        call = self.call(layer)
        if head not in call.heads:
            raise ClockhandsError(
                f"head {head} of layer {layer} was not kept: there are {', '.join(map(str, call.heads))}",
                f"没有保留第 {layer} 层的头 {head}：现有 {'、'.join(map(str, call.heads))}",
            )
        return call.weights(head, rows)

    def parts(self, layer: int, head: int) -> Parts:
        """A head's map taken apart: position alone, content alone, and what takes both.

        Raises ClockhandsError where the model hands out weights and no queries and keys.
        """
        call = self.call(layer)
        _require_queries(self.name, call)
        return parts(call, head, self.turning(call))

    def pair_shares(self, layer: int, head: int) -> np.ndarray | None:
        """``(pairs + 1,)`` how much of a head's scores each hand brings; None where the layer turns nothing.

        Raises ClockhandsError where the model hands out weights and no queries and keys.
        """
        call = self.call(layer)
        _require_queries(self.name, call)
        how = self.turning(call)
        return None if how is None else pair_shares(call, head, how)

    def map(self) -> Labelled:
        """``(layers, heads, queries, keys)`` of the calls, with pieces as labels.

        Raises ClockhandsError where calls of several kinds are there (see ``of``) or it doesn't fit in
        memory.
        """
        kinds = {(call.stack, call.kind) for call in self.calls}
        if len(kinds) > 1:
            raise ClockhandsError(
                "encoder, decoder and cross attention make no one map: choose with .of(stack, kind)",
                "编码器、解码器和交叉注意力不能合成一张图：请用 .of(stack, kind) 选择",
            )
        first = self.calls[0]
        shape = (len(self.calls), len(first.heads), len(first.queries), first.keys)
        require_memory(Text("the attention map", "注意力图"), shape, 4)
        values = np.stack([[call.weights(head) for head in call.heads] for call in self.calls])
        labels = [_objects(pieces.labels) for pieces in (self.queries, self.keys)]
        axes = (
            Axis(LAYER, np.array([call.layer for call in self.calls])), Axis(HEAD, np.array(first.heads)),
            Axis(QUERY, labels[0][first.queries]), Axis(KEY, labels[1]),
        )  # fmt: skip
        return Labelled("attention", WEIGHT, values, axes)


def trace(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase | None,
    text: str | None = None,
    *,
    target: str | None = None,
    ids: Sequence[int] | None = None,
    mask: Sequence[int] | None = None,
    layers: Sequence[int] | None = None,
    heads: Sequence[int] | None = None,
    rows: slice | Sequence[int] | None = None,
) -> Trace:
    """How ``model`` attends to ``text``.

    model      of transformers: whatever goes through its attention interface, and BLOOM; of others the
               weights
               that it hands out itself
    tokenizer  None with ``ids``
    target     what the decoder of an encoder-decoder has written; without it the encoder alone is looked at
    ids, mask  tokens in place of a text, and 0 for those that are padding
    layers, heads, rows   which to keep, negative ones from the end; None: all. ``rows`` are queries

    The model is as it was afterwards. Raises ClockhandsError for an empty text, one longer than a table of
    positions, layers and heads that aren't there, and a model whose attention can't be seen.
    """
    if ids is None:
        if tokenizer is None or text is None:
            raise ClockhandsError("give a tokenizer and a text, or ids", "请给出分词器和文本，或者 ids")
        pieces = cut(tokenizer, [text])[0]
    else:
        pieces = of_ids(ids, mask)
    return _traced(model, tokenizer, [pieces], target, layers, heads, rows)[0]


def traces(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    texts: Sequence[str],
    *,
    layers: Sequence[int] | None = None,
    heads: Sequence[int] | None = None,
    rows: slice | Sequence[int] | None = None,
) -> tuple[Trace, ...]:
    """The same of several texts in one batch, the shorter ones padded on the tokenizer's side."""
    return _traced(model, tokenizer, cut(tokenizer, texts), None, layers, heads, rows)


def _traced(
    model: PreTrainedModel, tokenizer: Any, batch: Sequence[Pieces], target: str | None, layers: Any, heads:
    Any,
    rows: Any,
) -> tuple[Trace, ...]:  # fmt: skip
    written = _target(model, tokenizer, target)
    count = len(batch[0])
    require_length(model, count)
    many = _layers_of(model)
    chosen = _chosen(layers, many, "layers")
    kept = _rows(rows, count)
    _require_room(model, many, chosen, count if kept is None else len(kept), count * len(batch))
    watch = Watch(
        {module: name for name, module in model.named_modules()}, chosen,
        _chosen(heads, _heads_of(model), "heads"),
        kept, None if chosen is None or written is not None or many is None else max(chosen, default=None),
    )  # fmt: skip
    given = _given(model, batch, written)
    whole, arguments = _part_to_run(model, written), given
    found = _run(whole, watch, arguments)
    if not found:
        found = handed_out(whole, arguments, watch)
    notes = _notes(model, count)
    name, turns = type(model).__name__, turnings_of(model)
    return tuple(
        Trace(pieces, written, tuple(calls), name, notes, turns)
        for pieces, calls in zip(batch, found, strict=True)
    )


def _run(model: nn.Module, watch: Watch, given: dict[str, Any]) -> list[list[Call]]:
    """Once with masks as rules, and where a model computes with its masks, once more with whole ones."""
    failed: Exception | None = None
    for dense in (False, True):
        watch.calls.clear()
        watch.counts.clear()
        try:
            with watched(model, watch, dense=dense):
                model(**given)
        except Enough:
            return watch.calls
        except ClockhandsError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever models say of a mask that is no tensor
            failed = error
            continue
        return watch.calls
    raise ClockhandsError(
        f"{type(model).__name__} could not be run on this text ({shown(str(failed), 120)}): give a model "
        "that "
        "reads text",
        f"{type(model).__name__} 无法在这段文本上运行（{shown(str(failed), 120)}）：请给出读取文本的模型",
    ) from failed


def _part_to_run(model: PreTrainedModel, target: Pieces | None) -> nn.Module:
    """Without the head, whose logits of a long text are larger than all else."""
    if getattr(model.config, "is_encoder_decoder", False):
        return model.get_encoder() if target is None else model.base_model
    return model.base_model


def _given(model: PreTrainedModel, batch: Sequence[Pieces], target: Pieces | None) -> dict[str, Any]:
    device = next(model.parameters()).device
    ids = torch.tensor([pieces.ids for pieces in batch], device=device)
    given: dict[str, Any] = {"input_ids": ids}
    padding = [[int(mark != PADDING) for mark in pieces.marks] for pieces in batch]
    if not all(all(row) for row in padding):
        given["attention_mask"] = torch.tensor(padding, device=device)
    if target is not None:
        given["decoder_input_ids"] = torch.tensor([target.ids], device=device)
    if target is not None or not getattr(model.config, "is_encoder_decoder", False):
        given["use_cache"] = False
    words = model.get_input_embeddings().weight.shape[0]  # type: ignore[union-attr]
    largest = int(ids.max())
    if largest >= words:
        raise ClockhandsError(
            f"the text has a token {largest} and {type(model).__name__} has {words:,} rows of embeddings: "
            "the "
            "tokenizer belongs to another model",
            f"文本中有词元 {largest}，而 {type(model).__name__} 的嵌入只有 {words:,} 行：分词器属于别的模型",
        )
    return given


def _target(model: PreTrainedModel, tokenizer: Any, target: str | None) -> Pieces | None:
    if target is None:
        return None
    start = getattr(model.config, "decoder_start_token_id", None)
    if not getattr(model.config, "is_encoder_decoder", False) or start is None:
        raise ClockhandsError(
            f"{type(model).__name__} has no decoder beside an encoder, which target is for: leave it out",
            f"{type(model).__name__} 没有与编码器相配的解码器，不需要 target：请去掉",
        )
    pieces = cut(tokenizer, [target], signs=False)[0]
    label = str(tokenizer.convert_ids_to_tokens(start))
    return Pieces(
        pieces.text,
        (start, *pieces.ids),
        ((0, 0), *pieces.spans),
        (1, *pieces.marks),
        (label, *pieces.labels),
    )


def _layers_of(model: PreTrainedModel) -> int | None:
    return getattr(model.config.get_text_config(), "num_hidden_layers", None)


def _heads_of(model: PreTrainedModel) -> int | None:
    return getattr(model.config.get_text_config(), "num_attention_heads", None)


def _chosen(given: Sequence[int] | None, many: int | None, name: str) -> list[int] | None:
    if given is None:
        return None
    if many is None:
        return sorted(set(given))
    wrong = [each for each in given if not -many <= each < many]
    if wrong or not len(given):
        raise ClockhandsError(
            f"{name} has {shown(wrong[0]) if wrong else 'nothing in it'}, and the model has {many}: use 0 to "
            f"{many - 1}",
            f"{name} 中有 {shown(wrong[0]) if wrong else '0 项'}，而模型有 {many} 个：请用 0 到 {many - 1}",
        )
    return sorted({each % many for each in given})


def _require_room(
    model: PreTrainedModel, many: int | None, layers: list[int] | None, queries: int, keys: int
) -> None:
    """Raises ClockhandsError where queries and keys that are to be kept need more memory than is free."""
    config = model.config.get_text_config()
    width = getattr(config, "hidden_size", None)
    if isinstance(width, int) and many:
        kept = many if layers is None else len(layers)
        require_memory(
            Text("queries and keys of these layers", "这些层的查询和键"), (kept, queries + keys, width), 4
        )


def _rows(rows: slice | Sequence[int] | None, count: int) -> np.ndarray | None:
    if rows is None:
        return None
    if isinstance(rows, slice):
        found = np.arange(count)[rows]
    else:
        found = np.unique([each % count if -count <= each < count else count for each in rows]).astype(
            np.int64
        )
    if not len(found) or found.max() >= count or (isinstance(rows, slice) and rows.step not in (None, 1)):
        raise ClockhandsError(
            f"rows is {shown(rows)}, and the text has {count} tokens: give some of 0 to {count - 1}",
            f"rows 为 {shown(rows)}，而文本有 {count} 个词元：请给出 0 到 {count - 1} 中的一部分",
        )
    return found


def _notes(model: PreTrainedModel, count: int) -> tuple[Text, ...]:
    trained = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    if isinstance(trained, int) and count > trained > 0 and math.isfinite(trained):
        return (
            Text(
                f"{count:,} tokens, more than the {trained:,} that the model says it reads.",
                f"共 {count:,} 个词元，超过模型声明的 {trained:,} 个。",
            ),
        )
    return ()


def _require_queries(name: str, call: Call) -> None:
    if call.given is not None:
        raise ClockhandsError(
            f"{name} hands out weights and no queries and keys, so its maps can't be taken apart: maps, "
            "scores of "
            "heads and profiles by distance work",
            f"{name} 只给出权重，不给出查询和键，无法拆解注意力图：注意力图、"
            "各头的得分和按距离的曲线仍然可用",
        )


def _objects(words: Sequence[str]) -> np.ndarray:
    made = np.empty(len(words), dtype=object)
    made[:] = list(words)
    return made
