"""Regression trees and trees of events are the same whatever the order of rows, weights and units, and those of scikit-learn."""

from fractions import Fraction

import numpy as np
import pytest
from attrs import evolve
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy.special import xlogy

from ftree import CART, Branch, Dataset, cart_policy, grow, n_leaves, predict, recount
from ftree._lib.arrays import exact_unit
from ftree.criteria import variance
from ftree.data.channels import counts_of, in_limbs
from ftree.missing import heaviest, ignore, surrogates
from ftree.scan import source_of
from ftree.splitters import by_cost, multiway, one_value, random_threshold, subset, threshold
from ftree.stop import max_depth, min_best_child, min_gain, min_rows, never, no_gain, pure
from ftree.testing import datasets
from ftree.tree import leaves, level_order
from ftree.tree.response import numbers


def tables(**options):
    return st.sampled_from(["numbers", "events"]).flatmap(lambda kind: datasets(response=kind, **options))


def with_outlier(dataset, times):
    return dataset.with_labels(np.where(np.arange(len(dataset)) == 0, times, 1.0) * dataset.target_column)


OUTLIERS = st.sampled_from([1.0, 1.0, 1e5, 1e9])
TABLES = st.builds(with_outlier, tables(missing=True, weighted=True, max_rows=12), OUTLIERS)
# Weights over nine orders of magnitude.
FRACTIONS = st.floats(-6, 3).map(lambda digits: 10.0**digits)
MISSING = ["ignore", "heaviest", "as_value", "as_branch", surrogates(), surrogates(everywhere=True)]
POLICIES = st.builds(
    lambda splits, stop, missing: evolve(CART, splits=splits, stop=stop, missing=missing),
    st.sampled_from([(subset(), threshold()), (multiway(), threshold()), (one_value(min_cases=2), random_threshold(seed=1))]),
    st.sampled_from(
        [pure() | no_gain(), never | max_depth(3), min_rows(3) | no_gain(), min_best_child(2) | min_gain(0.01) | pure()]
    ),
    st.sampled_from(MISSING),
)


def fractions_of(dataset):
    """Random weights that are not whole, and numbers of every size."""
    return evolve(dataset, weights=np.asarray(dataset.weights) / 3)


@given(TABLES, POLICIES, st.randoms(use_true_random=False), st.booleans())
def test_the_order_of_rows_and_a_power_of_two_in_all_weights_change_no_tree(dataset, policy, random, fractional):
    table = fractions_of(dataset) if fractional else dataset
    tree = grow(table, policy)
    assert grow(table.take(random.sample(range(len(table)), len(table))), policy) == tree
    factor = random.choice([0.25, 2.0, 1024.0])
    # Limits count cases, and a surrogate needs two of them, or two rows of importances.
    limits = any(word in repr(policy.stop) for word in ("min_rows", "min_best_child"))
    limits |= isinstance(policy.missing, surrogates) and not fractional
    if not limits and not any(getattr(each, "min_cases", 0) for each in policy.splits):
        kind = table.weights_are if fractional else None
        scaled = grow(table.with_weights(np.asarray(table.weights) * factor, weights_are=kind), policy)
        cases = [[node.counts[0] for node in level_order(one.root)[0]] for one in (scaled, tree)]
        # A row of whole weight is divided copy by copy, each share rounded to the grid, unlike that of a fraction.
        part, n_copies = tree.schema.response.part, max(table.n_cases, factor * table.n_cases, len(table))
        assert cases[0] == pytest.approx(
            [factor * n for n in cases[1]], rel=0, abs=n_copies * max(factor, 1) * part if part < 1 else 0
        )
        assert splits_of(scaled) == splits_of(tree)


@pytest.mark.slow
@settings(max_examples=300)
@given(st.data(), tables(missing=True, weighted=True, max_rows=30), POLICIES, st.randoms(use_true_random=False))
def test_engines_threads_orders_and_parts_grow_one_tree(data, dataset, policy, random):
    if data.draw(st.booleans()):  # one row is far away
        dataset = dataset.with_labels(np.where(np.arange(len(dataset)) == 0, 1e6, 1.0) * dataset.target_column)
    if data.draw(st.booleans()):
        policy = evolve(policy, choose=by_cost((1, 2, 4), formula="idx"))
    tree = grow(dataset, policy, engine="plain")
    assert grow(dataset, policy, engine="compiled", n_jobs=1) == tree == grow(dataset, policy, engine="compiled", n_jobs=2)
    assert grow(dataset.take(random.sample(range(len(dataset)), len(dataset))), policy) == tree
    served = policy.missing == heaviest() or (policy.missing == ignore() and not dataset.gaps())
    if served and not dataset.further_targets and isinstance(policy.splits[1], threshold):
        source = source_of(dataset, bins=data.draw(st.integers(2, 5)), rows_per_part=data.draw(st.integers(1, 9)))
        assert grow(source, policy) == tree


def splits_of(tree):
    return [node.split for node in level_order(tree.root)[0] if isinstance(node, Branch)]


