"""The least cost of a tree of depth two, by counts of pairs of items, and of depth three, by counts of triples.

The first items are one side each of candidate splits with two children; the other side is the rest. The others are the children
of splits with several children: split c of them has items `wide[c]` to `wide[c + 1]`. `prices` (C,) are the costs of splits.
`terms` (4,) are the penalty of a leaf with a case, the least cases of a leaf, the step of which costs are multiples, and the kind
of `costs`, an array that says what leaves cost:

| kind | objective | `costs` |
|---|---|---|
| ERRORS | errors | the weights of classes (K,): a leaf costs the weight of its cases except the heaviest class |
| JOINT | any, with two classes and whole weights of few cases | the costs of all class counts, penalties included |
| LOGS | `class_bits()` | n log n, in one row; without an entry where logarithms are computed |
| MATRIX | `costs(matrix)` | the matrix (K, P): the least of its columns, summed over classes |

Only the first has one dimension, so numba leaves out the code of the others for it.
"""

from functools import partial

import numpy as np

from ftree._lib.jit import kernel
from ftree.exact.kernels.bits import pairs_with, subtract_pairs

# No cost is NaN, and the sign of 0 does not matter; so several numbers can be compared at once.
_quick = partial(kernel, fastmath={"nnan", "nsz"})
# Sections of a kernel, which are compiled as a part of it only.
_section = partial(_quick, inline="always")
_TWO = 2
ERRORS, JOINT, LOGS, MATRIX = range(4)


@_quick
def by_pairs(pairs, total, wide, prices, terms, costs):
    """The least cost of a tree of depth two, and the number of its first split, or -1 for a leaf.

    A split that leaves all cases together costs as much as the best one below it, and is never chosen.
    """
    n_classes, n = pairs.shape[:2]
    counts, cell, low, high = np.empty((n_classes, n)), np.empty(n_classes), np.empty(n), np.empty(n)
    for k in range(n_classes):
        for i in range(n):
            counts[k, i] = pairs[k, i, i]
    for i in range(n):
        low[i] = high[i] = np.inf
    if costs.ndim == 1:
        _any_classes(pairs, counts, total, wide, prices, terms, costs, low, high)
    else:
        _by_formula(pairs, counts, total, wide, prices, terms, costs, low, high)
    best, chosen, whole = leaf_cost(total, terms, costs), -1, total.sum()
    for i in range(n):
        cases = 0.0
        for k in range(n_classes):
            cell[k] = counts[k, i]
            cases += cell[k]
        low[i] = min(leaf_cost(cell, terms, costs), low[i])
        if i < wide[0] and 0.0 < cases < whole:
            for k in range(n_classes):
                cell[k] = total[k] - counts[k, i]
            cost = low[i] + min(leaf_cost(cell, terms, costs), high[i]) + prices[i]
            if cost < best:
                best, chosen = cost, i
    for c in range(len(wide) - 1):
        cost, divides = prices[wide[0] + c], True
        for v in range(wide[c], wide[c + 1]):
            cost += low[v]
            divides &= counts[:, v].sum() < whole
        if divides and cost < best:
            best, chosen = cost, wide[0] + c
    return best, chosen


@_section
def _by_formula(pairs, counts, total, wide, prices, terms, costs, low, high):
    """The least costs (M,) of both sides of each item, each divided by another split, by the quickest way; prices included."""
    binary, penalty, least, kind = counts.shape[1] == wide[0], terms[0], terms[1], terms[3]
    if binary and kind == JOINT:
        _two_classes_by_table(pairs, counts, total, prices, costs, low, high)
    elif binary and kind == LOGS and len(pairs) == _TWO and costs.size and penalty + least == 0.0:
        _two_classes_by_logs(pairs, counts, total, prices, costs[0], low, high)
    else:
        _any_classes(pairs, counts, total, wide, prices, terms, costs, low, high)


