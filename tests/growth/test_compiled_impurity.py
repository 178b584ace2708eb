"""A user's impurity as machine code: its results, and that both engines grow the same trees by it."""

import pickle
from multiprocessing import get_context

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from numba import njit
from sizes import sized
from test_compiled_engine import check_equal, kinds_of_weights, table, weighed

from ftree import CART, ID3, Branch, Dataset, Feature, Schema, entropy, grow, importances, n_leaves
from ftree.criteria import compiled_impurity, dkm, gain, gain_ratio
from ftree.growth.engines import compiled_engine as compiled_module
from ftree.growth.kernels import choose_and_describe, grow_subtrees, run_splits, score_features
from ftree.prune import trim
from ftree.splitters import subset, threshold
from ftree.stop import max_depth, max_leaves, never, pure
from ftree.testing import datasets, policies
from ftree.tree import preorder


@njit
def tsallis(counts):
    """Tsallis 1988, of order 1.5."""
    n, inner = counts.sum(), 0.0
    for count in counts:
        inner += (count / n) ** 1.5 if n > 0 else 0.0
    return (1.0 - inner) / 0.5 if n > 0 else 0.0


@njit
def roots(counts):
    n = counts.sum()
    return np.sqrt(counts / n * (1.0 - counts / n)).sum() if n > 0 else 0.0


@njit
def bits(counts):
    n, inner = counts.sum(), 0.0
    for count in counts:
        inner -= count / n * np.log2(count / n) if count > 0 else 0.0
    return inner


@njit
def large(counts):
    return 1e6 * tsallis(counts)


@njit
def small(counts):
    return 1e-6 * tsallis(counts)


@njit
def convex(counts):
    """Not concave: a split may increase it."""
    n = counts.sum()
    return ((counts / n) ** 2).sum() - 1.0 if n > 0 else 0.0


@njit
def coarse(counts):
    """An impurity with few values, so that many splits are equal, and some differ by about a tie."""
    return np.round(tsallis(counts), 1) + 1e-9 * (counts[0] % 3)


def plain_python(counts):
    return 1.0 - counts.max() / counts.sum() if counts.sum() > 0 else 0.0


FUNCTIONS = {each.__name__: each for each in (tsallis, roots, large, small, convex, coarse, plain_python)}
functions = pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)


@njit
def undefined(counts):
    """NaN for a node without cases of the first class."""
    return counts[1:].sum() / counts.sum() if counts[0] > 0 else np.nan


@njit
def endless(counts):
    """Infinite for nodes of all classes, and then no gain is a number."""
    return np.inf if counts.min() > 0 else tsallis(counts)


@njit
def raising(counts):
    if 0 < counts.sum() < 5:
        raise ArithmeticError("fewer than five")
    return tsallis(counts)


def changing(counts):
    counts /= max(counts.sum(), 1.0)
    return 1.0 - (counts**2).sum()


def unequal_in_shape(counts):
    return counts / counts.sum()


def at_times_nothing(counts):
    return 1.0 if counts[0] > 1 else None


def yes_or_no(counts):
    return counts[0] > 0


def in_words(_counts):
    return "mixed"


def importing(counts):
    import math  # noqa: PLC0415  # as some users write it

    return math.sqrt(counts[0])


def of_the_third_class(counts):
    return counts[2] / max(counts.sum(), 1.0)


# Both engines -------------------------------------------------------------------------------------------------------


@pytest.mark.in_python
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
    with sized(few=64 if coded else 0):
        check_equal(weighed(dataset, weights), policy)


@functions
def test_larger_tables_with_ties_grow_the_same_tree(function):
    policy = evolve(CART, impurity=compiled_impurity(function), missing="ignore", stop=CART.stop | max_depth(7))
    for dataset in (table(200, n_classes=2), table(100, n_classes=3, gaps=True)):
        with sized(steps=0):  # threads share even the smallest piece of work
            check_equal(dataset, policy, [2])
        check_equal(dataset, evolve(policy, splits=ID3.splits))


@pytest.mark.in_python
@functions
def test_copies_of_rows_and_mirrored_columns_grow_the_same_tree(function):
    """The gain on one side of a mirror equals the gain on the other, to the last bit or nearly so."""
    rng = np.random.default_rng(6)
    column, labels = rng.integers(0, 40, 200).astype(float), rng.integers(0, 2, 200)
    mirrored = {"a": np.concatenate([column, 80 - column]), "b": np.tile(rng.normal(size=200), 2), "y": np.tile(labels, 2)}
    data = Dataset.from_columns(mirrored | {"c": 80 - mirrored["a"]}, target="y")
    for weights in (None, np.tile(rng.integers(1, 9, 200), 2), np.tile(rng.random(200) + 1e-3, 2)):
        check_equal(evolve(data, weights=weights), evolve(ID3, impurity=compiled_impurity(function), stop=pure() | max_depth(6)))


