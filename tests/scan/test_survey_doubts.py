"""A table and its survey are in the same doubts, but for those that need rows; a survey warns once, at the user's line."""

import warnings
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree import Dataset
from ftree.scan import encode_to, survey

pa = pytest.importorskip("pyarrow")


def warned(make):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make()
    return caught


def in_parts(table, rows):
    return pa.Table.from_batches(table.to_batches(max_chunksize=rows), table.schema)


AGES = {"age": [*map(str, range(40)), "unknown"], "y": [0, *[1] * 40]}


def test_a_survey_warns_once_of_a_column_that_is_mostly_numbers_at_the_line_of_its_call():
    (caught,) = warned(lambda: survey(in_parts(pa.table(AGES), 7)))
    assert "Feature 'age' is nominal, but 40 of its 41 values are numbers, as 'unknown' is not" in str(caught.message)
    assert caught.filename == __file__
    assert not warned(lambda: survey(pa.table(AGES), kinds={"age": "nominal"}))


def test_a_table_that_is_encoded_is_surveyed_once(tmp_path):
    (caught,) = warned(lambda: encode_to(pa.table(AGES), tmp_path / "encoded"))
    assert caught.filename == __file__


DIGITS = st.integers(0, 9)


def some(n, cells):
    return st.lists(cells, min_size=n, max_size=n)


def columns(n):
    """Columns of n cells, most of them in doubt; null where a survey does not count them otherwise."""
    texts = DIGITS.map(str) | st.sampled_from(["unknown", "-", None])
    marks = st.integers(0, 3).map(lambda digit: digit or -999)
    notations = [DIGITS.map(form.format) for form in ("{},5", "{}%", "{}/2/2020", "2020-01-0{}")]
    numbers = [DIGITS, marks, marks | st.none(), marks.map(float), st.sampled_from([0.0, 1.5, -99.0, -1.0])]
    names = st.permutations([f"name {row}" for row in range(n)])
    return st.one_of(st.permutations(range(n)), names, some(n, texts), *map(partial(some, n), [*notations, *numbers]))


def targets(n):
    counted = [st.sampled_from(["a", "b"]), st.integers(0, 99), st.integers(0, 3), st.sampled_from([0.5, 1.5])]
    far_apart = st.permutations([1e13, *(1.0 + row / 2 for row in range(n - 1))])
    return st.one_of(st.permutations([f"id {row}" for row in range(n)]), far_apart, *map(partial(some, n), counted))


ROW_NAMES = st.sampled_from(["", "Unnamed: 0", "x"])


@given(st.data(), st.integers(1, 40), st.integers(1, 2), st.booleans())
def test_a_survey_is_in_the_doubts_of_its_table_and_has_its_features(data, n, n_columns, weighed):
    """A first column without a name is left out if its values are distinct."""
    names = [data.draw(ROW_NAMES), *(f"x{number}" for number in range(1, n_columns))]
    table = {name: data.draw(columns(n)) for name in names} | {"y": data.draw(targets(n))}
    options = {"target": "y", "weights": "w"} if weighed else {"target": "y"}
    weights = {"w": [*data.draw(some(n - 1, st.integers(0, 2))), 1]} if weighed else {}
    whole = pa.table(table | weights)
    parts, made = in_parts(whole, data.draw(st.integers(1, n))), []
    expected = [str(each.message) for each in warned(lambda: made.append(Dataset.from_frame(whole, **options)))]
    found = [str(each.message) for each in warned(lambda: made.append(survey(parts, **options)))]
    assert sorted(found) == sorted(text for text in expected if "by chance" not in text)
    assert made[0].schema.features == made[1].schema.features


def with_repeats(rows):
    return rows // 2


def with_a_repeat_between_parts(rows):
    return rows - (rows >= 1000)


@pytest.mark.parametrize(
    ("order", "left_out"),
    [(np.copy, 1), (np.flip, 1), (np.random.default_rng(0).permutation, 0), (with_repeats, 0), (with_a_repeat_between_parts, 0)],
)
def test_many_numbers_of_rows_are_known_as_such_if_they_are_distinct_and_rise_or_fall(order, left_out):
    table = pa.table({"": order(np.arange(9000)), "x": [0, 1, 2] * 3000, "y": [0, 1] * 4500})
    found = []
    assert len(warned(lambda: found.append(survey(in_parts(table, 1000))))) == left_out
    assert len(found[0].schema.features) == 2 - left_out


@pytest.mark.parametrize("n", [4096, 5000])
def test_of_many_numbers_a_survey_knows_the_lowest_ones_and_not_whether_they_number_the_rows(n):
    shuffled = np.random.default_rng(0).permutation(n)
    table = pa.table({"x": np.where(shuffled < 9, -999, shuffled), "row": shuffled, "y": [0, 1] * (n // 2)})
    codes, *rows = [str(each.message) for each in warned(lambda: survey(in_parts(table, 1000)))]
    assert "-999 is its only number below 0" in codes
    assert len(rows) == (n == 4096)
