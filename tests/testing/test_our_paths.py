"""The library's paths of prunings keep the laws of paths, and its choices of one tree those of choices."""

from functools import partial

import numpy as np
import pytest

from ftree import Dataset, Schema
from ftree.criteria.impurity import entropy, gini, misclassification
from ftree.prune import cost_complexity_path, lowest_error, one_standard_error, reduced_error, within
from ftree.testing import check_path, check_path_choice, trees
from ftree.tree.schema import Feature

SCHEMA = Schema([Feature("n", "numeric"), Feature("c", "nominal", "abcd")], "label", ("no", "maybe", "yes"))


@pytest.mark.parametrize("risk", [misclassification, gini, entropy])
def test_weakest_links_keep_the_laws_of_paths(risk):
    check_path(partial(cost_complexity_path, risk=risk), risk=risk)


@pytest.mark.parametrize("order", ["bottom_up", "best_first"])
def test_reduced_error_pruning_cuts_one_branch_after_another(order):
    random = np.random.default_rng(0)
    columns = [random.integers(0, 5, 14).astype(float), random.integers(0, 4, 14)]
    pass_ = reduced_error(Dataset(SCHEMA, columns, random.integers(0, 3, 14)), order=order)
    check_path(pass_.path, given_trees=trees(schema=SCHEMA))


def smallest_up_to(limit, rows):
    """The number of the smallest tree with at most this error."""
    return min((leaves, error, number) for number, (leaves, error, _) in enumerate(rows) if error <= limit + 1e-9)[-1]


def best(rows):
    return min((error, leaves, deviation) for leaves, error, deviation in rows)


CHOICES = {
    lowest_error: lambda rows: smallest_up_to(best(rows)[0], rows),
    one_standard_error: lambda rows: smallest_up_to(best(rows)[0] + best(rows)[2], rows),
    within(0): lambda rows: smallest_up_to(best(rows)[0], rows),
    within(0.05): lambda rows: smallest_up_to(best(rows)[0] + 0.05, rows),
}


@pytest.mark.parametrize("choice", CHOICES)
def test_a_choice_of_ours_keeps_the_laws_and_takes_the_smallest_tree_that_is_good_enough(choice):
    check_path_choice(choice, oracle=CHOICES[choice])
