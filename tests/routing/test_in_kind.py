"""Any table is accepted as rows, and the result has its form."""

from datetime import UTC, date, datetime, timedelta
from functools import partial

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ftree as ft
from ftree import prune
from ftree.data.coding import decode
from ftree.linear import perceptron
from ftree.neighbors import knn
from ftree.testing import datasets, trees
from ftree.tree import Multiway, Threshold, preorder, subtree_at, walk

SCHEMA = ft.Schema([ft.Feature("sky", "nominal", ("blue", "grey")), ft.Feature("wind", "numeric")], "ride", ("no", "yes"))
CALM = ft.Branch((1, 2), Threshold(1, 3.0), (ft.Leaf((0, 2)), ft.Leaf((1, 0))))
TREE = ft.Tree(SCHEMA, ft.Branch((3, 2), Multiway(0, (0, 1)), (CALM, ft.Leaf((2, 0)))))
# Other columns and another order than the schema's; the last row has a missing sky.
COLUMNS = {
    "id": [7, 8, 9, 10],
    "wind": [2.0, 2.5, 4.5, 1.0],
    "ride": ["no", "yes", "no", "yes"],
    "sky": ["grey", "blue", "blue", None],
}
ROWS = [["grey", 2.0], ["blue", 2.5], ["blue", 4.5], [None, 1.0]]
LABELS = ["no", "yes", "no", "no"]

FRAMES = {
    "pandas": lambda: pd.DataFrame(COLUMNS, index=[3, 1, 4, 2]),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "polars lazy": lambda: pl.LazyFrame(COLUMNS),
    "arrow": lambda: pa.table(COLUMNS),
    "arrow batch": lambda: pa.table(COLUMNS).to_batches()[0],
    "arrow stream": lambda: pa.table(COLUMNS).to_reader(),
    "duckdb": lambda: duckdb.from_arrow(pa.table(COLUMNS)),
}
ANSWERS = {"pandas": pd.Series, "polars": pl.Series, "polars lazy": pl.Series}


def listed(answer):
    return answer.to_pylist() if isinstance(answer, pa.ChunkedArray) else list(answer)


def width(table):
    """Columns of a frame of any library by name, as lists."""
    return table.to_pydict() if isinstance(table, pa.Table) else {name: list(table[name]) for name in table.columns}


@pytest.mark.parametrize("form", FRAMES)
def test_a_frame_is_matched_by_name_and_answered_by_a_series(form):
    answer = ft.predict(TREE, FRAMES[form]())
    assert isinstance(answer, ANSWERS.get(form, pa.ChunkedArray))
    assert listed(answer) == LABELS
    numbers = ft.apply(TREE, FRAMES[form]())
    assert isinstance(numbers, ANSWERS.get(form, pa.ChunkedArray))
    assert listed(numbers) == [2, 0, 1, 0]
    if form == "pandas":
        assert (answer.name, list(answer.index), numbers.name) == ("ride", [3, 1, 4, 2], "leaf")


@pytest.mark.parametrize("form", FRAMES)
def test_probabilities_of_a_frame_are_a_frame_with_a_column_for_each_class(form):
    shares, counts = ft.predict_proba(TREE, FRAMES[form]()), ft.predict_counts(TREE, FRAMES[form]())
    assert list(width(shares)) == list(width(counts)) == ["no", "yes"]
    assert np.allclose(np.transpose(list(width(shares).values())), ft.predict_proba(TREE, ROWS))
    assert np.array_equal(np.transpose(list(width(counts).values())), ft.predict_counts(TREE, ROWS))


def test_other_forms_are_answered_by_lists_and_arrays():
    named = np.array([(1.0, "blue"), (4.0, "blue")], dtype=[("wind", float), ("sky", "U4")])
    data = ft.Dataset.from_columns(COLUMNS, target="ride")
    for rows, expected in ((data, LABELS), (named, ["yes", "no"]), ({name: COLUMNS[name] for name in ("sky", "wind")}, LABELS)):
        answer = ft.predict(TREE, rows)
        assert isinstance(answer, np.ndarray)
        assert answer.tolist() == expected
    assert ft.predict(TREE, np.array([["blue", 2.0]], dtype=object)).tolist() == ["yes"]
    assert ft.predict(TREE, ROWS) == LABELS
    assert ft.predict(TREE, [dict(zip(("sky", "wind"), row, strict=True)) for row in ROWS]) == LABELS
    assert ft.predict(TREE, {"sky": pa.array(["blue"]), "wind": pl.Series([9])}).tolist() == ["no"]


