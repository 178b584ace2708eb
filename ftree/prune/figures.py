"""Figures that passes compare: scores up to rounding, expected errors of a leaf, and description lengths."""

from math import isclose, lgamma, log, log2, pi

import numpy as np
import numpy.typing as npt

from ftree._lib.arrays import Array, Floats
from ftree.tree.nodes import Counts
from ftree.tree.splits.split import Split, bits, primary

# Scores are equal if they differ by at most this share of the larger one, or, near 0, by at most this amount.
_RELATIVE, _ABSOLUTE = 1e-10, 1e-12


def same(one: float, other: float) -> bool:
    """Whether two scores are equal except for rounding.

    >>> same(0.1 + 0.2, 0.3), same(0.3, 0.3000001)
    (True, False)
    """
    return isclose(one, other, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE)


def at_most(one: float, other: float) -> bool:
    """Whether a score is smaller than another, or equal except for rounding.

    >>> at_most(0.1 + 0.2, 0.3), at_most(0.3000001, 0.3)
    (True, False)
    """
    return one <= other or same(one, other)


def same_each(ones: Floats, others: Floats) -> Array:
    """`same` for each pair of two arrays (n,).

    >>> same_each(np.array([0.1 + 0.2, 0.3]), np.array([0.3, 0.3000001])).tolist()
    [True, False]
    """
    near = np.maximum(_RELATIVE * np.maximum(abs(ones), abs(others)), _ABSOLUTE)
    answer: Array = abs(ones - others) <= near
    return answer


def expected_error(counts: npt.ArrayLike, m: float, prior: npt.ArrayLike) -> Floats:
    """The m-estimate of the error rate: m cases with the prior's shares are added to the counts; (..., K) to (...).

    >>> round(float(expected_error((15, 1), 2, (0.6, 0.4))), 6)
    0.1
    """
    smoothed = np.asarray(counts) + m * np.asarray(prior)
    total = smoothed.sum(axis=-1)
    error: Floats = np.divide(total - smoothed.max(axis=-1), total, out=np.zeros_like(total), where=total > 0)
    return error


# Description lengths in bits, of class counts in a leaf and of a split.


def class_code(counts: Counts) -> float:
    """Bits that encode the classes of the cases and the class shares; 0 without cases; less than one case counts as one.

    Source: Mehta, Rissanen & Agrawal 1995, after Krichevsky & Trofimov 1981.

    >>> round(class_code((15, 1)), 6)
    8.548137
    """
    n, k = sum(counts), len(counts)
    if not n:
        return 0.0
    coded = sum(count * log2(n / count) for count in counts if count)
    return coded + (k - 1) / 2 * log2(max(n, 1) / 2) + (k / 2 * log(pi) - lgamma(k / 2)) / log(2)


def split_cost(split: Split, distinct: float) -> float:
    """Bits that encode the value of a split on a feature with `distinct` distinct values; by default those of a threshold.

    >>> from ftree.tree import Multiway, Subset, Threshold
    >>> split_cost(Threshold(0, 0.5), 9), split_cost(Subset(0, (0,)), 2), split_cost(Multiway(0, (0, 1)), 2)
    (3.0, 1.0, 0.0)
    """
    own = bits(primary(split), distinct)
    return log2(max(distinct - 1, 1)) if own is None else own
