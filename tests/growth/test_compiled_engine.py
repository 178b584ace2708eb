"""Growth with the native library: equal to the plain engine on every input, with any number of threads."""

import gc

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from sizes import sized

import ftree
from ftree import CART, ID3, Dataset, Feature, Leaf, Schema, grow, n_leaves, predict_counts
from ftree._lib import machine as threads_module
from ftree.criteria import any_of, gain_ratio, gini, misclassification
from ftree.growth.assemble import distinct_leaves
from ftree.growth.engines.engine import StopLimits, stop_limits
from ftree.growth.split_arrays import Cuts
from ftree.splitters import multiway, threshold
from ftree.stop import (
    max_depth,
    max_leaves,
    min_best_child,
    min_errors,
    min_gain,
    min_rows,
    never,
    no_gain,
    not_significant,
    pure,
)
from ftree.testing import datasets, policies, schemas, splits, stopping_rules
from ftree.tree.nodes import whole_numbers
from ftree.tree.splits import Multiway, Subset, Threshold

PRESETS = {
    "ID3": ID3,
    "CART": CART,
    "grown out": evolve(CART, stop=never),
    "gain ratio": evolve(ID3, score=gain_ratio),
    "misclassification": evolve(CART, impurity=misclassification, stop=max_depth(6)),
    "ID3 by gini": evolve(ID3, impurity=gini),
    "gini ratio": evolve(ID3, impurity=gini, score=gain_ratio),
    "heaviest": evolve(ID3, missing="heaviest"),
    "as a value": evolve(CART, missing="as_value"),
    "small leaves": evolve(CART, stop=min_best_child(8), missing="heaviest"),
    "few errors": CART.stopping(min_errors(3)),
}


@pytest.fixture
def numbers_of_threads():
    """One thread, and two that share even the smallest piece of work."""
    with sized(steps=0):
        yield 1, 2


def check_equal(dataset, policy, numbers_of_threads=(None,), **start):
    """Equal trees, printed alike, and equal levels on the way."""
    plain_levels = []
    tree = grow(dataset, policy, engine="plain", trace=plain_levels.append, **start)
    for n_jobs in numbers_of_threads:
        levels, given_options = [], {"engine": "compiled", "n_jobs": n_jobs, **start}
        other = grow(dataset, policy, trace=levels.append, **given_options)
        finished = grow(dataset, policy, **given_options)  # without a trace, small nodes are grown at once
        for each in (other, finished):
            assert each == tree
            assert repr(each.root) == repr(tree.root)
        for one, two in zip(plain_levels, levels, strict=True):
            assert one.splits == two.splits
            assert one.counts.dtype == two.counts.dtype
            assert (one.counts == two.counts).all()
            assert np.array_equal(one.gain, two.gain, equal_nan=True)
    return tree


def weighed(dataset, kind):
    """The same rows with whole weights, with other weights, or without."""
    return evolve(dataset, weights={"none": None, "whole": dataset.weights, "fractions": dataset.weights * 0.3 + 0.1}[kind])


kinds_of_weights = st.sampled_from(["none", "whole", "fractions"])


def table(n=1500, seed=0, n_classes=3, *, gaps=False):
    """Numbers with many ties, without ties, with few values, a constant, and nominal and ordinal codes."""
    rng = np.random.default_rng(seed)
    tied, free, few = rng.integers(0, 200, n).astype(float), rng.normal(size=n), rng.integers(0, 5, n).astype(float)
    columns = [tied, free, few, np.full(n, 7.0), rng.integers(0, 4, n), rng.integers(0, 5, n), rng.integers(0, 90, n)]
    if gaps:
        gone = rng.random((len(columns), n)) < 0.1
        columns = [np.where(hole, np.nan if c.dtype.kind == "f" else -1, c) for hole, c in zip(gone, columns, strict=True)]
    kinds = ["numeric"] * 4 + ["nominal", "ordinal", "nominal"]
    sizes = [0] * 4 + [4, 5, 90]
    features = [Feature(f"f{i}", kind, range(size)) for i, (kind, size) in enumerate(zip(kinds, sizes, strict=True))]
    signal = tied / 100 + free + (columns[4] == 2) + rng.normal(size=n)
    return Dataset(Schema(features, "y", range(n_classes)), columns, np.digitize(signal, np.linspace(0, 3, n_classes + 1)[1:-1]))


