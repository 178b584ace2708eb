"""Equal rows are routed as one: the same predictions and counts, and time that does not grow with their number."""

import numpy as np
import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from ftree import Branch, Dataset, Feature, Leaf, Schema, Threshold, Tree, predict_counts, recount
from ftree.missing import all_routes, heaviest, weighted
from ftree.routing import answers as answers_module
from ftree.routing import count as count_module
from ftree.routing.alike import alike
from ftree.testing import chain, datasets, trees
from ftree.tree.conditions import Opaque


@given(st.lists(st.lists(st.sampled_from([0.0, 1.5, np.nan]), min_size=2, max_size=2), min_size=1, max_size=600))
def test_groups_are_those_of_equal_rows(cells):
    columns = list(np.array(cells).T)
    groups = alike([*columns, np.zeros(len(cells), dtype=np.int8)])
    if groups is None:
        return
    rows, which = groups
    for column in columns:
        assert np.array_equal(column[rows][which], column, equal_nan=True)
    assert len(rows) == len({tuple(map(str, row)) for row in cells})


@pytest.fixture
def rarely(monkeypatch):
    """Check for equal rows, however little work there is."""

    def set_steps(steps):
        monkeypatch.setattr(answers_module, "MANY_STEPS", steps)
        monkeypatch.setattr(count_module, "MANY_STEPS", steps)

    return set_steps


@pytest.mark.parametrize("rule", [all_routes(), heaviest(), weighted()], ids=str)
@pytest.mark.parametrize("weights", [None, "whole", "fractions"])
def test_answers_and_counts_are_those_of_row_by_row(rule, weights, rarely):
    @given(st.data())
    def same(data):
        tree = data.draw(trees())
        once = data.draw(datasets(schema=tree.schema, missing=True, max_rows=5))
        rows = once.take(np.repeat(np.arange(len(once)), 4))
        weight = {None: None, "whole": np.arange(1, len(rows) + 1), "fractions": np.tile([0.3, 0.7], 2 * len(once))}[weights]
        rows = Dataset(rows.schema, rows.columns, rows.labels, weight)
        found = []
        for steps in (0, 10**9):
            rarely(steps)
            counted = None if isinstance(rule, all_routes) else recount(tree, rows, missing=rule)
            found.append((predict_counts(tree, rows, missing=rule).tolist(), counted))
        assert found[0] == found[1]

    same()


@frozen
class Compare:
    """A split without a table form: child 0 where the first feature is at most the second."""

    features = (0, 1)
    n_children = 2

    @property
    def conditions(self):
        return Opaque(self, 0, "{0} <= {1}"), Opaque(self, 1, "{0} > {1}")

    def child(self, left, right):
        return np.where(np.isnan(left) | np.isnan(right), -1, left > right)


def test_rows_differ_where_a_split_without_a_table_form_tells_them_apart(rarely):
    schema = Schema([Feature(name, "numeric") for name in "xyz"], "class", ("no", "yes"))
    inner = Branch((1, 1), Compare(), [Leaf((1, 0)), Leaf((0, 1))])
    tree = Tree(schema, Branch((2, 2), Threshold(2, 0.5), [inner, inner]))
    rarely(0)
    rows = [[1.0, 2.0, None], [2.0, 1.0, None], [2.0, None, None]] * 4
    assert predict_counts(tree, rows).tolist() == [[2, 0], [0, 2], [2, 2]] * 4


@pytest.mark.wide
def test_thousands_of_rows_without_a_value_go_down_a_tree_a_hundred_thousand_deep():
    """One by one, each would take as many steps as there are nodes, more than 25 s in all; now all take as many as one."""
    deep = chain(100_000)
    nothing = Dataset.from_columns(
        {"x": np.full(6000, np.nan), "class": ["even", "odd", "odd"] * 2000}, target="class", kinds={"x": "numeric"}
    )
    assert recount(deep, nothing).root.counts == (2000, 4000)
    answers = predict_counts(deep, nothing)
    assert (answers == answers[0]).all()
    assert tuple(answers[0]) == deep.root.counts


def test_rows_that_all_differ_are_counted_one_by_one(rarely):
    rarely(0)
    rows = Dataset.from_rows([[float(x)] for x in range(6)], ["no", "yes"] * 3, features=["x"])
    tree = Tree(rows.schema, Branch((1, 1), Threshold(0, 2.5), [Leaf((1, 0)), Leaf((0, 1))]))
    assert recount(tree, rows).root == Branch((3, 3), Threshold(0, 2.5), [Leaf((2, 1)), Leaf((1, 2))])
