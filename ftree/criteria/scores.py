"""Scores of splits, and the tests of independence that some of them are."""

from collections.abc import Callable
from math import log
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ftree._lib.arrays import Array, Floats, read_only
from ftree._lib.fields import require_function
from ftree._lib.messages import short_repr
from ftree.criteria.impurity import ROUNDING, Impurity, entropy, is_of_sums, positive, proportions, without_rounding

# How good splits are: from children's class counts (..., V, K) and an impurity to numbers (...), larger for better splits.
Score: TypeAlias = Callable[[Any, Impurity], Any]


def gain(children: npt.ArrayLike, impurity: Impurity = entropy) -> Floats:
    """Decrease in impurity by a split (bits for entropy); children's counts (..., V, K) to (...).

    The parent's counts are the sum of its children's, and each child is weighted by its cases. The gain is never negative
    if the impurity is concave. For an impurity of sums, such as `variance`, `children` are the sums (..., V, C) of a response.

    Raises a TypeError for an impurity that is not a function, a ValueError for anything but class counts.

    Source: Quinlan 1986, section 4.

    >>> sunny, overcast, rain = [3, 2], [0, 4], [2, 3]
    >>> round(float(gain([sunny, overcast, rain])), 6)
    0.24675
    """
    require_function("impurity", impurity)
    if is_of_sums(impurity):
        of_sums: Any = impurity
        sums = np.asarray(children)
        whole = sums.sum(axis=-2)
        gained: Floats = of_sums.impurity_decrease(sums, whole[..., None, :]).sum(axis=-1) / positive(whole[..., 0])
        return gained
    counts = _of_children(children)
    left = (proportions(counts.sum(axis=-1)) * impurity(counts)).sum(axis=-1)
    return without_rounding(impurity(read_only(counts.sum(axis=-2))) - left)


def conditional_entropy(children: npt.ArrayLike) -> Floats:
    """Entropy of the class in bits, given the child; children's counts (..., V, K) to (...).

    It is the entropy of the parent minus the gain. Raises a ValueError for anything but class counts.

    Source: Shannon 1948; Quinlan 1986, section 4.

    >>> sunny, overcast, rain = [3, 2], [0, 4], [2, 3]
    >>> round(float(conditional_entropy([sunny, overcast, rain])), 6)
    0.693536
    """
    counts = _of_children(children)
    bits: Floats = (proportions(counts.sum(axis=-1)) * entropy(counts)).sum(axis=-1)
    return bits


def split_information(children: npt.ArrayLike, _impurity: Impurity = entropy) -> Floats:
    """Entropy in bits of the children's sizes; (..., V, K) to (...).

    Source: Quinlan 1986, section 7 (there called IV).

    >>> float(split_information([[2, 2], [4, 0]]))
    1.0
    """
    return entropy(_of_children(children).sum(axis=-1))


def gain_ratio(children: npt.ArrayLike, impurity: Impurity = entropy) -> Floats:
    """Gain divided by split information; 0 if only one child has cases; (..., V, K) to (...).

    Source: Quinlan 1986, section 7.

    >>> float(gain_ratio([[4, 0], [0, 4]]))
    1.0
    """
    information = split_information(children)
    return np.divide(gain(children, impurity), information, out=np.zeros_like(information), where=information > 0)


def pearson(children: npt.ArrayLike, _impurity: Impurity = entropy) -> Floats:
    """Pearson's chi-squared statistic of a split: sum of (O - E)^2 / E over children and classes; (..., V, K) to (...).

    Source: Quinlan 1986, section 5; as a measure, Mingers 1987.

    >>> float(pearson([[4, 0], [0, 4]]))
    8.0
    """
    observed = _of_children(children).astype(np.float64)
    statistic: Floats = pearson_terms(observed, proportions(observed.sum(axis=-2))[..., None, :]).sum(axis=(-2, -1))
    return statistic


