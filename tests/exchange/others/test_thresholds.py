"""Trees of any kind as thresholds: they predict the same, and dtreeviz and supertree draw them."""

import shutil
import sys
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from skipped_examples import run_example

from ftree import Branch, Dataset, Feature, Leaf, Schema, Tree, datasets, grow, n_leaves, predict
from ftree.exchange import to_dtreeviz, to_supertree, to_thresholds
from ftree.testing import export_rows, trees
from ftree.tree import Multiway, Surrogate, Threshold, WithSurrogates, preorder

WEATHER = grow(datasets.weather())


def dataset_of(tree, rows):
    """The rows in the tree's own codes, all of the first class."""
    columns = []
    for feature, cells in zip(tree.schema.features, zip(*rows, strict=True), strict=True):
        codes = {value: code for code, value in enumerate(feature.values)}
        is_number = feature.kind == "numeric"
        columns.append(
            np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)
            if is_number
            else np.array([codes.get(cell, -1) for cell in cells])
        )
    return Dataset(tree.schema, columns, np.zeros(len(rows), dtype=np.int64))


def check_same_answers(tree, dataset):
    lowered, table = to_thresholds(tree, dataset)
    assert predict(lowered, table, missing="heaviest").tolist() == predict(tree, dataset, missing="heaviest").tolist()
    assert all(isinstance(node, Leaf) or node.split.n_children == 2 for node in preorder(lowered.root))
    assert {feature.kind for feature in table.schema.features} <= {"numeric"}
    return lowered, table


def test_every_split_type_becomes_thresholds(mixed_tree):
    lowered, table = check_same_answers(mixed_tree, dataset_of(mixed_tree, export_rows(mixed_tree, n=2000)))
    assert n_leaves(lowered) == n_leaves(mixed_tree)
    assert [feature.name for feature in table.schema.features][:2] == ["x", "y"]


@given(trees(max_leaves=8))
def test_any_tree_becomes_thresholds(tree):
    check_same_answers(tree, dataset_of(tree, export_rows(tree, n=50)))


def test_an_empty_leaf_keeps_the_label_of_the_branch_above():
    schema = Schema([Feature("sky", "nominal", tuple("abcd"))], "ride", ("no", "yes"))
    tree = Tree(schema, Branch((8, 5), Multiway(0, range(4)), [Leaf((4, 0)), Leaf((4, 0)), Leaf((0, 0)), Leaf((0, 5))]))
    lowered, _ = check_same_answers(tree, dataset_of(tree, [["c"], ["d"], ["a"], [None]]))
    assert lowered.root.counts == (8, 5)


def test_questions_of_one_text_with_other_answers_have_columns_of_their_own():
    schema = Schema([Feature("x", "numeric"), Feature("y", "numeric")], "x <= 0", ("no", "yes"))
    ends = Leaf((2, 0)), Leaf((0, 3))
    first, second = (WithSurrogates(Threshold(0, 0), [Surrogate(Threshold(1, at), reversed=False)]) for at in (1, 2))
    tree = Tree(schema, Branch((4, 3), first, (Leaf((2, 0)), Branch((2, 3), second, ends))))
    rows = [[None, 1.5], [1.0, 0.0], [-1.0, 0.0], [None, 0.5], [None, 3.0]]
    _, table = check_same_answers(tree, dataset_of(tree, rows))
    names = [feature.name for feature in table.schema.features]
    assert names[:2] == ["x", "y"]
    assert len(set(names)) == len(names) == 4


# Viewers ----------------------------------------------------------------------------------------------------------


