"""The article's task against the article's procedure written out anew, and what it teaches."""

import math

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from clockhands.catalogue import describe
from clockhands.errors import ClockhandsError
from clockhands.training import AttendSettings, run_attend
from clockhands.training.corpus import prepared
from clockhands.training.history import LOSS, NORM, VARIANCE
from clockhands.training.lesson import shrinking_share
from clockhands.training.loop import train
from clockhands.training.maps import difference
from clockhands.training.reconstruct import Reconstruct

SENTENCES = ("史进看见鲁达", "鲁达三拳打死了郑屠", "王进")
DIM, HEADS = 16, 4


def settings(**changes):
    return AttendSettings(
        **({"tokenizer": "chars", "sentences": SENTENCES, "dim": DIM, "heads": HEADS, "epochs": 60} | changes)
    )


def job_of(asked, cpu):
    return Reconstruct(asked, prepared(asked), cpu)


def losses_by_hand(job, epochs, mask_padding):
    """Article B's loop: four linear maps, RoPE on half-split pairs, softmax, MSE against the embedding, Adam.

    Without dropout, whose random numbers can't be told apart from outside.
    """
    inner = job.model.attention.projections
    table = nn.Parameter(job.model.embedding.weight.detach().clone())
    maps = [
        nn.Parameter(value.detach().clone())
        for layer in (inner.query, inner.key, inner.value, inner.output)
        for value in (layer.weight, layer.bias)
    ]
    ids, real = job.batch.tokens, job.batch.valid
    rows, length = ids.shape
    half = DIM // HEADS // 2
    angles = torch.arange(length)[:, None] * 10000 ** (-torch.arange(half) / half)
    cos, sin = angles.cos()[None, :, None], angles.sin()[None, :, None]

    def turn(x):
        a, b = x[..., :half], x[..., half:]
        return torch.cat((a * cos - b * sin, a * sin + b * cos), -1)

    optimizer = torch.optim.Adam([*maps, table], lr=1e-3)
    losses = []
    for _ in range(epochs):
        x = functional.embedding(ids, table)
        q, k, v = (
            functional.linear(x, w, b).view(rows, length, HEADS, -1)
            for w, b in zip(maps[0:6:2], maps[1:6:2], strict=True)
        )
        scores = torch.einsum("bthd,bshd->bhts", turn(q), turn(k)) / (DIM // HEADS) ** 0.5
        if mask_padding:
            scores = scores.masked_fill(~real[:, None, None, :], -math.inf)
        mixed = torch.einsum("bhts,bshd->bthd", scores.softmax(-1), v).reshape(rows, length, DIM)
        errors = (functional.linear(mixed, maps[6], maps[7]) - x.clone()) ** 2
        loss = errors[real].mean() if mask_padding else errors.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize("as_printed", [True, False])
def test_it_is_the_articles_procedure(as_printed, cpu):
    asked = settings(as_printed=as_printed, dropout=0.0)
    expected = losses_by_hand(job_of(asked, cpu), 60, mask_padding=not as_printed)
    got = train(job_of(asked, cpu), quiet=True).values(LOSS)
    np.testing.assert_allclose(got, expected, rtol=2e-4)


def test_the_articles_sizes_are_the_default(cpu):
    job = job_of(AttendSettings(as_printed=True), cpu)
    inner = job.model.attention.projections
    assert (job.steps, inner.heads, inner.head_dim, inner.dropout) == (200, 4, 8, 0.1)
    assert job.model.embedding.embedding_dim == 32
    group = job.optimizer.param_groups[0]
    assert isinstance(job.optimizer, torch.optim.Adam)
    assert (group["lr"], group["weight_decay"], job.rate(0), job.rate(199)) == (1e-3, 0, 1.0, 1.0)
    assert [type(module).__name__ for module in job.model.modules() if isinstance(module, nn.LayerNorm)] == []


def test_padding_takes_part_as_printed_only(cpu):
    plain, printed = job_of(settings(dropout=0.0), cpu), job_of(settings(dropout=0.0, as_printed=True), cpu)
    before = plain.loss(0)[0].item(), printed.loss(0)[0].item()
    for job in (plain, printed):
        with torch.no_grad():
            job.model.embedding.weight[0] += 3.0
    assert plain.loss(0)[0].item() == before[0]
    assert printed.loss(0)[0].item() != before[1]


def test_measures_beside_the_loss(cpu):
    job = job_of(settings(), cpu)
    _, beside = job.loss(0)
    words = [job.model.embedding.weight[i].detach().numpy() for row in job.batch.tokens for i in row if i > 0]
    assert beside[NORM] == pytest.approx(np.mean([np.linalg.norm(word) for word in words]), rel=1e-5)
    assert beside[VARIANCE] == pytest.approx(np.var(words, axis=0).mean(), rel=1e-5)


def test_concatenated_positions_have_nothing_to_compare_with(cpu):
    with pytest.raises(ClockhandsError, match="concatenated"):
        job_of(settings(scheme="sinusoidal", parameters={"combine": "concatenate"}), cpu)


@pytest.fixture(scope="module")
def result():
    return run_attend(settings(epochs=120, as_printed=True), quiet=True)


def test_part_of_the_falling_loss_is_the_embedding_shrinking(result):
    lesson = result.lesson
    for curve in (lesson.loss, lesson.variance, lesson.norm, lesson.relative):
        assert curve.axes[0].name.en == "epoch"
        assert len(curve.values) == 120
        assert curve.values[-1] < curve.values[0]
    np.testing.assert_allclose(lesson.relative.values * lesson.variance.values, lesson.loss.values)
    assert 0.05 < lesson.shrinking < 1
    fall = math.log(lesson.relative.values[0] / lesson.relative.values[-1])
    whole = math.log(lesson.loss.values[0] / lesson.loss.values[-1])
    assert lesson.shrinking == pytest.approx(1 - fall / whole)
    assert math.isnan(shrinking_share(np.array([1.0, 2.0]), np.array([1.0, 0.5])))


def test_the_task_needs_no_position(result):
    blind = result.lesson.without_position
    assert blind.final_loss < 1.1 * result.lesson.loss.values[-1]
    assert [one.values.shape for one in blind.maps] == [one.values.shape for one in result.attention]
    assert blind.difference.values.shape == (3, HEADS)
    assert (blind.difference.values > 0.001).all()
    assert (blind.difference.values <= 1).all()
    assert result.lesson.other_seed.difference.values.mean() > 0


def test_the_twin_without_position_starts_equal(cpu):
    one, other = job_of(settings(), cpu), job_of(settings(scheme=describe("nope")), cpu)
    pairs = zip(one.model.parameters(), other.model.parameters(), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)


def test_a_run_without_position_has_no_twin_without_it():
    lesson = run_attend(settings(scheme="nope", epochs=2), quiet=True).lesson
    assert lesson.without_position is None
    assert lesson.other_seed.maps


def test_difference_of_maps(result):
    one = result.attention[0]
    from dataclasses import replace

    t = len(one.axes[2].values)
    eye, shifted = np.zeros_like(one.values) + np.eye(t), np.zeros_like(one.values) + np.roll(np.eye(t), 1, 1)
    same, apart = replace(one, values=eye), replace(one, values=shifted)
    assert (difference(same, same) == 0).all()
    assert (difference(same, apart) == 1).all()
    assert difference(same, replace(one, values=(eye + shifted) / 2))[0, 0] == pytest.approx(0.5)


def test_as_printed_says_how_much_weight_padding_got(result):
    assert "padding" in result.attention[2].note.en
    assert result.attention[1].note.en == ""  # the longest sentence has none
    assert len(result.notes) == 2
    sums = result.attention[2].values.sum(-1)
    assert (sums < 0.99).all()
    plain = run_attend(settings(epochs=2), quiet=True)
    np.testing.assert_allclose(plain.attention[2].values.sum(-1), 1, rtol=1e-5)
    assert plain.notes == ()


def test_milestones_every_fifty_epochs(result):
    assert [epoch for epoch, _ in result.milestones] == [50, 100]
    loss = result.curves[0]
    assert result.milestones[0][1] == loss.values[49]
    assert loss.axes[0].values[49] == 50
