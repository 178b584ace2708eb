"""Description lengths in bits, of class counts in a leaf and of a split."""

from math import lgamma, log, log2, pi

from ftree.tree.nodes import Counts
from ftree.tree.splits.optional import bits, primary
from ftree.tree.splits.protocol import Split


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

    >>> from ftree import Multiway, Subset, Threshold
    >>> split_cost(Threshold(0, 0.5), 9), split_cost(Subset(0, (0,)), 2), split_cost(Multiway(0, (0, 1)), 2)
    (3.0, 1.0, 0.0)
    """
    own = bits(primary(split), distinct)
    return log2(max(distinct - 1, 1)) if own is None else own