@pytest.mark.consumer
def test_dtreeviz_draws_a_tree_of_many_ways(needed_module, needed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    needed_module("dtreeviz")
    needed(shutil.which("dot"), "graphviz")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = to_dtreeviz(WEATHER, datasets.weather())
        run_example(to_dtreeviz)
    theirs = model.shadow_tree.leaves
    assert len(theirs) == n_leaves(WEATHER)
    assert [sum(leaf.n_sample_classes()) for leaf in theirs] == [len(leaf.samples()) for leaf in theirs]
    assert {node.feature_name() for node in model.shadow_tree.internal} > {"outlook = overcast", "windy = True"}
    assert "</svg>" in (tmp_path / "tree.svg").read_text()


@pytest.mark.consumer
def test_supertree_shows_a_tree_of_many_ways(needed_module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    needed_module("supertree")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run_example(to_supertree)
    page = (tmp_path / "tree.html").read_text(encoding="utf-8")
    assert all(text in page for text in ("outlook = overcast", "windy = True", "yes"))


@pytest.mark.parametrize(
    ("draw", "library"), [(to_dtreeviz, "dtreeviz"), (to_supertree, "supertree")], ids=["dtreeviz", "supertree"]
)
def test_without_the_library_the_error_names_the_extra(draw, library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=rf"{library} must be installed for {draw.__name__}\. Run .*'ftrees\[viewers\]'"):
        draw(WEATHER, datasets.weather())


@pytest.mark.parametrize(
    ("draw", "library", "made"), [(to_dtreeviz, "dtreeviz", "model"), (to_supertree, "supertree", "SuperTree")]
)
def test_a_library_gets_a_fitted_classifier_its_table_and_names(draw, library, made, monkeypatch):
    """A stand-in gets the library's arguments if the library is not installed."""
    given_to_it = []
    stand_in = SimpleNamespace(**{made: lambda *args, **named: given_to_it.append((*args, *named.values()))})
    monkeypatch.setitem(sys.modules, library, stand_in)
    draw(WEATHER, datasets.weather())
    model, rows, labels, *others = given_to_it[0]
    assert model.predict(rows.astype(np.float32)).tolist() == labels.tolist()
    assert ["no", "yes"] in others
    assert any(names[0] == "outlook = overcast" for names in others)


@pytest.mark.parametrize("draw", [to_dtreeviz, to_supertree])
def test_a_tree_of_one_leaf_is_refused(draw):
    with pytest.raises(ValueError, match="tree must have a split to be drawn by another program, got a single leaf"):
        draw(Tree(WEATHER.schema, Leaf((5, 9))), datasets.weather())


def test_rows_that_miss_a_number_are_left_out_of_pictures(monkeypatch):
    stand_in = SimpleNamespace(SuperTree=lambda model, rows, labels, *named: (rows, labels))  # noqa: ARG005  # the arguments under test
    monkeypatch.setitem(sys.modules, "supertree", stand_in)
    table = Dataset.from_rows([[0.0], [None], [2.0]], ["no", "no", "yes"])
    rows, labels = to_supertree(grow(table), table)
    assert (rows.tolist(), labels.tolist()) == ([[0.0], [2.0]], [0, 1])


def test_names_cannot_begin_a_tag_in_a_page_that_takes_them_as_they_are(monkeypatch):
    stand_in = SimpleNamespace(SuperTree=lambda model, rows, labels, *named: named)  # noqa: ARG005  # what it is given
    monkeypatch.setitem(sys.modules, "supertree", stand_in)
    values = ["</script><script>alert(1)</script>", "<b>"]
    table = Dataset.from_rows([[value] for value in values], values, features=["x<y"])
    columns, labels = to_supertree(grow(table), table)
    assert labels == ["\u2039/script>\u2039script>alert(1)\u2039/script>", "\u2039b>"]
    assert columns == ["x\u2039y = \u2039b>"]
    table = Dataset.from_rows([["small", 1.0], ["large", 2.0]], ["a", "b"], features=["size", "x <= y"])
    assert to_supertree(grow(table), table)[0][0] == "x <= y"


@pytest.mark.parametrize("draw", [to_dtreeviz, to_supertree])
def test_a_table_whose_rows_all_miss_a_number_is_refused(draw):
    table = Dataset.from_rows([[0.0], [2.0]], ["no", "yes"])
    gaps = Dataset.from_rows([[None], [None]], ["no", "yes"], kinds="numeric")
    with pytest.raises(ValueError, match=r"dataset must have a row with all numbers that tree tests, got none in 2\."):
        draw(grow(table), gaps)


@pytest.mark.parametrize(
    ("draw", "library", "made", "shown"),
    [(to_dtreeviz, "dtreeviz", "model", "\\$5 \ufffd"), (to_supertree, "supertree", "SuperTree", "$5 \ufffd")],
)
def test_names_that_cannot_be_shown_as_they_are_reach_no_library(draw, library, made, shown, monkeypatch):
    stand_in = SimpleNamespace(**{made: lambda *args, **named: (*args, *named.values())})
    monkeypatch.setitem(sys.modules, library, stand_in)
    table = Dataset.from_rows([[0.0], [2.0]], ["$5\n\ud800", "yes"], features=["$5\n\ud800"])
    given_to_it = [each for each in draw(grow(table), table) if isinstance(each, list)]
    assert [shown] in given_to_it
    assert [shown, "yes"] in given_to_it
