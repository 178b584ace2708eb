"""The least cost of a tree of depth two, by counts of pairs of items, and of depth three, by counts of triples.

The first `n_binary` items are one side each of candidate splits with two children; the other side is the rest. The others are
the children of splits with several children: split c has items `wide[c]` to `wide[c + 1]`. Leaves cost the weight of their
cases except the heaviest class, and a penalty where they have a case. `terms` are all that is the same for each node.
"""

from functools import partial
from typing import Any

import numpy as np
from numba import types

from ftree._lib.jit import kernel
from ftree._lib.kernels.by_address import caller
from ftree.exact.kernels.triples import pairs_with

_types: Any = types  # numba declares no types
# No cost is NaN, and the sign of 0 does not matter; so several numbers can be compared at once.
_quick = partial(kernel, fastmath={"nnan", "nsz"})
_inner = partial(_quick, _nrt=False, no_cpython_wrapper=True)
_alone = partial(_quick, _nrt=False)
# A kernel of depth two, called by its address: it is compiled once, and not again in each of its callers.
call_depth_two = caller(_types.Tuple((_types.float64, _types.int64)))
_TWO = 2
# The kinds of formula: see `ftree.exact.formula`.
JOINT, LOGS, MATRIX = range(3)


@_inner
def _cost(cases, weight, heaviest, penalty, least):
    if cases == 0.0:
        return 0.0
    return np.inf if cases < least else weight - heaviest + penalty


@_inner
def _formula_cost(counts, penalty, least, formula):
    """The cost of a leaf by a formula, see `ftree.exact.formula`; `counts` are (K,)."""
    kind, table, matrix, step = formula
    if kind == JOINT:
        return table[int(counts[0]) * int(matrix[0, 0]) + int(counts[1])]
    cases = 0.0
    for k in range(len(counts)):
        cases += counts[k]
    if cases == 0.0:
        return 0.0
    if cases < least:
        return np.inf
    if kind == LOGS and len(table):
        cost = table[int(cases)]
        for k in range(len(counts)):
            cost -= table[int(counts[k])]
        return cost + penalty
    cost = np.inf
    if kind == LOGS:
        cost = cases * np.log2(cases)
        for k in range(len(counts)):
            if counts[k] > 0.0:
                cost -= counts[k] * np.log2(float(counts[k]))
    else:
        for predicted in range(matrix.shape[1]):
            expected = 0.0
            for k in range(len(counts)):
                expected += counts[k] * matrix[k, predicted]
            cost = min(cost, expected)
    return np.rint(cost / step) * step + penalty


@_inner
def leaf_cost(counts, terms, formula):
    """The cost of a leaf with class counts (K,): 0 without a case, infinite with fewer than `least` cases."""
    class_weights, penalty, least = terms[2], terms[4], terms[5]
    if formula is not None:
        return _formula_cost(counts, penalty, least, formula)
    cases, weight, heaviest = 0.0, 0.0, 0.0
    for k in range(len(counts)):
        own = counts[k] * class_weights[k]
        cases, weight = cases + counts[k], weight + own
        heaviest = max(heaviest, own)
    return _cost(cases, weight, heaviest, penalty, least)


@_inner
def _four_cells(pairs, counts, total, i, j, class_weights, penalty, least):
    """The costs of leaves with the cases that have items i and j, i only, j only, and none of them."""
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
        _cost(cases_both, weight_both, most_both, penalty, least),
        _cost(cases_i, weight_i, most_i, penalty, least),
        _cost(cases_j, weight_j, most_j, penalty, least),
        _cost(cases_none, weight_none, most_none, penalty, least),
    )


@_inner
def _four_by_formula(pairs, counts, total, i, j, terms, formula, cells):
    """As `_four_cells`, by a formula; `cells` (4, K) is scratch."""
    for k in range(len(total)):
        both = pairs[k, i, j]
        cells[0, k], cells[1, k], cells[2, k] = both, counts[k, i] - both, counts[k, j] - both
        cells[3, k] = total[k] - counts[k, i] - counts[k, j] + both
    penalty, least = terms[4], terms[5]
    return (
        _formula_cost(cells[0], penalty, least, formula),
        _formula_cost(cells[1], penalty, least, formula),
        _formula_cost(cells[2], penalty, least, formula),
        _formula_cost(cells[3], penalty, least, formula),
    )


