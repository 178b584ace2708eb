"""The questions a branch can ask, and which child each answer leads to.

A split knows features' numbers and values as numbers (codes of nominal and ordinal values, floats of numeric
ones); it knows no name and no data. `child_of` is the only place that says which way a value goes: growth,
prediction and recounting all ask it.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import pairwise
from math import inf, isfinite
from numbers import Integral
from operator import add, index
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import field, frozen
from attrs.converters import optional

from ftree._fields import as_tuple
from ftree._kernels import missing_cells

Columns: TypeAlias = "tuple[npt.NDArray[Any], ...]"
Integers: TypeAlias = npt.NDArray[np.intp]

# The child of a value that is missing, or that the split has never seen.
UNKNOWN = -1


def _column_number(feature: Any) -> int:
    try:
        return index(feature)
    except TypeError:
        message = f"A split's feature is a column number (schema.position finds it by name); {feature!r} came."
        raise TypeError(message) from None


def _number(at: Any) -> float:
    try:
        return float(at)
    except (TypeError, ValueError):
        message = f"A threshold is a finite number; {at!r} came."
        raise TypeError(message) from None


def _codes(values: Any) -> tuple[int, ...]:
    try:
        return tuple(index(_whole(value)) for value in values)
    except TypeError:
        message = f"A split's values are codes, which are positions in Feature.values, in a sequence; {values!r} came."
        raise TypeError(message) from None


def _whole(value: Any) -> Any:
    """An integer for a whole float, such as a code from an array of floats; everything else as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _sorted_codes(values: Any) -> tuple[int, ...]:
    return tuple(sorted(_codes(values)))


def _not_negative(_: object, __: object, feature: int) -> None:
    if feature < 0:
        message = f"A split's feature is a column number from 0; it came as {feature}."
        raise ValueError(message)


def _known_codes(_: object, __: object, codes: tuple[int, ...]) -> None:
    if not codes or min(codes) < 0 or len(set(codes)) < len(codes):
        message = f"A split's values are one or more distinct codes from 0; they came as {codes}."
        raise ValueError(message)


def _finite(_: object, __: object, at: float) -> None:
    if not isfinite(at):
        message = f"A threshold is a finite number; it came as {at}."
        raise ValueError(message)


@frozen
class Multiway:
    """One child for each of the listed codes of a nominal feature, in the order listed.

    >>> Multiway(0, values=(0, 2))
    Multiway(feature=0, values=(0, 2))
    """

    feature: int = field(converter=_column_number, validator=_not_negative)
    values: tuple[int, ...] = field(converter=_codes, validator=_known_codes)


@frozen
class Threshold:
    """Child 0 for x <= at, child 1 for the rest, of a numeric feature or of an ordinal one's codes.

    >>> Threshold(2, at=2.45)
    Threshold(feature=2, at=2.45)
    """

    feature: int = field(converter=_column_number, validator=_not_negative)
    at: float = field(converter=_number, validator=_finite)


@frozen
class Subset:
    """Child 0 for the member codes of a nominal feature, child 1 for every other known value.

    >>> Subset(1, members=(0, 3))
    Subset(feature=1, members=(0, 3))
    """

    feature: int = field(converter=_column_number, validator=_not_negative)
    members: tuple[int, ...] = field(converter=_sorted_codes, validator=_known_codes)


def _weights(weights: Any) -> tuple[float, ...]:
    try:
        return tuple(float(weight) for weight in weights)
    except (TypeError, ValueError):
        message = f"The weights of a split are numbers, one for each feature; {weights!r} came."
        raise TypeError(message) from None


def _some_weight(_: object, __: object, weights: tuple[float, ...]) -> None:
    if not all(map(isfinite, weights)) or not any(weights):
        message = f"The weights of a split are finite, and not all of them 0; they came as {weights}."
        raise ValueError(message)


@frozen
class Oblique:
    """Child 0 where a weighted sum of numeric features is at most `at`, child 1 where it is more.

    There is a weight for each feature, 0 for those that are not asked. A row that misses one that is has no answer.

    >>> Oblique(weights=(1, 0, -0.5), at=2)
    Oblique(weights=(1.0, 0.0, -0.5), at=2.0)
    """

    weights: tuple[float, ...] = field(converter=_weights, validator=_some_weight)
    at: float = field(converter=_number, validator=_finite)


