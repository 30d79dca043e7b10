"""Cards are complete, in both languages, and say nothing that the code contradicts."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest
from matplotlib.mathtext import MathTextParser

from clockhands.catalogue import CATALOGUE, SCHEMES, Description, OwnBias, OwnFrequencies, OwnTable
from clockhands.catalogue.alibi import ALiBi
from clockhands.catalogue.learned import Learned
from clockhands.catalogue.t5 import T5

EVERY = (*CATALOGUE, OwnFrequencies, OwnTable, OwnBias)
STARTS_FIXED = ("tagged", "lerope", "pope-polar")
"""Learned, but training starts at fixed numbers."""
STAYS_RANDOM = ("fope",)
"""Random, and training leaves it so."""

every_scheme = pytest.mark.parametrize("scheme", CATALOGUE, ids=lambda scheme: scheme.card.id)
every_class = pytest.mark.parametrize("scheme", EVERY, ids=lambda scheme: scheme.card.id)


def test_the_schemes_and_their_order() -> None:
    ids = ["nope", "sinusoidal", "learned", "rope", "alibi", "t5", "mixed", "layered", "tagged"]
    assert [scheme for scheme in SCHEMES if scheme in ids] == ids  # more may stand among them
    assert [scheme.card.id for scheme in CATALOGUE] == list(SCHEMES)
    assert len(SCHEMES) == len(CATALOGUE)  # no id twice


@every_class
def test_texts_exist_in_both_languages(scheme: type[Description]) -> None:
    card = scheme.card
    for text in (card.title, card.idea, *([card.differs] if card.differs else [])):
        assert re.search("[a-z]", text.en)
        assert not re.search("[\u4e00-\u9fff]", text.en)
        assert re.search("[\u4e00-\u9fff]", text.zh)
    assert card.idea.en.endswith(".")
    assert card.idea.zh.endswith("。")


@every_scheme
def test_a_scheme_names_its_sources_or_says_that_it_is_an_experiment(scheme: type[Description]) -> None:
    card = scheme.card
    assert bool(card.sources) != bool(card.origin)
    if card.origin:
        assert "not a published scheme" in card.origin.en
        assert "不是发表过的方案" in card.origin.zh
        assert not card.used_by  # a model that does something near it does not use it
    for source in (*card.sources, *card.related):
        number = re.fullmatch(r"arXiv (\d\d)(\d\d)\.\d{5}|arXiv (\d\d)(\d\d)\.\d{4}", source.where)
        if re.fullmatch(r"https://[\w.-]+/\S+", source.where):
            continue  # what was published at its own address only
        assert number, source.where
        posted = 2000 + int(number[1] or number[3])
        assert source.year - posted in (0, 1)  # papers may appear the year after they were posted


def test_what_the_experiments_are() -> None:
    assert {id for id, scheme in SCHEMES.items() if scheme.card.origin} >= {"mixed", "layered", "tagged"}


@every_class
def test_who_uses_it_is_said_in_both_languages(scheme: type[Description]) -> None:
    """Names stay as they are; what is said beside a name is translated."""
    card = scheme.card
    assert len(card.users("en")) == len(card.users("zh")) == len(card.used_by)
    for english, chinese in zip(card.users("en"), card.users("zh"), strict=True):
        assert "(" not in chinese
        assert (english == chinese) == ("(" not in english)


def test_nope_says_that_scores_know_no_position() -> None:
    idea = SCHEMES["nope"].card.idea
    assert "do not depend on position at all" in idea.en
    assert "完全不随位置变化" in idea.zh


@every_class
def test_formulas_can_be_drawn(scheme: type[Description]) -> None:
    assert MathTextParser("agg").parse(f"${scheme.card.formula}$").width > 10


@every_scheme
def test_default_parameters_are_valid_and_make_a_value(scheme: type[Description]) -> None:
    one, other = scheme(), scheme()
    assert one == other
    assert hash(one) == hash(other)
    assert dataclasses.replace(one) == one
    assert set(scheme.aliases.values()) <= set(scheme.parameters())
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.card = None


@every_scheme
def test_what_is_computed_is_float64_and_says_when_it_is_random(scheme: type[Description]) -> None:
    described = scheme()
    positions = np.arange(6).reshape(2, 3)
    found = {
        "inv_freq": described.inv_freq(),
        "table": described.table(positions),
        "bias": described.bias(positions),
    }
    for hook, values in found.items():
        assert (values is not None) == (hook in described.touches())
        if values is not None:
            assert values.dtype == np.float64
            # A bias may hide a key altogether, but nothing is ever made infinitely likely.
            assert (np.isfinite(values) | (np.isneginf(values) & (hook == "bias"))).all()
    if found["table"] is not None:
        assert found["table"].shape[:2] == (2, 3)
    if found["bias"] is not None:
        assert found["bias"].shape[1:] == (2, 3)
        assert len(found["bias"]) == getattr(described, "num_heads", len(found["bias"]))
    drawn = described.traits.learned and scheme.card.id not in STARTS_FIXED
    is_random = drawn or scheme.card.id in STAYS_RANDOM
    assert (described.untrained_seed is not None) == is_random


@every_scheme
def test_only_layered_differs_between_layers(scheme: type[Description]) -> None:
    described = scheme()
    each = [described.at_layer(layer, 3) for layer in range(3)]
    if hasattr(described, "seed"):  # numbers to be trained may start differently
        each = [dataclasses.replace(one, seed=described.seed) for one in each]
    assert all(one == described for one in each) == (scheme.card.id != "layered")


def test_parameters_change_the_promises_they_concern() -> None:
    assert Learned(max_positions=7).traits.max_position == 7
    assert T5(bidirectional=True).traits.bidirectional
    assert not T5().traits.bidirectional
    assert not ALiBi().traits.bidirectional
    symmetric = ALiBi(symmetric=True).traits
    assert symmetric.bidirectional
    assert symmetric.mirrored  # left and right look alike to it
    assert OwnTable(np.ones((5, 2))).traits.max_position == 5
    assert OwnTable(lambda p: np.ones((*p.shape, 2))).traits.max_position is None


@pytest.mark.parametrize(("bidirectional", "horizon"), [(False, 113), (True, 91)])
def test_t5_is_blind_from_its_horizon_on(bidirectional: bool, horizon: int) -> None:
    t5 = T5(bidirectional=bidirectional)
    assert t5.traits.horizon == horizon
    before, at, after, far = t5.bias(np.asarray([horizon - 1, horizon, horizon + 1, 10**6])).T
    assert (before != at).all()
    np.testing.assert_array_equal(at, after)
    np.testing.assert_array_equal(at, far)
