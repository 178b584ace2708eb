"""Impurities of class counts.

Counts have the classes on the last axis. Every function broadcasts over the other axes, so that one call is enough
for a whole level. Counts may be fractions.
"""

from collections.abc import Callable
from functools import lru_cache
from math import ceil, log2
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ftree._lib.arrays import Array, Floats
from ftree._lib.fields import name_of
from ftree._lib.messages import short_repr

# The impurity of nodes: from class counts (..., K) to numbers (...), 0 for a pure node.
Impurity: TypeAlias = Callable[[Any], Any]
# Bound on the rounding error in the difference of two equal sums, in bits; every gain that matters is larger.
ROUNDING = 1e-12


def entropy(counts: npt.ArrayLike) -> Floats:
    """Entropy of class counts in bits: -sum p log2 p, with 0 log 0 = 0; shape (..., K) to (...).

    Source: Shannon 1948; Quinlan 1986, section 4.

    >>> round(float(entropy([9, 5])), 6)
    0.940286
    >>> entropy([[4, 4], [8, 0], [0, 0]]).tolist()
    [1.0, 0.0, 0.0]
    """
    shares = proportions(counts)
    bits: Floats = (shares * np.log2(np.where(shares > 0, shares, 1.0))).sum(axis=-1)
    return np.abs(bits)


def gini(counts: npt.ArrayLike) -> Floats:
    """Gini index of class counts: 1 - sum p^2, between 0 and 1 - 1/K; shape (..., K) to (...).

    Source: Breiman et al. 1984, section 4.3.

    >>> float(gini([5, 5])), float(gini([10, 0]))
    (0.5, 0.0)
    """
    shares = proportions(counts)
    # The sum of p(1 - p), since 1 - sum p^2 would make an empty node impure.
    mixed: Floats = (shares * (1.0 - shares)).sum(axis=-1)
    return mixed


def misclassification(counts: npt.ArrayLike) -> Floats:
    """Share of cases outside the largest class, between 0 and 1 - 1/K; shape (..., K) to (...).

    Source: Breiman et al. 1984, section 4.1.

    >>> float(misclassification([3, 1]))
    0.25
    """
    shares = proportions(counts)
    missed: Floats = shares.sum(axis=-1) - shares.max(axis=-1, initial=0.0)
    return np.maximum(missed, 0.0)


def dkm(counts: npt.ArrayLike) -> Floats:
    """2 sqrt(p (1 - p)) for two classes; for more, the sum over classes of sqrt(p (1 - p)), which can then exceed 1.

    Source: Dietterich, Kearns & Mansour 1996.

    >>> float(dkm([5, 5])), float(dkm([10, 0]))
    (1.0, 0.0)
    """
    shares = proportions(counts)
    mixed: Floats = np.sqrt(shares * (1.0 - shares)).sum(axis=-1)
    return mixed


def kl_divergence(counts: npt.ArrayLike, reference: npt.ArrayLike) -> Floats:
    """Kullback-Leibler divergence in bits of two distributions given as counts; (..., K) and (..., K) to (...).

    It is infinite where the reference has no case of a class that the counts have. The gain of a split is the mean
    divergence of its children from their parent, weighted by the children's sizes.

    Source: Kullback & Leibler 1951.

    >>> float(kl_divergence([1, 0], [1, 1]))
    1.0
    """
    p, q = proportions(counts), proportions(reference)
    if p.shape[-1] != q.shape[-1]:
        raise ValueError(f"reference must have a count for each of {p.shape[-1]} classes, got {short_repr(reference)}.")
    p, q = np.broadcast_arrays(p, q)
    with np.errstate(divide="ignore"):
        terms = np.where(p > 0, p * (np.log2(np.where(p > 0, p, 1.0)) - np.log2(np.where(p > 0, q, 1.0))), 0.0)
    return without_rounding(terms.sum(axis=-1))


def proportions(counts: npt.ArrayLike) -> Floats:
    """Counts divided by their sum over the last axis, zeros where the sum is zero; shape kept.

    Raises a ValueError for negative counts.

    >>> proportions([[1, 3], [0, 0]]).tolist()
    [[0.25, 0.75], [0.0, 0.0]]
    """
    weights = checked_counts(counts)
    total = weights.sum(axis=-1, keepdims=True)
    return weights / np.where(total > 0, total, 1.0)


def checked_counts(counts: npt.ArrayLike) -> Floats:
    """Class counts (..., K) as floats; ValueError for other values than numbers from 0."""
    try:
        weights = np.asarray(counts, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):  # text, lists of several lengths, whole numbers beyond the range of floats
        weights = np.empty(())
    if weights.ndim == 0 or (weights.size and weights.min() < 0):
        raise ValueError(f"counts must be numbers from 0, with classes on the last axis, got {short_repr(counts)}.")
    return weights