@_inner
def _four(pairs, counts, total, i, j, terms, formula, cells):
    # Numba leaves out the branch that does not fit the type of the formula.
    if formula is not None:
        return _four_by_formula(pairs, counts, total, i, j, terms, formula, cells)
    return _four_cells(pairs, counts, total, i, j, terms[2], terms[4], terms[5])


@_inner
def _two_classes_by_table(pairs, counts, total, n_binary, prices, formula, low, high):
    """As `_any_classes`, for two classes whose leaves have their costs in a table, and for splits with two children."""
    table, across = formula[1], int(formula[2][0, 0])
    for i in range(n_binary):
        low[i] = high[i] = np.inf
    whole = int(total[0]) * across + int(total[1])
    for i in range(n_binary):
        a = int(counts[0, i]) * across + int(counts[1, i])
        for j in range(i + 1, n_binary):
            x = int(pairs[0, i, j]) * across + int(pairs[1, i, j])
            b = int(counts[0, j]) * across + int(counts[1, j])
            both, only_i, only_j, none = table[x], table[a - x], table[b - x], table[whole - a - b + x]
            low[i], high[i] = min(low[i], both + only_i + prices[j]), min(high[i], only_j + none + prices[j])
            low[j], high[j] = min(low[j], both + only_j + prices[i]), min(high[j], only_i + none + prices[i])


@_inner
def _two_classes_by_logs(pairs, counts, total, n_binary, prices, logs, low, high):
    """As `_two_classes_by_table`, by differences of a table of n log n, without a penalty."""
    for i in range(n_binary):
        low[i] = high[i] = np.inf
    for i in range(n_binary):
        a0, a1 = int(counts[0, i]), int(counts[1, i])
        c0, c1 = int(total[0]) - a0, int(total[1]) - a1
        for j in range(i + 1, n_binary):
            x0, x1 = int(pairs[0, i, j]), int(pairs[1, i, j])
            y0, y1 = int(counts[0, j]) - x0, int(counts[1, j]) - x1
            both = logs[x0 + x1] - logs[x0] - logs[x1]
            only_i = logs[a0 - x0 + a1 - x1] - logs[a0 - x0] - logs[a1 - x1]
            only_j = logs[y0 + y1] - logs[y0] - logs[y1]
            none = logs[c0 - y0 + c1 - y1] - logs[c0 - y0] - logs[c1 - y1]
            low[i], high[i] = min(low[i], both + only_i + prices[j]), min(high[i], only_j + none + prices[j])
            low[j], high[j] = min(low[j], both + only_j + prices[i]), min(high[j], only_i + none + prices[i])


@_inner
def _is_plain_logs(pairs, terms, formula):
    """Whether two classes have n log n in a table, and no penalty and no limit change the costs of leaves."""
    return formula[0] == LOGS and len(pairs) == _TWO and len(formula[1]) > 0 and terms[4] == 0.0 and terms[5] == 0.0


@_inner
def _sides_of_items(pairs, counts, total, terms, formula, low, high, cells):
    """The least costs of both sides of each item, by the quickest way."""
    n_binary = terms[0]
    if formula is not None and formula[0] == JOINT and counts.shape[1] == n_binary:
        _two_classes_by_table(pairs, counts, total, n_binary, terms[3], formula, low, high)
    elif formula is not None and counts.shape[1] == n_binary and _is_plain_logs(pairs, terms, formula):
        _two_classes_by_logs(pairs, counts, total, n_binary, terms[3], formula[1], low, high)
    else:
        _any_classes(pairs, counts, total, terms, formula, low, high, cells)


@_inner
def _any_classes(pairs, counts, total, terms, formula, low, high, cells):
    """The least costs of both sides of each item, each divided by another split; penalties and prices included."""
    n_binary, wide, prices, cell = terms[0], terms[1], terms[3], cells[0]
    n = counts.shape[1]
    for i in range(n):
        low[i] = high[i] = np.inf
    for i in range(n_binary):
        for j in range(i + 1, n_binary):
            both, only_i, only_j, none = _four(pairs, counts, total, i, j, terms, formula, cells)
            low[i], high[i] = min(low[i], both + only_i + prices[j]), min(high[i], only_j + none + prices[j])
            low[j], high[j] = min(low[j], both + only_j + prices[i]), min(high[j], only_i + none + prices[i])
        for v in range(n_binary, n):  # the children of wide splits, divided in two
            both, _, only_v, _ = _four(pairs, counts, total, i, v, terms, formula, cells)
            low[v] = min(low[v], both + only_v + prices[i])
    for c in range(len(wide) - 1):
        for i in range(n):
            inside = outside = prices[n_binary + c]
            for v in range(wide[c], wide[c + 1]):
                for k in range(len(total)):
                    cell[k] = pairs[k, min(i, v), max(i, v)]
                inside += leaf_cost(cell, terms, formula)
                for k in range(len(total)):
                    cell[k] = counts[k, v] - cell[k]
                outside += leaf_cost(cell, terms, formula)
            low[i], high[i] = min(low[i], inside), min(high[i], outside)


