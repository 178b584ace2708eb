"""Trees of drawn features and cuts: the native library grows those of the NumPy engine, from bags as from copies of rows."""

from functools import partial

import numpy as np
import pytest
from attrs import evolve
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sizes import sized

from ftree import CART, ID3, Dataset, depth, entropy, gini, grow, misclassification, stop
from ftree._lib.machine import ThreadPool
from ftree._lib.random_numbers import uniform_draws
from ftree.criteria import gain
from ftree.growth.assemble import root_of
from ftree.growth.depth_first.drawn_trees import drawn_growth
from ftree.growth.given_table import prepared_table
from ftree.growth.settings import search_settings
from ftree.splitters import all_parts, random_features, random_threshold, subset, threshold
from ftree.stop import min_errors, not_significant
from ftree.testing import datasets, schemas
from ftree.tree.nodes import new_tree

# A gain of 0.5 is within rounding of this least one.
EDGE = 0.5 + 1e-9
seeds = st.integers(0, 2**64)
cuts = st.one_of(
    st.builds(random_threshold, seed=seeds),
    st.builds(threshold, min_cases=st.sampled_from([0, 1 + 1e-7, 2.5])),
    st.just(threshold()),
)
splits = st.one_of(
    st.builds(lambda n, cut, seed: (random_features(n, (subset(), cut), seed=seed),), st.integers(1, 4), cuts, seeds),
    st.builds(lambda seed: (random_threshold(seed=seed),), seeds),
)
rules = st.sampled_from(
    [
        *(CART.stop, stop.pure(), stop.never, CART.stop | stop.max_depth(2), stop.min_rows(4) | stop.min_best_child(2)),
        *(stop.pure() | stop.min_errors(2), stop.min_gain(0.05) | stop.pure(), stop.min_gain(EDGE) | stop.pure()),
    ]
)
policies = st.builds(
    lambda splits, stop, impurity: evolve(ID3, splits=splits, stop=stop, impurity=impurity),
    splits, rules, st.sampled_from([entropy, gini, misclassification]),
)  # fmt: skip


def tables_and_policies(response):
    """Tables that the library knows, and policies that fit them."""
    described = schemas(kinds=("numeric", "ordinal"), response=response)
    tables = described.flatmap(lambda schema: datasets(schema=schema, weighted=True, max_rows=25))
    return st.tuples(tables, policies if response == "classes" else policies.filter(fits_numbers).map(of_numbers))


def fits_numbers(policy):
    return not any(isinstance(rule, (min_errors, not_significant)) for rule in all_parts([policy.stop]))


def of_numbers(policy):
    return evolve(policy, impurity=gini)


given_each = pytest.mark.parametrize("response", ["classes", "numbers"])


def laid_out(dataset, policy):
    given = prepared_table(dataset, policy).table
    return drawn_growth(given, policy, search_settings(policy, given), ThreadPool(1))


def tree_of(dataset, nodes):
    response = None if dataset.schema.has_classes else dataset.schema.response
    return new_tree(dataset.schema, root_of(nodes.grown(), response), missing=None)


@given_each
@given(st.data())
def test_the_library_grows_the_trees_of_the_NumPy_engine(response, data):
    dataset, policy = data.draw(tables_and_policies(response))
    if response == "numbers" and data.draw(st.booleans()):  # where no cut takes anything off, all tie
        dataset = dataset.with_labels(np.full(len(dataset), 2.5))
    if data.draw(st.booleans()):  # other splitters beside drawn features are left to NumPy
        policy = evolve(policy, splits=(*policy.splits, threshold()))
    with sized(call=9):
        assert grow(dataset, policy, engine="compiled") == grow(dataset, policy, engine="plain")


def test_no_tree_is_grown_if_rounding_could_decide_a_choice():
    dataset = Dataset.from_rows(np.arange(8.0)[:, None], np.arange(8) < 4)
    for least, is_unsure in [(0.4, False), (EDGE, True), (0.6, False)]:
        policy = evolve(CART, splits=(random_features(1, (threshold(),), seed=0),), stop=stop.min_gain(least))
        assert (laid_out(dataset, policy).tree(policy.splits) is None) == is_unsure


# The second cut gains more than the first one by 1e-9, a tie, plus these: so many of 2**20 cases of each class are before it.
SECOND = {-1e-10: (825_989, 587_356), -8e-13: (955_430, 758_755), 5e-13: (435_809, 201_657), 1e-10: (670_308, 415_942)}


