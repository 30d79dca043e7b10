"""Claims about knowing order without any positional encoding (NoPE), in a small attention of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from clockhands import plots
from clockhands.analysis.axes import position_axis
from clockhands.analysis.labelled import NOTHING, Labelled
from clockhands.claims.claim import Claim, Number, Verdict, figure, judged
from clockhands.language import Text
from clockhands.plots import Picture

COUNT, WIDTH, LAYERS = 24, 16, 2
NOTE = Text("random weights, seed 0", "随机权重，随机种子 0")


def attend(x: np.ndarray, causal: bool, seed: int = 0) -> np.ndarray:
    """Two layers of attention with random weights, residual and no positions, ``(n, width)``."""
    generator = np.random.default_rng(seed)
    for _ in range(LAYERS):
        to_q, to_k, to_v = generator.normal(size=(3, WIDTH, WIDTH)) / np.sqrt(WIDTH)
        x = x + weights(x @ to_q, x @ to_k, causal) @ (x @ to_v)
    return x


def weights(q: np.ndarray, k: np.ndarray, causal: bool) -> np.ndarray:
    """Softmax of the scaled dot products, ``(n, n)``."""
    logits = q @ k.T / np.sqrt(q.shape[1])
    if causal:
        logits = np.where(np.tri(len(logits), dtype=bool), logits, -np.inf)
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)


def _tokens() -> np.ndarray:
    return np.random.default_rng(1).normal(size=(COUNT, WIDTH))


def _changes(causal: bool) -> np.ndarray:
    """How much the output of each token changes when all tokens but the last are turned round, ``(n,)``."""
    order = np.append(np.arange(COUNT - 1)[::-1], COUNT - 1)
    tokens = _tokens()
    return np.linalg.norm(attend(tokens[order], causal)[np.argsort(order)] - attend(tokens, causal), axis=1)


def _no_order() -> Verdict:
    masked, free = (float(_changes(causal)[-1]) for causal in (True, False))
    return judged(
        masked < 1e-9 and free < 1e-9,
        Text(
            f"Turn round all tokens but the last: without a mask its output changes by {figure(free)}, "
            "that is not at "
            f"all; with a causal mask, after two layers, by {figure(masked)}. A causal mask alone tells "
            "order; a model "
            "that sees both ways, such as BERT, needs an encoding.",
            f"把最后一个以外的词元全部倒过来：没有掩码时，最后一个的输出只变了 {figure(free)}，等于没变；"
            f"有因果掩码时，两层之后变了 {figure(masked)}。光有因果掩码就能知道顺序；"
            "BERT 这类双向模型则必须有位置编码。",
        ),
        Number(Text("change without a mask", "无掩码时的变化"), free),
        Number(Text("change with a causal mask", "有因果掩码时的变化"), masked),
        condition=Text("without a causal mask", "没有因果掩码"),
        holds_then=free < 1e-9,
    )


def _draw_changes(**page: Any) -> Picture:
    places = (position_axis(np.arange(COUNT)),)
    names = ((True, Text("causal mask", "因果掩码")), (False, Text("no mask", "无掩码")))
    lines = [Labelled("change", name, _changes(causal), places, NOTHING, NOTE) for causal, name in names]
    says = Text(
        "Change of each token's output when all tokens but the last are turned round.",
        "把最后一个以外的词元全部倒过来时，每个词元的输出的变化。",
    )
    return plots.curves(lines, says=says, measured=Text("change of the output", "输出的变化"), **page)


def _outputs(marked: bool) -> np.ndarray:
    """Outputs of one token repeated, ``(n, width)``; ``marked``: the first is another one."""
    token, first = _tokens()[:2]
    x = np.tile(token, (COUNT, 1))
    if marked:
        x[0] = first
    return attend(x, causal=True)


def _constant() -> Verdict:
    same = float(np.ptp(_outputs(False), axis=0).max())
    told = float(np.ptp(_outputs(True)[1:], axis=0).max())
    even = weights(np.zeros((COUNT, 1)), np.zeros((COUNT, 1)), causal=True)[:, 0]
    share = float(np.abs(even * np.arange(1, COUNT + 1) - 1).max())
    return judged(
        same > 1e-9,
        Text(
            f"On one token repeated, all outputs are the same (to {figure(same)}): a mean of equal values "
            "is that value, "
            f"however many there are. If the first token differs, outputs differ by {figure(told, 3)}: a "
            "head that looks "
            f"evenly gives it 1/t of its weight (to {figure(share)}), which counts positions.",
            f"同一个词元重复时，所有输出都相同（误差 {figure(same)}）：相同的值取平均，不管多少个，"
            "还是那个值。"
            f"只要第一个词元不同，输出就相差 {figure(told, 3)}：平均分配的注意力头给它的权重是 1/t"
            f"（误差 {figure(share)}），这就数出了位置。",
        ),
        Number(Text("spread on one token repeated", "重复词元时输出之差"), same),
        Number(Text("spread with a first token of its own", "首个词元不同时输出之差"), told),
        condition=Text(
            "if tokens differ, such as a first one that marks the start", "词元有所不同（例如有开始标记）"
        ),
        holds_then=told > 1e-9 and share < 1e-9,
    )


def _draw_outputs(**page: Any) -> Picture:
    places = (position_axis(np.arange(1, COUNT)),)
    names = (
        (True, Text("first token differs", "首个词元不同")),
        (False, Text("one token repeated", "同一词元重复")),
    )
    lines = [
        Labelled(
            "output",
            name,
            np.linalg.norm(_outputs(marked)[1:] - _outputs(False)[-1], axis=1),
            places,
            NOTHING,
            NOTE,
        )
        for marked, name in names
    ]
    says = Text(
        "Output of a causal model without positions, less that of one token repeated.",
        "没有位置编码的因果模型的输出，减去同一词元重复时的输出。",
    )
    return plots.curves(lines, says=says, measured=Text("distance of the outputs", "输出之间的距离"), **page)


CLAIMS = (
    Claim(
        id="order-needs-positions",
        statement=Text(
            "Without a positional encoding a transformer can't know order.",
            "没有位置编码，Transformer 就不知道顺序。",
        ),
        source="Haviv et al. 2022, arXiv 2203.16634; Kazemnejad et al. 2023, arXiv 2305.19466",
        examine=_no_order,
        draw=_draw_changes,
    ),
    Claim(
        id="nope-finds-positions",
        statement=Text(
            "A causal model without positional encoding (NoPE) finds positions by itself.",
            "没有位置编码的因果模型（NoPE）自己能找出位置。",
        ),
        source="Kazemnejad et al. 2023, arXiv 2305.19466, theorem 1; DroPE 2025, arXiv 2512.12167, "
        "proposition 3.2",
        examine=_constant,
        draw=_draw_outputs,
    ),
)
