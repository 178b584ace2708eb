"""A tree whose nodes are arrays until they are asked for is the tree of the same nodes, with the same flat form."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from sizes import sized

from ftree import C45, CART, CHAID, ID3, Dataset, Feature, Schema, entropy, grow, stop
from ftree.growth.growing import grown_nodes
from ftree.prune import cross_validated
from ftree.routing.flat import flat
from ftree.splitters import multiway, threshold
from ftree.testing import datasets

SCHEMA = Schema(
    [Feature("n", "numeric"), Feature("o", "ordinal", "abc"), Feature("c", "nominal", "abcd"), Feature("d", "nominal", "ab")],
    "label",
    ("no", "maybe", "yes"),
)
POLICIES = {
    "ID3": ID3,
    "C45": C45,
    "CART": CART,
    "CHAID": CHAID,
    "leaves": ID3.stopping(stop.max_leaves(3)),
    "observed": evolve(CART, splits=(threshold(at="observed"), multiway())),
    "bins": evolve(ID3, splits=(multiway(), threshold(bins=2))),
}


def arrays_of(tree):
    """All arrays of a flat form, and the splits of its nodes."""
    asked = tree.questions
    arrays = [tree.arity, tree.first_child, tree.counts, tree.answer, asked.asked, asked.table, asked.numbers, asked.terms]
    return [(array.dtype.kind, array.tolist()) for array in arrays], list(asked.splits), len(asked.splits), asked.splits[0]


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
@given(datasets(schema=SCHEMA, missing=True, weighted=True, min_rows=1))
def test_the_arrays_are_those_of_the_tree(policy, data):
    tree = grow(data, policy)
    with sized(few_nodes=0):
        grown = grow(data, policy)
    assert arrays_of(flat(grown)) == arrays_of(flat(tree.root))
    assert (grown, grown.missing) == (tree, tree.missing)


@pytest.mark.parametrize("ask", [repr, hash, copy.copy, copy.deepcopy, pickle.dumps, lambda tree: arrays_of(flat(tree))[0]])
@given(
    st.sampled_from(["classes", "numbers", "events"]).flatmap(lambda kind: datasets(response=kind, weighted=True, missing=True))
)
def test_whatever_asks_a_tree_for_its_nodes_gets_those_of_its_growth(ask, data):
    with sized(few_nodes=0):
        grown = grow(data, CART)
    tree = grow(data, CART)
    assert ask(grown) == ask(tree)
    assert grown == tree


def test_threads_that_ask_for_a_root_at_the_same_time_get_the_same_one():
    data = rows(300, 0.1, 1)
    with sized(few_nodes=0), ThreadPoolExecutor(4) as threads:
        for _ in range(20):
            tree = grow(data, CART)
            assert len({id(root) for root in threads.map(lambda _, tree=tree: tree.root, range(8))}) == 1


def rows(n, gone, seed):
    """Numbers of many values and of few, letters, and gaps; 6 classes."""
    random = np.random.default_rng(seed)
    few, many, letters = random.integers(0, 9, (n, 3)).astype(float), random.normal(size=(n, 2)), random.integers(0, 3, n)
    few[random.random((n, 3)) < gone] = np.nan
    labels = (few[:, 0] > 4) + 2 * (many[:, 0] > 0) + (random.random(n) < 0.3) * random.integers(0, 3, n)
    labels = np.where(np.isnan(labels), 0, labels).astype(int)
    features = [*(Feature(f"x{i}", "numeric") for i in range(5)), Feature("c", "nominal", "abc")]
    schema = Schema(features, "label", tuple(range(6)))
    return Dataset(schema, [*few.T, *many.T, letters], labels)


@pytest.mark.parametrize("gone", [0.0, 0.1])
def test_the_library_grows_the_same_arrays_and_surrogates(gone):
    data = rows(300, gone, 1)
    plain = grow(data, CART, engine="plain")
    with sized(few_nodes=0):
        compiled = grow(data, CART, engine="compiled")
    assert arrays_of(flat(compiled)) == arrays_of(flat(plain.root))
    assert compiled == plain


def test_splits_with_surrogates_are_made_once_and_in_the_order_of_nodes():
    grown = grown_nodes(rows(300, 0.1, 1), CART, engine="compiled")
    splits = grown.splits
    assert splits.surrogates is not None
    assert [splits[number] for number in range(len(splits))] == list(splits)
    assert splits[0] is splits[0]


@pytest.mark.parametrize("gone", [0.0, 0.1])
def test_thresholds_are_those_of_the_plain_engine_where_nodes_lack_classes(gone):
    data = rows(300, gone, 2)
    few = Dataset(Schema(data.schema.features[:3], "label", data.schema.classes), data.columns[:3], data.target_column)
    for policy in (CART, evolve(CART, impurity=entropy), C45):
        assert grow(few, policy, engine="compiled") == grow(few, policy, engine="plain")


@given(datasets(schema=SCHEMA, missing=True, min_rows=4), st.integers(0, 3))
def test_folds_measured_in_arrays_are_those_of_trees(data, seed):
    with sized(few_nodes=0):
        measured = cross_validated(data, lambda some: grow(some, CART), folds=2, seed=seed)
    assert measured == cross_validated(data, lambda some: grow(some, CART), folds=2, seed=seed)