@_quick
def leaf_costs(counts, terms):
    """The costs of leaves (n,) with class counts (n, K)."""
    costs = np.empty(len(counts))
    for each in range(len(counts)):
        costs[each] = leaf_cost(counts[each], terms, terms[6])
    return costs


@_inner
def _cases(counts):
    cases = 0.0
    for k in range(len(counts)):
        cases += counts[k]
    return cases


@_alone
def depth_two(pairs, total, terms, room):
    """The least cost of a tree of depth two, and the number of its first split, or -1 for a leaf.

    A split that leaves all cases together costs as much as the best one below it, and is never chosen. `room` (low (M,),
    high (M,), counts (K, M), cells (4, K)) is overwritten.
    """
    n_binary, wide, _, prices, _, _, formula = terms
    low, high, counts, cells = room
    n_classes, n = counts.shape
    cell = cells[0]
    for k in range(n_classes):
        for i in range(n):
            counts[k, i] = pairs[k, i, i]
    _sides_of_items(pairs, counts, total, terms, formula, low, high, cells)
    best, chosen, whole = leaf_cost(total, terms, formula), -1, _cases(total)
    for i in range(n):
        one, cases = min(leaf_cost(counts[:, i], terms, formula), low[i]), _cases(counts[:, i])
        if i >= n_binary:
            low[i] = one
        elif 0.0 < cases < whole:
            for k in range(n_classes):
                cell[k] = total[k] - counts[k, i]
            cost = one + min(leaf_cost(cell, terms, formula), high[i]) + prices[i]
            if cost < best:
                best, chosen = cost, i
    for c in range(len(wide) - 1):
        cost, divides = prices[n_binary + c], True
        for v in range(wide[c], wide[c + 1]):
            cost += low[v]
            divides &= _cases(counts[:, v]) < whole
        if divides and cost < best:
            best, chosen = cost, n_binary + c
    return best, chosen


@_alone
def depth_three(triples, pairs, total, terms, ways, order, bound, upper, two, room):
    """The least cost of a tree of depth three, and the number of its first split; where none is below `upper`, a bound and -1.

    `two` (M, 2) gets the least costs of depth two of the cases with each item and of those without it. Splits are examined in
    `order`; those whose `bound` is not below the best cost are skipped. `ways` has the address of `depth_two`. The arrays
    in `room` are overwritten: `own`, zeros, and `rest`, like `pairs`; `cases` and `others`, like `total`; and `depth_two`'s.
    """
    n_binary, wide, prices = terms[0], terms[1], terms[3]
    own, rest, cases, others, below = room
    n_classes = len(pairs)
    best, chosen, lowest = upper, -1, np.inf
    for c in order:
        if bound[c] >= best:
            lowest = min(lowest, bound[c])
            continue
        cost = prices[c]
        first, last = (c, c + 1) if c < n_binary else (wide[c - n_binary], wide[c - n_binary + 1])
        for item in range(first, last):
            pairs_with(triples, pairs, item, own)
            for k in range(n_classes):
                for i in range(pairs.shape[1]):
                    to, whole, less = rest[k, i], pairs[k, i], own[k, i]
                    for j in range(len(to)):
                        to[j] = whole[j] - less[j]
                cases[k], others[k] = pairs[k, item, item], total[k] - pairs[k, item, item]
            two[item, 0], _ = call_depth_two(ways, 0, (own, cases, terms, below))
            cost += two[item, 0]
        if c < n_binary:
            two[c, 1], _ = call_depth_two(ways, 0, (rest, others, terms, below))
            cost += two[c, 1]
        lowest = min(lowest, cost)
        if cost < best:
            best, chosen = cost, c
    return lowest if chosen < 0 else best, chosen