def test_one_row_of_a_table_is_one_row_and_has_one_answer():
    frame = pd.DataFrame(COLUMNS)
    named = np.array([(1.0, "blue", 3)], dtype=[("wind", float), ("sky", "U4"), ("id", int)])
    for row in (frame.iloc[1], named[0], named[0:1].reshape(())):
        assert ft.predict(TREE, row) == "yes"
        assert ft.leaf_of(TREE, row) == ft.Leaf((0, 2))
        assert ft.path_of(TREE, row).path == (0, 0)
        assert ft.apply(TREE, row) == 0
    assert ft.predict(TREE, [frame.iloc[1], frame.iloc[2]]) == ["yes", "no"]
    assert ft.predict_counts(TREE, frame.iloc[0]).tolist() == [2.0, 0.0]
    with pytest.raises(KeyError, match="a column 'sky', got the columns 'id', 'wind', 'ride'"):
        ft.predict(TREE, frame.drop(columns="sky").iloc[0])


@pytest.mark.parametrize(
    ("classes", "kind"), [((False, True), "b"), ((1, 2), "i"), ((0.5, 1.5), "f"), (("a", "b"), "O"), ((1, "1"), "O")], ids=repr
)
def test_an_array_of_labels_has_their_type_where_they_have_one(classes, kind):
    tree = ft.Tree(
        ft.Schema([ft.Feature("x", "numeric")], "y", classes),
        ft.Branch((1, 1), Threshold(0, 0.5), (ft.Leaf((1, 0)), ft.Leaf((0, 1)))),
    )
    answer = ft.predict(tree, np.array([[0.0], [1.0]]))
    assert (answer.dtype.kind, answer.tolist()) == (kind, list(classes))
    frame = ft.predict(tree, pl.DataFrame({"x": [0.0, 1.0]}))
    assert list(frame) == list(classes)
    assert isinstance(ft.predict_proba(tree, pl.DataFrame({"x": [0.0]})), np.ndarray if classes == (1, "1") else pl.DataFrame)


def test_a_frame_takes_part_wherever_a_labelled_dataset_does():
    data, frame = ft.Dataset.from_columns(COLUMNS, target="ride"), pl.DataFrame(COLUMNS)
    records = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]
    for table in (frame, COLUMNS, records):
        assert ft.accuracy(TREE, table) == ft.accuracy(TREE, data) == 0.75
        assert ft.confusion(TREE, table) == ft.confusion(TREE, data)
        assert ft.recount(TREE, table) == ft.recount(TREE, data)
        assert prune.reduced_error(table)(TREE) == prune.reduced_error(data)(TREE)
        assert prune.measured([TREE], table) == prune.measured([TREE], data)
        assert prune.mdl(values=table)(TREE) == prune.mdl(values=data)(TREE)
        assert ft.mean_cost(TREE, table, costs=[[0, 1], [5, 0]]) == ft.mean_cost(TREE, data, costs=[[0, 1], [5, 0]])
    own = ft.recount(TREE, data)
    assert prune.error_based(raise_with=frame)(own) == prune.error_based(raise_with=data)(own)
    strange = frame.with_columns(ride=pl.Series(["no", "maybe", "no", "no"]))
    assert ft.accuracy(TREE, strange) == 0.75
    assert ft.confusion(TREE, strange).classes == ("no", "yes", "maybe")
    with pytest.raises(TypeError, match="dataset must be a Dataset, got a list"):
        ft.accuracy(TREE, ROWS)
    with pytest.raises(TypeError, match="pruning_set must be a Dataset, got a list"):
        prune.reduced_error(ROWS)
    with pytest.raises(KeyError, match="a column 'ride', got"):
        ft.accuracy(TREE, frame.drop("ride"))


