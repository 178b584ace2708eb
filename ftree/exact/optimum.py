"""`Optimum`: the result of a search, with what is proved about it."""

from attrs import field, frozen

from ftree.tree.nodes import Tree


@frozen
class Optimum:
    """A tree, its cost, and a lower bound on the cost of any tree; equality ignores `seconds`.

    `states` is the number of row sets that the search has examined.

    >>> from ftree import optimal
    >>> from ftree.datasets import xor
    >>> best = optimal(xor(), max_depth=2)
    >>> best.tree, best.cost, best.gap, best.proved
    (<Tree for 'odd': 7 nodes, 4 leaves>, 0.0, 0.0, True)
    """

    tree: Tree
    cost: float
    bound: float
    states: int
    seconds: float = field(eq=False)

    @property
    def gap(self) -> float:
        """The most by which another tree can cost less."""
        return self.cost - self.bound

    @property
    def proved(self) -> bool:
        """Whether no tree costs less."""
        return self.bound >= self.cost
