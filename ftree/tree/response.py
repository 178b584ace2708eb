"""The response of a tree: what the cases of a node add up to, its counts, and what the node answers.

A node has the sums of its cases, in channels: a case of the second of three classes adds (0, 1, 0), a case with a number y adds
(1, y, y^2), each times its weight. Sums add up, so cutting a branch needs no data, whatever the response.

`numbers` and `ftree.tree.exact_sums` are the responses of sums; of the latter are those of users, and `events`.

The sums of numbers are exact. A number is counted from the smallest one, the `centre`, in multiples of a `unit`. The unit is a
power of two; it is a power of ten if all numbers have few decimals and no power of two divides them, as 18.1. So decimals are
not rounded, and other numbers once, by at most 2^-41 of the range of all. All sums are whole numbers, which are the same in any
order. Source for the channels: Breiman et al. 1984, section 8.3.
"""

from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from math import floor, frexp, inf, isfinite, ldexp, log10, sqrt
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.arrays import Array, Floats, least_as_large
from ftree._lib.fields import as_float, as_tuple, is_finite, must_be
from ftree._lib.limbs import squares
from ftree._lib.messages import short_repr
from ftree.tree.formats import format_number
from ftree.tree.response_protocol import ResponseOfSums, ResponseOptions, Sums


@frozen
class classes:  # named like a function
    """The response of classes: a node counts the cases of each, and answers with the most frequent one; its risk is its errors.

    >>> ride = classes(("no", "yes"))
    >>> ride.answer((3, 1)), ride.risk((3, 1)), ride.loss("yes", (3, 1))
    ('no', 1, 3)
    """

    labels: tuple[Hashable, ...] = field(converter=as_tuple)
    kind, further_targets, row_features, options = "classes", (), (), ResponseOptions()

    @property
    def channels(self) -> tuple[Hashable, ...]:
        """The labels."""
        return self.labels

    def weight(self, sums: Any) -> Any:
        """Cases of all classes together."""
        return np.asarray(sums).sum(axis=-1)

    def answer(self, sums: Sums) -> Hashable:
        """The most frequent class, the first of equal ones."""
        return self.labels[majority(sums)]

    def risk(self, sums: Sums) -> float:
        """Cases of other classes than the most frequent one."""
        return sum(sums) - max(sums)

    def loss(self, answer: Hashable, sums: Sums) -> float:
        """Cases of other classes than the answer."""
        return sum(sums) - (sums[self.labels.index(answer)] if answer in self.labels else 0)

    def text(self, answer: Hashable) -> str:
        """The label."""
        return str(answer)


def _is_power_of_two(value: Any) -> bool:
    return _is_above_zero(value) and frexp(value)[0] == 0.5  # noqa: PLR2004  # the mantissa of every power of two


def _is_above_zero(value: Any) -> bool:
    return is_finite(value) and value > 0


# So many bits has a number between the smallest and the largest one; and the exponent of the smallest float.
BITS, _LEAST_EXPONENT = 40, -1074
# Rows taken from a table keep its unit, unless their range is so much smaller.
_COARSER = 1 << 10
# Decimals times their power of ten are whole numbers of fewer bits than floats have, and powers of ten are exact.
_EXACT, _LEAST_DECIMAL, _FEW = 50, 1e-15, 64
# Whole numbers of 64 bits count fewer units.
_MOST_UNITS = 2.0**63
# The share of the range by which 0.1 + 0.2 and such may differ from their decimals.
_NEAR = 2.0**-48
_a_unit = must_be("a number above 0, and at most 1e300", lambda value: _is_above_zero(value) and value <= 1e300)  # noqa: PLR2004
_a_power_of_two = must_be("a power of two, such as 0.25", _is_power_of_two)


