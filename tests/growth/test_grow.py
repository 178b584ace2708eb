"""Growth: its laws for every policy, worked examples, and its messages for bad input."""

import re
import warnings

import numpy as np
import pytest
from attrs import evolve
from c_functions import in_machine_code
from hypothesis import example, given
from hypothesis import strategies as st

import ftree as ft
from ftree import criteria, prune, splitters, stop
from ftree import missing as missing_values
from ftree._lib.fields import name_of
from ftree.algorithms import _grown_to_risk
from ftree.criteria import compiled_impurity, gain, gain_ratio, gini
from ftree.routing import heaviest
from ftree.splitters import as_branch, as_value, ignore, multiway, surrogates, threshold
from ftree.stop import max_depth, max_leaves, min_best_child, min_gain, min_rows, never, no_gain, not_significant, pure
from ftree.testing import datasets, policies
from ftree.tree import Branch, walk
from ftree.tree.splits import Multiway, Threshold

PACKAGES = stop, splitters, ft.linear, missing_values, criteria
XOR = ft.Dataset.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], kinds="nominal")


@given(policies(), datasets(missing=True))
def test_any_policy_grows_a_tree_of_any_dataset(policy, dataset):
    tree = ft.grow(dataset, policy)
    assert sum(tree.root.counts) == len(dataset)
    parts = {name: getattr(package, name) for package in PACKAGES for name in package.__all__}
    names = parts | {"Policy": type(policy)} | globals()
    assert eval(repr(policy), names) == policy  # noqa: S307  # a policy reads as it is written


@given(
    datasets(missing=True, weighted=True),
    st.sampled_from([ignore(), heaviest(), as_value(), as_branch(), surrogates(), surrogates(everywhere=True)]),
    st.sampled_from([no_gain(), never]),
    st.sampled_from([max_depth(2), min_rows(4), min_rows(2.5) & ~max_depth(1), pure()]),
)
def test_pre_pruning_by_depth_and_counts_is_trimming_whatever_is_missing(dataset, missing, rule, further):
    policy = evolve(ft.CART, missing=missing, stop=pure() | rule)
    both = ft.grow(dataset, evolve(policy, stop=pure() | rule | further))
    assert both == prune.trim(further)(ft.grow(dataset, policy))


def test_pre_pruning_by_the_split_sees_known_cases_where_trimming_sees_all():
    """Growth takes the gain of the known cases times their share; the finished tree counts parts of the others too."""
    data = ft.Dataset.from_rows([["a"], ["a"], ["b"], ["b"], [None], [None]], [0, 0, 1, 1, 0, 1], features=["x"])
    assert ft.n_leaves(ft.grow(data, ft.ID3.stopping(min_gain(0.6)))) == 2
    assert ft.n_leaves(prune.trim(min_gain(0.6))(ft.grow(data))) == 1


@given(
    datasets(),
    st.sampled_from([min_best_child(2), min_gain(0.2), not_significant(0.3), no_gain(), min_best_child(2) & max_depth(1)]),
)
def test_pre_pruning_by_the_split_is_trimming_too(dataset, further):
    both = ft.grow(dataset, evolve(ft.ID3, stop=pure() | further))
    assert both == prune.trim(further)(ft.grow(dataset, evolve(ft.ID3, stop=pure())))


@given(datasets(max_rows=30), st.integers(1, 8))
def test_max_leaves_keeps_a_pruning_of_so_many_leaves(dataset, n):
    full, few = ft.grow(dataset, ft.CART), ft.grow(dataset, ft.CART.stopping(max_leaves(n)))
    assert ft.is_pruning_of(few, full)
    assert ft.n_leaves(few) == min(n, ft.n_leaves(full)), "binary splits add one leaf at a time"


@given(datasets(), st.sampled_from([max_depth(2), min_rows(4), never]))
def test_stopping_adds_a_rule_to_those_that_are_there_and_evolve_replaces_them(dataset, rule):
    assert ft.grow(dataset, ft.ID3.stopping(rule)) == ft.grow(dataset, evolve(ft.ID3, stop=pure() | no_gain() | rule))
    assert evolve(ft.ID3, stop=rule).stop == rule


def test_xor_grows_its_right_tree_without_stopping_and_one_leaf_with_no_gain():
    assert ft.grow(XOR).root == ft.Leaf((2, 2))
    right = ft.grow(XOR, evolve(ft.ID3, stop=never))
    assert (ft.n_leaves(right), ft.depth(right), ft.accuracy(right, XOR)) == (4, 2, 1.0)


def test_identical_rows_with_different_labels_end_in_a_leaf_with_their_counts():
    data = ft.Dataset.from_rows([["a"]] * 3 + [["b"]] * 2, [0, 1, 1, 0, 1])
    for rule in (never, pure()):
        leaves = ft.grow(data, evolve(ft.ID3, stop=rule)).root.children
        assert leaves == (ft.Leaf((1, 2)), ft.Leaf((1, 1)))


