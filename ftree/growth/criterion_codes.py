"""The codes of impurities and scores that the search and the kernels share, and the bound on rounding errors.

Every other code of an impurity is the address of a user's function of class counts, compiled to machine code.
"""

from ftree.criteria.impurity import Impurity, entropy, gini, misclassification
from ftree.criteria.scores import Score, gain, gain_ratio

ENTROPY, GINI, MISCLASSIFICATION = range(3)
GAIN, GAIN_RATIO = range(2)
# The options of a splitter, as columns of numbers: a child has at least `LEAST` cases, and at least the smaller of `SHARE` of the
# mean class and `MOST`; `MDL` reduces the scores of cuts; `EMPTY` is the number of values in a split into all declared
# values, else 0; up to `EXACT` values are divided in every way; `MANY` marks features with very many values.
LEAST, SHARE, MOST, MDL, EMPTY, EXACT, MANY = range(7)
N_OPTIONS = 7
_IMPURITIES: tuple[Impurity, ...] = (entropy, gini, misclassification)
_SCORES: tuple[Score, ...] = (gain, gain_ratio)

# Bound on the rounding error; closer than this to a tie, the NumPy engine decides.
GUARD = 1e-12


def impurity_code(impurity: Impurity) -> int | None:
    """The code of one of the library's impurities that kernels know; None for any other.

    >>> impurity_code(gini) == GINI, impurity_code(len)
    (True, None)
    """
    return _IMPURITIES.index(impurity) if impurity in _IMPURITIES else None


def score_code(score: Score) -> int | None:
    """The code of a score that kernels know; None for any other.

    >>> score_code(gain_ratio) == GAIN_RATIO, score_code(len)
    (True, None)
    """
    return _SCORES.index(score) if score in _SCORES else None


def is_user_function(impurity: int) -> bool:
    """Whether an impurity's code is the address of a user's function; a kernel compiles this check into itself.

    >>> is_user_function(GINI), is_user_function(0x7F0000000000)
    (False, True)
    """
    return impurity > MISCLASSIFICATION
