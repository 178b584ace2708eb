"""Impurities of class counts, and the scores of splits made from them.

Counts carry the classes on the last axis, children of a split on the axis before it; every function broadcasts
over whatever comes before, so one call answers a whole level. Counts are weights: whole numbers, or fractions.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from ftree._lib.arrays import Floats
from ftree._lib.fields import ConstructorRepr, a_function, name_of

Impurity: TypeAlias = Callable[[Any], Any]

# What is left of a difference of two equal sums after rounding, in bits; a true gain this small decides nothing.
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


@frozen(repr=False)
class compiled_impurity(ConstructorRepr):  # written as a function is
    """An impurity of your own in machine code, from a function of one node's class counts: the compiled engine asks it too.

    `function` takes counts as floats (K,), which it must leave as they are, and answers a number; numba compiles it, unless
    `numba.njit` has already, when it is first asked. As an impurity it takes counts (..., K) like any other.

    Raises a TypeError for a function that numba cannot compile, a ValueError for one that changes the counts; what the
    function itself raises comes up from here.

    >>> def at_odds(counts):
    ...     return 1.0 - counts.max() / counts.sum() if counts.sum() > 0 else 0.0
    >>> compiled_impurity(at_odds)
    compiled_impurity(at_odds)
    >>> compiled_impurity(at_odds)([[3, 1], [2, 2]]).tolist()
    [0.25, 0.5]
    """

    function: Callable[[Any], float] = field(validator=a_function)

    def __call__(self, counts: npt.ArrayLike) -> Any:
        """Ask the function for each row of counts (..., K)."""
        from ftree._lib.kernels.callback import call_on_each_row  # noqa: PLC0415  # loads numba, which `import ftree` does not

        weights = _checked_counts(counts)
        rows = weights.reshape(-1, weights.shape[-1]).copy()
        answers = np.empty(len(rows))
        call_on_each_row(rows, self.native.address, answers)
        if not np.array_equal(rows, weights.reshape(rows.shape), equal_nan=True):
            message = f"{self!r} changes the counts that it is given: it must answer from them, or from a copy (counts.copy())."
            raise ValueError(message)
        for row in np.flatnonzero(np.isnan(answers))[:1]:
            self.native.function(rows[row])  # raises again what kernels cannot tell
        return answers.reshape(weights.shape[:-1])[()]

    @property
    def native(self) -> Any:
        """The machine code; its `address` is good while it lives."""
        from ftree._lib.kernels.callback import native  # noqa: PLC0415  # as above

        try:
            return native(self.function)
        except Exception as error:  # numba does not promise what it raises: a text is a ValueError, an import no NumbaError
            message = (
                "compiled_impurity takes a function from one node's class counts, floats (K,), to a number, that numba compiles "
                f"in nopython mode; {name_of(self.function)} is not one: {error}"
            )
            raise TypeError(message) from error


def kl_divergence(counts: npt.ArrayLike, reference: npt.ArrayLike) -> Floats:
    """Kullback-Leibler divergence in bits of two distributions given as counts; (..., K) twice to (...).

    Infinite where the reference has no case of a class that the counts have. The gain of a split is the mean
    divergence of its children from their parent, each weighted by its size.

    Source: Kullback & Leibler 1951.

    >>> float(kl_divergence([1, 0], [1, 1]))
    1.0
    """
    p, q = np.broadcast_arrays(proportions(counts), proportions(reference))
    with np.errstate(divide="ignore"):
        terms = np.where(p > 0, p * (np.log2(np.where(p > 0, p, 1.0)) - np.log2(np.where(p > 0, q, 1.0))), 0.0)
    return without_rounding(terms.sum(axis=-1))


def proportions(counts: npt.ArrayLike) -> Floats:
    """Counts divided by their sum over the last axis, zeros where the sum is zero; shape kept.

    Raises a ValueError for negative counts.

    >>> proportions([[1, 3], [0, 0]]).tolist()
    [[0.25, 0.75], [0.0, 0.0]]
    """
    weights = _checked_counts(counts)
    total = weights.sum(axis=-1, keepdims=True)
    return weights / np.where(total > 0, total, 1.0)


def _checked_counts(counts: npt.ArrayLike) -> Floats:
    weights = np.asarray(counts, dtype=np.float64)
    if weights.ndim == 0 or (weights.size and weights.min() < 0):
        message = f"Counts are numbers from 0, classes on the last axis; {counts!r} came."
        raise ValueError(message)
    return weights


def without_rounding(values: npt.ArrayLike) -> Floats:
    """Values with negative crumbs of rounding (above -1e-12) set to zero; real negatives stay.

    >>> without_rounding([-1e-16, -0.5, 0.25]).tolist()
    [0.0, -0.5, 0.25]
    """
    crumbs = np.asarray(values, dtype=np.float64)
    return np.where((crumbs < 0) & (crumbs > -ROUNDING), 0.0, crumbs)


def checked(function: Any, answer: Any, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """The answer of a score or an impurity, refused with the remedy when it is not one number for each node."""
    array = np.asarray(answer)
    if array.shape != shape or array.dtype.kind not in "iufb":
        message = (
            f"{getattr(function, '__name__', function)} must broadcast: for counts (..., K) it answers one number for each "
            f"of the leading (...), by reducing the last axis (counts.sum(axis=-1)). Wanted shape {shape}, got {array.shape}."
        )
        raise ValueError(message)
    if np.isnan(array).any():
        remedy = "an empty node or child must be scored too, as 0, and a class without cases adds nothing (0 log 0 is 0)."
        message = f"{getattr(function, '__name__', function)} answered NaN; {remedy}"
        raise ValueError(message)
    return array
