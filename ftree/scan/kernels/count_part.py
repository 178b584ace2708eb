"""Routing rows and counting them at open nodes, row by row. The plain twins: `Routes.entries`, `counts`, `wanted`."""

from ftree._lib.jit import inlined, kernel

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


@inlined
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
