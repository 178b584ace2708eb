"""Scores of splits, made from the class counts of their children and an impurity."""

from collections.abc import Callable
from math import log
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ftree._lib.arrays import Floats
from ftree.criteria.impurity import Impurity, entropy, proportions, without_rounding

Score: TypeAlias = Callable[[Any, Impurity], Any]


def gain(children: npt.ArrayLike, impurity: Impurity = entropy) -> Floats:
    """What a split takes off the impurity (bits for entropy); children's counts (..., V, K) to (...).

    The parent is the sum of its children, each child weighs as many cases as it has, and a child without
    cases adds nothing. Never negative when the impurity is concave.

    Source: Quinlan 1986, section 4.

    >>> sunny, overcast, rain = [3, 2], [0, 4], [2, 3]
    >>> round(float(gain([sunny, overcast, rain])), 6)
    0.24675
    """
    counts = _of_children(children)
    left = (proportions(counts.sum(axis=-1)) * impurity(counts)).sum(axis=-1)
    return without_rounding(impurity(counts.sum(axis=-2)) - left)


def split_information(children: npt.ArrayLike, _impurity: Impurity = entropy) -> Floats:
    """Entropy in bits of how a split divides the cases, whatever their class; (..., V, K) to (...).

    Source: Quinlan 1986, section 7 (there called IV).

    >>> float(split_information([[2, 2], [4, 0]]))
    1.0
    """
    return entropy(_of_children(children).sum(axis=-1))


def gain_ratio(children: npt.ArrayLike, impurity: Impurity = entropy) -> Floats:
    """Gain per bit of split information, 0 where the split divides nothing; (..., V, K) to (...).

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
    expected = observed.sum(axis=-1, keepdims=True) * proportions(observed.sum(axis=-2))[..., None, :]
    terms = np.divide((observed - expected) ** 2, expected, out=np.zeros_like(expected), where=expected > 0)
    statistic: Floats = terms.sum(axis=(-2, -1))
    return statistic


def significance(children: npt.ArrayLike, _impurity: Impurity = entropy) -> Floats:
    """How unlikely a split is by chance, -log10 of the p-value of Pearson's chi-squared; (..., V, K) to (...).

    0 where fewer than two children or classes have cases. Finite however large the statistic.

    Source: Kass 1980.

    >>> round(float(significance([[4, 0], [0, 4]])), 6)
    2.329964
    """
    return _minus_log10_p(pearson(children), _degrees_of_freedom(children))


def g_significance(children: npt.ArrayLike, _impurity: Impurity = entropy) -> Floats:
    """The same by the likelihood ratio, -log10 of the p-value of G; (..., V, K) to (...).

    Source: Wilks 1938.

    >>> round(float(g_significance([[4, 0], [0, 4]])), 6)
    3.061591
    """
    return _minus_log10_p(likelihood_ratio(children), _degrees_of_freedom(children))


def normalised_gain(children: npt.ArrayLike, impurity: Impurity = entropy) -> Floats:
    """Gain divided by log2 of the number of children with cases; 0 for a single one; (..., V, K) to (...).

    Source: Kononenko, Bratko & Roskar 1984; Jun, Kim, Song & Kim 1997.

    >>> float(normalised_gain([[2, 0], [2, 0], [0, 2], [0, 2]]))
    0.5
    """
    n_children = (_of_children(children).sum(axis=-1) > 0).sum(axis=-1)
    answer: Floats = gain(children, impurity) / np.log2(np.maximum(n_children, 2))
    return answer


def twoing(children: npt.ArrayLike, _impurity: Impurity = entropy) -> Floats:
    """Twoing of a split in two: p_L p_R / 4 (sum over classes of |p(j|L) - p(j|R)|)^2; (..., 2, K) to (...).

    For two classes it is the decrease in Gini, halved. Raises a ValueError for splits in another number of children.

    Source: Breiman et al. 1984, section 4.3.

    >>> float(twoing([[4, 0], [0, 4]]))
    0.25
    """
    counts = _of_children(children)
    if counts.shape[-2] != 2:  # noqa: PLR2004  # left and right
        message = f"twoing scores splits in two; one in {counts.shape[-2]} came: use splitters such as subset() and threshold()."
        raise ValueError(message)
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
    statistic: Floats = gain(counts, entropy) * counts.sum(axis=(-2, -1)) * (2 * log(2))
    return statistic


def hellinger(children: npt.ArrayLike, _impurity: Impurity = entropy) -> Floats:
    """Hellinger distance of two classes' distributions over the children, 0 to sqrt 2; (..., V, K) to (...).

    It does not depend on how many cases each class has. For more than two classes, the largest distance of a class
    from all others; 0 where one side has no cases.

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
    children = np.asarray(counts)
    if children.ndim < 2:  # noqa: PLR2004  # children by classes
        message = f"A split is scored by its children's class counts, (..., V, K): one list for each child; {counts!r} came."
        raise ValueError(message)
    return children


def _degrees_of_freedom(children: npt.ArrayLike) -> npt.NDArray[Any]:
    present = _of_children(children) > 0
    branches, classes = present.any(axis=-1).sum(axis=-1), present.any(axis=-2).sum(axis=-1)
    dof: npt.NDArray[Any] = np.maximum(branches - 1, 0) * np.maximum(classes - 1, 0)
    return dof


# Below, p-values are on their way out of the floats, and logarithms take over.
_FAR = 1e-280


def _minus_log10_p(statistic: npt.ArrayLike, dof: npt.ArrayLike) -> Floats:
    """-log10 of the probability that chi-squared is at least so large, 0 without a degree of freedom."""
    from scipy.special import chdtrc  # noqa: PLC0415  # loaded where a test is asked for, not by `import ftree`

    freedom = np.maximum(dof, 1)
    p = np.asarray(np.where(np.asarray(dof) > 0, chdtrc(freedom, statistic), 1.0))
    far = p < _FAR
    log_p = np.log(np.where(far, 1.0, p))
    if far.any():
        log_p = np.where(far, _log_of_a_far_tail(freedom / 2, np.where(far, statistic, freedom) / 2), log_p)
    digits: Floats = np.abs(log_p / log(10))
    return digits


def _log_of_a_far_tail(a: Any, x: Any) -> Any:
    """The log of Q(a, x) by Legendre's continued fraction (Abramowitz & Stegun 6.5.31), which needs few terms far from a."""
    from scipy.special import gammaln  # noqa: PLC0415  # as above

    fraction = x + 2 * _TERMS + 1 - a
    for n in range(_TERMS, 0, -1):
        fraction = x + 2 * n - 1 - a - n * (n - a) / fraction
    # What is not far is not asked for, and may well be negative.
    return a * np.log(x) - x - gammaln(a) - np.log(np.abs(fraction))


_TERMS = 10
