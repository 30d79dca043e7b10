"""Question 6: what becomes of a small RoPE model past the length it was trained on, by each method?

Not a comparison of encodings, so not a design of cells: eight small Llamas learn the Water Margin in windows
of 128 characters. Each is tried as it is and with every method at up to eight times that; then it learns on,
a few hundred steps, once with all positions divided by eight and once, for control, as before.

After 200 steps the interpolated model had not caught up with the control. ``LONGER`` asks the same of others
that learn on three times as long; what it expects was written down before they did.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from clockhands import extend
from clockhands.errors import ClockhandsError
from clockhands.experiments.tasks.texts import Characters
from clockhands.experiments.trial import versions
from clockhands.extend.trials.found import Found
from clockhands.language import Text
from clockhands.training.alone import alone_in
from clockhands.training.checkpoint import Checkpoints
from clockhands.training.job import Job
from clockhands.training.loop import Stopped, train
from clockhands.training.schedule import warm_up_then_cosine
from clockhands.training.threads import one_thread
from clockhands.writing import written_aside

SEEDS = 8
TRAINED, TO, MULTIPLES = 128, 1024, (1, 2, 4, 8)
STEPS, BATCH, RATE = 800, 16, 2e-3
LONG_BATCH, MORE_RATE = 2, 1e-3
"""Of learning on: as many characters a step as before, in windows of ``TO``."""
STRETCHES, SLIDES = 4, 32
"""Windows of ``TO`` characters; windows that end a quarter of ``TRAINED`` apart."""
SIZES = {
    "hidden_size": 64, "intermediate_size": 176, "num_hidden_layers": 3, "num_attention_heads": 4,
    "max_position_embeddings": TRAINED, "tie_word_embeddings": True, "bos_token_id": None,
    "eos_token_id": None, "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
}  # fmt: skip
BASE, TUNED, CONTROL = "base", "linear-tuned", "control"
ZERO_SHOT = ("as-given", *extend.IDS)


@dataclass(frozen=True)
class Expected:
    """``first`` minus ``second``, mean losses of the same characters, has the ``sign``, past the ``bound``.

    first, second  (who, length): a method of the base model at a number of times the trained length, or
                   ``TUNED`` or ``CONTROL``
    """

    id: str
    says: Text
    first: tuple[str, int]
    second: tuple[str, int]
    sign: int
    bound: float = 0.0


def _caught_up(steps: int) -> Expected:
    return Expected(
        "tuned-catches-up",
        Text(f"after linear interpolation and {steps} steps, eight times the length costs less than "
             "0.05 nats more than the trained length costs a model that learned on as long without",
             f"线性内插后再训练 {steps} 步，八倍长度下的损失，比不内插而多训练同样步数的模型"
             "在训练长度下的损失高不到 0.05 纳特"),
        (TUNED, 8), (CONTROL, 1), -1, 0.05,
    )  # fmt: skip


@dataclass(frozen=True)
class Plan:
    """What is asked of eight seeds.

    name        of the recipe, its results and its page
    more_steps  of learning on, with interpolation and without
    first_seed  the others follow
    methods     that are tried without training
    """

    name: str
    more_steps: int
    first_seed: int
    methods: tuple[str, ...]
    hypotheses: tuple[Expected, ...]


FIRST = Plan(
    "extending", 200, 0, ZERO_SHOT,
    (
        Expected(
            "given-collapses",
            Text("as it is, the model pays over 0.5 nats more for the same characters at eight times its "
                 "length",
                 "模型原样用在八倍长度时，同样字符的损失上升超过 0.5 纳特"),
            ("as-given", 8), ("as-given", 1), 1, 0.5,
        ),
        Expected(
            "linear-worse-than-ntk",
            Text("at eight times, linear interpolation without training is worse than NTK",
                 "八倍长度、不训练时，线性内插比 NTK 差"),
            ("linear", 8), ("ntk", 8), 1,
        ),
        Expected(
            "linear-worse-than-yarn",
            Text("at eight times, linear interpolation without training is worse than YaRN",
                 "八倍长度、不训练时，线性内插比 YaRN 差"),
            ("linear", 8), ("yarn", 8), 1,
        ),
        _caught_up(200),
        Expected(
            "tuned-beats-yarn",
            Text("and is less than with YaRN without training", "并且低于不训练的 YaRN"),
            (TUNED, 8), ("yarn", 8), -1,
        ),
    ),
)  # fmt: skip
LONGER = Plan(
    "catching-up", 600, 8, ("as-given", "linear", "yarn"),
    (
        Expected(
            "tuned-as-good-as-before",
            Text("after linear interpolation and 600 steps, eight times the length costs less than 0.05 nats "
                 "more than the trained length cost the model before it learned on",
                 "线性内插后再训练 600 步，八倍长度下的损失，比再训练之前的模型在训练长度下的损失高不到 "
                 "0.05 纳特"),
            (TUNED, 8), ("as-given", 1), -1, 0.05,
        ),
        _caught_up(600),
    ),
)  # fmt: skip
PLANS = {plan.name: plan for plan in (FIRST, LONGER)}


class Learner(Job):
    """Next characters; windows hang on seed and step alone."""

    clip = 1.0

    def __init__(self, model: Any, task: Characters, seed: int, steps: int, batch: int, rate: float):
        self.model, self.task, self.seed, self.batch = model, task, seed, batch
        self.device, self.steps, self.steps_per_epoch = torch.device("cpu"), steps, steps
        self.optimizer = torch.optim.AdamW(
            model.parameters(), lr=rate, betas=(0.9, 0.98), weight_decay=0.01, foreach=True
        )

    def loss(self, step: int) -> tuple[Tensor, Mapping[str, float]]:
        tokens = torch.from_numpy(self.task.batch(self.seed, step, self.batch).tokens)
        logits = self.model(tokens[:, :-1], use_cache=False).logits
        return functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten()), {}

    def rate(self, step: int) -> float:
        return warm_up_then_cosine(step, self.steps)


def carry_out(
    text: str, folder: Path, plan: Plan = FIRST, *, minutes: float | None = None, quiet: bool = True
) -> None:
    """Begin in ``folder`` or go on: a file for each seed that ended, ``running/`` for the one that has not.

    minutes  after so many it stops, as after Ctrl-C; None: when all is done

    Raises Stopped where something is left, and ClockhandsError if another text or design was begun there.
    """
    deadline = None if minutes is None else time.monotonic() + 60 * minutes
    short, long = Characters(TRAINED, text, MULTIPLES), Characters(TO, text, (1,))
    folder.mkdir(parents=True, exist_ok=True)
    with alone_in(folder):
        _promise(folder, text, plan)
        for seed in range(plan.first_seed, plan.first_seed + SEEDS):
            if not _file(folder, seed).exists():
                _seed(plan, seed, short, long, folder, deadline, quiet)


def _seed(
    plan: Plan, seed: int, short: Characters, long: Characters, folder: Path, deadline: float | None,
    quiet: bool,
) -> None:  # fmt: skip
    def heed(_: int) -> None:
        if deadline is not None and time.monotonic() > deadline:
            raise Stopped("the time is up", "时间到了")

    running, begun = folder / "running" / f"seed-{seed}", time.process_time()
    spent = running / "spent.json"
    before = json.loads(spent.read_text()) if spent.exists() else 0.0

    def learned(name: str, model: Any, task: Characters, steps: int, batch: int, rate: float) -> Any:
        place = running / name
        place.mkdir(parents=True, exist_ok=True)
        learner = Learner(model, task, seed, steps, batch, rate)
        with one_thread():  # sums of several threads differ in the last digits
            train(learner, Checkpoints(place), quiet=quiet, after_step=heed)
        return model.eval()

    try:
        running.mkdir(parents=True, exist_ok=True)
        base = learned(BASE, _model(short, seed), short, STEPS, BATCH, RATE)
        tuned = _model(long, seed, _linear(base))
        tuned.load_state_dict(base.state_dict())
        tuned = learned(TUNED, tuned, long, plan.more_steps, LONG_BATCH, MORE_RATE)
        control = _model(short, seed)
        control.load_state_dict(base.state_dict())
        control = learned(CONTROL, control, short, plan.more_steps, BATCH, MORE_RATE)
        found = {
            **_costs(_tried(base, short, plan.methods[1:], running)),
            # The tuned model is tried as itself: its weights in the first configuration, and the settings.
            TUNED: _costs(_tried(_with(short, seed, tuned), short, ("linear",), running))["linear"],
            CONTROL: _costs(_tried(control, short, ("linear",), running))["as-given"],
        }  # fmt: skip
    finally:
        if running.exists():
            spent.write_text(json.dumps(before + time.process_time() - begun))
    told = {
        "seed": seed, "losses": found, "seconds": round(before + time.process_time() - begun, 1),
        "parameters": sum(each.numel() for each in base.parameters()), "versions": _versions(),
    }  # fmt: skip
    with written_aside(_file(folder, seed), lasting=True) as aside:
        aside.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    shutil.rmtree(running, ignore_errors=True)


def _model(task: Characters, seed: int, keys: Mapping[str, Any] | None = None) -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    from clockhands.models import stream

    with stream(seed, "built"):
        return LlamaForCausalLM(LlamaConfig(**{**SIZES, **(keys or {}), "vocab_size": len(task.vocabulary)}))


def _with(task: Characters, seed: int, other: Any) -> Any:
    model = _model(task, seed)
    model.load_state_dict(other.state_dict())
    return model.eval()


def _linear(base: Any) -> Mapping[str, Any]:
    """The settings that a plan proposes, which the tuned model is built with."""
    step = extend.plan(base.config.to_dict(), TO, methods=["linear"]).step("linear")
    return next(each.keys for each in step.settings if each.framework == "transformers")


def _tried(model: Any, task: Characters, methods: Sequence[str], running: Path) -> Found:
    """On text that none was trained on: the same for all seeds."""
    count = STRETCHES * TO + (SLIDES - 1) * TRAINED // 4
    ids = task.of_length(np.random.default_rng(0), 1, count).tokens[0]
    return extend.trial(
        model, ids.tolist(), to=TO, methods=methods, full=True, stretches=STRETCHES, slides=SLIDES,
    )  # fmt: skip


def _costs(found: Found) -> dict[str, dict[str, list[float]]]:
    """By method and length: mean loss of the same characters, and of whole windows."""
    made: dict[str, dict[str, list[float]]] = {}
    for method in found.design.methods:
        made[method] = {}
        for length in found.design.lengths:
            same, whole = found.same_tokens(method, length), found.loss(method, length)
            assert same is not None
            assert whole is not None
            made[method][str(length)] = [round(float(same.mean()), 5), round(whole.value, 5)]
    return made


def _versions() -> dict[str, str]:
    import transformers

    return {**versions(), "transformers": transformers.__version__}


def _file(folder: Path, seed: int) -> Path:
    return folder / f"seed-{seed}.json"


def design(plan: Plan = FIRST) -> dict[str, Any]:
    """What is fixed beforehand."""
    return {
        "seeds": SEEDS, "trained": TRAINED, "to": TO, "steps": STEPS, "batch": BATCH, "rate": RATE,
        "more_steps": plan.more_steps, "long_batch": LONG_BATCH, "more_rate": MORE_RATE,
        "stretches": STRETCHES, "slides": SLIDES, "sizes": SIZES, "methods": list(plan.methods),
        **({"first_seed": plan.first_seed} if plan.first_seed else {}),
        "hypotheses": [
            {"id": one.id, "says": one.says._asdict(), "first": list(one.first), "second": list(one.second),
             "sign": one.sign, "bound": one.bound}
            for one in plan.hypotheses
        ],
    }  # fmt: skip


def _promise(folder: Path, text: str, plan: Plan) -> None:
    import hashlib

    file = folder / "preregistration.json"
    asked = {"design": design(plan), "text_sha256": hashlib.sha256(text.encode()).hexdigest()}
    if os.path.lexists(file):
        there = json.loads(file.read_bytes())
        if {name: there[name] for name in asked} != json.loads(json.dumps(asked)):
            raise ClockhandsError(
                f"{folder} holds results of another design or text than the recipe has now: give another "
                "folder",
                f"{folder} 里的结果来自另一个设计或文本，与现在的不同：请换一个目录",
            )
        return
    written = datetime.now(UTC).isoformat(timespec="seconds")
    with written_aside(file, lasting=True) as aside:
        content = json.dumps({"written": written, **asked}, ensure_ascii=False, indent=1)
        aside.write_text(content + "\n", encoding="utf-8")
