"""Numbers divided into ranges by cuts: a number belongs to the first range whose upper end is not below it."""

from collections.abc import Hashable, Sequence
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np

from ftree._lib.arrays import missing_cells
from ftree._lib.messages import short_repr
from ftree.data.coding import smallest_integers
from ftree.data.floats import floats
from ftree.data.missing_values import USUALLY_MISSING
from ftree.data.values import Column, is_number, is_ordered
from ftree.tree.formats import format_number
from ftree.tree.schema import Feature


def binned(values: Any, *, cuts: Sequence[float], labels: Sequence[Hashable] | None = None) -> list[Hashable]:
    """The label of each number's range, None where the number is missing; it turns a measurement into a target.

    Ranges end at the cuts and include them, as the branch `x <= cut` of a tree does. There is one label more than there are
    cuts; without `labels` they are texts such as "<= 15", "15 to 25" and "> 25".

    Raises a ValueError for cuts that do not increase, for a wrong number of labels, and for values that are not numbers.

    >>> binned([31.5, 15, None, 16], cuts=(15, 25), labels=("bad", "OK", "good"))
    ['good', 'bad', None, 'OK']
    """
    edges, names = checked_cuts(cuts, labels)
    return [None if code < 0 else names[code] for code in bin_codes(floats("values", values, USUALLY_MISSING), edges).tolist()]


def checked_cuts(cuts: Any, labels: Any) -> tuple[tuple[float, ...], tuple[Hashable, ...]]:
    """Cuts and labels as tuples; without labels they are texts of the ranges.

    Raises a ValueError for cuts that do not increase, and for a wrong number of labels.

    >>> checked_cuts([15, 25], None)
    ((15, 25), ('<= 15', '15 to 25', '> 25'))
    """
    edges = tuple(cuts) if is_ordered(cuts) else ()
    increasing = all(is_number(cut) and isfinite(cut) for cut in edges) and all(low < high for low, high in pairwise(edges))
    if not edges or not increasing:
        message = f"cuts must be numbers in increasing order, such as (15, 25), got {short_repr(cuts)}."
        raise ValueError(message)
    names = _range_texts(edges) if labels is None else tuple(labels) if is_ordered(labels) else ()
    if len(set(names)) != len(edges) + 1:
        message = f"labels must be {len(edges) + 1} distinct values, one more than there are cuts, got {short_repr(labels)}."
        raise ValueError(message)
    return edges, names


def divided(feature: Feature, column: Column, cuts: Any, labels: Any) -> tuple[Feature, Column]:
    """A column of a dataset divided into ranges: an ordinal feature with the labels as its values.

    Raises a ValueError for a nominal or ordinal feature with values that are not numbers.

    >>> divided(Feature("age", "numeric"), np.array([20.0, 60.0]), [50], ["young", "old"])
    (Feature(name='age', kind='ordinal', values=('young', 'old')), array([0, 1], dtype=int8))
    """
    edges, names = checked_cuts(cuts, labels)
    if feature.kind == "numeric":
        return Feature(feature.name, "ordinal", names), bin_codes(column, edges)
    if not all(map(is_number, feature.values)):
        message = f"A column to divide must hold numbers, got {feature.name!r}, which is {feature.kind}."
        raise ValueError(message)
    numbers: tuple[Any, ...] = feature.values
    codes = bin_codes(np.array([*map(float, numbers), np.nan]), edges)  # the last code is that of missing values
    return Feature(feature.name, "ordinal", names), codes[column]


def bin_codes(numbers: Column, cuts: Sequence[float]) -> Column:
    """The number of each value's range, -1 where the value is missing.

    >>> bin_codes(np.array([15.0, 15.5, np.nan]), (15, 25)).tolist()
    [0, 1, -1]
    """
    codes = np.searchsorted(np.asarray(cuts, dtype=np.float64), numbers, side="left")
    return smallest_integers(np.where(missing_cells(numbers), -1, codes), len(cuts) + 1)


def _range_texts(cuts: Sequence[float]) -> tuple[str, ...]:
    texts = [format_number(cut if isinstance(cut, float) else float(cut)) for cut in cuts]
    between = [f"{low} to {high}" for low, high in pairwise(texts)]
    return f"<= {texts[0]}", *between, f"> {texts[-1]}"
