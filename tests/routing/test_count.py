"""Counting data level by level gives the counts of a walk node by node."""

from unittest.mock import patch

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import Branch, Dataset, Leaf, Schema, Threshold, Tree, recount
from ftree._lib.arrays import grid, times_and_fractions
from ftree.missing import heaviest
from ftree.routing.count import count_cases
from ftree.routing.route import divide
from ftree.routing.rule_names import as_prediction_rule
from ftree.testing import datasets, trees
from ftree.tree.nodes import level_order, whole_numbers
from ftree.tree.schema import Feature

SCHEMA = Schema([Feature("x", "numeric")], "label", ("no", "maybe", "yes"))


def node_by_node(tree, data, missing):
    """The counts of each node of `level_order`, from one division at a time."""
    step = grid(float(sum(data.class_counts())))
    times, fractions = times_and_fractions(data.weights, step)
    level = [(tree.root, np.arange(len(data)), np.ones(len(data)) if fractions is None else fractions)]
    counts = []
    for node, rows, shares in level:  # the list grows while it is read
        weights = shares if times is None else shares * times[rows]
        counts.append(tuple(whole_numbers(np.bincount(data.labels[rows], weights, len(node.counts)))))
        if isinstance(node, Branch):
            parts = divide(node, data.columns, (rows, shares), as_prediction_rule(missing), step)[:-1]
            level += [(child, *part) for child, part in zip(node.children, parts, strict=True)]
    return counts


@given(st.data(), st.sampled_from(["weighted", "heaviest"]), st.sampled_from([None, "whole", "fractions"]), st.integers(0, 9))
def test_a_level_at_a_time_counts_as_a_node_at_a_time(data, missing, weights, many):
    tree = data.draw(trees())
    dataset = data.draw(datasets(schema=tree.schema, missing=True, weighted=weights is not None, min_rows=0))
    if weights == "fractions":
        dataset = evolve(dataset, weights=np.asarray(dataset.weights) / 7)
    counted = count_cases(*level_order(tree.root), dataset, rule=as_prediction_rule(missing))
    assert counted == node_by_node(tree, dataset, missing)
    with patch.multiple("ftree.routing.count", MANY=many, SIXTEEN_BITS=2):
        assert count_cases(*level_order(tree.root), dataset, rule=as_prediction_rule(missing)) == counted


@given(st.data())
def test_rows_without_an_answer_may_go_as_the_known_rows_of_the_data_do(data):
    tree = data.draw(trees())
    dataset = data.draw(datasets(schema=tree.schema, missing=True, weighted=True))
    nodes, below = level_order(tree.root)
    counts = count_cases(nodes, below, dataset, as_known=True)
    with patch("ftree.routing.count.MANY", 1):
        assert count_cases(nodes, below, dataset, as_known=True) == counts
    assert counts[0] == pytest.approx(dataset.class_counts())
    for here, kids in zip(counts, below, strict=True):
        assert not kids or here == tuple(map(sum, zip(*counts[kids.start : kids.stop], strict=True)))


def test_shares_of_rows_without_an_answer_by_the_trees_cases_and_by_the_known_rows():
    tree = Tree(SCHEMA, Branch((4, 0, 0), Threshold(0, 1.0), (Leaf((1, 0, 0)), Leaf((3, 0, 0)))))
    data = Dataset(SCHEMA, [np.array([0.0, np.nan])], [0, 2], weights=[1, 8])
    nodes, below = level_order(tree.root)
    assert count_cases(nodes, below, data) == [(1, 0, 8), (1, 0, 2), (0, 0, 6)]
    assert count_cases(nodes, below, data, rule=heaviest()) == [(1, 0, 8), (1, 0, 0), (0, 0, 8)]
    assert count_cases(nodes, below, data, as_known=True) == [(1, 0, 8), (1, 0, 8), (0, 0, 0)]


def test_a_row_without_an_answer_is_shared_equally_where_no_case_went():
    empty = Tree(SCHEMA, Branch((0, 0, 0), Threshold(0, 1.0), (Leaf((0, 0, 0)), Leaf((0, 0, 0)))))
    lost = Dataset(SCHEMA, [np.array([np.nan])], [2])
    for as_known in (False, True):
        assert count_cases(*level_order(empty.root), lost, as_known=as_known) == [(0, 0, 1), (0, 0, 0.5), (0, 0, 0.5)]


def test_a_recounted_tree_has_integers_where_the_tree_had_whole_floats():
    tree = Tree(SCHEMA, Branch((2.0, 0.0, 0.0), Threshold(0, 1.0), (Leaf((1.0, 0, 0)), Leaf((1.0, 0, 0)))))
    again = recount(tree, Dataset(SCHEMA, [np.array([0.0, 2.0])], [0, 0]))
    assert again == tree
    assert repr(again.root).startswith("Branch(counts=(2, 0, 0)")
