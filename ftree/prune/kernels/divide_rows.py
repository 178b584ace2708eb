"""Rows sent from a node to its children, in segments of one long list: the compiled twin of `ftree.routing.descent.Descent`.

A segment whose rows all have an answer is sorted by child in place, so that the children's segments take no room. Order
does not matter, since shares of rows are multiples of a power of two, whose sums are exact.
"""

from typing import Any, NamedTuple

import numpy as np

from ftree._lib.jit import section, unwrapped
from ftree.routing.descent_kernels import ABOVE, KIND, PLACE, child_of_row, share_on_grid, sum_and_first_largest


class RowSegments(NamedTuple):
    """All rows (n): `cells` and `ways` as `ftree.routing.descent_kernels` takes them, class numbers, and whole row weights.

    Shares of rows are multiples of `step`.
    """

    cells: Any
    ways: Any
    labels: Any
    times: Any
    step: Any


class Segments(NamedTuple):
    """Rows in segments: at each position a row, its share, and its child at the node that was divided last.

    Node j has the positions from `begin[j]` to `end[j]`; -1 if its rows are not known. `sizes` and `fill` have a cell for
    each child of a branch.
    """

    row: Any
    share: Any
    child: Any
    begin: Any
    end: Any
    sizes: Any
    fill: Any


# The result if a list is too short.
FULL = np.int64(-1)


@unwrapped
def divide_segment(rows, segments, question, here, first, arity, counts, added, top):
    """Give each child of a node, from number `first` on, its segment; the used part's end, and whether all rows have answers.

    Rows without an answer are divided in proportion to those with one and, if the rows are `added` to others, to the `counts`
    of the others in the children. Then all need segments of their own, from `top` on; the end is `FULL` if these are too
    long.
    """
    row, child, fill = segments.row, segments.child, segments.fill
    low, high, unanswered = segments.begin[here], segments.end[here], 0
    for v in range(arity):
        fill[v] = 0
    at, rest, _, _, _ = rows.ways
    place, is_threshold = rest[question, PLACE], rest[question, KIND] == ABOVE
    for i in range(low, high):
        x = rows.cells[place, row[i]]
        v = np.int64(x > at[question])
        if not is_threshold or np.isnan(x):  # most questions are answered above, in half the time
            v = child_of_row(rows.cells, row[i], question, rows.ways)
        child[i] = v
        if v < 0:
            unanswered += 1
        else:
            fill[v] += 1
    if not unanswered:
        _sort_in_place(segments, first, arity, low)
        return top, True
    if top + (high - low) + (arity - 1) * unanswered > len(row):
        return FULL, False
    return _copy_with_shares(rows, segments, low, high, first, arity, counts, added, top), False


@section
def _sort_in_place(segments, first, arity, low):
    """Swap rows until each child's are contiguous; `fill` is the number of rows of each."""
    row, share, child, begin, end, _, fill = segments
    start = low
    for v in range(arity):
        begin[first + v], end[first + v] = start, start + fill[v]
        fill[v], start = start, start + fill[v]
    for v in range(arity):
        while fill[v] < end[first + v]:
            i, to = fill[v], child[fill[v]]
            j = fill[to]
            if to != v:
                row[i], row[j] = row[j], row[i]
                share[i], share[j] = share[j], share[i]
                child[i], child[j] = child[j], to
            fill[to] += 1


@section
def _copy_with_shares(rows, segments, low, high, first, arity, counts, added, top):
    """Write each child's rows from `top` on, and its parts of rows without an answer; the end of all."""
    row, share, child, begin, end, sizes, _ = segments
    for v in range(arity):
        sizes[v] = 0.0
    for i in range(low, high):
        if child[i] >= 0:
            sizes[child[i]] += share[i] * rows.times[row[i]]
    for v in range(arity if added else 0):
        size = 0.0
        for c in range(counts.shape[1]):
            size += counts[first + v, c]
        sizes[v] += size
    total, largest = sum_and_first_largest(sizes, np.int64(0), arity)
    if total == 0:  # children without cases count as equal
        for v in range(arity):
            sizes[v] = 1.0
        total = np.float64(arity)
    for v in range(arity):
        begin[first + v] = top
        for i in range(low, high):
            part = share[i]
            if child[i] < 0:
                part = share_on_grid(share[i], sizes[v] / total, rows.step)
                if v == largest:
                    part += share[i] - _given(share[i], sizes, arity, total, rows.step)
            if child[i] == v or (child[i] < 0 and part > 0):
                row[top], share[top] = row[i], part
                top += 1
        end[first + v] = top
    return top


@section
def _given(weight, sizes, arity, total, step):
    """The parts of the children of a weight before the largest one gets the remainder."""
    given = 0.0
    for v in range(arity):
        given += share_on_grid(weight, sizes[v] / total, step)
    return given
