"""The weakest links of a tree and the losses of its prunings, on arrays: the compiled twin of loops in `ftree.prune`.

Nodes are numbered level by level: children, from number `first` on, have larger numbers than their parents.
"""

import numpy as np

from ftree._lib.jit import kernel, section, unwrapped

# Alphas are 0 below this: `ftree.prune.figures.same`.
_ABSOLUTE = 1e-12
_NONE = np.int64(-1)


@kernel
def weakest_links(first, arity, risks, alpha, lost, links):
    """Fill the alpha (m,) at which each branch is cut, NaN if it lies below an earlier cut, and the number of leaves removed.

    `links` (5, m) is room for the heaps of branches, one for each branch, with the largest alpha on top.
    """
    heap, left, right, rank, way = links
    for number in range(len(first) - 1, -1, -1):
        heap[number], left[number], right[number], rank[number], alpha[number] = _NONE, _NONE, _NONE, 1, np.nan
        if not arity[number]:
            continue
        top, below = _NONE, 0.0
        for kid in range(first[number], first[number] + arity[number]):
            top = _merged(top, heap[kid], alpha, lost, left, right, rank, way)
            below += risks[kid]
        saved, leaves = risks[number] - below, arity[number]
        crossing = _crossing(saved, leaves)
        while top >= 0 and alpha[top] > crossing:
            saved, leaves = saved + alpha[top] * lost[top], leaves + lost[top]
            crossing = _crossing(saved, leaves)
            alpha[top] = np.nan
            top = _merged(left[top], right[top], alpha, lost, left, right, rank, way)
        alpha[number], lost[number] = crossing, leaves - 1
        heap[number] = _merged(top, number, alpha, lost, left, right, rank, way)


@section
def _crossing(saved, leaves):
    """Risk saved for each leaf beyond the first; 0 for a branch with a single leaf, which is always cut."""
    alpha = saved / (leaves - 1) if leaves > 1 else 0.0
    return 0.0 if alpha <= _ABSOLUTE else alpha


@unwrapped
def _merged(one, other, alpha, lost, left, right, rank, way):
    """The top of a leftist heap merged from two, -1 for none (Crane 1972): the right spines are short, and are merged."""
    n = 0
    while one >= 0 and other >= 0:
        if _comes_before(other, one, alpha, lost):
            one, other = other, one
        way[n] = one
        n += 1
        one = right[one]
    rest = max(one, other)
    while n:
        n -= 1
        here = way[n]
        right[here] = rest
        if left[here] < 0 or (rest >= 0 and rank[left[here]] < rank[rest]):
            left[here], right[here] = rest, left[here]
        rank[here] = 1 if right[here] < 0 else rank[right[here]] + 1
        rest = here
    return rest


@section
def _comes_before(one, other, alpha, lost):
    """Whether a branch is popped from a heap first: by the larger alpha, then the fewer leaves, then its number."""
    if alpha[one] != alpha[other]:
        return alpha[one] > alpha[other]
    return lost[one] < lost[other] or (lost[one] == lost[other] and one < other)


@kernel
def add_to_parents(first, arity, counts):
    """Add the counts (m, K) of children to those of their parents, from the leaves up."""
    for number in range(len(first) - 1, -1, -1):
        for kid in range(first[number], first[number] + arity[number]):
            for c in range(counts.shape[1]):
                counts[number, c] += counts[kid, c]


@kernel
def sums_after_cuts(first, arity, losses, cuts, ends, after, closed, stack):
    """Fill the loss (groups, 2) of a tree after each group of cuts: the nodes `cuts`, group after group up to each of `ends`.

    In each group lower nodes come first. `losses` (m, 2) are those of nodes as leaves; `closed` and `stack` (m,) are room.
    """
    total, squares = 0.0, 0.0
    for number in range(len(first)):
        closed[number] = arity[number] == 0
        if closed[number]:
            total, squares = total + losses[number, 0], squares + losses[number, 1]
    i = 0
    for group in range(len(ends)):
        while i < ends[group]:
            below, below_squares = _sum_below(cuts[i], first, arity, losses, closed, stack)
            total += losses[cuts[i], 0] - below
            squares += losses[cuts[i], 1] - below_squares
            closed[cuts[i]] = True
            i += 1
        after[group, 0], after[group, 1] = total, squares


@section
def _sum_below(number, first, arity, losses, closed, stack):
    """The loss of the pruned subtree of a node."""
    total, squares, stack[0], n = 0.0, 0.0, number, 1
    while n:
        n -= 1
        here = stack[n]
        for kid in range(first[here], first[here] + arity[here]):
            if closed[kid]:
                total, squares = total + losses[kid, 0], squares + losses[kid, 1]
            else:
                stack[n] = kid
                n += 1
    return total, squares
