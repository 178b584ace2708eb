"""The least cost of a tree of depth two, by counts of pairs of items, and of depth three, by counts of triples.

The first items are one side each of candidate splits with two children; the other side is the rest. The others are the children
of splits with several children: split c of them has items `wide[c]` to `wide[c + 1]`. `prices` (C,) are the costs of splits.
`terms` (4,) are the penalty of a leaf with a case, the least cases of a leaf, the step of which costs are multiples, and the kind
of `costs`, an array that says what leaves cost:

| kind | objective | `costs` |
|---|---|---|
| ERRORS | errors | the weights of classes, in one row: a leaf costs the weight of its cases except the heaviest class |
| JOINT | any, with two classes and whole weights of few cases | the costs of all class counts, penalties included |
| LOGS | `class_bits()` | n log n, in one row; without an entry where logarithms are computed |
| MATRIX | `costs(matrix)` | the matrix (K, P): the least of its columns, summed over classes |
| SQUARES | `squared_error`, of three sums in place of classes | its centre and scale, in one row |
"""

from functools import partial

import numpy as np

from ftree._lib.jit import inlined, kernel, section, unwrapped
from ftree.exact.kernels.bits import pairs_with, subtract_pairs

# No cost is NaN, and the sign of 0 does not matter; so several numbers can be compared at once.
_QUICKLY = {"nnan", "nsz"}
_quick, _quick_inner, _quick_part = (partial(kind, fastmath=_QUICKLY) for kind in (kernel, unwrapped, inlined))
ERRORS, JOINT, LOGS, MATRIX, SQUARES = range(5)
# Numbers of rows of cells; a literal has its own type, for which numba would compile once more.
_ONE, _TWO, _FOUR = np.int64(1), np.int64(2), np.int64(4)


@_quick
def by_pairs(pairs, total, wide, prices, terms, costs):
    """The least cost of a tree of depth two, and the number of its first split, or -1 for a leaf.

    A split that leaves all cases together costs as much as the best one below it, and is never chosen.
    """
    n_classes, n = pairs.shape[:2]
    counts, cells, answers, cases = np.empty((n_classes, n)), np.empty((4, n_classes)), np.empty(4), np.zeros(n)
    low, high, whole = np.full(n, np.inf), np.full(n, np.inf), 0.0
    for k in range(n_classes):
        whole += total[k]
        for i in range(n):
            counts[k, i] = pairs[k, i, i]
            cases[i] += counts[k, i]
    if terms[3] == JOINT and n == wide[0]:
        _two_classes_by_table(pairs, counts, total, prices, costs, low, high)
    else:
        _divide_sides(pairs, counts, total, wide, prices, terms, costs, cells, answers, low, high)
    for k in range(n_classes):
        cells[0, k] = total[k]
    _fill_costs(cells, _ONE, terms, costs, answers)
    best, chosen = answers[0], -1
    for i in range(n):
        for k in range(n_classes):
            cells[0, k], cells[1, k] = counts[k, i], total[k] - counts[k, i]
        _fill_costs(cells, _TWO, terms, costs, answers)
        low[i] = min(answers[0], low[i])
        if i < wide[0] and 0.0 < cases[i] < whole:
            cost = low[i] + min(answers[1], high[i]) + prices[i]
            if cost < best:
                best, chosen = cost, i
    for c in range(len(wide) - 1):
        cost, divides = prices[wide[0] + c], True
        for v in range(wide[c], wide[c + 1]):
            cost += low[v]
            divides &= cases[v] < whole
        if divides and cost < best:
            best, chosen = cost, wide[0] + c
    return best, chosen


