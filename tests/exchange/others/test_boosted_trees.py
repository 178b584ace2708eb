"""Structures of LightGBM and XGBoost: rows reach the same leaves as there, and are counted."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import Dataset, Feature, Schema, apply, n_leaves, predict
from ftree.exchange import from_lightgbm, from_xgboost
from ftree.tree import IsMissing, Subset, Threshold, WithDefault, numbers, preorder

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


@pytest.mark.consumer
@pytest.mark.parametrize("seed", range(4))
def test_trees_of_frames_with_large_numbers_booleans_and_categories_send_rows_to_the_same_leaves(
    seed, needed_module, monkeypatch
):
    for library in ("lightgbm", "xgboost", "pandas"):
        needed_module(library)
    monkeypatch.syspath_prepend(FOLDER)
    make = needed_module("make_boosted")
    frame, y = make.of_pandas(seed)
    data = Dataset.from_frame(frame.assign(y=y), target="y", response="numbers")
    for (model, leaves), read in zip(make.models_of_pandas(frame, y, depth=seed + 2), (from_lightgbm, from_xgboost), strict=True):
        for number in (0, 1):
            pairs = set(zip(apply(read(model, data, tree=number), data), leaves[:, number], strict=True))
            assert len(pairs) == len({mine for mine, _ in pairs}) == len({theirs for _, theirs in pairs})
        added = sum(predict(read(model, data.schema, tree=number), data) for number in (0, 1))
        np.testing.assert_allclose(added, model.predict(frame), rtol=1e-5, atol=1e-5)


@pytest.mark.consumer
def test_scores_of_dart_are_refused_since_it_weighs_its_trees(needed_module):
    xgboost = needed_module("xgboost")
    booster = xgboost.train({"booster": "dart"}, xgboost.DMatrix(np.eye(9), np.arange(9.0)), 1)
    schema = Schema([Feature(f"f{number}", "numeric") for number in range(9)], "y", (), response=numbers())
    with pytest.raises(ValueError, match="model must add up its trees as they are, got a DART booster"):
        from_xgboost(booster, schema)


class Column:
    """An Arrow array of categories."""

    def to_pylist(self):
        return ["b", "a"]


class Model:
    """A model that dumps itself in each of the possible ways."""

    def __init__(self, dump=(), types=None, config=""):
        self.dump, self.feature_types, self.config = dump or MADE["xgboost"]["dump"], types, config

    def dump_model(self):
        return MADE["lightgbm"]["dump"]

    def copy(self):
        return Model(self.dump, self.feature_types)

    def save_config(self):
        return self.config

    def get_dump(self, dump_format, with_stats):
        whole = "int" not in (self.feature_types or ())
        return [json.dumps(tree) for tree in self.dump] if dump_format == "json" and with_stats and whole else None

    def get_categories(self, export_to_arrow):
        return self if export_to_arrow else None

    def to_arrow(self):
        return [("c", Column()), ("n", None)]

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
        (from_lightgbm, "lightgbm with values", '"threshold": "', '"threshold": "x', "must be their numbers, got"),
        (from_lightgbm, "lightgbm", '"threshold": ', f'"threshold": {10**400}, "was": ', "must have a finite number 'threshold'"),
        (
            from_lightgbm,
            "lightgbm",
            '"split_feature": 0',
            '"split_feature": -1',
            "A split must use features 0 to 2 of the schema",
        ),
        (from_lightgbm, "lightgbm", '"NaN"', '"Zero"', "missing_type 'None' or 'NaN'"),
        (from_lightgbm, "lightgbm", '"left_child"', '"left"', "A node must have 'left_child' of type dict"),
        (from_xgboost, "xgboost", '"f0"', '"age"', "A split must name one of the dataset's features, got 'age'"),
        (from_xgboost, "xgboost", '"f0"', '"f7"', "A split must use features 0 to 2 of the schema"),
        (from_xgboost, "xgboost", '"yes": 1', '"yes": 7', r"A node must have the children that it names, got \[7, 2\] of"),
        (
            from_xgboost,
            "xgboost",
            '"split_condition": ',
            '"split_condition": "x", "was": ',
            "'split_condition' .*must be a number|must go to",
        ),
    ],
)
def test_other_structures_are_refused(read, name, old, new, words):
    text = json.dumps(MADE[name]["dump"])
    assert old in text
    with pytest.raises(ValueError, match=words):
        read(json.loads(text.replace(old, new)), DATA)


ROWS = Dataset.from_rows([[0.5, True, "a"], [1, False, "b"], [2, None, None]], ["no", "yes", "yes"], features=["n", "b", "c"])
ENDS = {"children": [{"nodeid": 1, "leaf": 0.25}, {"nodeid": 2, "leaf": 0.5}]}


@pytest.mark.parametrize(
    ("asked", "split", "first"),
    [
        ({"split": "b", "yes": 1, "no": 2}, WithDefault(Subset(1, (0,)), default_child=1), 1),
        ({"split": "b", "yes": 2, "no": 1}, WithDefault(Subset(1, (0,)), default_child=0), 2),
        ({"split": "b", "yes": 1, "no": 2, "missing": 2, "split_condition": 1.5}, IsMissing(1), 2),
        ({"split": "b", "yes": 1, "no": 2, "missing": 1, "split_condition": -0.5}, IsMissing(1), 2),
        (
            {"split": "c", "yes": 2, "no": 1, "missing": 1, "split_condition": [0]},
            WithDefault(Subset(2, (1,)), default_child=1),
            1,
        ),
        ({"split": "c", "yes": 2, "no": 1, "missing": 2, "split_condition": []}, IsMissing(2), 2),
        (
            {"split": "c", "yes": 2, "no": 1, "missing": 1, "split_condition": []},
            WithDefault(Subset(2, (0, 1)), default_child=0),
            3,
        ),
    ],
)
def test_booleans_and_categories_are_asked_by_their_values(asked, split, first):
    root = from_xgboost(Model([{"nodeid": 0, **asked, **ENDS}], ["float", "i", "c"]), ROWS).root
    assert (root.split, sum(root.children[0].counts)) == (split, first)


SIZES = st.sampled_from([0, 0.0, 1, 2.5, 1e-9, 1e-40, 1e-320, 1e15])


@given(st.tuples(SIZES, SIZES), st.tuples(st.floats(-9, 9), st.floats(-9, 9)))
def test_leaves_answer_with_their_scores_whatever_their_cover(cover, scores):
    """The cover of a sure leaf of logistic trees is nearly 0, and a leaf without cases has no mean."""
    asked = {"nodeid": 0, "split": "n", "yes": 1, "no": 2, "missing": 1, "split_condition": 1}
    ends = [{"nodeid": place + 1, "leaf": score, "cover": n} for place, (score, n) in enumerate(zip(scores, cover, strict=True))]
    tree = from_xgboost([{**asked, "children": ends}], Schema([Feature("n", "numeric")], "y", (), response=numbers()))
    assert list(predict(tree, [[0.0], [2.0]])) == pytest.approx(scores, rel=1e-12, abs=1e-12)


LIGHT = {"split_feature": 2, "decision_type": "==", "missing_type": "None", "left_child": {"leaf_value": 1}}
DUMP = {
    "tree_info": [{"tree_structure": {**LIGHT, "threshold": "0", "right_child": {"leaf_value": 2}}}],
    "feature_names": ["n", "b", "c"],
    "feature_infos": {"n": {"values": []}, "c": {"values": [0, 1]}},
}


def test_categories_of_lightgbm_are_those_of_pandas_else_values_of_numbers_else_codes():
    assert from_lightgbm(DUMP, ROWS).root.split == WithDefault(Subset(2, (0,)), default_child=1)
    assert from_lightgbm({**DUMP, "pandas_categorical": [["b", "a"]]}, ROWS).root.split == WithDefault(
        Subset(2, (1,)), default_child=1
    )
    coded = Dataset.from_rows([[0, 0, 3], [0, 0, 0]], ["no", "yes"], features=["n", "b", "c"], kinds={"c": [3, 0]})
    assert from_lightgbm(DUMP, coded).root.split == WithDefault(Subset(2, (1,)), default_child=1)
    with pytest.raises(ValueError, match="pandas_categorical must be one for each of the 1 features with categories, got 2"):
        from_lightgbm({**DUMP, "pandas_categorical": [["b", "a"], ["x"]]}, ROWS)
    with pytest.raises(ValueError, match="Categories must be whole numbers from 0 and below 0, got"):
        from_lightgbm({**DUMP, "pandas_categorical": [[]]}, ROWS)
    with pytest.raises(ValueError, match="A split by categories must be of a feature with values, got 'c', which is numeric"):
        from_lightgbm(DUMP, Dataset.from_rows([[0, 0, 3.5], [0, 0, 0]], ["no", "yes"], features=["n", "b", "c"]))
    ordinal = evolve(ROWS.schema, features=[*ROWS.schema.features[:2], Feature("c", "ordinal", ("low", "high"))])
    below = {**DUMP["tree_info"][0]["tree_structure"], "decision_type": "<=", "threshold": 0.5}
    model = {"tree_info": [{"tree_structure": below}], "pandas_categorical": [["low", "high"]]}
    assert from_lightgbm(model, Dataset(ordinal, ROWS.columns, ROWS.target_column)).root.split.split == Threshold(2, 0.5)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (
            {"split": "n", "split_condition": -(2**31)},
            "'n' must be a number of 32 bits, .* got -2147483648. Dumps garble larger ones: give the booster itself",
        ),
        ({"split": "n", "split_condition": 10**400}, "must be a number of 32 bits"),
        ({"split": "n", "split_condition": float("nan")}, "must be a number of 32 bits"),
        ({"split": "c", "split_condition": [0]}, "A split by categories must come with their values, got 'c' without them"),
        ({"split": "n", "missing": 7, "split_condition": 0.5}, r"Missing values must go to one of the children \[1, 2\], got 7"),
        ({"split": "n", "no": 1, "split_condition": 0.5}, "A node must have the children that it names"),
    ],
)
def test_dumps_of_xgboost_that_do_not_tell_a_split_are_refused(asked, words):
    with pytest.raises(ValueError, match=words):
        from_xgboost([{"nodeid": 0, "yes": 1, "no": 2, "missing": 1, **asked, **ENDS}], ROWS)


def test_scores_of_a_booster_that_weighs_its_trees_and_records_inside_themselves_are_refused():
    with pytest.raises(ValueError, match="got a DART booster, which weighs them"):
        from_xgboost(Model(config='{"name":"dart"}'), Schema([Feature("f0", "numeric")], "y", (), response=numbers()))
    inside = {"split_feature": 0, "right_child": {}}
    inside["left_child"] = inside
    with pytest.raises(ValueError, match="Each node must be below at most one other"):
        from_lightgbm({"tree_info": [{"tree_structure": inside}]}, ROWS)


@pytest.mark.parametrize(("read", "model"), [(from_lightgbm, "{"), (from_xgboost, ["{"])])
def test_text_that_is_no_json_is_refused(read, model):
    with pytest.raises(ValueError, match=r"model must be a model of .*, or JSON that it dumps, got '{'"):
        read(model, DATA)
