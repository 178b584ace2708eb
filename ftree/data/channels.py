"""What rows add to the sums of nodes, for a target without classes; the sums are exact in any order.

The sums of a tree are whole multiples of a smallest part of a case (`part`), which is 1 unless cases are divided or have
weights that are not whole. While rows are counted, a sum is written in limbs, which add up exactly in floats
(`ftree._lib.limbs`): a node has its cases and the limbs of each sum, by the widths of the response's channels.
"""

from collections.abc import Sequence
from itertools import repeat
from math import ceil, frexp, log2
from typing import Any, cast

import numpy as np
from attrs import evolve

from ftree._lib.arrays import Array, Floats, exact_unit, times_and_fractions
from ftree._lib.limbs import limb_ranges, limbs, without_digits
from ftree._lib.objects import cached_by_identity
from ftree.data.dataset import Dataset
from ftree.tree.response import BITS, Counts
from ftree.tree.response_protocol import ResponseOfSums
from ftree.tree.schema import response_of_sums

# Parts of the lightest row are multiples of at most 2^-20 of it, while a limb keeps at least this many bits. Of weights that are
# not whole, parts are as small as that permits: 64 times those of classes.
_PART_BITS, _LEAST_BITS = 20, 6
# The low bits of up to 16 limbs are added up as numbers of 64 bits, and the others if no limb has more bits than this.
_LOW_BITS, _MOST_BITS = 59, 120


def in_parts(dataset: Dataset, *, divided: bool) -> Dataset:
    """The rows with the response of their tree, fixed at the root, and the `part` of its sums: 1 if all cases stay whole.

    >>> cars = Dataset.from_columns({"kg": [900.0, 1500.0], "mpg": [30.5, 18.0]}, target="mpg")
    >>> in_parts(cars, divided=False).schema.response
    numbers(centre=18.0, unit=0.5, part=1.0)
    """
    divided |= dataset.weights is not None and dataset.weights.dtype.kind == "f"
    found = _with_parts(dataset, _part(dataset)) if divided else _with_whole_cases(dataset)
    return dataset if found is None else found


def _with_parts(dataset: Dataset, part: float) -> Dataset | None:
    """The rows with the response of their tree; None if they have it."""
    fixed = response_of_sums(dataset.schema).at_root(dataset.weights, dataset.target_column, *dataset.further_targets)
    response = evolve(fixed, part=part)
    return None if response == dataset.schema.response else evolve(dataset, schema=evolve(dataset.schema, response=response))


@cached_by_identity  # cart asks for the risk of all rows before it grows their tree
def _with_whole_cases(dataset: Dataset) -> Dataset | None:
    return _with_parts(dataset, 1.0)


def _part(dataset: Dataset) -> float:
    weights, unit = dataset.weights, exact_unit(dataset.n_cases, len(dataset.columns))
    least = 1 if weights is None else weights[weights > 0].min(initial=dataset.n_cases)
    bits = 0 if weights is not None and weights.dtype.kind == "f" else int(log2(max(least, 1) / unit)) - _PART_BITS
    return unit * 2.0 ** max(_LEAST_BITS, min(BITS, bits))


@cached_by_identity  # once for the impurity of the root, and once for the engine
def rows_in_channels(dataset: Dataset) -> Floats:
    """What each row adds to the sums of a node for each case of it, in limbs, (n, C).

    >>> cars = Dataset.from_columns({"kg": [900.0, 1500.0], "mpg": [30.5, 18.0]}, target="mpg")
    >>> rows_in_channels(cars).tolist()
    [[1.0, 25.0, 0.0, 625.0], [1.0, 0.0, 0.0, 0.0]]
    """
    response, unit = response_of_sums(dataset.schema), exact_unit(dataset.n_cases, len(dataset.columns))
    bits = min(BITS, int(log2(response.part / unit)))
    if bits < 1:
        limit = dataset.n_cases * response.part / unit / 2
        got = f"got {dataset.n_cases:g}. Divide all weights."
        raise ValueError(f"weights must add up to at most {limit:g} for these columns, {got}")
    whole = response.wholes(dataset.target_column, *dataset.further_targets)
    if any(column.min(initial=0) < 0 for column in whole):
        got = f"got {dataset.target_column.min():g}"
        raise ValueError(f"The target must have no numbers below {response.centre:g}, from which the tree counts, {got}.")
    return np.column_stack([np.ones(len(dataset)), *_written(whole, bits, response.widths)])


def sums_of_all(dataset: Dataset) -> Floats:
    """The sums of all rows in limbs, (C,).

    >>> cars = Dataset.from_columns({"kg": [900.0, 1500.0], "mpg": [30.5, 18.0]}, target="mpg")
    >>> sums_of_all(cars).tolist()
    [2.0, 25.0, 0.0, 625.0]
    """
    times, fractions = times_and_fractions(dataset.weights, response_of_sums(dataset.schema).part)
    cases = times if fractions is None else fractions
    sums: Floats = (np.ones(len(dataset)) if cases is None else cases.astype(np.float64)) @ rows_in_channels(dataset)
    return sums


