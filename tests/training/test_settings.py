"""What a run may be asked, and the way of it to a file and back."""

import json
import math

import numpy as np
import pytest

from clockhands.catalogue import OwnBias, OwnFrequencies, OwnTable, describe
from clockhands.catalogue.learned import Learned
from clockhands.errors import ClockhandsError
from clockhands.text import Entry
from clockhands.training import AttendSettings
from clockhands.training.described import as_json, from_json


def test_sizes_suit_the_task_where_none_are_given():
    alone, decoder = AttendSettings(), AttendSettings(task="next-token")
    assert (alone.model_layers, alone.model_dim, alone.full_rate) == (1, 32, 1e-3)
    assert (decoder.model_layers, decoder.model_dim, decoder.causal) == (2, 64, True)
    assert not AttendSettings(task="masked").causal
    assert AttendSettings(dim=16, learning_rate=0.5).full_rate == 0.5
    assert (alone.heads, alone.dropout, alone.hidden_share, alone.held_out) == (4, 0.1, 0.15, 0.1)
    assert (alone.context, alone.batch, alone.seed) == (64, 16, 0)


def test_the_encoding_gets_the_sizes_of_the_model():
    assert AttendSettings(dim=24, heads=4).description() == describe("rope", head_dim=6)
    assert AttendSettings(scheme="t5", task="masked").description().bidirectional
    assert not AttendSettings(scheme="t5", task="next-token").description().bidirectional
    assert AttendSettings(scheme="rope", parameters={"base": 50}).description().rope_theta == 50
    assert AttendSettings(scheme="learned", seed=3).description().seed == 3


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"task": "maskd"}, "did you mean 'masked'"),
        ({"scheme": "ropee"}, "did you mean 'rope'"),
        ({"epochs": 0}, "epochs is 0"),
        ({"epochs": -5}, "epochs is -5"),
        ({"learning_rate": math.nan}, "learning_rate is nan"),
        ({"learning_rate": -1.0}, "learning_rate is -1"),
        ({"learning_rate": 0}, "learning_rate is 0"),
        ({"dropout": 1.0}, "dropout is 1.0"),
        ({"heads": 5}, "heads must divide dim"),
        ({"dim": 12, "heads": 4}, r"head_dim \(dim / heads\) is 3"),
        ({"heads": 4, "kv_heads": 3}, "kv_heads must divide"),
        ({"layers": 2}, "has one layer"),
        ({"task": "masked", "as_printed": True}, "as_printed belongs"),
        ({"task": "masked", "context": 1}, "context is 1"),
        ({"task": "masked", "context": 513}, "context is 513"),
        ({"batch": 0}, "batch is 0"),
        ({"held_out": 0.6}, "held_out is 0.6"),
        ({"hidden_share": 0.0}, "hidden_share is 0.0"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": 2**63}, "seed is 9223372036854775808"),
        ({"tokens": "4"}, "START:END"),
        ({"chars": "b:a"}, "START:END"),
        ({"tokenizer": "word"}, "did you mean 'words'"),
        ({"scheme": describe("nope"), "parameters": {"a": 1}}, "parameters belong"),
        ({"parameters": {"bas": 3}}, "rope has no parameter 'bas'"),
    ],
)
def test_what_does_not_fit_is_refused(given, message):
    with pytest.raises(ClockhandsError, match=message) as caught:
        AttendSettings(**given)
    assert caught.value.text.zh


@pytest.mark.parametrize(
    "description",
    [
        describe("nope"),
        describe("rope", head_dim=8, rotary_dim=4),
        describe("layered", head_dim=8),
        describe("tagged", head_dim=8, sensitivity={"n": 2.0}),
        describe("sinusoidal", d_model=32),
        describe("t5", num_heads=4, bidirectional=True),
        Learned.of(np.arange(8.0).reshape(4, 2)),
        OwnFrequencies([1.0, 0.5], layout="interleaved"),
        OwnTable([[1.0, 2.0], [3.0, 4.0]]),
        OwnBias([[0.0, -1.0]], first_distance=0),
    ],
    ids=lambda description: type(description).__name__,
)
def test_encodings_go_to_json_and_back(description):
    assert from_json(json.loads(json.dumps(as_json(description)))) == description


def test_settings_go_to_json_and_back():
    settings = AttendSettings(
        task="next-token", scheme="rope", parameters={"base": 500.0}, texts=("一", "二"), sentences=("三四",),
        dictionary=(Entry("鲁提辖", 9, "nr"),), tokens="0:4", epochs=2, dim=16,
    )  # fmt: skip
    back = AttendSettings.from_json(json.loads(json.dumps(settings.to_json())))
    assert back.description() == settings.description()
    assert back.dictionary == settings.dictionary
    assert back.sentences == settings.sentences
    assert back.texts == ()
    assert (back.task, back.tokens, back.epochs, back.dim) == ("next-token", "0:4", 2, 16)


def test_a_function_of_ones_own_can_not_be_kept():
    settings = AttendSettings(scheme=OwnBias(lambda distance: -np.abs(distance)[None].repeat(4, 0)))
    with pytest.raises(ClockhandsError, match="function"):
        settings.to_json()
