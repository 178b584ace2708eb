"""Reduced-error pruning: cut branches that save no errors on a pruning set, whose cases were not used to grow the tree.

Source: Quinlan 1987, section 2.3; Elomaa & Kaariainen 2001 compare its two readings.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any, Literal

from attrs import evolve, field, frozen

from ftree._lib.fields import one_of
from ftree.data.dataset import Dataset
from ftree.data.frames import Table
from ftree.data.labelled import as_dataset, dataset_or_table
from ftree.prune.base import Candidate, Comparison, bottom_up, errors, with_root
from ftree.prune.best_first import cut_best_first, leaf_and_subtree_errors, saves_errors
from ftree.prune.decisions import DecidingPass, Decision, Record, after
from ftree.prune.order import LevelOrder, in_level_order
from ftree.routing.count import CountsNodes, count_cases, with_counts
from ftree.tree.nodes import Counts, Node, Tree


def _as_table(rows: Any) -> Any:
    return rows if isinstance(rows, CountsNodes) else dataset_or_table(rows, "pruning_set")


@frozen(repr=False)
class reduced_error(DecidingPass):
    """Replace branches by leaves where that makes no more errors on a pruning set.

    `order="bottom_up"` judges each branch once, children first: the result is the smallest of the most accurate
    prunings. With `ties="keep"`, branches that make as many errors as their leaf stay. `order="best_first"` repeatedly cuts
    the branch whose cut saves the most errors, until none saves any; of equal ones, the one nearest the root.
    With `ties="prune"` it then also cuts branches whose cut costs no error.

    `labels` says whose counts give the leaves their classes: those of the training set ("growing"), of the "pruning" set, or
    of both ("backfit"). With the latter two, the tree is recounted first, and the result has the new counts in all nodes.
    Backfitting twice counts the pruning set twice.

    Rows of the pruning set with a missing or unseen value go down in fractions, as in `recount`. With an empty pruning set
    all branches tie.

    The pruning set is a dataset, or a table of named columns that include the target, such as a data frame, or a source of
    `ftree.scan`, whose rows are counted in one scan.

    In `decisions`, scores are errors on the pruning set, in the order in which branches were judged.

    Raises a KeyError for a feature, a ValueError for a class, that only the tree or only the pruning set has.

    >>> from ftree import grow
    >>> noisy = Dataset.from_rows([["sunny"], ["sunny"], ["rainy"]], ["play", "play", "stay"], features=["sky"])
    >>> held_out = Dataset.from_rows([["sunny"], ["rainy"]], ["play", "play"], features=["sky"])
    >>> print(reduced_error(held_out)(grow(noisy)))
    : play (3.0/1.0)
    """

    pruning_set: Dataset | Table | CountsNodes = field(converter=_as_table)
    ties: Literal["prune", "keep"] = field(default="prune", kw_only=True, validator=one_of("prune", "keep"))
    order: Literal["bottom_up", "best_first"] = field(
        default="bottom_up", kw_only=True, validator=one_of("bottom_up", "best_first")
    )
    labels: Literal["growing", "pruning", "backfit"] = field(
        default="growing", kw_only=True, validator=one_of("growing", "pruning", "backfit")
    )

    def path(self, tree: Tree) -> Iterator[Tree]:
        """The tree itself, then the tree after each cut."""
        return accumulate((made for made in self.decisions(tree) if made.becomes is not None), after, initial=tree)

    def _prune(self, tree: Tree, record: Record) -> Tree:
        grown = in_level_order(tree)
        eval_counts = self._counts(tree, grown)
        order = _recounted(grown, eval_counts, self.labels)
        counted = with_root(tree, order.nodes[0])
        if counted is not tree:
            record(_recount(order, eval_counts, tree))
        if self.order == "best_first":
            return cut_best_first(counted, order, eval_counts, ties=self.ties, record=record)
        return bottom_up(counted, errors, self._compare, order=order, eval_counts=eval_counts, record=record)

    def _counts(self, tree: Tree, grown: LevelOrder) -> list[Counts]:
        if isinstance(self.pruning_set, CountsNodes):
            return self.pruning_set.count_nodes(tree)
        return count_cases(grown.nodes, grown.below, as_dataset(tree.schema, self.pruning_set).recoded(tree.schema))

    def _compare(self, _: Candidate, as_leaf: float, as_subtree: float, __: list[Node]) -> Comparison:
        return as_subtree, saves_errors(as_leaf, as_subtree, self.ties)


def _recounted(grown: LevelOrder, eval_counts: Sequence[Counts], labels: str) -> LevelOrder:
    """The nodes with the counts that determine the leaves' classes."""
    if labels == "growing":
        return grown
    if labels == "pruning":
        return evolve(grown, nodes=with_counts(grown.nodes, grown.below, eval_counts))
    pairs = zip(grown.nodes, eval_counts, strict=True)
    both = [tuple(a + b for a, b in zip(node.counts, more, strict=True)) for node, more in pairs]
    return evolve(grown, nodes=with_counts(grown.nodes, grown.below, both))


def _recount(order: LevelOrder, eval_counts: Sequence[Counts], tree: Tree) -> Decision:
    """The first decision if `labels` are not those of the training set: all nodes get new counts."""
    as_leaf, as_subtree = leaf_and_subtree_errors(order, eval_counts)
    root = order.nodes[0]
    return Decision((), tree.root.counts, as_leaf[0], as_subtree[0], done="recounted", becomes=root)
