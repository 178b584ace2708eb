"""Impurities of class counts, and the scores of splits made from them.

Counts carry the classes on the last axis, children of a split on the axis before it; every function broadcasts
over whatever comes before, so one call answers a whole level. Counts are weights: whole numbers, or fractions.
"""

from collections.abc import Callable
from math import log
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from ftree._fields import a_function, as_tuple, name_of, reads_like_its_constructor

Floats: TypeAlias = npt.NDArray[np.float64]
Impurity: TypeAlias = Callable[[Any], Any]
Score: TypeAlias = Callable[[Any, Impurity], Any]

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
        message = f"twoing scores splits in two; one in {counts.shape[-2]} came: use families such as subset() and threshold()."
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


def dkm(counts: npt.ArrayLike) -> Floats:
    """2 sqrt(p (1 - p)) for two classes; for more, the sum over classes of sqrt(p (1 - p)), which can then exceed 1.

    Source: Dietterich, Kearns & Mansour 1996.

    >>> float(dkm([5, 5])), float(dkm([10, 0]))
    (1.0, 0.0)
    """
    shares = proportions(counts)
    mixed: Floats = np.sqrt(shares * (1.0 - shares)).sum(axis=-1)
    return mixed


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


@reads_like_its_constructor
@frozen(repr=False)
class compiled_impurity:  # written as a function is
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
        from ftree._native import call_on_each_row  # noqa: PLC0415  # loads numba, which `import ftree` does not

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
        from ftree._native import native  # noqa: PLC0415  # as above

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


def laplace(counts: npt.ArrayLike) -> Floats:
    """Class probabilities by Laplace's law of succession: (n_c + 1)/(n + K); (..., K) kept.

    Source: Niblett & Bratko 1987.

    >>> laplace([15, 1]).round(6).tolist()
    [0.888889, 0.111111]
    """
    weights = np.asarray(counts, dtype=np.float64)
    return proportions(weights + 1.0)


@frozen
class m_estimate:  # written as a function is
    """Class probabilities as if m more cases had come with the prior's shares: (n_c + m p_c)/(n + m).

    Raises a ValueError for a negative m, or a prior that is not a distribution.

    Source: Cestnik & Bratko 1991.

    >>> m_estimate(2, prior=(0.6, 0.4))([15, 1]).round(6).tolist()
    [0.9, 0.1]
    """

    m: float
    prior: tuple[float, ...] = field(converter=as_tuple)

    def __attrs_post_init__(self) -> None:
        """Check both together."""
        if not (self.m >= 0 and min(self.prior, default=-1) >= 0 and abs(sum(self.prior) - 1) < 1e-9):  # noqa: PLR2004  # rounding
            message = f"m_estimate takes m >= 0 and a prior whose shares sum to 1; m={self.m}, prior={self.prior} came."
            raise ValueError(message)

    def __call__(self, counts: npt.ArrayLike) -> Floats:
        """Estimate shares from counts (..., K)."""
        return proportions(np.asarray(counts, dtype=np.float64) + self.m * np.array(self.prior))


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