def test_neighbours_and_planes_take_frames_and_answer_in_their_form():
    data = ft.Dataset.from_columns({"x": [-9.0, 9.0], "y": [1, 2]}, target="y")
    frame = pd.DataFrame({"y": [0, 0], "x": [8.0, -1.0]}, index=["a", "b"])
    for classifier in (knn(data), perceptron(data)):
        assert classifier(frame).to_dict() == {"a": 2, "b": 1}
        assert classifier([[8.0], [-1.0]]) == [2, 1]
        assert classifier(np.array([[8.0]])).tolist() == [2]
        assert classifier([8.0]) == classifier({"x": 8}) == 2
        assert classifier([]) == []
    assert perceptron(data).scores([8.0]).shape == (2,)


def cells(feature):
    if feature.kind == "numeric":
        return st.integers(-1, 9).map(lambda n: n / 2) | st.none()
    return st.sampled_from(feature.values) | st.sampled_from([None, "unheard of"])


@given(trees(max_leaves=10), st.data(), st.sampled_from(["heaviest", "stop"]))
def test_each_row_has_the_number_of_the_leaf_that_its_path_leads_to(tree, data, missing):
    rows = data.draw(st.lists(st.tuples(*map(cells, tree.schema.features)), max_size=6))
    paths = [path for path, node in walk(tree) if isinstance(node, ft.Leaf)]
    numbers = ft.apply(tree, rows, missing=missing)
    for number, row in zip(numbers, rows, strict=True):
        route = ft.path_of(tree, row, missing=missing)
        assert number == (paths.index(route.path) if isinstance(route.node, ft.Leaf) else -1)
    assert len(paths) == len(list(ft.leaves(tree)))


def test_a_rule_that_follows_several_routes_names_no_leaf():
    for rows in (ROWS, ROWS[:1], []):  # also where every row has an answer
        with pytest.raises(ValueError, match="missing must be a rule that follows one route"):
            ft.apply(TREE, rows, missing="weighted")
    assert ft.apply(TREE, ROWS, missing="stop") == [2, 0, 1, -1]
    with pytest.raises(ValueError, match="Values of 'sky' must be among 'blue', 'grey', got 'Blue'"):
        ft.apply(TREE, [["Blue", 1.0]], unseen="raise")


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda frame: frame.drop("sky"), KeyError, "a column 'sky', got the columns 'id', 'wind', 'ride'"),
        (lambda frame: frame.rename({"sky": "Sky"}), KeyError, "a column 'sky', got .* Did you mean 'Sky'"),
        (lambda frame: frame.with_columns(wind=pl.lit("strong")), ValueError, "'wind' must be numbers, got 'strong' in row 0"),
        (
            lambda frame: frame.with_columns(sky=pl.lit(1)),
            ValueError,
            "Values of 'sky' must be text, such as 'blue', got numbers",
        ),
        (lambda frame: frame.with_columns(wind=pl.lit(date(2020, 1, 1))), ValueError, "'wind' must be numbers, got .* in row 0"),
        (lambda frame: frame.with_columns(sky=pl.lit(date(2020, 1, 1))), ValueError, "must be text, such as 'blue', got dates"),
        (lambda frame: frame.with_columns(wind=pl.lit(float("inf"))), ValueError, "'wind' must be finite, got inf in row 0"),
        (lambda frame: frame.with_columns(wind=pl.lit([1.0])), ValueError, "'wind' must be numbers"),
        (
            lambda frame: frame.with_columns(sky=pl.struct("wind")),
            ValueError,
            "'sky' must be text, such as 'blue', got other values",
        ),
    ],
    ids=["missing", "renamed", "text", "numbers", "a time", "dates", "infinite", "nested", "struct"],
)
def test_a_frame_that_does_not_fit_the_tree_is_refused(change, error, message):
    with pytest.raises(error, match=message):
        ft.predict(TREE, change(pl.DataFrame(COLUMNS)))


def test_a_frame_without_rows_has_no_answers():
    assert list(ft.predict(TREE, pd.DataFrame(COLUMNS)[:0])) == []
    assert ft.predict(TREE, pl.DataFrame(COLUMNS)[:0]).len() == 0
    assert ft.predict_proba(TREE, pa.table(COLUMNS)[:0]).num_rows == 0
    untyped = pd.DataFrame({name: np.zeros(0) for name in COLUMNS})
    assert list(ft.predict(TREE, untyped)) == []


