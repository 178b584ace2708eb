"""What numbers in arrays mean: codes of splits, impurities and scores, rows of tables that kernels take; and records of arrays.

Kernels take a table in place of several arrays of one length, and a record (a NamedTuple, which numba knows) in place of what
belongs together. Kernels return no records to Python: numba would call Python code to make them, in which an interruption ends
the process. Nothing here loads numba.
"""

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ftree._lib.arrays import Array
from ftree.criteria.impurity import Impurity, entropy, gini, misclassification
from ftree.criteria.scores import Score, gain, gain_ratio

# A feature with up to this many values is counted from codes; one with more is sorted.
FEW = 64
# Kinds of splits.
NONE, THRESHOLD, MULTIWAY, SUBSET, OBJECT = range(5)
# Impurities, of which the last is any user's function in machine code; and scores.
ENTROPY, GINI, MISCLASSIFICATION, OWN = range(4)
GAIN, GAIN_RATIO = range(2)
_IMPURITIES: tuple[Impurity, ...] = (entropy, gini, misclassification)
_SCORES: tuple[Score, ...] = (gain, gain_ratio)

# The options of a splitter, as columns of a table of numbers (F, 7): a child has at least `LEAST` cases, and at least the smaller
# of `SHARE` of the mean class and `MOST`; `MDL` reduces the scores of cuts; `EMPTY` is the number of values in a split into all
# declared values, else 0; up to `EXACT` values are divided in every way; `MANY` marks features with very many values.
LEAST, SHARE, MOST, MDL, EMPTY, EXACT, MANY = range(7)
N_OPTIONS = 7

# The rows of a table of features (6, F): the kind of each one's splits; the code of a missing value, which is the number of
# values or a larger number; its column among the codes or, from -1 downwards, its row among the keys; whether its splits get
# surrogates; whether it has no order; where its values begin among those of all features, if surrogates are searched.
WAY, ABSENT, PLACE, BACKED, NOMINAL, VALUES_AT = range(6)
# The rows of a table of open nodes (4, m): their first entry and the one after the last, whether their rows are counted, all
# weights being 1, and the number of their parent in the level before.
START, END, COUNTED, PARENT = range(4)
# The rows of a table of entries (2, n): the class, and the row of the given table.
CLASS, ORIGIN = range(2)
# The layers of what a search finds (each F, m): scores and, if nodes choose by gain ratio, the information of splits; then the
# position of the first key right of a cut, the number of values below one, or the number of listed values; whether it is in
# doubt; and the order of values of a subset, as `run_splits.best_of_run` numbers it, ~order where those after the cut are listed.
SCORE, INFORMATION = range(2)
CUT, UNSURE, ORDER = range(3)
N_OF_CUT = 3
# The rows of a table of splits (8, m + 1): the kind and the feature (-1: none); the last value on the left of a threshold and the
# first on its right, as codes or positions of keys, and as codes or rows of the given table; the number of listed values before
# those of a node, and of children before its own, which the last column has for all nodes.
KIND, FEATURE, LOWER, UPPER, ROW_LOWER, ROW_UPPER, FIRST_CODE, FIRST_CHILD = range(8)
N_OF_SPLIT = 8

# The limits at which a node is a leaf, `StopLimits` as kernels take them: numbers in this order.
PURE, DEEPEST, LEAST_ROWS, LEAST_ERRORS, LEAST_LEAF, LEAST_GAIN = range(6)

# Bound on the rounding error; closer than this to a tie, the NumPy engine decides.
GUARD = 1e-12
# The flags of a key: the bits between its class and its number.
FLAGS = 2


