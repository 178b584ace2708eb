"""Predictions in the form of the rows: an array for an array or a dataset, a series for a frame, a list for a list of rows.

The result for a frame of pandas has its index. The result for a database relation or an Arrow stream is an Arrow array.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from ftree._lib.arrays import Array
from ftree.data.dataset import Dataset


def labels_in_kind(rows: Any, name: str, labels: Sequence[Hashable], codes: Array) -> Any:
    """The labels with the given codes, one for each row, in the form of the rows; `name` is that of a series.

    An array has the type of the labels if all are booleans, all integers or all floats, else it is an array of objects, and so
    is the result for a frame that cannot hold the labels in one column.

    >>> labels_in_kind([["a"], ["b"]], "play", ("no", "yes"), np.array([1, 0]))
    ['yes', 'no']
    """
    if not _is_frame(rows):
        answer = _array_of(labels)[codes]
        return answer.tolist() if isinstance(rows, Sequence) else answer
    if len(set(map(type, labels))) > 1:
        return _array_of(labels)[codes]
    import narwhals.stable.v2 as nw  # noqa: PLC0415  # the frame has loaded it

    return _with_index(rows, nw.new_series(name, list(labels), backend=_backend(rows))[codes].to_native())


def numbers_in_kind(rows: Any, name: str, numbers: Array) -> Any:
    """Numbers, one for each row, in the form of the rows.

    >>> numbers_in_kind(np.zeros((2, 3)), "leaf", np.array([1, 0]))
    array([1, 0])
    """
    if not _is_frame(rows):
        return numbers.tolist() if isinstance(rows, Sequence) else numbers
    import narwhals.stable.v2 as nw  # noqa: PLC0415  # as above

    return _with_index(rows, nw.new_series(name, numbers, backend=_backend(rows)).to_native())


def matrix_in_kind(rows: Any, labels: Sequence[Hashable], numbers: Array) -> Any:
    """Numbers (n, K), one for each row and label: a frame with columns named by the labels for a frame, else the array.

    Labels with the same text, such as 1 and "1", cannot name columns, and the result is the array.

    >>> matrix_in_kind([["a"]], ("no", "yes"), np.array([[0.25, 0.75]]))
    array([[0.25, 0.75]])
    """
    texts = list(map(str, labels))
    if not _is_frame(rows) or len(set(texts)) < len(texts):
        return numbers
    import narwhals.stable.v2 as nw  # noqa: PLC0415  # as above

    columns = dict(zip(texts, np.ascontiguousarray(numbers.T), strict=True))
    return _with_index(rows, nw.from_dict(columns, backend=_backend(rows)).to_native())


def _is_frame(rows: Any) -> bool:
    return not isinstance(rows, (Dataset, np.ndarray, Mapping, Sequence))


def _array_of(labels: Sequence[Hashable]) -> Array:
    """Labels as an array, of objects unless they are booleans, integers or floats."""
    if set(map(type, labels)) in ({bool}, {int}, {float}):
        return np.array(labels)
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


def _backend(rows: Any) -> Any:
    """The library of the result: that of a frame in memory, else the library of a collected frame."""
    import narwhals.stable.v2 as nw  # noqa: PLC0415  # as above

    frame = nw.from_native(rows, pass_through=True)
    own = getattr(frame, "implementation", nw.Implementation.PYARROW)
    eager = {nw.Implementation.PANDAS, nw.Implementation.POLARS, nw.Implementation.MODIN, nw.Implementation.CUDF}
    return own if own in eager else nw.Implementation.PYARROW


def _with_index(rows: Any, answer: Any) -> Any:
    """The result with the index of the rows, if they have one."""
    if hasattr(answer, "index") and hasattr(rows, "index"):
        answer.index = rows.index
    return answer
