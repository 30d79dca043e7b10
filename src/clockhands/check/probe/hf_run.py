"""The course of a measurement: which way of calling works, then every stack, layer by layer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from clockhands.check.form import LayerForm, merged
from clockhands.check.probe import hf_attention
from clockhands.check.probe.hf import Measured
from clockhands.check.probe.hf_attention import Heads, bucketed, form_of, heads_of, products, within
from clockhands.check.probe.hf_copy import unwatched
from clockhands.check.probe.hf_feed import ROWS, Feed, feeds
from clockhands.check.probe.hf_layers import side_of, stacks_of, stem
from clockhands.check.probe.hf_positions import Far, far_of
from clockhands.check.probe.hf_relative import relative, sparse
from clockhands.check.probe.hf_schedule import schedule
from clockhands.check.probe.hf_tables import tables_of, waves
from clockhands.check.probe.hf_watch import Layer, Run, Watch

COUNT = 19
"""Tokens of a text: prime, so that no other size is mistaken for it."""


LONG = (307, 101, 47)
"""Tokens of a text that is to reach as many buckets as it can."""


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
        if not watch.interface and any(layer.attended for layer in found.layers):
            unwatched(model)
            watch.targets.clear()
            found = watch.run(lambda model, feed=feed: feed.call(model, COUNT))
        stacks = {path: layers for path, layers in stacks_of(found.layers).items() if path not in done}
        of_both = {side_of(path) for path in stacks} >= {"encoder", "decoder"} or feed.name in (
            "decoder",
            "encoder",
        )
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
    far = far_of(watch, feed, path, constant)
    found = [_heads(layer, COUNT) for layer in layers]
    forms = [
        _layer(n, layer, heads, run, far) for n, (layer, heads) in enumerate(zip(layers, found, strict=True))
    ]
    forms = [_by_length(form, heads, far, facts) for form, heads in zip(forms, found, strict=True)]
    if any(heads is not None and heads.mixed for heads in found):
        times = [None if each is None else within(each) for each in found]
        forms = _by_content(forms, times, watch, feed, path)
    if any(form.family == "t5" for form in forms):
        forms = _in_buckets(forms, watch, feed, path)
    return _with_tables(_snapped(forms), watch, feed, layers)


def _snapped(forms: list[LayerForm]) -> list[LayerForm]:
    """Layers whose frequencies or slopes differ by the last bits of float32 only get the same ones."""
    out: list[LayerForm] = []
    for form in forms:
        for other in out:
            if _close(form.inv_freq, other.inv_freq):
                form = replace(form, inv_freq=other.inv_freq, rope_theta=other.rope_theta)
            if _close(form.slopes, other.slopes):
                form = replace(form, slopes=other.slopes)
            if (
                other.score_scale
                and form.score_scale
                and abs(form.score_scale / other.score_scale - 1) < 1e-6
            ):
                form = replace(form, score_scale=other.score_scale)
        out.append(form)
    return out


def _close(mine: tuple[float, ...] | None, theirs: tuple[float, ...] | None) -> bool:
    return bool(mine and theirs and len(mine) == len(theirs) and np.allclose(mine, theirs, rtol=2e-5, atol=0))


def _of(run: Run, path: str) -> list[Layer]:
    return [layer for layer in run.layers if stem(layer.path) == path]


def _heads(layer: Layer, count: int) -> Heads | None:
    """The first call in which a text looks at itself."""
    return next(
        (each for each in (heads_of(seen, count) for seen in layer.attended) if each is not None), None
    )


def _layer(n: int, layer: Layer, heads: Heads | None, run: Run, far: Far) -> LayerForm:
    if heads is not None:
        return form_of(n, heads, run, far.of(n), far.turns.get(n))
    if layer.attended:
        return LayerForm(layers=(n,), family="other")
    return LayerForm(layers=(n,), family="none", mixer="other")


def _by_length(form: LayerForm, heads: Heads | None, far: Far, facts: dict[str, Any]) -> LayerForm:
    """A layer whose hands turn otherwise once a text is long: ``dynamic`` if all of them changed their base."""
    long = far.turns.get(form.layers[0])
    if heads is None or long is None or form.inv_freq is None:
        return form
    near, speed = (
        hf_attention.first_steps(heads),
        {tuple(pair): each for pair, each in zip(long.pairs, long.angles[:, 1])},
    )
    shared = [pair for pair in near if pair in speed]
    was, now = (np.asarray([each[pair] for pair in shared]) for each in (near, speed))
    if not shared or np.abs(was - now).max() < 1e-6 or np.abs(now / was - 1).max() < 1e-3:
        return form
    facts["length_dependent"] = True
    facts.setdefault("inv_freq_far", tuple(float(f"{abs(each):.7g}") for each in now))
    both = [schedule(np.sort(np.abs(each))[::-1]).rope_type for each in (was, now)]
    return replace(form, rope_type="dynamic" if both == ["default", "default"] else "longrope")


def _by_content(
    forms: list[LayerForm], inner: list[float | None], watch: Watch, feed: Feed, path: str
) -> list[LayerForm]:
    """Layers whose biases depend on content, by whose content it is."""
    run = watch.run(lambda model: feed.call(model, COUNT), sparse)
    out: list[LayerForm] = []
    for form, layer in zip(forms, _of(run, path), strict=True):
        heads = _heads(layer, COUNT)
        if form.family == "other" and heads is not None and heads.logits is not None:
            found = relative(heads.logits, products(heads))
            form = replace(form, family=found.family)
            if found.scale is not None and inner[form.layers[0]] is not None:
                form = replace(form, score_scale=float(f"{found.scale * inner[form.layers[0]]:.7g}"))
        out.append(form)
    return out


def _in_buckets(forms: list[LayerForm], watch: Watch, feed: Feed, path: str) -> list[LayerForm]:
    """Layers whose bias is piecewise constant, with the buckets of T5 if it has them, over as long a text as runs."""
    for count in LONG:
        try:
            run = watch.run(lambda model, count=count: feed.call(model, count), constant)
        except Exception:  # noqa: BLE001  a table of positions that is shorter
            continue
        break
    else:
        return forms
    out: list[LayerForm] = []
    for form, layer in zip(forms, _of(run, path), strict=True):
        heads = _heads(layer, count)
        out.append(replace(form, **bucketed(heads, watch.model)) if form.family == "t5" and heads else form)
    return out


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