@pytest.mark.in_python
def test_children_are_added_up_as_numpy_adds_them_up():
    rng = np.random.default_rng(0)
    for n in range(129):
        terms = rng.normal(size=(2, n)) * 10.0 ** rng.integers(-5, 5, (2, n))
        assert [run_splits.in_numpys_order(row, n) for row in terms] == terms.sum(axis=-1).tolist()
    assert np.isnan(run_splits.in_numpys_order(np.ones(129), 129)), "left to the plain engine"


@pytest.mark.parametrize("scale", [1, 1e6])
def test_gains_are_never_too_close_to_call(scale, monkeypatch):
    """Gains are equal to the last bit, so no node is searched twice, with or without ties."""
    doubts, exact = [], compiled_module.Compiled.best
    monkeypatch.setattr(compiled_module.Compiled, "best", lambda self: doubts.append((found := exact(self)).doubt) or found)
    policy = evolve(ID3, impurity=compiled_impurity(tsallis if scale == 1 else large), stop=never)
    with sized(small=0):
        assert grow(table(250, gaps=True), policy, engine="compiled") == grow(table(250, gaps=True), policy, engine="plain")
    assert len(doubts) > 5
    assert not np.concatenate(doubts).any()


def test_entropy_written_by_hand_grows_the_tree_of_entropy():
    for dataset in (table(500), table(250, gaps=True)):
        tree = grow(dataset, ID3, engine="compiled")
        assert n_leaves(tree) > 50
        for engine in ("plain", "compiled"):
            assert grow(dataset, evolve(ID3, impurity=compiled_impurity(bits)), engine=engine) == tree


def test_kernels_are_compiled_once_and_not_for_each_function():
    def counted():
        kernels = (
            grow_subtrees.settle,
            score_features.score_by_own,
            score_features.score_by_values,
            choose_and_describe.describe_runs,
            choose_and_describe.choose_by_score,
        )
        return [len(kernel.signatures) for kernel in kernels]

    grow(table(300), evolve(ID3, impurity=compiled_impurity(bits)), engine="compiled")
    before = counted()
    for function in (tsallis, roots):
        grow(table(300), evolve(ID3, impurity=compiled_impurity(function)), engine="compiled")
    assert counted() == before


# Its results --------------------------------------------------------------------------------------------------------


def test_counts_of_any_shape_are_answered_row_by_row():
    impurity, counts = compiled_impurity(roots), np.random.default_rng(0).integers(0, 9, (4, 3, 2))
    assert np.allclose(impurity(counts), dkm(counts))
    assert impurity(counts).shape == (4, 3)
    assert impurity(counts[0, 0]) == impurity(counts)[0, 0]
    assert np.ndim(impurity([3, 1])) == 0
    assert impurity(np.zeros((0, 2))).tolist() == []
    with pytest.raises(ValueError, match="classes on the last axis"):
        impurity([-1, 2])


def test_whoever_takes_an_impurity_takes_one():
    tree = grow(table(300))
    shares, same = importances(tree, impurity=dkm), importances(tree, impurity=compiled_impurity(roots))
    assert same == pytest.approx(shares)
    limit = max_leaves(5)
    assert trim(limit, impurity=compiled_impurity(bits))(tree) == trim(limit, impurity=entropy)(tree)
    grown = grow(table(300), evolve(ID3, impurity=compiled_impurity(bits), stop=ID3.stop | limit), engine="compiled")
    assert grown == trim(limit)(tree)


def test_it_is_a_value_and_prints_as_it_is_written():
    assert compiled_impurity(tsallis) == compiled_impurity(tsallis) != compiled_impurity(roots)
    assert repr(evolve(ID3, impurity=compiled_impurity(tsallis))).startswith("Policy(impurity=compiled_impurity(tsallis), ")
    assert len({compiled_impurity(tsallis), compiled_impurity(tsallis)}) == 1


def leaves_of(policy):
    return n_leaves(grow(table(300), policy, engine="compiled"))


