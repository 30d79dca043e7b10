"""Watching a transformers model attend: queries, keys, scales and biases as they are when positions are in
them.

Where a model goes through the attention interface, a function of our own stands in for its attention. Where
it
doesn't, a torch function mode sees the products and the softmax of whatever code it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

from torch import Tensor, nn

from clockhands.check.probe.hf.products import Products
from clockhands.check.probe.hf.refusal import Refusal
from clockhands.check.probe.hf.seen import Layer, Run, Seen

Content = Callable[[Tensor], Tensor]
"""What attention is fed in place of the hidden states ``(b, t, d)`` that it would have got."""

WATCHING: ContextVar[Watch | None] = ContextVar("clockhands_probe_watch", default=None)


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
    left_out: dict[str, str] = field(default_factory=dict)
    """What could not be looked at, and what the model said to it."""
    fault: Exception | None = None
    """What code of our own raised in the middle of the model's."""

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
            token = WATCHING.set(self)
            stack.callback(WATCHING.reset, token)
            yield

    def run(
        self, call: Callable[[nn.Module], Any], content: Content | None = None, inner: bool = False
    ) -> Run:
        """One forward pass; attention modules known by now are fed ``content``, where there is any.

        Raises ``Refusal`` where the model's code raises; what our own raises stays what it is.
        """
        self.content, self.keep_inner = content, inner
        self.current, self.depth, self.count, self.fault = Run(), 0, 0, None
        for each in (self.running, self.products, self.inner):
            each.clear()
        with self.hooks(), Products(self):
            try:
                call(self.model)
            except Exception as error:  # other people's code may raise anything
                if self.fault is None:
                    raise error if isinstance(error, Refusal) else Refusal(error) from error
        if self.fault is not None:  # even where the model's code went on
            raise self.fault
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

    @contextmanager
    def ours(self) -> Iterator[None]:
        """Around our own code, called from within the model's."""
        try:
            yield
        except Exception as error:
            self.fault = self.fault or error
            raise

    def _before(self, listed: dict[int, str]) -> Callable[..., Any]:
        home = _homes(self.model, set(listed.values())) if self.uncalled else {}

        def hook(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            with self.ours():
                return entering(module, args, kwargs)

        def entering(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
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
            with self.ours():
                leaving(module, output)

        def leaving(module: nn.Module, output: Any) -> None:
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
