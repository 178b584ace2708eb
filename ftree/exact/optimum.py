"""`Optimum`: the answer of a search, with what is proved about it."""

from attrs import field, frozen

from ftree.tree.nodes import Tree


@frozen
class Optimum:
    """A tree, what it costs, and a lower bound on the cost of any tree; equality leaves `seconds` aside.

    `states` counts the row sets that the search has looked at.

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
        """How much less another tree can cost at most."""
        return self.cost - self.bound

    @property
    def proved(self) -> bool:
        """Whether no tree costs less."""
        return self.bound >= self.cost
