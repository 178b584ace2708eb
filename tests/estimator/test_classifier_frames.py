"""Frames of several libraries, with text, categories, booleans and missing values."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ftree import C45, CART, ID3
from ftree.estimator import TreeClassifier

CELLS = {
    "sky": ["sunny", "rainy", None, "sunny", "rainy", "foggy"] * 3,
    "wind": [3.0, None, 5.5, 1.0, 2.0, 8.0] * 3,
    "late": [True, False, False, True, True, False] * 3,
}
RIDE = ["yes", "no", "no", "yes", "NA", "NA"] * 3
ARRAY = np.array(list(zip(*CELLS.values(), strict=True)), dtype=object)
FRAMES = {"pandas": pd.DataFrame(CELLS), "polars": pl.DataFrame(CELLS), "pyarrow": pa.table(CELLS)}
FITTED = TreeClassifier(ID3).fit(FRAMES["pandas"], pd.Series(RIDE, name="ride"))


@pytest.mark.parametrize("library", FRAMES)
def test_every_library_grows_the_same_tree_and_gets_the_same_answers(library):
    frame = FRAMES[library]
    one = TreeClassifier(ID3).fit(frame, RIDE)
    assert one.tree.root == FITTED.tree.root
    assert one.predict(frame).tolist() == FITTED.predict(FRAMES["pandas"]).tolist()
    assert (one.predict_proba(frame) == FITTED.predict_proba(FRAMES["pandas"])).all()
    assert (one.apply(frame) == FITTED.apply(FRAMES["pandas"])).all()


def test_columns_and_labels_keep_their_names():
    schema = FITTED.tree.schema
    assert [feature.name for feature in schema.features] == FITTED.feature_names_in_.tolist() == list(CELLS)
    assert (schema.target, schema.classes) == ("ride", ("NA", "no", "yes"))


def test_arrays_of_objects_have_the_same_kinds():
    assert TreeClassifier(ID3).fit(ARRAY, RIDE).tree.root == FITTED.tree.root


def test_masked_cells_are_missing():
    numbers = np.ma.array([[1, 5], [2, 5], [3, 5]], mask=[[0, 0], [0, 1], [0, 1]])
    for table in (numbers, numbers.astype(float)):
        one = TreeClassifier().fit(table, [0, 1, 1])
        assert one.tree == TreeClassifier().fit([[1, 5], [2, None], [3, None]], [0, 1, 1]).tree
        assert one.predict(table).tolist() == [0, 1, 1]
    hidden = np.ma.array([[1], [9], [9], [9]], mask=[[0], [1], [0], [0]])
    one, told = (TreeClassifier(CART, prune=None).fit(table, [0, 0, 1, 1]) for table in (hidden, hidden.data))
    assert one.tree == TreeClassifier(CART, prune=None).fit([[1], [None], [9], [9]], [0, 0, 1, 1]).tree != told.tree


def test_kinds_may_be_given():
    codes = np.array([[0], [1], [2], [1]])
    fitted = TreeClassifier(ID3, kinds={"x0": "nominal"}).fit(codes, [0, 1, 0, 1])
    assert [len(fitted.tree.root.children), fitted.predict(codes).tolist()] == [3, [0, 1, 0, 1]]


@pytest.mark.parametrize(
    ("frame", "labels", "message"),
    [
        (pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), [0, 1], "Columns must have distinct names"),
        (pd.DataFrame(), [], "must have at least one row"),
        (FRAMES["pandas"], RIDE[:3], "inconsistent numbers of samples"),
    ],
)
def test_wrong_frames_are_refused(frame, labels, message):
    with pytest.raises(ValueError, match=message):
        TreeClassifier().fit(frame, labels)


def test_categories_that_were_not_seen_have_no_answer():
    frame = FRAMES["pandas"].astype({"sky": "category"})
    fitted = TreeClassifier(ID3).fit(frame.iloc[:5], RIDE[:5])
    rows = pd.DataFrame({"sky": ["hail"], "wind": [2.0], "late": [True]}).astype({"sky": "category"})
    assert fitted.predict(rows).tolist() == fitted.predict(rows.assign(sky=None)).tolist()


def test_it_reads_the_frames_that_transformers_make():
    frame, labels = load_iris(return_X_y=True, as_frame=True)
    columns = ColumnTransformer([("scaled", StandardScaler(), ["petal length (cm)"])], remainder="passthrough")
    for library in ("pandas", "polars"):
        pipe = make_pipeline(columns.set_output(transform=library), TreeClassifier(C45)).fit(frame, labels)
        assert pipe[-1].feature_names_in_[0] == "scaled__petal length (cm)"
        assert pipe.score(frame, labels) > 0.95


def test_a_target_does_not_take_the_name_of_a_feature():
    frame = pd.DataFrame({"class": [1.0, 2.0], "class_": [0.0, 0.0]})
    assert TreeClassifier().fit(frame, [0, 1]).tree.schema.target == "class__"
