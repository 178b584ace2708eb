"""Raw values to columns of numbers and back: nothing is lost, and equal values are one value."""

from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree import Feature
from ftree.data.coding import decode, encode, require_finite
from ftree.data.kinds import column_kind
from ftree.data.targets import classes_of
from ftree.data.values import as_column, is_number, missing_among, python_values

NOTHING = missing_among(())
NAN, INF = float("nan"), float("inf")


class NAType:
    """Like pandas' NA: hashable, and equal to nothing."""


def feature_of(*column):
    return column_kind(*column).feature


def kind(values, wanted=None):
    return feature_of("x", values, wanted, NOTHING).kind


def values_of(values, wanted=None, missing=()):
    return feature_of("x", values, wanted, missing_among(missing)).values


@pytest.mark.parametrize(
    "value",
    [None, NAN, np.float32("nan"), Decimal("nan"), np.datetime64("NaT", "D"), NAType()],
    ids=lambda value: type(value).__name__,
)
def test_what_stands_for_nothing_is_always_missing(value):
    assert NOTHING(value)


def test_only_what_is_listed_is_missing_besides():
    assert [missing_among(["?", -1])(value) for value in ("?", -1, -1.0, "", 0, False)] == [True, True, True, False, False, False]


ANYTHING = st.sampled_from(
    [None, NAN, Decimal("nan"), np.float64("nan"), "?", "a", -1, -1.0, True, 1, 0.5, np.str_("?"), Fraction(1, 2)]
)


@given(st.sets(ANYTHING), st.sampled_from([(), ["?", -1], [1], [0.5, "a"], [None]]))
def test_many_values_are_asked_at_once_as_one_by_one(values, listed):
    is_missing = missing_among(listed)
    assert set(map(id, values - is_missing.among(values))) == {id(value) for value in values if not is_missing(value)}


def test_values_are_in_their_own_order_whatever_the_order_of_rows():
    assert values_of(["b", "a", "b"]) == values_of(["a", "b"]) == ("a", "b")
    assert values_of([10, 9, 1], "nominal") == (1, 9, 10)


def test_an_order_may_have_more_values_than_the_data_but_not_fewer():
    assert values_of(["S", "L", None], ["S", "M", "L"]) == ("S", "M", "L")
    with pytest.raises(ValueError, match="must contain every value in the data, got 'S', 'M' without 'L'"):
        values_of(["S", "L"], ["S", "M"])


def test_an_order_may_give_missing_a_place():
    order = Feature("x", "ordinal", ("no", None, "yes"))
    assert feature_of("x", ["yes", None], order.values, NOTHING) == order
    assert encode(order, ["yes", None, "maybe"], NOTHING).tolist() == [2, 1, -1]


equals = st.lists(st.sampled_from([True, 1, 1.0, False, 0, 0.0, "a", None]), min_size=1)


@given(equals, st.randoms(use_true_random=False))
def test_values_that_python_calls_equal_are_one_and_the_same_one_in_any_order_of_rows(values, random):
    shuffled = random.sample(values, len(values))
    one, other = values_of(values, "nominal"), values_of(shuffled, "nominal")
    assert list(map(repr, one)) == list(map(repr, other))
    assert len(one) == len({value for value in values if value is not None})


def test_numpys_own_scalars_become_pythons():
    read = python_values([np.int64(1), np.str_("a"), np.bool_(True), np.float32(0.5), "b"])  # noqa: FBT003  # a cell
    assert [type(value) for value in read] == [int, str, bool, float, str]


def test_a_number_counts_or_measures():
    assert [is_number(value) for value in (1, 1.5, Decimal(1), Fraction(1, 2), True, "1", 1j)] == [True] * 4 + [False] * 3


cells = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from(["a", "b", ""]), st.tuples(st.integers(0, 2)))


