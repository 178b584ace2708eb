"""Candidate splits of a table: those that splitters list, with children for missing values, and the child of each value."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Array, Floats, midpoint, missing_cells
from ftree._lib.fields import ConstructorRepr, a_whole_number, name_of
from ftree._lib.messages import short_repr
from ftree.data.cases import weights_of_rows
from ftree.data.dataset import Dataset, rows_with_weight
from ftree.splitters import ORDERED, DistinctValues, ListsCandidates, as_branch, as_value, one_value, threshold
from ftree.splitters.missing_policies import as_missing_policy
from ftree.tree.schema import Feature
from ftree.tree.splits import IsMissing, Threshold, WithDefault
from ftree.tree.splits.split import Split, child_of


@frozen
class quantile_cuts(ConstructorRepr):
    """At most `n` thresholds a column, with about equally many cases between neighbouring ones; a splitter for `optimal` only.

    >>> column = DistinctValues(0, "age", np.array([1.0, 2.0, 3.0, 9.0]), np.array([1, 1, 1, 5]))
    >>> quantile_cuts(1).candidates(column)
    [Threshold(feature=0, at=6.0)]
    """

    kinds = ORDERED

    n: int = field(validator=a_whole_number(1, of="thresholds"))

    def candidates(self, column: DistinctValues) -> list[Split]:
        """A threshold above the value at each quantile, except above the largest value."""
        values = column.values.astype(np.float64)
        below = np.cumsum(column.cases)[:-1]
        if len(below) > self.n:
            wanted = np.arange(1, self.n + 1) / (self.n + 1) * column.cases.sum()
            place = np.unique(np.abs(below[:, None] - wanted).argmin(axis=0))
        else:
            place = np.arange(len(below))
        return [Threshold(column.feature, float(at)) for at in midpoint(values[place], values[place + 1])]


# Defaults of the public functions, which are made once.
AS_BRANCH, BINARY = as_branch(), (one_value(), threshold())
_TWO = 2
# Groups of rows have numbers below this, so that they fit in 64 bits.
_MOST_CODES = 2**62


@frozen(eq=False)
class ListedSplits:
    """Candidate splits, no two of which divide rows alike; the column of each (C,), and for each the child of each value (V,).

    The first `n_binary` have two children.
    `prices` (C,) are shares of the cases. Rows with the same number in `alike` (n,) go to the same child by every split. `place`
    (F, n) is the place of each row's value among the distinct values of a column, that of missing values the last.
    """

    splits: tuple[Split, ...]
    column: Array
    child: tuple[Array, ...]
    prices: Floats
    alike: Array
    place: Array

    @property
    def n_binary(self) -> int:
        """The number of splits with two children."""
        return sum(split.n_children <= _TWO for split in self.splits)


def candidates_of(
    dataset: Dataset, splitters: Sequence[Any], most: int, charges: Mapping[int, float] = MappingProxyType({})
) -> ListedSplits:
    """All candidate splits of a table: those with two children, then the others; each in the order of features and splitters.

    Of splits that divide all rows alike, the first cheapest is listed.
    `charges` are the prices of features, 0 where they are left out.

    Raises a TypeError for a splitter that lists none, a ValueError for more than `most`, and for splits that omit values.
    """
    check_splitters(splitters)
    weights, found = weights_of_rows(dataset), dict[bytes, _Candidate]()
    place, groups_of = np.zeros((len(dataset.columns), len(dataset)), np.uint8), dict[int, Array]()
    for number, (feature, column) in enumerate(zip(dataset.schema.features, dataset.columns, strict=True)):
        splits, children, of_row = listed_of_column(number, feature, column, weights, splitters)
        place = place.astype(np.promote_types(place.dtype, np.min_scalar_type(int(of_row.max()))), copy=False)
        place[number] = of_row
        for split, child in zip(splits, children, strict=True):
            price = float(sum(charges.get(each, 0.0) for each in split.features))
            _keep_cheapest(found, _Candidate(split, number, child, price), child.take(of_row))
            if len(found) > most:
                raise too_many(most)
        if splits:
            groups_of[number] = np.unique(children, axis=1, return_inverse=True)[1].ravel()
    alike = _groups((groups[place[number]] for number, groups in groups_of.items()), len(dataset))
    in_order = sorted(found.values(), key=lambda each: each.split.n_children > _TWO)
    listed, columns, child, prices = zip(*in_order, strict=True) if found else ((), (), (), ())
    return ListedSplits(listed, np.array(columns, np.int64), child, np.array(prices, np.float64), alike, place)


class _Candidate(NamedTuple):
    """A split, its column, the child of each value, and its price."""

    split: Split
    column: int
    child: Array
    price: float


def _keep_cheapest(found: dict[bytes, _Candidate], candidate: _Candidate, child_of_row: Array) -> None:
    """Of candidates that divide all rows alike, keep the first cheapest, since it can replace the others in every tree."""
    division = division_of(child_of_row)
    if division not in found or candidate.price < found[division].price:
        found.pop(division, None)  # so that splits stand in the order of columns
        found[division] = candidate


def too_many(most: int) -> ValueError:
    """The error for more candidate splits than that.

    >>> str(too_many(1000)).split(".")[0]
    'splitters must list at most 1000 candidate splits, got more'
    """
    remedy = "Use quantile_cuts(20) for numbers, one_value() for words, or a larger max_candidates."
    remedy += " Only optimal() with an objective that counts errors searches all thresholds."
    return ValueError(f"splitters must list at most {most} candidate splits, got more. {remedy}")


def check_splitters(splitters: Any) -> None:
    """Raise a TypeError for anything but a sequence of splitters that list candidates.

    >>> check_splitters([threshold()])
    """
    wanted = "splitters that list candidates, such as one_value(), threshold() or quantile_cuts(20)"
    if not isinstance(splitters, Sequence):
        raise TypeError(f"splitters must be a sequence of {wanted}, got {name_of(splitters)}.")
    for splitter in splitters:
        if isinstance(splitter, type) or not isinstance(splitter, ListsCandidates):
            raise TypeError(f"splitters must be {wanted}, got {name_of(splitter)}.")


def listed_of_column(
    number: int, feature: Feature, column: Array, weights: Array, splitters: Sequence[ListsCandidates]
) -> tuple[list[Split], Array, Array]:
    """The splits of a column that divide its rows; the child (C, V) of each distinct value; and the value of each row.

    >>> listed_of_column(0, Feature("x", "numeric"), np.array([3.0, 1.0]), np.ones(2), [threshold()])[:2]
    ([Threshold(feature=0, at=2.0)], array([[0, 1]], dtype=int16))
    """
    values, of_row = distinct_places(column)
    missing = bool((of_row == len(values)).any())
    # The last cell is for missing values, if there are any.
    cells = np.append(values, np.nan if column.dtype.kind == "f" else -1) if missing else values
    cases = np.bincount(of_row, weights, len(values))[: len(values)]
    distinct = DistinctValues(number, feature.name, values, cases)
    splits, children = [], []
    for splitter in splitters:
        if feature.kind in splitter.kinds:
            for split in and_missing(number, splitter.candidates(distinct), missing=missing):
                child = child_of(split, cells)
                _check_child(splitter, split, child)
                if child.min() < child.max():
                    splits.append(split)
                    children.append(child.astype(np.int16))
    return splits, np.array(children, dtype=np.int16).reshape(len(splits), len(cells)), of_row


def distinct_places(column: Array) -> tuple[Array, Array]:
    """The distinct known values of a column, in order, and the place of each cell among them; that of missing cells is the last.

    Codes are counted, which is faster than sorting.

    >>> distinct_places(np.array([2.5, np.nan, 1.0, 2.5]))
    (array([1. , 2.5]), array([1, 2, 0, 1]))
    """
    if column.dtype.kind == "f":
        values, place = np.unique(column, return_inverse=True)
        n_known = int(np.searchsorted(values, np.nan))
        return values[:n_known], np.minimum(place.ravel(), n_known)
    present = np.bincount(column + np.intp(1))[1:] > 0
    values = np.flatnonzero(present)
    place = np.append(np.cumsum(present) - 1, len(values))  # a missing cell has code -1, and takes the last
    return values.astype(column.dtype), place[column]


def and_missing(feature: int, splits: Sequence[Split], *, missing: bool) -> Iterator[Split]:
    """The splits, each with every possible child for missing values, and last "is missing".

    >>> [str(split) for split in and_missing(0, [], missing=True)]
    ['IsMissing(feature=0)']
    """
    if not missing:
        yield from splits
        return
    for split in splits:
        ends = range(_TWO) if split.n_children == _TWO else [split.n_children]
        yield from (WithDefault(split, default_child=child) for child in ends)
    yield IsMissing(feature)


def _check_child(splitter: Any, split: Split, child: Array) -> None:
    if child.min(initial=0) < 0:
        raise ValueError(f"{name_of(splitter)} must list splits with a child for all values present, got {short_repr(split)}.")


def division_of(child: Array) -> bytes:
    """A division of rows, whatever the numbers of its children: they are renumbered in the order of their first rows.

    >>> division_of(np.array([0, 1, 1])) == division_of(np.array([1, 0, 0]))
    True
    """
    if child.max() == 1:
        return np.packbits(child != child[0]).tobytes()
    _, first, of_row = np.unique(child, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int16)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[of_row].tobytes()


def _groups(divisions: Iterable[Array], n: int) -> Array:
    """The groups (n,) of rows that no division (n,) separates, numbered without gaps.

    A group is a number below `n_codes`; gaps between numbers are closed only when these would become too large.
    """
    code, n_codes = np.zeros(n, dtype=np.int64), 1
    for division in divisions:
        size = int(division.max()) + 1
        if n_codes * size > _MOST_CODES:
            code = np.unique(code, return_inverse=True)[1].ravel()
            n_codes = int(code.max()) + 1
        code, n_codes = code * size + division, n_codes * size
    return np.unique(code, return_inverse=True)[1].ravel()


def prepared_rows(dataset: Dataset, missing: Any) -> Dataset:
    """The rows as the policy for missing values prepares them; only policies that send each row to one child are exact.

    Raises a ValueError for another policy, and, by `as_value`, for missing numbers.

    >>> prepared_rows(Dataset.from_rows([[1], [None]], [0, 1]), "ignore")
    Traceback (most recent call last):
    ValueError: missing must be as_branch() or as_value(), got ignore(). Use one of these two.
    """
    policy = as_missing_policy(missing)
    if not isinstance(policy, as_branch | as_value):
        message = f"missing must be as_branch() or as_value(), got {name_of(policy)}. Use one of these two."
        raise ValueError(message)  # noqa: TRY004  # it is a policy too, but not a supported one
    rows = rows_with_weight(dataset)
    if isinstance(policy, as_branch):
        return rows
    rows = policy.prepare(rows)
    for feature, column in zip(rows.schema.features, rows.columns, strict=True):
        if missing_cells(column).any():
            raise ValueError(
                f"{feature.name!r} must have no missing value for as_value(), since its kind is {feature.kind}. Use as_branch()."
            )
    return rows
