"""The layers of a GGUF file in the normal form: its values, over what llama.cpp does by architecture."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from clockhands.check.form import LayerForm, Layout, merged
from clockhands.check.read import gguf_kinds as kinds
from clockhands.check.read.gguf_values import Values
from clockhands.check.read.gguf_windows import is_windowed, turns_nothing, window_kind, window_of, windows_of
from clockhands.check.read.llama_turning import Scaling, Turning, sharpness, with_turning
from clockhands.check.saying import number
from clockhands.formulas.slopes import alibi_slopes
from clockhands.language import Text


@dataclass(frozen=True)
class Positions:
    """Tensors of a file that say something of positions.

    divisors      flat arrays by name: ``rope_freqs`` and the two lists of LongRoPE
    table_rows    of ``position_embd``, None where there is none
    """

    divisors: Mapping[str, np.ndarray]
    table_rows: int | None = None


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """Sizes of the model; None where the file doesn't say them."""

    layers: int
    hidden: int | None
    heads: int | None
    head_dim: int | None
    context: int | None


def sizes_of(v: Values) -> Sizes:
    """What the file says of its sizes."""
    hidden, heads = v.whole("embedding_length"), v.whole("attention.head_count")
    width = v.whole("attention.key_length_mla", most=2**16) or v.whole("attention.key_length", most=2**16)
    if width is None and hidden and heads:
        width = hidden // heads
    return Sizes(
        layers=v.whole("block_count", most=MOST_LAYERS) or 1,
        hidden=hidden,
        heads=heads if heads is None or heads <= MOST_HEADS else None,
        head_dim=width,
        context=v.whole("context_length"),
    )


MOST_LAYERS, MOST_HEADS = 512, 2**16


def forms_of(v: Values, sizes: Sizes, positions: Positions) -> tuple[LayerForm, ...]:
    """Forms by kind of layer; ``v.found`` holds what is wrong."""
    arch, every = v.arch, tuple(range(sizes.layers))
    if arch in ("t5", "t5encoder"):
        return _t5(v, sizes)
    if arch in kinds.RECURRENT:
        return (LayerForm(layers=every, family="none", mixer="other"),)
    forms: list[LayerForm] = []
    if positions.table_rows is not None or arch in kinds.LEARNED:
        rows = positions.table_rows or sizes.context
        scale = scale_of(v, sizes)
        forms.append(
            LayerForm(
                layers=every, family="learned", head_dim=sizes.hidden, rows=rows, offset=0, score_scale=scale
            )
        )
    steepest = _steepest(v, sizes)
    if steepest:
        forms.append(_alibi(v, sizes, steepest))
    elif arch not in kinds.LEARNED and not (forms and kinds.KINDS.get(arch) == "none"):
        forms.extend(_attention(v, sizes, positions, layer) for layer in every)
    return merged(forms)


def _attention(v: Values, sizes: Sizes, positions: Positions, layer: int) -> LayerForm:
    """What one layer does that may turn its q and k."""
    if _recurs(v, sizes, layer):
        return LayerForm(layers=(layer,), family="none", mixer="other")
    windows = windows_of(v, sizes.layers)
    windowed = is_windowed(v, windows, layer, sizes.layers)
    width = sizes.head_dim
    if windowed:
        width = v.whole("attention.key_length_swa", most=2**16) or width
    form = LayerForm(
        layers=(layer,),
        family="none",
        head_dim=width,
        score_scale=scale_of(v, replace(sizes, head_dim=width)),
        window=window_of(v, windows) if windowed else None,
        window_kind=window_kind(windows) if windowed else None,
    )
    kind = pairs_of(v)
    if kind == "none" or turns_nothing(v, windows, layer, windowed=windowed):
        return form
    turning = turning_of(v, sizes, positions, width, layer=layer, windowed=windowed)
    layout: Layout | None = None if kind is None else "interleaved" if kind == "interleaved" else "half"
    form = replace(form, family="rope", layout=layout)
    if turning is None:
        return form
    whole = turning.rotary_dim == width
    # latent attention turns the end of a head
    end = (v.has("attention.kv_lora_rank") or v.arch in kinds.ENDS_TURN) and not whole
    sections = _sections(v, turning.rotary_dim) if kind in ("mrope", "imrope") else None
    return replace(
        with_turning(form, turning.at(None)),
        score_scale=_sharpened(v, form.score_scale, turning),
        rotary_dims="whole" if whole else "suffix" if end else "prefix",
        mrope_section=sections,
        mrope_interleaved=None if sections is None else kind == "imrope",
    )


