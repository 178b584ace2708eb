"""A tree 100,000 deep survives everything: nothing recurses on Python's stack, and no time grows with the depth squared.

Run by hand, less depth is enough, twice that of the stack.
"""

import copy
import gc
import os
import pickle
import sys
import tracemalloc
import weakref

import numpy as np
import pytest
from attrs import evolve

import ftree as ft
from ftree import prune, stop
from ftree.show import holds
from ftree.testing import chain
from ftree.tree import Threshold, class_counts, diff, map_leaves, preorder, replace_at, subtree_at, walk

pytestmark = pytest.mark.wide

DEPTH = 100_000 if os.environ.get("CI") else 2_200
MIDDLE = (1,) * (DEPTH // 2)


def rows(depth):
    """Rows at the first leaf, in the middle, at a threshold and in the last leaf, so that every level is visited."""
    return ft.Dataset.from_columns(
        {"x": np.array([0.0, depth / 2, 1.5, depth, depth + 1.0]), "class": ["even", "even", "odd", "even", "odd"]}
    )


DATA = rows(DEPTH)


@pytest.fixture(scope="module", autouse=True)
def _collections_wait():
    """Collections during these tests would walk the trees repeatedly, which takes longer than the tests."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture(scope="module")
def deep():
    return chain(DEPTH)


@pytest.fixture(scope="module")
def twin():
    """An equal tree that shares no node with it."""
    return chain(DEPTH)


def test_it_equals_its_twin_and_hashes_alike(deep, twin):
    assert deep == twin
    assert deep.root is not twin.root
    assert hash(deep) == hash(twin)
    last = replace_at(twin, (1,) * DEPTH, ft.Leaf((0, 1)))
    assert last != deep
    assert last.root != deep.root


def test_it_prints(deep):
    assert repr(deep) == f"<Tree for 'class': {2 * DEPTH + 1} nodes, {DEPTH + 1} leaves>"
    written = repr(deep.root)
    assert written.count("Branch(") == DEPTH
    assert written.endswith("Leaf(counts=(1, 0))" + "))" * DEPTH)
    lines = str(deep).splitlines()
    assert len(lines) == 2 * DEPTH
    assert lines[-1].endswith(f"({DEPTH - 1}) x > {DEPTH - 0.5}: even (1.0)")


def test_it_is_pickled_and_copied(deep):
    assert pickle.loads(pickle.dumps(deep)) == deep  # noqa: S301  # pickled here
    copied = copy.deepcopy(deep)
    assert copied == deep
    assert copied.root is not deep.root


def test_it_is_measured(deep):
    assert ft.depth(deep) == DEPTH > 2 * sys.getrecursionlimit()
    assert (ft.n_nodes(deep), ft.n_leaves(deep)) == (2 * DEPTH + 1, DEPTH + 1)
    assert class_counts(deep) == {"even": DEPTH // 2 + 1, "odd": DEPTH // 2}
    assert ft.importances(deep) == {"x": pytest.approx(1.0)}
    assert sum(1 for _ in preorder(deep)) == 2 * DEPTH + 1
    assert sum(leaf.counts[0] for leaf in ft.leaves(deep)) == DEPTH // 2 + 1


def test_it_is_edited(deep):
    cut = ft.collapse_at(deep, MIDDLE)
    assert ft.depth(cut) == DEPTH // 2
    assert ft.is_pruning_of(cut, deep)
    assert not ft.is_pruning_of(deep, cut)
    assert replace_at(cut, MIDDLE, subtree_at(deep, MIDDLE)) == deep
    assert diff(cut, deep) == (MIDDLE,)
    assert map_leaves(deep, lambda leaf: leaf) is deep
    assert sum(map_leaves(deep, lambda leaf: ft.Leaf([1, *leaf.counts[1:]])).root.counts) == DEPTH + 1


def test_other_data_are_counted_in_it(deep):
    counted = ft.recount(deep, DATA)
    assert counted.root.counts == (3, 2)
    assert [leaf.counts for leaf in ft.leaves(counted) if any(leaf.counts)] == [(1, 0), (0, 1), (1, 0), (1, 1)]


@pytest.mark.parametrize("engine", ["plain", pytest.param("compiled", marks=pytest.mark.slow)])
def test_growth_goes_on_from_a_deep_tree(engine):
    depth = min(DEPTH, 20_000)  # a level of growth takes as long as hundreds of levels that are only walked
    deep, data = chain(depth), rows(depth)
    counted = ft.recount(deep, data)
    tree = ft.grow(data, ft.ID3, start=deep, engine=engine)
    assert ft.is_pruning_of(counted, tree)
    assert diff(counted, tree) == ((1,) * depth,)
    assert ft.n_leaves(tree) == depth + 2
    assert ft.grow(data, ft.ID3, start=(deep, (1,) * (depth // 2) + (0,)), engine=engine) == counted


@pytest.mark.parametrize("missing", ["all_routes", "weighted", "heaviest", "stop"])
def test_rows_are_answered_whatever_they_lack(deep, missing):
    points = [[0.0], [1.0], [DEPTH - 1.0], [float(DEPTH)], [None]]
    # The last two leaves are equally heavy, so the first of them predicts.
    unknown = "odd" if missing == "heaviest" else "even"
    answers = ft.predict_counts(deep, points, missing=missing)
    assert [deep.schema.classes[code] for code in answers.argmax(axis=1)] == ["even", "odd", "odd", "even", unknown]
    assert missing in ("heaviest", "weighted") or tuple(answers[-1]) == deep.root.counts


def test_a_path_is_told_with_all_its_reasons(deep):
    route = ft.path_of(deep, [float(DEPTH)])
    assert (route.path, route.label) == ((1,) * DEPTH, "even")
    assert route.reasons[-1] == f"x > {DEPTH - 0.5}"
    assert ft.leaf_of(deep, [float(DEPTH)]) == ft.Leaf((1, 0))


def test_rules_merge_a_hundred_thousand_bounds_into_two(deep):
    read = ft.rules(deep)
    assert len(read) == DEPTH + 1
    assert str(read[-2]) == f"if {DEPTH - 1.5} < x <= {DEPTH - 0.5} then odd"
    formula = ft.dnf(deep, "odd")
    assert len(formula.terms) == DEPTH // 2
    assert holds(formula, {"x": DEPTH - 1.0})
    assert not holds(formula, {"x": float(DEPTH)})
    assert str(formula).count(" or ") == ft.latex(formula).count(r" \lor ") == DEPTH // 2 - 1


def test_it_goes_to_a_dictionary_and_back(deep):
    assert ft.from_dict(ft.to_dict(deep, counts=True), deep.schema) == deep


def test_it_is_let_go():
    tree = chain(DEPTH)
    nested = ft.to_dict(tree)
    inner = weakref.ref(subtree_at(tree, MIDDLE).root)
    assert isinstance(inner(), ft.Branch)
    del tree, nested
    gc.collect()
    assert inner() is None


def test_a_walk_keeps_one_path_whatever_the_depth():
    """A path for each pending sibling would take 300 MB here."""
    left_deep = ft.fold(chain(8000), lambda leaf: leaf, lambda branch, below: ft.Branch(branch.counts, branch.split, below[::-1]))
    tracemalloc.start()
    assert sum(1 for _ in walk(left_deep)) == 16_001
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 10_000_000


def test_decisions_and_best_first_cuts_are_told_some_thousands_of_levels_deep():
    """A decision has its path, and each cut makes a tree: memory and time for the depth squared again."""
    tree = chain(2000)
    for order in ("bottom_up", "best_first"):
        cutting = prune.reduced_error(DATA, order=order)
        assert len(cutting.decisions(tree)) <= 2000
        assert ft.is_pruning_of(cutting(tree), tree)


def test_a_policy_that_peels_off_one_row_a_level_grows_more_levels_than_the_stack_has():
    """Each level sorts and scores all remaining rows, so growth takes time for the depth squared."""

    def smallest_first_child(children, _):
        """Best where child 0 has the fewest cases."""
        return 1 / np.asarray(children).sum(axis=-1)[..., 0]

    n = 1200
    data = ft.Dataset.from_columns({"x": np.arange(float(n)), "class": [("even", "odd")[row % 2] for row in range(n)]})
    tree = ft.grow(data, evolve(ft.ID3, score=smallest_first_child, stop=stop.pure()))
    assert ft.depth(tree) == n - 1
    assert tree == ft.Tree(tree.schema, chain(n - 1).root)
    assert list(ft.predict(tree, data)) == [("even", "odd")[row % 2] for row in range(n)]
    assert ft.recount(tree, data) == tree


def test_a_tree_of_as_many_leaves_survives_too():
    def halve(span):
        low, high = span
        if high - low == 1:
            return ft.Leaf((low % 2, 1 - low % 2))
        middle = (low + high) // 2
        odd = high // 2 - low // 2
        return (odd, high - low - odd), Threshold(0, middle - 0.5), [(low, middle), (middle, high)]

    schema = chain(1).schema
    one = ft.Tree(schema, ft.unfold((0, DEPTH), halve))
    data = ft.Dataset.from_columns({"x": np.arange(float(DEPTH)), "class": ["odd", "even"] * (DEPTH // 2)})
    other = pickle.loads(pickle.dumps(one))  # noqa: S301  # pickled here
    assert one == other
    assert hash(one) == hash(other)
    assert str(one).count("\n") == 2 * DEPTH - 3
    assert sum(ft.recount(one, data).root.counts) == DEPTH
