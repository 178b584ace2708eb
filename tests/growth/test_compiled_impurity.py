"""A user's impurity as machine code: its results, and that both engines grow the same trees by it."""

import numpy as np
import pytest
from attrs import evolve
from c_functions import in_machine_code, of_one_node, roots, tsallis
from hypothesis import given
from hypothesis import strategies as st
from sizes import sized
from test_table_growth import kinds_of_weights, table, weighed

from ftree import CART, ID3, Branch, Dataset, Feature, Schema, entropy, grow, importances, n_leaves
from ftree.criteria import compiled_impurity, dkm, gain, gain_ratio
from ftree.prune import trim
from ftree.splitters import subset, threshold
from ftree.stop import max_depth, max_leaves, pure
from ftree.testing import datasets, policies
from ftree.tree import preorder


@in_machine_code
def bits(counts):
    shares = counts[counts > 0] / counts.sum()
    return -(shares * np.log2(shares)).sum()


@in_machine_code
def large(counts):
    return 1e6 * of_one_node(counts)


@in_machine_code
def huge(counts):
    return 1e12 * of_one_node(counts)


@in_machine_code
def small(counts):
    return 1e-6 * of_one_node(counts)


@in_machine_code
def convex(counts):
    """Not concave: a split may increase it."""
    n = counts.sum()
    return ((counts / n) ** 2).sum() - 1.0 if n > 0 else 0.0


@in_machine_code
def coarse(counts):
    """An impurity with few values, so that many splits are equal, and some differ by about a tie."""
    return np.round(of_one_node(counts), 1) + 1e-9 * (counts[0] % 3)


FUNCTIONS = {each.__name__: each for each in (tsallis, roots, large, small, convex, coarse)}
functions = pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)


@in_machine_code
def undefined(counts):
    """NaN for a node without cases of the first class."""
    return counts[1:].sum() / counts.sum() if counts[0] > 0 else np.nan


@in_machine_code
def endless(counts):
    """Infinite for nodes of all classes, and then no gain is a number."""
    return np.inf if counts.min() > 0 else of_one_node(counts)


# Both engines -------------------------------------------------------------------------------------------------------


def check_equal(dataset, policy, jobs=(1,)):
    """Equal trees."""
    tree = grow(dataset, policy, engine="plain")
    assert [grow(dataset, policy, engine="compiled", n_jobs=n_jobs) for n_jobs in jobs] == [tree] * len(jobs)


@given(
    datasets(missing=True, weighted=True, max_rows=24),
    st.sampled_from(list(FUNCTIONS.values())),
    policies(),
    st.sampled_from([ID3.splits, (subset(exact=0), threshold())]),
    kinds_of_weights,
    st.booleans(),
)
def test_both_engines_grow_the_same_tree(dataset, function, policy, splits, weights, coded):
    policy = evolve(policy, impurity=compiled_impurity(function), splits=splits)
    with sized(few=254 if coded else 0):
        check_equal(weighed(dataset, weights), policy)


@functions
def test_larger_tables_with_ties_grow_the_same_tree(function):
    policy = evolve(CART, impurity=compiled_impurity(function), missing="ignore", stop=CART.stop | max_depth(7))
    for dataset in (table(200, n_classes=2), table(100, n_classes=3, gaps=True)):
        with sized(steps=0, worth_it=0, table_call=99):  # threads share even the smallest piece of work
            check_equal(dataset, policy, [2])
        check_equal(dataset, evolve(policy, splits=ID3.splits))


@functions
def test_copies_of_rows_and_mirrored_columns_grow_the_same_tree(function):
    """The gain on one side of a mirror equals the gain on the other, to the last bit or nearly so."""
    rng = np.random.default_rng(6)
    column, labels = rng.integers(0, 40, 200).astype(float), rng.integers(0, 2, 200)
    mirrored = {"a": np.concatenate([column, 80 - column]), "b": np.tile(rng.normal(size=200), 2), "y": np.tile(labels, 2)}
    data = Dataset.from_columns(mirrored | {"c": 80 - mirrored["a"]}, target="y")
    for weights in (None, np.tile(rng.integers(1, 9, 200), 2), np.tile(rng.random(200) + 1e-3, 2)):
        check_equal(evolve(data, weights=weights), evolve(ID3, impurity=compiled_impurity(function), stop=pure() | max_depth(6)))


@pytest.mark.parametrize("n_values", [7, 100, 300])
def test_the_children_of_many_values_are_added_up_in_numpys_order(n_values):
    """The last bit of a sum, which is far larger than a tie, decides between columns that only number their values otherwise."""
    random = np.random.default_rng(0)
    schema = Schema([Feature(f"x{i}", "nominal", range(n_values)) for i in range(8)], "y", (0, 1))
    for column, labels in zip(random.integers(0, n_values, (9, 600)), random.integers(0, 2, (9, 600)), strict=True):
        data = Dataset(schema, [random.permutation(n_values)[column] for _ in range(8)], labels)
        check_equal(data, evolve(ID3, impurity=compiled_impurity(huge), stop=max_depth(1)))