# Equal to the plain engine ------------------------------------------------------------------------------------------


@given(policies(), datasets(missing=True, weighted=True, max_rows=24), kinds_of_weights)
def test_compiled_growth_equals_plain_growth(policy, dataset, weights):
    check_equal(weighed(dataset, weights), policy)


@given(stopping_rules(), datasets(missing=True, weighted=True, max_rows=24), st.sampled_from([ID3, CART]))
def test_every_stopping_rule_sees_the_same_levels(rule, dataset, policy):
    check_equal(dataset, evolve(policy, stop=rule))


@pytest.mark.parametrize("policy", PRESETS.values(), ids=PRESETS)
@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "with gaps"])
def test_larger_tables_with_ties_grow_equal_trees(policy, gaps, numbers_of_threads):
    check_equal(table(150 if gaps else 300, gaps=gaps), policy, numbers_of_threads)


@pytest.mark.parametrize("n_classes", [1, 2, 40])
def test_one_class_and_many_classes_grow_equal_trees(n_classes):
    for policy in (ID3, CART):
        check_equal(table(800, n_classes=n_classes), policy)


def test_a_hundred_thousand_categories_are_sorted_and_not_tabulated():
    n = 100_000
    data = Dataset.from_columns({"id": np.arange(n), "y": np.arange(n) % 2}, target="y", kinds={"id": "nominal"})
    assert grow(data, engine="compiled") == grow(data, engine="plain")


@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "with gaps"])
def test_float32_columns_are_kept_as_they_are_and_grow_the_tree_of_their_doubles(gaps):
    rng = np.random.default_rng(7)
    numbers = rng.normal(size=(3, 300)).astype(np.float32)
    numbers[2] = numbers[2].round()
    if gaps:
        numbers[rng.random(numbers.shape) < 0.1] = np.nan
    columns = dict(zip("abc", numbers, strict=True))
    y = {"y": (numbers[0] > numbers[1] / 2) ^ (rng.random(300) < 0.2)}
    single = Dataset.from_columns(columns | y, target="y")
    double = Dataset.from_columns({name: column.astype(float) for name, column in columns.items()} | y, target="y")
    assert all(np.shares_memory(kept, given) for kept, given in zip(single.columns, numbers, strict=True))
    for engine in ("plain", "compiled"):
        tree = grow(single, engine=engine)
        assert tree == grow(double, engine=engine)
        assert (predict_counts(tree, single) == predict_counts(tree, double)).all()
    assert Dataset.from_columns(columns | y, target="y", missing=[float(numbers[0, 1])]).columns[0].dtype == np.float32


def test_a_table_without_features_or_with_missing_values_only_is_a_leaf():
    check_equal(Dataset.from_rows([[], []], [0, 1]), ID3)
    check_equal(Dataset.from_rows([[None, "a"], [None, "b"]], [0, 1], kinds={"x0": "numeric"}), ID3)


