"""The open nodes of one level as arrays, for stopping rules.

A rule is written as if for one node, and is called for all nodes of a level at once: nodes are on the first axis,
classes on the last. `frontier[i]` is the same record for one node, with plain numbers and a (K,) array.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from attrs import evolve, field, fields, frozen
from toolz import identity

from ftree._lib.arrays import Array, read_only
from ftree.criteria.impurity import Impurity, positive, proportions, without_rounding
from ftree.criteria.independence import degrees_of_freedom, p_value, pearson_terms
from ftree.tree.splits.protocol import Split


@frozen(eq=False)
class Frontier:
    """Open nodes of one level: `depth`, `counts` (m, K), `impurity`; after the search also their best splits.

    `gain` is the decrease in impurity of the best split (bits for entropy). `splits` are the best splits, None for a node
    that cannot be split. `child_counts` are the class counts of all children, node after node, and `n_children` is the number
    of children of each node. `keys` identify the nodes by their paths, as seeds of random numbers; None if none are drawn.
    All arrays are read-only.

    >>> f = Frontier(0, np.array([[2, 2], [3, 0]]), np.array([1.0, 0.0]))
    >>> f.weight.tolist(), f[1].weight.item(), f.shape
    ([4, 3], 3, (2,))
    """

    depth: int
    counts: Array = field(converter=read_only)
    impurity: Any = field(converter=read_only)
    keys: Any = field(default=None, converter=read_only)
    gain: Any = field(default=None, converter=read_only)
    splits: Any = None
    child_counts: Array = field(factory=lambda: np.array([]), converter=read_only)
    n_children: Any = field(default=None, converter=read_only)

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
        return self._over_children(np.minimum, self.child_counts.sum(axis=1))

    @property
    def chi2(self) -> Any:
        """Pearson's statistic of the best split: sum of (O - E)^2 / E over its children and classes.

        Source: Quinlan 1986, section 5.
        """
        shares = self._for_children(proportions(self._over_children(np.add, self.child_counts)))
        return self._over_children(np.add, pearson_terms(self.child_counts, shares).sum(axis=1))

    @property
    def dof(self) -> Any:
        """Degrees of freedom of `chi2`: (children with cases - 1)(classes with cases - 1)."""
        n_children = self._over_children(np.add, (self.child_counts.sum(axis=1) > 0).astype(int))
        n_classes = (self._over_children(np.add, self.child_counts) > 0).sum(axis=-1)
        return degrees_of_freedom(n_children, n_classes)

    @property
    def p_value(self) -> Any:
        """Probability of a `chi2` at least this large if split and class are independent."""
        return p_value(self.chi2, self.dof)

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
        """The same nodes after the search; a node without a split is its own only child."""
        sizes = np.array(list(map(len, child_counts)))
        return self.searched(splits, np.concatenate(child_counts), sizes, impurity, altered)

    def searched(
        self,
        splits: Sequence[Split | None],
        stacked: Array,
        sizes: Array,
        impurity: Impurity,
        altered: Callable[[Array], Array] = identity,
    ) -> "Frontier":
        """The same nodes after the search; `stacked` are all children's counts, `sizes` the numbers of children of the nodes.

        The gain is computed from the cases with known values, and multiplied by their share (Quinlan 1993, section 3.2).
        `altered` is the function of counts that the search used.
        """
        chosen = evolve(self, splits=splits, child_counts=stacked, n_children=sizes)
        measured, everything = read_only(altered(stacked)), altered(self.counts).sum(axis=1)
        known = read_only(chosen._over_children(np.add, measured))  # noqa: SLF001  # a method of this class
        share = measured.sum(axis=1) / chosen._for_children(positive(known.sum(axis=1)))  # noqa: SLF001  # a method of this class
        left = chosen._over_children(np.add, share * impurity(measured))  # noqa: SLF001  # a method of this class
        gain = without_rounding(impurity(known) - left) * known.sum(axis=1) / positive(everything)
        return evolve(chosen, gain=gain)

    def _over_children(self, combine: np.ufunc, values: Array) -> Any:
        """Combine the values of each node's children."""
        if self.shape == ():
            return combine.reduce(values, axis=0)
        return combine.reduceat(values, np.cumsum(self.n_children) - self.n_children, axis=0)

    def _for_children(self, values: Any) -> Any:
        """Repeat the value of each node for each of its children."""
        return values if self.shape == () else np.repeat(values, self.n_children, axis=0)
