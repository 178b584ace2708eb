"""The library's scores keep the laws of scores, and equal the formulas of the textbooks, in plain loops."""

from math import log, log2, log10, sqrt

import pytest
from scipy.stats import chi2

from ftree.criteria import (
    g_significance,
    gain,
    gain_ratio,
    hellinger,
    likelihood_ratio,
    normalised_gain,
    pearson,
    significance,
    split_information,
    twoing,
)
from ftree.testing import check_score


def parent_of(children):
    return [sum(counts) for counts in zip(*children, strict=True)]


def gained(children, impurity):
    n = sum(map(sum, children)) or 1
    return float(impurity(parent_of(children))) - sum(sum(child) / n * float(impurity(child)) for child in children)


def spread(children, _=None):
    n = sum(map(sum, children)) or 1
    return sum(-sum(child) / n * log2(sum(child) / n) for child in children if any(child))


def cells(children):
    """Observed and expected cases of each child and class with cases."""
    parent = parent_of(children)
    for child in children:
        for seen, whole in zip(child, parent, strict=True):
            if any(child) and whole:
                yield seen, sum(child) * whole / sum(parent)


def pearson_s(children, _):
    return sum((seen - expected) ** 2 / expected for seen, expected in cells(children))


def g_statistic(children, _):
    return 2 * sum(seen * log(seen / expected) for seen, expected in cells(children) if seen)


def minus_log10_p(statistic, children):
    dof = (sum(map(any, children)) - 1) * (sum(map(bool, parent_of(children))) - 1) if any(map(any, children)) else 0
    return -log10(max(chi2.sf(max(statistic, 0), dof), 1e-300)) if dof > 0 else 0.0


def far_apart(children, _):
    """The largest Hellinger distance between a class and all others, over the children."""
    distances = [0.0]
    for label, own in enumerate(parent_of(children)):
        others = sum(parent_of(children)) - own
        if own and others:
            pairs = [(child[label] / own, (sum(child) - child[label]) / others) for child in children]
            distances.append(sqrt(sum((sqrt(p) - sqrt(q)) ** 2 for p, q in pairs)))
    return max(distances)


def twoing_s(children, _):
    left, right = children
    if not (any(left) and any(right)):
        return 0.0
    apart = sum(abs(p / sum(left) - q / sum(right)) for p, q in zip(left, right, strict=True))
    return sum(left) * sum(right) / sum(left + right) ** 2 / 4 * apart**2


FORMULAS = {
    gain: gained,
    gain_ratio: lambda children, impurity: gained(children, impurity) / (spread(children) or 1),
    normalised_gain: lambda children, impurity: gained(children, impurity) / log2(max(sum(map(any, children)), 2)),
    pearson: pearson_s,
    likelihood_ratio: g_statistic,
    significance: lambda children, _: minus_log10_p(pearson_s(children, _), children),
    g_significance: lambda children, _: minus_log10_p(g_statistic(children, _), children),
    hellinger: far_apart,
}


@pytest.mark.parametrize("score", FORMULAS)
def test_a_score_of_ours_keeps_the_laws_and_is_the_textbook_s(score):
    check_score(score, oracle=FORMULAS[score])


def test_a_score_of_two_children_keeps_them_for_two_children():
    check_score(twoing, n_children=2, oracle=twoing_s)
    with pytest.raises(ValueError, match="must have 2 children"):
        check_score(twoing)


def test_split_information_does_not_look_at_classes():
    check_score(split_information, oracle=spread, exempt={"proportional"})
