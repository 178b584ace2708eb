"""Views of a table: columns as values, rows that fit, groups, ranges, and tables of other libraries."""

from datetime import UTC, date, datetime, time, timedelta

import numpy as np
import pytest

from ftree import Dataset, Feature, Schema
from ftree.criteria import conditional_entropy
from ftree.data import from_one_hot

# None is a value of a schema that is written by hand only.
NONE_AND_GAPS = Dataset(
    Schema([Feature("x", "nominal", (None, "a"))], "y", ("no", "yes")), [np.array([0, 1, -1])], np.array([0, 1, 0])
)


@pytest.fixture
def weather(shared):
    return Dataset.read_csv(shared / "data" / "weather.csv")


@pytest.fixture
def people():
    """Every kind of column, each with a missing value."""
    schema = Schema(
        [
            Feature("age", "numeric"),
            Feature("sky", "nominal", ("blue", "grey")),
            Feature("size", "ordinal", ("S", "M", "L")),
            Feature("well", "nominal", (False, True)),
        ],
        "ill",
        ("no", "yes"),
    )
    columns = [np.array([20.0, np.nan, 60.5]), np.array([0, 1, -1]), np.array([2, -1, 0]), np.array([-1, 1, 0])]
    return Dataset(schema, columns, np.array([0, 1, 1]))


def test_columns_are_arrays_of_values_and_rows_dicts_in_which_none_is_missing(people):
    np.testing.assert_array_equal(people["age"], [20.0, np.nan, 60.5])
    assert people["well"].tolist() == [None, True, False]
    assert people.rows()[1] == {"age": None, "sky": "grey", "size": None, "well": True, "ill": "yes"}
    assert Dataset.from_rows([[(1, 2)], [(3, 4)]], [0, 1])["x0"].tolist() == [(1, 2), (3, 4)]
    assert (people.head(2), people.head()) == (people.take([0, 1]), people)


def test_what_is_left_after_a_split_of_the_weather(weather):
    sunny = weather.where(outlook="Sunny")
    assert sunny.class_counts() == (3, 2)
    assert sunny.where(humidity="Normal").class_counts() == (0, 2)
    assert weather.where({"outlook": ("Overcast", "Rain"), "class": "yes"}).class_counts() == (0, 7)


@pytest.mark.parametrize(
    ("conditions", "rows"),
    [
        ({}, [0, 1, 2]),
        ({"age": 20}, [0]),
        ({"age": (20, 60.5)}, [0, 2]),
        ({"age": None}, [1]),
        ({"age": lambda age: age > 20}, [2]),
        ({"sky": None}, [2]),
        ({"sky": ["blue", None]}, [0, 2]),
        ({"sky": lambda sky: sky.startswith("g")}, [1]),
        ({"size": {"S", "L"}}, [0, 2]),
        ({"well": True}, [1]),
        ({"ill": "yes", "well": False}, [2]),
        ({"sky": "blue", "ill": "yes"}, []),
        ({"sky": ()}, []),
    ],
)
def test_where_takes_values_several_of_them_functions_and_none(people, conditions, rows):
    assert people.where(conditions) == people.take(rows)


def test_none_that_is_a_value_is_looked_for_as_one():
    schema = Schema([Feature("sky", "nominal", (None, "grey"))], "y", ("a", "b"))
    data = Dataset(schema, [[0, 1, -1]], [0, 1, 0])
    assert data.where(sky=None) == data.take([0])
    assert data.where(sky=[None, "grey"]) == data.take([0, 1])


