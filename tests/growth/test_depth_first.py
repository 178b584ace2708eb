"""Depth-first growth by the native library: the trees of NumPy, by any number of threads, in calls of any length."""

import re

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from sizes import QUEUES, sized

from ftree import CART, Branch, Dataset, entropy, gini, grow, native
from ftree._lib.arrays import TIE
from ftree._lib.machine import ThreadPool
from ftree.criteria import any_of, gain
from ftree.growth.depth_first.presorted_columns import presort
from ftree.growth.depth_first.presorted_growth import PresortedPart
from ftree.growth.depth_first.what_c_knows import known_limits, knows_presorted
from ftree.growth.given_table import prepared_table
from ftree.growth.settings import search_settings
from ftree.splitters import threshold
from ftree.stop import max_depth, max_leaves, min_best_child, min_errors, min_gain, min_rows, never, no_gain, pure
from ftree.testing import datasets, schemas
from ftree.tree.fold import walk

# A gain of 0.5 is within rounding of this least one.
EDGE = 0.5 + 1e-9
POLICIES = st.builds(
    lambda least, impurity, stop: evolve(CART, splits=(threshold(min_cases=least),), impurity=impurity, stop=stop),
    st.sampled_from([0, 2 + 1e-7, 2.5]),  # two cases reach the second, but for rounding
    st.sampled_from([gini, entropy]),
    st.sampled_from(
        [
            *(pure() | no_gain(), never | max_depth(3), min_rows(3) | pure(), min_best_child(2) | min_gain(0.01) | pure()),
            *(min_errors(2) | pure(), min_gain(EDGE) | pure(), min_gain(EDGE / 2) | pure()),
        ]
    ),
)
TABLES = schemas(kinds=("numeric",), response="classes").flatmap(lambda schema: datasets(schema=schema, max_rows=40))


def presorted(table, policy):
    """The sorted columns of a table, None if the library does not know it or the policy."""
    given = prepared_table(table, policy).table
    settings = search_settings(policy, given)
    limits = known_limits(policy, settings)
    if limits is None or not knows_presorted(given, policy, settings, limits):
        return None
    return presort(given, policy, settings, limits, ThreadPool(1))