@section
def _divide_sides(pairs, counts, total, wide, prices, terms, costs, cells, answers, low, high):
    """The least costs (M,) of both sides of each item, each divided by another split; prices included."""
    n, n_binary = counts.shape[1], wide[0]
    for i in range(n_binary):
        for j in range(i + 1, n):
            both, only_i, only_j, none = _four(pairs, counts, total, i, j, terms, costs, cells, answers)
            low[j] = min(low[j], both + only_j + prices[i])
            if j < n_binary:
                low[i], high[i] = min(low[i], both + only_i + prices[j]), min(high[i], only_j + none + prices[j])
                high[j] = min(high[j], only_i + none + prices[i])
    for c in range(len(wide) - 1):
        for i in range(n):
            inside = outside = prices[n_binary + c]
            for v in range(wide[c], wide[c + 1]):
                for k in range(len(total)):
                    cells[0, k] = pairs[k, min(i, v), max(i, v)]
                    cells[1, k] = counts[k, v] - cells[0, k]
                _fill_costs(cells, _TWO, terms, costs, answers)
                inside, outside = inside + answers[0], outside + answers[1]
            low[i], high[i] = min(low[i], inside), min(high[i], outside)


@section
def _two_classes_by_table(pairs, counts, total, prices, costs, low, high):
    """The same for two classes whose leaves have their costs in a table, and for splits with two children."""
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


@section
def _four(pairs, counts, total, i, j, terms, costs, cells, answers):
    """The costs of leaves with the cases that have items i and j, i only, j only, and none; `cells` (4, K) is overwritten."""
    if terms[3] == ERRORS:
        return _four_errors(pairs, counts, total, i, j, costs[0], terms[0], terms[1])
    for k in range(len(total)):
        both = pairs[k, i, j]
        cells[0, k], cells[1, k], cells[2, k] = both, counts[k, i] - both, counts[k, j] - both
        cells[3, k] = total[k] - counts[k, i] - counts[k, j] + both
    _fill_costs(cells, _FOUR, terms, costs, answers)
    return answers[0], answers[1], answers[2], answers[3]


@section
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
        _of_leaf(cases_both, weight_both - most_both, penalty, least),
        _of_leaf(cases_i, weight_i - most_i, penalty, least),
        _of_leaf(cases_j, weight_j - most_j, penalty, least),
        _of_leaf(cases_none, weight_none - most_none, penalty, least),
    )


@_quick_part
def _of_leaf(cases, cost, penalty, least):
    return 0.0 if cases == 0 else np.inf if cases < least else cost + penalty


@_quick_inner
def _fill_costs(counts, n, terms, costs, answers):
    """Fill in the costs of leaves with the class counts in the first n rows of an array."""
    for row in range(n):
        answers[row] = _cost(counts, row, terms, costs)


@section
def _cost(counts, row, terms, costs):
    """The cost of a leaf with the class counts in a row of (n, K): 0 without a case, infinite with fewer than the least cases."""
    penalty, least, step, kind = terms[0], terms[1], terms[2], terms[3]
    if kind == JOINT:
        return costs[int(counts[row, 0]), int(counts[row, 1])]
    cases = weight = heaviest = 0.0
    for k in range(counts.shape[1]):
        cases += counts[row, k]
        if kind == ERRORS:
            own = counts[row, k] * costs[0, k]
            weight, heaviest = weight + own, max(heaviest, own)
    if kind == SQUARES:
        cases = counts[row, 0]
    if cases == 0.0:
        return 0.0
    if cases < least:
        return np.inf
    if kind == ERRORS:
        return weight - heaviest + penalty
    if kind == MATRIX:
        cost = np.inf
        for predicted in range(costs.shape[1]):
            expected = 0.0
            for k in range(counts.shape[1]):
                expected += counts[row, k] * costs[k, predicted]
            cost = min(cost, expected)
        return np.rint(cost / step) * step + penalty
    in_table = kind == LOGS and costs.size > 0
    if kind == SQUARES:
        away = counts[row, 1] - cases * costs[0, 0]
        cost = max(counts[row, 2] - costs[0, 1] * away * away / cases, 0.0)
    else:
        cost = costs[0, int(cases)] if in_table else cases * np.log2(cases)
        for k in range(counts.shape[1]):
            own = counts[row, k]
            if in_table:
                cost -= costs[0, int(own)]
            elif own > 0.0:
                cost -= own * np.log2(own)
    return (cost if in_table else np.rint(cost / step) * step) + penalty


@_quick
def leaf_costs(counts, terms, costs):
    """The costs of leaves (n,) with class counts (n, K)."""
    answers = np.empty(len(counts))
    _fill_costs(counts, len(counts), terms, costs, answers)
    return answers


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