def impurity_code(impurity: Impurity) -> int | None:
    """The code of one of the library's impurities that kernels know; None for any other.

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
    n = np.arange(total + 2, dtype=np.float64)
    exact = n * np.log2(np.maximum(n, 1))
    unit = 2.0 ** (62 - math.ceil(math.log2(max(exact[-1], 2.0))))
    # The product is exact in extended precision only; in double precision it is known to 53 bits, which is sufficient here.
    return np.round(exact * unit).astype(np.int64), unit


def score_code(score: Score) -> int | None:
    """The code of a score that kernels know; None for any other.

    >>> score_code(gain_ratio) == GAIN_RATIO, score_code(len)
    (True, None)
    """
    return _SCORES.index(score) if score in _SCORES else None


class CriterionTables(NamedTuple):
    """The measure of splits: the codes of impurity and score, and tables of n log2 n for counts n.

    `plain` says whether splitters have no options and a node takes the best score. `slack` is that of a choice by gain ratio, NaN
    if the score decides. `factors` (K,) multiply class counts before they are measured; empty for none. `whole` has n log2 n in
    whole numbers of 1/`unit` bits, `steps` the differences between neighbours, `table` the same in bits; all are empty if rows
    are weighted or too many. `own` is a user's impurity as `impurity_kernels` has it, or its `NO_ENTRY`.
    """

    impurity: int
    score: int
    plain: bool
    slack: float
    factors: Any
    whole: Any
    steps: Any
    unit: float
    table: Any
    own: Any

    @property
    def fast(self) -> bool:
        """Whether the kernels of sorted cuts know the measure."""
        return self.plain and self.impurity != MISCLASSIFICATION and self.score == GAIN


class FeatureColumns(NamedTuple):
    """The features as columns: their table (6, F), the options of their splitters (F, 7), and the `shift` of keys.

    Of the sorted features, `cuts` have thresholds that are found in one pass, `runs` are searched by the values present;
    `coded` are kept as codes.
    """

    features: Any
    options: Any
    cuts: Any
    runs: Any
    coded: Any
    shift: int


class EntryArrays(NamedTuple):
    """Rows in open nodes, node after node in every column; a row with missing values may be several entries.

    Sorted columns are rows of `keys` (sorted features and spare rows, n), others columns of `codes` (n, coded features and more).
    `rows` (2, n) has classes and origins. Then each entry's whole row weight (times), its share of a row (fractions), and the
    product of both (weights); each of these three is empty if all are 1.
    """

    keys: Any
    codes: Any
    rows: Any
    times: Any
    fractions: Any
    weights: Any


class Run(NamedTuple):
    """The values present in a node, a row each: what they are, their class counts (n, K), and the cases of each.

    The rest is room for a search: an `order` of rows, the share of a class in each, the scores of cuts, and the class counts (K,)
    on both sides of one.
    """

    values: Any
    counts: Any
    sizes: Any
    order: Any
    share: Any
    scores: Any
    left: Any
    right: Any


class FeatureScores(NamedTuple):
    """The best split of each feature in each node: `score` (1 or 2, F, m), -inf without a split, and `cut` (3, F, m)."""

    score: Any
    cut: Any


class LeadingRows(NamedTuple):
    """Splits as the entries of open nodes follow them: kind, feature and last value on the left of a threshold, each (m,).

    Node j lists `listed[first_code[j]:first_code[j + 1]]`. A value is a code, or the position of a key in its row.
    """

    kind: Any
    feature: Any
    lower: Any
    first_code: Any
    listed: Any


class FoundSplits(NamedTuple):
    """The splits that nodes choose: a table of them; the values they list, as `LOWER` and `ROW_LOWER` have them (2, values).

    Then class counts of their children (c, K), where a node without a split is its own only child; which nodes are in doubt,
    and the features (F, m) that might be best there.
    """

    splits: Any
    listed: Any
    children: Any
    doubt: Any
    rivals: Any


class Moves(NamedTuple):
    """The destination of entries: each split's kind (m,), its first child (m + 1,), each entry's child and new number (n,).

    The child is -1 if the value is missing. `position` (children + 1,) is the first entry of each child. `copies` (c, 3)
    has the old number, child and new number of each entry whose value is missing, once for each child that gets a share of it,
    and `shares` (c,) these shares.
    """

    kind: Any
    first_child: Any
    child: Any
    number: Any
    position: Any
    copies: Any
    shares: Any


class FoundSurrogates(NamedTuple):
    """The surrogates of N splits, up to S each, sorted by agreement: the larger child (N,), then a layer for each property.

    `which` (2, N, S) has the feature (-1: none) and whether its children are swapped, `sides` (2, N, S) the codes that go to each
    child as bits, `figures` (3, N, S) the threshold, the agreement and the adjusted agreement.
    """

    default_child: Any
    which: Any
    sides: Any
    figures: Any
