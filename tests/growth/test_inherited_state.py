"""What parts hand down a growing tree, and the score of a split as a figure of rules."""

from collections.abc import Callable
from math import log10
from typing import Any

import numpy as np
import pytest
from attrs import evolve, frozen
from hypothesis import given

from ftree import CHAID, ID3, Dataset, Feature, grow
from ftree.criteria import Nodes
from ftree.splitters import Candidates, interactions, merging
from ftree.stop import max_depth, min_gain, no_gain, per_node, pure
from ftree.testing.strategies import datasets
from ftree.tree import Branch


@frozen
class LevelsAbove:
    """A rule that counts levels: as `max_depth`, by what stands above."""

    limit: int

    def at_root(self, _):
        return 0

    def below(self, depth, _, children):
        return [depth + 1] * len(children)

    def __call__(self, frontier):
        return np.asarray(frontier.inherited(self)).astype(int) >= self.limit


@given(datasets(missing=True, weighted=True))
def test_a_count_of_levels_is_the_depth_in_any_composition_engine_and_continued_growth(dataset):
    wanted = grow(dataset, ID3.stopping(max_depth(2)))
    rule = LevelsAbove(2)
    for own in (rule, ~(pure() & no_gain()) & rule, ~~max_depth(9) | rule):
        for engine in ("plain", "compiled"):
            assert grow(dataset, ID3.stopping(own), engine=engine) == wanted
    half = grow(dataset, ID3.stopping(LevelsAbove(1)))
    assert grow(dataset, ID3.stopping(rule), start=half) == wanted


@given(datasets(missing=True, weighted=True))
def test_nodes_and_their_candidates_inherit_what_was_handed_to_them(dataset):
    """Handed counts are those of the node itself."""

    @frozen
    class OfNode:
        answer: Callable[[Any], Any]

        def at_root(self, _):
            return dataset.class_counts()

        def below(self, _, split, children):
            assert len(children) == split.n_children
            return [tuple(child) for child in children.tolist()]

        def __call__(self, asked):
            assert [tuple(counts) for counts in asked.counts.tolist()] == list(asked.inherited(self))
            return self.answer(asked)

    rule, choice = OfNode(lambda _: np.False_), OfNode(lambda candidates: candidates.score)
    for policy in (ID3.stopping(rule), evolve(ID3, choose=choice)):
        for engine in ("plain", "compiled"):
            assert grow(dataset, policy, engine=engine) == grow(dataset)


@given(datasets(max_rows=30))
def test_significance_as_a_score_makes_the_rule_of_chaid_a_comparison(dataset):
    open_ended = evolve(CHAID, splits=(merging(alpha_split=1),))
    own = open_ended.stopping(lambda frontier: frontier.score < -log10(0.05))
    assert grow(dataset, own) == grow(dataset, CHAID)


@given(datasets(missing=True, weighted=True))
def test_a_score_that_is_the_gain_stops_as_the_gain_does(dataset):
    wanted = grow(dataset, ID3.stopping(min_gain(0.1)))
    for engine in ("plain", "compiled"):
        for rule in (lambda frontier: frontier.score < 0.1 - 1e-9, per_node(lambda node: node.score < 0.1 - 1e-9)):
            assert grow(dataset, ID3.stopping(rule), engine=engine) == wanted


def test_a_part_without_inherited_state_is_told_what_it_needs():
    with pytest.raises(TypeError, match=r"methods at_root and below.*got <lambda>"):
        grow(Dataset.from_rows([["a"], ["b"]], [0, 1]), ID3.stopping(lambda frontier: frontier.inherited(lambda _: 0) > 0))
    with pytest.raises(TypeError, match="must have methods at_root and below"):
        Nodes(0, np.array([[1, 1]])).inherited(LevelsAbove(1))

    class Forgetful(LevelsAbove):
        def below(self, depth, *_):
            return [depth]

    with pytest.raises(ValueError, match=r"below of .*Forgetful.* must return 2 values, one a child, got 1"):
        grow(Dataset.from_rows([["a", 1], ["b", 1], ["b", 2]], [0, 1, 0]), ID3.stopping(Forgetful(5)))


def test_candidates_that_were_made_by_hand_say_what_they_lack():
    zero = np.array([0])
    found = Candidates(zero, zero, np.array([0.5]), lambda _: np.ones(1), zero > 0)
    for ask in (lambda: found.known, lambda: found.counts, lambda: found.inherited(interactions([], ()))):
        with pytest.raises(ValueError, match=r"Candidates must have .*runs"):
            ask()


def test_a_choice_sees_the_cases_the_values_and_the_split_of_each_candidate():
    data = Dataset.from_columns({"a": list("xxyy"), "b": [1, None, 2, 2], "class": [0, 0, 1, 1]})
    seen = []

    def look(candidates):
        known = candidates.known
        seen.append((candidates.counts.tolist(), known.weight.tolist(), known.value.tolist()))
        seen.append([candidates.build(number)[0].features for number in range(2)])
        return candidates.score

    grow(data, evolve(ID3, choose=look))
    assert seen[:2] == [([[2, 2], [2, 2]], [4, 3], [0, 1, 1, 2]), [(0,), (1,)]]


def test_the_value_at_the_root_may_depend_on_the_features():
    @frozen
    class Named(LevelsAbove):
        def at_root(self, features):
            return features == (Feature("a", "nominal", ("x", "y")),)

    for name, is_leaf in (("a", True), ("b", False)):
        root = grow(Dataset.from_rows([["x"], ["y"]], [0, 1], features=[name]), ID3.stopping(Named(1))).root
        assert isinstance(root, Branch) != is_leaf
