"""The library's stopping rules keep the laws of rules, and close what a plain rule for one node closes."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from ftree.stop import (
    always,
    chi_squared,
    max_depth,
    max_leaves,
    min_best_child,
    min_errors,
    min_gain,
    min_rows,
    never,
    no_gain,
    per_node,
    pure,
)
from ftree.testing import check_rule


def p_value(node):
    table = node.child_counts
    table = table[table.any(axis=1)][:, table.any(axis=0)]
    return chi2_contingency(table, correction=False).pvalue if min(table.shape) > 1 else 1.0


def smallest_child(node):
    return min(sum(counts) for counts in node.child_counts.tolist())


ONE_NODE = {
    never: lambda _: False,
    always: lambda _: True,
    max_leaves(3): lambda _: False,
    pure(): lambda node: np.count_nonzero(node.counts) == 1,
    max_depth(0): lambda _: True,
    max_depth(3): lambda node: node.depth >= 3,
    min_rows(0): lambda _: False,
    min_rows(5): lambda node: sum(node.counts) < 5,
    min_best_child(2): lambda node: smallest_child(node) < 2,
    min_errors(3): lambda node: sum(node.counts) - max(node.counts) < 3,
    no_gain(): lambda node: node.gain <= 1e-9,
    min_gain(0): lambda node: node.gain < -1e-9,
    min_gain(0.25): lambda node: node.gain < 0.25 - 1e-9,
    chi_squared(): lambda node: p_value(node) > 0.05,
    chi_squared(1.0): lambda _: False,
    chi_squared(0.0): lambda node: p_value(node) > 0,
    per_node(max_depth(2)): lambda node: node.depth >= 2,
    pure() & ~max_depth(2): lambda node: np.count_nonzero(node.counts) == 1 and node.depth < 2,
    min_rows(4) | max_depth(2): lambda node: sum(node.counts) < 4 or node.depth >= 2,
}


@pytest.mark.parametrize("rule", ONE_NODE, ids=repr)
def test_a_rule_of_ours_keeps_the_laws_and_closes_what_it_says(rule):
    check_rule(rule, oracle=ONE_NODE[rule], at=[0, 0.25, 2, 3, 5])


@pytest.mark.parametrize(
    ("rule", "rising", "falling"),
    [
        (max_depth(2), {"depth"}, ()),
        (min_rows(5), (), {"weight"}),
        (min_best_child(2), (), {"weight"}),
        (min_gain(0.25), (), {"gain"}),
        (no_gain(), (), {"gain"}),
        (chi_squared(), (), {"weight"}),
        (~max_depth(2), (), {"depth"}),
    ],
    ids=repr,
)
def test_a_rule_of_ours_changes_its_answer_once(rule, rising, falling):
    check_rule(rule, rising=rising, falling=falling)
