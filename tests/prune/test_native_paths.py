"""The weakest links and the losses of a path by the native library equal the plain loops'."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ftree import Branch, Dataset, Feature, Leaf, Schema, Tree, gini, misclassification, recount
from ftree.prune.path_errors import native_add_to_parents, native_sums_after_cuts, plain_add_to_parents, plain_sums_after_cuts
from ftree.prune.weakest_links import groups_of_path, native_weakest_links, plain_weakest_links, risks_of_counts
from ftree.routing.flat import flat
from ftree.testing import datasets, trees
from ftree.tree import Threshold

SCHEMA = Schema([Feature("n", "numeric"), Feature("o", "ordinal", "abcd"), Feature("c", "nominal", "abcd")], "label", "xyz")


def cuts_of(tree, seed, risk):
    """The groups of cuts, by the library and by plain loops, which find the same losses of random cases at the leaves."""
    nodes, random = flat(tree.root), np.random.default_rng(seed)
    given = nodes.first_child, nodes.arity, risks_of_counts(nodes.counts, risk)
    alpha, lost, number = native_weakest_links(*given)
    assert [each.tolist() for each in plain_weakest_links(*given)] == [alpha.tolist(), lost.tolist(), number.tolist()]
    cost, sums = random.integers(0, 3, nodes.counts.shape).astype(float), random.integers(0, 5, nodes.counts.shape).astype(float)
    sums[nodes.arity > 0] = 0
    plain = sums.copy()
    native_add_to_parents(nodes, sums)
    plain_add_to_parents(nodes, plain)
    assert sums.tolist() == plain.tolist()
    ends = groups_of_path(alpha)[1]
    groups = [np.sort(group)[::-1] for group in np.split(number, ends)[: len(ends)]]
    given = nodes, np.column_stack([(sums * cost).sum(axis=1), (sums * cost**2).sum(axis=1)]), np.concatenate(groups), ends
    assert native_sums_after_cuts(*given).tolist() == plain_sums_after_cuts(*given).tolist()
    return groups


@given(trees(schema=SCHEMA), datasets(schema=SCHEMA), st.sampled_from([gini, misclassification]), st.integers(0, 9))
def test_any_path_loses_what_the_plain_loops_say(tree, data, risk, seed):
    cuts_of(recount(tree, data), seed, risk)


def test_a_large_path_loses_what_the_plain_loops_say():
    random = np.random.default_rng(1)
    data = Dataset.from_columns({"x": random.normal(size=300), "y": random.integers(0, 2, 300)}, target="y")
    tree = Tree(data.schema, _halved(np.sort(data.columns[0])))
    assert len(cuts_of(recount(tree, data), 0, misclassification)) > 5  # steps enough for heaps of several branches


def _halved(numbers):
    if len(numbers) == 1:
        return Leaf((0, 0))
    half = len(numbers) // 2
    middle = float(numbers[half - 1] + numbers[half]) / 2
    return Branch((0, 0), Threshold(0, middle), [_halved(numbers[:half]), _halved(numbers[half:])])
