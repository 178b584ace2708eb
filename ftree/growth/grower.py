"""A policy as a learner, for whoever grows many trees and asks each for its arrays only."""

from attrs import frozen

from ftree.data.dataset import Dataset
from ftree.growth.grow import grow, grown_flat
from ftree.policy import Policy
from ftree.routing.flat_tree import FlatTree
from ftree.tree.nodes import Tree


@frozen
class Grower:
    """`grow` by one policy, in one thread.

    >>> from ftree import ID3
    >>> from ftree.datasets import weather
    >>> Grower(ID3)(weather()) == Grower(ID3).flat(weather()).tree()
    True
    """

    policy: Policy

    def __call__(self, dataset: Dataset) -> Tree:
        """The tree."""
        return grow(dataset, self.policy, n_jobs=1)

    def flat(self, dataset: Dataset) -> FlatTree:
        """The tree in arrays."""
        return grown_flat(dataset, self.policy, n_jobs=1)