def test_one_class_one_row_and_no_feature_grow_a_leaf():
    assert ft.grow(ft.Dataset.from_rows([["a"], ["b"]], [1, 1])).root == ft.Leaf((2,))
    assert ft.grow(ft.Dataset.from_rows([["a"]], [1])).root == ft.Leaf((1,))
    assert ft.grow(ft.Dataset.from_rows([[], []], [0, 1])).root == ft.Leaf((1, 1))


def test_a_feature_whose_values_are_all_missing_is_never_asked():
    data = ft.Dataset.from_rows([[None, "a"], [None, "b"]], [0, 1], kinds={"x0": "numeric"})
    assert ft.grow(data).root.split == Multiway(1, (0, 1))
    assert ft.grow(data.take([0, 1, 0]), evolve(ft.ID3, splits=(threshold(),))).root == ft.Leaf((2, 1))


@given(st.data(), datasets(missing=True, weighted=True), policies() | st.sampled_from([ft.C45, ft.CART, ft.CHAID]))
def test_rows_of_weight_zero_are_as_if_they_were_not_there(draws, dataset, policy):
    there = [True, *draws.draw(st.lists(st.booleans(), min_size=len(dataset) - 1, max_size=len(dataset) - 1))]
    assert ft.grow(evolve(dataset, weights=dataset.weights * there), policy) == ft.grow(dataset.take(np.array(there)), policy)


def test_neither_gaps_nor_values_count_in_rows_of_weight_zero():
    rows, labels = [[1.0, 1], [4.0, 2], [2.0, 1], [None, 1]], [0, 1, 0, 0]
    data = ft.Dataset.from_rows(rows, labels, weights=[3, 3, 0, 0])
    assert ft.grow(data, evolve(ft.ID3, splits=(threshold(at="observed"),))).root.split == Threshold(0, 1.0)
    assert ft.grow(data, ft.CART).root.split == Threshold(0, 2.5), "without surrogates"


def test_scores_that_differ_by_rounding_only_are_equal():
    crumbs = evolve(ft.ID3, score=lambda children, impurity: gain(children, impurity) + 1e-12 * np.arange(np.shape(children)[0]))
    data = ft.Dataset.from_rows([[1.0, 1.0], [2.0, 2.0]], [0, 1])
    assert ft.grow(data, crumbs).root.split == Threshold(0, 1.5)


def test_the_trace_hands_over_each_level_once_it_is_finished():
    levels = []
    tree = ft.grow(XOR, evolve(ft.ID3, stop=never), trace=levels.append)
    assert [level.depth for level in levels] == [0, 1, 2]
    assert [len(level.splits) for level in levels] == [1, 2, 4]
    assert levels[0].gain.tolist() == [0.0]
    assert levels[1].gain.tolist() == [1.0, 1.0]
    assert sum(split is not None for level in levels for split in level.splits) == sum(
        isinstance(node, Branch) for _, node in walk(tree)
    )


def test_a_rule_that_closes_before_the_search_leaves_no_gain_to_see():
    levels = []
    ft.grow(XOR, evolve(ft.ID3, stop=max_depth(0)), trace=levels.append)
    assert np.isnan(levels[0].gain).all()


def test_a_hundred_thousand_categories_below_other_splits_need_no_table_of_all_pairs():
    n = 50_000
    rng = np.random.default_rng(1)
    columns = {"a": rng.integers(0, 500, n), "id": np.arange(n), "y": rng.integers(0, 2, n)}
    data = ft.Dataset.from_columns(columns, target="y", kinds={"id": "nominal", "a": "nominal"})
    # A score that prefers few children splits on `a` first, and then on `id` in 500 nodes at once.
    few = evolve(ft.ID3, score=lambda children, _: -float(np.shape(children)[-2]) * np.ones(np.shape(children)[:-2]), stop=pure())
    assert ft.accuracy(ft.grow(data, few), data) == 1.0


@given(datasets(min_rows=2))
def test_growing_leaves_its_input_unchanged(dataset):
    before = [column.copy() for column in (*dataset.columns, dataset.target_column)]
    ft.grow(dataset)
    for column, copy in zip((*dataset.columns, dataset.target_column), before, strict=True):
        assert np.array_equal(column, copy, equal_nan=True)


def nan(counts):
    return np.full(np.shape(counts)[:-1], np.nan)


