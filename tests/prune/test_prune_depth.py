"""Every pass survives a tree 100,000 deep, or five times the stack where tests are run by hand."""

import gc
import os

import numpy as np
import pytest

from ftree import Dataset, Leaf, Tree, n_leaves, prune, recount
from ftree.stop import max_depth, max_leaves
from ftree.testing import chain
from ftree.tree import map_leaves

pytestmark = pytest.mark.wide

DEPTH = 100_000 if os.environ.get("CI") else 5_500


@pytest.fixture(scope="module")
def deep():
    """The chain, kept out of reach of Python's garbage collector, which would walk it repeatedly."""
    tree = chain(DEPTH)
    gc.collect()
    gc.freeze()
    yield tree
    gc.unfreeze()


@pytest.fixture(scope="module")
def two_rows(deep):
    """Two heavy rows, so that data can be sent down without memory for depth times rows."""
    return Dataset(deep.schema, [np.array([3.0, 0.7 * DEPTH])], [1, 0], weights=[50_000, 50_001])


def few(branch):
    """A branch of fewer than seven cases becomes a leaf."""
    return branch if sum(branch.counts) >= 7 else Leaf(branch.counts)


@pytest.mark.parametrize(
    "pass_",
    [
        prune.chi_squared(),
        prune.collapse(),
        prune.collapse(by="probability"),
        prune.cost_complexity(1e-6),
        prune.critical_value(0.001),
        prune.error_based(collapse=True),
        prune.from_branch_function(few),
        prune.from_function(lambda tree: map_leaves(tree, lambda leaf: Leaf(leaf.counts))),
        prune.mdl(),
        prune.minimum_error(),
        prune.pessimistic(),
        prune.purity(0.6),
        prune.snip([(1,) * 1000]),
        prune.trim(max_leaves(50)),
        prune.trim(max_depth(50)),
    ],
    ids=repr,
)
def test_a_pass_goes_to_any_depth(pass_, deep):
    assert isinstance(pass_(deep), Tree)


def test_reduced_error_goes_to_any_depth(deep, two_rows):
    assert n_leaves(prune.reduced_error(two_rows, order="best_first", labels="backfit")(deep)) <= DEPTH


def test_raising_goes_to_any_depth(deep, two_rows):
    counted = recount(deep, two_rows)
    assert n_leaves(prune.error_based(raise_with=two_rows)(counted)) < 5


def test_the_path_starts_at_any_depth(deep):
    first = next(prune.cost_complexity_path(deep))
    assert first.leaves == n_leaves(first.tree)
