"""Subtree raising follows the book, and cases go down a tree that is being judged as they go down any other."""

from itertools import pairwise

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import CART, ID3, Branch, Dataset, Feature, Leaf, Schema, Tree, c45_policy, grow, leaves, prune, recount
from ftree.prune.figures import at_most, deviate, expected_errors
from ftree.prune.subtree_raising import AS_LARGE, SLACK
from ftree.routing.counting import count_cases
from ftree.testing import datasets, trees
from ftree.tree import level_order, preorder
from ftree.tree.edit import with_counts
from ftree.tree.splits import child_of

SCHEMA = Schema([Feature("n", "numeric"), Feature("o", "ordinal", "abc"), Feature("c", "nominal", "abcd")], "label", "xyz")


def answers(split, dataset):
    return child_of(split, *(dataset.columns[feature] for feature in split.features))


# By the book --------------------------------------------------------------------------------------------------


def cases_below(branch, data):
    """The cases of each child; those without an answer in proportion to the others."""
    child = answers(branch.split, data)
    weights = np.ones(len(data)) if data.weights is None else np.asarray(data.weights, dtype=float)
    sizes = np.array([weights[child == number].sum() for number in range(len(branch.children))])
    shares = sizes / sizes.sum() if sizes.any() else np.full(len(sizes), 1 / len(sizes))
    for number, share in enumerate(shares):
        rows = np.flatnonzero((child == number) | (child == -1) & (share > 0))
        yield evolve(data.take(rows), weights=weights[rows] * np.where(child[rows] == number, 1, share))


def with_cases(node, data):
    """The node with the counts of these cases."""
    nodes, below = level_order(node)
    return with_counts(nodes, below, count_cases(node, data, as_known=True))[0]


def errors(node, confidence):
    return sum(expected_errors(leaf.counts, confidence, deviate(confidence, "normal")) for leaf in leaves(node))


def by_the_book(node, data, confidence):
    """A leaf, the largest child with all the cases, or the node, its children judged before; and the number of raises."""
    if isinstance(node, Leaf):
        return node, 0
    parts = zip(node.children, cases_below(node, data), strict=True)
    below, times = zip(*(by_the_book(child, part, confidence) for child, part in parts), strict=True)
    sizes = [sum(child.counts) for child in below]
    largest = [child for child, size in zip(below, sizes, strict=True) if size >= max(sizes) * AS_LARGE][-1]
    raised = with_cases(largest, data)
    leaf, as_raised = Leaf(node.counts), errors(raised, confidence) + SLACK
    as_leaf, as_subtree = errors(leaf, confidence), sum(errors(child, confidence) for child in below) + SLACK
    if at_most(as_leaf, as_subtree) and at_most(as_leaf, as_raised):
        return leaf, sum(times)
    if isinstance(largest, Branch) and at_most(as_raised - SLACK, as_subtree):
        again, more = by_the_book(raised, data, confidence)
        return again, sum(times) + 1 + more
    return Branch(node.counts, node.split, below), sum(times)


def noisy(seed, *, missing, weighted):
    """Cases some of which follow a rule; with missing values and weights if requested."""
    random = np.random.default_rng(seed)
    rows, least = 60, -1 if missing else 0
    numbers = random.integers(least, 9, rows).astype(float)
    columns = [np.where(numbers < 0, np.nan, numbers), *(random.integers(least, size, rows) for size in (3, 4))]
    labels = np.where(random.random(rows) < 0.7, random.integers(0, 3, rows), (numbers > 4) * 1 + (columns[2] > 1))
    return Dataset(SCHEMA, columns, labels, random.integers(1, 4, rows) if weighted else None)


def assert_as_the_book_says(tree, data, confidence):
    """Both trees have the same splits, and the same counts except for rounding; returns the number of raised subtrees."""
    tree = Tree(tree.schema, with_cases(tree.root, data))
    pass_ = prune.error_based(raise_with=data, confidence=confidence)
    expected, times = by_the_book(tree.root, data, confidence)
    for ours, theirs in zip(preorder(pass_(tree)), preorder(expected), strict=True):
        assert getattr(ours, "split", None) == getattr(theirs, "split", None)
        assert ours.counts == pytest.approx(theirs.counts, abs=1e-8)
    assert [made.done for made in pass_.decisions(tree)].count("raised") == times
    return times


@pytest.mark.parametrize(
    ("policy", "weighted", "missing"),
    [(CART, False, False), (ID3, False, True), (c45_policy(1), True, True)],
    ids=["CART", "ID3", "C4.5"],
)
def test_subtrees_are_raised_as_the_book_says(policy, weighted, missing):
    data = [noisy(seed, missing=missing, weighted=weighted) for seed in range(8)]
    assert sum(assert_as_the_book_says(grow(each, policy), each, 0.25) for each in data) > 0


@pytest.mark.parametrize("seed", [17, 23])
@pytest.mark.parametrize("policy", [ID3, c45_policy(1)], ids=["ID3", "C4.5"])
def test_a_subtree_is_raised_again_where_cases_of_the_first_raise_miss_values(policy, seed):
    tables = [noisy(seed, missing=True, weighted=weighted) for weighted in (False, True)]
    assert sum(assert_as_the_book_says(grow(data, policy), data, 0.25) for data in tables) > 0


@given(st.data(), st.sampled_from([0.05, 0.25, 0.5]))
def test_any_tree_is_pruned_as_the_book_says(data, confidence):
    tree = data.draw(trees(schema=SCHEMA))
    assert_as_the_book_says(tree, data.draw(datasets(schema=SCHEMA, missing=data.draw(st.booleans()))), confidence)


def test_decisions_come_children_first_and_left_to_right():
    data = noisy(0, missing=True, weighted=False)
    made = prune.error_based(raise_with=data).decisions(recount(grow(data, CART), data))
    for before, after in pairwise(made):
        below = after.path[: len(before.path)] == before.path
        assert before.done == "raised" if below else (*before.path, np.inf) < (*after.path, np.inf)
