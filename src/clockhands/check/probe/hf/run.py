"""The course of a measurement: which way of calling works, then every stack, layer by layer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from clockhands.check.form import LayerForm, merged
from clockhands.check.probe.hf import Measured
from clockhands.check.probe.hf import attention as hf_attention
from clockhands.check.probe.hf.attention import (
    Heads,
    bucketed,
    form_of,
    heads_of,
    products,
    ruled,
    window_of,
    within,
)
from clockhands.check.probe.hf.beside import as_sets, mixing
from clockhands.check.probe.hf.bias import HIDDEN
from clockhands.check.probe.hf.copy import unwatched
from clockhands.check.probe.hf.feed import ROWS, Feed, feeds
from clockhands.check.probe.hf.layers import before, numbers_of, side_of, stacks_of, stem, tokens_in
from clockhands.check.probe.hf.positions import Far, far_of
from clockhands.check.probe.hf.refusal import Refusal
from clockhands.check.probe.hf.relative import (
    in_steps,
    linear,
    relative,
    sees_ahead,
    settled,
    sparse,
    various,
)
from clockhands.check.probe.hf.schedule import schedule
from clockhands.check.probe.hf.seen import Layer, Run
from clockhands.check.probe.hf.steadied import steadied
from clockhands.check.probe.hf.tables import Added, tables_of, waves
from clockhands.check.probe.hf.watch import Content, Watch

COUNT = 19
"""Tokens of a text: prime, so that no other size is mistaken for it."""


LONG = (307, 101, 47, 19)
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
        except Refusal as refusal:  # a way of calling that this class doesn't know
            facts.setdefault("error", str(refusal))
            continue
        if not found.layers:
            watch.uncalled = True
            found = watch.run(lambda model, feed=feed: feed.call(model, COUNT))
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
            if any(layer.attended for layer in layers):
                mine = _stack(watch, feed, path, facts, path == next(iter(stacks)))
            else:
                sets = as_sets(watch, feed, path, COUNT)
                alone = [
                    LayerForm(
                        layers=(n,),
                        family="none",
                        mixer="attention" if sets[n : n + 1] == [True] else "other",
                    )
                    for n in range(len(layers))
                ]
                mine = _with_tables(alone, _added(watch, feed, layers))
            numbers = numbers_of(
                layers,
                [
                    each
                    for each in found.layers
                    if side_of(each.path) == side_of(path) and stem(each.path) in stacks
                ],
            )
            forms += [
                replace(each, stack=side, layers=tuple(numbers[n] for n in each.layers)) for each in mine
            ]
        if feed.name not in ("decoder", "encoder") or (feed.name == "encoder" and done):
            break
    if forms:
        facts.pop("error", None)
    if watch.left_out:
        facts["left_out"] = dict(watch.left_out)
    return Measured(merged(steadied(replace(each, source="measured") for each in forms)), facts)


def constant(hidden: Tensor) -> Tensor:
    """Random vectors that don't change along the sequence, in the shape of ``hidden``."""
    generator = torch.Generator().manual_seed(2)
    texts = hidden.shape.index(ROWS) if ROWS in hidden.shape else 0
    shape = [
        size if axis == texts or size == hidden.shape[-1] else 1 for axis, size in enumerate(hidden.shape)
    ]
    shape[-1] = hidden.shape[-1]
    made = torch.randn(shape, generator=generator, dtype=torch.float64)
    return made.to(hidden.dtype).expand(hidden.shape).contiguous()


def _stack(watch: Watch, feed: Feed, path: str, facts: dict[str, Any], first: bool) -> list[LayerForm]:
    run = watch.run(lambda model: feed.call(model, COUNT), constant, inner=True)
    layers = _of(run, path)
    watch.before = before(layers[0], COUNT)
    added = _added(watch, feed, layers)
    far = far_of(watch, feed, path, constant)
    found = [_heads(watch, layer, COUNT) for layer in layers]
    forms = [
        _layer(n, layer, heads, run, far) for n, (layer, heads) in enumerate(zip(layers, found, strict=True))
    ]
    forms = [_by_length(form, heads, far, facts) for form, heads in zip(forms, found, strict=True)]
    if any(heads is not None and heads.mixed for heads in found):
        times = [None if each is None else within(each) for each in found]
        forms = _by_content(forms, times, watch, feed, path)
    if any(form.family == "t5" for form in forms):
        forms = _in_buckets(forms, watch, feed, path)
    known = [
        heads is None or (heads.bias is None and watch.interface) or ruled(heads, run) for heads in found
    ]
    if not all(known):
        forms = _windowed(forms, known, watch, feed, path)
    mixed = mixing(watch, feed, path, COUNT)
    beside = [
        LayerForm(layers=form.layers, family="none", mixer="other")
        for form, mixes, heads in zip(forms, mixed, found, strict=False)
        if mixes and form.mixer == "attention" and heads is not None
    ]
    if not first:  # what another stack gave may differ along a text for reasons of its own
        added = tuple(each for each in added if each.name or waves(each.values, each.first))
    return [*_with_tables(_snapped(forms), added), *beside]


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


