"""`random_threshold`: the splitter that cuts an ordered feature at random, for ensembles."""

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Array
from ftree._lib.fields import ConstructorRepr, a_whole_number
from ftree.splitters.base import ORDERED, BestSplits, Measure, Runs
from ftree.splitters.cuts import every_cut, two_sides
from ftree.splitters.random_numbers import uniform
from ftree.tree.splits import Threshold
from ftree.tree.splits.protocol import Split


@frozen(repr=False)
class random_threshold(ConstructorRepr):
    """Two children, cut at a number drawn uniformly between the smallest and the largest value present.

    The draw depends only on the seed, the feature and the path to the node: same seed, same tree.

    Source: Geurts, Ernst & Wehenkel 2006 (extremely randomised trees).

    >>> random_threshold(seed=1)
    random_threshold(seed=1)
    """

    kinds = ORDERED

    seed: int = field(kw_only=True, validator=a_whole_number(0))

    def __call__(self, runs: Runs, measure: Measure) -> BestSplits:
        """Each run's random cut."""
        low, high = runs.value[runs.start], runs.value[runs.end - 1]
        share = uniform(self.seed, runs.key, runs.feature)
        # Not low + share * (high - low), since that difference may overflow.
        drawn = np.clip(low * (1 - share) + high * share, low, np.nextafter(high, low))
        below, left, right = every_cut(runs)
        run = runs.run_of_row()[below]
        here = (runs.value[below] <= drawn[run]) & (drawn[run] < runs.value[below + 1])
        scores = np.full(len(runs.start), -np.inf)
        scores[run[here]] = measure(np.stack([left[here], right[here]], axis=1))
        row = np.zeros(len(runs.start), dtype=np.intp)
        row[run[here]] = below[here]

        def build(number: int) -> tuple[Split, Array]:
            return Threshold(int(runs.feature[number]), float(drawn[number])), two_sides(runs, number, row[number])

        return BestSplits(scores, build)
