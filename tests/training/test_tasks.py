"""What each task asks of a model, and how it is scored."""

import math

import numpy as np
import pytest
import torch
from torch.nn import functional

from clockhands.training.batches import Batch
from clockhands.training.corpus import prepared
from clockhands.training.tasks import Masked, NextToken


def job_of(kind, settings, cpu):
    return kind(settings, prepared(settings), cpu)


def random():
    return np.random.default_rng(0)


def test_next_token_reads_all_but_the_last_and_says_all_but_the_first(tiny, cpu):
    job = job_of(NextToken, tiny(task="next-token"), cpu)
    tokens = torch.tensor([[2, 5, 1, 7, 0], [2, 4, 4, 6, 3]])
    read, said = job.guess(Batch(tokens, tokens > 0, None), random())
    assert read.tokens.tolist() == [[2, 5, 1, 7], [2, 4, 4, 6]]
    assert read.valid.tolist() == [[True] * 4] * 2
    assert said.tolist() == [[5, -100, 7, -100], [4, 4, 6, 3]]


def test_every_window_begins_with_bos(tiny, cpu):
    job = job_of(NextToken, tiny(task="next-token"), cpu)
    assert all(row.ids[0] == 2 and len(row.ids) <= 11 for row in job.rows)


def test_hidden_tokens_are_replaced_in_three_ways_while_training(tiny, cpu):
    job = job_of(Masked, tiny(hidden_share=0.3), cpu)
    tokens = torch.full((200, 50), 5)
    tokens[:, 40:] = 0
    tokens[:, 39] = 1
    read, said = job.guess(Batch(tokens, tokens > 0, None), random())
    asked = said != -100
    assert not asked[:, 39:].any()
    assert (said[asked] == 5).all()
    assert abs(asked[:, :39].float().mean() - 0.3) < 0.02
    assert (read.tokens[~asked] == tokens[~asked]).all()
    seen = read.tokens[asked]
    assert abs((seen == job.mask).float().mean() - 0.8) < 0.02
    others = (seen != job.mask) & (seen != 5)
    assert abs(others.float().mean() - 0.1) < 0.02
    assert seen[others].min() > 1
    assert seen[others].max() < job.mask


def test_all_are_hidden_in_held_out_text(tiny, cpu):
    job = job_of(Masked, tiny(hidden_share=0.3), cpu)
    job.model.eval()
    tokens = torch.full((20, 50), 5)
    read, said = job.guess(Batch(tokens, None, None), random())
    assert (read.tokens[said != -100] == job.mask).all()
    assert (read.tokens[said == -100] == 5).all()


def test_something_is_always_asked(tiny, cpu):
    job = job_of(Masked, tiny(hidden_share=0.01), cpu)
    tokens = torch.tensor([[1, 5, 0]])
    _, said = job.guess(Batch(tokens, tokens > 0, None), random())
    assert said.tolist() == [[-100, 5, -100]]


def test_held_out_loss_is_the_mean_over_tokens(tiny, cpu):
    """Counted token by token, each window alone."""
    job = job_of(NextToken, tiny(task="next-token", held_out=0.4), cpu)
    job.model.eval()
    losses = []
    for row in job.kept:
        ids = torch.from_numpy(row.ids)[None]
        scores = job.model(ids[:, :-1]).logits[0].log_softmax(-1)
        losses += [-scores[i, ids[0, i + 1]].item() for i in range(ids.shape[1] - 1) if ids[0, i + 1] > 1]
    job.model.train()
    assert job.held_out() == pytest.approx(np.mean(losses), rel=1e-5)
    assert job.model.training


def test_nothing_held_out_gives_none(tiny, cpu):
    assert job_of(Masked, tiny(held_out=0.0), cpu).held_out() is None


def test_loss_of_a_step_hangs_on_seed_and_step_alone(tiny, cpu):
    one, other = (job_of(Masked, tiny(dropout=0.0), cpu) for _ in range(2))
    assert one.loss(3)[0].item() == other.loss(3)[0].item() != one.loss(4)[0].item()


def test_an_untrained_model_guesses_evenly(tiny, cpu):
    """With all weights of the last map at zero the loss is ln of the number of ids."""
    job = job_of(Masked, tiny(dropout=0.0), cpu)
    with torch.no_grad():
        job.model.embedding.weight.zero_()
    assert job.loss(0)[0].item() == pytest.approx(math.log(job.mask + 1))


def test_steps(tiny, cpu):
    job = job_of(NextToken, tiny(task="next-token", epochs=7), cpu)
    assert job.steps_per_epoch == math.ceil(len(job.rows) / 2)
    assert job.steps == 7 * job.steps_per_epoch
    assert job_of(Masked, tiny(epochs=None), cpu).steps == 200 * job.steps_per_epoch
    long = tiny(epochs=None, texts=("史进看见鲁达，" * 100,), min_count=1)
    job = job_of(Masked, long, cpu)
    assert 900 <= job.steps < 900 + job.steps_per_epoch


def test_padding_changes_no_loss(tiny, cpu):
    """Two windows of different length together give the mean of what each gives alone."""
    job = job_of(NextToken, tiny(task="next-token", dropout=0.0), cpu)
    rows = sorted(job.rows, key=lambda row: len(row.ids))
    rows = [rows[0], rows[-1]]
    assert len(rows[0].ids) < len(rows[1].ids)
    together, count = job._scored(rows, random())
    apart = [job._scored([row], random()) for row in rows]
    assert count == apart[0][1] + apart[1][1]
    torch.testing.assert_close(together, apart[0][0] + apart[1][0])
    assert functional.relu(together) == together
