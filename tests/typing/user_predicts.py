"""A user's file: the types of results for one row, for rows, and for arrays that could be either."""

from collections.abc import Sequence
from typing import Any, assert_type

import numpy as np
import numpy.typing as npt
import polars as pl

import ftree as ft
from ftree.routing import Route, laplace
from ftree.tree import Multiway, Threshold

OfRow = np.ndarray[tuple[int], np.dtype[np.float64]]
OfRows = np.ndarray[tuple[int, int], np.dtype[np.float64]]

schema = ft.Schema([ft.Feature("sky", "nominal", ("grey", "blue")), ft.Feature("wind", "numeric")], "ride", ("no", "yes"))
calm = ft.Branch((1, 2), Threshold(1, 3.0), (ft.Leaf((0, 2)), ft.Leaf((1, 0))))
tree = ft.Tree(schema, ft.Branch((2, 2), Multiway(0, (0, 1)), (ft.Leaf((1, 0)), calm)))
data = ft.Dataset.from_rows([["grey", 1.0], ["blue", 5.0]], ["no", "yes"], features=["sky", "wind"], target="ride")

# One row: a list, a tuple or a dict of values; its label is of any type.
assert_type(ft.predict(tree, ["grey", 1.0]), Any)
assert_type(ft.predict(tree, ["grey", None]), Any)
assert_type(ft.predict(tree, ("grey", 1.0)), Any)
assert_type(ft.predict(tree, {"sky": "grey", "wind": 1.0}), Any)
label: str = ft.predict(tree, ["grey", 1.0], missing="weighted")

# Rows: a dataset, or a sequence of lists, tuples, dicts or arrays.
assert_type(ft.predict(tree, data), npt.NDArray[Any])
assert_type(ft.predict(tree, {"sky": ["grey", "blue"], "wind": [1.0, 5.0]}), npt.NDArray[Any])
assert_type(ft.predict(tree, [["grey", 1.0], ["blue", None]]), list[Any])
assert_type(ft.predict(tree, [("grey", 1.0), ("blue", 5.0)]), list[Any])
assert_type(ft.predict(tree, (["grey", 1.0], ["blue", 5.0])), list[Any])
assert_type(ft.predict(tree, [{"sky": "grey"}, {"wind": 2.0}]), list[Any])
assert_type(ft.predict(tree, [np.array([0.0, 1.0]), np.array([1.0, 2.0])][:0]), list[Any])
labels: list[str] = ft.predict(tree, [["grey", 1.0]], costs=[[0, 1], [2, 0]], priors=(0.5, 0.5))

# A data frame of any library: results are of that library, so of any type.
frame = pl.DataFrame({"sky": ["grey", "blue"], "wind": [1.0, 5.0]})
assert_type(ft.predict(tree, frame), Any)
assert_type(ft.predict_counts(tree, frame), Any)
assert_type(ft.predict_proba(tree, frame, estimate=laplace), Any)
series: pl.Series = ft.predict(tree, frame)
assert_type(ft.Dataset.from_frame(frame, ["no", "yes"], kinds={"wind": "numeric"}), ft.Dataset)
numbers: pl.Series = ft.apply(tree, frame)

# Counts and probabilities have an axis for rows if several rows are given.
assert_type(ft.predict_counts(tree, ["grey", 1.0]), OfRow)
assert_type(ft.predict_counts(tree, {"wind": 1.0}), OfRow)
assert_type(ft.predict_counts(tree, data), OfRows)
assert_type(ft.predict_counts(tree, [["grey", 1.0]], missing="stop"), OfRows)
assert_type(ft.predict_proba(tree, ("grey", 1.0), estimate=laplace), OfRow)
assert_type(ft.predict_proba(tree, [("grey", 1.0)]), OfRows)
assert_type(ft.predict_proba(tree, data), OfRows)


def of_arrays(either: npt.NDArray[np.float64], rows: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> None:
    """An array of two dimensions is rows; one of unknown dimensions may be one row or rows."""
    assert_type(ft.predict(tree, rows), npt.NDArray[Any])
    assert_type(ft.predict_counts(tree, rows), OfRows)
    counts: npt.NDArray[np.float64] = ft.predict_counts(tree, either)
    label_or_labels: str | npt.NDArray[Any] = ft.predict(tree, either)
    del counts, label_or_labels


# The path of one row.
assert_type(ft.path_of(tree, ["grey", 1.0]), Route)
assert_type(ft.path_of(tree, {"sky": "blue"}, missing="stop").path, tuple[int, ...])
assert_type(ft.leaf_of(tree, np.array(["grey", 1.0], dtype=object)), ft.Leaf)
assert_type(ft.leaf_of(tree, ["blue", 2.0]).counts, tuple[float, ...])


def always_no(rows: ft.Dataset) -> Sequence[str]:
    """A user's classifier."""
    return ["no"] * len(rows)


assert_type(ft.accuracy(tree, data), float)
assert_type(ft.accuracy(always_no, data), float)

# Arguments that are neither are refused: an unknown rule, a number. mypy reports an unused ignore.
refused = [
    lambda: ft.predict(tree, data, missing="guess"),  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
    lambda: ft.predict(tree, 3),  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
    lambda: ft.path_of(tree, data),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    lambda: ft.path_of(tree, [["grey", 1.0]]),  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]
]