def _groups(groups: Any) -> tuple[tuple[int, ...], ...]:
    try:
        listed = list(groups)
    except TypeError:
        message = f"The groups of a split are sequences of codes, one for each child; {groups!r} came."
        raise TypeError(message) from None
    return tuple(map(_sorted_codes, listed))


def _apart(_: object, __: object, groups: tuple[tuple[int, ...], ...]) -> None:
    codes = [code for group in groups for code in group]
    if not all(groups) or not codes or min(codes) < 0 or len(set(codes)) < len(codes):
        message = f"The groups of a split are of one or more codes from 0 each, no code in two of them; they came as {groups}."
        raise ValueError(message)


@frozen
class Groups:
    """One child for each group of codes of a nominal feature, in the order listed.

    >>> Groups(0, groups=((0, 2), (1,)))
    Groups(feature=0, groups=((0, 2), (1,)))
    """

    feature: int = field(converter=_column_number, validator=_not_negative)
    groups: tuple[tuple[int, ...], ...] = field(converter=_groups, validator=_apart)


def _numbers(cuts: Any) -> tuple[float, ...]:
    try:
        return tuple(map(_number, cuts))
    except TypeError:
        message = f"The cuts of a split are finite numbers in a sequence; {cuts!r} came."
        raise TypeError(message) from None


def _rising(_: object, __: object, cuts: tuple[float, ...]) -> None:
    if not cuts or not all(map(isfinite, cuts)) or any(low >= high for low, high in pairwise(cuts)):
        message = f"The cuts of a split are one or more finite numbers, each larger than the one before; they came as {cuts}."
        raise ValueError(message)


@frozen
class Intervals:
    """Child i for x above i of the cuts: x <= cuts[0] is child 0, cuts[0] < x <= cuts[1] is child 1, and so on.

    Of a numeric feature, or of an ordinal one's codes.

    >>> Intervals(2, cuts=(2.45, 4.75))
    Intervals(feature=2, cuts=(2.45, 4.75))
    """

    feature: int = field(converter=_column_number, validator=_not_negative)
    cuts: tuple[float, ...] = field(converter=_numbers, validator=_rising)


OfOneFeature: TypeAlias = Multiway | Threshold | Subset | Groups | Intervals


def _in_two(_: object, __: object, split: Any) -> None:
    if not isinstance(split, (Threshold, Subset, Groups)) or arity(split) != 2:  # noqa: PLR2004  # one side and the other
        message = f"A surrogate is a split in two, a Threshold, a Subset or Groups of two; {split!r} came."
        raise TypeError(message)


def _threshold_or_subset(_: object, __: object, split: Any) -> None:
    if not isinstance(split, (Threshold, Subset)):
        message = f"Surrogates back a split in two, a Threshold, a Subset; {split!r} came."
        raise TypeError(message)


def _share(share: Any) -> float:
    try:
        return float(share)
    except (TypeError, ValueError):
        message = f"What a surrogate agrees in is a share, a finite number; {share!r} came."
        raise TypeError(message) from None


def _finite_share(_: object, attribute: Any, share: float) -> None:
    if not isfinite(share):
        message = f"A surrogate's {attribute.name} is a share, a finite number; it came as {share}."
        raise ValueError(message)


def _a_side(child: Any) -> int:
    if not (isinstance(child, Integral) and child in (0, 1)):
        message = f"A child of a split in two is 0 or 1; {child!r} came."
        raise ValueError(message)
    return int(child)


def _surrogates_only(_: object, __: object, surrogates: tuple[Any, ...]) -> None:
    for each in surrogates:
        if not isinstance(each, Surrogate):
            message = f"A split is backed by surrogates, such as Surrogate(Threshold(1, 0.5)); {each!r} came."
            raise TypeError(message)


