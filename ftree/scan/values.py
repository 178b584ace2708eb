"""The values of wanted codes with their cases, from parts of a table."""

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, run_starts

# Values of this many rows wait to be summed; more only if as many have been summed before.
_WAITING = 1_000_000


@frozen(eq=False)
class Values:
    """Cases of wanted codes by value and class: the code's number, the value, the class and the cases, (n,) each, in order."""

    number: Array
    value: Array
    label: Array
    cases: Array

    @staticmethod
    def summed(number: Array, value: Array, label: Array, cases: Array) -> "Values":
        """Sums of the cases of equal values of one class and code.

        >>> Values.summed(np.array([1, 0, 1]), np.array([2.0, 3.0, 2.0]), np.array([0, 0, 0]), np.array([1, 1, 4])).cases.tolist()
        [1, 5]
        """
        order = np.lexsort((label, value, number))
        number, value, label, cases = number[order], value[order], label[order], cases[order]
        starts = run_starts(number, value, label)
        return Values(number[starts], value[starts], label[starts], np.add.reduceat(cases, starts) if len(starts) else cases)

    def taken(self, rows: slice) -> "Values":
        """Some of them."""
        return Values(*(getattr(self, name)[rows] for name in _NAMES))


_NAMES = ("number", "value", "label", "cases")


def merged_values(one: tuple[Values, ...], other: tuple[Values, ...]) -> tuple[Values, ...]:
    """The values of both; they are summed when this at least halves them, since it sorts all of them."""
    pieces = one + other
    sizes = [len(piece.number) for piece in pieces]
    return pieces if sum(sizes) - max(sizes) < max(_WAITING, *sizes) else (_joined(pieces),)


def values_of_codes(pieces: tuple[Values, ...], first: int, last: int, n_classes: int) -> tuple[Array, Array, Array]:
    """The values of the codes numbered from `first` to `last` - 1: the number from `first` on, the value, class counts (n, K)."""
    found = _joined([piece.taken(slice(*np.searchsorted(piece.number, [first, last]))) for piece in pieces])
    starts = np.zeros(len(found.number), dtype=bool)
    starts[run_starts(found.number, found.value)] = True
    counts = np.zeros((int(starts.sum()), n_classes), dtype=found.cases.dtype)
    counts[np.cumsum(starts) - 1, found.label] = found.cases
    return found.number[starts].astype(np.int64) - first, found.value[starts], counts


def _joined(pieces: tuple[Values, ...] | list[Values]) -> Values:
    return Values.summed(*(np.concatenate([getattr(piece, name) for piece in pieces]) for name in _NAMES))
