"""Objectives cost doubles, refuse what they cannot cost, and add up to the cost of a tree."""

import numpy as np
import pytest
from drawn_problems import NUMBERS

from ftree import Dataset, grow, optimal
from ftree.exact import bayes, class_bits, class_errors, costs, errors, tree_cost


def test_objectives_of_any_sequences_are_the_same_value():
    assert bayes(np.array([0.25, 0.75])) == bayes([0.25, 0.75])
    assert costs(np.array([[0, 1], [2, 0]])) == costs([[0, 1], [2, 0]])
    assert len({bayes([0.25, 0.75]), bayes((0.25, 0.75)), class_errors([1, 2]), class_errors((1, 2))}) == 2


@pytest.mark.parametrize("objective", [errors(), class_errors([1, 1]), class_bits(), costs([[0, 1], [1, 0]]), bayes([0.5, 0.5])])
@pytest.mark.parametrize("kind", [np.float32, np.int32, list, tuple])
def test_objectives_cost_doubles_whatever_the_counts_are(objective, kind):
    large = [2**24, 1]  # their sum is no 32-bit float
    found = objective(kind(large) if kind in (list, tuple) else np.array(large, kind))
    assert np.asarray(found).dtype == np.float64
    assert found == objective(np.array(large, float))


def test_a_cost_whose_sum_is_no_float_excludes_trees_and_nothing_else():
    table = Dataset.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]] * 5, list("pqpp" * 5), kinds="nominal")
    with np.errstate(over="ignore"):
        found = optimal(table, max_depth=1, objective=costs([[0, 1e308], [1, 0]]))
    assert (found.cost, found.proved) == (5, True)


def test_an_objective_is_given_floats_that_it_cannot_change():
    given = []
    tree_cost(grow(NUMBERS), objective=lambda counts: given.append(counts) or counts.min(axis=-1))
    optimal(NUMBERS, max_depth=1, objective=lambda counts: given.append(counts) or counts.min(axis=-1))
    assert {(each.dtype.name, each.flags.writeable) for each in given} == {("float64", False)}