@pytest.mark.parametrize("more", SECOND)
@pytest.mark.parametrize(
    "columns", [[[0, 1, 2]], [[0, 1, 2], [0, 1, 2]], [[0, 1, 1], [0, 0, 1]]], ids=["cuts", "twice", "features"]
)
def test_the_first_of_two_cuts_is_chosen_if_it_ties_with_the_better_one_and_none_if_rounding_could_decide(columns, more):
    before = np.array([(0, 0), (300_000, 100_000), SECOND[more], (2**20, 2**20)])
    first, second = (gain(np.array([before[i], before[3] - before[i]]), gini) for i in (1, 2))
    assert second - first == pytest.approx(1e-9 + more, abs=1e-12)
    x, weights = np.repeat(np.array(columns).T, 2, axis=0), np.diff(before, axis=0).ravel()
    dataset = Dataset.from_rows(x.astype(float), [0, 1] * 3, weights=weights, weights_are="counts")
    policy = evolve(CART, splits=(random_features(2, (threshold(),), seed=0),), stop=stop.max_depth(1))
    nodes, split = laid_out(dataset, policy).tree(policy.splits), grow(dataset, policy, engine="plain").root.split
    assert (nodes is None) == (abs(more) < 1e-12)
    assert nodes is None or (nodes.feature[0], nodes.at[0]) == (split.feature, split.at)


