"""Trees equal those of independent programs: the reference files, and the slow oracle beside this file."""

import json

import oracle
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import ID3, Dataset, gain, gini, grow
from ftree.data.coding import decode
from ftree.splitters import subset, threshold
from ftree.testing import datasets, schemas
from ftree.tree import Multiway

pytestmark = pytest.mark.wide

BINARY = evolve(ID3, splits=(threshold(),))
IMPURITIES = [(ID3.impurity, oracle.entropy), (gini, oracle.gini)]


def plain(node, features, impurity):
    """A node of the library in the oracle's form."""
    if not hasattr(node, "split"):
        return {"n": list(node.counts)}
    below = [plain(child, features, impurity) for child in node.children]
    score = float(gain([child.counts for child in node.children], impurity))
    described = {"n": list(node.counts), "index": node.split.feature, "gain": score}
    if isinstance(node.split, Multiway):
        values = [features[node.split.feature].values[code] for code in node.split.values]
        return described | {"children": dict(zip(values, below, strict=True))}
    return described | {"threshold": node.split.at, "children": below}


def assert_same(node, other, path=()):
    """Counts, column, threshold and children are equal, children in the same order, gains to 1e-9."""
    keys = ("n", "index", "threshold")
    assert [node.get(key) for key in keys] == [other.get(key) for key in keys], path
    assert node.get("gain", 0.0) == pytest.approx(other.get("gain", 0.0), abs=1e-9), path
    mine, theirs = node.get("children", ()), other.get("children", ())
    assert list(mine) == list(theirs) if isinstance(mine, dict) else len(mine) == len(theirs), path
    for key in mine if isinstance(mine, dict) else range(len(mine)):
        assert_same(mine[key], theirs[key], (*path, key))


def of_library(dataset, policy=ID3):
    return plain(grow(dataset, policy).root, dataset.schema.features, policy.impurity)


def of_oracle(dataset, impurity=oracle.entropy):
    """The oracle on the dataset's own values, an ordinal's by their position in the order."""
    features = dataset.schema.features
    cells = [
        column.tolist() if feature.kind == "ordinal" else decode(feature, column)
        for feature, column in zip(features, dataset.columns, strict=True)
    ]
    rows = list(zip(*cells, strict=True))
    labels = dataset.labels.tolist()
    numeric = {number for number, feature in enumerate(features) if feature.kind != "nominal"}
    return oracle.grown(rows, labels, dataset.schema.classes, numeric=numeric, impurity=impurity)


@pytest.mark.parametrize("name", ["weather", "lenses", "votes_complete"])
def test_ID3_grows_the_reference_tree_node_by_node(shared, name):
    dataset = Dataset.read_csv(shared / "data" / f"{name}.csv")
    reference = json.loads((shared / "reference" / f"{name}.id3.json").read_text())
    assert [feature.name for feature in dataset.schema.features] == reference["features"]
    assert list(dataset.schema.classes) == reference["classes"]
    assert_same(of_library(dataset), reference["tree"])


def test_thresholds_by_entropy_grow_the_reference_tree_of_the_irises(shared):
    dataset = Dataset.read_csv(shared / "data" / "iris_uci.csv")
    reference = json.loads((shared / "reference" / "iris_uci.binary_entropy.json").read_text())
    assert list(dataset.schema.classes) == reference["classes"]
    assert_same(of_library(dataset, BINARY), reference["tree"])


CATEGORICAL = [
    pytest.param("tictactoe", marks=pytest.mark.slow),
    "monks1_train",
    "monks2_train",
    "monks3_train",
    "car",
    "titanic",
    "breast_cancer",
    "mushroom",
]


@pytest.mark.parametrize("name", CATEGORICAL)
def test_ID3_grows_the_oracles_tree_on_categorical_tables(shared, name):
    dataset = Dataset.read_csv(shared / "data" / f"{name}.csv", kinds="nominal").complete()
    assert_same(of_library(dataset), of_oracle(dataset))


def test_ID3_grows_the_oracles_tree_on_a_part_of_the_digits(shared):
    part, _ = Dataset.read_csv(shared / "data" / "digits.csv", kinds="nominal").split(0.1, seed=1)
    assert_same(of_library(part), of_oracle(part))


@pytest.mark.parametrize("name", ["iris", "iris_uci", "weather_numeric"])
@pytest.mark.parametrize(("ours", "theirs"), IMPURITIES)
def test_thresholds_are_the_oracles(shared, name, ours, theirs):
    dataset = Dataset.read_csv(shared / "data" / f"{name}.csv")
    assert_same(of_library(dataset, evolve(ID3, impurity=ours)), of_oracle(dataset, theirs))


@given(datasets(max_rows=24), st.sampled_from(IMPURITIES))
def test_ID3_grows_the_oracles_tree(dataset, impurities):
    ours, theirs = impurities
    assert_same(of_library(dataset, evolve(ID3, impurity=ours)), of_oracle(dataset, theirs))


@given(st.data(), st.sampled_from(IMPURITIES))
def test_a_best_subset_gains_as_much_as_the_best_of_all_subsets_of_two_classes(data, impurities):
    ours, theirs = impurities
    schema = data.draw(schemas(kinds=["nominal"]).filter(lambda schema: len(schema.classes) > 1))
    two = evolve(schema, classes=schema.classes[:2])
    dataset = data.draw(datasets(schema=two, min_rows=2, max_rows=24))
    root = grow(dataset, evolve(ID3, impurity=ours, splits=(subset(),))).root
    gained = gain([child.counts for child in root.children], ours) if hasattr(root, "split") else 0.0
    most = max(oracle.best_subset_gain(column.tolist(), dataset.target_column.tolist(), theirs) for column in dataset.columns)
    assert gained == pytest.approx(most, abs=1e-9)
