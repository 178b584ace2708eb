"""Subtree raising on arrays: the compiled twin of `ftree.prune.subtree_raising`, which explains the decisions."""

from typing import Any, NamedTuple

import numpy as np

from ftree._lib.jit import kernel, section, unwrapped
from ftree.prune.kernels.divide_rows import FULL, divide_segment


class Nodes(NamedTuple):
    """A tree while it is pruned, nodes numbered level by level (m).

    `source` is the node whose split each one has. `counts` (m, K) and `errors` are those of its cases; `known` says whether no
    case misses a value at it or below, `incomplete` whether one does at the node itself. `touched` marks changed nodes.
    """

    first: Any
    arity: Any
    parent: Any
    source: Any
    counts: Any
    errors: Any
    known: Any
    incomplete: Any
    touched: Any


class Work(NamedTuple):
    """Room for one judgement after another (m each): counts (m, K), stacks of nodes, and notes about nodes.

    `counts` are those of the cases sent into a child, `total` (1, K) those of all cases of one node. `gaps` says where a case
    misses a value, `changed` where counts differ. `top` is the size in use when a node of the raised child is divided,
    `before` the size in use before a node was divided for its own cases, -1 if it is not divided.
    """

    counts: Any
    total: Any
    gaps: Any
    changed: Any
    top: Any
    before: Any
    visited: Any
    stack: Any
    to_judge: Any


# The errors that a simpler tree may add, and the share of the largest child's cases that ties with it, as in the plain twin.
_SLACK, _AS_LARGE = 0.1, 1 - 1e-9
# Cases are all those of a node, and not added to others; a literal has its own type, for which numba would compile once more.
_ALL = np.bool_(0)
_RELATIVE, _ABSOLUTE = 1e-10, 1e-12


@kernel
def count_segments(rows, segments, nodes, work):
    """Fill `nodes.counts`, zeros at first, and `nodes.incomplete`; False if the segments need more room."""
    stack, top = work.stack, work.top
    stack[0], n_open, top[0] = 0, 1, segments.end[0]
    while n_open:
        n_open -= 1
        here = stack[n_open]
        _count(rows, segments, here, nodes.counts)
        if nodes.arity[here] and segments.begin[here] < segments.end[here]:
            after, known = divide_segment(
                rows, segments, here, here, nodes.first[here], nodes.arity[here], nodes.counts, _ALL, top[here]
            )
            if after == FULL:
                return False
            nodes.incomplete[here] = not known
            n_open = _push_children(nodes, segments, work, here, known, n_open)
    return True


@kernel
def raise_subtrees(rows, segments, nodes, work, confidence, z):
    """Judge every branch, children first, and again where a raise adds cases; False if the segments need more room."""
    to_judge, n_left, top = work.to_judge, _branches(nodes, work), segments.end[0]
    for here in range(len(nodes.first)):
        nodes.errors[here] = _leaf_errors(nodes.counts, here, confidence, z)
        nodes.known[here], segments.begin[here], work.before[here] = True, 0 if here == 0 else -1, -1
    while n_left:
        n_left -= 1
        number = to_judge[n_left]
        first, arity = nodes.first[number], nodes.arity[number]
        child, as_subtree = _largest(nodes, first, arity), 0.0
        for kid in range(first, first + arity):
            as_subtree += nodes.errors[kid]
        as_leaf = _leaf_errors(nodes.counts, number, confidence, z)
        as_raised, n_visited, added = as_leaf, 0, nodes.known[child]
        if nodes.arity[child]:
            top = _reach(rows, segments, nodes, work, number, child, top)
            if top == FULL:
                return False
            n_visited, errors = _visit(rows, segments, nodes, work, child, added, confidence, z)
            if n_visited == FULL:
                return False
            as_raised = nodes.errors[child] + errors
        if _at_most(as_leaf, as_subtree + _SLACK) and _at_most(as_leaf, as_raised + _SLACK):
            nodes.arity[number], nodes.errors[number], nodes.known[number] = 0, as_leaf, True
            nodes.touched[number] = True
        elif _at_most(as_raised, as_subtree + _SLACK):
            n_left = _raise(nodes, work, number, child, added, n_visited, n_left, confidence, z)
        else:
            nodes.errors[number], known = as_subtree, not nodes.incomplete[number]
            for kid in range(first, first + arity):
                known &= nodes.known[kid]
            nodes.known[number] = known
        if work.before[number] >= 0:
            top, work.before[number] = work.before[number], -1
        for kid in range(first, first + arity):
            segments.begin[kid] = -1
    _mark_above(nodes)
    return True


