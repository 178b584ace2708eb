"""Sums of numbers and events as the library adds them up: whole ones of rows, and how they become gains.

The deviance of events is no sum of a run: the impurity decrease needs only events and exposure. It is one of the sums of a node,
whose risk closes it, and bounds what rounding may change (`native/table_rules.c`).
"""

import math
from functools import reduce
from typing import Any

import numpy as np

from ftree._lib.arrays import TIE, Array, Floats
from ftree._lib.limbs import limb_ranges
from ftree._lib.objects import is_exactly
from ftree.criteria.impurity import POISSON, VARIANCE
from ftree.criteria.impurity_of_sums import MeanRisk, Variance
from ftree.data.channels import rows_in_channels
from ftree.data.dataset import Dataset
from ftree.tree.response import BITS, numbers
from ftree.tree.schema import Schema, response_of_sums

# Whole numbers are added up in 62 bits. Rows of numbers are numbered in 29 bits, and the library adds up so many variances.
_MOST_IN_SUM, _MOST_NUMBERS, _MOST_TARGETS = 2.0**62, 2**29, 16
# Scores of events may be rounded by so much.
_NEARLY_TIED = 0.9 * TIE


def knows_sums(dataset: Dataset, impurity: Any) -> bool:
    """Whether the library can add up a target of numbers or events: weights are whole, and sums fit 64 bits.

    The deviance of a row of events must be rounded so little that no scores tie for it.
    """
    response, is_whole = response_of_sums(dataset.schema), dataset.weights is None or dataset.weights.dtype.kind != "f"
    of_events = is_exactly(impurity, MeanRisk) and _is_of_events(impurity.response)
    if not is_whole or response.part != 1 or not (of_events or (is_exactly(impurity, Variance) and impurity.response is None)):
        return False
    if of_events and 2 * _rounding(dataset) * (impurity.scale or 0.0) > _NEARLY_TIED:
        return False
    return bool(dataset.n_cases * float(whole_sums(dataset).max(initial=0)) < _MOST_IN_SUM)


def _is_of_events(response: Any) -> bool:
    from ftree.responses.events import events  # noqa: PLC0415  # trees of classes and numbers do without it

    return is_exactly(response.own, events)


def whole_sums(dataset: Dataset) -> Array:
    """What each row adds to the sums of which gains are made: its number, or its events and exposure, (n, A).

    >>> whole_sums(Dataset.from_columns({"kg": [900.0, 1500.0], "mpg": [30.5, 18.0]}, target="mpg")).tolist()
    [[25], [0]]
    """
    first, *others = _sums_of_rows(dataset)  # of numbers the second one is that of squares
    return np.stack([first, *others[:-1]], axis=1).astype(np.int64)


def limb_places(dataset: Dataset) -> Array:
    """Where the limbs of each sum begin in the sums of a node, and where those of the last one end.

    >>> cars = Dataset.from_columns({"kg": [900.0, 1500.0], "mpg": [30.5, 18.0]}, target="mpg")
    >>> limb_places(cars).tolist()  # cases, a limb of the sum, and two of that of squares
    [1, 2, 4]
    """
    places = limb_ranges(rows_in_channels(dataset).shape[1], response_of_sums(dataset.schema).widths)
    return np.array([1, *(place.stop for place in places)])


def numbers_fit(table: Dataset) -> bool:
    """Whether the library can add up one or more numbers in presorted columns: all values are known, weights whole, sums fit."""
    is_whole = table.weights is None or table.weights.dtype.kind != "f"
    if not is_whole or len(table) >= _MOST_NUMBERS or len(table.further_targets) >= _MOST_TARGETS or table.gaps():
        return False
    largest = (column.max(keepdims=True) for column in (table.target_column, *table.further_targets))
    return bool(table.n_cases * float(whole_numbers(table.schema, *largest).max()) < _MOST_IN_SUM)


def whole_numbers(schema: Schema, *columns: Array) -> Array:
    """The numbers of rows in units of their response, (n, A)."""
    response = response_of_sums(schema)
    if isinstance(response, numbers):
        return response.whole(columns[0])[:, None]
    return np.column_stack(response.wholes(*columns)[: response.squared])


def criterion_of_sums(dataset: Dataset, impurity: Any) -> dict[str, Any]:
    """The measure of sums in a criterion: its scale, the line of each sum, and of events their rate, rounding and prior."""
    response: Any = dataset.schema.response
    if isinstance(impurity, Variance):
        return {"impurity": VARIANCE, "scale": impurity.scale, "lines": [response.line] * 3, "rate": 1.0}
    own = response.own
    return {
        "impurity": POISSON,
        "scale": 2 * math.log(2) * impurity.scale,  # half the deviance is added up, and logarithms in the library are to base 2
        "lines": [grid.line for grid in response.grids],
        "rate": own.rate or 1.0,
        "rounding": _rounding(dataset),
        "prior": own.prior,
    }


def _rounding(dataset: Dataset) -> float:
    """How much half the deviance of a case of events is rounded at most."""
    response: Any = dataset.schema.response
    most = float(response.grids[-1].at(_sums_of_rows(dataset)[-1].max()))
    return math.ldexp(1.0, math.frexp(most)[1] - BITS - 1)


def _sums_of_rows(dataset: Dataset) -> list[Floats]:
    """What each row adds to each sum."""
    rows, response = rows_in_channels(dataset), response_of_sums(dataset.schema)
    return [reduce(np.add, rows[:, place].T) for place in limb_ranges(rows.shape[1], response.widths)]
