"""The library's impurities, scores and stopping rules keep the laws, and are the textbooks' formulas in plain loops."""

from math import log, log2, log10, sqrt

import numpy as np
import pytest
from c_functions import in_machine_code
from scipy.stats import chi2, chi2_contingency

from ftree import criteria, entropy, gain, gain_ratio, gini, misclassification, stop
from ftree.testing import check_impurity, check_rule, check_score

pytestmark = pytest.mark.usefixtures("fewer")


def shares(counts):
    return [n / sum(counts) for n in counts if n]


IMPURITIES = {
    entropy: lambda counts: sum(-p * log2(p) for p in shares(counts)),
    gini: lambda counts: 1 - sum(p * p for p in shares(counts)) if any(counts) else 0,
    misclassification: lambda counts: 1 - max(shares(counts), default=1),
    criteria.dkm: lambda counts: sum(sqrt(p * (1 - p)) for p in shares(counts)),
}


@pytest.mark.parametrize("impurity", IMPURITIES)
def test_an_impurity_of_ours_keeps_the_laws_and_is_the_textbook_s(impurity):
    check_impurity(impurity, oracle=IMPURITIES[impurity])


def test_a_compiled_impurity_keeps_the_laws_of_the_function_it_is_made_of():
    def at_odds(counts):
        return 1.0 - counts.max() / counts.sum() if counts.sum() > 0 else 0.0

    check_impurity(criteria.compiled_impurity(in_machine_code(at_odds)), oracle=lambda counts: at_odds(np.array(counts)))


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
    criteria.normalised_gain: lambda children, impurity: gained(children, impurity) / log2(max(sum(map(any, children)), 2)),
    criteria.pearson: pearson_s,
    criteria.likelihood_ratio: g_statistic,
    criteria.significance: lambda children, _: minus_log10_p(pearson_s(children, _), children),
    criteria.g_significance: lambda children, _: minus_log10_p(g_statistic(children, _), children),
    criteria.hellinger: far_apart,
}


@pytest.mark.parametrize("score", FORMULAS)
def test_a_score_of_ours_keeps_the_laws_and_is_the_textbook_s(score):
    check_score(score, oracle=FORMULAS[score])


def test_a_score_of_two_children_keeps_them_for_two_children():
    check_score(criteria.twoing, n_children=2, oracle=twoing_s)
    with pytest.raises(ValueError, match="must have 2 children"):
        check_score(criteria.twoing)


def test_split_information_does_not_look_at_classes():
    check_score(criteria.split_information, oracle=spread, exempt={"proportional"})


def p_value(node):
    table = node.child_counts
    table = table[table.any(axis=1)][:, table.any(axis=0)]
    return chi2_contingency(table, correction=False).pvalue if min(table.shape) > 1 else 1.0


def smallest_child(node):
    return min(sum(counts) for counts in node.child_counts.tolist())


ONE_NODE = {
    stop.never: lambda _: False,
    stop.always: lambda _: True,
    stop.max_leaves(3): lambda _: False,
    stop.pure(): lambda node: np.count_nonzero(node.counts) == 1,
    stop.max_depth(0): lambda _: True,
    stop.max_depth(3): lambda node: node.depth >= 3,
    stop.min_rows(0): lambda _: False,
    stop.min_rows(5): lambda node: sum(node.counts) < 5,
    stop.min_best_child(2): lambda node: smallest_child(node) < 2,
    stop.min_errors(3): lambda node: sum(node.counts) - max(node.counts) < 3,
    stop.no_gain(): lambda node: node.gain <= 1e-9,
    stop.min_gain(0): lambda node: node.gain < -1e-9,
    stop.min_gain(0.25): lambda node: node.gain < 0.25 - 1e-9,
    stop.min_impurity_decrease(0.1, cases=9): lambda node: node.gain * sum(node.counts) / 9 < 0.1 - 1e-9,
    stop.not_significant(): lambda node: p_value(node) > 0.05,
    stop.not_significant(1.0): lambda _: False,
    stop.not_significant(0.0): lambda node: p_value(node) > 0,
    stop.per_node(stop.max_depth(2)): lambda node: node.depth >= 2,
    stop.pure() & ~stop.max_depth(2): lambda node: np.count_nonzero(node.counts) == 1 and node.depth < 2,
    stop.min_rows(4) | stop.max_depth(2): lambda node: sum(node.counts) < 4 or node.depth >= 2,
}


@pytest.mark.parametrize("rule", ONE_NODE, ids=repr)
def test_a_rule_of_ours_keeps_the_laws_and_closes_what_it_says(rule):
    check_rule(rule, oracle=ONE_NODE[rule], at=[0, 0.25, 2, 3, 5])


@pytest.mark.parametrize(
    ("rule", "rising", "falling"),
    [
        (stop.max_depth(2), {"depth"}, ()),
        (stop.min_rows(5), (), {"weight"}),
        (stop.min_best_child(2), (), {"weight"}),
        (stop.min_gain(0.25), (), {"gain"}),
        (stop.min_impurity_decrease(0.1, cases=9), (), {"gain"}),
        (stop.no_gain(), (), {"gain"}),
        (stop.not_significant(), (), {"weight"}),
        (~stop.max_depth(2), (), {"depth"}),
    ],
    ids=repr,
)
def test_a_rule_of_ours_changes_its_answer_once(rule, rising, falling):
    check_rule(rule, rising=rising, falling=falling)