def test_a_number_is_looked_for_in_the_type_of_its_column():
    data = Dataset.from_columns({"x": np.array([0.1, 0.2], np.float32), "class": [0, 1]})
    assert data.where(x=0.1) == data.take([0])


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda people: people.where(sky="Blue"), ValueError, "Values of 'sky' must be among 'blue', 'grey', got 'Blue'"),
        (lambda people: people.where(sky={}), ValueError, r"Values of 'sky' must be among 'blue', 'grey', got \{\}"),
        (lambda people: people.where(age="old"), ValueError, "Values of 'age' must be numbers, got 'old'"),
        *(
            (lambda people, given=given: people.where(given), TypeError, "conditions must be a mapping by columns' names, got")
            for given in ("age > 20", np.array([True, False, True]), str.lower)
        ),
        (list, KeyError, r"must be one of 'age', .*, got 0. For rows, use rows\(\) or take\(\)"),
        (lambda people: people.group_by("age"), ValueError, "got 'age', which is numeric. Divide it by binned first"),
        (lambda _: NONE_AND_GAPS.group_by("x"), ValueError, "both missing cells and None as a value, got 'x'"),
        (lambda people: people.binned("size", cuts=[1]), ValueError, "divide must hold numbers, got 'size', which is ordinal"),
        (lambda people: people.binned("weight", cuts=[1]), KeyError, "got 'weight'"),
        *(
            (lambda people, cuts=cuts: people.binned("age", cuts=cuts), ValueError, r"increasing order, such as \(15, 25\), got")
            for cuts in ((), 15, (25, 15), (15, 15), ("15",), (float("nan"),))
        ),
        *(
            (lambda people, labels=labels: people.binned("age", cuts=[30], labels=labels), ValueError, "2 distinct values, one")
            for labels in (("low",), "ab", ("low", "low"))
        ),
        *((lambda people, n=n: people.head(n), ValueError, "n must be a whole number from 0, got") for n in (-1, 1.5, "2")),
        (lambda _: from_one_hot({1: [1, 0], "1": [0, 1]}), ValueError, "distinct names, got '1' twice"),
        *((lambda _, given=given: from_one_hot(given), TypeError, "must be a mapping of names") for given in ({}, [[1, 0]])),
    ],
)
def test_what_a_table_has_not_is_refused(people, ask, error, message):
    with pytest.raises(error, match=message):
        ask(people)


def test_groups_are_the_rows_of_each_value(weather, people):
    groups = weather.group_by("outlook")
    assert {value: group.class_counts() for value, group in groups.items()} == weather.counts_by("outlook")
    assert people.group_by("sky") == {value: people.where(sky=value) for value in ("blue", "grey", None)}
    assert list(people.group_by("ill")) == ["no", "yes"]
    assert people.take([]).group_by("sky") == {}


def test_the_conditional_entropy_of_the_weather_is_that_of_the_textbooks(weather):
    bits = conditional_entropy(list(weather.counts_by("outlook").values()))
    assert round(float(bits), 3) == 0.694


def test_a_feature_of_numbers_is_divided_into_an_ordinal_one(people):
    divided = people.binned("age", cuts=(20, 50), labels=("young", "grown", "old"))
    assert divided.schema.features[0] == Feature("age", "ordinal", ("young", "grown", "old"))
    assert divided["age"].tolist() == ["young", None, "old"]
    assert divided.columns[1:] == people.columns[1:]
    data = Dataset.from_rows([[1], [None], [3]], [0, 1, 1], kinds="nominal").binned("x0", cuts=[2])
    assert data["x0"].tolist() == ["<= 2", None, "> 2"]


def test_one_hot_features_become_one_where_the_first_stood_and_labels_the_target():
    data = Dataset.from_columns({"x": [1, 2], "a": ["1", "0"], "y": [3, 4], "b": [False, True], "class": [0, 1]})
    joined = data.join_one_hot(["a", "b"], into="letter")
    assert [feature.name for feature in joined.schema.features] == ["x", "letter", "y"]
    assert joined["letter"].tolist() == from_one_hot({"a": np.array([1.0, 0.0]), "b": ["FALSE", " True"]}) == ["a", "b"]
    assert [origin.name for origin in joined.origins] == ["x", "y"]
    data = Dataset.from_columns({"a": ["yes", "no"], "x": [1, 2], "b": [0, 1]}, target="b")
    joined = data.join_one_hot(["a", "b"], into="letter")
    assert joined == Dataset.from_columns({"x": [1, 2], "letter": ["a", "b"]}, target="letter")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"a": [1, 1], "b": [0, 1]}, r"Exactly one of 'a', 'b' must be true in each row, got 2 in row 1\."),
        ({"a": [1, 0], "b": [0, 0]}, r"Exactly one of 'a', 'b' must be true in each row, got 0 in row 1\."),
        ({"a": [1, 2]}, r"Values of the one-hot column 'a' must be true or false, got 2 in row 1\."),
        ({"a": ["1", "perhaps"]}, r"Values of the one-hot column 'a' must be true or false, got 'perhaps' in row 1\."),
        ({"a": [1, None]}, r"Values of the one-hot column 'a' must be true or false, got None in row 1\."),
        ({"a": [1, 0], "b": [0]}, r"One-hot columns must be equally long, got lengths \[2, 1\]\."),
    ],
)
def test_columns_that_are_not_one_hot_are_refused(columns, message):
    with pytest.raises(ValueError, match=message):
        from_one_hot(columns)


