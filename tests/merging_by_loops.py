"""CHAID's merging by a loop over all pairs, with SciPy's test of contingency tables."""

from itertools import combinations, count, pairwise, product
from math import log10

import numpy as np
from scipy.stats import chi2_contingency


def p_value(rows):
    present = np.array(rows)
    present = present[:, present.any(axis=0)]
    return chi2_contingency(present, correction=False).pvalue if min(present.shape) > 1 else 1.0


def sums(table, groups):
    return [[sum(column) for column in zip(*(table[value] for value in group), strict=True)] for group in groups]


def digits(rows):
    return -log10(max(p_value(rows), 1e-300))


def merged(table, *, ordered, alpha, again=None):
    """Groups of values, merged in pairs while a pair has a p-value above alpha; the first of equally high ones.

    A merged group of three or more values is divided if the division has a p-value of at most `again`.
    """
    groups = [[value] for value in range(len(table))]
    rounds = count()
    while True:
        pairs = list(pairwise(range(len(groups))) if ordered else combinations(range(len(groups)), 2))
        figures = [digits(sums(table, [groups[one], groups[other]])) for one, other in pairs]
        if not pairs or 10 ** -min(figures) <= alpha:
            return groups
        one, other = next(pair for pair, figure in zip(pairs, figures, strict=True) if figure <= min(figures) + 1e-9)
        whole = sorted(groups[one] + groups.pop(other))
        parts = divided(table, whole, ordered=ordered) if len(whole) > 2 else [whole]
        apart = again is not None and next(rounds) < len(table) and len(parts) == 2 and p_value(sums(table, parts)) <= again
        groups[one : one + 1] = parts if apart else [whole]
        groups.sort()


def divided(table, values, *, ordered):
    """The most significant division in two, the first of equal ones."""
    ways = [values[:place] for place in range(1, len(values))] if ordered else list(with_the_first(values))
    parts = [[way, [value for value in values if value not in way]] for way in ways]
    figures = [digits(sums(table, part)) for part in parts]
    return next(part for part, figure in zip(parts, figures, strict=True) if figure >= max(figures) - 1e-9)


def with_the_first(values):
    for kept in list(product((True, False), repeat=len(values) - 1))[1:]:
        yield [values[0], *(value for value, keep in zip(values[1:], kept, strict=True) if keep)]
