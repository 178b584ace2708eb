"""The inferences about a table can be requested, and so can the values that a schema does not know."""

import copy
import pickle

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from ftree import Dataset, Feature, Schema, grow
from ftree.data import ColumnSummary, columns_of, require_known, unseen_values
from ftree.data.labelled import check_unseen

COLUMNS = {
    "sky": ["red", "?", None, "grey", "red"],
    "wind": np.ma.array([1.0, -999.0, np.nan, 4.0, 5.0], mask=[0, 0, 0, 1, 0]),
    "size": ["S", "L", "S", "L", "S"],
    "class": [0, 1, 1, 0, 1],
}


def weather():
    return Dataset.from_columns(COLUMNS, missing=["?", -999], kinds={"size": ("S", "M", "L")})


def test_the_summary_tells_kind_values_missing_examples_and_the_reason():
    assert weather().summary().columns == (
        ColumnSummary("sky", "nominal", 2, 2, ("red", "grey"), "text", (None, "?")),
        ColumnSummary("wind", "numeric", 2, 3, (1.0, 5.0), "numbers of type float64", (None, -999.0)),
        ColumnSummary("size", "ordinal", 2, 0, ("S", "L"), "given in its order"),
        ColumnSummary("class", "target", 2, 0, (0, 1), "the labels"),
    )
    assert weather().summary().n_rows == 5


def test_long_examples_are_cut_in_the_table():
    long = Dataset.from_rows([["x" * 100], ["y" * 100], ["z"], ["w"]], [0, 1, 2, 3]).summary()
    assert "'xxxxxxxxxxxxxxxx..., 'yyyyyyyyyyyyyyyy..., 'z', ..." in str(long)


def test_the_summary_is_of_the_rows_taken_and_the_origins_of_the_table_read():
    part = weather().take([0, 4])
    assert [(column.distinct, column.missing) for column in part.summary().columns] == [(1, 0), (2, 0), (1, 0), (2, 0)]
    pickled = pickle.loads(pickle.dumps(part))  # noqa: S301  # made here
    narrower = part.recoded(Schema(part.schema.features[1:], "y", (0, 1)))
    for other in (part, pickled, copy.deepcopy(part), narrower):
        assert {column.name: column for column in other.summary().columns}["wind"].missing_values == (None, -999.0)


def test_a_dataset_of_a_schema_says_so_and_equals_the_one_that_was_read():
    read = weather()
    made = Dataset(read.schema, read.columns, read.target_column)
    assert made == read
    assert {column.reason for column in made.summary().columns} == {"declared by the schema", "the labels"}


def test_what_counts_as_missing_in_a_file_is_told(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("age,sky,y\n1,NA,no\nn/a,red,yes\n?,?,yes\n")
    age, sky, _ = Dataset.read_csv(path).summary().columns
    assert (age.kind, age.missing_values, age.reason) == ("numeric", ("?", "n/a"), "numbers")
    assert (sky.missing_values, sky.examples) == (("?", "NA"), ("red",))


SCHEMA = Schema([Feature("sky", "nominal", ("sunny", "rainy")), Feature("wind", "numeric")], "play", ("no", "yes"))


def test_unseen_values_are_listed_by_feature():
    rows = [["Sunny", 1], ["rainy", 2], ["hail", None], [None, 3], ["?", 4], ["Sunny", 5]]
    assert unseen_values(SCHEMA, rows) == {"sky": ("Sunny", "hail")}
    assert unseen_values(SCHEMA, {"sky": "Sunny"}) == {"sky": ("Sunny",)}
    assert unseen_values(SCHEMA, ["sunny", "?"]) == {}
    assert unseen_values(SCHEMA, Dataset.from_rows(rows, [0] * 6, features=["sky", "wind"])) == {"sky": ("Sunny", "hail")}


def test_no_array_of_a_dataset_can_be_made_writable():
    numbers = np.array([1.0, 2.0, 3.0])
    dataset = Dataset.from_columns({"x": numbers, "s": ["a", "b", "a"], "class": [0, 1, 0]}, weights=[1, 2, 3])
    strided = Dataset.from_columns({"x": np.zeros((3, 2))[:, 0], "class": [0, 1, 0]})
    for each in (dataset, strided, dataset.take([0, 1]), pickle.loads(pickle.dumps(dataset)), dataset.shuffle(seed=0)):  # noqa: S301  # made here
        for array in (*each.columns, each.target_column, *(() if each.weights is None else [each.weights])):
            with pytest.raises(ValueError, match="cannot set WRITEABLE flag"):
                array.setflags(write=True)
            assert not isinstance(array.base, np.ndarray)
    assert np.shares_memory(dataset.columns[0], numbers)
    again = Dataset(dataset.schema, dataset.columns, dataset.target_column)
    assert again.columns[0] is dataset.columns[0]
    assert grow(dataset) == grow(again.take([0, 1, 1, 2, 2, 2]))


def test_rows_of_an_array_are_copied_and_those_to_predict_are_not_written():
    rows = np.array([[1.0, 2.0], [3.0, 4.0]])
    dataset = Dataset.from_rows(rows, [0, 1])
    columns_of(dataset.schema, rows)
    rows[:] = 0
    assert dataset.columns[0].tolist() == [1.0, 3.0]


def test_unseen_values_are_missing_or_refused_and_a_stream_cannot_be_read_twice():
    strange = [["Sunny", 1]]
    require_known(SCHEMA, [["sunny", 1], [None, None]])
    with pytest.raises(ValueError, match=r"'sky' must be among 'sunny', 'rainy', got 42.$"):
        require_known(SCHEMA, [[42, 1]])
    check_unseen(SCHEMA, strange, "missing")
    check_unseen(SCHEMA, [["sunny", 1]], "raise")
    with pytest.raises(ValueError, match=r"must be among 'sunny', 'rainy', got 'Sunny' \(did you mean 'sunny'\?\)"):
        check_unseen(SCHEMA, strange, "raise")
    stream = pa.table({"sky": ["sunny"], "wind": [1.0]}).to_reader()
    check_unseen(SCHEMA, stream, "missing")
    with pytest.raises(TypeError, match=r"^rows must be in memory if unseen is 'raise', got a RecordBatchReader\. Use rows\."):
        check_unseen(SCHEMA, stream, "raise")
    for wrong in ("Raise", None, True):
        with pytest.raises(ValueError, match=rf"^unseen must be one of 'rule', 'missing', 'raise', got {wrong!r}\.$"):
            check_unseen(SCHEMA, strange, wrong)


@given(st.integers(0, 2**32), st.sampled_from([2, 3]), st.booleans())
def test_gaps_that_go_with_the_class_are_named_and_others_hardly_ever(seed, n_classes, linked):
    draws = np.random.default_rng(seed)
    labels = draws.integers(n_classes, size=400)
    gaps = draws.random(400) < (np.where(labels == 0, 0.6, 0.2) if linked else 0.4)
    data = Dataset.from_columns({"x": np.where(gaps, np.nan, draws.random(400)), "full": labels / 2, "y": labels}, target="y")
    table = [np.bincount(labels[gaps == here], minlength=n_classes) for here in (0, 1)]
    p = chi2_contingency(table, correction=False).pvalue
    assert data.summary().columns[0].missing_by_class == (p < 0.001)
    remark = "Missing more often in some classes, which missing='as_branch' can use: 'x'."
    assert str(data.summary()).endswith(remark) == (p < 0.001)
    assert not linked or p < 0.001
    assert not data.summary().columns[1].missing_by_class
