"""The library's rules and policies for missing values keep the laws, and split the root as loops over every candidate do."""

from functools import partial
from itertools import pairwise, product

import numpy as np
import pytest

from ftree.missing import surrogates
from ftree.routing import all_routes, heaviest, stop_here, weighted
from ftree.splitters import as_branch, as_value, ignore, subset
from ftree.splitters.missing_policies import hook
from ftree.testing import check_missing
from ftree.tree import Groups, IsMissing, Multiway, Subset, Surrogate, Threshold, WithDefault, WithSurrogates
from ftree.tree.splits import child_of

pytestmark = pytest.mark.usefixtures("fewer")


def weights_of(dataset):
    return np.ones(len(dataset)) if dataset.weights is None else np.asarray(dataset.weights, dtype=float)


def counts_of(dataset, child, n):
    counts = np.zeros((n, len(dataset.schema.classes)))
    np.add.at(counts, (child[child >= 0], dataset.target_column[child >= 0]), weights_of(dataset)[child >= 0])
    return counts


def gained(children, impurity):
    sizes = children.sum(axis=1)
    return float(impurity(children.sum(axis=0))) - sum(sizes * impurity(children)) / (sizes.sum() or 1)


def present(column):
    return sorted({value for value in column.tolist() if value >= 0})


def cuts(number, values):
    return [Threshold(number, (low + high) / 2) for low, high in pairwise(values)]


def divisions(dataset, column, values):
    """Divisions of values in two, child 0 with the first: for two classes the cuts by share, for more, every division."""
    if len(dataset.schema.classes) > 2:
        first, *others = values
        kept = list(product((True, False), repeat=len(others)))[1:]
        return [(first, *(v for v, own in zip(others, ways, strict=True) if own)) for ways in kept]
    counts = {value: counts_of(dataset, np.where(column == value, 0, -1), 1)[0] for value in values}
    order = sorted(values, key=lambda value: counts[value][0] / counts[value].sum())
    sides = [set(order[:end]) for end in range(1, len(order))]
    return [tuple(sorted(side if values[0] in side else set(values) - side)) for side in sides]


def known_only(dataset, policy, number):
    """The splits of one feature that known values may choose, as one way to count missing ones."""
    column, values = dataset.columns[number], present(dataset.columns[number])
    if dataset.schema.features[number].kind != "nominal":
        return [cuts(number, values)]
    if subset() not in policy.splits:
        return [[Multiway(number, values)] if len(values) > 1 else []]
    return [[Subset(number, some) for some in divisions(dataset, column, values)] if len(values) > 1 else []]


def with_missing(dataset, policy, number):
    """The same with missing values left, right or apart; in a nominal feature, missing is one more value."""
    column, values = dataset.columns[number], present(dataset.columns[number])
    missing = ~(column >= 0)
    if not missing.any() or not values:
        return known_only(dataset, policy, number)
    if dataset.schema.features[number].kind != "nominal":
        sides = [[WithDefault(cut, default_child=side) for cut in cuts(number, values)] for side in (0, 1)]
        return [*sides, [IsMissing(number)]]
    if subset() not in policy.splits:
        apart = WithDefault(Multiway(number, values), default_child=len(values))
        return [[apart if len(values) > 1 else IsMissing(number)]]
    code = len(dataset.schema.features[number].values)
    return [
        [
            _with_code(number, members, values, code)
            for members in divisions(dataset, np.where(missing, code, column), [*values, code])
        ]
    ]


def _with_code(number, members, values, code):
    known = tuple(value for value in members if value != code)
    side = 0 if code in members else 1
    if set(known) == set(values):
        return IsMissing(number)
    return WithDefault(Subset(number, known), default_child=side)


