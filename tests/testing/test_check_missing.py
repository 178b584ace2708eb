"""The battery for missing values passes the library's own (tests/routing/test_missing_rules.py), and detects each broken law."""

from importlib import import_module

import numpy as np
import pytest
from attrs import evolve, frozen
from hypothesis import HealthCheck, settings

from ftree import Leaf
from ftree.missing import heaviest, ignore, stop_here
from ftree.testing import check_missing

pytestmark = pytest.mark.usefixtures("unshrunk")


def test_a_rule_that_changes_the_sizes_is_caught():
    def changing(sizes):
        sizes += 1
        return np.ones(len(sizes))

    with pytest.raises(AssertionError, match="a rule does not change the sizes"):
        check_missing(changing)


def test_a_rule_with_a_state_is_caught():
    calls = []

    def forgetful(sizes):
        calls.append(1)
        return np.full(len(sizes), len(calls))

    with pytest.raises(AssertionError, match="a rule returns the same for the same sizes"):
        check_missing(forgetful)


def test_a_rule_that_mixes_branches_is_caught():
    def mixing(sizes):
        return sizes / sizes.sum()

    mixing.broadcasts = True
    with pytest.raises(AssertionError, match="for many branches the shares of each"):
        check_missing(mixing)


def test_shares_that_are_negative_are_caught():
    with pytest.raises(ValueError, match="a finite number from 0 for each"):
        check_missing(lambda sizes: -sizes)


def test_shares_of_growth_that_do_not_add_up_are_caught():
    @frozen
    class Doubling:
        def shares(self, sizes):
            return np.ones(len(sizes))

    with pytest.raises(ValueError, match="shares that add up to 1"):
        check_missing(Doubling())


@pytest.mark.parametrize(("factor", "law"), [(-1.0, "finite and never negative"), (np.nan, "finite and never negative")])
def test_a_discount_that_is_no_factor_is_caught(factor, law):
    @frozen
    class Discounting:
        def discount(self, known):
            return known * 0 + factor

    with pytest.raises(AssertionError, match=law):
        check_missing(Discounting())


def test_what_is_neither_a_rule_nor_a_policy_is_refused():
    with pytest.raises(ValueError, match="missing must be a prediction rule"):
        check_missing(3)


def test_a_policy_whose_root_is_not_the_oracle_s_is_caught():
    with pytest.raises(AssertionError, match="the root's split is that of the oracle"):
        check_missing(ignore(), oracle=lambda *_: None)


@pytest.fixture
def battery(monkeypatch):
    """The battery's file, with few examples, and without the one for policies."""
    found = import_module("ftree.testing.check_missing")
    few = settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
    monkeypatch.setattr(found, "trying", lambda **_: few)
    monkeypatch.setattr(found, "check_policy", lambda _: None)
    return found


def of_rule(predict):
    """Predictions that a rule decides, whatever a row answers."""
    return lambda tree, dataset, missing=None: [(label, missing) for label in predict(tree, dataset)]


def told_otherwise(grow):
    """Growth by the compiled engine that finds one leaf."""

    def grown(dataset, policy, *, engine):
        tree = grow(dataset, policy, engine="plain")
        return evolve(tree, root=Leaf(tree.root.counts[::-1])) if engine == "compiled" else tree

    return grown


@pytest.mark.parametrize(
    ("name", "wrong", "law"),
    [
        ("predict_counts", lambda of: lambda *given, **options: of(*given, **options) * np.nan, "predicted counts are finite"),
        (
            "predict_counts",
            lambda of: lambda *given, **options: -1 - of(*given, **options),
            "predicted counts are never negative",
        ),
        (
            "predict_counts",
            lambda of: lambda *given, **options: np.cumsum(of(*given, **options), axis=0),
            "row order does not matter",
        ),
        ("predict", of_rule, "a row with an answer at every split does not depend on the rule|a tree predicts by its rule"),
        ("gather_counts", lambda of: lambda *given: of(*given) + 1, "compiled code predicts as NumPy does"),
    ],
)
def test_what_answers_otherwise_than_a_law_says_is_caught_for_a_rule_and_for_a_policy(battery, name, wrong, law, monkeypatch):
    monkeypatch.setattr(battery, name, wrong(getattr(battery, name)))
    with pytest.raises(AssertionError, match=law):
        check_missing(heaviest())
    with pytest.raises(AssertionError, match=law):
        check_missing(ignore(predict=heaviest()))


@pytest.mark.parametrize(
    ("wrong", "law"),
    [
        (told_otherwise, "all engines grow the same tree"),
        (lambda grow: lambda *given, **options: evolve(grow(*given, **options), missing=stop_here()), "a tree keeps its rule"),
    ],
)
def test_growth_that_breaks_a_law_is_caught(battery, wrong, law, monkeypatch):
    monkeypatch.setattr(battery, "grow", wrong(battery.grow))
    with pytest.raises(AssertionError, match=law):
        check_missing(ignore())


def test_a_discount_is_one_factor_for_each_share():
    @frozen
    class Discounting:
        def discount(self, known):
            return known.sum()

    with pytest.raises(AssertionError, match="one factor for each share of known cases"):
        check_missing(Discounting())
