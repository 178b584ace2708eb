"""What the library tells of prunings: the explanation of any pass, and the errors of a path's trees."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree import Tree, accuracy, apply, leaves, n_nodes
from ftree.prune import cost_complexity_path, cross_validated, decisions_of, explain, measured, select, within
from ftree.prune.decisions import Done
from ftree.testing import datasets, passes, trees


@given(trees().flatmap(lambda tree: st.tuples(st.just(tree), passes(tree.schema))))
def test_explain_has_a_line_for_each_decision_and_each_node(drawn):
    tree, pass_ = drawn
    made = decisions_of(pass_, tree)
    rows = explain(pass_, tree, form="table").splitlines()[1:]
    assert [row.split()[-1] for row in rows[: len(made)]] == [one.done for one in made]
    notes = len(rows) - len(made)  # a last line, where a pass gives no scores
    assert bool(notes) == any(one.as_leaf is None for one in made)
    beside = explain(pass_, tree).splitlines()[1:]
    beside = beside[: len(beside) - notes]
    assert len(beside) == n_nodes(tree) + len(made) - len({one.path for one in made})
    said = sorted(line.split()[-1] for line in beside if line and line.split()[-1] in get_args(Done))
    assert said == sorted(one.done for one in made)


@st.composite
def trees_with_cases(draw):
    """A tree, and at least two rows that each have an answer at every split on their path."""
    tree = draw(trees(max_leaves=8))
    dataset = draw(datasets(schema=tree.schema, min_rows=2, weighted=draw(st.booleans())))
    ends = apply(tree, dataset, missing="stop_here") >= 0
    return (tree, dataset.take(ends)) if ends.sum() > 1 else (Tree(tree.schema, next(iter(leaves(tree)))), dataset)


@given(trees_with_cases())
def test_the_errors_of_a_path_are_those_of_its_trees_at_once_or_fold_by_fold(drawn):
    tree, dataset = drawn
    path = list(cost_complexity_path(tree))
    rows, by_folds = measured(path, dataset), cross_validated(dataset, lambda _: tree, folds=2)
    for found in (rows, by_folds):
        assert [1 - row.error for row in found] == pytest.approx([accuracy(step.tree, dataset) for step in path], abs=1e-9)
        assert [(row.leaves, row.alpha, row.cp) for row in found] == [(step.leaves, step.alpha, step.cp) for step in path]
        for row in found:
            assert row.standard_error == pytest.approx((max(row.error * (1 - row.error), 0) / row.cases) ** 0.5)
    assert select(path, by=within(0.1), on=dataset) == within(0.1)(rows).tree
