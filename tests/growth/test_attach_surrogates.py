"""Surrogates attached to a finished tree are those that growth finds at the same nodes."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import CART, Branch, Dataset, Leaf, Tree, grow, optimal, predict
from ftree.growth import attach_surrogates
from ftree.routing import heaviest
from ftree.splitters import multiway, surrogates, threshold
from ftree.stop import max_depth
from ftree.tree import preorder
from ftree.tree.splits import WithSurrogates


@st.composite
def tables(draw):
    """Numbers and words that agree with each other, with missing values, and classes or numbers as answers."""
    random, n = np.random.default_rng(draw(st.integers(0, 2**32 - 1))), draw(st.integers(4, 40))
    hidden = random.integers(0, 6, n)
    columns = {f"x{i}": np.where(random.random(n) < 0.2, np.nan, hidden + random.integers(0, 3, n)) for i in range(2)}
    words = [None if random.random() < 0.1 else "abc"[value // 2] for value in hidden]
    noisy = hidden + random.integers(-1, 2, n)
    labels = draw(st.sampled_from([np.where(noisy > 2, "p", "q"), noisy / 4]))
    weights = draw(st.sampled_from([None, random.integers(0, 4, n) + (np.arange(n) == 0)]))
    kinds = {"x0": "numeric", "x1": "numeric", "w": "nominal"}
    return Dataset.from_columns({**columns, "w": words, "class": labels}, target="class", kinds=kinds, weights=weights)


def without_surrogates(node):
    if isinstance(node, Leaf):
        return node
    split = node.split.split if isinstance(node.split, WithSurrogates) else node.split
    return Branch(node.counts, split, [without_surrogates(child) for child in node.children])


@given(tables(), st.sampled_from([5, 1, 0]), st.sampled_from([(), (multiway(),)]))
def test_surrogates_are_those_of_growth(table, at_most, more):
    policy = evolve(CART, missing=surrogates(at_most=at_most, everywhere=True), splits=(*more, *CART.splits))
    grown = grow(table, policy.stopping(max_depth(3)))
    bare = Tree(grown.schema, without_surrogates(grown.root))
    assert attach_surrogates(bare, table, at_most=at_most) == grown


def test_an_optimal_tree_answers_for_rows_with_missing_values_by_surrogates():
    columns = {"x": np.arange(20.0), "y": np.arange(20) // 2 * 3.0, "class": ["p"] * 9 + ["q"] * 11}
    table = Dataset.from_columns(columns, kinds="numeric")
    best = optimal(table, max_depth=2, splitters=(threshold(),)).tree
    backed = attach_surrogates(best, table)
    rows = [[None, 1.0], [None, 27.0], [None, None], [3.0, None]]
    assert list(predict(backed, rows)) == ["p", "q", "q", "p"]
    assert list(predict(backed, table)) == list(predict(best, table))
    assert [node.counts for node in preorder(backed)] == [node.counts for node in preorder(best)]


def test_the_rule_for_rows_without_any_answer_stays():
    table = Dataset.from_rows([[1], [2]], ["p", "q"])
    assert attach_surrogates(grow(table, evolve(CART, missing=heaviest())), table).missing == heaviest()


def test_a_table_in_another_order_of_columns_is_matched_by_name():
    table = Dataset.from_columns({"a": [1.0, 2, 3, 4], "b": [5.0, 6, 7, 8], "class": list("ppqq")}, target="class")
    turned = Dataset.from_columns({"b": table["b"], "a": table["a"], "class": table["class"]}, target="class")
    tree = grow(table)
    assert attach_surrogates(tree, turned) == attach_surrogates(tree, table) != tree


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"at_most": -1}, ValueError, "at_most must be a whole number of surrogates from 0, got -1"),
        ({"dataset": [1]}, TypeError, "dataset must be "),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_bad_input_is_refused(arguments, error, message):
    table = Dataset.from_rows([[1], [2]], ["p", "q"])
    with pytest.raises(error, match=message):
        attach_surrogates(**{"tree": grow(table), "dataset": table, **arguments})