def best_root(ways, dataset, policy):
    """The best split of the root: among equal ones the first of a feature's first way, and the lowest feature's."""
    dataset = hook(policy.missing, "prepare")(dataset)
    found, highest, whole = None, 1e-9, weights_of(dataset).sum()
    for number in range(len(dataset.columns)):
        for splits in ways(dataset, policy, number):
            scored = [(score_of(dataset, policy, split, whole), split) for split in splits]
            top = max((score for score, _ in scored), default=0)
            if top > highest + 1e-9 or (found is None and top > 1e-9):
                highest, found = top, next(split for score, split in scored if score >= top - 1e-9)
    return found


def score_of(dataset, policy, split, whole):
    child = child_of(split, *(dataset.columns[feature] for feature in split.features))
    children = counts_of(dataset, child, split.n_children)
    return gained(children, policy.impurity) * hook(policy.missing, "discount")(children.sum() / whole)


def with_surrogates(dataset, policy):
    """The best root with the splits of other features that send the most cases the same way, as rpart finds them."""
    split = best_root(known_only, dataset, policy)
    if not isinstance(split, Threshold | Subset) or (dataset.columns[split.feature] >= 0).all():
        return split
    own = child_of(split, dataset.columns[split.feature])
    weights = np.where(own >= 0, weights_of(dataset), 0)
    sides = [weights[own == side].sum() for side in (0, 1)]
    found = []
    for number in range(len(dataset.columns)):
        other = None if number == split.feature else surrogate_of(dataset, number, own, weights)
        if other is not None:
            agreement, majority = other[2] / sum(sides), max(sides) / sum(sides)
            adjusted = (agreement - majority) / (1 - majority)
            found += [Surrogate(*other[:2], agreement, adjusted)] if adjusted > 1e-10 else []
    found.sort(key=lambda surrogate: -surrogate.agreement)
    return WithSurrogates(split, tuple(found[:5]), default_child=int(sides[1] > sides[0]))


def surrogate_of(dataset, number, own, weights):
    """The split of one feature that agrees most, whether it is reversed, and the cases that it sends the same way."""
    column = dataset.columns[number]
    if dataset.schema.features[number].kind == "nominal":
        return groups_of(column, number, own, weights)
    tried = []
    for cut in cuts(number, present(column[own >= 0])):
        low, high = (column >= 0) & (column <= cut.at), column > cut.at
        forward = weights[low & (own == 0)].sum() + weights[high & (own == 1)].sum()
        backward = weights[low & (own == 1)].sum() + weights[high & (own == 0)].sum()
        if min(weights[low].sum(), weights[high].sum()) >= 2:
            tried.append((cut, bool(backward > forward), max(forward, backward)))
    return max(tried, key=lambda one: one[2], default=None)


def groups_of(column, number, own, weights):
    """Each value goes to the side of most of its cases, a tied value with the majority."""
    sums = {v: [weights[(column == v) & (own == side)].sum() for side in (0, 1)] for v in present(column[own >= 0])}
    of_all = [sum(one[side] for one in sums.values()) for side in (0, 1)]
    side_of = {v: int(of_all[1] > of_all[0]) if one[0] == one[1] else int(one[1] > one[0]) for v, one in sums.items()}
    groups = [[int(v) for v, own_side in side_of.items() if own_side == side] for side in (0, 1)]
    if min(sum(sum(sums[v]) for v in group) for group in groups) < 2:
        return None
    return Groups(number, groups), False, sum(sums[v][side] for v, side in side_of.items())


@pytest.mark.parametrize("rule", [all_routes(), weighted(), heaviest(), stop_here()], ids=repr)
def test_a_prediction_rule_of_ours_keeps_the_laws(rule):
    check_missing(rule)


@pytest.mark.parametrize(
    ("policy", "oracle"),
    [
        (ignore(), partial(best_root, known_only)),
        (heaviest(), partial(best_root, known_only)),
        (as_value(), partial(best_root, known_only)),
        (as_branch(), partial(best_root, with_missing)),
        (surrogates(), with_surrogates),
    ],
    ids=["ignore", "heaviest", "as_value", "as_branch", "surrogates"],
)
def test_a_growth_policy_of_ours_keeps_the_laws_and_splits_the_root_as_loops_do(policy, oracle):
    check_missing(policy, oracle=oracle)