@_section
def _any_classes(pairs, counts, total, wide, prices, terms, costs, low, high):
    """As `_by_formula`, for any objective."""
    n, n_binary, cells = counts.shape[1], wide[0], np.empty((4, len(total)))
    for i in range(n_binary):
        for j in range(i + 1, n_binary):
            both, only_i, only_j, none = _four(pairs, counts, total, i, j, terms, costs, cells)
            low[i], high[i] = min(low[i], both + only_i + prices[j]), min(high[i], only_j + none + prices[j])
            low[j], high[j] = min(low[j], both + only_j + prices[i]), min(high[j], only_i + none + prices[i])
        for v in range(n_binary, n):  # the children of wide splits, divided in two
            both, _, only_v, _ = _four(pairs, counts, total, i, v, terms, costs, cells)
            low[v] = min(low[v], both + only_v + prices[i])
    for c in range(len(wide) - 1):
        for i in range(n):
            inside = outside = prices[n_binary + c]
            for v in range(wide[c], wide[c + 1]):
                for k in range(len(total)):
                    cells[0, k] = pairs[k, min(i, v), max(i, v)]
                    cells[1, k] = counts[k, v] - cells[0, k]
                inside += leaf_cost(cells[0], terms, costs)
                outside += leaf_cost(cells[1], terms, costs)
            low[i], high[i] = min(low[i], inside), min(high[i], outside)


@_quick
def _four(pairs, counts, total, i, j, terms, costs, cells):
    """The costs of leaves with the cases that have items i and j, i only, j only, and none; `cells` (4, K) is overwritten."""
    if costs.ndim == 1:
        return _four_errors(pairs, counts, total, i, j, costs, terms[0], terms[1])
    for k in range(len(total)):
        both = pairs[k, i, j]
        cells[0, k], cells[1, k], cells[2, k] = both, counts[k, i] - both, counts[k, j] - both
        cells[3, k] = total[k] - counts[k, i] - counts[k, j] + both
    return (
        leaf_cost(cells[0], terms, costs),
        leaf_cost(cells[1], terms, costs),
        leaf_cost(cells[2], terms, costs),
        leaf_cost(cells[3], terms, costs),
    )


@_section
def _four_errors(pairs, counts, total, i, j, class_weights, penalty, least):
    """The same for errors."""
    cases_both = cases_i = cases_j = cases_none = 0.0
    weight_both = weight_i = weight_j = weight_none = 0.0
    most_both = most_i = most_j = most_none = 0.0
    for k in range(len(total)):
        both = pairs[k, i, j]
        only_i, only_j = counts[k, i] - both, counts[k, j] - both
        none = total[k] - only_i - only_j - both
        own = class_weights[k]
        cases_both, cases_i, cases_j, cases_none = cases_both + both, cases_i + only_i, cases_j + only_j, cases_none + none
        weight_both, most_both = weight_both + both * own, max(most_both, both * own)
        weight_i, most_i = weight_i + only_i * own, max(most_i, only_i * own)
        weight_j, most_j = weight_j + only_j * own, max(most_j, only_j * own)
        weight_none, most_none = weight_none + none * own, max(most_none, none * own)
    return (
        _error_cost(cases_both, weight_both, most_both, penalty, least),
        _error_cost(cases_i, weight_i, most_i, penalty, least),
        _error_cost(cases_j, weight_j, most_j, penalty, least),
        _error_cost(cases_none, weight_none, most_none, penalty, least),
    )


@_section
def _error_cost(cases, weight, heaviest, penalty, least):
    return 0.0 if cases == 0.0 else np.inf if cases < least else weight - heaviest + penalty


@_section
def _two_classes_by_table(pairs, counts, total, prices, costs, low, high):
    """As `_any_classes`, for two classes whose leaves have their costs in a table, and for splits with two children."""
    table, across = costs.ravel(), costs.shape[1]
    whole = int(total[0]) * across + int(total[1])
    for i in range(len(low)):
        a = int(counts[0, i]) * across + int(counts[1, i])
        for j in range(i + 1, len(low)):
            x = int(pairs[0, i, j]) * across + int(pairs[1, i, j])
            b = int(counts[0, j]) * across + int(counts[1, j])
            both, only_i, only_j, none = table[x], table[a - x], table[b - x], table[whole - a - b + x]
            low[i], high[i] = min(low[i], both + only_i + prices[j]), min(high[i], only_j + none + prices[j])
            low[j], high[j] = min(low[j], both + only_j + prices[i]), min(high[j], only_i + none + prices[i])


