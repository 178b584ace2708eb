"""A user's file: the types of results for one row, for rows, and for arrays that could be either."""

from collections.abc import Sequence
from typing import Any, assert_type

import numpy as np
import numpy.typing as npt
import polars as pl

from ftree import (
    Branch,
    Dataset,
    Feature,
    Leaf,
    Schema,
    Tree,
    accuracy,
    apply,
    leaf_of,
    path_of,
    predict,
    predict_counts,
    predict_proba,
)
from ftree.criteria import laplace
from ftree.routing import Route
from ftree.tree import Multiway, Threshold

OfRow = np.ndarray[tuple[int], np.dtype[np.float64]]
OfRows = np.ndarray[tuple[int, int], np.dtype[np.float64]]

schema = Schema([Feature("sky", "nominal", ("grey", "blue")), Feature("wind", "numeric")], "ride", ("no", "yes"))
calm = Branch((1, 2), Threshold(1, 3.0), (Leaf((0, 2)), Leaf((1, 0))))
tree = Tree(schema, Branch((2, 2), Multiway(0, (0, 1)), (Leaf((1, 0)), calm)))
data = Dataset.from_rows([["grey", 1.0], ["blue", 5.0]], ["no", "yes"], features=["sky", "wind"], target="ride")

# One row: a list, a tuple or a dict of values; its label is of any type.
assert_type(predict(tree, ["grey", 1.0]), Any)
assert_type(predict(tree, ["grey", None]), Any)
assert_type(predict(tree, ("grey", 1.0)), Any)
assert_type(predict(tree, {"sky": "grey", "wind": 1.0}), Any)
label: str = predict(tree, ["grey", 1.0], missing="weighted")

# Rows: a dataset, or a sequence of lists, tuples, dicts or arrays.
assert_type(predict(tree, data), npt.NDArray[Any])
assert_type(predict(tree, {"sky": ["grey", "blue"], "wind": [1.0, 5.0]}), npt.NDArray[Any])
assert_type(predict(tree, [["grey", 1.0], ["blue", None]]), list[Any])
assert_type(predict(tree, [("grey", 1.0), ("blue", 5.0)]), list[Any])
assert_type(predict(tree, (["grey", 1.0], ["blue", 5.0])), list[Any])
assert_type(predict(tree, [{"sky": "grey"}, {"wind": 2.0}]), list[Any])
assert_type(predict(tree, [np.array([0.0, 1.0]), np.array([1.0, 2.0])][:0]), list[Any])
labels: list[str] = predict(tree, [["grey", 1.0]], costs=[[0, 1], [2, 0]], priors=(0.5, 0.5))

# A data frame of any library: results are of that library, so of any type.
frame = pl.DataFrame({"sky": ["grey", "blue"], "wind": [1.0, 5.0]})
assert_type(predict(tree, frame), Any)
assert_type(predict_counts(tree, frame), Any)
assert_type(predict_proba(tree, frame, estimate=laplace), Any)
series: pl.Series = predict(tree, frame)
assert_type(Dataset.from_frame(frame, ["no", "yes"], kinds={"wind": "numeric"}), Dataset)
numbers: pl.Series = apply(tree, frame)

# Counts and probabilities have an axis for rows if several rows are given.
assert_type(predict_counts(tree, ["grey", 1.0]), OfRow)
assert_type(predict_counts(tree, {"wind": 1.0}), OfRow)
assert_type(predict_counts(tree, data), OfRows)
assert_type(predict_counts(tree, [["grey", 1.0]], missing="stop"), OfRows)
assert_type(predict_proba(tree, ("grey", 1.0), estimate=laplace), OfRow)
assert_type(predict_proba(tree, [("grey", 1.0)]), OfRows)
assert_type(predict_proba(tree, data), OfRows)


def of_arrays(either: npt.NDArray[np.float64], rows: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> None:
    """An array of two dimensions is rows; one of unknown dimensions may be one row or rows."""
    assert_type(predict(tree, rows), npt.NDArray[Any])
    assert_type(predict_counts(tree, rows), OfRows)
    counts: npt.NDArray[np.float64] = predict_counts(tree, either)
    label_or_labels: str | npt.NDArray[Any] = predict(tree, either)
    del counts, label_or_labels


# The path of one row.
assert_type(path_of(tree, ["grey", 1.0]), Route)
assert_type(path_of(tree, {"sky": "blue"}, missing="stop").path, tuple[int, ...])
assert_type(leaf_of(tree, np.array(["grey", 1.0], dtype=object)), Leaf)
assert_type(leaf_of(tree, ["blue", 2.0]).counts, tuple[float, ...])


def always_no(rows: Dataset) -> Sequence[str]:
    """A user's classifier."""
    return ["no"] * len(rows)


assert_type(accuracy(tree, data), float)
assert_type(accuracy(always_no, data), float)

# Arguments that are neither are refused: an unknown rule, a number. mypy reports an unused ignore.
refused = [
    lambda: predict(tree, data, missing="guess"),  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
    lambda: predict(tree, 3),  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
    lambda: path_of(tree, data),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    lambda: path_of(tree, [["grey", 1.0]]),  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]
]