def without_rounding(values: npt.ArrayLike) -> Floats:
    """Values with negative rounding errors (above -1e-12) replaced by zero; other negative values stay.

    >>> without_rounding([-1e-16, -0.5, 0.25]).tolist()
    [0.0, -0.5, 0.25]
    """
    numbers = np.asarray(values, dtype=np.float64)
    return np.where((numbers <= 0) & (numbers > -ROUNDING), 0.0, numbers)


def is_of_sums(impurity: Any) -> bool:
    """Whether an impurity measures sums, as every `ImpurityOfSums` does, and not class counts.

    >>> from ftree.criteria import variance
    >>> is_of_sums(variance), is_of_sums(gini)
    (True, False)
    """
    return hasattr(impurity, "impurity_decrease")


def require_of_classes(name: str, impurity: Impurity) -> Impurity:
    """The impurity itself. Raises a ValueError for one of sums, such as `variance`, which would take class counts for sums.

    >>> from ftree.criteria import variance
    >>> require_of_classes("risk", variance)
    Traceback (most recent call last):
    ValueError: risk must be a function of class counts, such as gini, for a tree of classes, got variance.
    """
    if is_of_sums(impurity):
        wanted = "a function of class counts, such as gini, for a tree of classes"
        raise ValueError(f"{name} must be {wanted}, got {name_of(impurity)}.")
    return impurity


def checked(function: Any, answer: Any, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """The result of a score or an impurity as an array.

    Raises a ValueError with a remedy if it is not one number for each node, or is NaN.

    >>> checked(max, [0.5, 1], (2,)).tolist()
    [0.5, 1.0]
    """
    try:
        array = np.asarray(answer)
    except ValueError:  # rows of several lengths, or lists inside themselves
        array = np.array(None)
    if array.shape != shape or array.dtype.kind not in "iufb":
        wanted = f"numbers of shape {shape}, one for each of the leading (...) of counts (..., K)"
        remedy = "Reduce the last axis, as counts.sum(axis=-1) does."
        raise ValueError(f"{name_of(function)} must return {wanted}, got {array.dtype} of shape {array.shape}. {remedy}")
    if np.isnan(array).any():
        remedy = "Return 0 for an empty node or child; a class without cases adds 0 (0 log 0 is 0)."
        raise ValueError(f"{name_of(function)} must return numbers, got NaN. {remedy}")
    return array


def positive(weights: Any) -> Any:
    """Weights to divide by, with 1 instead of 0, so that a node without cases has share 0.

    >>> positive(np.array([2, 0])).tolist()
    [2, 1]
    """
    return np.where(weights > 0, weights, 1)


# Impurities in numbers, for C

# As `native/native.h` numbers them: three of classes, any function at an address, that of numbers, and that of events.
ENTROPY, GINI, MISCLASSIFICATION, OWN, VARIANCE, POISSON = range(6)
_OF_CLASSES: tuple[Impurity, ...] = (entropy, gini, misclassification)


def impurity_code(impurity: Impurity) -> int | None:
    """The number by which C knows an impurity of classes; None for one that is not the library's.

    >>> impurity_code(gini) == GINI, impurity_code(len)
    (True, None)
    """
    return _OF_CLASSES.index(impurity) if impurity in _OF_CLASSES else None


@lru_cache(maxsize=2)
def whole_n_log_n(total: int) -> tuple[Array, float]:
    """N log2 n for n from 0 to `total`, in whole numbers of 1/unit bits, and the unit, as large as sums allow.

    >>> numbers, unit = whole_n_log_n(4)
    >>> (numbers / unit).round(6).tolist()
    [0.0, 0.0, 2.0, 4.754888, 8.0, 11.60964]
    """
    exact = n_log_n(total + 1)
    unit = 2.0 ** (62 - ceil(log2(max(exact[-1], 2.0))))
    # The product is exact in extended precision only; in double precision it is known to 53 bits, which is sufficient here.
    return np.round(exact * unit).astype(np.int64), unit


@lru_cache(maxsize=2)
def n_log_n(most: int) -> Floats:
    """N log2 n for n from 0 to `most`.

    >>> n_log_n(4).round(6).tolist()
    [0.0, 0.0, 2.0, 4.754888, 8.0]
    """
    n = np.arange(most + 1, dtype=np.float64)
    product: Floats = n * np.log2(np.maximum(n, 1))
    return product
