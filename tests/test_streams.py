"""Rows that can be read only once, an Arrow stream, are answered as their table is, by every public function of rows."""

from functools import partial
from inspect import isclass, isfunction, signature

import numpy as np
import pyarrow as pa
import pytest
from test_signatures import named_functions

import ftree as ft
from ftree import data, explain, routing, show, study
from ftree.linear import perceptron
from ftree.neighbors import knn
from ftree.points import points_of
from ftree.responses import linear

NUMBERS = np.random.default_rng(0).uniform(size=(2, 40)).round(2)
PLAIN = pa.table({"x": NUMBERS[0], "z": NUMBERS[1], "class": np.where(NUMBERS.sum(axis=0) > 1, "yes", "no")})
SKIES = [None, "snow", *("grey", "blue") * 19]
MIXED = PLAIN.append_column("sky", pa.array(SKIES))
KNOWN = ft.Dataset.from_frame(MIXED.slice(2), target="class")
TREE = ft.grow(KNOWN, ft.evolve(ft.ID3, missing="ignore"))
MEANS = ft.grow(ft.Dataset.from_columns({"x": NUMBERS[0], "z": NUMBERS[1]}, target="z", response=linear("x")), ft.CART)
TRAINING = ft.Dataset.from_frame(PLAIN, target="class")
NEAR = knn(TRAINING, k=3)
FORESTS = [study.random_forest(each, n_trees=3) for each in (KNOWN, TRAINING)]


def leaves(tree, rows, rule):
    return np.asarray(routing.predict_counts(tree, rows, missing=rule)) + 1


OF_ROWS = {
    "ftree.routing.predict": [
        *[partial(ft.predict, TREE), partial(ft.predict, MEANS), partial(ft.predict, TREE, priors=(0.9, 0.1))],
        *[partial(ft.predict, TREE, unseen="missing"), partial(ft.predict, TREE, leaves=leaves)],
    ],
    "ftree.routing.predict_counts": [partial(ft.predict_counts, TREE), partial(ft.predict_counts, TREE, leaves=leaves)],
    "ftree.routing.predict_proba": [partial(ft.predict_proba, TREE)],
    "ftree.routing.apply": [partial(ft.apply, TREE), partial(ft.apply, TREE, unseen="missing")],
    "ftree.explain.shap_values": [partial(explain.shap_values, TREE, missing="weighted")],
    "ftree.show.RuleList.__call__": [show.simplify(ft.rules(TREE), KNOWN)],
    "ftree.study.Forest.__call__": FORESTS,
    "ftree.study.Forest.votes": [forest.votes for forest in FORESTS],
    "ftree.study.Forest.predict_proba": [forest.predict_proba for forest in FORESTS],
    "ftree.study.Forest.proximities": [forest.proximities for forest in FORESTS],
    "ftree.neighbors.knn.__call__": [NEAR],
    "ftree.neighbors.knn.votes": [NEAR.votes],
    "ftree.neighbors.knn.nearest": [NEAR.nearest],
    "ftree.neighbors.knn.within": [partial(NEAR.within, radius=0.2)],
    "ftree.linear.perceptron.__call__": [perceptron(TRAINING)],
    "ftree.linear.perceptron.scores": [perceptron(TRAINING).scores],
    "ftree.points.points_of": [partial(points_of, TRAINING.schema)],
    "ftree.data.columns_of": [partial(data.columns_of, KNOWN.schema)],
    "ftree.data.cells_of": [partial(data.cells_of, KNOWN.schema)],
    "ftree.data.unseen_values": [partial(data.unseen_values, KNOWN.schema)],
}
# In these, rows are the numbers of rows, those of a path, or the form of an answer; or values of a stream are refused.
OTHERS = {
    *["ftree.data.Dataset.part", "ftree.data.Dataset.take", "ftree.data.Dataset.from_rows", "ftree.scan.Part.take"],
    *["ftree.data.labels_in_kind", "ftree.data.matrix_in_kind", "ftree.data.numbers_in_kind", "ftree.data.require_known"],
    *["ftree.linear.dual.margins", "ftree.linear.primal.margins"],
    *["ftree.prune.lowest_error", "ftree.prune.one_standard_error", "ftree.prune.within.__call__"],
}


def test_every_public_function_of_rows_is_given_a_stream():
    called = ((f"{name}.__call__", value.__call__) for name, value in named_functions() if isclass(value))
    functions = [*named_functions(), *((name, value) for name, value in called if isfunction(value))]
    of_rows = {name for name, value in functions if not isclass(value) and "rows" in signature(value).parameters}
    assert of_rows == OF_ROWS.keys() | OTHERS


def listed(answer):
    """An answer as plain values."""
    if isinstance(answer, tuple):
        return list(map(listed, answer))
    return next((getattr(answer, name)() for name in ("to_pylist", "tolist") if hasattr(answer, name)), repr(answer))


@pytest.mark.parametrize("name", OF_ROWS)
@pytest.mark.filterwarnings("ignore:Unknown values")
def test_a_stream_gives_what_its_table_gives(name):
    for function in OF_ROWS[name]:
        table = PLAIN if name.startswith(("ftree.neighbors", "ftree.linear", "ftree.points")) else MIXED
        assert listed(function(table.to_reader())) == listed(function(table))
