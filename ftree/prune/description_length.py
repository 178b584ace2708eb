"""Description lengths in bits, of class counts in a leaf and of a split."""

from math import lgamma, log, log2, pi

from ftree._lib.combinatorics import n_surjections
from ftree.tree.nodes import Counts
from ftree.tree.splits import Groups, Intervals, Multiway, Split, Subset, primary


def class_code(counts: Counts) -> float:
    """Bits that code the classes of the cases and the class shares; 0 without cases, and less than one case counts as one.

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
    """Bits that name the value of a split on a feature with `distinct` distinct values.

    >>> from ftree import Threshold
    >>> split_cost(Threshold(0, 0.5), 9), split_cost(Subset(0, (0,)), 2), split_cost(Multiway(0, (0, 1)), 2)
    (3.0, 1.0, 0.0)
    """
    match primary(split):
        case Multiway():
            return 0.0
        case Subset():
            return log2(2**distinct - 2) if distinct > 1 else 0.0
        case Groups(_, groups):
            return log2(max(n_surjections(int(distinct), len(groups)), 1))
        case Intervals(_, cuts):
            places = max(distinct - 1, len(cuts))
            return sum(log2((places - chosen) / (chosen + 1)) for chosen in range(len(cuts)))
    return log2(max(distinct - 1, 1))
