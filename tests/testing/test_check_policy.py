"""The battery for policies detects policies that break a law."""

import numpy as np
import pytest
from attrs import evolve, frozen

from ftree import CART, ID3, grow
from ftree.splitters import BestSplits, best_of, cut_after, multiway, random_features, threshold, two_sides
from ftree.testing import check_policy

pytestmark = pytest.mark.usefixtures("unshrunk")


def test_a_policy_that_cannot_tell_rows_apart_is_caught():
    with pytest.raises(AssertionError, match="points with one label"):
        check_policy(evolve(ID3, splits=(multiway(),)))


@frozen
class ByName:
    """Splits features by the letters of their names, and does not split `new` ones."""

    kinds = ("nominal", "ordinal", "numeric")

    def __call__(self, runs, measure):
        found = best_of(runs, [multiway(), threshold()], measure)
        new = np.array([feature.name.startswith("new") for feature in runs.features])
        return BestSplits(np.where(new[runs.feature], -np.inf, found.score), found.build)


def test_a_policy_that_looks_at_names_is_caught():
    with pytest.raises(AssertionError, match="renaming changes names only"):
        check_policy(evolve(ID3, splits=(ByName(),)))


def test_a_policy_that_makes_leaves_without_cases_is_caught():
    def check_three_times(policy):
        for _ in range(3):  # few tables have a value that a node's cases lack
            check_policy(policy)

    with pytest.raises(AssertionError, match="no leaf is without a case"):
        check_three_times(evolve(ID3, splits=(multiway(empty=True), threshold())))


def test_a_policy_that_passes_over_the_best_feature_is_caught():
    with pytest.raises(
        AssertionError, match=r"(no other feature's split scores higher|the lowest feature's is chosen)(.|\n)*, for "
    ):
        check_policy(evolve(ID3, splits=(random_features(1, (multiway(), threshold()), seed=1),)))


@frozen
class ByNumberOfNode:
    """Cuts "at random", by what else is open in the level."""

    kinds = ("numeric",)

    def __call__(self, runs, measure):
        below = runs.start + (7 * runs.node + runs.feature) % np.maximum(runs.size - 1, 1)
        score = [
            float(measure(two_sides(runs, run, low)[None])[0]) if low + 1 < runs.end[run] else -np.inf
            for run, low in enumerate(below)
        ]
        return BestSplits(np.array(score), lambda run: cut_after(runs, run, below[run]))


def test_a_policy_that_draws_by_the_number_of_a_node_is_caught():
    with pytest.raises(AssertionError, match=r"a branch that was cut grows again|points with one label"):
        check_policy(evolve(ID3, splits=(multiway(), ByNumberOfNode())), exempt={"best"})


def test_a_policy_that_is_not_what_the_oracle_grows_is_caught():
    with pytest.raises(
        AssertionError, match=r"a policy grows what the oracle grows: got (.|\n)*, must be (.|\n)*, for dataset = "
    ):
        check_policy(CART, oracle=lambda dataset: grow(dataset, ID3))
