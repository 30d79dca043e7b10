"""What won't fit is said before it is tried, and said too where only torch finds it out."""

import pytest
import torch
from torch.nn import functional

from clockhands import memory
from clockhands.errors import ClockhandsError
from clockhands.training import attend, room, run_attend
from clockhands.training.corpus import prepared
from clockhands.training.room import memory_running_out_said, require_room
from clockhands.training.tasks import Masked, transformer_for

CPU = torch.device("cpu")


def estimated(monkeypatch, settings, vocabulary, rows, tokens):
    """Bytes that ``require_room`` asks for."""
    asked = []
    monkeypatch.setattr(
        room, "require_memory", lambda what, shape, bytes_each: asked.append(shape[0] * bytes_each)
    )
    require_room(settings, vocabulary, rows, tokens, CPU)
    return asked[0]


@pytest.mark.parametrize(
    ("dim", "heads", "tokens", "words"), [(64, 2, 8, 20), (16, 8, 64, 20), (8, 2, 16, 500)]
)
def test_the_estimate_is_below_what_a_step_keeps_and_not_far(tiny, monkeypatch, dim, heads, tokens, words):
    """Wide models, many heads, large vocabularies: counted by looking at what autograd keeps."""
    settings = tiny(task="next-token", dim=dim, heads=heads, layers=2, context=tokens)
    model = transformer_for(settings, words)
    known = {each.untyped_storage().data_ptr() for each in model.parameters()}
    kept = {}

    def keep(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in known:
            kept[storage.data_ptr()] = (storage.nbytes(), tensor)
        return tensor

    ids = torch.zeros(4, tokens, dtype=torch.int64)
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        hidden, _ = model.read(ids)
        functional.cross_entropy(model.score(hidden.flatten(0, 1)), ids.flatten())
    measured = sum(size for size, _ in kept.values()) + 4 * ids.numel() * words  # and the logits' gradient
    guess = estimated(monkeypatch, settings, words, 4, tokens)
    assert 0.6 * measured < guess < 1.1 * measured


@pytest.mark.parametrize("task", ["next-token", "masked", "reconstruct"])
def test_a_run_that_does_not_fit_is_refused_and_leaves_no_file(tiny, tmp_path, monkeypatch, task):
    settings = tiny(task=task)
    monkeypatch.setattr(memory, "available_bytes", lambda: 5000)
    with pytest.raises(ClockhandsError, match=r"a step of training on 2 x \d+ tokens of"):
        run_attend(settings, tmp_path / "out", quiet=True)
    assert not (tmp_path / "out").exists()


def test_a_short_text_makes_a_large_batch_small(tiny):
    settings = tiny(batch=10**6, context=512)
    assert len(Masked(settings, prepared(settings), CPU).rows) == 2


def test_an_accelerator_has_memory_of_its_own(tiny, monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 0)
    require_room(tiny(), 10, 10, 10, torch.device("meta"))


def test_maps_that_do_not_fit_are_refused(tiny, monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 3 * 4 * 2 * 10 * 10)
    room.require_room_for_maps(tiny(), 1, 10)
    with pytest.raises(ClockhandsError, match="the attention maps of 1 x 1 x 2 x 11 x 11 numbers"):
        room.require_room_for_maps(tiny(), 1, 11)


def test_torch_running_out_of_memory_is_said():
    with (
        pytest.raises(ClockhandsError, match="use a smaller batch, context or dim"),
        memory_running_out_said(),
    ):
        torch.empty(2**60)
    with pytest.raises(ClockhandsError, match="needs more memory"), memory_running_out_said():
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB")
    with pytest.raises(RuntimeError, match="something else"), memory_running_out_said():
        raise RuntimeError("something else")


def test_a_run_says_it_too(tiny, monkeypatch):
    monkeypatch.setattr(attend, "train", lambda *_, **__: torch.empty(2**60))
    with pytest.raises(ClockhandsError, match="needs more memory than there is"):
        run_attend(tiny(), quiet=True)