TIMES = {
    "day": [date(2020, 2, 29), None, date(2020, 3, 1)],
    "at": [datetime(2020, 1, 1, 12, 30), None, datetime(2020, 1, 2)],  # noqa: DTZ001  # without a time zone on purpose
    "utc": [datetime(2020, 1, 1, 12, tzinfo=UTC), None, datetime(2020, 1, 2, tzinfo=UTC)],
    "long": [timedelta(hours=1), None, timedelta(hours=2)],
    "clock": [time(12, 30), None, time(3)],
    "class": ["no", "yes", "yes"],
}


def test_a_table_is_the_same_after_a_way_through_other_libraries_and_times_are_times(people):
    data = Dataset.from_columns(TIMES)
    assert {name: data[name].tolist() for name in TIMES} == TIMES
    for each in (people, data):
        for table in (each.to_pandas(), each.to_polars(), each.to_arrow()):
            assert Dataset.from_frame(table) == each
    assert "<td>2020-02-29</td>" in data._repr_html_()
    assert len(data.where(day=lambda day: day.month == 3)) == len(data.where(clock=time(3))) == 1


def test_weights_are_the_last_column_of_every_library(people):
    pytest.importorskip("pyarrow")
    weighted = Dataset(people.schema, people.columns, people.target_column, [1, 2, 3])
    for to in (Dataset.to_pandas, Dataset.to_polars, Dataset.to_arrow):
        names = [*(feature.name for feature in people.schema.features), people.schema.target]
        assert list(getattr(to(people), "column_names", None) or to(people).columns) == names
        assert list(getattr(to(weighted), "column_names", None) or to(weighted).columns) == [*names, "weights"]
        assert list(map(float, to(weighted)["weights"].to_numpy())) == [1, 2, 3]
    clash = Dataset.from_columns({"weights": [1, 2], "class": [0, 1]}, weights=[1, 2])
    with pytest.raises(ValueError, match="must not have a column 'weights'"):
        clash.to_arrow()


def test_a_notebook_shows_the_first_rows_escaped_and_few_columns_of_a_wide_table():
    data = Dataset.from_columns({"<b>": ["&", "?"] * 4, "age": [1.5] * 8, "class": ["no", "yes"] * 4})
    page = data._repr_html_()
    assert page.startswith("<table><caption>Dataset of 8 rows: &lt;b&gt; nominal(1)")
    assert "<th>&lt;b&gt;</th><th>age</th><th>class</th>" in page
    assert "<td>&amp;</td><td>1.5</td><td>no</td>" in page
    assert page.count("<tr>") == 6
    widest, wider = (Dataset.from_rows([[1] * n], ["no"])._repr_html_() for n in (11, 12))
    assert "<th>x9</th><th>x10</th><th>class</th>" in widest
    assert "<th>x9</th><th>...</th><th>class</th>" in wider
    data = Dataset.from_rows([[1] * 100, [2] * 100], ["no", "yes"])
    page = data._repr_html_()
    assert (page.count("<th>"), page.count("<td>...</td>")) == (12, 2)
    assert "<th>x8</th><th>x9</th><th>...</th><th>class</th>" in page
    assert len(repr(data)) < 1000
