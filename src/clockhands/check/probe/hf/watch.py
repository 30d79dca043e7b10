"""Watching a transformers model attend: queries, keys, scales and biases as they are when positions are in
them.

Where a model goes through the attention interface, a function of our own stands in for its attention. Where
it
doesn't, a torch function mode sees the products and the softmax of whatever code it has.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from clockhands.check.probe.hf.factors import factors

NAME = "clockhands-probe"
"""What the library's interfaces know the watching functions as."""

HIDDEN = -1e4
"""Logits below it come from a mask, not from a bias."""

Content = Callable[[Tensor], Tensor]
"""What attention is fed in place of the hidden states ``(b, t, d)`` that it would have got."""

_WATCH: ContextVar[Watch | None] = ContextVar("clockhands_probe_watch", default=None)


@dataclass
class Layer:
    """One call of an element of a list of modules that is not within another such call."""

    path: str
    entered: Tensor | None = None
    left: Tensor | None = None
    attended: list[Seen] = field(default_factory=list)


@dataclass
class Seen:
    """One call of attention.

    q, k     ``(b, h, t, hd)``, ``(b, hk, tk, hd)`` after position was applied
    scaling  that the scores are multiplied by, None where the code was not told (see ``logits``)
    bias     added to the scores, ``(b or 1, h or 1, t, tk)``: masks and biases together
    logits   ``(b, h, t, tk)`` what the softmax was given, where that was seen
    inner    outputs of the modules within, in the order in which they ran
    """

    module: nn.Module
    q: Tensor | None
    k: Tensor | None
    scaling: float | None = None
    bias: Tensor | None = None
    logits: Tensor | None = None
    inner: tuple[Tensor, ...] = ()
    mask_code: int | None = None
    products: int = 0


@dataclass
class Run:
    """What one forward pass showed."""

    layers: list[Layer] = field(default_factory=list)
    masks: dict[int, Callable[..., Any]] = field(default_factory=dict)


