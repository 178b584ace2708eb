"""The weakest links and the losses of a path in compiled code, or the same kernels as plain Python, equal the plain loops'."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree import Branch, Dataset, Feature, Leaf, Schema, Tree, gini, misclassification, recount
from ftree.prune.passes import in_level_order
from ftree.prune.path_errors import _add_to_parents, _path_losses
from ftree.prune.weakest_links import (
    _compiled_links,
    _weakest_links,
    add_in_compiled_code,
    compiled_path_losses,
    risks_of_counts,
)
from ftree.routing.flat import flat
from ftree.testing import datasets, trees
from ftree.tree import Threshold

pytestmark = pytest.mark.in_python

SCHEMA = Schema([Feature("n", "numeric"), Feature("o", "ordinal", "abcd"), Feature("c", "nominal", "abcd")], "label", "xyz")


def both(tree, seed, risk):
    """Alphas and losses by kernels, and by the plain loops, with random cases at the leaves."""
    nodes, random = flat(tree.root), np.random.default_rng(seed)
    risks, cost = risks_of_counts(nodes.counts, risk), random.integers(0, 3, nodes.counts.shape).astype(float)
    counts = random.integers(0, 5, nodes.counts.shape) * (nodes.arity == 0)[:, None].astype(float)
    sums = counts.copy()
    add_in_compiled_code(nodes, sums)
    _add_to_parents(nodes, counts)
    assert sums.tolist() == counts.tolist()
    given = nodes, risks, np.column_stack([(sums * cost).sum(axis=1), (sums * cost**2).sum(axis=1)])
    return [(alphas, losses.tolist()) for alphas, losses in (compiled_path_losses(*given), _path_losses(*given))]


@given(trees(schema=SCHEMA), datasets(schema=SCHEMA), st.sampled_from([gini, misclassification]), st.integers(0, 9))
def test_any_path_loses_what_the_plain_loops_say(tree, data, risk, seed):
    counted = recount(tree, data)
    ours, plain = both(counted, seed, risk)
    assert ours == plain
    given = risks_of_counts(flat(counted.root).counts, risk), in_level_order(counted).below
    assert _compiled_links(*given) == _weakest_links(*given)


def test_a_large_path_loses_what_the_plain_loops_say():
    random = np.random.default_rng(1)
    data = Dataset.from_columns({"x": random.normal(size=300), "y": random.integers(0, 2, 300)}, target="y")
    tree = Tree(data.schema, _halved(np.sort(data.columns[0])))
    ours, plain = both(recount(tree, data), 0, misclassification)
    assert ours == plain
    assert len(ours[0]) > 5  # steps enough for heaps of several branches


def _halved(numbers):
    if len(numbers) == 1:
        return Leaf((0, 0))
    half = len(numbers) // 2
    middle = float(numbers[half - 1] + numbers[half]) / 2
    return Branch((0, 0), Threshold(0, middle), [_halved(numbers[:half]), _halved(numbers[half:])])
