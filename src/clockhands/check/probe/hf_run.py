"""The course of a measurement: which way of calling works, then every stack, layer by layer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from clockhands.check.form import LayerForm, merged
from clockhands.check.probe.hf import Measured
from clockhands.check.probe.hf_attention import Heads, form_of, heads_of
from clockhands.check.probe.hf_feed import ROWS, Feed, feeds
from clockhands.check.probe.hf_layers import side_of, stacks_of, stem
from clockhands.check.probe.hf_positions import Far, far_of
from clockhands.check.probe.hf_tables import tables_of, waves
from clockhands.check.probe.hf_watch import Layer, Run, Watch

COUNT = 19
"""Tokens of a text: prime, so that no other size is mistaken for it."""


def measured_stacks(model: nn.Module) -> Measured:
    """All stacks of the probe's copy of a model."""
    watch = Watch(model)
    facts: dict[str, Any] = {}
    forms: list[LayerForm] = []
    done: set[str] = set()
    for feed in feeds(model):
        try:
            found = watch.run(lambda model, feed=feed: feed.call(model, COUNT))
        except Exception as error:  # noqa: BLE001  a way of calling that this class doesn't know
            facts.setdefault("error", f"{type(error).__name__}: {error}"[:300])
            continue
        stacks = {path: layers for path, layers in stacks_of(found.layers).items() if path not in done}
        of_both = {side_of(path) for path in stacks} >= {"encoder", "decoder"} or feed.name in ("decoder", "encoder")
        for path, layers in stacks.items():
            if feed.name in ("decoder", "encoder") and side_of(path) not in (feed.name, None):
                continue
            done.add(path)
            side = side_of(path) if of_both else None
            forms += [replace(each, stack=side) for each in _stack(watch, feed, path, len(layers), facts)]
        if feed.name not in ("decoder", "encoder") or (feed.name == "encoder" and done):
            break
    if forms:
        facts.pop("error", None)
    return Measured(merged([replace(each, source="measured") for each in forms]), facts)


def constant(hidden: Tensor) -> Tensor:
    """Random vectors that don't change along the sequence, in the shape of ``hidden``."""
    generator = torch.Generator().manual_seed(2)
    shape = [1 if size not in (ROWS, hidden.shape[-1]) else size for size in hidden.shape]
    shape[-1] = hidden.shape[-1]
    made = torch.randn(shape, generator=generator, dtype=torch.float64)
    return made.to(hidden.dtype).expand(hidden.shape).contiguous()


def _stack(watch: Watch, feed: Feed, path: str, count: int, facts: dict[str, Any]) -> list[LayerForm]:
    run = watch.run(lambda model: feed.call(model, COUNT), constant, inner=True)
    layers = _of(run, path)
    far = far_of(watch, feed, path, constant, facts)
    forms = [_layer(n, layer, run, far, watch, feed) for n, layer in enumerate(layers)]
    return _with_tables(forms, watch, feed, layers)


def _of(run: Run, path: str) -> list[Layer]:
    return [layer for layer in run.layers if stem(layer.path) == path]


def _layer(n: int, layer: Layer, run: Run, far: Far, watch: Watch, feed: Feed) -> LayerForm:
    for seen in layer.attended:
        heads = heads_of(seen, COUNT)
        if heads is not None:
            return form_of(n, heads, run, far.of(n))
    return LayerForm(layers=(n,), family="none", mixer="other" if not layer.attended else "attention")


def _with_tables(forms: list[LayerForm], watch: Watch, feed: Feed, layers: list[Layer]) -> list[LayerForm]:
    """What is added to the tokens, as a form of its own or in the form of attention that knows nothing else."""
    if not layers or layers[0].entered is None:
        return forms
    try:
        added = tables_of(watch, lambda model: feed.call(model, COUNT), layers[0].path)
    except RuntimeError:
        added = ()
    out: list[LayerForm] = list(forms)
    for each in added:
        wave = waves(each.values, each.first)
        fields: dict[str, Any] = {"head_dim": each.values.shape[1]}
        if each.name is not None:
            fields["rows"] = each.values.shape[0]
        if wave is not None:
            fields |= {
                "family": "sinusoidal",
                "layout": wave.layout,
                "inv_freq": tuple(float(w) for w in wave.inv_freq),
                "offset": round(wave.start),
            }
        elif each.name is not None:
            fields |= {"family": "learned", "offset": each.first}
        else:
            fields |= {"family": "other"}
        alone = [form for form in forms if form.family == "none" and form.mixer == "attention"]
        kept = [form for form in out if form not in alone]
        tables = [
            replace(form, **fields) for form in forms
        ] if alone else [
            LayerForm(layers=form.layers, score_scale=form.score_scale, **fields) for form in forms
        ]  # fmt: skip
        out = [*tables, *kept] if alone else [*tables, *out]
    return out


__all__ = ["Heads", "measured_stacks"]
