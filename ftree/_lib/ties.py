"""Ties: which numbers are equal except for rounding errors, and which of several equal ones wins."""

from typing import Any

# Scores and gains within this tolerance are equal: a strict comparison would choose wrongly on real data.
TIE = 1e-9
# Fractional counts are sums of rounded numbers; a count of at least this share of the largest ties with it.
NEARLY = 1 - 1e-12


def least_as_large(largest: Any) -> Any:
    """The smallest number that ties with the largest one, for a number or for an array of numbers.

    >>> least_as_large(0.0), least_as_large(0.1 + 0.2) < 0.3
    (0.0, True)
    """
    return largest - (1 - NEARLY) * abs(largest)


def first_largest(values: Any) -> Any:
    """Index of the largest value on the last axis of an array; the first of those equal except for rounding.

    >>> import numpy as np
    >>> first_largest(np.array([[1.0, 3.0, 3.0], [0.0, 0.0, 0.0]])).tolist()
    [1, 0]
    """
    return (values >= least_as_large(values.max(axis=-1, keepdims=True))).argmax(axis=-1)


def first_smallest(values: Any, scale: Any) -> Any:
    """Index of the smallest value on the last axis; the first of those equal except for rounding of sums up to `scale`.

    >>> import numpy as np
    >>> first_smallest(np.array([[0.3, 0.1 + 0.2, 0.5], [2.0, 1.0, 1.0]]), 1.0).tolist()
    [0, 1]
    """
    return (values <= values.min(axis=-1, keepdims=True) + scale * (1 - NEARLY)).argmax(axis=-1)
