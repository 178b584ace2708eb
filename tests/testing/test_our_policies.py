"""The library's growth policies keep the laws of policies; ID3 and CART grow the trees of plain recursion."""

from functools import partial
from itertools import pairwise, product

import numpy as np
import pytest
from attrs import evolve

from ftree import C45, CART, CHAID, ID3, Branch, Leaf, Tree, entropy, gain_ratio, gini, misclassification
from ftree.splitters import (
    as_branch,
    intervals,
    logistic,
    merging,
    multiway,
    oblique,
    one_value,
    per_feature,
    perceptrons,
    random_features,
    random_threshold,
    subset,
    threshold,
)
from ftree.stop import max_depth, max_leaves, not_significant, pure
from ftree.testing import check_policy
from ftree.tree import Multiway, Subset, Threshold
from ftree.tree.splits import child_of

pytestmark = pytest.mark.usefixtures("fewer")


def counted(labels, n_classes):
    return tuple(np.bincount(labels, minlength=n_classes).tolist())


def candidates(kind, number, column, labels, *, binary):
    """Every split of a feature, in the order in which ties are decided."""
    values = sorted(set(column.tolist()))
    if kind != "nominal":
        return [Threshold(number, (low + high) / 2) for low, high in pairwise(values)]
    if not binary:
        return [Multiway(number, values)] if len(values) > 1 else []
    first, *others = values
    if labels.max() > 1:
        sides = [
            {first, *(v for v, own in zip(others, kept, strict=True) if own)}
            for kept in product((True, False), repeat=len(others))
        ]
        return [Subset(number, sorted(side)) for side in sides[1:]]
    order = sorted(values, key=lambda value: (labels[column == value] == 0).mean())
    sides = [set(order[:end]) for end in range(1, len(order))]
    return [Subset(number, sorted(side if first in side else set(values) - side)) for side in sides]


def grown(dataset, *, impurity, binary):
    """A tree by plain recursion, until nodes are pure or no split gains."""
    schema, n = dataset.schema, len(dataset.schema.classes)

    def gained(counts):
        sizes = counts.sum(axis=1)
        return float(impurity(counts.sum(axis=0)) - (sizes * impurity(counts)).sum() / sizes.sum())

    def node(rows):
        labels, found, best = dataset.target_column[rows], None, 1e-9
        counts = counted(labels, n)
        for number, feature in enumerate(schema.features):
            column, scored = dataset.columns[number][rows], []
            several = np.where(n > 2, np.maximum(labels, 2), labels) if len(labels) else labels
            for split in candidates(feature.kind, number, column, several if binary else labels, binary=binary):
                child = child_of(split, column)
                table = np.array([counted(labels[child == side], n) for side in range(split.n_children)])
                scored.append((gained(table), split, child))
            top = max((score for score, *_ in scored), default=0.0)
            if top > best + (1e-9 if found else 0):
                best, found = top, next(one for one in scored if one[0] >= top - 1e-9)
        if found is None or max(counts) == sum(counts):
            return Leaf(counts)
        _, split, child = found
        return Branch(counts, split, [node(rows[child == side]) for side in range(split.n_children)])

    return Tree(schema, node(np.arange(len(dataset))))


@pytest.mark.parametrize(
    ("policy", "oracle"),
    [(ID3, partial(grown, impurity=entropy, binary=False)), (CART, partial(grown, impurity=gini, binary=True))],
    ids=["ID3", "CART"],
)
def test_a_policy_grows_what_recursion_grows(policy, oracle):
    check_policy(policy, oracle=oracle)


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
    "tested": (evolve(ID3, stop=not_significant(0.2) | max_depth(3)), ()),
    "own impurity": (evolve(CART, impurity=lambda counts: np.sqrt(gini(counts))), ()),
    "own rule": (evolve(ID3, stop=lambda frontier: frontier.weight < 3), ()),
    "by feature": (evolve(ID3, splits=(per_feature({}, otherwise=(multiway(), threshold())),)), ()),
}


@pytest.mark.parametrize(("policy", "exempt"), POLICIES.values(), ids=POLICIES)
def test_a_policy_of_ours_keeps_the_laws(policy, exempt):
    check_policy(policy, exempt=exempt)
