"""A subclass of a part may do anything: every engine calls it, whatever the library knows of the class that it extends."""

import numpy as np
import pytest
from attrs import evolve, frozen
from c_functions import tsallis
from hypothesis import given
from hypothesis import strategies as st

from ftree import C45, CART, ID3, Dataset, grow
from ftree.criteria import compiled_impurity, gini
from ftree.criteria.predicate import any_of
from ftree.growth import by_definition
from ftree.missing import surrogates
from ftree.splitters import (
    BestSplits,
    by_gain_ratio,
    by_score,
    c45_min_branch,
    multiway,
    one_value,
    random_features,
    random_threshold,
    subset,
    threshold,
)
from ftree.stop import (
    before_the_search,
    max_depth,
    max_leaves,
    min_best_child,
    min_errors,
    min_gain,
    min_rows,
    never,
    no_gain,
    pure,
)
from ftree.testing import datasets, schemas
from ftree.tree import Threshold
from ftree.tree.fold import walk


def last_feature_of(splitter):
    """A class of splitters that find splits of the last feature only, where it has any."""

    class OfLast(splitter):
        def __call__(self, runs, measure):
            found = super().__call__(runs, measure)
            return BestSplits(np.where(runs.feature == len(runs.features) - 1, found.score, -np.inf), found.build)

    return OfLast


def lowest_of(choice):
    """A class of choices of the candidate with the lowest figure."""

    class Lowest(choice):
        def __call__(self, candidates):
            return -super().__call__(candidates).clip(-1)

    return Lowest


def opposite_of(rule):
    """A class of rules that close what the rule does not, and every node from a depth on."""

    class Opposite(rule):
        def __call__(self, frontier):
            return ~super().__call__(frontier) | (frontier.depth >= 3)

    return Opposite


class OneMore(c45_min_branch):
    """A least weight of children that is one more."""

    def __call__(self, *given):
        return super().__call__(*given) + 1


class NoSurrogates(surrogates):
    """Surrogates that no split gets."""

    def add_surrogates(self, splits, *_):
        return tuple(splits)


class AsGini(compiled_impurity):
    """A C function in whose place Python answers."""

    def __call__(self, counts):
        return gini(counts)


@frozen
class StrictlyBelow(Threshold):
    """A threshold that sends a row with just its number to the right."""

    def child(self, *columns):
        return np.where(np.isnan(columns[0]), -1, columns[0] >= self.at).astype(int)


class Strict(threshold):
    """A splitter of thresholds of an own class, at values that occur."""

    def __call__(self, runs, measure):
        found = super().__call__(runs, measure)

        def build(run):
            split, counts = found.build(run)
            value = runs.value[runs.start[run] : runs.end[run]]
            return StrictlyBelow(split.feature, float(value[value > split.at].min())), counts

        return BestSplits(found.score, build)


BINARY = evolve(CART, splits=(threshold(), subset()))
SPLITTERS = [
    *((last_feature_of(threshold)(), subset()), (threshold(), last_feature_of(subset)()), (Strict(), subset())),
    *((threshold(), last_feature_of(multiway)()), (threshold(), last_feature_of(one_value)())),
    *((threshold(min_cases=OneMore(1)), subset()), (last_feature_of(random_features)(2, (threshold(), subset()), seed=1),)),
    *((last_feature_of(random_threshold)(seed=1), subset()), (random_features(2, (last_feature_of(threshold)(),), seed=1),)),
]
RULES = [opposite_of(each)(2) for each in (min_rows, min_errors, min_best_child, max_leaves)]
RULES += [opposite_of(pure)(), opposite_of(no_gain)(), opposite_of(min_gain)(0.1), opposite_of(max_depth)(1)]
RULES += [opposite_of(any_of)(max_depth(2), pure())]
POLICIES = [
    *(evolve(BINARY, splits=splits, stop=CART.stop | max_depth(4)) for splits in SPLITTERS),
    *(evolve(policy, stop=rule) for policy in (BINARY, ID3) for rule in RULES),
    *(evolve(BINARY, choose=lowest_of(each)(), stop=pure() | max_depth(3)) for each in (by_score, by_gain_ratio)),
    *(evolve(ID3, choose=lowest_of(by_score)()), evolve(C45, choose=lowest_of(by_gain_ratio)())),
    *(evolve(BINARY, missing=NoSurrogates()), evolve(BINARY, impurity=AsGini(tsallis))),
]
TABLES = schemas(response="classes").flatmap(lambda schema: datasets(schema=schema, missing=True, weighted=True))
COMPLETE = schemas(kinds=("numeric",), response="classes").flatmap(lambda schema: datasets(schema=schema))


@given(TABLES | COMPLETE, st.sampled_from(POLICIES))
def test_every_engine_calls_the_method_of_a_subclass(dataset, policy):
    tree = grow(dataset, policy, engine="plain")
    assert grow(dataset, policy, engine="compiled") == tree == grow(dataset, policy)


@given(COMPLETE, st.sampled_from([policy for policy in POLICIES if max_leaves not in type(policy.stop).__mro__]))
def test_the_definition_grows_the_tree_of_a_subclass(dataset, policy):
    assert grow(dataset, policy) == by_definition(dataset, policy)


@pytest.mark.parametrize("policy", POLICIES, ids=range(len(POLICIES)))
def test_a_subclass_grows_its_tree_from_a_table_that_the_library_would_take(policy):
    random = np.random.default_rng(1)
    rows = random.normal(size=(200, 3)).round(1)
    dataset = Dataset.from_rows(rows, (rows @ [1, 0.5, 0.2] + random.normal(size=200) > 0).tolist())
    assert grow(dataset, policy, engine="compiled") == grow(dataset, policy, engine="plain")


def test_a_subclass_of_a_rule_keeps_its_answer_in_a_composition():
    own = opposite_of(any_of)(max_depth(2))
    assert (own | pure()).rules == (own, pure())
    assert any_of(any_of(own), any_of(pure())).rules == (own, pure())


def test_a_subclass_of_a_rule_may_read_the_split():
    class Early(max_depth):
        pass

    assert before_the_search(Early(3) | pure()) == any_of(pure())
    assert before_the_search(opposite_of(any_of)(pure()) | no_gain()) == never


def test_a_split_of_a_subclass_is_in_the_tree_as_it_was_made():
    dataset = Dataset.from_rows(np.arange(8.0)[:, None], [0, 0, 0, 1, 1, 0, 0, 0])
    tree = grow(dataset, evolve(CART, splits=(Strict(),)))
    assert {type(node.split) for _, node in walk(tree) if hasattr(node, "split")} == {StrictlyBelow}
