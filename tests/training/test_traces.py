"""A run's queries and keys give the weights that the model had, whatever the scheme."""

from __future__ import annotations

import numpy as np
import pytest

from clockhands.analysis.attention_trace import WORST, weights_of
from clockhands.training import attend_with, run_attend
from clockhands.training.traces import by_distance


@pytest.mark.parametrize(
    ("changes", "kept"),
    [
        ({"scheme": "rope", "task": "next-token", "layers": 2}, ("q",)),
        ({"scheme": "nope", "task": "reconstruct"}, ("q",)),
        ({"scheme": "rope", "task": "reconstruct", "as_printed": True}, ("q",)),
        ({"scheme": "alibi", "task": "next-token"}, ("q", "bias")),
        ({"scheme": "cope-contextual", "task": "next-token"}, ("weights",)),
    ],
)
def test_a_trace_agrees_with_the_map(tiny, changes: dict, kept: tuple[str, ...]) -> None:
    result = run_attend(tiny(**changes), quiet=True)
    for one, labelled in zip(result.traces, result.attention, strict=True):
        layers, heads, count, _ = labelled.values.shape
        found = np.array([[weights_of(one, layer, head) for head in range(heads)] for layer in range(layers)])
        assert np.abs(found[..., :count, :count] - labelled.values).max() <= WORST
        assert one.error <= WORST
        assert {name for name in ("q", "bias", "weights") if getattr(one, name) is not None} == set(kept)
        words = one.tokens[1:] if one.marks[0] else one.tokens
        assert list(one.tokens[:count]) == labelled.axes[2].values.tolist()
        assert words[0] == one.text[slice(*one.spans[len(one.tokens) - len(words)])]
    padding = {mark for one in result.traces for mark in one.marks if mark == 2}
    assert padding == ({2} if changes.get("as_printed") else set())


def test_a_finished_run_has_them_too(tiny, tmp_path) -> None:
    run_attend(tiny(task="reconstruct"), tmp_path / "run", quiet=True)
    drawing = attend_with(tmp_path / "run", ["史进打郑屠"])
    assert drawing.traces[0].tokens == ("史", "进", "打", "郑", "屠")


def test_a_bias_of_more_than_distance_is_no_curve() -> None:
    place = np.arange(4.0)
    assert by_distance(place[:, None] - 2 * place) is None
    np.testing.assert_array_equal(by_distance(place[:, None] - place), np.arange(-3, 4))