@given(TABLES, POLICIES, st.sampled_from([0.5, 4.0, 2.0**30]), st.integers(-8, 8))
def test_another_unit_and_origin_of_numbers_grows_the_same_splits(dataset, policy, factor, moved):
    if dataset.further_targets:
        assert splits_of(grow(evolve(dataset, further_targets=[dataset.further_targets[0] * factor]), policy)) == splits_of(
            grow(dataset, policy)
        )
        return
    other = dataset.with_labels(dataset.target_column * factor + moved)
    assume((other.target_column - moved == dataset.target_column * factor).all())
    assert splits_of(grow(other, policy)) == splits_of(grow(dataset.with_labels(dataset.target_column), policy))


@given(tables(missing=True, weighted=True, max_rows=8), POLICIES)
def test_weight_k_is_k_copies(dataset, policy):
    copies = dataset.take(np.repeat(np.arange(len(dataset)), dataset.weights)).with_weights(None)
    one, other = grow(dataset, policy), grow(copies, policy)
    assert one.root == other.root or one.schema.response.part != other.schema.response.part


@given(TABLES, POLICIES, st.booleans(), st.sampled_from([1.0, 2**-0.5]))
def test_a_branch_has_exactly_what_its_children_have_and_the_root_has_all_rows(dataset, policy, fractional, factor):
    table = fractions_of(dataset) if fractional else dataset
    if table.schema.response.kind == "numbers":
        table = table.with_labels(table.target_column * factor)
    tree = grow(table, policy)
    for node in level_order(tree.root)[0]:
        if isinstance(node, Branch):
            assert node.counts == tuple(sum(column) for column in zip(*(child.counts for child in node.children), strict=True))
    response = tree.schema.response
    cases = [Fraction(round(weight / response.part)) * Fraction(response.part) for weight in table.weights.tolist()]
    whole = [column.astype(object) for column in response.wholes(table.target_column, *table.further_targets)]
    whole = [(column if column.ndim == 1 else column @ [1 << 42, 1]).tolist() for column in whole]  # squares have digits
    sums = [sum(weight * number for weight, number in zip(cases, column, strict=True)) for column in whole]
    assert list(tree.root.counts) == [sum(cases), *(each / Fraction(response.part) for each in sums)]
    assert fractional or policy.missing != heaviest() or response.part == 1, "no case is divided"


@given(TABLES, POLICIES)
def test_a_row_without_missing_values_gets_the_mean_of_its_leaf(dataset, policy):
    tree, table = grow(dataset, policy), dataset.complete()
    answers = {tree.schema.response.answer(leaf.counts) for leaf in leaves(tree)}
    assume(len(table))
    assert set(predict(tree, table).tolist()) <= answers
    assert predict(tree, [table.rows()[0]]) == predict(tree, table)[:1].tolist()


@given(st.data(), st.lists(st.sampled_from([0, 1, 3, 10, 10**5, 10**6, -(10**9)]), min_size=1, max_size=9), st.booleans())
def test_no_outlier_and_no_light_row_ends_growth_on_rows_that_can_be_told_apart(data, listed, fractional):
    weights = FRACTIONS if fractional else st.integers(1, 10**9)
    drawn = data.draw(st.lists(weights, min_size=len(listed), max_size=len(listed)))
    table = Dataset.from_columns({"x": np.arange(len(listed)) * 1.0, "y": listed}, target="y", response="numbers", weights=drawn)
    for engine in ("plain", "compiled"):
        assert predict(grow(table, CART, engine=engine), table).tolist() == pytest.approx(listed, rel=1e-9, abs=1e-6)
    assert splits_of(grow(table.with_weights(np.array(drawn) * 2.0**-40), CART)) == splits_of(grow(table, CART))


@given(tables(max_rows=8), st.data())
def test_fractional_weights_of_numbers_and_events_are_nearly_as_fine_as_those_of_classes(dataset, data):
    table = dataset.with_weights(data.draw(st.lists(FRACTIONS, min_size=len(dataset), max_size=len(dataset))))
    root, classes = grow(table, CART).root, exact_unit(table.n_cases, len(table.columns))
    assert root.counts[0] == pytest.approx(sum(table.weights), rel=1e-12, abs=len(table) * 64 * classes)


