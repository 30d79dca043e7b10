"""Attention that reads the tokens, written out pair by pair as the papers do: one document, no padding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn

from clockhands.core.encoding import Encoding

Numbers = np.ndarray
Loops = Callable[[Encoding, Numbers, Numbers, Numbers], Numbers]
"""``(encoding, q (h, t, hd), k (h, t, hd), x (t, d_model)) -> logits (h, t, t)``, of keys up to the query."""


def numbers(encoding: Encoding) -> dict[str, Numbers]:
    return {name: part.detach().double().numpy() for name, part in encoding.named_parameters()}


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def pair_by_pair(q: Numbers, logit: Callable[[int, int, int], float]) -> Numbers:
    heads, length, _ = q.shape
    made = np.zeros((heads, length, length))
    for h in range(heads):
        for m in range(length):
            for n in range(m + 1):
                made[h, m, n] = logit(h, m, n)
    return made


def cope(encoding: Encoding, q: Numbers, k: Numbers, x: Numbers) -> Numbers:
    table, scale = numbers(encoding)["pos_emb"], q.shape[-1] ** -0.5

    def logit(h: int, m: int, n: int) -> float:
        counted = sum(sigmoid(scale * q[h, m] @ k[h, j]) for j in range(n, m + 1))
        position = min(counted, len(table) - 1)
        vector = [np.interp(position, np.arange(len(table)), column) for column in table.T]
        return scale * q[h, m] @ k[h, n] + q[h, m] @ vector

    return pair_by_pair(q, logit)


def turned(q: Numbers, k: Numbers, angles: Numbers) -> float:
    """The dot product after turning q by angles, and k by none; pairs (i, i + pairs)."""
    pairs = len(angles)
    return float(
        np.real((q[:pairs] + 1j * q[pairs:]) * np.conj(k[:pairs] + 1j * k[pairs:]) @ np.exp(1j * angles))
    )


def carope(encoding: Encoding, q: Numbers, k: Numbers, x: Numbers) -> Numbers:
    given, width = numbers(encoding), q.shape[-1]
    made = x @ given["weight"].T + given["bias"]
    frequency = 1 / (np.log1p(np.exp(made)) + 1)

    def logit(h: int, m: int, n: int) -> float:
        steps = [frequency[t, h] ** np.arange(width // 2) for t in range(n + 1, m + 1)]
        return turned(q[h, m], k[h, n], np.sum(steps, axis=0) * np.ones(width // 2)) * width**-0.5

    return pair_by_pair(q, logit)


def convolved(steps: Numbers, taps: Numbers) -> Numbers:
    """``sum over a of taps[a] * steps[t - (size - 1 - a)]``, zeros before the text."""
    made = np.zeros_like(steps)
    for t in range(len(steps)):
        for tap, filtered in enumerate(taps):
            earlier = t - (len(taps) - 1 - tap)
            if earlier >= 0:
                made[t] += filtered * steps[earlier]
    return made


def selective(encoding: Encoding, q: Numbers, k: Numbers, x: Numbers) -> Numbers:
    given, (heads, _, width) = numbers(encoding), q.shape
    slices = x.reshape(len(x), heads, -1)
    normed = (slices / np.linalg.norm(slices, axis=-1, keepdims=True)).reshape(x.shape)
    steps = (normed @ given["phi_down"].T @ given["phi_up"].T).reshape(len(x), heads, -1)
    steps = convolved(steps, given["taps"])
    if "log_bias" in given:
        steps = steps + np.exp(given["log_bias"])
    if "gate" in given:
        steps = steps * sigmoid(normed @ given["gate"].T + given["gate_bias"])[..., None]
    temperature = 500000.0 ** (-2 * np.arange(width // 2) / width)

    def logit(h: int, m: int, n: int) -> float:
        return turned(q[h, m], k[h, n], temperature * steps[n + 1 : m + 1, h].sum(0)) * width**-0.5

    return pair_by_pair(q, logit)


def path(encoding: Encoding, q: Numbers, k: Numbers, x: Numbers) -> Numbers:
    given, (heads, _, width) = numbers(encoding), q.shape
    groups = len(given["beta_bias"])
    w = x @ given["w_down"].T @ given["w_up"].T if "w_down" in given else x @ given["w_up"].T
    w = w.reshape(len(x), groups, width)
    if "taps" in given:
        w = convolved(w, given["taps"])
        w = w * sigmoid(w)
    w = w / np.sqrt((w**2).sum(-1, keepdims=True) + 1e-6)
    beta = 2 * sigmoid(x @ given["beta_weight"].T + given["beta_bias"])

    def logit(h: int, m: int, n: int) -> float:
        group, passed, kept = h * groups // heads, q[h, m], 0.0
        for s in range(m, n, -1):
            passed = passed - beta[s, group] * w[s, group] * (w[s, group] @ passed)
            if "forget_bias" in given:
                kept += np.log(sigmoid(x[s] @ given["forget_weight"][h] + given["forget_bias"][h]))
        return (k[h, n] @ passed + kept) * width**-0.5

    return pair_by_pair(q, logit)


def dape(encoding: Encoding, q: Numbers, k: Numbers, x: Numbers) -> Numbers:
    given, heads = numbers(encoding), len(q)
    slopes = 2.0 ** (-8 * np.arange(1, heads + 1) / heads)  # for a power of two

    def logit(h: int, m: int, n: int) -> float:
        scores = np.asarray([q[head, m] @ k[head, n] for head in range(heads)]) * q.shape[-1] ** -0.5
        bias = -slopes * (m - n)
        hidden = given["first"][:, :, 0, 0] @ np.concatenate([scores, bias]) + given["first_bias"]
        corrected = given["second"][:, :, 0, 0] @ np.where(hidden > 0, hidden, 0.01 * hidden)
        return (scores + bias + corrected + given["second_bias"])[h]

    return pair_by_pair(q, logit)


def dape_v2(encoding: Encoding, q: Numbers, k: Numbers, x: Numbers) -> Numbers:
    """The published network on each beginning of the text; its last row is what the last token gets."""
    given, (heads, length, width) = numbers(encoding), q.shape
    size = given["first"].shape[-1]
    hidden = given["first"].shape[0]
    network = nn.Sequential(
        nn.Conv2d(2 * heads, hidden, (1, size), padding=(0, size // 2)),
        nn.LeakyReLU(),
        nn.Conv2d(hidden, heads, (1, size), padding=(0, size // 2)),
    ).double()
    names = {"0.weight": "first", "0.bias": "first_bias", "2.weight": "second", "2.bias": "second_bias"}
    network.load_state_dict({theirs: torch.tensor(given[ours]) for theirs, ours in names.items()})
    slopes = 2.0 ** (-8 * np.arange(1, heads + 1) / heads)
    made = np.zeros((heads, length, length))
    for m in range(length):
        scores = q[:, : m + 1] @ k[:, : m + 1].transpose(0, 2, 1) * width**-0.5
        distance = np.arange(m + 1)[:, None] - np.arange(m + 1)
        bias = -slopes[:, None, None] * np.tril(distance)
        seen = torch.tensor(np.tril(np.concatenate([scores, bias])))
        with torch.no_grad():
            made[:, m, : m + 1] = (scores + bias + network(seen[None])[0].numpy())[:, -1]
    return made


def pope(encoding: Encoding, q: Numbers, k: Numbers, x: Numbers) -> Numbers:
    delta, width = np.clip(numbers(encoding)["delta"], -2 * np.pi, 0), q.shape[-1]
    speeds = 10000.0 ** (-np.arange(width) / width)

    def logit(h: int, m: int, n: int) -> float:
        lengths = np.log1p(np.exp(q[h, m])) * np.log1p(np.exp(k[h, n]))
        return lengths @ np.cos((n - m) * speeds + delta[h]) * width**-0.5

    return pair_by_pair(q, logit)


def grape(encoding: Encoding, q: Numbers, k: Numbers, x: Numbers) -> Numbers:
    given, (heads, _, width) = numbers(encoding), q.shape

    def logit(h: int, m: int, n: int) -> float:
        plane = h * len(given["a"]) // heads
        a, b, omega = given["a"][plane], given["b"][plane], np.exp(given["log_omega"][plane])
        turn = torch.tensor((n - m) * omega * (np.outer(a, b) - np.outer(b, a)))
        return q[h, m] @ torch.linalg.matrix_exp(turn).numpy() @ k[h, n] * width**-0.5

    return pair_by_pair(q, logit)