@given(st.lists(cells))
def test_decoding_gives_back_what_was_encoded(values):
    feature = feature_of("x", values, "nominal", NOTHING)
    assert decode(feature, encode(feature, values, NOTHING)) == values


def test_numbers_are_floats_and_missing_ones_NaN():
    column = encode(Feature("x", "numeric"), [1, Decimal("0.5"), True, "2.5", None, "?"], missing_among("?"))
    assert column.dtype == np.float64
    assert np.array_equal(column, [1, 0.5, 1, 2.5, NAN, NAN], equal_nan=True)


def test_classes_keep_their_type_and_are_in_order():
    assert classes_of("y", [True, False], NOTHING) == (False, True)
    assert list(map(repr, classes_of("y", [3, 1, 2], NOTHING))) == ["1", "2", "3"]
    assert list(map(repr, classes_of("y", [2.0, 1.0], NOTHING))) == ["1.0", "2.0"]
    assert classes_of("y", ["b", 1, "a"], NOTHING) == (1, "a", "b")
    assert classes_of("y", [10**400, 1], NOTHING) == (1, 10**400)


def test_labels_that_python_calls_equal_are_one_class():
    assert list(map(repr, classes_of("y", [1.0, 1, True], NOTHING))) == ["True"]


AGE, SKY = Feature("x", "numeric"), Feature("x", "nominal", ("a",))
INFINITE = r"'x' must be finite, got -?inf in row 1. Replace it by a number, or by NaN"
UNHASHABLE = r"Values of 'x' must be hashable .text, numbers.* got a \w+: "
LABEL = r"target 'x' must have a label in every row, got {} in row 1. Omit such rows"
NO_NUMBER = "^.{,20}numeric feature 'x' must be numbers, got .{,90} in row 1. Convert it, list it as missing, .{,50}$"
KIND = "kind of 'x' must be one of .*'nominal', 'ordinal', 'numeric'.* got "


def test_an_infinite_number_is_told_by_its_row_in_a_long_column():
    column = np.zeros(9000)
    column[5000] = -INF
    with pytest.raises(ValueError, match="Numbers of 'x' must be finite, got -inf in row 5000"):
        require_finite(["x"], [column])


@pytest.mark.parametrize(
    ("make", "values", "error", "message"),
    [
        (missing_among, (-999, None, [["?"]]), TypeError, "missing must be a list of the values that mean missing"),
        (lambda value: kind([1], value), ("categorical", 3, str, "", {1, 2}, iter([1, 2])), ValueError, KIND),
        (lambda value: values_of(["S"], value), (["S", "M", "S"],), ValueError, "values of 'x' .* distinct, got 'S' twice"),
        (lambda value: kind(["a", value]), ([1], {}, {1}, (1, [2])), TypeError, UNHASHABLE),
        (lambda value: encode(SKY, ["a", value], NOTHING), ([1], {}, {1}, (1, [2])), TypeError, UNHASHABLE),
        (lambda value: classes_of("x", [value, 1], NOTHING), ([0],), TypeError, UNHASHABLE),
        (partial(as_column, "x"), ("text", b"b", {"a": 1}, {1}, frozenset([1]), None, 3), TypeError, "'x' must be a column .a "),
        (lambda value: encode(AGE, value, NOTHING), ([1.0, INF], np.array([1.0, -INF]), ["1", "inf"]), ValueError, INFINITE),
        (lambda value: encode(AGE, [1, value], NOTHING), ("red", [1], 1j, 10**400, date(2020, 1, 1)), ValueError, NO_NUMBER),
        (lambda value: classes_of("x", ["yes", value, value], NOTHING), (None, NAN), ValueError, LABEL.format("none")),
        (lambda value: classes_of("x", ["yes", value], missing_among("?")), ("?",), ValueError, LABEL.format(r"'\?', .*,")),
    ],
)
def test_what_has_no_code_is_refused_with_its_row_and_the_remedy(make, values, error, message):
    for value in values:
        with pytest.raises(error, match=message):
            make(value)