def significance(children: npt.ArrayLike, _impurity: Impurity = entropy) -> Floats:
    """Significance of a split: -log10 of the p-value of Pearson's chi-squared statistic; (..., V, K) to (...).

    It is 0 if fewer than two children or classes have cases. It is finite for every statistic.

    Source: Kass 1980.

    >>> round(float(significance([[4, 0], [0, 4]])), 6)
    2.329964
    """
    return minus_log10_p(pearson(children), _dof(children))


def g_significance(children: npt.ArrayLike, _impurity: Impurity = entropy) -> Floats:
    """Significance of a split: -log10 of the p-value of the likelihood ratio statistic G; (..., V, K) to (...).

    Source: Wilks 1938.

    >>> round(float(g_significance([[4, 0], [0, 4]])), 6)
    3.061591
    >>> float(g_significance([[4, 1], [8, 2]]))
    0.0
    """
    return minus_log10_p(likelihood_ratio(children), _dof(children))


def normalised_gain(children: npt.ArrayLike, impurity: Impurity = entropy) -> Floats:
    """Gain divided by log2 of the number of children with cases; 0 if only one child has cases; (..., V, K) to (...).

    Source: Kononenko, Bratko & Roskar 1984; Jun, Kim, Song & Kim 1997.

    >>> float(normalised_gain([[2, 0], [2, 0], [0, 2], [0, 2]]))
    0.5
    """
    n_children = (_of_children(children).sum(axis=-1) > 0).sum(axis=-1)
    answer: Floats = gain(children, impurity) / np.log2(np.maximum(n_children, 2))
    return answer


def twoing(children: npt.ArrayLike, _impurity: Impurity = entropy) -> Floats:
    """Twoing of a binary split: `p_L p_R / 4 (sum over classes of |p(j|L) - p(j|R)|)^2`; (..., 2, K) to (...).

    For two classes it is half the decrease in the Gini index. Raises a ValueError for another number of children.

    Source: Breiman et al. 1984, section 4.3.

    >>> float(twoing([[4, 0], [0, 4]]))
    0.25
    """
    counts = _of_children(children)
    if counts.shape[-2] != 2:  # noqa: PLR2004  # left and right
        remedy = "Use splitters such as subset() and threshold()."
        raise ValueError(f"Splits scored by twoing must have 2 children, got {counts.shape[-2]}. {remedy}")
    shares, sizes = proportions(counts), proportions(counts.sum(axis=-1))
    apart = np.abs(shares[..., 0, :] - shares[..., 1, :]).sum(axis=-1)
    answer: Floats = sizes.prod(axis=-1) / 4 * apart**2
    return answer


def likelihood_ratio(children: npt.ArrayLike, _impurity: Impurity = entropy) -> Floats:
    """The G statistic of a split: 2 sum of O ln(O / E) over children and classes; (..., V, K) to (...).

    It is the gain in bits times 2 ln 2 times the number of cases.

    Source: Mingers 1989; Ciampi, Chang, Hogg & McKinney 1987.

    >>> round(float(likelihood_ratio([[4, 0], [0, 4]])), 6)
    11.090355
    """
    counts = _of_children(children)
    bits = gain(counts, entropy)
    known = np.where(bits > ROUNDING, bits, 0.0)  # the significance of a small G goes with its square root
    statistic: Floats = known * counts.sum(axis=(-2, -1)) * (2 * log(2))
    return statistic


def hellinger(children: npt.ArrayLike, _impurity: Impurity = entropy) -> Floats:
    """Hellinger distance between two classes' distributions over the children, 0 to sqrt 2; (..., V, K) to (...).

    It does not depend on the sizes of the classes. For more than two classes it is the largest distance between a class
    and all others; it is 0 if one of the two has no cases.

    Source: Cieslak & Chawla 2008; one class against the others, Hoens, Qian, Chawla & Zhou 2012.

    >>> round(float(hellinger([[4, 0], [0, 4]])), 6), float(hellinger([[4, 400], [4, 400]]))
    (1.414214, 0.0)
    """
    counts = _of_children(children)
    ours = proportions(np.swapaxes(counts, -1, -2))
    theirs = proportions(np.swapaxes(counts.sum(axis=-1, keepdims=True) - counts, -1, -2))
    distance = np.sqrt(((np.sqrt(ours) - np.sqrt(theirs)) ** 2).sum(axis=-1))
    both = ours.any(axis=-1) & theirs.any(axis=-1)
    answer: Floats = np.where(both, distance, 0.0).max(axis=-1)
    return answer


