"""The perceptron's planes as weights for `splitters.oblique`."""

from collections.abc import Iterator
from functools import partial

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Array
from ftree._lib.fields import ConstructorRepr, a_count
from ftree.linear.forms_and_kernels import State, primal
from ftree.linear.mistake_sequence import mistakes, pocket
from ftree.splitters.runs import Measure
from ftree.splitters.sums import NodePoints, counts_of_each_class


@frozen
class perceptrons(ConstructorRepr):
    """Find, for each class against the others, the perceptron's plane with the fewest errors (the pocket algorithm).

    Source: Utgoff 1989 (perceptron trees); Gallant 1990 (pocket).

    >>> perceptrons(epochs=20)
    perceptrons(epochs=20)
    """

    epochs: int = field(default=10, kw_only=True, validator=a_count(1, of="epochs"))

    def __call__(self, points_of_node: NodePoints, _: Measure) -> Iterator[Array]:
        """Weights, for each class that some points have and others do not."""
        for inside in counts_of_each_class(points_of_node.counts):
            lead = 2 * inside - points_of_node.counts.sum(axis=1)  # cases of a class minus those of the others
            form = primal(points_of_node.points, np.where(lead > 0, 1.0, -1.0))
            state = pocket(mistakes(form, epochs=self.epochs), partial(_lost, form, lead))
            yield np.array(state[:-1])


def _lost(form: primal, lead: Array, state: State) -> float:
    """Cases on the wrong side, minus those of the same points that would be wrong on the other side."""
    return float(np.abs(lead[form.margins(state) <= 0]).sum())
