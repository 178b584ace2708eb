"""The check of policies detects policies that break a law."""

import numpy as np
import pytest
from attrs import evolve, frozen

from ftree import CART, ID3, gain, grow
from ftree.splitters import BestSplits, cut_after, multiway, random_features, threshold, two_sides
from ftree.testing import check_policy

pytestmark = pytest.mark.usefixtures("unshrunk")


def by_alphabet(candidates):
    """Scores, where ties go to the name that is first in the alphabet."""
    names = [candidates.every_run.features[number].name for number in candidates.feature]
    return candidates.score - np.unique(names, return_inverse=True)[1] / 1000


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


class OneSet:
    """A stopping rule that notes all features in one set."""

    def at_root(self, _):
        return set()

    def below(self, used, split, children):
        used.update(split.features)
        return [used] * len(children)

    def __call__(self, frontier):
        return np.zeros(frontier.shape, bool)


def of_0_by_0(children, impurity):
    return 0 * gain(children, impurity) / gain(children, impurity)


BEST = {"exempt": {"best"}}


@pytest.mark.parametrize(
    ("wrong", "options", "law"),
    [
        (evolve(ID3, splits=(multiway(),)), {}, "points with one label"),
        (evolve(ID3, score=of_0_by_0), {}, r"no part of a policy divides 0 by 0: invalid value .*, for \{'a': "),
        (evolve(ID3, choose=by_alphabet), BEST, "renaming changes names only"),
        (
            evolve(ID3, splits=(random_features(1, (multiway(), threshold()), seed=1),)),
            {},
            r"(no other feature's split scores higher|the lowest feature's is chosen)(.|\n)*, for ",
        ),
        (evolve(ID3, splits=(multiway(), ByNumberOfNode())), BEST, "a branch that was cut grows again|points with one label"),
        (
            CART,
            {"oracle": lambda dataset: grow(dataset, ID3)},
            r"a policy grows what the oracle grows: got (.|\n)*, must be (.|\n)*, for dataset = ",
        ),
        (ID3.stopping(OneSet()), {}, "the inherited state of a node stays as it was"),
    ],
)
def test_a_policy_that_breaks_a_law_is_caught(wrong, options, law):
    with pytest.raises(AssertionError, match=law):
        check_policy(wrong, **options)


def test_a_policy_that_makes_leaves_without_cases_is_caught():
    def check_three_times(policy):
        for _ in range(3):  # few tables have a value that a node's cases lack
            check_policy(policy)

    with pytest.raises(AssertionError, match="no leaf is without a case"):
        check_three_times(evolve(ID3, splits=(multiway(empty=True), threshold())))
