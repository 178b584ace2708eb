"""Ordered features cut in intervals, as many as the minimum description length allows (Fayyad & Irani 1993)."""

import numpy as np
from attrs import evolve, field, frozen
from attrs.validators import optional

from ftree._lib.arrays import Array
from ftree._lib.fields import QUIET, ConstructorRepr, a_whole_number
from ftree.criteria.impurity import entropy
from ftree.criteria.scores import gain
from ftree.splitters.base import ORDERED, Found, Least, Measure, Runs, a_least_weight, best_cuts, least_of_each
from ftree.splitters.grouping import beginning, divided, joined, regrouped
from ftree.splitters.multiway import multiway


@frozen(repr=False)
class intervals(ConstructorRepr):
    """One child for each interval: cut where entropy falls most, and each side again, while a cut is worth its description.

    Each side of a cut has `min_cases` cases; of more than `at_most` cuts, those are made that best-first division makes.
    Entropy is of the cases as they are; how the intervals score together is the policy's matter.

    Source: Fayyad & Irani 1993.

    >>> intervals(at_most=4)
    intervals(at_most=4)
    """

    kinds = ORDERED

    at_most: int | None = field(default=None, kw_only=True, metadata=QUIET, validator=optional(a_whole_number(1, of="cuts")))
    min_cases: Least = field(default=0, kw_only=True, metadata=QUIET, validator=a_least_weight)

    def __call__(self, runs: Runs, measure: Measure) -> Found:
        """Score each run by its intervals together."""
        blocks = np.arange(len(runs.value)) if self.min_cases else _pure_blocks(runs)
        rows = joined(runs, blocks)
        begins = np.isin(np.arange(len(rows.value)), np.concatenate([rows.start, self._cuts(rows) + 1]))
        first = beginning(begins)
        return divided(runs, regrouped(blocks, first), multiway()(joined(rows, first), measure).score)

    def _cuts(self, runs: Runs) -> Array:
        """The row below each cut. All intervals of a round are cut at once, their sides in the next."""
        # Cutting asks for no value, so that rows can have their numbers in its place.
        whole, most = evolve(runs, value=np.arange(len(runs.value))), np.full(len(runs.start), np.inf)
        below, taken_off = [np.zeros(0, dtype=np.intp)], [np.zeros(0)]
        while len(whole.start):
            cut = best_cuts(whole, gain, self.min_cases)
            found = np.flatnonzero(cut.score > -np.inf)
            halves = _halves(whole.only(found), (cut.below - whole.start)[found])
            sides = np.add.reduceat(halves.counts, halves.start).reshape(-1, 2, halves.counts.shape[1])
            good = worth_its_description(sides)
            # Nor more than the cut that must come first: the cuts with the most are then those of best-first division.
            most = np.minimum(most[found], gain(sides) * sides.sum(axis=(1, 2)))[good]
            whole = halves.only(np.flatnonzero(np.repeat(good, 2)))
            below.append(whole.value[whole.end[::2] - 1])
            taken_off.append(most)
            most = np.repeat(most, 2)
        return self._best(runs, np.concatenate(below), np.concatenate(taken_off))

    def _best(self, runs: Runs, below: Array, taken_off: Array) -> Array:
        """Of each run's cuts those that take off the most."""
        if self.at_most is None:
            return below
        best: Array = below[least_of_each(runs.of_row()[below], -taken_off, self.at_most)]
        return best


def worth_its_description(sides: Array) -> Array:
    """Whether cuts gain more bits than it takes to say where they are and what they change; (..., 2, K) to (...).

    Of n cases, with entropy E and k classes, E1 and k1 on one side and so on, the gain is to be more than
    (log2(n - 1) + log2(3^k - 2) - (k E - k1 E1 - k2 E2)) / n.

    Source: Fayyad & Irani 1993, section 3.

    >>> worth_its_description(np.array([[[4, 0], [0, 4]], [[2, 1], [1, 2]]])).tolist()
    [True, False]
    """
    counts = np.asarray(sides, dtype=np.float64)
    whole = counts.sum(axis=-2)
    n = whole.sum(axis=-1)
    k = (whole > 0).sum(axis=-1)
    described = k * entropy(whole) - ((counts > 0).sum(axis=-1) * entropy(counts)).sum(axis=-1)
    # log2(3^k - 2), where 3^k need not be a number.
    delta = k * np.log2(3) + np.log1p(-2 * 3.0 ** -np.maximum(k, 1)) / np.log(2) - described
    # Cases that weigh less than two together say where for nothing, not for less.
    worth: Array = gain(counts) * n > np.log2(np.maximum(n - 1, 1)) + delta
    return worth


def _halves(whole: Runs, place: Array) -> Runs:
    """Each run as two: up to the row in a place, and from the next one on."""
    cut = whole.start + place + 1
    start, end = np.column_stack([whole.start, cut]).ravel(), np.column_stack([cut, whole.end]).ravel()
    node, feature, key = (np.repeat(each, 2) for each in (whole.node, whole.feature, whole.key))
    return evolve(whole, start=start, end=end, node=node, feature=feature, key=key)


def _pure_blocks(runs: Runs) -> Array:
    """The division that joins neighbours of the same one class: entropy falls most at a border of theirs.

    Source: Fayyad & Irani 1992, theorem 1.
    """
    pure = (runs.counts > 0).sum(axis=1) == 1
    label = runs.counts.argmax(axis=1)
    begins = np.ones(len(pure), dtype=bool)
    begins[1:] = ~(pure[1:] & pure[:-1] & (label[1:] == label[:-1]))
    begins[runs.start] = True
    return beginning(begins)