@given(datasets(response="numbers", max_rows=16))
def test_a_tree_grown_out_predicts_the_mean_of_equal_rows(dataset):
    tree = grow(dataset, evolve(CART, stop=pure()))
    rows = np.column_stack([*dataset.columns])
    for row, answer in zip(rows, predict(tree, dataset), strict=True):
        assert answer == pytest.approx(dataset.target_column[(rows == row).all(axis=1)].mean(), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("min_leaf", [1, 5])
@pytest.mark.parametrize("depth", [2, 5, 30])
def test_predictions_are_those_of_scikit_learn_where_the_best_split_is_unique(depth, min_leaf):
    regressor = pytest.importorskip("sklearn.tree").DecisionTreeRegressor
    for seed in range(3):
        random = np.random.default_rng(seed)
        points = random.normal(size=(200, 4))
        answers = points[:, 0] * 2 + (points[:, 1] > 0) * 3 + random.normal(size=200)
        weights = random.integers(1, 4, size=200)
        policy = evolve(CART, splits=(threshold(),), stop=CART.stop | max_depth(depth))
        given_weights = weights if min_leaf == 1 else None
        policy = policy if min_leaf == 1 else evolve(policy, splits=(threshold(min_cases=min_leaf),))
        tree = grow(Dataset.from_rows(points, answers, weights=given_weights), policy)
        theirs = regressor(max_depth=depth, min_samples_leaf=min_leaf, random_state=0).fit(points, answers, given_weights)
        assert n_leaves(tree) == theirs.get_n_leaves()
        assert predict(tree, points) == pytest.approx(theirs.predict(points), rel=1e-9)


def deviance(happened, exposed):
    expected = exposed * happened.sum() / exposed.sum()
    return 2 * (xlogy(happened, happened) - xlogy(happened, expected) - happened + expected).sum()


@given(tables(max_rows=12))
def test_a_subset_is_the_best_of_all_divisions(dataset):
    nominal = [feature.name for feature in dataset.schema.features if feature.kind == "nominal"]
    assume(nominal)
    table = dataset.keep_columns(nominal[:1])
    (codes,), labels, root = table.columns, table.target_column, grow(table, CART.stopping(max_depth(1))).root

    def loss(members):
        sides = [side for side in (np.isin(codes, members), ~np.isin(codes, members)) if side.any()]
        if table.further_targets:
            return sum(deviance(labels[side], table.further_targets[0][side]) for side in sides)
        return sum(labels[side].var() * side.sum() for side in sides)

    present = np.unique(codes)
    ways = [present[[bool(way >> place & 1) for place in range(len(present))]] for way in range(1 << len(present))]
    found = root.split.members if isinstance(root, Branch) else ()
    assert loss(found) == pytest.approx(min(map(loss, ways)), abs=1e-6 * (1 + labels.var()))


def test_rparts_first_split_by_hand():
    table = Dataset.from_columns({"x": [1.0, 2.0, 3.0, 4.0], "y": [1.5, 2.0, 8.0, 9.5]}, target="y")
    tree = grow(table, cart_policy(min_split=2, min_bucket=1).stopping(max_depth(1)))
    assert str(tree) == "x <= 2.5: 1.75 (2.0)\nx > 2.5: 8.75 (2.0)"
    assert tree.schema.response == numbers(1.5, 0.5)
    assert tree.root.counts == (4, 1 + 13 + 16, 1 + 13**2 + 16**2)
    assert [tree.schema.response.risk(leaf.counts) for leaf in leaves(tree)] == [0.125, 1.125]


@given(st.lists(st.integers(0, 2**40), min_size=1, max_size=8))
def test_variance_is_subtracted_exactly(whole):
    mean = Fraction(sum(whole), len(whole))
    sums = [len(whole), float(sum(whole)), sum(number**2 for number in whole)]
    limbs = [sums[0], sums[1], float(sums[2] >> 40 << 40), float(sums[2] & (1 << 40) - 1)]
    assert variance(limbs) == float(sum((number - mean) ** 2 for number in whole) / len(whole))


def test_a_start_of_classes_does_not_grow_on_numbers():
    table = Dataset.from_columns({"x": [1.0, 2.0], "y": [1.5, 2.0]}, target="y")
    with pytest.raises(ValueError, match="start must be a regression tree"):
        grow(table, CART, start=grow(table.binned("y", cuts=[1.75]), CART))
    with pytest.raises(ValueError, match="dataset must be one of classes, as the tree is"):
        recount(grow(table.binned("y", cuts=[1.75]), CART), table)


@given(TABLES)
def test_a_splitter_of_ones_own_splits_numbers(dataset):
    class Own:
        kinds = threshold().kinds

        def __call__(self, runs, measure):
            return threshold()(runs, measure)

    own, given = (evolve(CART, splits=(cut,), missing="heaviest") for cut in (Own(), threshold()))
    assert grow(dataset, own) == grow(dataset, given)


def test_growth_continues_from_a_regression_tree():
    random = np.random.default_rng(0)
    table = Dataset.from_rows(random.normal(size=(60, 3)), random.normal(size=60))
    assert grow(table, CART, start=grow(table, CART.stopping(max_depth(2)))) == grow(table, CART)


def test_weights_of_which_floats_have_no_exact_sums_are_refused():
    dataset = Dataset.from_rows(np.arange(50.0)[:, None], np.arange(50.0) ** 2 * 0.7)
    assert grow(dataset.with_weights([2**40] * 50), CART).root.counts[0] == 50 * 2**40
    with pytest.raises(ValueError, match=r"weights must add up to at most .*, got 1.75922e\+15. Divide all weights."):
        grow(dataset.with_weights([2**45] * 50), CART)


@given(st.lists(st.tuples(st.integers(0, 2**20), st.integers(0, 2**60), st.integers(0, 2**100)), min_size=1))
@example([(1, 2**130, 2**250)])
def test_sums_of_any_size_in_limbs_are_whole_numbers_again(counts):
    assert counts_of(in_limbs(counts, numbers()), numbers()) == counts
