"""Trees that the native library grows depth first: those of the NumPy engine, on numbers of any kind, with any stopping rule."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import CART, ID3, Branch, Dataset, grow, n_leaves, native
from ftree._lib.arrays import TIE
from ftree._lib.waiting import Progress
from ftree.criteria import any_of, entropy, gain, gini
from ftree.growth.depth_first import grown_depth_first
from ftree.growth.growing import grown_tree
from ftree.growth.levels import terms_of
from ftree.splitters import threshold
from ftree.stop import max_depth, max_leaves, min_best_child, min_errors, min_gain, min_rows, no_gain, pure
from ftree.tree.fold import walk

# Numbers that are far apart, next to each other, equal, beyond the range of differences, and below that of quotients.
KINDS = {
    "normal": lambda random, shape: random.normal(size=shape),
    "few": lambda random, shape: random.integers(0, 4, shape) / 2,
    "decades": lambda random, shape: np.exp(60 * random.normal(size=shape)),
    "neighbours": lambda random, shape: 1 + random.integers(0, 9, shape) * 2.0**-52,
    "denormal": lambda random, shape: random.integers(0, 99, shape) * 5e-324,
    "extremes": lambda random, shape: random.choice([-0.0, 0.0, 1.0, -1.7e308, 1.7e308], shape),
    "stamps": lambda random, shape: 1.7e9 + random.uniform(0, 1e-3, shape),
    "powers": lambda random, shape: 2.0 ** -random.integers(0, 1070, shape),
}


def numbers(kind, seed, n, n_features, n_classes):
    """A table of numbers whose classes depend on the first feature, and on chance."""
    random = np.random.default_rng(seed)
    x = KINDS[kind](random, (n, n_features))
    rank = np.argsort(np.argsort(x[:, 0])) * n_classes // n
    labels = np.where(random.random(n) < 0.7, rank, random.integers(0, n_classes, n))
    return Dataset.from_rows(x, labels.tolist(), classes=range(n_classes), kinds="numeric")


tables = st.builds(
    numbers, st.sampled_from(sorted(KINDS)), st.integers(0, 10**6), st.integers(1, 200), st.integers(1, 5), st.integers(2, 6)
)
limits = st.one_of(
    st.just(pure()),
    st.builds(max_depth, st.integers(0, 6)),
    st.builds(min_rows, st.integers(1, 9)),
    st.builds(min_errors, st.integers(0, 4)),
    st.builds(min_best_child, st.integers(0, 5)),
    st.just(no_gain()),
    st.builds(min_gain, st.sampled_from([0.0, 0.01, 0.1])),
    st.builds(max_leaves, st.integers(1, 20)),
)
policies = st.builds(
    lambda impurity, least, at, stop: evolve(
        CART, impurity=impurity, splits=(threshold(min_cases=least, at=at),), stop=any_of(*stop), missing="ignore"
    ),
    st.sampled_from([gini, entropy]),
    st.sampled_from([1, 2, 2.5, 7]),
    st.sampled_from(["midpoint", "observed"]),
    st.lists(limits, min_size=1, max_size=3),
)


@given(tables, policies, st.sampled_from([1, 2, 5]))
def test_the_tree_is_that_of_the_numpy_engine(table, policy, n_jobs):
    assert grow(table, policy, engine="compiled", n_jobs=n_jobs) == grow(table, policy, engine="plain")


def at_once(table, policy, **options):
    """The tree of the library, which must know the policy."""
    given = {"n_jobs": 1, "line": Progress(None), "least": 0, **options}
    grown = grown_depth_first(table, policy, terms_of(policy, table), **given)
    assert grown is not None
    return grown_tree([grown], table, policy)


@given(tables, st.sampled_from([gini, entropy]), st.integers(1, 3))
def test_a_growth_that_is_interrupted_after_any_step_goes_on(table, impurity, n_jobs):
    policy = evolve(CART, impurity=impurity, splits=(threshold(),), stop=pure(), missing="ignore")
    assert at_once(table, policy, steps=1, n_jobs=n_jobs) == at_once(table, policy)


@given(tables, st.sampled_from([gini, entropy]), st.data())
def test_a_gain_that_is_the_least_one_but_for_rounding_is_decided_by_numpy(table, impurity, data):
    policy = evolve(CART, impurity=impurity, splits=(threshold(),), stop=no_gain(), missing="ignore")
    branches = [node for _, node in walk(grow(table, policy)) if isinstance(node, Branch)]
    gains = [gain(np.array([child.counts for child in branch.children]), impurity) for branch in branches]
    least = data.draw(st.sampled_from([float(each) for each in gains] or [0.25])) + TIE  # gains within a tie are as good
    policy = policy.stopping(min_gain(least * data.draw(st.sampled_from([1, 1 + 1e-15, 1 - 1e-15]))))
    plain = grow(table, policy, engine="plain")
    assert all(at_once(table, policy, n_jobs=n_jobs) == plain for n_jobs in (1, 2))


@given(st.sampled_from(sorted(KINDS)), st.integers(0, 10**6), st.integers(1, 3000))
def test_a_lane_has_the_rows_in_the_order_of_their_values(kind, seed, n):
    random = np.random.default_rng(seed)
    x, label = KINDS[kind](random, n), random.integers(0, 2, n).astype(np.uint8)
    items, count, lane = np.empty((2, n), native.ITEM), np.empty((4, 256), np.uint32), np.empty(n, np.int32)
    distinct = native.call("sort_lane", x, label, 2, *items, count, lane)
    rows = lane >> 2
    assert sorted(rows.tolist()) == list(range(n))
    assert (np.diff(x[rows]) >= 0).all()
    assert ((lane >> 1 & 1) == np.append(True, x[rows][1:] != x[rows][:-1])).all()  # the first value is new
    assert ((lane & 1) == label[rows]).all()
    assert distinct == (len(np.unique(x)) == n)


def test_large_nodes_are_divided_by_all_threads_and_small_ones_by_one(capsys):
    table = numbers("normal", 1, 30_000, 6, 3)
    trees = [grow(table, evolve(CART, splits=(threshold(),)), n_jobs=n, progress=True) for n in (1, 2, 3)]
    assert trees[0] == trees[1] == trees[2]
    assert "open nodes, 100% of the cases done" in capsys.readouterr().err


X, Y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
NUMBERS = Dataset.from_rows(X, Y)


@pytest.mark.parametrize(
    ("table", "policy"),
    [
        (NUMBERS, evolve(CART, impurity=lambda counts: 2 * gini(counts))),
        (NUMBERS, evolve(CART, splits=(threshold(mdl=True),))),
        (NUMBERS, CART.stopping(~pure())),
        (NUMBERS, evolve(CART, priors=(0.5, 0.5))),
        (Dataset.from_rows([["u"], ["v"]], ["a", "b"]), ID3),
        (Dataset.from_rows([[None], [1.0], [2.0]], ["a", "b", "a"]), CART),
        (Dataset.from_rows(X, Y, weights=[1, 2, 3, 4]), CART),
    ],
)
def test_what_the_library_does_not_know_is_left_to_other_engines(table, policy):
    assert grown_depth_first(table, policy, terms_of(policy, table), 1, Progress(None), least=0) is None
    assert n_leaves(grow(table, policy)) >= 1


def test_a_small_table_is_left_to_numpy():
    assert grown_depth_first(NUMBERS, CART, terms_of(CART, NUMBERS), 1, Progress(None), least=5) is None
