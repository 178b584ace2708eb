"""Counts of a node as Python numbers: from what a caller gives, and in one form from the arrays of all engines."""

from collections.abc import Iterable
from math import inf
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np

from ftree._lib.messages import short_repr
from ftree.tree.schema import Schema, response_of_sums

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


def require_finite_answers(schema: Schema, sums: Iterable[Counts]) -> None:
    """Raise a ValueError for sums of a node whose answer is no number, such as those of 10^-320 cases."""
    some = [each for each in sums if each[0]]
    if not some:
        return
    with np.errstate(all="ignore"):
        found = np.asarray(response_of_sums(schema).answers(np.array(some, dtype=np.float64)))
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
