"""Laws about modules: checkpoints, copies, gradients, compilers."""

from __future__ import annotations

import copy
import io
import pickle

import torch
from torch import Tensor

from clockhands.conformance.broken import LawBroken
from clockhands.conformance.subject import Subject, require_same
from clockhands.core.attend import attend, enter
from clockhands.core.encoding import Encoding


def state_holds_parameters_only(subject: Subject) -> None:
    """``state_dict`` holds what training changes and nothing fixed."""
    encoding = subject.encoding()
    trained = {name for name, parameter in encoding.named_parameters() if parameter.requires_grad}
    fixed = sorted(set(encoding.state_dict()) - trained)
    if fixed:
        raise LawBroken(
            f"its checkpoints hold fixed numbers ({', '.join(fixed)}): keep them with self.fix(name, values)",
            f"它的检查点里有固定的数（{'、'.join(fixed)}）：请用 self.fix(name, values) 保存",
        )
    if trained and not encoding.traits.learned:
        raise LawBroken(
            f"it trains {', '.join(sorted(trained))}, but its traits say that nothing is learned",
            f"它有可训练的 {'、'.join(sorted(trained))}，但 traits 里写着没有要学的参数",
        )


def defaults_build_it(subject: Subject) -> None:
    """It can be made without arguments, from its description if it has one: lists and pages do so."""
    encoding = subject.encoding()
    arguments = () if encoding.description is None else (type(encoding.description),)
    try:
        _ = type(encoding)(*(description() for description in arguments))
    except TypeError as error:
        raise LawBroken(
            f"it can't be made from defaults ({error}): give every parameter one",
            f"不能用默认参数创建它（{error}）：请给每个参数一个默认值",
        ) from error


def copies_are_alike(subject: Subject) -> None:
    """deepcopy, pickle, a visit to half precision and to the meta device leave its numbers as they were."""
    encoding = subject.encoding()
    state = encoding.state_dict()
    x, positions = subject.tokens(encoding), subject.positions(encoding)
    wanted = subject.output(encoding, x, positions)
    for name, made in _copies(subject, encoding):
        # Parameters may have been rounded or emptied on the way; fixed tables may not.
        made.double().load_state_dict(state, strict=False)
        require_same(
            subject.output(made, x, positions), wanted,
            f"after {name} it computes something else",
            f"经过 {name} 之后，它的计算结果变了",
        )  # fmt: skip


def _copies(subject: Subject, encoding: Encoding) -> list[tuple[str, Encoding]]:
    buffer = io.BytesIO()
    try:
        pickle.dump(encoding, buffer)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise LawBroken(f"it can't be pickled ({error})", f"它不能用 pickle 保存（{error}）") from error
    buffer.seek(0)
    with torch.device("meta"):
        empty = subject.factory()
    return [
        ("deepcopy", copy.deepcopy(encoding)),
        ("pickle", pickle.load(buffer)),  # noqa: S301 (made three lines above)
        (".to('cpu')", copy.deepcopy(encoding).to("cpu")),
        (".half() and .double()", copy.deepcopy(encoding).half().double()),
        (".bfloat16() and .double()", copy.deepcopy(encoding).bfloat16().double()),
        ("the meta device and to_empty", empty.to_empty(device="cpu").eval()),
    ]


def gradient_reaches_all(subject: Subject) -> None:
    """A gradient, finite and not zero, reaches the tokens and every parameter."""
    encoding = subject.encoding()
    x = subject.tokens(encoding).requires_grad_()
    output = subject.output(encoding, x, subject.positions(encoding))
    (output * torch.linspace(-1, 1, output.numel(), dtype=output.dtype).view_as(output)).sum().backward()  # pyright: ignore[reportUnknownMemberType] (untyped in torch)
    for name, tensor in (("the tokens", x), *encoding.named_parameters()):
        gradient = tensor.grad
        if gradient is None or not gradient.isfinite().all() or not gradient.any():
            raise LawBroken(
                f"no useful gradient reaches {name}: is something detached, unused, or not finite?",
                f"{name} 得不到有用的梯度：是不是被截断、没有用到，或者不是有限的数？",
            )


def inputs_stay_untouched(subject: Subject) -> None:
    """No hook writes into what it is given."""
    encoding = subject.encoding()
    x, positions = subject.tokens(encoding), subject.positions(encoding).clone()
    places = encoding.place(positions, None, None)
    with torch.no_grad():
        hidden = encoding.embed(x, places)
        table = encoding.table(places)
        q, k, _ = subject.heads(hidden)
        steps = (
            ("place", (positions,), lambda: encoding.place(positions, None, None)),
            ("embed", (x, places), lambda: encoding.embed(x, places)),
            ("table", (places,), lambda: encoding.table(places)),
            ("queries", (q,), lambda: encoding.queries(q, table)),
            ("keys", (k,), lambda: encoding.keys(k, table)),
            ("annotate", (hidden,), lambda: encoding.annotate(hidden)),
            ("attend", (x, positions), lambda: subject.output(encoding, x, positions)),
        )
        for hook, inputs, call in steps:
            before = [tensor.clone() for tensor in inputs]
            call()
            if not all(torch.equal(old, new) for old, new in zip(before, inputs, strict=True)):
                raise LawBroken(
                    f"{hook} writes into its input: make a new tensor instead",
                    f"{hook} 改写了传入的张量：请另建一个新的",
                )


def compiles_to_one_graph(subject: Subject) -> None:
    """``torch.compile`` traces it whole (by the backend that only traces), and nothing changes."""
    from torch._dynamo.exc import TorchDynamoException  # a second's worth of imports

    encoding = subject.encoding()
    x, positions = subject.tokens(encoding), subject.positions(encoding)
    projections = subject.projections()

    def run(x: Tensor, positions: Tensor) -> Tensor:
        hidden, (placed,) = enter([encoding], x, positions)
        q, k, v = subject.heads(hidden, projections)
        return attend(placed, q, k, v, x=hidden).output

    torch.compiler.reset()
    try:
        with torch.no_grad():
            got = torch.compile(run, backend="eager", fullgraph=True)(x, positions)  # pyright: ignore[reportUnknownMemberType] (untyped in torch)
    except TorchDynamoException as error:
        reason = str(error).splitlines()[0]
        raise LawBroken(
            f"torch.compile can't trace it as one graph: {reason}",
            f"torch.compile 不能把它作为一个完整的图：{reason}",
        ) from error
    finally:
        torch.compiler.reset()
    require_same(got, run(x, positions), "compiled, it computes something else", "编译后计算结果变了")
