"""The library's paths of prunings keep the laws of paths."""

from functools import partial

import numpy as np
import pytest

from ftree import Dataset, Schema
from ftree.criteria.impurity import entropy, gini, misclassification
from ftree.prune import cost_complexity_path, reduced_error
from ftree.testing import check_path, trees
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
