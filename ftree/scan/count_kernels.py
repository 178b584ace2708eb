"""Kernels of parts: bins of many numbers, bounds of gains, and cells counted in one pass over the rows."""

import numpy as np

from ftree._lib.jit import kernel, unwrapped


@unwrapped
def _cell(number, low, scale, n_cells):
    """The cell of a number, which never falls as the number grows: so numbers of other cells need not be compared."""
    place = (number - low) * scale
    # Also for a place that is not a number: an infinite number times a scale of 0.
    if not place > 0:
        return 0
    return int(place) if place < n_cells else n_cells - 1


@kernel
def fill_guide(edges, low, scale, guide):
    """Write the number of edges in cells before each cell into `guide` (cells + 1,)."""
    n_cells = guide.shape[0] - 1
    k = 0
    for cell in range(n_cells):
        guide[cell] = k
        while k < edges.shape[0] and _cell(edges[k], low, scale, n_cells) == cell:
            k += 1
    guide[n_cells] = k


@kernel
def fill_bin_codes(numbers, edges, low, scale, guide, codes):
    """Write the number of edges below each number into `codes` (n,); NaN gets the number after the last bin."""
    n_cells = guide.shape[0] - 1
    for i in range(numbers.shape[0]):
        number = numbers[i]
        if number != number:  # noqa: PLR0124  # NaN
            codes[i] = edges.shape[0] + 1
            continue
        cell = _cell(number, low, scale, n_cells)
        begin, end = guide[cell], guide[cell + 1]
        while begin < end:
            middle = (begin + end) >> 1
            if edges[middle] < number:
                begin = middle + 1
            else:
                end = middle
        codes[i] = begin


# Bounds of the gain at all corners of ranges, by entropy or Gini.


@unwrapped
def _impure_weight(k, counts, part, corner, by_entropy):
    """Weight times impurity of row k of `counts`, with those classes of `part` whose bit in `corner` is set."""
    weight, terms = 0.0, 0.0
    for c in range(counts.shape[1]):
        own = counts[k, c] + (part[k, c] if (corner >> c) & 1 else 0.0)
        weight += own
        if by_entropy:
            if own > 0:
                terms += own * np.log2(own)
        else:
            terms += own * own
    if weight <= 0:
        return 0.0
    return weight * np.log2(weight) - terms if by_entropy else weight - terms / weight


@kernel
def corner_bounds(left, within, right, by_entropy, bounds):
    """Write the largest gain at the corners of each range into `bounds` (n,); entropy in bits, else Gini."""
    n_classes = left.shape[1]
    every = (1 << n_classes) - 1
    for k in range(left.shape[0]):
        total, whole_terms = 0.0, 0.0
        for c in range(n_classes):
            own = left[k, c] + within[k, c] + right[k, c]
            total += own
            if by_entropy:
                if own > 0:
                    whole_terms += own * np.log2(own)
            else:
                whole_terms += own * own
        whole = total * np.log2(total) - whole_terms if by_entropy else total - whole_terms / total
        least = np.inf
        for corner in range(every + 1):
            below = _impure_weight(k, left, within, corner, by_entropy)
            below += _impure_weight(k, right, within, every ^ corner, by_entropy)
            least = min(least, below)
        bounds[k] = (whole - least) / total


# Routing rows and counting them at open nodes, row by row.


# A row whose value at a node is missing, or has no child there, is left to the twin: it gets LOST minus the node's number.
LOST = -2


@kernel
def descend(codes, numbers, numeric, feature, first, at, code, absent, table, child, open_nodes, node):
    """Write each row's open node into `node` (n,), -1 for none; the result is the number of rows left to the twin."""
    n_lost = 0
    for i in range(node.shape[0]):
        here = 0
        f = feature[0]
        while f >= 0:
            own = codes[f, i]
            if table[here] >= 0:
                step = child[table[here] + own]
            elif own == code[here]:
                # Numbers are read only if codes are equal, since they may be on disk.
                step = 0 if numbers[numeric[f], i] <= at[here] else 1
            elif own == absent[here]:
                step = -1
            else:
                # As a number and not as a branch, which a processor could not predict.
                step = int(own > code[here])
            if step < 0:
                break
            here = first[here] + step
            f = feature[here]
        if f >= 0:
            node[i] = LOST - here
            n_lost += 1
        else:
            node[i] = open_nodes[here]
    return n_lost


@kernel
def count_cells(codes, labels, weights, node, n_codes, shift, first, counts):
    """Add the rows to `counts` (m, width, K), feature by feature; if `weights` is empty, each row counts once."""
    weighted = weights.shape[0] > 0
    for f in range(codes.shape[0]):
        missing, low, base, last = n_codes[f], shift[f], first[f], first[f + 1] - 1
        for i in range(node.shape[0]):
            here = node[i]
            if here >= 0:
                own = codes[f, i]
                cell = last if own == missing else base + (own >> low)
                counts[here, cell, labels[i]] += weights[i] if weighted else 1


@kernel
def count_totals(labels, weights, node, counts):
    """Add the rows to `counts` (m, K)."""
    weighted = weights.shape[0] > 0
    for i in range(node.shape[0]):
        if node[i] >= 0:
            counts[node[i], labels[i]] += weights[i] if weighted else 1


@unwrapped
def _wanted_code(here, own, missing, low, base, cell, code):
    """The number of a row's code among the wanted ones, -1 if it is not wanted."""
    if here < 0 or own == missing:
        return -1
    of = cell[here, base + (own >> low)]
    return code[of, own & ((1 << low) - 1)] if of >= 0 else -1


@kernel
def count_codes(codes, labels, weights, node, n_codes, shift, first, cell, code, f, counts):
    """Add the rows that have a wanted code of feature f to its row of `counts` (n, K)."""
    weighted = weights.shape[0] > 0
    missing, low, base = n_codes[f], shift[f], first[f]
    for i in range(node.shape[0]):
        which = _wanted_code(node[i], codes[f, i], missing, low, base, cell, code)
        if which >= 0:
            counts[which, labels[i]] += weights[i] if weighted else 1


@kernel
def wanted_rows(codes, node, n_codes, shift, first, cell, code, f, row, number):
    """Write the rows that have a wanted code of feature f, and its number; the result is their number."""
    found = 0
    missing, low, base = n_codes[f], shift[f], first[f]
    for i in range(node.shape[0]):
        which = _wanted_code(node[i], codes[f, i], missing, low, base, cell, code)
        if which >= 0:
            row[found] = i
            number[found] = which
            found += 1
    return found
