"""The library's growth policies keep the laws of policies; ID3 and CART grow the trees of plain recursion."""

from functools import partial

import numpy as np
import pytest
from attrs import evolve
from test_our_missing import best_root, counts_of, known_only

from ftree import C45, CART, CHAID, ID3, Branch, Leaf, Tree, gain_ratio, gini, misclassification
from ftree.linear import perceptrons
from ftree.splitters import (
    as_branch,
    intervals,
    logistic,
    merging,
    multiway,
    oblique,
    one_value,
    per_feature,
    random_features,
    random_threshold,
    subset,
    threshold,
)
from ftree.stop import max_depth, max_leaves, not_significant, pure
from ftree.testing import check_policy
from ftree.tree.splits import child_of

pytestmark = pytest.mark.usefixtures("fewer")


def grown(dataset, policy):
    """A tree by plain recursion, until nodes are pure or no split gains."""

    def node(some):
        counts = counts_of(some, np.zeros(len(some), int), 1)[0]
        split = best_root(known_only, some, policy)
        if split is None or max(counts) == sum(counts):
            return Leaf(counts)
        child = child_of(split, some.columns[split.feature])
        return Branch(counts, split, [node(some.take(child == side)) for side in range(split.n_children)])

    return Tree(dataset.schema, node(dataset))


@pytest.mark.parametrize("policy", [ID3, CART], ids=["ID3", "CART"])
def test_a_policy_grows_what_recursion_grows(policy):
    check_policy(policy, oracle=partial(grown, policy=policy))


POLICIES = {
    "gain ratio": (evolve(ID3, score=gain_ratio), ()),
    "best first": (evolve(CART, stop=pure() | max_leaves(3)), ()),
    "one value": (evolve(CART, splits=(one_value(), threshold())), ()),
    "sums": (evolve(ID3, splits=(multiway(), threshold(), oblique())), ()),
    "two splitters": (evolve(ID3, splits=(multiway(), subset(), threshold())), ()),
    "C4.5": (C45, {"apart", "empty"}),
    "CHAID": (CHAID, {"apart", "best"}),
    "CHAID that divides again": (
        evolve(CHAID, splits=(merging(alpha_merge=0.5, alpha_split=1, alpha_resplit=0.4, bonferroni=False),)),
        {"apart", "best"},
    ),
    "intervals": (evolve(ID3, splits=(multiway(min_cases=2), intervals(at_most=2))), {"apart"}),
    "least sizes": (evolve(ID3, splits=(subset(min_cases=2), threshold(min_cases=2))), {"apart"}),
    "random features": (evolve(ID3, splits=(random_features(1, (multiway(), threshold()), seed=1),)), {"apart", "best"}),
    "random cuts": (evolve(ID3, splits=(multiway(), random_threshold(seed=1))), {"best"}),
    "one value of least size": (evolve(CART, splits=(one_value(min_cases=2), threshold(min_cases=3))), {"apart", "best"}),
    "sums by perceptrons": (evolve(ID3, splits=(multiway(), threshold(), oblique(by=perceptrons()))), ()),
    "sums by regression": (evolve(CART, splits=(subset(), threshold(), oblique(by=logistic()))), ()),
    "few groups": (
        evolve(CHAID, splits=(merging(alpha_merge=0.5, alpha_split=0.9, min_cases=2, bins=2, most=3),), missing="ignore"),
        {"apart", "best"},
    ),
    "one cut": (evolve(ID3, splits=(multiway(), intervals(at_most=1, min_cases=2))), {"apart"}),
    "misclassification": (evolve(CART, impurity=misclassification), ()),
    "heaviest": (evolve(ID3, missing="heaviest"), ()),
    "missing as a value": (evolve(CART, missing="as_value"), ()),
    "missing as a branch": (evolve(ID3, missing=as_branch()), ()),
    "missing on a side of a subset": (evolve(CART, missing=as_branch()), ()),
    "missing as a floating category": (
        evolve(CHAID, missing=as_branch(floating=True), splits=(merging(alpha_split=1, bonferroni=False),)),
        {"apart"},
    ),
    "tested": (evolve(ID3, stop=not_significant(0.2) | max_depth(3)), ()),
    "own impurity": (evolve(CART, impurity=lambda counts: np.sqrt(gini(counts))), ()),
    "own rule": (evolve(ID3, stop=lambda frontier: frontier.weight < 3), ()),
    "by feature": (evolve(ID3, splits=(per_feature({}, otherwise=(multiway(), threshold())),)), ()),
}


@pytest.mark.parametrize(("policy", "exempt"), POLICIES.values(), ids=POLICIES)
def test_a_policy_of_ours_keeps_the_laws(policy, exempt):
    check_policy(policy, exempt=exempt)
