"""Trimming: as plain recursion by depth, counts and best-first growth, and as growing with the rule."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_passes import REGRESSION, TREES, decision

from ftree import CART, Branch, criteria, grow
from ftree.prune import collapse, compose, trim
from ftree.stop import max_depth, max_leaves, min_best_child, min_gain, min_rows, pure
from ftree.testing import check_pass, datasets


def from_root(tree, closes, impurity=criteria.entropy):
    """Decisions from the root down; scores are impurity times cases, of the node and of its children."""
    found = []

    def amount(node):
        return sum(node.counts) * float(impurity(node.counts))

    def visit(node, path):
        if isinstance(node, Branch):
            cut = closes(node, path)
            found.append(decision(path, node, amount(node), sum(map(amount, node.children)), None, cut))
            for number, child in enumerate(() if cut else node.children):
                visit(child, (*path, number))

    visit(tree.root, ())
    return found


def best_first_growth(tree, most, impurity):
    """The paths that best-first growth splits until there are `most` leaves."""
    paths, open_, size = set(), [((), tree.root)], 1

    def gained(node):
        return sum(node.counts) * float(criteria.gain([child.counts for child in node.children], impurity))

    while branches := [pair for pair in open_ if isinstance(pair[1], Branch)]:
        path, node = max(branches, key=lambda pair: round(gained(pair[1]), 9))
        open_.remove((path, node))
        if size + len(node.children) - 1 <= most:
            size += len(node.children) - 1
            paths.add(path)
            open_ += [((*path, number), child) for number, child in enumerate(node.children)]
    return paths


def by_growth(tree):
    kept = best_first_growth(tree, 3, criteria.gini)
    return from_root(tree, lambda _, path: path not in kept, criteria.gini)


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize(
    ("pass_", "oracle"),
    [
        (trim(max_depth(2)), lambda tree: from_root(tree, lambda _, path: len(path) >= 2)),
        (trim(min_rows(8)), lambda tree: from_root(tree, lambda node, _: sum(node.counts) < 8)),
        (trim(max_leaves(3), impurity=criteria.gini), by_growth),
    ],
    ids=["depth", "rows", "leaves"],
)
def test_it_closes_what_the_rule_closes(pass_, oracle):
    check_pass(pass_, given_trees=TREES, oracle=oracle)


RULES = [max_depth(1), max_leaves(3), min_rows(6) | pure(), min_gain(0.05) | min_best_child(1)]


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize("pass_", [*map(trim, RULES), compose(trim(max_depth(2)), collapse())], ids=repr)
def test_it_keeps_the_laws_for_regression_trees(pass_):
    check_pass(pass_, given_trees=REGRESSION)


@given(
    datasets(response="numbers", min_rows=2, max_rows=14) | datasets(response="events", min_rows=2, max_rows=14),
    st.sampled_from([max_depth(2), min_rows(4), min_gain(0.1), max_leaves(3)]),
)
def test_growing_with_a_rule_is_trimming_by_it(dataset, rule):
    assert trim(rule)(grow(dataset, CART)) == grow(dataset, CART.stopping(rule))
