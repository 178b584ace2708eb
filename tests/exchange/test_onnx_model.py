"""ONNX: onnxruntime predicts from a model what the tree predicts, row by row."""

import sys
from math import nan

import numpy as np
import pytest
from consumers import HALF, RULES, in_onnx

from ftree import CART, Branch, Dataset, Feature, Leaf, Schema, Tree, evolve, grow, n_leaves, predict, predict_counts
from ftree.exchange import export_nodes, to_onnx
from ftree.exchange.jumps import program
from ftree.exchange.onnx_graph import is_tree
from ftree.responses import events
from ftree.testing import chain
from ftree.tree import Oblique, Threshold, exact_sums, numbers

onnx = pytest.importorskip("onnx", reason="needs onnx, the extra onnx")
onnxruntime = pytest.importorskip("onnxruntime", reason="needs onnxruntime, which reads models")


@pytest.mark.parametrize("missing", [*RULES, HALF])
@pytest.mark.parametrize("kind", ["centre", "rate", "exposure"])
def test_a_small_centre_or_shrinkage_is_not_omitted(missing, kind):
    own = exact_sums(events("years", rate=1e-10 if kind == "rate" else 1e10), [numbers()] * 3)
    response = numbers(1e-9, 2.0**-40, part=2.0**-20) if kind == "centre" else own
    more = () if kind == "centre" else (0,)
    below = Branch((3, 10, 60, *more), Threshold(0, 0.5), (Leaf((0, 0, 0, *more)), Leaf((3, 10, 60, *more))))
    root = Branch((4, 15, 85, *more), Threshold(0, 2.5), (below, Leaf((1, 5, 25, *more))))
    tree = Tree(Schema([Feature("x", "numeric")], "y", (), response=response), root)
    rows = [[0.0], [1.0], [3.0], [None]]
    assert in_onnx(tree, missing)(rows)[0] == pytest.approx(predict(tree, rows, missing=missing), rel=1e-12, abs=0)


@pytest.mark.parametrize("missing", RULES)
def test_rows_that_are_not_divided_go_down_one_tree_however_many_leaves_it_has(missing):
    draws = np.random.default_rng(7)
    data = Dataset.from_rows(draws.normal(size=(2_000, 5)), draws.integers(2, size=2_000), features=list("abcde"))
    tree = grow(data, CART)
    assert n_leaves(tree) > 300
    assert is_tree(program(export_nodes(tree, missing=missing)))
    rows = draws.normal(size=(50, 5))
    rows[::3, 1] = nan
    labels, counts = in_onnx(tree, missing)(rows.tolist())
    assert labels == predict(tree, rows, missing=missing).tolist()
    np.testing.assert_allclose(counts, predict_counts(tree, rows, missing=missing), rtol=1e-9)


def test_a_weight_of_nearly_1_counts():
    nearly = Oblique((1 + 1e-6, 1.0), 3.0000015)
    tree = Tree(
        Schema([Feature("x", "numeric"), Feature("y", "numeric")], "label of it", (1, 2)),
        Branch((2, 1), nearly, (Leaf((1, 0)), Branch((1, 1), evolve(nearly, at=9), (Leaf((0, 1)), Leaf((1, 0)))))),
    )
    rows = [[2.0, 1.0], [1.0, 2.0], [5.0, 5.0]]
    assert in_onnx(tree, "stop_here")(rows)[0] == predict(tree, rows) == [2, 1, 1]


def test_what_onnx_cannot_write_is_refused_by_name():
    x, leaf = Feature("x", "numeric"), Leaf((1, 1))
    for schema, message in [
        (Schema([Feature("", "numeric")], "y", ("a", "b")), "features whose names are not empty and do not begin with 'ftree:'"),
        (Schema([], "y", ("a", "b")), "tree must have a feature to be written in ONNX"),
        (Schema([x], "y", ("a", 1)), "tree must have classes that are all texts or all whole numbers"),
    ]:
        with pytest.raises(ValueError, match=message):
            to_onnx(Tree(schema, leaf))
    mixed = Feature("s", "nominal", ("a", 1))
    with pytest.raises(ValueError, match="Values of 's' must be all texts, of which None is the empty one, or all whole numbers"):
        to_onnx(Tree(Schema([mixed], "y", ("a", "b")), leaf))


@pytest.mark.parametrize("names", [("label", "counts"), ("label", "label_"), ("number", "counts_")])
@pytest.mark.parametrize("bool_inputs", [False, True])
def test_features_may_have_the_names_of_outputs_and_inputs_may_be_booleans(names, bool_inputs):
    rows = [[number / 2, number % 3 == 0] for number in range(12)]
    wet = [number % 3 == 0 for number in range(12)]
    for target in (wet, [number % 5 / 4 + each for number, each in enumerate(wet)]):
        tree = grow(Dataset.from_rows(rows, target, features=list(names)), CART)
        model = to_onnx(tree, bool_inputs=bool_inputs)
        onnx.checker.check_model(model)
        outputs = [put.name for put in model.graph.output]
        assert [name.rstrip("_") for name in outputs] == (["label", "counts"] if tree.schema.has_classes else ["number"])
        cells = [np.array(cells)[:, None] for cells in zip(*rows, strict=True)]
        given = dict(zip(names, [cells[0], cells[1] if bool_inputs else cells[1].astype(np.int64)], strict=True))
        found = onnxruntime.InferenceSession(model.SerializeToString()).run(outputs[:1], given)[0]
        np.testing.assert_allclose(found, predict(tree, rows))


def test_onnx_must_be_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match="onnx must be installed for to_onnx, got none"):
        to_onnx(chain(1))
