"""Structures of LightGBM and XGBoost: rows reach the same leaves as there, and are counted."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from ftree import Dataset, Feature, Schema, apply, n_leaves, predict
from ftree.exchange import from_lightgbm, from_xgboost
from ftree.tree import numbers, preorder

FOLDER = Path(__file__).with_name("made")
MADE = json.loads((FOLDER / "boosted.json").read_text())
NUMERIC, CODED = "numeric", {"c": [0.0, 1.0, 2.0, 3.0]}
READERS = [
    ("lightgbm", from_lightgbm, NUMERIC),
    ("lightgbm without gaps", from_lightgbm, NUMERIC),
    ("lightgbm with values", from_lightgbm, CODED),
    ("xgboost", from_xgboost, NUMERIC),
]


def dataset_of(made, kinds):
    return Dataset.from_rows(made["rows"], made["labels"], features=list("abc"), kinds=kinds)


DATA = dataset_of(MADE, NUMERIC)


@pytest.mark.parametrize(("name", "read", "kinds"), READERS, ids=[name for name, _, _ in READERS])
@pytest.mark.parametrize("number", [0, 1])
def test_rows_reach_the_same_leaves_and_are_counted(name, read, kinds, number):
    check_leaves_and_counts(MADE[name], read, dataset_of(MADE, kinds), number)


@pytest.mark.parametrize(("name", "read", "kinds"), READERS, ids=[name for name, _, _ in READERS])
def test_leaves_answer_with_the_mean_of_the_numbers_that_reach_them(name, read, kinds):
    y = np.random.default_rng(0).normal(size=len(MADE["rows"]))
    data = Dataset.from_rows(MADE["rows"], y.tolist(), features=list("abc"), kinds=kinds, response="numbers")
    tree, leaves = read(MADE[name]["dump"], data), np.array(MADE[name]["leaves"])[:, 0]
    means = np.bincount(leaves, y) / np.maximum(np.bincount(leaves), 1)
    assert predict(tree, data) == pytest.approx(means[leaves], abs=1e-12)
    assert tree.root.counts[0] == len(y)
    scores = np.array(re.findall(r'"leaf(?:_value)?": (-?[\d.e-]+)', json.dumps(MADE[name]["dump"])), dtype=float)
    told = predict(read(MADE[name]["dump"], data.schema), data)
    assert np.abs(told[:, None] - scores).min(axis=1).max() < 1e-14
    assert len(set(zip(told, leaves, strict=True))) == len(set(leaves))
    untold = json.loads(re.sub("leaf_count|cover", "was", json.dumps(MADE[name]["dump"])))
    assert read(untold, data.schema).root.counts[0] == n_leaves(tree), "a leaf that tells no cases has one"


@pytest.mark.consumer
def test_rows_reach_the_same_leaves_of_models_that_are_trained_now(needed_module, monkeypatch):
    for library in ("lightgbm", "xgboost"):
        needed_module(library)
    monkeypatch.syspath_prepend(FOLDER)
    for seed in (19, 20):
        made = needed_module("make_boosted").make(seed)
        for name, read, kinds in READERS:
            check_leaves_and_counts(made[name], read, dataset_of(made, kinds), 0)


def check_leaves_and_counts(made, read, data, number):
    tree = read(made["dump"], data, tree=number)
    theirs = [leaves[number] for leaves in made["leaves"]]
    mine = [int(leaf) for leaf in apply(tree, data)]
    pairs = set(zip(mine, theirs, strict=True))
    assert len(pairs) == len(set(mine)) == len(set(theirs)) > 3
    assert tree.root.counts == tuple(data.class_counts())
    assert all(isinstance(count, int) for node in preorder(tree) for count in node.counts)
    assert tree.schema == data.schema


class Model:
    """A model that dumps itself in each of the possible ways."""

    def dump_model(self):
        return MADE["lightgbm"]["dump"]

    def get_dump(self, dump_format, with_stats):
        return [json.dumps(tree) for tree in MADE["xgboost"]["dump"]] if dump_format == "json" and with_stats else None

    def get_booster(self):
        return self

    @property
    def booster_(self):
        return self


@pytest.mark.consumer
def test_the_scores_of_all_trees_of_a_regressor_add_up_to_its_predictions(needed_module):
    table, random = np.random.default_rng(0).normal(size=(300, 2)), np.random.default_rng(1)
    table[random.random(table.shape) < 0.1] = np.nan
    y, schema = (
        np.nan_to_num(table).sum(axis=1) ** 2,
        Schema([Feature(name, "numeric") for name in "ab"], "y", (), response=numbers()),
    )
    for read, name, options in ((from_lightgbm, "LGBM", {"verbose": -1}), (from_xgboost, "XGB", {"base_score": 0.0})):
        model = getattr(needed_module({"LGBM": "lightgbm", "XGB": "xgboost"}[name]), f"{name}Regressor")(
            n_estimators=4, **options
        )
        added = sum(predict(read(model.fit(table, y), schema, tree=number), table) for number in range(4))
        np.testing.assert_allclose(added, model.predict(table), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("read", [from_lightgbm, from_xgboost])
def test_models_are_read_as_their_dumps_are(read):
    assert n_leaves(read(Model(), DATA)) > 3
    with pytest.raises(TypeError, match="dataset must be a Dataset, whose rows are counted in the nodes, got 3"):
        read(Model(), 3)
    with pytest.raises(ValueError, match=r"tree must be the number of one of 2 trees, got (2|-1|'first'|True)"):
        read(Model(), DATA, tree=2)
    with pytest.raises(ValueError, match="tree must be the number of one of 0 trees"):
        read(None, DATA)


def test_features_of_xgboost_are_found_by_name():
    dump = json.loads(json.dumps(MADE["xgboost"]["dump"][:1]).replace('"f0"', '"a"'))
    assert from_xgboost(dump, DATA) == from_xgboost(MADE["xgboost"]["dump"], DATA)


@pytest.mark.parametrize(
    ("read", "name", "old", "new", "words"),
    [
        (from_lightgbm, "lightgbm", '"<="', '"<"', "decision_type must be '<=' or '=='"),
        (from_lightgbm, "lightgbm", '"NaN"', '"Zero"', "missing_type 'None' or 'NaN'"),
        (from_lightgbm, "lightgbm", '"left_child"', '"left"', "A node must have 'left_child' of type dict"),
        (from_xgboost, "xgboost", '"f0"', '"age"', "A split must name one of the dataset's features, got 'age'"),
        (from_xgboost, "xgboost", '"f0"', '"f7"', "A split must use features 0 to 2 of the schema"),
        (from_xgboost, "xgboost", '"yes": 1', '"yes": 7', r"A node must have the children that it names, got 7 of \[1, 2\]"),
        (from_xgboost, "xgboost", '"split_condition": ', '"split_condition": "x", "was": ', "A node must have 'split_condition'"),
    ],
)
def test_other_structures_are_refused(read, name, old, new, words):
    text = json.dumps(MADE[name]["dump"])
    assert old in text
    with pytest.raises(ValueError, match=words):
        read(json.loads(text.replace(old, new)), DATA)


@pytest.mark.parametrize(("read", "model"), [(from_lightgbm, "{"), (from_xgboost, ["{"])])
def test_text_that_is_no_json_is_refused(read, model):
    with pytest.raises(ValueError, match=r"model must be a model of .*, or JSON that it dumps, got '{'"):
        read(model, DATA)