@given(TABLES, POLICIES, st.integers(1, 2), st.sampled_from([1, 100, 2**26]), st.sampled_from(QUEUES))
def test_the_library_grows_the_trees_of_numpy(dataset, policy, n_jobs, call, queue):
    with sized(steps=0, call=call, worth_it=1, queue=queue):
        assert grow(dataset, policy, engine="compiled", n_jobs=n_jobs) == grow(dataset, policy, engine="plain")


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("least", [0.4, EDGE, EDGE + 5e-13, 0.6])
def test_numpy_decides_where_rounding_could(least, n_jobs):
    """At the root, which all threads divide together, and below it."""
    x = np.arange(32.0)
    for labels in (x < 16, x // 8 % 2 * 2 + x // 16):
        dataset, policy = (
            Dataset.from_rows(x[:, None], labels),
            evolve(CART, splits=(threshold(),), stop=min_gain(least) | pure()),
        )
        assert grow(dataset, policy, engine="compiled", n_jobs=n_jobs) == grow(dataset, policy, engine="plain")


@pytest.mark.parametrize("first", [16, 17])
def test_numpy_decides_about_neighbours_of_single_precision_between_which_there_is_no_threshold(first):
    """In single precision their midpoint is one of them."""
    column = 1 + np.arange(32, dtype=np.float32) * np.float32(2.0**-23)
    dataset = Dataset.from_columns({"x": column, "y": np.arange(32) < first}, target="y")
    assert dataset.columns[0].dtype == np.float32
    wanted = gain(np.array([[first, 0], [0, 32 - first]]), gini) + TIE
    policy = evolve(CART, splits=(threshold(),), stop=min_gain(wanted) | pure(), missing="ignore")
    tree = grow(dataset, policy, engine="compiled")
    assert tree == grow(dataset, policy, engine="plain")
    assert isinstance(tree.root, Branch)


def test_numpy_decides_where_rounding_could_below_the_root():
    row = np.arange(600)
    group, tenth = row // 150, row % 10
    dataset = Dataset.from_rows(np.array([group, tenth], float).T, 2 * group + (tenth == 0))
    policy = evolve(CART, splits=(threshold(),), stop=min_gain(0.18 + TIE) | pure())
    assert grow(dataset, policy, engine="compiled", n_jobs=1) == grow(dataset, policy, engine="plain")


def test_what_the_library_does_not_know_is_not_presorted():
    rows, labels = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 3
    table, policy, gaps = Dataset.from_rows(rows, labels), evolve(CART, splits=(threshold(),)), rows.copy()
    gaps[3, 1] = np.nan
    assert len(presorted(table, policy).keys) == 2
    for other in (
        Dataset.from_rows(gaps, labels),
        table.with_weights(labels + 1),
        Dataset.from_rows([["a"], ["b"]] * 15, labels),
    ):
        assert presorted(other, policy) is None
    for splitters in ((threshold(mdl=True),), (threshold(), threshold(min_cases=2))):
        assert presorted(table, evolve(policy, splits=splitters)) is None
    assert presorted(table, evolve(policy, stop=~pure())) is None


# Numbers of all kinds

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
own_policies = st.builds(
    lambda impurity, least, at, stop: evolve(
        CART, impurity=impurity, splits=(threshold(min_cases=least, at=at),), stop=any_of(*stop), missing="ignore"
    ),
    st.sampled_from([gini, entropy]),
    st.sampled_from([1, 2, 2.5, 7]),
    st.sampled_from(["midpoint", "observed"]),
    st.lists(limits, min_size=1, max_size=3),
)


@given(tables, own_policies, st.sampled_from([1, 2, 5]))
def test_numbers_of_any_kind_grow_the_trees_of_numpy(table, policy, n_jobs):
    assert grow(table, policy, engine="compiled", n_jobs=n_jobs) == grow(table, policy, engine="plain")


@given(tables, st.sampled_from([gini, entropy]), st.data())
def test_a_gain_that_is_the_least_one_but_for_rounding_is_decided_by_numpy(table, impurity, data):
    policy = evolve(CART, impurity=impurity, splits=(threshold(),), stop=no_gain(), missing="ignore")
    branches = [node for _, node in walk(grow(table, policy)) if isinstance(node, Branch)]
    gains = [gain(np.array([child.counts for child in branch.children]), impurity) for branch in branches]
    least = data.draw(st.sampled_from([float(each) for each in gains] or [0.25])) + TIE  # gains within a tie are as good
    policy = policy.stopping(min_gain(least * data.draw(st.sampled_from([1, 1 + 1e-15, 1 - 1e-15]))))
    plain = grow(table, policy, engine="plain")
    assert all(grow(table, policy, engine="compiled", n_jobs=n_jobs) == plain for n_jobs in (1, 2))


@given(st.sampled_from(sorted(KINDS)), st.booleans(), st.integers(0, 10**6), st.integers(1, 3000))
def test_a_sorted_column_has_the_rows_in_the_order_of_their_values(kind, endless, seed, n):
    """Even of infinity, which no reader lets in."""
    random = np.random.default_rng(seed)
    x = np.where(random.random(n) < 0.3 * endless, random.choice([-np.inf, np.inf], n), KINDS[kind](random, n))
    label = random.integers(0, 2, n).astype(np.uint8)
    items, count, keys = np.empty((2, n), native.ITEM), np.empty((4, 256), np.uint32), np.empty(n, np.int32)
    distinct = native.call("sort_lane", x, label, 2, *items, count, keys)
    rows = keys >> 2
    assert sorted(rows.tolist()) == list(range(n))
    assert (x[rows] == np.sort(x)).all()
    assert ((keys >> 1 & 1) == np.append(True, x[rows][1:] != x[rows][:-1])).all()  # the first value is new
    assert ((keys & 1) == label[rows]).all()
    assert distinct == (len(np.unique(x)) == n)


def test_threads_that_share_sorted_columns_grow_the_same_tree(capsys):
    table = numbers("normal", 1, 30_000, 6, 3)
    trees = [grow(table, evolve(CART, splits=(threshold(),)), n_jobs=n, progress=True) for n in (1, 2, 3)]
    assert trees[0] == trees[1] == trees[2]
    assert "open nodes, 100% of the cases done" in capsys.readouterr().err


def test_progress_tells_the_share_of_the_cases_that_have_reached_a_leaf(capsys):
    table = Dataset.from_columns({"x": np.arange(2000.0), "y": ["a", "b"] * 1000}, target="y")
    grow(table, CART, progress=True, n_jobs=1)
    told = re.findall(r"(\d+) open nodes, (\d+)% of the cases", capsys.readouterr().err)
    shares = [int(share) for _, share in told]
    assert shares == sorted(shares)
    assert shares[0] < 100
    assert told[-1] == ("0", "100")


def test_a_call_divides_a_node():
    """The tree that stands in `docs/explanation/native.md`."""
    columns = {"width": [4.0, 1.0, 3.0, 2.0, 5.0], "height": [1.0, 5.0, 5.0, 2.0, 4.0], "class": list("babaa")}
    table = presorted(Dataset.from_columns(columns), CART)
    part = PresortedPart.of_root(table)

    def state():
        lanes = [" ".join(f"{'' if key & 2 else '='}{key >> 2}{'ab'[key & 1]}" for key in lane) for lane in table.keys.tolist()]
        opened = [tuple(each)[:3] for each in part.open[: part.n_open].tolist()]
        nodes = [node if node[0] >= 0 else "leaf" for node in part.nodes[: part.n_nodes].tolist()]
        return lanes, opened, nodes, part.counts[: part.n_nodes].tolist()

    assert state() == (["1a 3a 2b 0b 4a", "0b 3a 4a 1a =2b"], [(0, 5, 0)], ["leaf"], [[3, 2]])
    parted = ["1a 3a 2b 0b 4a", "3a 1a 0b 4a 2b"]
    with sized(call=1):
        part.grow(table)
        assert state() == (parted, [(2, 5, 2)], [(0, 1, 3, 2), "leaf", "leaf"], [[3, 2], [2, 0], [1, 2]])
        part.grow(table)
        nodes = [(0, 1, 3, 2), "leaf", (0, 3, 0, 4), "leaf", "leaf"]
        assert state() == (parted, [], nodes, [[3, 2], [2, 0], [1, 2], [0, 2], [1, 0]])
