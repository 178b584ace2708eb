"""What is known of how a dataset's columns were read: why each has its kind, and what was taken for missing."""

from collections.abc import Hashable
from typing import Any

import numpy as np
from attrs import field, frozen

from ftree._lib.fields import as_tuple
from ftree.data.missing_values import missing_among, plain_column
from ftree.data.values import in_order, is_number_array, is_time_array, python_values
from ftree.tree.schema import is_hashable


@frozen
class Origin:
    """Where the column of that name comes from: the reason for its kind, and the values taken for missing.

    None among these stands for masked, null and NaN.
    """

    name: str
    reason: str = "declared by the schema"
    missing: tuple[Hashable, ...] = field(default=(), converter=as_tuple)


def taken_for_missing(values: Any, is_missing: missing_among) -> tuple[Hashable, ...]:
    """The values of a column that count as missing; None stands for every null, NaN and masked cell.

    >>> taken_for_missing(["a", "?", None, float("nan")], missing_among(["?"]))
    (None, '?')
    """
    if not (is_number_array(values) or is_time_array(values)):
        found = {cell for cell in python_values(values) if is_hashable(cell) and is_missing(cell)}
        return in_order({cell if cell in is_missing.listed else None for cell in found})
    column = plain_column(values, is_missing)
    data = np.ma.getdata(column)
    nulls = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else np.zeros(len(data), dtype=bool)
    if data.dtype.kind in "fmM":
        nulls = nulls | (data != data)  # noqa: PLR0124  # NaN and NaT
    listed = np.unique(data[np.ma.getmaskarray(column) & ~nulls]).tolist()
    return (*([None] if nulls.any() else []), *listed)
