"""The open nodes of a level as arrays: `Nodes` before the search, `Frontier` after it, and the counts that an engine makes.

A rule is written as if for one node, and is called for all nodes of a level at once: nodes are on the first axis,
classes on the last. `frontier[i]` is the same record for one node, with plain numbers and a (K,) array.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from attrs import evolve, field, fields, frozen
from toolz import identity

from ftree._lib.arrays import Array, read_only, run_starts
from ftree.criteria.impurity import Impurity, is_of_sums, positive, proportions, without_rounding
from ftree.criteria.scores import degrees_of_freedom, p_value, pearson_terms
from ftree.tree.response_protocol import ResponseOfSums
from ftree.tree.splits.split import Split

if TYPE_CHECKING:
    from ftree.criteria.inherited_state import InheritedState

# The fields that have an element for each node.
_OF_NODES = ("counts", "impurity", "keys", "inherited_state")


@frozen(eq=False)
class Nodes:
    """Nodes of one level before the search: `depth`, `counts` (m, K), `impurity`; NaN for a node that is not searched.

    `keys` identify the nodes by their paths, as seeds of random numbers; None if none are drawn. `inherited(part)` is the
    inherited state of a part of the policy at each node. All arrays are read-only.

    >>> nodes = Nodes(0, np.array([[2, 2], [3, 0]]), np.array([1.0, 0.0]))
    >>> nodes.weight.tolist(), nodes[1].weight.item(), nodes.shape
    ([4, 3], 3, (2,))
    """

    depth: int
    counts: Array = field(converter=read_only)
    impurity: Any = field(default=None, converter=read_only)
    keys: Any = field(default=None, converter=read_only)
    inherited_state: "InheritedState | None" = field(default=None, kw_only=True)
    # What the counts are sums of; None for classes.
    response: ResponseOfSums | None = field(default=None, kw_only=True)
    # The impurity of what nodes answer, if splits are measured by another one.
    risk: Callable[[Array], Array] | None = field(default=None, kw_only=True)

    @property
    def shape(self) -> tuple[int, ...]:
        """(m,) for a level, () for one node."""
        return self.counts.shape[:-1]

    @property
    def weight(self) -> Any:
        """Cases in each node."""
        return self.weight_of(self.counts)

    def weight_of(self, counts: Any) -> Any:
        """Cases in nodes with such counts, (..., K) to (...)."""
        return counts.sum(axis=-1) if self.response is None else self.response.weight(counts)

    def inherited(self, part: Any) -> Any:
        """The inherited state of a part of the policy, which `HasInheritedState`, at each node (m,), objects."""
        if self.inherited_state is not None:
            return self.inherited_state.of(part)
        from ftree.criteria.inherited_state import InheritedState  # noqa: PLC0415  # few policies have any

        return InheritedState((), np.empty((0, 0))).of(part)

    def __getitem__(self, node: Any) -> Any:
        """One node of the level, by number; or the nodes that a boolean mask marks, as a level."""
        return self if isinstance(node, np.ndarray) and node.all() else evolve(self, **self._chosen(node))

    def nodes(self) -> Iterator[Any]:
        """Each node of the level."""
        return (self[node] for node in range(len(self.counts)))

    def _chosen(self, node: Any) -> dict[str, Any]:
        """The fields of some nodes that have an element for each node."""
        return {name: each[node] for name in self._of_nodes if (each := getattr(self, name)) is not None}

    _of_nodes: ClassVar[tuple[str, ...]] = _OF_NODES

    def with_splits(
        self,
        splits: Sequence[Split | None],
        child_counts: Sequence[Array],
        impurity: Impurity,
        altered: Callable[[Array], Array] = identity,
        scores: Any = None,
    ) -> "Frontier":
        """The nodes with their best splits; a node without a split is its own only child."""
        sizes = np.array(list(map(len, child_counts)))
        return self.searched(splits, np.concatenate(child_counts), sizes, impurity, altered, scores)

    def searched(
        self,
        splits: Sequence[Split | None],
        stacked: Array,
        sizes: Array,
        impurity: Impurity,
        altered: Callable[[Array], Array] = identity,
        scores: Any = None,
    ) -> "Frontier":
        """The nodes with their best splits; `stacked` are all children's counts, `sizes` the numbers of children of the nodes.

        The gain is computed from the cases with known values, and multiplied by their share (Quinlan 1993, section 3.2).
        `altered` is the function of counts that the search used.
        """
        found = self.decided(splits, None, sizes, stacked, scores)
        return evolve(found, gain=found.gain_by(impurity, altered))

    def decided(
        self, splits: Sequence[Split | None], gain: Any, n_children: Array, child_counts: Array | None, scores: Any = None
    ) -> "Frontier":
        """The nodes with these splits and their gain, None if it is still to be computed."""
        own = {each.name: getattr(self, each.name) for each in fields(Nodes)}
        return Frontier(**own, splits=splits, gain=gain, n_children=n_children, child_counts=child_counts, scores=scores)


@frozen(eq=False)
class Frontier(Nodes):
    """Nodes of one level with their best splits, as stopping rules see them.

    `gain` is the decrease in impurity of the best split (bits for entropy). `splits` are the best splits. `child_counts` are
    the class counts of all children, node after node, and `n_children` is the number of children of each node.

    A finished level has all its nodes: `open` marks those that are split, the others are leaves.

    ================  ====================================  ====================================
    field             after the search                      in a finished level
    ================  ====================================  ====================================
    ``gain``          a number for each node                NaN for a node that was not searched
    ``score``         -inf for a node without a split       None
    ``splits``        None for a node without a split       None for a leaf
    ``n_children``    1 for a node without a split: itself  0 for a leaf
    ``child_counts``  one row for each such child           None unless a search has counted all
    ================  ====================================  ====================================

    No search counts the children of a start tree's splits, nor those of splits with surrogates.

    >>> from ftree.criteria import entropy
    >>> from ftree.tree import Multiway
    >>> nodes = Nodes(0, np.array([[2, 2]]), np.array([1.0]))
    >>> nodes.with_splits([Multiway(0, (0, 1))], [np.array([[2, 0], [0, 2]])], entropy).gain.tolist()
    [1.0]
    """

    splits: Any = field(kw_only=True)
    n_children: Any = field(kw_only=True, converter=read_only)
    child_counts: Any = field(default=None, kw_only=True, converter=read_only)
    gain: Any = field(default=None, kw_only=True, converter=read_only)
    # The scores of the best splits, or a function that finds them, for an engine that chooses without writing them down.
    scores: Any = field(default=None, kw_only=True)

    _of_nodes: ClassVar[tuple[str, ...]] = (*_OF_NODES, "gain", "n_children")

    @property
    def score(self) -> Any:
        """The score by which each best split was chosen, times the share of cases it has an answer for; -inf for no split."""
        return self.scores() if callable(self.scores) else self.scores

    @property
    def open(self) -> Any:
        """Which nodes of a finished level are split."""
        return self.n_children > 0

    @property
    def smallest_child(self) -> Any:
        """Cases in the smallest child of the best split."""
        return self._over_children(np.minimum, self.weight_of(self.child_counts))

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

    def gain_by(self, impurity: Impurity, altered: Callable[[Array], Array] = identity) -> Array:
        """The decrease in an impurity by each split, as `gain` has it, times the share of known cases.

        `altered` is the function of counts by which it is measured. Children are added up one after the other, and C multiplies
        by the share last, so the last bits may differ from those of scores (docs/explanation/rounding.md).
        """
        if is_of_sums(impurity):
            of_sums: Any = impurity
            known = self._for_children(self._over_children(np.add, self.child_counts))
            decrease = self._over_children(np.add, of_sums.impurity_decrease(self.child_counts, known))
            total: Array = decrease / positive(self.weight)
            return total
        measured, everything = read_only(altered(self.child_counts)), altered(self.counts).sum(axis=1)
        known = read_only(self._over_children(np.add, measured))
        share = measured.sum(axis=1) / self._for_children(positive(known.sum(axis=1)))
        left = self._over_children(np.add, share * impurity(measured))
        gain: Array = without_rounding(impurity(known) - left) * known.sum(axis=1) / positive(everything)
        return gain

    def _chosen(self, node: Any) -> dict[str, Any]:
        chosen = super()._chosen(node)
        chosen["splits"] = tuple(compress(self.splits, node)) if isinstance(node, np.ndarray) else self.splits[node]
        if self.scores is not None:
            chosen["scores"] = (lambda: self.score[node]) if callable(self.scores) else self.scores[node]
        if self.child_counts is not None:
            marked = np.zeros(self.shape, dtype=bool)
            marked[node] = True
            chosen["child_counts"] = self.child_counts[np.repeat(marked, self.n_children)]
        return chosen

    def _over_children(self, combine: np.ufunc, values: Array) -> Any:
        """Combine the values of each node's children."""
        if self.shape == ():
            return combine.reduce(values, axis=0)
        starts = np.cumsum(self.n_children) - self.n_children
        if self.n_children.all():
            return combine.reduceat(values, starts, axis=0)
        combined = np.zeros((*self.shape, *values.shape[1:]), values.dtype)  # leaves of a finished level have no children
        combined[self.open] = combine.reduceat(values, starts[self.open], axis=0)
        return combined

    def _for_children(self, values: Any) -> Any:
        """Repeat the value of each node for each of its children."""
        return values if self.shape == () else np.repeat(values, self.n_children, axis=0)