@_section
def _two_classes_by_logs(pairs, counts, total, prices, logs, low, high):
    """As `_two_classes_by_table`, by differences of a table of n log n, without a penalty."""
    for i in range(len(low)):
        a0, a1 = int(counts[0, i]), int(counts[1, i])
        c0, c1 = int(total[0]) - a0, int(total[1]) - a1
        for j in range(i + 1, len(low)):
            x0, x1 = int(pairs[0, i, j]), int(pairs[1, i, j])
            y0, y1 = int(counts[0, j]) - x0, int(counts[1, j]) - x1
            both = logs[x0 + x1] - logs[x0] - logs[x1]
            only_i = logs[a0 - x0 + a1 - x1] - logs[a0 - x0] - logs[a1 - x1]
            only_j = logs[y0 + y1] - logs[y0] - logs[y1]
            none = logs[c0 - y0 + c1 - y1] - logs[c0 - y0] - logs[c1 - y1]
            low[i], high[i] = min(low[i], both + only_i + prices[j]), min(high[i], only_j + none + prices[j])
            low[j], high[j] = min(low[j], both + only_j + prices[i]), min(high[j], only_i + none + prices[i])


@_quick
def leaf_cost(counts, terms, costs):
    """The cost of a leaf with class counts (K,): 0 without a case, infinite with fewer than the least cases."""
    if costs.ndim == 1:
        cases = weight = heaviest = 0.0
        for k in range(len(counts)):
            own = counts[k] * costs[k]
            cases, weight, heaviest = cases + counts[k], weight + own, max(heaviest, own)
        return _error_cost(cases, weight, heaviest, terms[0], terms[1])
    return _formula_cost(counts, terms[0], terms[1], terms[2], terms[3], costs)


@_section
def _formula_cost(counts, penalty, least, step, kind, costs):
    """The same by a formula."""
    if kind == JOINT:
        return costs[int(counts[0]), int(counts[1])]
    cases = counts.sum()
    if cases == 0.0:
        return 0.0
    if cases < least:
        return np.inf
    if kind == LOGS and costs.size:
        cost = costs[0, int(cases)]
        for k in range(len(counts)):
            cost -= costs[0, int(counts[k])]
        return cost + penalty
    cost = np.inf
    if kind == LOGS:
        cost = cases * np.log2(cases)
        for k in range(len(counts)):
            if counts[k] > 0.0:
                cost -= counts[k] * np.log2(counts[k])
    else:
        for predicted in range(costs.shape[1]):
            expected = 0.0
            for k in range(len(counts)):
                expected += counts[k] * costs[k, predicted]
            cost = min(cost, expected)
    return np.rint(cost / step) * step + penalty


@_quick
def leaf_costs(counts, terms, costs):
    """The costs of leaves (n,) with class counts (n, K)."""
    answer = np.empty(len(counts))
    for each in range(len(counts)):
        answer[each] = leaf_cost(counts[each], terms, costs)
    return answer


@_quick
def by_triples(triples, pairs, total, order, bound, upper, two, wide, prices, terms, costs):
    """The least cost of a tree of depth three, and the number of its first split; where none is below `upper`, a bound and -1.

    `two` (M, 2) gets the least costs of depth two of the cases with each item and of those without it. Splits are examined in
    `order`; those whose `bound` is not below the best cost are skipped.
    """
    own, rest, cases, others = np.empty_like(pairs), np.empty_like(pairs), np.empty_like(total), np.empty_like(total)
    best, chosen, lowest = upper, -1, np.inf
    for c in order:
        if bound[c] >= best:
            lowest = min(lowest, bound[c])
            continue
        cost = prices[c]
        binary = c < wide[0]
        first, last = (c, c + 1) if binary else (wide[c - wide[0]], wide[c - wide[0] + 1])
        for item in range(first, last):
            pairs_with(triples, pairs, item, own)
            for k in range(len(total)):
                cases[k] = pairs[k, item, item]
            two[item, 0], _ = by_pairs(own, cases, wide, prices, terms, costs)
            cost += two[item, 0]
        if binary:
            subtract_pairs(pairs, total, c, own, rest, others)
            two[c, 1], _ = by_pairs(rest, others, wide, prices, terms, costs)
            cost += two[c, 1]
        lowest = min(lowest, cost)
        if cost < best:
            best, chosen = cost, c
    return lowest if chosen < 0 else best, chosen