def _of_children(counts: npt.ArrayLike) -> npt.NDArray[Any]:
    """Children's counts as a read-only array."""
    try:
        children: npt.NDArray[Any] = read_only(np.asarray(counts))
    except ValueError:  # lists of several lengths
        children = np.empty(())
    if children.ndim < 2 or children.dtype.kind not in "biuf":  # noqa: PLR2004  # children by classes
        raise ValueError(f"children must be class counts (..., V, K), one list for each child, got {short_repr(counts)}.")
    return children


def _dof(children: npt.ArrayLike) -> npt.NDArray[Any]:
    present = _of_children(children) > 0
    dof: npt.NDArray[Any] = degrees_of_freedom(present.any(axis=-1).sum(axis=-1), present.any(axis=-2).sum(axis=-1))
    return dof


# Tests of independence between split and class.


# Smaller p-values underflow, so their logarithms are computed by a continued fraction.
_TINY = 1e-280
# Number of terms of the continued fraction.
_TERMS = 10


def pearson_terms(observed: Array, shares: Array) -> Array:
    """The terms (O - E)^2 / E of Pearson's statistic, 0 where E is 0; shape (..., V, K) kept.

    `observed` are the children's counts, `shares` the class distribution of their parent, (..., 1, K) or (..., V, K).

    >>> pearson_terms(np.array([[4, 0], [0, 4]]), np.array([0.5, 0.5])).tolist()
    [[2.0, 2.0], [2.0, 2.0]]
    """
    expected = observed.sum(axis=-1, keepdims=True) * shares
    terms: Array = np.divide((observed - expected) ** 2, expected, out=np.zeros_like(expected), where=expected > 0)
    return terms


def degrees_of_freedom(n_children: Any, n_classes: Any) -> Any:
    """Degrees of freedom of a table from the numbers of children and of classes that have cases.

    >>> int(degrees_of_freedom(3, 2)), int(degrees_of_freedom(0, 2))
    (2, 0)
    """
    return np.maximum(n_children - 1, 0) * np.maximum(n_classes - 1, 0)


def p_value(statistic: Any, dof: Any) -> Any:
    """Probability that chi-squared is at least as large as the statistic; 1 without a degree of freedom.

    >>> round(float(p_value(3.841459, 1)), 6)
    0.05
    """
    from ftree._lib.tail_probabilities import upper_tail  # noqa: PLC0415  # only significance needs it

    return upper_tail(dof, statistic)


def minus_log10_p(statistic: npt.ArrayLike, dof: npt.ArrayLike) -> Floats:
    """-log10 of the p-value of chi-squared statistics; 0 without a degree of freedom.

    >>> round(float(minus_log10_p(3.841459, 1)), 6)
    1.30103
    """
    p, positive_dof = np.asarray(p_value(statistic, dof)), np.maximum(dof, 1)
    tiny = p < _TINY
    log_p = np.log(np.where(tiny, 1.0, p))
    if tiny.any():
        log_p = np.where(tiny, _log_far_tail(positive_dof / 2, np.where(tiny, statistic, positive_dof) / 2), log_p)
    digits: Floats = np.abs(log_p / log(10))
    return digits


def _log_far_tail(a: Any, x: Any) -> Any:
    """The log of Q(a, x) by Legendre's continued fraction (Abramowitz & Stegun 6.5.31), which needs few terms if x >> a."""
    from ftree._lib.tail_probabilities import log_gamma  # noqa: PLC0415  # as above

    fraction = x + 2 * _TERMS + 1 - a
    for n in range(_TERMS, 0, -1):
        fraction = x + 2 * n - 1 - a - n * (n - a) / fraction
    # The fraction may be negative where x is not far from a; the caller does not use it there.
    return a * np.log(x) - x - log_gamma(a) - np.log(np.abs(fraction))