def _heads(watch: Watch, layer: Layer, count: int) -> Heads | None:
    """The first call in which a text looks at itself: all that the layer holds of it, pooled as it may be."""
    inside = tokens_in(layer, count) or count
    for seen in layer.attended:
        found = heads_of(seen, inside)
        if found is not None and inside < count and seen.k is not None and seen.k.shape[-2] != inside:
            continue  # pooled queries, keys that are not
        if found is not None:
            return found.of_text(watch.before, count) if inside > count else found
    # Tokens that a layer holds besides may have attended apart, as streams that predict do.
    return next((each for seen in layer.attended if (each := heads_of(seen, count)) is not None), None)


def _layer(n: int, layer: Layer, heads: Heads | None, run: Run, far: Far) -> LayerForm:
    if heads is not None:
        return form_of(n, heads, run, far.of(n), far.turns.get(n))
    if layer.attended:
        return LayerForm(layers=(n,), family="other")
    return LayerForm(layers=(n,), family="none", mixer="other")


def _by_length(form: LayerForm, heads: Heads | None, far: Far, facts: dict[str, Any]) -> LayerForm:
    """A layer whose hands turn otherwise once a text is long: ``dynamic`` if all of them changed their
    base."""
    long = far.turns.get(form.layers[0])
    if heads is None or long is None or form.inv_freq is None:
        return form
    near, speed = (
        hf_attention.first_steps(heads),
        {tuple(pair): each for pair, each in zip(long.pairs, long.angles[:, 1], strict=True)},
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
    run, count = _long(watch, feed, sparse)
    again, _ = _long(watch, feed, various)
    if run is None or again is None:
        return forms
    out: list[LayerForm] = []
    for form, layer, other in zip(forms, _of(run, path), _of(again, path), strict=True):
        heads, varied = _heads(watch, layer, count), _heads(watch, other, count)
        if form.family == "other" and heads is not None and heads.logits is not None:
            found = relative(heads.logits, products(heads))
            form = replace(form, family=found.family, bidirectional=sees_ahead(heads.logits))
            times = inner[form.layers[0]]
            if found.scale is not None and times is not None:
                form = replace(form, score_scale=float(f"{found.scale * times:.7g}"))
            if found.family == "shaw" and found.scale and varied is not None and varied.logits is not None:
                rest = varied.logits - found.scale * products(varied)
                rest = np.where(varied.logits > HIDDEN, rest, np.nan)
                steps: dict[str, Any] = in_steps(rest)
                form = replace(form, **(steps or {"max_distance": settled(rest)}))
                if linear(rest, varied.q) is False:
                    form = replace(form, family="other")
        out.append(form)
    return out


def _windowed(
    forms: list[LayerForm], known: list[bool], watch: Watch, feed: Feed, path: str
) -> list[LayerForm]:
    """Windows of layers whose code makes their masks itself: as far as a text of a length that runs shows
    them."""
    run, count = _long(watch, feed)
    if run is None:
        return forms
    out: list[LayerForm] = []
    for form, ruled_by, layer in zip(forms, known, _of(run, path), strict=True):
        heads = None if ruled_by else _heads(watch, layer, count)
        out.append(form if heads is None else replace(form, **window_of(heads, run)))
    return out


def _long(watch: Watch, feed: Feed, content: Content = constant) -> tuple[Run | None, int]:
    """A pass over as long a text as the model takes, and how long that is."""
    said = ""
    for count in LONG:
        try:
            return watch.run(lambda model, count=count: feed.call(model, count), content), count
        except Refusal as refusal:  # a table of positions that is shorter
            said = str(refusal)
    watch.left_out.setdefault("long texts", said)
    return None, 0


def _in_buckets(forms: list[LayerForm], watch: Watch, feed: Feed, path: str) -> list[LayerForm]:
    """Layers whose bias is piecewise constant, with the buckets of T5 if it has them, over as long a text
    as runs."""
    run, count = _long(watch, feed)
    if run is None:
        return forms
    out: list[LayerForm] = []
    for form, layer in zip(forms, _of(run, path), strict=True):
        heads = _heads(watch, layer, count)
        out.append(replace(form, **bucketed(heads, watch.model)) if form.family == "t5" and heads else form)
    return out


def _added(watch: Watch, feed: Feed, layers: list[Layer]) -> tuple[Added, ...]:
    """What is added to the tokens before these layers.

    Asked before long texts, for which some tables grow.
    """
    if not layers or layers[0].entered is None:
        return ()
    try:
        return tables_of(
            watch, lambda model: feed.call(model, COUNT), layers[0].path, COUNT, before(layers[0], COUNT)
        )
    except Refusal as refusal:  # code that no gradient passes through
        watch.left_out.setdefault("tables", str(refusal))
        return ()


def _with_tables(forms: list[LayerForm], added: tuple[Added, ...]) -> list[LayerForm]:
    """What is added, as a form of its own or in the form of attention that knows nothing else."""
    if added:
        # Attention that was not seen may do anything; what is added is known all the same.
        unseen = [form for form in forms if form.family == "other" and form.head_dim is None]
        forms = [replace(form, family="none") if form in unseen else form for form in forms]
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
