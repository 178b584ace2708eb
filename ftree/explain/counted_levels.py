"""The levels of a finished tree with the rows of a dataset, counted as growth counts them."""

from collections.abc import Iterator
from itertools import groupby, islice

import numpy as np
from attrs import frozen

from ftree._lib.arrays import offsets
from ftree.criteria.frontier import Frontier
from ftree.data.changes import as_grown
from ftree.data.dataset import Dataset
from ftree.explain.feature_scores import Scores, counted_root, scores_of_node
from ftree.growth.engines.engine import Engine
from ftree.growth.levels import Growth, step
from ftree.growth.settings import SearchSettings
from ftree.growth.start import StartNodes, start_in_schema
from ftree.policy import Policy
from ftree.routing.counting import for_target
from ftree.tree.edit import conditions_along
from ftree.tree.fold import walk
from ftree.tree.nodes import Leaf, Node, Path, Tree
from ftree.tree.schema import Schema


@frozen(eq=False)
class CountedLevel:
    """A level of a tree whose rows an engine has counted: its nodes with their paths, the conditions on these, and the children.

    >>> from ftree import ID3, grow
    >>> from ftree.datasets import weather
    >>> levels = list(counted_levels(grow(weather()), weather(), ID3))
    >>> [len(level.nodes) for level in levels], round(levels[0].gain(0), 3), levels[1].scores(1).rows[0].feature
    ([1, 3, 4], 0.247, 'windy')
    """

    nodes: tuple[tuple[Path, Node], ...]
    conditions: tuple[tuple[str, ...], ...]
    schema: Schema
    settings: SearchSettings
    engine: Engine
    frontier: Frontier
    below: Engine

    def scores(self, number: int) -> Scores:
        """The scores of all features at a node."""
        return scores_of_node(self.schema, self.settings, self.engine, self.frontier, number)

    def gain(self, number: int) -> float:
        """The gain of a branch by the cases of its children."""
        first, only = offsets(self.frontier.n_children), self.frontier[np.arange(len(self.nodes)) == number]
        children = self.below.totals()[first[number] : first[number + 1]]
        return float(only.with_splits(only.splits, [children], self.settings.impurity, self.settings.altered).gain[0])


def counted_levels(tree: Tree, dataset: Dataset, policy: Policy) -> Iterator[CountedLevel]:
    """The levels of a tree with the rows of a dataset, counted as in growth by a policy; the tree is in the dataset's schema."""
    schema, settings, engine = counted_root(dataset, policy)
    growth, other = Growth(schema.features, policy, settings), as_grown(dataset)
    grown = tree if other is dataset else for_target(tree, other.schema)
    # `only` is a leaf outside the tree, so no leaf of it grows.
    start: StartNodes | None = StartNodes((start_in_schema(grown, schema),), only=Leaf(tree.root.counts))
    level: Frontier | None = None
    by_level = sorted(walk(tree), key=lambda at: len(at[0]))  # in order on each level
    conditions = iter(conditions_along(tree, [path for path, _ in by_level]))
    for _, at in groupby(by_level, key=lambda at: len(at[0])):
        (paths, nodes), counted = zip(*at, strict=True), engine
        level, engine = step(growth, counted, level, start=start)
        stated = tuple(islice(conditions, len(paths)))
        yield CountedLevel(tuple(zip(paths, nodes, strict=True)), stated, schema, settings, counted, level, engine)
        start = start and start.below(level.n_children.tolist())
