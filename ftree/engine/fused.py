"""What an engine that searches for itself is asked, and what it answers: arrays, and no `Split` for each node."""

from attrs import frozen

from ftree.cuts import Cuts
from ftree.frontier import Array


@frozen(eq=False)
class Criterion:
    """What to search for: how each feature splits (a kind of `ftree.cuts`), and the numbers of impurity and score."""

    ways: Array
    impurity: int
    score: int


@frozen(eq=False)
class Found:
    """The best splits: as cuts, the counts of all children, how many each node has, and which were too close to call."""

    cuts: Cuts
    children: Array
    n_children: Array
    doubt: Array