@frozen
class Surrogate:
    """A split in two that stands in for another: its child 0 means child `first` of that one, and its child 1 the other.

    `agreement` is the share of the cases known to that one that it sends the same way, `adjusted` how much of what following
    the majority gets wrong it gets right.

    Source: Breiman et al. 1984, section 5.3.

    >>> Surrogate(Threshold(1, 0.5), first=1, agreement=0.9, adjusted=0.5)
    Surrogate(split=Threshold(feature=1, at=0.5), first=1, agreement=0.9, adjusted=0.5)
    """

    split: Threshold | Subset | Groups = field(validator=_in_two)
    first: int = field(default=0, converter=_a_side)
    agreement: float = field(default=1.0, converter=_share, validator=_finite_share)
    adjusted: float = field(default=1.0, converter=_share, validator=_finite_share)


@frozen
class Backed:
    """A split in two with surrogates: where its own feature has no answer the first surrogate that has one answers.

    A case that none of them knows goes to child `otherwise`, or has no answer where that is None.

    Source: Breiman et al. 1984, section 5.3.

    >>> Backed(Threshold(0, 2.5), [Surrogate(Threshold(1, 0.5))], otherwise=1).otherwise
    1
    """

    split: Threshold | Subset = field(validator=_threshold_or_subset)
    surrogates: tuple[Surrogate, ...] = field(default=(), converter=as_tuple, validator=_surrogates_only)
    otherwise: int | None = field(default=None, converter=optional(_a_side))


Split: TypeAlias = OfOneFeature | Oblique | Backed


def features_of(split: Split) -> tuple[int, ...]:
    """Numbers of the features that a split asks.

    >>> features_of(Threshold(3, 0.5)), features_of(Oblique((1, 0, -0.5), 2))
    ((3,), (0, 2))
    """
    match split:
        case Oblique():
            return tuple(number for number, weight in enumerate(split.weights) if weight)
        case Backed():
            return (split.split.feature, *(surrogate.split.feature for surrogate in split.surrogates))
        case _:
            return (split.feature,)


def primary(split: Split) -> OfOneFeature | Oblique:
    """The split that asks first: itself, or the one that surrogates stand in for. It divides the cases that are known.

    >>> primary(Backed(Threshold(0, 2.5), [Surrogate(Threshold(1, 0.5))]))
    Threshold(feature=0, at=2.5)
    """
    return split.split if isinstance(split, Backed) else split


def bounds(split: Threshold | Intervals | Oblique, child: int) -> tuple[float, float]:
    """Above which number, and at most which, lies what goes to a child.

    >>> bounds(Threshold(0, 2.5), 1), bounds(Intervals(0, (2, 5)), 1)
    ((2.5, inf), (2.0, 5.0))
    """
    cuts = (-inf, *(split.cuts if isinstance(split, Intervals) else (split.at,)), inf)
    return cuts[child], cuts[child + 1]


def arity(split: Split) -> int:
    """Number of children.

    >>> arity(Multiway(0, (0, 1, 4))), arity(Threshold(0, 0.5)), arity(Intervals(0, (1, 2)))
    (3, 2, 3)
    """
    match split:
        case Multiway():
            return len(split.values)
        case Groups():
            return len(split.groups)
        case Intervals():
            return len(split.cuts) + 1
        case _:
            return 2


def weighted_sum(weights: Iterable[float], values: Iterable[Any]) -> Any:
    """The sum of values, or of columns of them, times their weights, added up from left to right.

    In this order everywhere: another one would round to another number, and a case on the border go another way.

    >>> weighted_sum((1.0, -0.5), (3.0, 2.0))
    2.0
    """
    # What is too large for a float becomes infinite, or NaN, which is not more than anything.
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        # Not `sum`, which from Python 3.12 on makes up for rounding where it adds numbers, and not where it adds columns.
        return reduce(add, (weight * value for weight, value in zip(weights, values, strict=True)))


def child_of(split: Split, *columns: npt.NDArray[Any]) -> Integers:
    """Child number for each value of the split's column, -1 where the value is missing or unknown to the split.

    A column holds codes with -1 missing, or floats with NaN missing; the answer has its shape. An `Oblique` needs all the
    columns of `features_of(split)`, in that order.

    >>> child_of(Threshold(0, 2.5), np.array([1.0, 2.5, 3.0, np.nan])).tolist()
    [0, 0, 1, -1]
    >>> child_of(Multiway(0, (0, 2)), np.array([0, 1, 2, -1])).tolist()
    [0, -1, 1, -1]
    >>> child_of(Oblique((1, 1), 2), np.array([1.0, 1.0, np.nan]), np.array([1.0, 1.5, 0.0])).tolist()
    [0, 1, -1]
    """
    if isinstance(split, Oblique):
        missing = np.logical_or.reduce([np.isnan(column) for column in columns])
        total = weighted_sum(filter(None, split.weights), (column.astype(np.float64) for column in columns))
        return np.where(missing, UNKNOWN, total > split.at)
    if isinstance(split, Backed):
        return _child_of_backed(split, columns)
    return _child_of_one(split, columns[0])