def test_a_policy_with_one_goes_to_another_process():
    made = [evolve(ID3, impurity=compiled_impurity(function)) for function in (tsallis, plain_python)]
    assert pickle.loads(pickle.dumps(made)) == made  # noqa: S301  # made here
    with get_context("spawn").Pool(1) as alone:
        assert alone.map(leaves_of, made) == list(map(leaves_of, made))


# What is refused ----------------------------------------------------------------------------------------------------

engines = pytest.mark.parametrize("engine", ["plain", "compiled"])


@pytest.mark.parametrize(
    ("function", "engine"),
    [
        *((each, "plain") for each in (entropy, unequal_in_shape, at_times_nothing, yes_or_no, in_words, importing, len)),
        *((each, "compiled") for each in (str.upper, open)),
    ],
)
def test_what_numba_cannot_compile_is_refused(function, engine):
    with pytest.raises(TypeError, match=r"one node's class counts.*nopython"):
        grow(table(30), evolve(ID3, impurity=compiled_impurity(function)), engine=engine)


@engines
def test_a_function_that_changes_the_counts_is_refused(engine):
    with pytest.raises(ValueError, match=r"changing\) must not change its counts.*copy"):
        grow(table(30), evolve(ID3, impurity=compiled_impurity(changing)), engine=engine)


@engines
def test_a_function_that_asks_for_a_class_that_there_is_not_is_refused(engine):
    policy = evolve(ID3, impurity=compiled_impurity(of_the_third_class))
    assert grow(table(30, n_classes=3), policy, engine=engine).schema.classes == (0, 1, 2)
    with pytest.raises(IndexError, match="out of bounds"):
        grow(table(30, n_classes=2), policy, engine=engine)


def test_counts_that_are_nan_are_not_taken_for_changed():
    assert compiled_impurity(tsallis)([np.nan, 1]) == tsallis(np.array([np.nan, 1.0]))


@engines
@pytest.mark.parametrize("cells", [0, 2**18])
def test_what_a_function_raises_comes_up_whichever_thread_asked(engine, cells, capfd):
    with sized(small=cells, steps=0), pytest.raises(ArithmeticError, match="fewer than five"):
        grow(table(300), evolve(ID3, impurity=compiled_impurity(raising)), engine=engine, n_jobs=2)
    assert capfd.readouterr().err == "", "nothing is printed on the way"


@engines
@pytest.mark.parametrize("cells", [0, 2**18])
@pytest.mark.parametrize("splits", [ID3.splits, (subset(exact=0), threshold())])
def test_nan_is_refused_by_either_engine_in_the_same_words(engine, cells, splits):
    policy = evolve(ID3, impurity=compiled_impurity(undefined), splits=splits)
    for dataset in (table(300), table(300, gaps=True)):
        words = r"gain must return numbers, got NaN. Return 0 for an empty node or child"
        with sized(small=cells), pytest.raises(ValueError, match=words):
            grow(dataset, policy, engine=engine)


@pytest.mark.in_python
def test_nan_of_a_node_that_was_never_a_child_is_refused_too():
    """Shares of rows with missing values come to a node only after its split was scored."""

    @njit
    def whole_cases_only(counts):
        return np.nan if counts.sum() % 1 else tsallis(counts)

    data = Dataset.from_rows([["a"], ["a"], ["b"], ["b"], ["b"], [None]], [0, 1, 1, 1, 0, 1])
    for engine in ("plain", "compiled"):
        with pytest.raises(ValueError, match=r"compiled_impurity\(whole_cases_only\) must return numbers, got NaN"):
            grow(data, evolve(ID3, impurity=compiled_impurity(whole_cases_only)), engine=engine)


@pytest.mark.in_python
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


@pytest.mark.in_python
def test_a_feature_that_an_infinite_child_ruled_out_is_looked_at_again_below():
    """A value that occurs once makes a child of one case, and its feature's gain infinitely bad; below, it may be absent."""

    @njit
    def endless_alone(counts):
        return np.inf if counts.sum() == 1 else tsallis(counts)

    second = np.arange(41) % 2
    first = np.random.default_rng(0).integers(0, 2, 41)
    first[0] = 2
    labels = np.where(second == 1, first == 1, np.arange(41) % 10 > 0).astype(int)
    schema = Schema([Feature("a", "nominal", range(3)), Feature("b", "nominal", range(2))], "y", (0, 1))
    data, policy = Dataset(schema, [first, second], labels), evolve(ID3, impurity=compiled_impurity(endless_alone))
    assert {node.split.feature for node in preorder(grow(data, policy)) if isinstance(node, Branch)} == {0, 1}
    check_equal(data, policy)