NO_SPLITS = r"at least one splitter.*got \(\)\. Use stop=max_depth\(0\) to grow a leaf"


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda: ft.grow(XOR, trace=3), TypeError, "a function of a finished level"),
        (lambda: ft.grow(XOR.take([])), ValueError, "must have a row with a weight above 0"),
        (lambda: ft.grow(ft.Dataset.from_rows([["a"]], [0], weights=[0])), ValueError, "weight above 0"),
        (lambda: evolve(ft.ID3, stop=pure), TypeError, "stop must be"),
        (lambda: evolve(ft.ID3, splits=(multiway,)), TypeError, "splits must be"),
        (lambda: evolve(ft.ID3, splits=(print,)), TypeError, "splits must be"),
        (lambda: evolve(ft.ID3, splits=()), ValueError, NO_SPLITS),
        (lambda: evolve(ft.ID3, missing="drop"), ValueError, "missing must be"),
        (lambda: evolve(ft.ID3, stop=~max_leaves(3)), ValueError, "max_leaves"),
        (lambda: ft.grow(XOR, evolve(ft.ID3, impurity=np.sum)), ValueError, "Reduce the last axis"),
        (lambda: ft.grow(XOR, evolve(ft.ID3, impurity=nan, stop=never)), ValueError, "must return numbers, got NaN"),
        *(
            (
                lambda by=by: evolve(ft.ID3, choose=by),
                TypeError,
                rf"got {re.escape(name_of(by))}, which is {role}",
            )
            for by, role in (
                (gain_ratio, "a score"),
                (gini, "an impurity"),
                (compiled_impurity(in_machine_code(len)), "an impurity"),
            )
        ),
    ],
)
def test_what_cannot_grow_is_refused_with_words(ask, error, message):
    with pytest.raises(error, match=message):
        ask()


@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_an_impurity_that_takes_the_logarithm_of_nothing_is_told_what_that_counts():
    def entropy_as_in_books(counts):
        shares = counts / counts.sum(axis=-1, keepdims=True)
        return -(shares * np.log2(shares)).sum(axis=-1)

    data = ft.Dataset.from_rows([["a"], ["a"], ["b"], ["b"]], [0, 0, 0, 1])
    with pytest.raises(ValueError, match=r"got NaN.*\(0 log 0 is 0\)"):
        ft.grow(data, evolve(ft.ID3, impurity=entropy_as_in_books))


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize("library", ["mapping", "pandas", "polars", "a lazy frame of polars", "pyarrow", "rows"])
@given(rows=st.lists(st.tuples(st.floats(0, 9), st.sampled_from("ab"), st.sampled_from("xyz")), min_size=2, max_size=30))
def test_a_table_in_memory_is_grown_from_with_its_target(library, rows):
    """Wherever the target stands, and whatever library holds the columns, the tree is that of the dataset."""
    table = dict(zip(("size", "kind", "class"), map(list, zip(*rows, strict=True)), strict=True))
    makers = {
        "mapping": dict,
        "pandas": lambda columns: pytest.importorskip("pandas").DataFrame(columns),
        "polars": lambda columns: pytest.importorskip("polars").DataFrame(columns),
        "a lazy frame of polars": lambda columns: pytest.importorskip("polars").LazyFrame(columns),
        "pyarrow": lambda columns: pytest.importorskip("pyarrow").table(columns),
        "rows": lambda columns: [dict(zip(columns, row, strict=True)) for row in rows],
    }
    made = makers[library](table)
    for target in ("class", "kind", 1):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of kinds in doubt
            assert ft.grow(made, target=target) == ft.grow(ft.Dataset.from_frame(table, target))


def test_a_node_with_exactly_the_least_errors_is_grown():
    labels = [1] * 7 + [0] * 93
    data = ft.Dataset.from_columns({"x": labels, "class": labels}, target="class", kinds={"x": "nominal"})
    assert 0.07 * 100 > 7  # by a rounding error
    assert _grown_to_risk(ft.ID3, 0.07, data) == ft.grow(data)
    assert _grown_to_risk(ft.ID3, 0.08, data) == ft.grow(data, ft.ID3.stopping(max_depth(0)))


EXTREME = (1e308, -1e308, 1e300, 1e-300, 5e-324, -1e-310, 1e16, 1e16 + 2, 0.0, 1.0, 1.5, None)
some_weights = st.sampled_from([1, 2, 0.1, 1 / 3, 1e-3, 1e10])


@example(rows=[(1e308, 1e308, False, 1), (1e308, -1e308, True, 1)], at="observed", weighted=False)
@given(
    rows=st.lists(st.tuples(*[st.sampled_from(EXTREME)] * 2, st.booleans(), some_weights), min_size=2, max_size=12),
    at=st.sampled_from(["midpoint", "observed"]),
    weighted=st.booleans(),
)
def test_numbers_at_the_edge_of_floats_go_the_same_way_when_they_are_counted_again(rows, at, weighted):
    """Exactly where all counts are whole; sums of fractions depend on their order in the last digits."""
    known = [row for row in rows if row[0] is not None or row[1] is not None] or [(1.0, 1.0, True, 1)]
    x, z, labels, weights = zip(*known, strict=True)
    columns = {"x": x, "z": z, "class": labels}
    data = ft.Dataset.from_columns(columns, classes=[False, True], weights=weights if weighted else None, kinds="numeric")
    tree = ft.grow(data, evolve(ft.CART, splits=(threshold(at=at),), missing=ignore()))
    again = ft.recount(tree, data)
    if not weighted and None not in x + z:
        assert again == tree
    for (_, node), (_, counted) in zip(walk(tree), walk(again), strict=True):
        assert counted.counts == pytest.approx(node.counts, rel=1e-9, abs=1e-9 * sum(tree.root.counts))