@section
def _branches(nodes, work):
    """List all branches in `to_judge`, from whose end children come first, left to right; returns their number."""
    n, n_open, work.stack[0] = 0, 1, 0
    while n_open:
        n_open -= 1
        here = work.stack[n_open]
        if nodes.arity[here]:
            work.to_judge[n] = here
            n += 1
            for v in range(nodes.arity[here]):
                work.stack[n_open] = nodes.first[here] + v
                n_open += 1
    return n


@section
def _push_children(nodes, segments, work, here, in_place, n_open):
    """Put the children of a divided node on the stack; the last, which comes first, may use the room after its segment."""
    for kid in range(nodes.first[here], nodes.first[here] + nodes.arity[here]):
        work.stack[n_open] = kid
        work.top[kid] = work.top[here] if in_place else segments.end[kid]
        n_open += 1
    return n_open


@unwrapped
def _count(rows, segments, here, counts):
    """Class counts of the rows of a node."""
    _clear(counts, here)
    for i in range(segments.begin[here], segments.end[here]):
        row = segments.row[i]
        counts[here, rows.labels[row]] += segments.share[i] * rows.times[row]


@section
def _clear(counts, here):
    for c in range(counts.shape[1]):
        counts[here, c] = 0.0


@section
def _add_up(nodes, work, here, added):
    """Class counts of a node with the cases sent into it, in `total`."""
    for c in range(work.total.shape[1]):
        work.total[0, c] = nodes.counts[here, c] + work.counts[here, c] if added else work.counts[here, c]


@section
def _largest(nodes, first, arity):
    """The child with the most cases, the last of equal ones."""
    most, largest = -1.0, first
    for turn in range(2):
        for kid in range(first, first + arity):
            size = 0.0
            for c in range(nodes.counts.shape[1]):
                size += nodes.counts[kid, c]
            if turn == 0:
                most = max(most, size)
            elif size >= most * _AS_LARGE:
                largest = kid
    return largest


@section
def _reach(rows, segments, nodes, work, number, child, top):
    """Give the child that may be raised its segment: its siblings' cases or, if it has gaps, all of its parent's.

    The result is the end of the used part, `FULL` if there is no room.
    """
    first, arity, begin, end = nodes.first[number], nodes.arity[number], segments.begin, segments.end
    top = _divide_above(rows, segments, nodes, work, first if nodes.known[child] else number, top)
    if top == FULL:
        return FULL
    low, high = begin[number], end[number]
    if nodes.known[child]:
        low, high = top, top
        for kid in range(first, first + arity):
            if kid != child and arity == 2:  # noqa: PLR2004  # the only sibling's cases are used in place
                low, high = begin[kid], end[kid]
            elif kid != child:
                if high + end[kid] - begin[kid] > len(segments.row):
                    return FULL
                for i in range(begin[kid], end[kid]):
                    segments.row[high], segments.share[high] = segments.row[i], segments.share[i]
                    high += 1
    begin[child], end[child] = low, high
    work.top[child] = max(top, high)
    return top


@section
def _divide_above(rows, segments, nodes, work, number, top):
    """Divide the cases of all nodes above one, from the nearest whose cases are known down; the end of the used part."""
    stack, n, here = work.stack, 0, number
    while segments.begin[here] < 0:
        here = nodes.parent[here]
        stack[n] = here
        n += 1
    while n:
        n -= 1
        here = stack[n]
        work.before[here] = top
        top, _ = divide_segment(
            rows, segments, nodes.source[here], here, nodes.first[here], nodes.arity[here], nodes.counts, _ALL, top
        )
        if top == FULL:
            return FULL
    return top


