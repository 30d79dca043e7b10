"""What ``clockhands attend`` says of a finished run."""

from __future__ import annotations

import math
from collections.abc import Iterator

from clockhands.language import Text
from clockhands.training import Lesson, Result

TELLING = 20.0
"""Nats a token; a larger loss is said without its perplexity, a number too large to mean anything."""


def summary(result: Result) -> Iterator[Text]:
    """The loss every 50 epochs, the held-out loss, and the lesson where there is one."""
    for epoch, loss in result.milestones:
        yield Text(f"Epoch {epoch}, Loss: {loss:.6f}", f"第 {epoch} 轮，损失：{loss:.6f}")
    if result.held_out is not None:
        yield _held_out(result.held_out)
    if result.lesson is not None:
        yield from _lesson(result.lesson)


def _held_out(loss: float) -> Text:
    told = Text(f"Held-out loss: {loss:.4f} nats a token", f"留出文本损失：每词元 {loss:.4f} 奈特")
    if loss > TELLING:
        return told
    perplexity = math.exp(loss)
    return Text(f"{told.en} (perplexity {perplexity:.1f})", f"{told.zh}（困惑度 {perplexity:.1f}）")


def _lesson(lesson: Lesson) -> Iterator[Text]:
    first, last = lesson.loss.values[0], lesson.loss.values[-1]
    wide, narrow = lesson.variance.values[0], lesson.variance.values[-1]
    if not math.isnan(lesson.shrinking):
        yield Text(
            f"What the falling loss is worth: {lesson.shrinking:.0%} of its fall ({first:.4f} to {last:.4f}, "
            f"in logarithms) is the embedding shrinking (variance {wide:.4f} to {narrow:.4f}).",
            f"损失下降有多少是真本事：损失从 {first:.4f} 降到 {last:.4f}，按对数算，"
            f"其中 {lesson.shrinking:.0%} 只是因为嵌入缩小了（方差从 {wide:.4f} 变为 {narrow:.4f}）。",
        )
    blind = lesson.without_position
    if blind is not None:
        yield Text(
            f"Without any position the loss ends at {blind.final_loss:.4f} instead of {last:.4f}: "
            "this task needs no position.",
            f"完全不用位置，损失最终是 {blind.final_loss:.4f}，用了位置是 {last:.4f}：这个任务用不着位置。",
        )
        apart = float(blind.difference.values.mean())
        chance = float(lesson.other_seed.difference.values.mean())
        yield Text(
            f"Its attention maps differ from these by {apart:.2f} (0 equal, 1 disjoint); "
            f"another seed alone makes {chance:.2f}.",
            f"两者的注意力图相差 {apart:.2f}（0 为相同，1 为毫不重叠）；"
            f"而只换随机种子，就会相差 {chance:.2f}。",
        )