def pairs_of(v: Values) -> kinds.PairKind | None:
    """How dimensions pair up; None where the architecture isn't known."""
    if v.arch in kinds.BY_SECTIONS:
        sections = v.raw("rope.dimension_sections")
        said = isinstance(sections, tuple) and len(sections) > 1 and all(each > 0 for each in sections[:2])
        return "mrope" if said else kinds.BY_SECTIONS[v.arch]
    return kinds.KINDS.get(v.arch)


def turning_of(
    v: Values, sizes: Sizes, positions: Positions, width: int | None, *, layer: int, windowed: bool
) -> Turning | None:
    """How one layer turns; None where the file doesn't determine it."""
    suffix = "_swa" if windowed else ""
    turned = v.whole(f"rope.dimension_count{suffix}", most=2**16) or v.whole(
        "rope.dimension_count", most=2**16
    )
    turned = width if turned is None else turned
    if turned is not None and v.arch in kinds.HALF_TURNED and not windowed:
        turned //= 2
    base = v.positive("rope.freq_base") or (None if v.has("rope.freq_base") else 10000.0)
    pattern = kinds.WINDOWS.get(v.arch)
    if windowed and pattern is not None:
        own = v.positive("rope.freq_base_swa")
        base = own or pattern.own_base or base
    if turned is None or base is None or not _fits(v, turned, width):
        return None
    told = v.text("rope.scaling.type")
    scaling: Scaling = (
        "linear" if told is None else told if told in ("none", "linear", "yarn", "longrope") else "none"
    )
    if told is not None and told != scaling:
        v.bad("rope.scaling.type", Text("none, linear, yarn or longrope", "none、linear、yarn 或 longrope"))
    factor = v.positive("rope.scaling.factor") or v.positive("rope.scale_linear") or 1.0
    heard = v.arch in kinds.YARN_READERS
    multiplier = _multiplier(v)
    turning = Turning(
        rotary_dim=turned,
        theta=base,
        scaling=scaling,
        factor=factor,
        original=_original(v, sizes, scaling),
        attention=v.positive("rope.scaling.attn_factor") or 1.0,
        beta_fast=(v.positive(BETA_FAST) if heard else None) or (8.0 if v.arch == "grok" else 32.0),
        beta_slow=(v.positive(BETA_SLOW) if heard else None) or 1.0,
        mscale=multiplier if multiplier and v.arch in kinds.OWN_MSCALE else 1.0,
        log_multiplier=multiplier,
        ext_factor=v.number("rope.scaling.yarn_ext_factor") if v.arch == "grok" else None,
    )
    if v.arch in kinds.BY_RATIO:
        ratios = v.by_layer("attention.compress_ratios", sizes.layers)
        if ratios is None or not ratios[layer]:
            return replace(turning, scaling="none", factor=1.0, attention=1.0)
        own = v.positive("attention.compress_rope_freq_base")
        return replace(turning, theta=own or base, attention=1.0, mscale=0.0)
    if windowed and pattern is not None and pattern.unscaled:
        attention = 1.0 if pattern.follows == "base" else turning.attention
        return replace(turning, factor=1.0, divisors=None, attention=attention)
    return _divided(v, turning, positions)


BETA_FAST, BETA_SLOW = "rope.scaling.yarn_beta_fast", "rope.scaling.yarn_beta_slow"


def _multiplier(v: Values) -> float:
    """``mscale_all_dim`` of YaRN, where llama.cpp reads it; else 0."""
    times = kinds.LOG_MULTIPLIER.get(v.arch)
    return 0.0 if times is None else times * (v.number("rope.scaling.yarn_log_multiplier") or 0.0)


def _sharpened(v: Values, scale: float | None, turning: Turning) -> float | None:
    """The scale of scores with YaRN's magnitude, where latent attention squares it in."""
    if v.arch not in kinds.MSCALE_IN_SCALE or scale is None:
        return scale
    sharp = sharpness(turning)
    scale *= sharp * sharp  # not ** 2, which raises where it overflows
    return scale if math.isfinite(scale) else None


