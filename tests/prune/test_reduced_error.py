"""Reduced-error pruning: as plain recursion decides, the smallest of the best prunings, and trees worked by hand."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from plain_passes import (
    ANSWERING,
    COMPLETE,
    NUMBERS,
    OF_AB,
    REGRESSION,
    SCHEMA,
    TREES,
    WITH_GAPS,
    B,
    cuts,
    decision,
    loss,
    mistakes,
    near,
    prunings,
    up,
    with_numbers,
)

from ftree import CART, Branch, Dataset, Leaf, Tree, accuracy, grow, leaves, n_leaves, n_nodes, predict, recount
from ftree.datasets import weather
from ftree.prune import reduced_error
from ftree.testing import check_pass, check_path, datasets, trees
from ftree.tree import Threshold, is_pruning_of, numbers, walk


def on_other_cases(tree, dataset):
    """Errors of a leaf on a pruning set; the leaf has the class of the nearest node with cases."""
    counted = {path: node.counts for path, node in walk(recount(tree, dataset))}
    return lambda _, path, named: mistakes(named, counted[path])


def best_first(tree, dataset, *, ties):
    """Cut the branch that saves most, the nearest to the root among equal ones, until none saves any; then the kept ones."""
    error, found, nodes = on_other_cases(tree, dataset), [], dict(sorted(walk(tree), key=lambda pair: (len(pair[0]), pair[0])))

    def named(path):
        return next(nodes[path[:end]].counts for end in range(len(path), -1, -1) if any(nodes[path[:end]].counts) or not end)

    def scores(path):
        ends = [end for end, node in nodes.items() if end[: len(path)] == path and isinstance(node, Leaf)]
        return error(None, path, named(path)), sum(error(None, end, named(end)) for end in ends)

    while standing := [path for path, node in nodes.items() if isinstance(node, Branch)]:
        path = min(standing, key=lambda one: (round(scores(one)[0] - scores(one)[1], 9), len(one), one))
        as_leaf, as_subtree = scores(path)
        if not (ties if near(as_leaf, as_subtree) else as_leaf < as_subtree):
            break
        found.append(decision(path, nodes[path], as_leaf, as_subtree, as_subtree, cut=True))
        cut = Leaf(nodes[path].counts)
        nodes = {one: node for one, node in nodes.items() if one[: len(path)] != path or one == path} | {path: cut}
    return [*found, *(decision(path, nodes[path], *scores(path), scores(path)[1], cut=False) for path in standing)]


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize(("data", "ties"), [(COMPLETE, "prune"), (WITH_GAPS, "keep")], ids=["complete", "gaps"])
def test_bottom_up_decides_as_recursion(data, ties):
    def oracle(tree):
        return up(tree, leaf=on_other_cases(tree, data), ties=ties == "prune")

    check_pass(reduced_error(data, ties=ties), given_trees=TREES, oracle=oracle)


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize("ties", ["prune", "keep"])
def test_best_first_cuts_what_saves_most(ties):
    pass_ = reduced_error(WITH_GAPS, order="best_first", ties=ties)
    check_pass(pass_, given_trees=TREES, oracle=lambda tree: best_first(tree, WITH_GAPS, ties=ties == "prune"), exempt={"order"})


def test_a_cut_changes_what_cutting_any_branch_above_would_save():
    """Cutting the lowest of three branches saves 8 errors; before it the root saved 4, and afterwards it would cost 4."""
    rows = Dataset.from_columns({"x": [0, 0, 1, 1, *[2] * 8, 3, 3], "y": [*"nnnn", *"yyyyyyyyyy"]}, target="y", kinds="numeric")
    lowest = Branch((2, 10), Threshold(0, 2.5), (Leaf((2, 1)), Leaf((0, 9))))
    middle = Branch((5, 10), Threshold(0, 1.5), (Leaf((3, 0)), lowest))
    tree = Tree(rows.schema, Branch((8, 10), Threshold(0, 0.5), (Leaf((3, 0)), middle)))
    assert n_leaves(reduced_error(rows, order="best_first")(tree)) == 3


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize(
    ("pass_", "given_trees", "exempt"),
    [
        (reduced_error(COMPLETE, labels="pruning"), ANSWERING, {"pruning"}),
        (reduced_error(COMPLETE, labels="pruning", order="best_first"), ANSWERING, {"pruning", "order"}),
        # Backfitting counts the cases again, and a case divided by the old counts is divided differently by the new ones.
        (reduced_error(WITH_GAPS, labels="backfit"), TREES, {"pruning", "once"}),
        (reduced_error(WITH_GAPS, labels="pruning"), TREES, {"pruning", "once"}),
        (reduced_error(with_numbers(COMPLETE)), REGRESSION, ()),
        (reduced_error(with_numbers(WITH_GAPS), order="best_first", ties="keep"), REGRESSION, {"order"}),
    ],
    ids=lambda value: repr(value)[-60:] if isinstance(value, reduced_error) else "",
)
def test_what_recounts_and_what_prunes_numbers_keeps_the_other_laws(pass_, given_trees, exempt):
    check_pass(pass_, given_trees=given_trees, exempt=exempt)


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize("order", ["bottom_up", "best_first"])
def test_its_path_keeps_the_laws_of_paths(order):
    check_path(reduced_error(COMPLETE, order=order).path, given_trees=trees(schema=SCHEMA))


def squared(own, other):
    """The squared error of an answer by some sums on others, in fractions: the responses tell their units."""

    def lost(answering, counts):
        mean = Fraction(own.centre)
        if answering[0]:
            mean += Fraction(own.unit) * Fraction(own.part) * answering[1] / Fraction(answering[0])
        unit, part, shift, (cases, total, squares) = (
            *map(Fraction, (other.unit, other.part)),
            Fraction(other.centre) - mean,
            counts,
        )
        return part * unit**2 * squares + 2 * shift * unit * part * total + shift**2 * Fraction(cases)

    return lost


@st.composite
def trees_with_pruning_sets(draw, schema):
    """A tree, a pruning set, and the loss of a pruning of the tree on it, or of its recounted mirror."""
    tree = draw(trees(schema=schema, max_leaves=6))
    pruning_set = draw(datasets(schema=schema, min_rows=1 if schema is NUMBERS else 0, missing=True, weighted=True, max_rows=12))
    mirror = recount(tree, pruning_set)
    lost = squared(tree.schema.response, mirror.schema.response) if schema is NUMBERS else mistakes
    return tree, pruning_set, mirror.root, lambda node: loss(node, mirror.root, lost)


def smallest_of_the_best(root, lost):
    """The smallest of the prunings that lose least, but for rounding."""
    losses = [(lost(node), node) for node in prunings(root)]
    least, most = min(each for each, _ in losses), max(each for each, _ in losses)
    best = [node for each, node in losses if each <= least + most * Fraction(1, 10**11)]
    return min(best, key=lambda node: (n_leaves(node), n_nodes(node)))


@pytest.mark.parametrize("schema", [SCHEMA, NUMBERS], ids=["classes", "numbers"])
@given(data=st.data())
def test_bottom_up_is_the_smallest_of_the_most_accurate_prunings(schema, data):
    tree, pruning_set, _, lost = data.draw(trees_with_pruning_sets(schema))
    assert reduced_error(pruning_set)(tree).root == smallest_of_the_best(tree.root, lost)


@given(trees(schema=SCHEMA), datasets(schema=SCHEMA, min_rows=0))
def test_with_labels_of_the_pruning_set_it_is_that_of_the_recounted_tree(tree, pruning_set):
    mirror = recount(tree, pruning_set).root
    best = smallest_of_the_best(mirror, lambda node: loss(node, mirror, mistakes))
    assert reduced_error(pruning_set, labels="pruning")(tree).root == best


@given(trees(schema=SCHEMA), datasets(schema=SCHEMA, min_rows=0))
def test_backfitting_adds_the_pruning_sets_counts(tree, pruning_set):
    both = reduced_error(pruning_set, labels="backfit", ties="keep")(tree).root.counts
    assert both == tuple(a + b for a, b in zip(tree.root.counts, recount(tree, pruning_set).root.counts, strict=True))


@pytest.mark.parametrize("labels", ["pruning", "backfit"])
def test_the_recounted_root_is_told_with_the_errors_of_its_leaf_and_of_its_subtree(labels):
    other = weather().take(range(8))
    other = evolve(other, target_column=other.target_column[::-1])
    pass_, tree = reduced_error(other, labels=labels), grow(weather())
    told, (recounted, *_) = pass_.decisions(tree)[0], pass_.path(tree)
    leaf = evolve(recounted, root=Leaf(recounted.root.counts))
    errors = [len(other) * (1 - accuracy(each, other)) for each in (leaf, recounted)]
    assert told.done == "recounted"
    assert [told.as_leaf, told.as_subtree] == pytest.approx(errors)


def splits_of(tree):
    return [(path, getattr(node, "split", None)) for path, node in walk(tree)]


KINDS = [(SCHEMA, "growing"), (SCHEMA, "pruning"), (SCHEMA, "backfit"), (NUMBERS, "growing")]


@pytest.mark.parametrize(("schema", "labels"), KINDS, ids=lambda value: value if isinstance(value, str) else value.target)
@given(data=st.data())
def test_a_path_is_the_tree_with_its_labels_and_one_cut_after_another_of_which_none_loses_more(schema, labels, data):
    tree, pruning_set, mirror, lost = data.draw(trees_with_pruning_sets(schema))
    for order in ("bottom_up", "best_first"):
        pass_ = reduced_error(pruning_set, order=order, labels=labels)
        *_, last = path = list(pass_.path(tree))
        assert splits_of(path[0]) == splits_of(tree)
        assert labels == "backfit" or path[0].root == (tree.root if labels == "growing" else mirror)
        assert last == pass_(tree)
        assert all(is_pruning_of(later, before) for before, later in pairwise(path))
        assert len(path) == 1 + sum(made.cut for made in pass_.decisions(tree))
        losses = [lost(one.root) for one in path]
        assert all(later <= before + losses[0] * Fraction(1, 10**11) + 1e-9 for before, later in pairwise(losses))


@given(REGRESSION, datasets(schema=NUMBERS, min_rows=1, missing=True, weighted=True, max_rows=12), st.integers(-8, 8))
@pytest.mark.parametrize("factor", [2.0**-60, 0.5, 2.0**40])
def test_another_unit_of_numbers_prunes_the_same_branches(factor, tree, table, moved):
    response, targets = tree.schema.response, (table.target_column + moved) * factor
    other = numbers((response.centre + moved) * factor, response.unit * factor)
    set_ = Dataset(evolve(NUMBERS, response=numbers.of(targets)), table.columns, targets, table.weights)
    moved_tree = Tree(evolve(tree.schema, response=other), tree.root)
    assert reduced_error(set_)(moved_tree).root == reduced_error(table)(tree).root


# Worked by hand --------------------------------------------------------------------------------------------------


def reaching(*points):
    """A dataset with the given number of rows of each class (second) at each point (first)."""
    cells = [(point, code) for point, counts in points for code, count in enumerate(counts) for _ in range(count)]
    return Dataset(OF_AB, list(np.array([point for point, _ in cells], float).T), [code for _, code in cells])


V1 = reaching(((0, 0, 0, 0), (1, 2)), ((0, 1, 0, 0), (3, 1)), ((1, 0, 0, 0), (1, 3)), ((1, 1, 0, 0), (0, 2)))


def test_bottom_up_cuts_t2_and_t3_of_tree_B():
    judged = {each.path: (each.as_leaf, each.as_subtree) for each in reduced_error(V1).decisions(B)}
    assert (judged[0,], judged[1,], judged[()][1]) == ((3, 5), (1, 3), 4)
    assert cuts(reduced_error(V1), B) == ((0,), (1,))


def test_best_first_cuts_the_root_of_tree_B():
    pass_ = reduced_error(V1, order="best_first")
    (only,) = pass_.decisions(B)
    assert (only.path, only.as_leaf, only.as_subtree) == ((), 5, 8)
    assert [n_leaves(tree) for tree in pass_.path(B)] == [4, 1]


def test_an_empty_pruning_set_ties_everywhere():
    assert reduced_error(V1.take([]))(B).root == Leaf((9, 10))
    assert reduced_error(V1.take([]), ties="keep")(B) is B


def test_a_table_that_counts_nodes_itself_is_a_pruning_set():
    class Counting:
        def count_nodes(self, tree):
            seen.append(tree)
            return [(5, 8), (4, 3), (1, 5), (1, 2), (3, 1), (1, 3), (0, 2)]

    seen = []
    for ties in ("prune", "keep"):
        assert reduced_error(Counting(), ties=ties).decisions(B) == reduced_error(V1, ties=ties).decisions(B)
    assert seen == [B, B]


def test_unseen_values_of_a_pruning_set_count_in_fractions():
    sky = Dataset.from_rows([["sun"], ["sun"], ["rain"]], ["play", "play", "stay"], features=["sky"])
    strange = Dataset.from_rows([["snow"]], ["stay"], features=["sky"])
    (only,) = reduced_error(strange).decisions(grow(sky))
    assert (only.as_leaf, only.as_subtree) == (1, pytest.approx(2 / 3))
    assert predict(reduced_error(strange)(grow(sky)), ["rain"]) == "stay"


@pytest.mark.parametrize("unit", [1.0, 2.0**-40])
def test_a_pruning_set_may_have_finer_and_smaller_numbers_than_the_tree(unit):
    columns = [np.array([0.0, 1.0]), np.array([0, 0])]
    targets = np.array([0.0, 1024.0]) * unit
    tree = grow(Dataset(evolve(NUMBERS, response=numbers.of(targets)), columns, targets), CART)
    held_out = Dataset(tree.schema, columns, np.array([-3.5, 512.0]) * unit)
    assert reduced_error(held_out)(tree) is tree  # 515.5 and 0 from the root's mean, 3.5 and 512 from those of the leaves
    for ties, as_leaf, nearer in (("prune", 1, [3.5, 512.0]), ("keep", 0, [512.0, 512.0])):
        others = Dataset(evolve(NUMBERS, response=numbers.of(np.array(nearer) * unit)), columns, np.array(nearer) * unit)
        (only,) = reduced_error(others, ties=ties).decisions(tree)
        assert (only.cut, only.as_leaf) == (True, as_leaf), "nearer to the root's mean, whose loss is 1"
    counted = recount(tree, held_out)
    assert [counted.schema.response.answer(leaf.counts) / unit for leaf in leaves(counted)] == [-3.5, 512.0]


STRANGER = evolve(COMPLETE, schema=evolve(SCHEMA, classes=("no", "perhaps", "yes")))


@pytest.mark.parametrize(
    ("pruning_set", "error", "words"),
    [
        (Dataset.from_rows([[1.0]], ["no"], features=["elsewhere"]), KeyError, "got 'n'"),
        (STRANGER, ValueError, "perhaps"),
    ],
)
def test_a_pruning_set_with_other_features_or_classes_is_refused(pruning_set, error, words):
    with pytest.raises(error, match=words):
        reduced_error(pruning_set)(grow(COMPLETE, CART))