@frozen(eq=False)
class Avc:
    """Attribute-value-class counts of the open nodes: one row for each value that is present in a node.

    Rows are sorted by node, then feature, then value; a missing value is NaN and comes last. The counts of a table are
    the sums of the counts of its parts. Source: Gehrke et al. 1998, RainForest.

    >>> from ftree.datasets import xor
    >>> from ftree.growth import EngineSetup, plain
    >>> counted = plain(xor(), EngineSetup()).count()
    >>> counted.feature.tolist(), counted.value.tolist(), counted.counts.tolist()
    ([0, 0, 1, 1], [0.0, 1.0, 0.0, 1.0], [[1, 1], [1, 1], [1, 1], [1, 1]])
    """

    node: Array
    feature: Array
    value: Array
    counts: Array

    def runs(self) -> tuple[Array, Array, Array]:
        """The first row and the end of each node's and feature's rows, and whether the last of these has the missing value."""
        start = run_starts(self.node, self.feature)
        end = np.append(start[1:], len(self.node))[: len(start)]
        return start, end, np.isnan(self.value[end - 1])


@frozen(eq=False)
class Joint:
    """Class counts of value vectors of several numeric features: one row for each vector that is present in an open node.

    Rows are sorted by node, then by the values in the features' order; a missing value is NaN and comes last.

    >>> from ftree import Dataset
    >>> from ftree.growth import EngineSetup, plain
    >>> table = Dataset.from_rows([[1, 2], [1, 2], [3, 4]], ["a", "b", "b"])
    >>> found = plain(table, EngineSetup()).joint([0, 1])
    >>> found.vector.tolist(), found.counts.tolist()
    ([[1.0, 2.0], [3.0, 4.0]], [[1, 1], [0, 1]])
    """

    node: Array
    vector: Array
    counts: Array


def merge(one: Avc, other: Avc) -> Avc:
    """The counts of a table, given the counts of two parts of its rows; nodes and features have the same numbers in both.

    >>> part = Avc(np.array([0]), np.array([0]), np.array([2.5]), np.array([[1, 0]]))
    >>> whole = merge(part, part)
    >>> whole.value.tolist(), whole.counts.tolist()
    ([2.5], [[2, 0]])
    """
    pairs = ((one.node, other.node), (one.feature, other.feature), (one.value, other.value), (one.counts, other.counts))
    node, feature, value, counts = map(np.concatenate, pairs)
    missing = np.isnan(value)
    known = np.where(missing, 0.0, value)
    order = np.lexsort((known, missing, feature, node))
    starts = run_starts(node[order], feature[order], missing[order], known[order])
    first = order[starts]
    return Avc(node[first], feature[first], value[first], np.add.reduceat(counts[order], starts))