@frozen
class numbers:  # named like a function
    """The response of numbers: a node answers with the mean of its cases; its risk is the sum of their squared distances from it.

    A node has three sums: its cases, the sum of their numbers, and the sum of their squares. The numbers count from `centre`, in
    multiples of `unit`. If a tree has parts of cases, or weights that are not whole, both sums are in multiples of `part`.

    Raises a ValueError for a centre that is not finite, a unit that is not above 0, and a part that is not a power of two.

    >>> ages = numbers.of([20.0, 22.5, 30.0])
    >>> ages, ages.whole([20.0, 22.5, 30.0]).tolist()
    (numbers(centre=20.0, unit=0.5, part=1.0), [0, 5, 20])
    >>> ages.answer((3, 25, 425)), ages.risk((3, 25, 425))
    (24.166666666666668, 54.166666666666664)
    >>> prices = numbers.of([9.9, 18.1])
    >>> prices, prices.answer((1, 82, 6724))
    (numbers(centre=9.9, unit=0.1, part=1.0), 18.1)
    >>> numbers(0.25, 0.1).answer((1, 3, 9))  # the centre is no multiple of the unit
    0.55
    """

    centre: float = field(default=0.0, converter=as_float, validator=must_be("a finite number", is_finite))
    unit: float = field(default=1.0, converter=as_float, validator=_a_unit)
    part: float = field(default=1.0, converter=as_float, validator=_a_power_of_two)
    kind, channels, widths = "numbers", ("cases", "sum", "squares"), (1, 2)
    further_targets, row_features, squared, options = (), (), 1, ResponseOptions()

    @classmethod
    def of(cls, values: Iterable[float], *_: Any) -> "numbers":
        """The response of these numbers, whose centre is the smallest one; the unit divides the range of all by at least 2^39.

        The unit is larger if each number is still a multiple of it, so that sums of whole numbers are whole numbers. If no power
        of two divides all numbers, and they have few decimals, it is a power of ten.

        Raises a ValueError for a range beyond the floats.
        """
        try:
            column = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            column = np.empty(())
        if column.ndim != 1:
            raise ValueError(f"values must be a sequence of numbers, got {short_repr(values)}.")
        low, high = (float(column.min()), float(column.max())) if column.size else (0.0, 0.0)
        if not isfinite(high - low):
            got = f"numbers from {low:g} to {high:g}"
            raise ValueError(f"The range of a numeric target must fit a float64, got {got}. Divide all values.")
        fine = cls(low, ldexp(1.0, max(frexp(high - low)[1] - BITS, _LEAST_EXPONENT)))
        whole = fine.whole(column)
        if (fine.at(whole) != column).any() and (digits := _decimals(column, high - low)):
            return cls(round(low, digits), 10.0**-digits)
        bits = int(np.bitwise_or.reduce(whole, initial=0))
        return cls(low, fine.unit * (bits & -bits) if bits else 1.0)

    def fitting(self, values: Floats, *_: Any) -> "numbers":
        """The response itself if it fits the numbers; that of these alone if it does not."""
        steps = np.rint((values - self.centre) / self.unit)
        within = steps.min(initial=0) >= 0 and steps.max(initial=0) < 1 << BITS + 1
        if within and (self.at(steps) == values).all():
            return self
        alone = numbers.of(values)
        return self if within and self.unit <= alone.unit * _COARSER else alone

    def at_root(self, *_: Any) -> "numbers":
        """The response itself, since nothing is fixed at the root."""
        return self

    def check(self, *_: Any) -> None:
        """Refuse nothing: a dataset has checked that its numbers are finite."""

    def wholes(self, values: Any, *_: Any) -> tuple[Array, Array]:
        """The numbers as multiples of the unit from the centre, and their squares, in digits if these are large."""
        whole = self.whole(values)
        return whole, squares(whole)

    def whole(self, values: Any) -> Array:
        """Numbers as multiples of the unit from the centre, rounded. Raises a ValueError for one too far away to be counted."""
        with np.errstate(over="ignore"):
            steps: Array = np.rint((np.asarray(values, dtype=np.float64) - self.centre) / self.unit)
        if not (np.abs(steps) < _MOST_UNITS).all():
            got = f"a centre of {self.centre:g} and a unit of {self.unit:g}"
            wanted = "less than 2^63 units from the response's centre"
            raise ValueError(f"Numbers must lie {wanted}, got {got}. Take numbers.of(values).")
        return steps.astype(np.int64)

    def weight(self, sums: Any) -> Any:
        """Cases: the first sum."""
        return np.asarray(sums)[..., 0]

    def answer(self, sums: Sums) -> float:
        """The mean; the centre without cases."""
        cases, total, _ = sums
        return self.at(self.part * float(total) / float(cases)) if cases else self.centre

    def answers(self, sums: Floats) -> Floats:
        """The means of nodes, given sums (..., 3); equal to `answer` of each."""
        cases = sums[..., 0]
        means: Floats = self.at(self.part * sums[..., 1] / np.where(cases > 0, cases, 1))
        return means

    order = answers

    def losses_of_rows(self, answers: Any, sums: Floats) -> Floats:
        """The squared distances of answers from the numbers of rows, given the sums (n, 3) of one case of each."""
        squared: Floats = (self.answers(sums) - answers) ** 2
        return squared

    def risk(self, sums: Sums) -> float:
        """The sum of squared distances from the mean, subtracted as whole numbers."""
        parts, total, squares = map(_exactly, (sums[0] / self.part, *sums[1:]))
        return self._square * float((parts * squares - total * total) / parts) if parts else 0.0

    def risks(self, nodes: Sequence[Sums]) -> Floats:
        """The risk of each of many nodes, to the last bit."""
        columns = list(zip(*nodes, strict=True))
        columns[0] = tuple(cases / self.part for cases in columns[0])
        parts, total, squares = (np.array([_exactly(each) for each in column] + [0], object)[:-1] for column in columns)
        found: Floats = ((parts * squares - total * total) / np.where(parts > 0, parts, 1)).astype(np.float64)
        return self._square * found

    def deviation(self, sums: Sums) -> float:
        """The standard deviation of the cases: the root of the risk per case."""
        cases = sums[0]  # the square of the unit may overflow, and the sums of `shrunk` are rounded
        return self.unit * sqrt(max(evolve(self, unit=1.0).risk(sums), 0.0) / cases) if cases else 0.0

    def loss(self, answer: float, sums: Sums) -> float:
        """The sum of squared distances from the answer."""
        return self.risk(sums) + sums[0] * (self.answer(sums) - answer) ** 2

    def row(self, answers: Any, _: Any) -> Any:
        """The answers, which depend on the leaf alone."""
        return answers

    def text(self, answer: float) -> str:
        """The number with up to six decimals."""
        return format_number(answer)

    def at(self, steps: Any) -> Any:
        """The numbers so many units above the centre; of a decimal, that decimal."""
        start, step, divisor = self.line
        return (start + step * steps) / divisor

    @property
    def line(self) -> tuple[float, float, float]:
        """Start, step and divisor: the numbers so many units above the centre are (start + step * units) / divisor."""
        if _LEAST_DECIMAL <= self.unit < 1 and not _is_power_of_two(self.unit):
            divisor = round(1 / self.unit)
            start = round(self.centre * divisor)
            if start / divisor == self.centre:
                return float(start), 1.0, float(divisor)
        return self.centre, self.unit, 1.0

    @property
    def _square(self) -> float:
        return self.unit * self.unit * self.part