@section
def _visit(rows, segments, nodes, work, child, added, confidence, z):
    """Send cases into a child; the number of nodes visited, `FULL` if there is no room, and the errors that its leaves gain."""
    stack, visited, n_visited, errors = work.stack, work.visited, 0, 0.0
    stack[0], n_open = child, 1
    _clear(work.counts, child)
    while n_open:
        n_open -= 1
        here = stack[n_open]
        if not added or segments.begin[here] < segments.end[here]:
            visited[n_visited] = here
            n_visited += 1
            if nodes.arity[here]:
                after, known = divide_segment(
                    rows,
                    segments,
                    nodes.source[here],
                    here,
                    nodes.first[here],
                    nodes.arity[here],
                    nodes.counts,
                    added,
                    work.top[here],
                )
                if after == FULL:
                    return FULL, 0.0
                work.gaps[here] = not known
                for kid in range(nodes.first[here], nodes.first[here] + nodes.arity[here]):
                    _clear(work.counts, kid)
                n_open = _push_children(nodes, segments, work, here, known, n_open)
            else:
                _count(rows, segments, here, work.counts)
                _add_up(nodes, work, here, added)
                errors += _leaf_errors(work.total, np.int64(0), confidence, z) - nodes.errors[here]
        segments.begin[here] = -1
    return n_visited, errors


@section
def _raise(nodes, work, number, child, added, n_visited, n_left, confidence, z):
    """Put a child in its parent's place, and list the nodes to judge again: this node and the branches that got cases."""
    for i in range(n_visited - 1, -1, -1):
        here = work.visited[i]
        changed, n_children = False, nodes.arity[here]
        for kid in range(nodes.first[here], nodes.first[here] + n_children):
            changed |= work.changed[kid]
            for c in range(nodes.counts.shape[1]):
                work.counts[here, c] += work.counts[kid, c]
        _add_up(nodes, work, here, added)
        for c in range(nodes.counts.shape[1]):
            changed |= work.total[0, c] != nodes.counts[here, c]
        work.changed[here] = changed
        if changed:
            for c in range(nodes.counts.shape[1]):
                nodes.counts[here, c] = work.total[0, c]
            nodes.errors[here] = _leaf_errors(nodes.counts, here, confidence, z)
            nodes.incomplete[here], nodes.touched[here] = n_children > 0 and work.gaps[here], True
    nodes.source[number], nodes.first[number], nodes.arity[number] = nodes.source[child], nodes.first[child], nodes.arity[child]
    for c in range(nodes.counts.shape[1]):
        nodes.counts[number, c] = nodes.counts[child, c]
    nodes.incomplete[number], nodes.touched[number] = n_visited > 0 and work.gaps[child], True
    for kid in range(nodes.first[number], nodes.first[number] + nodes.arity[number]):
        nodes.parent[kid] = number
    work.to_judge[n_left] = number
    n_left += 1
    for i in range(n_visited):
        here = work.visited[i]
        if i and work.changed[here] and nodes.arity[here]:
            work.to_judge[n_left] = here
            n_left += 1
        work.changed[here] = False
    return n_left


@section
def _mark_above(nodes):
    """Mark the nodes above those that are touched; children have larger numbers."""
    for here in range(len(nodes.first) - 1, -1, -1):
        for kid in range(nodes.first[here], nodes.first[here] + nodes.arity[here]):
            nodes.touched[here] |= nodes.touched[kid]


@unwrapped
def _leaf_errors(counts, here, confidence, z):
    """The upper confidence limit of a leaf's errors, as `ftree.prune.figures.expected_errors` computes it."""
    n, most = 0.0, 0.0
    for c in range(counts.shape[1]):
        n += counts[here, c]
        most = max(most, counts[here, c])
    e = n - most
    if n == 0:
        return 0.0
    if e >= 1:
        return e + _limit(n, e, z)
    none = n * (1 - confidence ** (1 / n))
    return e + (none + e * (_limit(n, 1.0, z) - none) if e else none)


@section
def _limit(n, e, z):
    """The part that the upper confidence limit adds to at least one error."""
    if e + 0.5 >= n:
        return max(n - e, 0.0)
    f = (e + 0.5) / n
    upper = f + z * z / (2 * n) + z * np.sqrt(f / n - f * f / n + z * z / (4 * n * n))
    return n * upper / (1 + z * z / n) - e


@section
def _at_most(one, other):
    """Whether a number of errors is smaller than another, or equal except for rounding: `ftree.prune.figures.at_most`."""
    return one <= other or abs(one - other) <= max(_RELATIVE * max(abs(one), abs(other)), _ABSOLUTE)
