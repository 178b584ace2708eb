"""A tree grown as arrays has the flat form of the tree that is grown as nodes."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import C45, CART, CHAID, ID3, Dataset, Feature, Schema, entropy, grow, stop
from ftree.growth.growing import Grower, grown_flat, grown_levels
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
    names = "kind feature at start width reversed surrogate default_child table numbers terms"
    arrays = [tree.arity, tree.first_child, tree.counts, tree.answer, *(getattr(asked, name) for name in names.split())]
    return [(array.dtype.kind, array.tolist()) for array in arrays], list(asked.splits), len(asked.splits), asked.splits[0]


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
@given(datasets(schema=SCHEMA, missing=True, weighted=True, min_rows=1))
def test_the_arrays_are_those_of_the_tree(policy, data):
    grown, tree = grown_flat(data, policy), grow(data, policy)
    assert grown.tree() == tree
    assert grown.tree().missing == tree.missing
    assert arrays_of(grown.nodes) == arrays_of(flat(tree.root))


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
def test_kernels_grow_the_same_arrays_and_surrogates(gone):
    data = rows(300, gone, 1)
    plain = grow(data, CART, engine="plain")
    assert grow(data, CART, engine="compiled") == plain
    compiled = grown_flat(data, CART, engine="compiled")
    assert compiled.tree() == plain
    assert arrays_of(compiled.nodes) == arrays_of(flat(plain.root))


def test_splits_with_surrogates_are_made_once_and_in_the_order_of_nodes():
    grown = grown_levels(rows(300, 0.1, 1), CART, engine="compiled")
    found = [part.splits.objects for part in grown if getattr(part.splits, "objects", ())]
    assert found
    for splits in found:
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
    assert cross_validated(data, Grower(CART), folds=2, seed=seed) == cross_validated(
        data, lambda some: grow(some, CART), folds=2, seed=seed
    )