def _decimals(column: Floats, spread: float) -> int:
    """How many decimals all numbers have but for rounding, 0 if these are more than whole numbers of `BITS` bits can hold."""
    least = max(spread * 2.0**-BITS, float(np.abs(column).max(initial=0.0)) * 2.0**-_EXACT, _LEAST_DECIMAL)
    near = spread * _NEAR
    for digits in range(1, floor(-log10(least)) + 1):  # the first few numbers tell soon that all have more
        if all((np.abs(np.round(some, digits) - some) <= near).all() for some in (column[:_FEW], column)):
            return digits
    return 0


def require_finite_target(name: str, column: Floats) -> None:
    """Raise a ValueError for a column of numbers that a response reads, if it has NaN or infinity.

    >>> require_finite_target("mpg", np.array([21.0, np.nan]))
    Traceback (most recent call last):
    ValueError: The target 'mpg' must have a finite number in every row, got nan in row 1. Omit such rows.
    """
    for row in np.flatnonzero(~np.isfinite(column))[:1]:
        got = f"{column[row]} in row {row}"
        raise ValueError(f"The target {short_repr(name)} must have a finite number in every row, got {got}. Omit such rows.")


def _exactly(value: float) -> Any:
    whole = int(value)
    return whole if whole == value else Fraction(value)


