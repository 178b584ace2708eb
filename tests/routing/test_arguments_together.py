"""Combined arguments of predictions, and the parts of compiled code that few rows use."""

import numpy as np
import pytest

import ftree as ft
from ftree.routing.reach import reach

TREE = ft.grow(ft.Dataset.from_rows([["a"], ["a"], ["b"], ["b"]], ["no", "no", "yes", "yes"]))


def six_to_four(_, rows, __):
    return np.tile([6.0, 4.0], (len(rows), 1))


@pytest.mark.parametrize(
    ("options", "label"),
    [
        ({}, "no"),
        ({"costs": [[0, 1], [2, 0]]}, "yes"),
        ({"costs": [[0, 1], [1, 0]]}, "no"),
        ({"priors": (0.2, 0.8)}, "yes"),
        ({"priors": (0.2, 0.8), "costs": [[0, 9], [1, 0]]}, "no"),
    ],
)
def test_counts_of_ones_own_are_weighed_by_costs_and_priors_as_those_of_leaves_are(options, label):
    assert list(ft.predict(TREE, [["b"], ["a"]], leaves=six_to_four, **options)) == [label] * 2
    single = ft.predict(TREE, ["b"], leaves=lambda *_: np.array([6.0, 4.0]), **options)
    assert single == label


def test_costs_and_priors_count_for_one_row_as_for_several():
    mixed = ft.grow(ft.Dataset.from_rows([["a"], ["a"], ["a"]], ["no", "no", "yes"]))
    assert ft.predict_counts(mixed, ["a"]).tolist() == [2, 1]
    for options, label in [({}, "no"), ({"costs": [[0, 1], [3, 0]]}, "yes"), ({"priors": (0.1, 0.9)}, "yes")]:
        assert ft.predict(mixed, ["a"], **options) == label
        assert list(ft.predict(mixed, [["a"], ["a"]], **options)) == [label] * 2


def test_rows_on_their_way_print_short():
    data = ft.Dataset.from_rows([["a"], ["b"]], ["no", "yes"])
    assert "array(" not in repr(reach(TREE, data))
    assert data.columns[0].tolist() == [0, 1]