@dataclass(eq=False)
class Watch:
    """Hooks on a model that is the probe's own copy; ``run`` calls it and tells what attention saw."""

    model: nn.Module
    content: Content | None = None
    entering: Content | None = None
    """What layers are fed, whatever those before them gave."""
    mute: bool = False
    """Whether attention gives zeros, so that only what is beside it is left."""
    targets: dict[nn.Module, None] = field(default_factory=dict)
    running: list[nn.Module] = field(default_factory=list)
    current: Run = field(default_factory=Run)
    depth: int = 0
    inner: dict[nn.Module, list[Tensor]] = field(default_factory=dict)
    products: list[tuple[Tensor, Tensor, Tensor, float]] = field(default_factory=list)
    keep_inner: bool = False
    before: int = 0
    """Tokens that the model puts before the text by itself."""
    interface: bool = False
    """Whether anything has come through the library's attention interface."""
    uncalled: bool = False
    """Whether layers are told by what runs within them: some code calls ``layer.forward``, which no hook
    sees."""
    count: int = 0
    """Tokens of the text that is running."""

    @contextmanager
    def hooks(self) -> Iterator[None]:
        """All hooks, for as long as the context lasts."""
        listed = {
            id(each): f"{path}.{n}" if path else str(n)
            for path, module in self.model.named_modules()
            if isinstance(module, nn.ModuleList)
            for n, each in enumerate(module)
        }
        with ExitStack() as stack:
            for module in self.model.modules():
                stack.callback(
                    module.register_forward_pre_hook(self._before(listed), with_kwargs=True).remove
                )
                stack.callback(module.register_forward_hook(self._after(listed), always_call=True).remove)
            token = _WATCH.set(self)
            stack.callback(_WATCH.reset, token)
            yield

    def run(
        self, call: Callable[[nn.Module], Any], content: Content | None = None, inner: bool = False
    ) -> Run:
        """One forward pass; attention modules known by now are fed ``content``, where there is any."""
        self.content, self.keep_inner = content, inner
        self.current, self.depth, self.count = Run(), 0, 0
        for each in (self.running, self.products, self.inner):
            each.clear()
        with self.hooks(), Products(self):
            call(self.model)
        self.current.layers = [each for layer in self.current.layers for each in self._apart(layer)]
        return self.current

    def _apart(self, layer: Layer) -> list[Layer]:
        """A layer that holds a list of attentions, run one after another, is as many layers."""
        listed = {
            id(module): path
            for path, module in self.model.named_modules()
            if path.startswith(layer.path + ".")
        }
        paths = [listed.get(id(seen.module), "") for seen in layer.attended]
        if len(set(paths)) < 2 or not all(path.rpartition(".")[2].isdigit() for path in paths):
            return [layer]
        return [
            replace(
                layer,
                path=path,
                attended=[seen for seen, its in zip(layer.attended, paths, strict=True) if its == path],
            )
            for path in dict.fromkeys(paths)
        ]

    def _before(self, listed: dict[int, str]) -> Callable[..., Any]:
        home = _homes(self.model, set(listed.values())) if self.uncalled else {}

        def hook(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            if module is self.model and isinstance(kwargs.get("input_ids"), Tensor):
                self.count = kwargs["input_ids"].shape[-1]
            self.running.append(module)
            if id(module) in home:
                layers = self.current.layers
                if not layers or layers[-1].path != home[id(module)]:
                    layers.append(Layer(home[id(module)], _hidden(args, kwargs)))
            if id(module) in listed:
                self.depth += 1
                if self.depth == 1:
                    self.current.layers.append(Layer(listed[id(module)], _hidden(args, kwargs)))
                    if self.entering is not None:
                        return _fed(args, kwargs, self.entering, self.count)
            if module in self.targets:
                self.inner[module] = []
                self.products.clear()
                if self.content is not None:
                    return _fed(args, kwargs, self.content, self.count)
            return None

        return hook

    def _after(self, listed: dict[int, str]) -> Callable[..., Any]:
        def hook(module: nn.Module, args: tuple[Any, ...], output: Any) -> None:
            if self.running and self.running[-1] is module:
                self.running.pop()
            if id(module) in listed:
                self.depth -= 1
                if self.depth == 0 and self.mute:
                    whole = output if isinstance(output, tuple | list) else (output,)
                    self.current.layers[-1].left = _hidden(tuple(whole), {})
            if self.keep_inner and isinstance(output, Tensor) and output.is_floating_point():
                for each in reversed(self.running):
                    if each in self.inner:
                        self.inner[each].append(output.detach())
                        break

        return hook

    def note(self, seen: Seen) -> None:
        """Keep one call of attention with the layer that is running."""
        seen.inner = tuple(self.inner.get(seen.module, ()))
        self.targets.setdefault(seen.module)
        if (self.depth or self.uncalled) and self.current.layers:
            self.current.layers[-1].attended.append(seen)

    def owner(self) -> nn.Module | None:
        """The innermost running module that has weights: an ``nn.Softmax`` has none."""
        for module in reversed(self.running):
            if next(module.parameters(), None) is not None:
                return module
        return None


class Products(TorchFunctionMode):
    """Sees products of queries and keys, and the softmax over them; makes ``detach`` do nothing."""

    def __init__(self, watch: Watch):
        super().__init__()
        self.watch = watch

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name == "detach" and torch.is_grad_enabled():
            return args[0]
        if name == "full" and "dtype" not in kwargs and len(args) > 1 and isinstance(args[1], float):
            # The lowest number of float64, written for a model of another dtype, is none of float32.
            args = (args[0], max(min(args[1], 3e38), -3e38), *args[2:])
        output = func(*args, **kwargs)
        if name in ("matmul", "__matmul__", "bmm", "baddbmm", "einsum"):
            found = factors(name, args, kwargs)
            if found is not None and isinstance(output, Tensor) and output.ndim >= 3:
                self.watch.products.append((found[0].detach(), found[1].detach(), output.detach(), found[2]))
        elif name in ("softmax", "_softmax") and isinstance(args[0], Tensor):
            seen = self._softmax(args[0])
            return torch.zeros_like(output) if self.watch.mute and seen else output
        elif name == "scaled_dot_product_attention":
            self._whole(*args, **kwargs)
            return torch.zeros_like(output) if self.watch.mute else output
        return output

    def _softmax(self, logits: Tensor) -> bool:
        """Whether it was one over products of queries and keys."""
        owner = self.watch.owner()
        if owner is None or logits.ndim < 3:
            return False
        logits = logits.detach()
        fitting = [each for each in self.watch.products if each[2].numel() == logits.numel()]
        q = k = None
        if fitting:
            q, k = fitting[0][0], fitting[0][1]
        seen = Seen(module=owner, q=q, k=k, logits=logits, products=len(fitting))
        self.watch.note(seen)
        self.watch.products.clear()
        return bool(fitting)

    def _whole(
        self, query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None,
        dropout_p: float = 0.0, is_causal: bool = False, scale: float | None = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        owner = self.watch.owner()
        if owner is None:
            return
        if isinstance(attn_mask, Tensor) and attn_mask.dtype == torch.bool:
            attn_mask = torch.zeros_like(attn_mask, dtype=query.dtype).masked_fill(~attn_mask, -torch.inf)
        if is_causal and attn_mask is None:
            t, tk = query.shape[-2], key.shape[-2]
            attn_mask = torch.full((1, 1, t, tk), -torch.inf, dtype=query.dtype).triu(1)
        times = float(query.shape[-1]) ** -0.5 if scale is None else float(scale)
        self.watch.note(Seen(owner, query.detach(), key.detach(), times, attn_mask))


def attention(
    module: nn.Module, query: Tensor, key: Tensor, value: Tensor, attention_mask: Any = None, *args: Any,
    scaling: float | None = None, **kwargs: Any,
) -> tuple[Tensor, None]:  # fmt: skip
    """What the interface calls: notes what it sees and gives every query the mean of the values."""
    watch = _WATCH.get()
    if watch is not None:
        watch.interface = True
        bias, code = None, None
        extra = [each for name, each in kwargs.items() if _is_bias(each, query, key)]
        if _is_bias(attention_mask, query, key) and attention_mask.is_floating_point():
            code = _code(attention_mask)
        for each in [attention_mask, *extra]:
            if _is_bias(each, query, key):
                each = each.detach()
                if each.dtype == torch.bool:
                    each = torch.zeros_like(each, dtype=query.dtype).masked_fill(~each, -torch.inf)
                bias = each if bias is None else bias + each
        if bias is not None and code is not None:
            bias = bias.clone()
            bias[..., 0, 0] -= code * 2.0**-30
        scaling = query.shape[-1] ** -0.5 if scaling is None else float(scaling)
        watch.note(Seen(module, query.detach(), key.detach(), scaling, bias, mask_code=code))
    groups = query.shape[1] // value.shape[1]
    # What attends to other states of the same token, as over the depth, mixes no tokens.
    if watch is not None and watch.mute and query.shape[1] != watch.count:
        value = torch.zeros_like(value)
    mean = value.mean(2, keepdim=True).repeat_interleave(groups, 1).expand(-1, -1, query.shape[2], -1)
    return mean.transpose(1, 2).contiguous(), None


def mask(*args: Any, **kwargs: Any) -> Tensor | None:
    """What the mask interface calls: the library's additive mask, whose corner says which rule made it."""
    from transformers.masking_utils import eager_mask

    names = list(inspect.signature(eager_mask).parameters)
    kwargs = {**dict(zip(names, args, strict=False)), **kwargs}
    # A text shorter than the window would get no mask at all.
    kwargs["allow_is_bidirectional_skip"] = False
    made = eager_mask(**kwargs)
    watch = _WATCH.get()
    if watch is None or made is None:
        return made
    code = len(watch.current.masks) + 1
    watch.current.masks[code] = kwargs.get("mask_function")  # type: ignore[assignment]
    made = made.clone()
    made[..., 0, 0] = made[..., 0, 0] + code * 2.0**-30
    return made


def _code(mask: Tensor) -> int | None:
    corner = float(mask[0, 0, 0, 0]) * 2.0**30
    return int(corner) if 0 < corner < 2**10 and corner == math.floor(corner) else None


def _is_bias(each: Any, q: Tensor, k: Tensor) -> bool:
    return (
        isinstance(each, Tensor)
        and each.ndim == 4
        and each.shape[-1] == k.shape[2]
        and each.shape[-2] in (1, q.shape[2])
        and each.shape[1] in (1, q.shape[1])
    )


def _hidden(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor | None:
    for each in (*args, *kwargs.values()):
        if isinstance(each, Tensor) and each.ndim == 3 and each.is_floating_point():
            return each
    return None


def texts(hidden: Tensor, count: int) -> Tensor:
    """``(b, t, d)`` of what may be ``(b, d, t)``, as convolutions have it; its own inverse."""
    channels_first = hidden.ndim == 3 and hidden.shape[-1] == count != hidden.shape[1]
    return hidden.transpose(1, 2) if channels_first else hidden


def _homes(model: nn.Module, listed: set[str]) -> dict[int, str]:
    """Of the modules within elements of lists, the outermost such element."""
    found: dict[int, str] = {}
    for path, module in model.named_modules():
        parts = path.split(".")
        above = (".".join(parts[:n]) for n in range(1, len(parts)))
        home = next((each for each in above if each in listed), None)
        if home is not None:
            found[id(module)] = home
    return found


def _fed(args: tuple[Any, ...], kwargs: dict[str, Any], content: Content, count: int) -> tuple[Any, Any]:
    args, kwargs = list(args), dict(kwargs)  # type: ignore[assignment]
    first = _hidden(tuple(args), kwargs)
    if first is None:
        return tuple(args), kwargs
    # The same tensor may be given twice (queries and keys of one text); all of its places are fed alike.
    turned = texts(first, count)
    made = content(turned)
    made = made if turned is first else made.transpose(1, 2)
    args = tuple(made if each is first else each for each in args)
    return args, {name: made if each is first else each for name, each in kwargs.items()}


def register() -> None:
    """Make the name known to both interfaces; doing it again changes nothing."""
    from transformers import AttentionInterface, AttentionMaskInterface

    AttentionInterface.register(NAME, attention)
    AttentionMaskInterface.register(NAME, mask)
