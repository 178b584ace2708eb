"""Passes prune trees of numbers: by brute force, whatever the unit, and as scikit-learn does."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import CART, Branch, Dataset, Feature, Leaf, Schema, Tree, cart, grow, n_leaves, predict, prune, recount, stop
from ftree.splitters import threshold
from ftree.testing import check_pass, check_path, datasets, trees
from ftree.tree import leaves, numbers, preorder

SCHEMA = Schema([Feature("n", "numeric"), Feature("c", "nominal", "abcd")], "y", (), response=numbers())
TREES = trees(schema=SCHEMA, max_leaves=6)
TABLES = datasets(schema=SCHEMA, min_rows=1, missing=True, weighted=True, max_rows=12)


def made(rows, *, gaps=0.0, seed=0):
    random = np.random.default_rng(seed)
    cells = [random.integers(0, 5, rows).astype(float), random.integers(0, 4, rows)]
    cells = [np.where(random.random(rows) < gaps, missing, cell) for cell, missing in zip(cells, (np.nan, -1), strict=True)]
    return Dataset(SCHEMA, [cells[0], cells[1].astype(int)], random.integers(0, 10, rows).astype(float))


PASSES = [
    prune.collapse(),
    prune.snip([(), (0, 1)]),
    prune.trim(stop.max_depth(1)),
    prune.trim(stop.max_leaves(3)),
    prune.trim(stop.min_rows(6) | stop.pure()),
    prune.trim(stop.min_gain(0.05) | stop.min_best_child(1)),
    prune.cost_complexity(0.05, scale="cp"),
    prune.cost_complexity(0.5),
    prune.reduced_error(made(14)),
    prune.reduced_error(made(14, gaps=0.3), order="best_first", ties="keep"),
    prune.compose(prune.trim(stop.max_depth(2)), prune.collapse()),
]


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize("pass_", PASSES, ids=lambda pass_: repr(pass_)[:60])
def test_a_pass_of_numbers_keeps_the_laws(pass_):
    check_pass(pass_, given_trees=TREES, exempt={"order"} if getattr(pass_, "order", None) == "best_first" else ())


def test_the_path_of_numbers_keeps_the_laws():
    check_path(prune.cost_complexity_path, given_trees=TREES)


def prunings(node):
    if isinstance(node, Branch):
        for children in product(*(list(prunings(child)) for child in node.children)):
            yield Branch(node.counts, node.split, children)
    yield Leaf(node.counts)


def mean(counts, response):
    return Fraction(response.centre) + Fraction(response.unit) * Fraction(response.part) * counts[1] / Fraction(counts[0])


def loss(node, mirror, own, other, seen=None):
    """The squared error of a node on the cases counted in its mirror, by plain recursion and in fractions."""
    seen = node if any(node.counts) or seen is None else seen
    if isinstance(node, Branch):
        return sum(loss(*pair, own, other, seen) for pair in zip(node.children, mirror.children, strict=True))
    answer = mean(seen.counts, own) if seen.counts[0] else Fraction(own.centre)
    unit, part, (cases, total, squares) = Fraction(other.unit), Fraction(other.part), mirror.counts
    shift = Fraction(other.centre) - answer
    return part * unit**2 * squares + 2 * shift * unit * part * total + shift**2 * Fraction(cases)


@given(TREES, TABLES)
def test_reduced_error_is_the_smallest_of_the_best_prunings(tree, pruning_set):
    mirror = recount(tree, pruning_set)
    own, other = tree.schema.response, mirror.schema.response
    losses = [(loss(node, mirror.root, own, other), node) for node in prunings(tree.root)]
    least, most = min(lost for lost, _ in losses), max(lost for lost, _ in losses)
    best = [node for lost, node in losses if lost <= least + most * Fraction(1, 10**11)]
    found = prune.reduced_error(pruning_set)(tree).root
    assert found == min(best, key=lambda node: (n_leaves(node), sum(1 for _ in preorder(node))))
    greedy = prune.reduced_error(pruning_set, order="best_first")(tree).root
    assert least <= loss(greedy, mirror.root, own, other) <= losses[0][0] + most * Fraction(1, 10**11)


@given(TREES | trees(response="events", max_leaves=4), st.sampled_from([0.0, 0.01, 0.1, 0.5]))
def test_cost_complexity_is_the_smallest_pruning_of_least_cost(tree, cp):
    response = tree.schema.response
    whole = response.risk(tree.root.counts) or 1.0
    cost = [
        (sum(response.risk(leaf.counts) for leaf in leaves(node)) / whole + cp * n_leaves(node), node)
        for node in prunings(tree.root)
    ]
    best = [node for each, node in cost if each <= min(cost, key=lambda pair: pair[0])[0] + 1e-9]
    assert n_leaves(prune.cost_complexity(cp, scale="cp")(tree)) == min(map(n_leaves, best))


@given(TREES, TABLES, st.sampled_from([2.0**-60, 0.5, 2.0**40]), st.integers(-8, 8))
def test_another_unit_of_numbers_prunes_the_same_branches(tree, table, factor, moved):
    response = numbers(tree.schema.response.centre * factor + moved * factor, tree.schema.response.unit * factor)
    other = Tree(evolve(tree.schema, response=response), tree.root)
    set_ = Dataset(
        evolve(SCHEMA, response=numbers.of((table.target_column + moved) * factor)),
        table.columns,
        (table.target_column + moved) * factor,
        table.weights,
    )
    for pass_, its in [
        (prune.cost_complexity(0.1, scale="cp"), prune.cost_complexity(0.1, scale="cp")),
        (prune.reduced_error(table), prune.reduced_error(set_)),
    ]:
        assert its(other).root == pass_(tree).root


@given(
    datasets(response="numbers", min_rows=2, max_rows=14) | datasets(response="events", min_rows=2, max_rows=14),
    st.sampled_from([stop.max_depth(2), stop.min_rows(4), stop.min_gain(0.1)]),
)
def test_growing_with_a_rule_is_trimming_by_it(dataset, rule):
    assert prune.trim(rule)(grow(dataset, CART)) == grow(dataset, CART.stopping(rule))
    assert prune.trim(stop.max_leaves(3))(grow(dataset, CART)) == grow(dataset, CART.stopping(stop.max_leaves(3)))


@given(st.sampled_from(["numbers", "events"]).flatmap(lambda kind: datasets(response=kind, missing=True, weighted=True)))
def test_recounting_the_training_set_is_the_tree_itself_but_for_divided_cases(dataset):
    table = dataset.complete()
    if len(table):
        tree = grow(table, CART)
        assert recount(tree, table) == tree
    tree = grow(dataset, CART)
    counted = recount(tree, dataset)
    assert counted.root.counts[0] == dataset.n_cases
    for node in preorder(counted):
        if isinstance(node, Branch):
            assert node.counts == tuple(map(sum, zip(*(child.counts for child in node.children), strict=True)))


def test_a_pruning_set_may_have_finer_and_smaller_numbers_than_the_tree():
    columns = [np.array([0.0, 1.0]), np.array([0, 0])]
    tree = grow(Dataset(evolve(SCHEMA, response=numbers.of([0.0, 1024.0])), columns, np.array([0.0, 1024.0])), CART)
    held_out = Dataset(tree.schema, columns, np.array([-3.5, 512.0]))
    assert prune.reduced_error(held_out)(tree) is tree  # 515.5 and 0 from the root's mean, 3.5 and 512 from those of the leaves
    assert prune.reduced_error(evolve(held_out, target_column=[3.5, 512.0]))(tree).root == Leaf(tree.root.counts)
    counted = recount(tree, held_out)
    assert [counted.schema.response.answer(leaf.counts) for leaf in leaves(counted)] == [-3.5, 512.0]


def noisy(rows=300):
    random = np.random.default_rng(0)
    points = random.normal(size=(rows, 3))
    return Dataset.from_rows(points, points[:, 0] * 2 + (points[:, 1] > 0) * 3 + random.normal(size=rows))


def test_the_path_is_scikit_learns():
    regressor = pytest.importorskip("sklearn.tree").DecisionTreeRegressor
    table = noisy()
    path = list(prune.cost_complexity_path(grow(table, evolve(CART, splits=(threshold(),)))))
    theirs = regressor(random_state=0).cost_complexity_pruning_path(np.column_stack(table.columns), table.target_column)
    assert [step.alpha for step in path] == pytest.approx(theirs.ccp_alphas, rel=1e-6, abs=1e-12)
    assert [step.risk for step in path] == pytest.approx(theirs.impurities, rel=1e-6, abs=1e-12)


def test_errors_of_a_path_are_those_of_its_trees_predictions():
    table = noisy()
    path = [*prune.cost_complexity_path(grow(table, CART))][-9:]
    for row, step in zip(prune.measured(path, table), path, strict=True):
        squared = (predict(step.tree, table) - table.target_column) ** 2
        assert (row.error, row.deviation) == pytest.approx((squared.mean(), squared.std()))


def test_cart_chooses_a_tree_of_numbers():
    table = noisy()
    rows = prune.cross_validated(table, lambda rows: grow(rows, CART))
    assert cart(table) == prune.select(rows, by=prune.one_standard_error)
    assert 2 <= n_leaves(cart(table)) < 30
    tiny = table.with_labels(table.target_column * 2.0**-40)
    assert [leaf.counts for leaf in leaves(cart(tiny))] == [leaf.counts for leaf in leaves(cart(table))]


def test_passes_explain_themselves_by_shares_of_the_root():
    tree = prune.trim(stop.max_depth(1))(grow(noisy(), CART))
    first, *rest = prune.explain(prune.cost_complexity(0.5), tree).splitlines()[1:]
    assert first.startswith("[300 ")
    assert [line.split(":")[0] for line in rest] == [line.split(":")[0] for line in str(tree).splitlines()]
    made = prune.snip([()]).decisions(tree)
    assert made[0].as_leaf == 1
    assert prune.replay(made, tree).root == Leaf(tree.root.counts)