@pytest.mark.parametrize("policy", [ID3, CART, evolve(ID3, splits=(multiway(), threshold()))], ids=["ID3", "CART", "both"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_features_and_cuts_as_good_as_each_other_are_told_apart_where_rows_are_weighted(policy, n_classes):
    """Each column twice, and reversed: estimates are as close as possible, and exact scores decide."""
    data = table(300, n_classes=n_classes, gaps=True)
    upside_down = [
        np.where(column < 0, column, 9 - column) if column.dtype.kind == "f" else column for column in data.columns[:3]
    ]
    columns = [*data.columns, *data.columns, *upside_down]
    features = [*data.schema.features, *data.schema.features, *data.schema.features[:3]]
    named = [evolve(feature, name=f"f{number}") for number, feature in enumerate(features)]
    weights = np.random.default_rng(3).choice([0.25, 0.5, 1.0], 300)
    check_equal(Dataset(Schema(named, "y", data.schema.classes), columns, data.target_column, weights), policy)


@pytest.mark.parametrize("kind", ["numeric", "nominal"])
@pytest.mark.parametrize(("lower", "higher"), [((157, 156), (143, 142)), ((138, 139), (137, 138)), ((148, 150), (147, 149))])
def test_what_rough_logarithms_put_the_other_way_round_is_put_right(lower, higher, kind):
    """Rows of each class below a cut: gains differ by five to nine parts in a billion, and estimates err by more."""
    labels, type_ = np.repeat([0, 1], 300), np.int64 if kind == "nominal" else float

    def above(rows):
        return np.concatenate([np.arange(300) >= n for n in rows]).astype(type_)

    for pair in ((lower, higher), (higher, lower)):
        features = [Feature(name, kind, range(2) if kind == "nominal" else ()) for name in "ab"]
        data = Dataset(Schema(features, "y", (0, 1)), [above(rows) for rows in pair], labels, np.full(600, 0.7))
        check_equal(data, evolve(ID3, stop=max_depth(1)))
        assert grow(data, evolve(ID3, stop=max_depth(1)), engine="compiled").root.split.feature == pair.index(higher)


# Threads ------------------------------------------------------------------------------------------------------------


class Impatient(threads_module.TaskQueue):
    """Tasks that are divided whenever possible, as if a billion threads were waiting for them."""

    def __init__(self, tasks):
        super().__init__(tasks)
        self.idle[0] = 10**9


@pytest.mark.parametrize("kind", ["complete", "gaps", "fractions"])
@pytest.mark.parametrize("policy", [ID3, CART, PRESETS["heaviest"]], ids=["ID3", "CART", "heaviest"])
def test_it_makes_no_difference_where_tasks_are_divided_among_threads(policy, kind, numbers_of_threads):
    data = table(250, gaps=kind != "complete")
    data = evolve(data, weights=np.random.default_rng(2).random(250) + 0.1) if kind == "fractions" else data
    tree = grow(data, policy, engine="plain")
    for n_jobs in numbers_of_threads:
        with sized(queue=Impatient):
            assert grow(data, policy, engine="compiled", n_jobs=n_jobs) == tree


# Stopping rules -----------------------------------------------------------------------------------------------------


def test_rules_of_the_library_are_known_in_numbers_and_others_are_not():
    known = stop_limits(
        pure() | no_gain() | min_gain(0.2) | max_depth(3) | max_depth(5) | min_rows(4) | min_best_child(2) | max_leaves(9)
    )
    assert known == StopLimits(pure=True, depth=3, rows=4, leaf=2, gain=0.2 - 1e-9)
    assert stop_limits(never) == StopLimits()
    for rule in (~pure(), not_significant(), pure() & max_depth(2), lambda frontier: frontier.gain < 1):
        assert stop_limits(any_of(rule)) is None


# Cuts ---------------------------------------------------------------------------------------------------------------

some_splits = st.none() | st.builds(Threshold, st.integers(0, 3), st.floats(-5, 5)) | st.builds(
    Multiway, st.integers(0, 3), st.sets(st.integers(0, 5), min_size=1)
) | st.builds(Subset, st.integers(0, 3), st.sets(st.integers(0, 5), min_size=1)) | schemas().flatmap(splits)  # fmt: skip


@pytest.mark.parametrize("many", [0, 5000], ids=["shared", "each for itself"])
@given(listed=st.lists(st.tuples(some_splits, st.booleans()), max_size=8))
def test_splits_as_arrays_are_the_splits(many, listed):
    with sized(many_splits=many):
        check_cuts(listed)


def spread(listed, mask):
    """The splits at the nodes that a mask marks, None at the others."""
    splits_left = iter(listed)
    return [next(splits_left) if marked else None for marked in mask]


def check_cuts(listed):
    given_splits, closed = [split for split, _ in listed], np.array([shut for _, shut in listed], dtype=bool)
    cuts = Cuts.of(given_splits)
    assert list(cuts) == cuts[:] == [cuts[node] for node in range(len(cuts))] == given_splits
    assert [cuts[node - len(cuts)] for node in range(len(cuts))] == given_splits
    assert list(cuts.without(closed)) == [None if shut else split for split, shut in listed]
    assert list(cuts.among(np.repeat(True, len(cuts)))) == given_splits  # noqa: FBT003  # a mask
    assert list(cuts.among(np.append(closed, ~closed))) == spread(given_splits, np.append(closed, ~closed))
    assert cuts.present() == [split for split in given_splits if split is not None]
    assert cuts.arity.tolist() == [0 if split is None else split.n_children for split in given_splits]
    assert hash(tuple(cuts)) == hash(tuple(given_splits))


def test_equal_splits_of_a_large_tree_are_one_object():
    with sized(many_splits=2):
        one, other, same = Cuts.of([Multiway(1, (0, 3)), Multiway(2, (0, 3)), Multiway(1, (0, 3))])
        assert one is same
        assert one == same != other
        far = Cuts.of([Multiway(1, (0, 40)), Multiway(1, (0, 40))])  # codes beyond what numbers have bits for
        assert far[0] == far[1] == Multiway(1, (0, 40))
        assert list(far) == list(far[:])


rows_of_counts = st.integers(1, 20).flatmap(lambda k: st.lists(st.lists(st.integers(0, 70), min_size=k, max_size=k), min_size=1))


@given(rows_of_counts, st.booleans())
def test_distinct_leaves_stand_for_all_leaves(counts, halves):
    given_counts = np.array(counts) / (2 if halves else 1)
    with sized(many_nodes=0):
        made, which = distinct_leaves(given_counts)
    leaves = [made[number] for number in which.tolist()]
    assert set(which.tolist()) == set(range(len(made)))
    assert leaves == [Leaf(row) for row in given_counts]
    assert list(map(repr, leaves)) == [repr(Leaf(whole_numbers(row))) for row in given_counts]


# Tables -------------------------------------------------------------------------------------------------------------


def test_collecting_garbage_is_left_as_it_was():
    for collecting in (True, False):
        (gc.enable if collecting else gc.disable)()
        try:
            grow(table(100))
            assert gc.isenabled() == collecting
        finally:
            gc.enable()


def test_a_numeric_column_whose_first_rows_have_few_values_is_sorted_all_the_same():
    numbers = np.concatenate([np.zeros(5000), np.arange(500.0)])
    check_equal(Dataset(Schema([Feature("x", "numeric")], "y", (0, 1)), [numbers], np.arange(5500) // 3 % 2), ID3)


@pytest.mark.parametrize("gaps", [False, True])
def test_rows_of_weight_zero_are_as_good_as_absent_to_either_engine(gaps):
    data, weights = table(300, gaps=gaps), np.random.default_rng(1).integers(0, 3, 300)
    weighted, present = evolve(data, weights=weights), evolve(data, weights=weights).take(weights > 0)
    for engine in ("plain", "compiled"):
        assert grow(weighted, engine=engine) == grow(present, engine=engine)


# Nodes --------------------------------------------------------------------------------------------------------------


def test_grown_nodes_are_as_good_as_constructed_ones():
    tree = grow(table(400, gaps=True), engine="compiled")
    rebuilt = eval(repr(tree.root), vars(ftree.tree) | {"__builtins__": {}})  # noqa: S307  # a node reads as its constructor, with its checks
    assert rebuilt == tree.root
    assert hash(rebuilt) == hash(tree.root)
    assert evolve(tree, root=rebuilt) == tree
    assert n_leaves(tree) > 1
