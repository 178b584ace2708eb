"""PMML: what an evaluator makes of a document is what the tree predicts, row by row."""

import json
import shutil

import numpy as np
import pytest

from ftree import Branch, Feature, Leaf, Multiway, Schema, Threshold, Tree, predict, predict_proba
from ftree.exchange import to_pmml
from ftree.testing import chain, check_export, export_rows

DIVIDED = Tree(
    Schema([Feature("x", "numeric"), Feature("sky", "nominal", ("grey", "blue", "größer"))], "ride", ("no", "yes")),
    Branch(
        (9, 6),
        Threshold(0, 0.1 + 0.2),
        (
            Branch((7, 2), Multiway(1, (1, 0, 2)), (Leaf((4, 0)), Leaf((2, 1)), Leaf((1, 1)))),
            Branch((2, 4), Threshold(0, 1 / 3), (Leaf((2, 1)), Leaf((0, 3)))),
        ),
    ),
)


@pytest.fixture(scope="module")
def evaluated(needed):
    """A function that asks an evaluator for the labels and probabilities of rows."""
    needed(shutil.which("java"), "default-jre-headless")
    pypmml = pytest.importorskip("pypmml", reason="needs pypmml, an evaluator of PMML")

    def ask(document, schema, rows):
        model = pypmml.Model.fromString(document)
        names = [feature.name for feature in schema.features]
        asked = json.dumps({"columns": names, "data": rows}).replace("Infinity", "1e999")  # JSON has no infinity
        answer = json.loads(model.predict(asked))
        return answer["columns"], answer["data"]

    yield ask
    pypmml.Model.close()


def same(tree, rows, missing, evaluated):
    columns, found = evaluated(to_pmml(tree, missing=missing), tree.schema, rows)
    assert [row[columns.index("label")] for row in found] == predict(tree, rows, missing=missing)
    shares = [[row[columns.index(f"probability({label})")] for label in tree.schema.classes] for row in found]
    if missing == "all_routes":  # this evaluator has no probabilities of aggregated nodes
        return
    np.testing.assert_allclose(shares, predict_proba(tree, rows, missing=missing), rtol=1e-9, atol=1e-12)


@pytest.mark.consumer
@pytest.mark.parametrize("missing", ["heaviest", "stop_here"])
def test_an_evaluator_says_what_the_tree_predicts(mixed_tree, missing, evaluated):
    same(mixed_tree, export_rows(mixed_tree), missing, evaluated)


@pytest.mark.consumer
@pytest.mark.parametrize("missing", ["all_routes", "heaviest"])
def test_an_evaluator_divides_rows_as_the_tree_does(missing, evaluated):
    same(DIVIDED, export_rows(DIVIDED), missing, evaluated)


@pytest.mark.consumer
def test_the_deepest_tree_that_pmml_takes(evaluated):
    same(chain(200), [[0.0], [3.0], [100.0], [1000.0], [None]], "stop_here", evaluated)


@pytest.mark.consumer
def test_pmml_obeys_the_law_for_exports(evaluated):
    def labels(made, rows):
        columns, found = evaluated(*made, rows)
        return [row[columns.index("label")] for row in found]

    check_export(
        lambda tree, missing: (to_pmml(tree, missing=missing), tree.schema), predict=labels, rules=["heaviest", "stop_here"]
    )


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        ("weighted", r"missing must be a rule that PMML has: one that follows one route.*, got weighted\(\)"),
        ("all_routes", r"tree must have splits of one feature that know all of its values, and cases in each leaf"),
    ],
)
def test_what_pmml_cannot_say_is_refused_by_name(mixed_tree, missing, message):
    with pytest.raises(ValueError, match=message):
        to_pmml(mixed_tree, missing=missing)


def test_a_tree_too_deep_for_pmml_is_refused():
    with pytest.raises(ValueError, match="tree must have at most 200 splits on a way to be written in PMML, got 201"):
        to_pmml(chain(201))


def test_a_name_that_XML_cannot_hold_is_refused():
    tree = Tree(Schema([Feature("x\0", "numeric")], "y", ("a", "b")), Leaf((1, 1)))
    with pytest.raises(ValueError, match="A text must have no control characters to be written in PMML"):
        to_pmml(tree)
