"""A policy as a learner, for callers that grow many trees and need only the arrays of each."""

from attrs import frozen

from ftree.data.dataset import Dataset
from ftree.growth.counted_table import prepared, table_summary
from ftree.growth.engine_choice import EngineChoice
from ftree.growth.flat_nodes import flat_nodes
from ftree.growth.grow import grow
from ftree.growth.grown_nodes import finished, grown_parts, is_complete
from ftree.policy import Policy
from ftree.routing.flat_tree import FlatTree, flat_tree
from ftree.stop import min_errors
from ftree.tree.nodes import Tree


@frozen
class Grower:
    """`grow` by one policy, in one thread.

    With a `least_risk`, growth stops at nodes whose errors are a smaller share of all cases: cost-complexity pruning cuts them
    for this alpha, and for any larger one.

    >>> from ftree import ID3
    >>> from ftree.datasets import weather
    >>> Grower(ID3)(weather()) == Grower(ID3).flat(weather()).tree()
    True
    """

    policy: Policy
    least_risk: float = 0.0

    def __call__(self, dataset: Dataset) -> Tree:
        """The tree."""
        return grow(dataset, self._policy_for(dataset), n_jobs=1)

    def flat(self, dataset: Dataset) -> FlatTree:
        """The tree in arrays."""
        return grown_flat(dataset, self._policy_for(dataset), n_jobs=1)

    def _policy_for(self, dataset: Dataset) -> Policy:
        """The policy with the least errors of a branch, less a rounding error."""
        least = self.least_risk * sum(dataset.class_counts()) * (1 - _ROUNDING)
        return self.policy.stopping(min_errors(least)) if least else self.policy


# A node whose errors equal the least ones but for rounding is grown; pruning decides.
_ROUNDING = 1e-9


def grown_flat(dataset: Dataset, policy: Policy, *, engine: "EngineChoice" = "auto", n_jobs: int | None = None) -> FlatTree:
    """The tree that `grow` grows of a dataset, in arrays; its nodes are made on demand.

    >>> from ftree import ID3
    >>> from ftree.datasets import weather
    >>> flat = grown_flat(weather(), ID3)
    >>> len(flat.nodes.arity), flat.tree() == grow(weather())
    (8, True)
    """
    table, ends = prepared(dataset, policy)
    parts = grown_parts(table, policy, engine=engine, n_jobs=n_jobs, progress=False)

    def tree() -> Tree:
        return finished(parts, table, policy, ends)

    nodes = flat_nodes(parts) if is_complete(policy, ends) else None
    return flat_tree(tree()) if nodes is None else FlatTree(table_summary(table).schema, nodes, tree)
