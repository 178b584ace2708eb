"""The numbers that stand for kinds of splits and impurities in the arrays of growth, as the native library has them too."""

import math
from functools import lru_cache

import numpy as np

from ftree._lib.arrays import Array, Floats
from ftree.criteria.impurity import Impurity, entropy, gini, misclassification

# Kinds of splits; in the library also the way in which a feature divides a node, where one value apart from others is a subset.
NONE, THRESHOLD, MULTIWAY, SUBSET, OBJECT = range(5)
ONE_VALUE = OBJECT
# Impurities: the library's, any function at an address, that of numbers, and that of events.
ENTROPY, GINI, MISCLASSIFICATION, OWN, VARIANCE, POISSON = range(6)
_IMPURITIES: tuple[Impurity, ...] = (entropy, gini, misclassification)


def impurity_code(impurity: Impurity) -> int | None:
    """The number of one of the library's impurities of classes; None for any other.

    >>> impurity_code(gini) == GINI, impurity_code(len)
    (True, None)
    """
    return _IMPURITIES.index(impurity) if impurity in _IMPURITIES else None


@lru_cache(maxsize=2)
def whole_table(total: int) -> tuple[Array, float]:
    """N log2 n for n from 0 to `total`, in whole numbers of 1/unit bits, and the unit, as large as sums allow.

    >>> table, unit = whole_table(4)
    >>> (table / unit).round(6).tolist()
    [0.0, 0.0, 2.0, 4.754888, 8.0, 11.60964]
    """
    exact = n_log_n(total + 1)
    unit = 2.0 ** (62 - math.ceil(math.log2(max(exact[-1], 2.0))))
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