def waveform(n, n_features, n_values, seed=0, weights=None):
    """Rows of numbers with so many values, of two classes that depend on three of them."""
    random = np.random.default_rng(seed)
    x = np.floor(random.uniform(size=(n, n_features)) * n_values) / n_values
    labels = (x[:, 0] + x[:, 1] * x[:, 2] + 0.3 * random.normal(size=n) > 0.8).astype(int)
    labels[: n // 10] = 2
    return Dataset.from_columns({**{f"x{i}": each for i, each in enumerate(x.T)}, "class": labels}, weights=weights)


@pytest.mark.parametrize("n_values", [3, 300, 10**9])
@pytest.mark.parametrize("weighted", [None, "whole", "parts"])
@pytest.mark.parametrize("cut", [threshold(min_cases=9), random_threshold(seed=3)])
@given_each
def test_large_tables_are_sorted_and_cut_alike(n_values, weighted, cut, response):
    n, random = 1200, np.random.default_rng(1)
    weights = {None: None, "whole": random.integers(1, 4, n), "parts": random.uniform(0.5, 2, n)}[weighted]
    dataset = waveform(n, 6, n_values, weights=weights)
    if response == "numbers":
        dataset = Dataset.from_columns(dict(enumerate([*dataset.columns, random.normal(size=n)])), target=6, weights=weights)
    for impurity in (entropy, gini, misclassification) if response == "classes" else (gini,):
        policy = evolve(CART, impurity=impurity, splits=(random_features(2, (cut,), seed=5),))
        assert grow(dataset, policy, engine="compiled") == grow(dataset, policy, engine="plain")


@given_each
@given(st.data())
def test_a_bag_counts_rows_or_cases_of_counts_as_often_as_they_were_drawn(response, data):
    dataset, policy = data.draw(tables_and_policies(response))
    kinds = ["counts", "importances"] if response == "classes" else ["counts"]  # numbers take whole weights
    dataset = dataset.with_weights(dataset.weights, weights_are=data.draw(st.sampled_from(kinds)))
    rows = data.draw(st.lists(st.sampled_from(dataset.cases().tolist()), min_size=1, max_size=30))
    nodes = laid_out(dataset, policy).tree(policy.splits, np.bincount(rows, minlength=len(dataset)))
    assume(nodes is not None)  # rounding could decide
    sample = grow(dataset.take(dataset.part(np.array(rows))), policy, engine="plain")
    assert tree_of(dataset, nodes).root == sample.root
    assert (nodes.n_leaves, nodes.depth) == (sum(nodes.feature < 0), depth(sample))


def test_gains_in_a_bag_are_relative_to_its_own_variance():
    """The first row has nearly all variance of the table, and is not in the bag."""
    dataset = Dataset.from_columns({"x": np.arange(40.0), "y": np.append(1000.5, np.arange(39.0) % 8)}, target="y")
    policy = evolve(CART, splits=(random_features(1, (threshold(),), seed=0),), stop=stop.min_gain(0.01))
    nodes, rows = laid_out(dataset, policy).tree(policy.splits, np.append(0, np.ones(39, int))), np.arange(1, 40)
    assert nodes.n_leaves > 1
    assert tree_of(dataset, nodes).root == grow(dataset.take(rows), policy, engine="plain").root


@pytest.mark.parametrize(
    "policy",
    [
        evolve(CART, splits=(random_features(1, (threshold(mdl=True),), seed=0),)),
        evolve(CART, splits=(random_features(1, (threshold(), random_threshold(seed=0)), seed=0),)),
        evolve(CART, splits=(random_threshold(seed=0), threshold())),
        evolve(CART, splits=(random_threshold(seed=0),), stop=~stop.pure()),
        evolve(CART, splits=(random_threshold(seed=0),), impurity=partial(gini)),
        evolve(CART, splits=(random_threshold(seed=0),), priors=(0.5, 0.25, 0.25)),
    ],
)
def test_a_policy_that_the_library_does_not_know_grows_as_ever(policy):
    dataset = waveform(200, 3, 50)
    assert laid_out(dataset, policy) is None
    assert grow(dataset, policy, engine="compiled") == grow(dataset, policy, engine="plain")


def test_a_table_that_is_laid_out_grows_no_tree_by_splitters_that_the_library_does_not_know():
    growth = laid_out(waveform(200, 3, 50), evolve(CART, splits=(random_threshold(seed=0),)))
    assert growth.tree((threshold(mdl=True),)) is None


def test_a_table_with_gaps_or_nominal_values_grows_as_ever():
    policy = evolve(CART, splits=(random_features(1, (subset(), random_threshold(seed=0)), seed=0),))
    for column in ([1.0, None, 3.0, 4.0], ["a", "b", "a", "c"]):
        dataset = Dataset.from_columns({"x": column, "class": [0, 1, 0, 1]})
        assert laid_out(dataset, policy) is None
        assert grow(dataset, policy, engine="compiled") == grow(dataset, policy, engine="plain")


def test_draws_are_uniform_and_those_of_parts_features_and_nodes_are_independent():
    n = 40_000
    random, keys = np.random.default_rng(0), np.random.default_rng(1).integers(2**63, size=n).astype(np.uint64)
    zeros = np.zeros(n, dtype=np.int64)
    parts = threshold(), random_features(1, (threshold(),), seed=0)
    streams = [uniform_draws(part, seed, keys, zeros + feature) for part in parts for seed in (0, 1) for feature in (0, 1)] + [
        uniform_draws(parts[0], 0, np.zeros(n, np.uint64), np.arange(n)),
        random.uniform(size=n),
    ]
    error = 5 / np.sqrt(n)
    for one in streams:
        assert abs(np.histogram(one, 16, (0, 1))[0] / n - 1 / 16).max() < error / 4
        assert abs(np.corrcoef(one[1:], one[:-1])[0, 1]) < error
    assert abs(np.corrcoef(streams) - np.eye(len(streams))).max() < error


@given(st.floats(-1e308, 1e308), st.integers(0, 2**64 - 2))
@settings(max_examples=60)  # half of the draws are rounded to the lower number
def test_a_cut_between_neighbouring_numbers_is_the_lower_one(low, seed):
    dataset = Dataset.from_rows([[low], [low], [np.nextafter(low, np.inf)]], [0, 0, 1])
    for engine in ("plain", "compiled"):
        split = grow(dataset, evolve(CART, splits=(random_threshold(seed=seed),)), engine=engine).root.split
        assert split.at == low


def test_root_cuts_of_uniform_data_lie_around_the_middle_and_features_are_chosen_alike():
    dataset, roots = waveform(300, 4, 10**9), []
    dataset = dataset.with_labels(np.random.default_rng(3).integers(2, size=300).tolist())
    for seed in range(400):
        policy = evolve(CART, splits=(random_features(1, (random_threshold(seed=seed),), seed=seed),))
        roots.append(grow(dataset, evolve(policy, stop=stop.max_depth(1)), engine="compiled").root.split)
    assert abs(np.mean([split.at for split in roots]) - 0.5) < 0.06
    assert np.bincount([split.feature for split in roots]).min() > 70
