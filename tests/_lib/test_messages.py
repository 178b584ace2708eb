"""Values in error messages."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree._lib.messages import joined, short_repr


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("no", "'no'"),
        (np.zeros((2, 3)), "ndarray of shape (2, 3)"),
        (np.float64(1.5), repr(np.float64(1.5))),
        (np.array(3.0), "array(3.)"),
        ([np.eye(2)], "[array([[1., 0.], [0., 1.]])]"),
    ],
)
def test_a_short_value_is_shown_as_its_repr_and_an_array_by_its_shape(value, text):
    assert short_repr(value) == text


def nested(inner):
    keys = st.integers() | st.text()
    sets = st.sets(keys, max_size=1)  # a larger one has no order
    return (
        st.lists(inner)
        | st.dictionaries(keys, inner)
        | st.tuples(inner)
        | st.tuples(inner, inner)
        | sets
        | st.frozensets(keys, max_size=1)
    )


@given(st.recursive(st.none() | st.integers() | st.text(), nested, max_leaves=8))
def test_a_nested_value_is_shown_as_its_repr_as_far_as_it_fits(value):
    text = " ".join(line.strip() for line in repr(value).splitlines())
    assert short_repr(value) == text if len(text) <= 60 else short_repr(value) == f"{text[:57]}..."


def test_a_value_whose_repr_would_be_endless_or_fails_is_shown():
    cycle = []
    cycle.append(cycle)
    shared = deep = []
    for _ in range(5000):
        shared, deep = [shared, shared], {0: deep}
    assert short_repr(cycle) == short_repr(shared) == "[" * 57 + "..."
    assert short_repr(deep) == "{0: " * 14 + "{..."
    assert short_repr([10**5000]) == "[<int object>]"


def test_a_value_of_exactly_the_width_is_shown_whole_and_a_longer_one_is_cut_to_it():
    whole = "x" * 58  # and two quotes
    assert short_repr(whole) == repr(whole)
    assert short_repr(whole + "x") == repr(whole + "x")[:57] + "..."


def test_twenty_texts_are_listed_and_one_more_is_dots():
    assert joined(map(str, range(20))) == ", ".join(map(str, range(20)))
    assert joined(map(str, range(21))) == ", ".join([*map(str, range(20)), "..."])
    assert joined([]) == ""