def children_of(splits: Sequence[Split], sizes: Integers, columns: Columns, rows: Integers) -> Integers:
    """`child_of` for many splits at once, of which each is asked by the next so many of the rows.

    >>> column = np.array([1.0, 2.0, 3.0])
    >>> children_of([Threshold(0, 1.5), Threshold(0, 2.5)], np.array([2, 1]), (column,), np.array([0, 1, 2])).tolist()
    [0, 1, 1]
    """
    if len(splits) == 1:
        return child_of(splits[0], *(columns[feature][rows] for feature in features_of(splits[0])))
    ends = sizes.cumsum()
    child = np.empty(len(rows), dtype=np.intp)
    thresholds: defaultdict[int, list[int]] = defaultdict(list)
    for number, split in enumerate(splits):
        if isinstance(split, Threshold):
            thresholds[split.feature].append(number)
        else:
            here = slice(ends[number] - sizes[number], ends[number])
            child[here] = child_of(split, *(columns[feature][rows[here]] for feature in features_of(split)))
    for feature, numbers in thresholds.items():
        asked = np.repeat(np.bincount(numbers, minlength=len(splits)).astype(bool), sizes)
        cuts = [split.at for split in map(splits.__getitem__, numbers) if isinstance(split, Threshold)]
        column = columns[feature][rows[asked]]
        child[asked] = np.where(missing_cells(column), UNKNOWN, column > np.repeat(np.array(cuts), sizes[numbers]))
    return child


def is_high(split: Threshold, column: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Which values go to child 1 of a threshold: the answer of `child_of` for a column that misses none, at less cost.

    >>> is_high(Threshold(0, 2.5), np.array([2.5, 3.0])).tolist()
    [False, True]
    """
    # In float64, so that a float32 column is compared in full precision.
    high: npt.NDArray[np.bool_] = column > np.float64(split.at)
    return high


def _child_of_backed(split: Backed, columns: Sequence[npt.NDArray[Any]]) -> Integers:
    child = _child_of_one(split.split, columns[0])
    for surrogate, column in zip(split.surrogates, columns[1:], strict=True):
        answer = _child_of_one(surrogate.split, column)
        meant = answer if surrogate.first == 0 else np.where(answer == UNKNOWN, UNKNOWN, 1 - answer)
        child = np.where(child == UNKNOWN, meant, child)
    return child if split.otherwise is None else np.where(child == UNKNOWN, split.otherwise, child)


def _child_of_one(split: OfOneFeature, column: npt.NDArray[Any]) -> Integers:
    missing = missing_cells(column)
    match split:
        case Threshold():
            return np.where(missing, UNKNOWN, is_high(split, column))
        case Intervals():
            return np.where(missing, UNKNOWN, np.searchsorted(split.cuts, column.astype(np.float64)))
    codes = np.where(missing, np.intp(UNKNOWN), column).astype(np.intp)
    match split:
        case Multiway():
            return _lookup(split.values, tuple(range(len(split.values))), UNKNOWN, codes)
        case Groups():
            listed = tuple(code for group in split.groups for code in group)
            children = tuple(child for child, group in enumerate(split.groups) for _ in group)
            return _lookup(listed, children, UNKNOWN, codes)
    return np.where(missing, UNKNOWN, _lookup(split.members, (0,) * len(split.members), 1, codes))


def _lookup(codes: tuple[int, ...], children: tuple[int, ...], otherwise: int, column: Integers) -> Integers:
    """Route by a table with one more cell than the largest code, for all codes that are not listed."""
    beyond = max(codes) + 1
    table = np.full(beyond + 1, otherwise, dtype=np.intp)
    table[list(codes)] = children
    return table[np.where((column < 0) | (column > beyond), beyond, column)]