def test_a_stream_is_read_once():
    with pytest.raises(
        TypeError, match=r"rows must be in memory if unseen is 'raise', got a RecordBatchReader. Use rows.read_all"
    ):
        ft.predict(TREE, FRAMES["arrow stream"](), unseen="raise")
    assert ft.accuracy(TREE, FRAMES["arrow stream"](), unseen="raise") == 0.75
    with pytest.raises(ValueError, match="Values of 'sky' must be among 'blue', 'grey', got 'Blue'"):
        ft.accuracy(TREE, {"sky": ["Blue"], "wind": [1.0], "ride": ["no"]}, unseen="raise")


def test_dates_are_given_as_dates_or_seconds_and_not_as_other_times():
    born = [date(2000, 1, 1), date(2001, 1, 1), date(2010, 1, 1)]
    tree = ft.grow(ft.Dataset.from_columns({"born": born, "class": ["old", "old", "young"]}))
    assert subtree_at(tree, (0,)).schema.features[0] == ft.Feature("born", "numeric", time="date")
    asked = [date(1999, 1, 1), datetime(2011, 1, 1, 12)]  # noqa: DTZ001  # without a time zone on purpose
    for rows in (pd.DataFrame({"born": pd.to_datetime(asked)}), pl.DataFrame({"born": [*asked[:1], date(2011, 1, 1)]})):
        assert list(ft.predict(tree, rows)) == ["old", "young"]
    assert ft.predict(tree, [[each] for each in asked]) == ["old", "young"]
    assert ft.predict(tree, ["2011-01-01"]) == ft.predict(tree, [asked[1]]) == "young"
    assert list(ft.predict(tree, pl.DataFrame({"born": [None]}))) == ["old"]
    assert ft.predict(tree, [1293840000]) == "young"
    for wrong in (datetime(2011, 1, 1, tzinfo=UTC), timedelta(1), "2011-01-01 00:00Z"):
        with pytest.raises(ValueError, match="Values of 'born' must be dates, such as '2020-02-29', got"):
            ft.predict(tree, [wrong])
    with pytest.raises(ValueError, match="Values of 'wind' must be numbers, got"):
        ft.accuracy(TREE, {"sky": ["blue"], "wind": [date(2020, 1, 1)], "ride": ["no"]})
    assert list(ft.predict(tree, ft.Dataset.from_columns({"born": [1.0], "class": ["old"]}))) == ["old"]
    durations = ft.Dataset.from_columns({"born": [timedelta(1)], "class": ["old"]})
    with pytest.raises(ValueError, match=r"'born' of the dataset must be dates, .*, got durations"):
        ft.predict(tree, durations)


@given(trees(), st.data())
def test_columns_that_no_split_asks_are_not_needed(tree, data):
    asked = {feature for node in preorder(tree) if isinstance(node, ft.Branch) for feature in node.split.features}
    dataset = data.draw(datasets(schema=tree.schema, missing=True, min_rows=1))
    values = {
        feature.name: decode(feature, column) for feature, column in zip(tree.schema.features, dataset.columns, strict=True)
    }
    kept = {tree.schema.features[number].name: values[tree.schema.features[number].name] for number in sorted(asked)}
    kept = kept or {"another column": [0] * len(dataset)}
    some = dataset.keep_columns([*kept]) if asked else dataset
    for answer in (ft.predict, partial(ft.predict, unseen="raise"), ft.predict_counts, ft.apply):
        wanted, *found = (
            np.asarray(answer(tree, rows)).tolist() for rows in (values, kept, pl.DataFrame(kept, strict=False), some)
        )
        assert found == [wanted] * 3
    if asked:
        lacking = tree.schema.features[min(asked)].name
        with pytest.raises(KeyError, match=f"column '{lacking}'"):
            ft.predict(
                tree, {"another column": [0] * len(dataset), **{name: cells for name, cells in kept.items() if name != lacking}}
            )