def majority(counts: Iterable[float]) -> int:
    """Number of the class with the largest count; the first of those equal except for rounding errors.

    Raises a ValueError for anything but a non-empty sequence of numbers.

    >>> majority((2, 5, 5)), majority((0.3, 0.1 + 0.2))
    (1, 0)
    """
    try:
        listed = tuple(counts)
        least = least_as_large(max(listed))
        return next(number for number, count in enumerate(listed) if count >= least)
    except (TypeError, ValueError, ArithmeticError, StopIteration):  # no count is as large as infinity, or as NaN
        raise ValueError(f"counts must be numbers, one for each class, got {short_repr(counts)}.") from None


# Cases of each class, in the order of the schema's classes; or the sums of another response (`ftree.tree.response`).
Counts: TypeAlias = tuple[float, ...]
# The most that counts of a node add up to, so that products of some of them are floats.
LARGEST_COUNT = 1e100
_MOST_INT64 = 2.0**63


def as_counts(counts: Any) -> Counts:
    """A converter: counts of any sequence or array become a tuple of Python numbers."""
    try:
        listed = tuple(map(_python_number, counts.tolist() if hasattr(counts, "tolist") else counts))
        total = sum(listed)
    except (TypeError, OverflowError):
        listed, total = (), inf
    if not (listed and min(listed) >= 0 and total <= LARGEST_COUNT):  # written so that NaN is refused as well
        message = f"counts must be numbers from 0 to {LARGEST_COUNT:g} in all, one for each class, got {short_repr(counts)}."
        raise ValueError(message)
    return listed


def _python_number(count: Any) -> float:
    if type(count) is int or type(count) is float:
        return count  # the most frequent case comes first, for speed
    if not isinstance(count, Real):
        raise TypeError
    return int(count) if isinstance(count, Integral) else float(count)


def require_finite_answers(response: ResponseOfSums, sums: Iterable[Counts]) -> None:
    """Raise a ValueError for sums of a node whose answer is no number, such as those of 10^-320 cases."""
    some = [each for each in sums if each[0]]
    if not some:
        return
    with np.errstate(all="ignore"):
        found = np.asarray(response.answers(np.array(some, dtype=np.float64)))
    if found.dtype.kind != "f":  # labels
        return
    # A number of several may be infinite, such as a standard error of a single case.
    finite = np.isfinite(found) if found.ndim < 2 else ~np.isnan(found).any(axis=-1)  # noqa: PLR2004  # of each node
    if not finite.all():
        got = some[int(np.argmin(finite))]
        raise ValueError(f"Sums of a node must have a finite number as their answer, got {short_repr(got)}.")


def whole_numbers(counts: Any) -> list[float]:
    """Counts as Python numbers, whole ones as integers, so that all engines make equal reprs.

    >>> import numpy as np
    >>> whole_numbers(np.array([2.0, 0.5]))
    [2, 0.5]
    """
    return list(*all_whole_numbers(counts[np.newaxis]))


def all_whole_numbers(counts: Any) -> list[Counts]:
    """Counts of many nodes (m, K) as tuples of Python numbers, whole ones as integers.

    >>> import numpy as np
    >>> all_whole_numbers(np.array([[2.0, 0.5], [3.0, 0.0]]))
    [(2, 0.5), (3, 0)]
    """
    fits = np.abs(counts) < _MOST_INT64
    whole = np.where(fits, counts, 0).astype(np.int64)
    if (alike := whole == counts).all():
        return list(zip(*whole.T.tolist(), strict=True))
    numbers = counts.astype(object)
    numbers[alike] = whole[alike]
    for at in zip(*np.nonzero(~fits), strict=True):
        numbers[at] = int(numbers[at])  # floats are whole from 2^53 on
    return list(zip(*numbers.T.tolist(), strict=True))
