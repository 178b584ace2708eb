"""The open nodes of one level, as arrays: what a stopping rule looks at.

Rules are written as if for one node and asked about all nodes of a level at once: nodes are on the first axis,
classes on the last. `frontier[i]` is the same record for one node, with plain numbers and a (K,) array.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from attrs import evolve, field, fields, frozen
from toolz import identity

from ftree._lib.arrays import Array
from ftree.criteria.impurity import Impurity, without_rounding
from ftree.tree.splits import Split


@frozen(eq=False)
class Frontier:
    """Open nodes of one level: `depth`, `counts` (m, K), `impurity`; after the search also the best split's figures.

    `keys` are numbers of the nodes that are made of the way to each, for what is drawn at random; None where nothing is.
    `gain` is what the best split takes off the impurity (bits for entropy), `splits` the splits (None where
    nothing can be split), `child_counts` the class counts of all their children, one node's after another's.

    >>> f = Frontier(0, np.array([[2, 2], [3, 0]]), np.array([1.0, 0.0]))
    >>> f.weight.tolist(), f[1].weight.item(), f.shape
    ([4, 3], 3, (2,))
    """

    depth: int
    counts: Array
    impurity: Any
    keys: Any = None
    gain: Any = None
    splits: Any = None
    child_counts: Array = field(factory=lambda: np.zeros((0, 0)))
    n_children: Any = None

    @property
    def shape(self) -> tuple[int, ...]:
        """(m,) for a level, () for one node."""
        return self.counts.shape[:-1]

    @property
    def weight(self) -> Any:
        """Cases in each node."""
        return self.counts.sum(axis=-1)

    @property
    def smallest_child(self) -> Any:
        """Cases in the smallest child of the best split."""
        return self._over_children(np.minimum, self.child_counts.sum(axis=-1))

    @property
    def chi2(self) -> Any:
        """Pearson's statistic of the best split: sum of (O - E)^2 / E over its children and classes.

        Source: Quinlan 1986, section 5.

        """
        known = self._over_children(np.add, self.child_counts)
        sizes = self.child_counts.sum(axis=-1, keepdims=True)
        expected = sizes * self._for_children(known / _at_least_some(known.sum(axis=-1, keepdims=True)))
        squared = (self.child_counts - expected) ** 2
        return self._over_children(
            np.add, np.divide(squared, expected, out=np.zeros_like(expected), where=expected > 0).sum(axis=-1)
        )

    @property
    def dof(self) -> Any:
        """Degrees of freedom of `chi2`: (children with cases - 1)(classes with cases - 1)."""
        branches = self._over_children(np.add, (self.child_counts.sum(axis=-1) > 0).astype(int))
        classes = (self._over_children(np.add, self.child_counts) > 0).sum(axis=-1)
        return np.maximum(branches - 1, 0) * np.maximum(classes - 1, 0)

    @property
    def p_value(self) -> Any:
        """How probable a `chi2` at least this large is where split and class are independent."""
        from scipy.special import chdtrc  # noqa: PLC0415  # loaded where a test is asked for, not by `import ftree`

        dof = self.dof
        return np.where(dof > 0, chdtrc(np.maximum(dof, 1), self.chi2), 1.0)

    def __getitem__(self, node: int) -> "Frontier":
        """One node of the level, by number."""
        picked = {f.name: getattr(self, f.name) for f in fields(Frontier)}
        if self.n_children is not None:
            end = int(np.cumsum(self.n_children)[node])
            picked["child_counts"] = self.child_counts[end - int(self.n_children[node]) : end]
        per_node = ("counts", "impurity", "keys", "gain", "splits", "n_children")
        return Frontier(**picked | {name: picked[name][node] for name in per_node if picked[name] is not None})

    def nodes(self) -> "Iterator[Frontier]":
        """Each node of the level."""
        return (self[node] for node in range(len(self.counts)))

    def with_splits(
        self,
        splits: Sequence[Split | None],
        child_counts: list[Array],
        impurity: Impurity,
        altered: Callable[[Array], Array] = identity,
    ) -> "Frontier":
        """The same nodes after the search; a node without a split counts as its own only child."""
        sizes = np.array([len(counts) for counts in child_counts], dtype=np.intp)
        return self.searched(splits, np.concatenate(child_counts), sizes, impurity, altered)

    def searched(
        self,
        splits: Sequence[Split | None],
        stacked: Array,
        sizes: Array,
        impurity: Impurity,
        altered: Callable[[Array], Array] = identity,
    ) -> "Frontier":
        """The same nodes after the search, from the counts of all children and how many each node has.

        The gain is over the cases whose value is known, times the share of them (Quinlan 1993, section 3.2), all counts
        `altered` as they were for the search.
        """
        chosen = evolve(self, splits=splits, child_counts=stacked, n_children=sizes)
        measured, everything = altered(stacked), altered(self.counts).sum(axis=-1)
        known = chosen._over_children(np.add, measured)  # noqa: SLF001  # its own class
        share = measured.sum(axis=-1) / chosen._for_children(_at_least_some(known.sum(axis=-1)))  # noqa: SLF001  # its own class
        left = chosen._over_children(np.add, share * impurity(measured))  # noqa: SLF001  # its own class
        gain = without_rounding(impurity(known) - left) * known.sum(axis=-1) / _at_least_some(everything)
        return evolve(chosen, gain=gain)

    def _over_children(self, combine: np.ufunc, values: Array) -> Any:
        """Combine a figure of the children for each node."""
        if self.shape == ():
            return combine.reduce(values, axis=0)
        return combine.reduceat(values, np.cumsum(self.n_children) - self.n_children, axis=0)

    def _for_children(self, values: Any) -> Any:
        """Repeat a figure of the nodes for each of their children."""
        return values if self.shape == () else np.repeat(values, self.n_children, axis=0)


def _at_least_some(weights: Any) -> Any:
    """Weights to divide by: a node without cases has no share of anything, whatever it is divided by."""
    return np.where(weights > 0, weights, 1)