def test_entropy_written_by_hand_grows_the_tree_of_entropy():
    for dataset in (table(250), table(120, gaps=True)):
        tree = grow(dataset, ID3, engine="compiled")
        assert n_leaves(tree) > 40
        for engine in ("plain", "compiled"):
            assert grow(dataset, evolve(ID3, impurity=compiled_impurity(bits)), engine=engine) == tree


def test_whoever_takes_an_impurity_takes_one():
    tree = grow(table(300))
    shares, same = importances(tree, impurity=dkm), importances(tree, impurity=compiled_impurity(roots))
    assert same == pytest.approx(shares)
    limit = max_leaves(5)
    assert trim(limit, impurity=compiled_impurity(bits))(tree) == trim(limit, impurity=entropy)(tree)
    grown = grow(table(300), evolve(ID3, impurity=compiled_impurity(bits), stop=ID3.stop | limit), engine="compiled")
    assert grown == trim(limit)(tree)


# What is refused ----------------------------------------------------------------------------------------------------

engines = pytest.mark.parametrize("engine", ["plain", "compiled"])


@engines
@pytest.mark.parametrize("few", [0, 254])
@pytest.mark.parametrize("splits", [ID3.splits, (subset(exact=0), threshold())])
def test_nan_is_refused_by_either_engine_in_the_same_words(engine, few, splits):
    policy = evolve(ID3, impurity=compiled_impurity(undefined), splits=splits)
    for dataset in (table(300), table(300, gaps=True)):
        words = r"compiled_impurity\(undefined\) must return numbers, got NaN. Return 0 for an empty node or child"
        with sized(few=few), pytest.raises(ValueError, match=words):
            grow(dataset, policy, engine=engine)


def test_nan_of_a_node_that_was_never_a_child_is_refused_where_impurities_of_leaves_are_asked_too():
    """Shares of rows with missing values come to a node only after its split was scored; NumPy measures every node."""

    @in_machine_code
    def whole_cases_only(counts):
        return np.nan if counts.sum() % 1 else of_one_node(counts)

    data = Dataset.from_rows([["a"], ["a"], ["b"], ["b"], ["b"], [None]], [0, 1, 1, 1, 0, 1])
    with pytest.raises(ValueError, match=r"compiled_impurity\(whole_cases_only\) must return numbers, got NaN"):
        grow(data, evolve(ID3, impurity=compiled_impurity(whole_cases_only)), engine="plain")


@pytest.mark.parametrize("score", [gain, gain_ratio])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_infinite_gains_are_what_the_plain_engine_says_they_are(score):
    policy = evolve(ID3, impurity=compiled_impurity(endless), score=score, stop=pure() | max_depth(3))
    for dataset in (table(300, n_classes=2), table(300, n_classes=3), table(60, n_classes=3, gaps=True)):
        answers = []
        for engine in ("plain", "compiled"):
            try:
                answers.append(grow(dataset, policy, engine=engine))
            except ValueError as error:
                answers.append(str(error))
        assert answers[0] == answers[1]


def test_a_feature_that_an_infinite_child_ruled_out_is_looked_at_again_below():
    """A value that occurs once makes a child of one case, and its feature's gain infinitely bad; below, it may be absent."""

    @in_machine_code
    def endless_alone(counts):
        return np.inf if counts.sum() == 1 else of_one_node(counts)

    second = np.arange(41) % 2
    first = np.random.default_rng(0).integers(0, 2, 41)
    first[0] = 2
    labels = np.where(second == 1, first == 1, np.arange(41) % 10 > 0).astype(int)
    schema = Schema([Feature("a", "nominal", range(3)), Feature("b", "nominal", range(2))], "y", (0, 1))
    data, policy = Dataset(schema, [first, second], labels), evolve(ID3, impurity=compiled_impurity(endless_alone))
    assert {node.split.feature for node in preorder(grow(data, policy)) if isinstance(node, Branch)} == {0, 1}
    check_equal(data, policy)


@given(datasets(weighted=True, max_rows=12), st.sampled_from([1, 5, 40]))
def test_priors_and_costs_alter_what_a_function_is_given(dataset, odds):
    k = len(dataset.schema.classes)
    shares = np.array([odds, *[1] * (k - 1)]) / (odds + k - 1)
    check_equal(dataset, evolve(CART, impurity=compiled_impurity(tsallis), priors=shares))
    check_equal(dataset, evolve(CART, impurity=compiled_impurity(tsallis), costs=odds * (1 - np.eye(k)) + np.tri(k, k=-1)))