def risk_at_root(dataset: Dataset) -> float:
    """The risk of a case at the root of a tree of all rows: the error rate of classes, the variance of numbers, or a mean loss.

    >>> risk_at_root(Dataset.from_columns({"kg": [900.0, 1500.0], "mpg": [30.5, 18.0]}, target="mpg"))
    39.0625
    """
    rows = dataset if dataset.schema.has_classes else in_parts(dataset, divided=False)
    response, cases = rows.schema.response, float(dataset.n_cases)
    counts = rows.class_counts() if rows.schema.has_classes else counts_of(sums_of_all(rows)[None], response)[0]
    return response.risk(counts) / cases if cases else 0.0


def _written(whole: Sequence[Array], bits: int, widths: Sequence[int]) -> list[Floats]:
    """Whole numbers of each channel in limbs, as many as the largest one needs, by the widths of the channels."""
    pairs = list(zip(whole, widths, strict=True))
    n = max(1, *(ceil(frexp(without_digits(column).max(initial=0))[1] / (bits * width)) for column, width in pairs))
    return [limbs(column, bits, n * width) for column, width in pairs]


def counts_of(sums: Array, response: Any) -> list[Counts]:
    """The sums of nodes in limbs, (m, C), as the counts of nodes: cases, and whole numbers in multiples of the part.

    >>> from ftree.tree import numbers
    >>> counts_of(np.array([[2.0, 25.0, 0.0, 625.0]]), numbers(centre=18.0, unit=0.5))
    [(2, 25, 625)]
    """
    return list(zip(*_columns_of(sums, response), strict=True))


def float_counts_of(sums: Array, response: Any) -> Floats:
    """The counts of nodes as floats, (m, K)."""
    return np.array(_columns_of(sums, response), np.float64).T.copy()


def _columns_of(sums: Array, response: Any) -> list[list[Any]]:
    places, cases = limb_ranges(sums.shape[1], response.widths), sums[:, 0]
    whole: list[Any] = cases.astype(np.int64).tolist()
    if (cases != np.floor(cases)).any():
        whole = [int(count) if count.is_integer() else count for count in cases.tolist()]
    rest = np.ascontiguousarray(sums.T) / response.part
    return [whole, *(_added_up(rest[place]) for place in places)]


def _added_up(written: Floats) -> list[int]:
    """The sum of the limbs (n, m) of each of m numbers."""
    if written.max(initial=0) >= 2.0**_MOST_BITS:
        return [sum(map(int, column)) for column in written.T.tolist()]
    above = np.floor(written / 2.0**_LOW_BITS)
    high, low = (part.astype(np.int64).sum(axis=0) for part in (above, written - above * 2.0**_LOW_BITS))
    small: list[int] = low.tolist()
    if not high.any():
        return small
    words, little = (low + (high << _LOW_BITS), high + (low >> _LOW_BITS) >> 64 - _LOW_BITS), cast("Any", "little")
    return list(map(int.from_bytes, np.column_stack(words).astype("<i8").view("S16")[:, 0].tolist(), repeat(little)))


def in_limbs(counts: Sequence[Counts], response: ResponseOfSums) -> Floats:
    """The counts of nodes as sums in limbs, (m, C), of which `counts_of` makes them again.

    >>> from ftree.tree import numbers
    >>> in_limbs([(2, 25, 625)], numbers(centre=18.0, unit=0.5)).tolist()
    [[2.0, 25.0, 0.0, 625.0]]
    """
    cases, *rest = (np.array(column, dtype=object) for column in zip(*counts, strict=True))
    written = _written(rest, BITS, response.widths)
    return np.column_stack([cases.astype(np.float64), *(each * response.part for each in written)])


def numbers_of_rows(dataset: Dataset) -> Array:
    """Each row's number, (n,), as its leaf would answer: of events, the rate in its exposure; of classes, its code.

    >>> calls = Dataset.from_columns({"x": [1.0], "n": [4]}, target="n", response="events")
    >>> numbers_of_rows(calls).tolist()
    [4.0]
    """
    if not dataset.further_targets:
        return dataset.target_column
    response = response_of_sums(dataset.schema)
    numbers: Array = response.order(rows_as_sums(dataset, response))
    return numbers


def rows_as_sums(dataset: Dataset, response: ResponseOfSums) -> Floats:
    """The sums of nodes with one case of each row, (n, C), for `response.losses_of_rows`.

    >>> cars = Dataset.from_columns({"kg": [900.0, 1500.0], "mpg": [30.5, 18.0]}, target="mpg")
    >>> cars.schema.response.losses_of_rows(20.0, rows_as_sums(cars, cars.schema.response)).tolist()
    [110.25, 4.0]
    """
    whole = response.wholes(dataset.target_column, *dataset.further_targets)
    return np.column_stack(
        [np.ones(len(dataset)), *((without_digits(column) / response.part).astype(np.float64) for column in whole)]
    )
