"""Train the two small models of the lesson's last step: ``python web/golden/attention.py [--check]``.

One task can't be done without position: at each word, name the word before it. The other needs none: name the
word itself. For each, two models are trained, the same encoder with one head, started with the same weights;
one turns its queries and keys (RoPE), the other has no positional encoding. ``--check`` trains again, writes
nothing, and fails where the committed file says other than what was found now.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional

from clockhands.models import Transformer

HOME = Path(__file__).parents[2] / "src" / "clockhands" / "web" / "lesson" / "attention.json"
WORDS = ("史进", "打", "郑屠", "，", "鲁提辖", "笑", "王进", "看", "。")
SENTENCE = ("史进", "看", "郑屠", "打", "王进", "，", "鲁提辖", "笑", "。")
LENGTH, BATCH, STEPS, SEED = 9, 64, 200, 0
ASKED = 2000
"""Sentences of random words, never seen in training, that the share of right answers is counted on."""


MODELS = {
    "none": ("nope", 1), "rope": ("rope", 1), "none_copies": ("nope", 0), "rope_copies": ("rope", 0),
}  # fmt: skip
"""By name: the encoding, and how many words before itself a word must name."""


def trained(encoding: str, back: int) -> Transformer:
    """One layer, one head, both directions visible."""
    model = Transformer(
        len(WORDS), dim=32, heads=1, layers=1, encoding=encoding, causal=False, seed=SEED, tied=False
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    generator = torch.Generator().manual_seed(SEED)
    for _ in range(STEPS):
        tokens = torch.randint(len(WORDS), (BATCH, LENGTH), generator=generator)
        logits = model(tokens).logits[:, back:]
        loss = functional.cross_entropy(logits.flatten(0, 1), tokens[:, : LENGTH - back].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval()


def seen(encoding: str, back: int) -> dict[str, Any]:
    """Share of right answers on new sentences, and the weights on the sentence, in thousandths."""
    model = trained(encoding, back)
    generator = torch.Generator().manual_seed(SEED + 1)
    tokens = torch.randint(len(WORDS), (ASKED, LENGTH), generator=generator)
    with torch.no_grad():
        said = model(tokens).logits[:, back:].argmax(-1)
        right = (said == tokens[:, : LENGTH - back]).double().mean()
        ids = torch.tensor([[WORDS.index(word) for word in SENTENCE]])
        weights = model(ids, want_weights=True).weights
    assert weights is not None
    return {
        "right": round(float(right), 3),
        "weights": [[round(1000 * each) for each in row] for row in weights[0][0, 0].tolist()],
    }


def record() -> dict[str, Any]:
    """The whole file."""
    return {
        "made_by": "python web/golden/attention.py",
        "torch": torch.__version__.split("+")[0],
        "sentence": SENTENCE,
        "words": len(WORDS),
        **{name: seen(*how) for name, how in MODELS.items()},
    }


def differences(found: dict[str, Any], committed: dict[str, Any]) -> list[str]:
    """What another machine may not find: training adds up rounding, so a little is allowed."""
    wrong = [name for name in ("sentence", "words") if list_of(found[name]) != list_of(committed[name])]
    for name in MODELS:
        one, other = found[name], committed[name]
        if abs(one["right"] - other["right"]) > 0.03:
            wrong.append(f"{name}/right")
        cells = zip(*(torch.tensor(each["weights"]).flatten() for each in (one, other)), strict=True)
        if max(abs(here - there) for here, there in cells) > 100:
            wrong.append(f"{name}/weights")
    return wrong


def list_of(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


if __name__ == "__main__":
    torch.set_num_threads(1)
    if "--check" in sys.argv:
        sys.exit(", ".join(differences(record(), json.loads(HOME.read_text(encoding="utf-8")))) or None)
    text = json.dumps(record(), ensure_ascii=False, separators=(",", ":"))
    HOME.write_text(text + "\n", encoding="utf-8")
