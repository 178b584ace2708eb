"""Other data counted at every node at once: what `ftree.recount` counts, without making a tree of it."""

from collections.abc import Sequence

import numpy as np
from attrs import evolve

from ftree._collector import no_collecting
from ftree._kernels import grid, share_out, times_and_fractions
from ftree.dataset import Dataset
from ftree.prune.judge import Survey
from ftree.route import Array
from ftree.split import child_of, features_of
from ftree.tree import Branch, Counts, Leaf, whole_numbers, with_children


@no_collecting()
def tally(survey: Survey, dataset: Dataset) -> list[Counts]:
    """Class counts of each node, for data in the tree's codes; rows without an answer go down in fractions.

    Rows are sent down level by level, sorted by the node that they are at, so that no node costs more than its splitting.
    """
    labels, n_classes = dataset.labels.astype(np.intp), len(dataset.schema.classes)
    step = grid(float(sum(dataset.class_counts())))
    times, fractions = times_and_fractions(dataset.weights, step)
    counts = np.zeros(len(survey.nodes) * n_classes)
    rows, shares = np.arange(len(dataset)), np.ones(len(dataset)) if fractions is None else fractions
    at = np.zeros(len(dataset), dtype=np.intp)
    while len(rows):
        first = int(at[0])
        weights = shares if times is None else shares * times[rows]
        level = np.bincount((at - first) * n_classes + labels[rows], weights)
        counts[first * n_classes : first * n_classes + len(level)] += level
        at, rows, shares = _next_level(survey, dataset, (at, rows, shares), step)
    plain = whole_numbers(counts)
    return [tuple(plain[start : start + n_classes]) for start in range(0, len(plain), n_classes)]


def with_counts(survey: Survey, counts: Sequence[Counts]) -> Survey:
    """The same nodes with other counts; those below which no count changes are shared."""
    made = list(survey.nodes)
    for number in reversed(range(len(made))):
        old, kids, now = made[number], survey.below[number], counts[number]
        if isinstance(old, Leaf):
            made[number] = old if now == old.counts else Leaf(now)
        else:
            nodes = made[kids.start : kids.stop]
            made[number] = with_children(old, nodes) if now == old.counts else Branch(now, old.split, nodes)
    return evolve(survey, nodes=made)


def _next_level(survey: Survey, dataset: Dataset, here: tuple[Array, Array, Array], step: float) -> tuple[Array, Array, Array]:
    """The node, row and share of what goes on from the branches of a level, sorted by node."""
    at, rows, shares = here
    starts = np.flatnonzero(np.diff(at, prepend=-1))
    moved = np.full(len(at), -1)
    divided = []
    for number, low, high in zip(at[starts].tolist(), starts.tolist(), [*starts[1:].tolist(), len(at)], strict=True):
        node = survey.nodes[number]
        if isinstance(node, Branch):
            these = rows[low:high]
            child = child_of(node.split, *(dataset.columns[feature][these] for feature in features_of(node.split)))
            known = child >= 0
            moved[low:high][known] = child[known] + survey.below[number].start
            if not known.all():
                lost = np.flatnonzero(~known) + low
                divided.append(_divided(node, survey.below[number].start, rows[lost], shares[lost], step))
    on = moved >= 0
    parts = [(moved[on], rows[on], shares[on]), *divided]
    going, which, share = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(going, kind="stable")
    return going[order], which[order], share[order]


def _divided(branch: Branch, first: int, rows: Array, shares: Array, step: float) -> tuple[Array, Array, Array]:
    """Rows without an answer, in proportion to the cases of the children."""
    sizes = np.array([sum(child.counts) for child in branch.children], dtype=np.float64)
    if not sizes.any():
        sizes[:] = 1.0
    parts = share_out(shares, sizes, step)
    some = parts > 0
    child, row = np.nonzero(some.T)
    return first + child, rows[row], parts[row, child]