def _divided(v: Values, turning: Turning, positions: Positions) -> Turning:
    def told(name: str) -> tuple[float, ...] | None:
        array = positions.divisors.get(name)
        if array is None or array.shape != (turning.rotary_dim // 2,):
            return None
        return tuple(float(each) for each in array) if (np.isfinite(array) & (array > 0)).all() else None

    every, short, long = told("rope_freqs"), told("rope_factors_short"), told("rope_factors_long")
    if every is None and short is not None and long is not None:
        promised, trained = v.whole("context_length"), turning.original
        ratio = promised / trained if promised and trained else 1.0
        return replace(turning, short_divisors=short, long_divisors=long, scaling="longrope", extension=ratio)
    return replace(turning, divisors=every)


def _original(v: Values, sizes: Sizes, scaling: Scaling) -> int | None:
    given = v.whole("rope.scaling.original_context_length")
    return given if given is not None or scaling in ("none", "linear") else sizes.context


def _fits(v: Values, turned: int, width: int | None) -> bool:
    if turned % 2 or (width is not None and turned > width):
        bound = 2**16 if width is None else width
        v.bad(
            "rope.dimension_count",
            Text(
                f"even and no more than the width of the head, {number(bound)}",
                f"不超过头宽 {number(bound)} 的偶数",
            ),
        )
        return False
    if v.arch in kinds.FULL_WIDTH and width is not None and turned != width:
        v.bad(
            "rope.dimension_count",
            Text(f"the width of the head, {width}: llama.cpp loads no {v.arch} otherwise",
                 f"头宽 {width}：否则 llama.cpp 不加载 {v.arch} 架构"),
        )  # fmt: skip
    return True


def _sections(v: Values, turned: int) -> tuple[int, ...] | None:
    raw = v.raw("rope.dimension_sections")
    if not isinstance(raw, tuple) or not raw or not all(isinstance(each, int) and each >= 0 for each in raw):
        v.bad("rope.dimension_sections", Text("a list of whole numbers", "整数列表"))
        return None
    if sum(raw) != turned // 2:
        rule = Text(
            f"a list that adds up to {turned // 2}, the number of hands",
            f"总和为 {turned // 2} 的列表，即指针数",
        )
        v.bad("rope.dimension_sections", rule)
    axes = tuple(raw)
    while len(axes) > 1 and axes[-1] == 0:
        axes = axes[:-1]
    return axes


def _recurs(v: Values, sizes: Sizes, layer: int) -> bool:
    """Whether this layer is no attention."""
    if v.arch in kinds.FULL_EVERY:
        every = v.whole("full_attention_interval", most=MOST_LAYERS) or kinds.FULL_EVERY[v.arch]
        return (layer + 1) % every != 0
    heads = v.by_layer("attention.head_count_kv", sizes.layers)
    return heads is not None and heads[layer] == 0


def scale_of(v: Values, sizes: Sizes) -> float | None:
    """What scores are multiplied by, before any magnitude of YaRN."""
    if v.arch in kinds.UNSCALED:
        return 1.0
    told = v.positive("attention.scale") or (
        v.positive("attention.output_scale") if v.arch == "grok" else None
    )
    if told is not None:
        return told
    width = sizes.head_dim
    if kinds.WIDE_SCALE.get(v.arch) == sizes.layers and sizes.hidden and sizes.heads:
        width = sizes.hidden // sizes.heads
    if not width:
        return None
    return width**-0.5


def _steepest(v: Values, sizes: Sizes) -> float | None:
    """Largest exponent of ALiBi's slopes; None or 0 where there is no ALiBi."""
    if kinds.ALIBI_BY_LAYERS.get(v.arch) == sizes.layers:
        return 8.0
    if v.arch in kinds.ALIBI:
        return kinds.ALIBI[v.arch]
    return v.positive("attention.max_alibi_bias") if v.arch in ("mpt", "jais") and v.raw(BIAS) != 0 else None


BIAS = "attention.max_alibi_bias"


def _alibi(v: Values, sizes: Sizes, steepest: float) -> LayerForm:
    slopes = None
    if sizes.heads:
        slopes = tuple(math.pow(float(each), steepest / 8) for each in np.asarray(alibi_slopes(sizes.heads)))
    return LayerForm(
        layers=tuple(range(sizes.layers)),
        family="alibi",
        head_dim=sizes.head_dim,
        slopes=slopes,
        bidirectional=v.arch in kinds.BIDIRECTIONAL,
        score_scale=scale_of(v, sizes),
    )


def _t5(v: Values, sizes: Sizes) -> tuple[LayerForm, ...]:
    encoder = LayerForm(
        layers=tuple(range(sizes.layers)),
        family="t5",
        stack=None if v.arch == "t5encoder" else "encoder",
        head_dim=sizes.head_dim,
        num_buckets=v.whole("attention.relative_buckets_count", most=2**16),
        max_distance=kinds.T5_DISTANCE,
        bidirectional=True,
        score_scale=1.0,
    )
    if v.arch == "t5encoder":
        return (encoder,)
    count = v.whole("decoder_block_count", most=MOST_LAYERS) or sizes.layers
    return (encoder, replace(encoder, layers=tuple(range(count)), stack="decoder", bidirectional=False))
