"""What the rows of a target of numbers add to the sums of nodes, so that these are exact in any order.

The sums of a tree are whole multiples of a smallest part of a case (`numbers.part`), which is 1 unless cases are divided or have
weights that are not whole. While rows are counted, a sum is written in limbs, which add up exactly in floats
(`ftree._lib.arrays`): a node has its cases, the limbs of the sum of numbers, and twice as many limbs of the sum of squares.
"""

from collections.abc import Sequence
from math import ceil, log2
from typing import Any

import numpy as np
from attrs import evolve

from ftree._lib.arrays import Array, Floats, exact_unit, limbs
from ftree._lib.objects import cached_by_identity
from ftree.data.dataset import Dataset
from ftree.tree.nodes import Counts
from ftree.tree.response import BITS, Response, numbers

# Parts of cases are multiples of at most 2^-20 of a mean case, while a limb keeps at least this many bits.
_PART_BITS, _LEAST_BITS = 20, 10
# Rows taken from a table keep its unit, unless their range is so much smaller.
_COARSER = 1 << 10


def response_of(dataset: Dataset) -> numbers:
    """The response in which the numbers of a dataset add up: its own; that of its numbers alone if its own does not fit them.

    A table that was read by the schema of a tree has the response of that tree, with a unit for other numbers.

    >>> cars = Dataset.from_columns({"kg": [900.0, 1500.0], "mpg": [30.5, 18.0]}, target="mpg")
    >>> response_of(cars), response_of(evolve(cars, target_column=np.array([17.0, 18.25])))
    (numbers(centre=18.0, unit=0.5, part=1.0), numbers(centre=17.0, unit=0.25, part=1.0))
    """
    own, alone = numbers_of(dataset), numbers.of(dataset.target_column)
    steps = (dataset.target_column - own.centre) / own.unit
    within = steps.min(initial=0) >= 0 and steps.max(initial=0) < 1 << BITS + 1
    return own if within and (own.unit <= alone.unit * _COARSER or bool((steps == np.rint(steps)).all())) else alone


def in_parts(dataset: Dataset, *, divided: bool) -> Dataset:
    """The rows with the `part` of their sums: 1 if all cases stay whole.

    >>> cars = Dataset.from_columns({"kg": [900.0, 1500.0], "mpg": [30.5, 18.0]}, target="mpg")
    >>> in_parts(cars, divided=False).schema.response
    numbers(centre=18.0, unit=0.5, part=1.0)
    """
    divided |= dataset.weights is not None and dataset.weights.dtype.kind == "f"
    response = evolve(numbers_of(dataset), part=_part(dataset) if divided else 1.0)
    return evolve(dataset, schema=evolve(dataset.schema, response=response))


def _part(dataset: Dataset) -> float:
    spare = 51 - ceil(log2(max(len(dataset), 1) * (len(dataset.columns) + 1))) - _PART_BITS
    bits = max(_LEAST_BITS, min(BITS, spare))
    return exact_unit(dataset.n_cases, len(dataset.columns)) * 2.0**bits


@cached_by_identity  # once for the impurity of the root, and once for the engine
def rows_in_channels(dataset: Dataset) -> Floats:
    """What each row adds to the sums of a node for each case of it, in limbs, (n, C).

    >>> cars = Dataset.from_columns({"kg": [900.0, 1500.0], "mpg": [30.5, 18.0]}, target="mpg")
    >>> rows_in_channels(cars).tolist()
    [[1.0, 25.0, 0.0, 625.0], [1.0, 0.0, 0.0, 0.0]]
    """
    response, unit = numbers_of(dataset), exact_unit(dataset.n_cases, len(dataset.columns))
    bits = min(BITS, int(log2(response.part / unit)))
    whole = response.whole(dataset.target_column)
    if whole.min(initial=0) < 0:
        got = f"got {dataset.target_column.min():g}"
        raise ValueError(f"The target must have no numbers below {response.centre:g}, from which the tree counts, {got}.")
    n = max(1, ceil(int(whole.max(initial=0)).bit_length() / bits))
    squares = whole.astype(object) ** 2 if whole.max(initial=0) >= 1 << 31 else whole**2
    return np.column_stack([np.ones(len(whole)), limbs(whole, bits, n), limbs(squares, bits, 2 * n)])


def counts_of(sums: Array, response: Any) -> list[Counts]:
    """The sums of nodes in limbs, (m, C), as the counts of nodes: cases, and two whole numbers in multiples of the part.

    >>> counts_of(np.array([[2.0, 25.0, 0.0, 625.0]]), numbers(centre=18.0, unit=0.5))
    [(2, 25, 625)]
    """
    n = sums.shape[1] // 3
    cases = [int(count) if count.is_integer() else count for count in sums[:, 0].tolist()]
    rest = (sums[:, 1:] / response.part).tolist()
    return [(count, sum(map(int, row[:n])), sum(map(int, row[n:]))) for count, row in zip(cases, rest, strict=True)]


def in_limbs(counts: Sequence[Counts], response: Response) -> Floats:
    """The counts of nodes as sums in limbs, (m, C), of which `counts_of` makes them again.

    >>> in_limbs([(2, 25, 625)], numbers(centre=18.0, unit=0.5)).tolist()
    [[2.0, 25.0, 0.0, 625.0]]
    """
    part = getattr(response, "part", 1.0)
    cases, *rest = (np.array(column, dtype=object) for column in zip(*counts, strict=True))
    n = max(1, *(ceil(int(max(column)).bit_length() / (BITS * (place + 1))) for place, column in enumerate(rest)))
    written = [limbs(column, BITS, n * (place + 1)) * part for place, column in enumerate(rest)]
    return np.column_stack([cases.astype(np.float64), *written])


def numbers_of(dataset: Dataset) -> numbers:
    """The response of a dataset of numbers.

    >>> numbers_of(Dataset.from_columns({"kg": [900.0, 1500.0], "mpg": [30.5, 18.0]}, target="mpg")).centre
    18.0
    """
    response: Any = dataset.schema.response
    return response  # type: ignore[no-any-return]  # the only other response so far
