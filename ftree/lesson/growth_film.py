"""Growth step by step: each step has the tree so far, and the scores of all features at each node that it decides about."""

from collections.abc import Iterator
from typing import Literal

from attrs import field, frozen

from ftree._lib.faces import Face, Grid
from ftree._lib.fields import as_tuple, require_one_of
from ftree.data.dataset import Dataset, require_dataset
from ftree.explain.counted_levels import counted_levels
from ftree.explain.feature_scores import Scores
from ftree.growth.growing import grow
from ftree.policy import ID3, Policy
from ftree.prune.trim import trim
from ftree.stop import max_depth
from ftree.tree.describe import tested_expression
from ftree.tree.edit import node_at, replace_at
from ftree.tree.nodes import Branch, Node, Path, Tree


@frozen
class NodeScores(Face):
    """A node of the growing tree: its path, the conditions on it, the scores of all features, and what becomes of it.

    `becomes` is the expression that its split tests, or, with `is_leaf`, its label.

    >>> from ftree.datasets import weather
    >>> root = growth_steps(weather())[0].nodes[0]
    >>> root.becomes, root.scores.rows[0].feature
    ('outlook', 'outlook')
    """

    path: Path
    conditions: tuple[str, ...] = field(converter=as_tuple)
    scores: Scores
    becomes: str
    is_leaf: bool

    def _parts(self) -> Iterator[str | Grid]:
        """Where it is and what becomes of it; and the scores, unless no feature can divide it."""
        yield f"{' and '.join(self.conditions) or 'all rows'}: {self.becomes}{'' if self.is_leaf else '?'}"
        if any(row.gain for row in self.scores):
            yield from self.scores._parts()  # noqa: SLF001  # a table of this text


@frozen
class GrowthStep(Face):
    """The tree before a step, and the nodes that the step decides about; prints as their tables of scores.

    >>> from ftree.datasets import weather
    >>> print(growth_steps(weather())[1])
    outlook = overcast: yes
    outlook = rainy: windy?
    feature      gain   gain ratio  p-value  children (no, yes)
    windy        0.971  1           0.0253   windy = False (0, 3), windy = True (2, 0)
    temperature  0.02   0.0206      0.709    temperature = cool (1, 1), temperature = mild (1, 2)
    humidity     0.02   0.0206      0.709    humidity = high (1, 1), humidity = normal (1, 2)
    outlook      0      0                    no split
    outlook = sunny: humidity?
    feature      gain   gain ratio  p-value  children (no, yes)
    humidity     0.971  1           0.0253   humidity = high (3, 0), humidity = normal (0, 2)
    temperature  0.571  0.375       0.233    temperature = cool (0, 1), temperature = hot (2, 0), temperature = mild (1, 1)
    windy        0.02   0.0206      0.709    windy = False (2, 1), windy = True (1, 1)
    outlook      0      0                    no split
    """

    tree: Tree
    nodes: tuple[NodeScores, ...] = field(converter=as_tuple)

    def _parts(self) -> Iterator[str | Grid]:
        """The nodes below each other."""
        for node in self.nodes:
            yield from node._parts()  # noqa: SLF001  # a table of this text


def growth_steps(dataset: Dataset, policy: Policy = ID3, *, by: Literal["level", "split"] = "level") -> tuple[GrowthStep, ...]:
    """The growth of a tree, step by step: by levels, each with all its nodes, or by single splits, level after level.

    The first step has the root alone, the last one the tree of `grow(dataset, policy)`, whose last nodes become leaves. The
    scores are those by which growth chooses, with its fractions of cases; splits of several features are not among them.
    `page(steps[-1].tree, path=steps)` is a page with a slider, `draw(step.tree)` a frame for a slide.

    Raises the errors of `grow`, and a ValueError for another `by`.

    Source: Quinlan 1986, section 4.

    >>> from ftree.datasets import weather
    >>> [len(step.nodes) for step in growth_steps(weather())], len(growth_steps(weather(), by="split"))
    ([1, 3, 4], 4)
    """
    require_one_of("by", by, ("level", "split"))
    require_dataset(dataset)
    tree = grow(dataset, policy)
    levels = list(_levels(dataset, policy, tree))
    of_depth = [trim(max_depth(number))(tree) for number in range(len(levels) + 1)]
    if by == "level":
        return tuple(map(GrowthStep, of_depth, levels))
    grown, steps = of_depth[0], []
    for node in (node for nodes in levels for node in nodes if not node.is_leaf):
        steps.append(GrowthStep(grown, (node,)))
        grown = replace_at(grown, node.path, node_at(of_depth[len(node.path) + 1], node.path))
    return (*steps, GrowthStep(grown, [node for nodes in levels for node in nodes if node.is_leaf]))


def _levels(dataset: Dataset, policy: Policy, tree: Tree) -> Iterator[list[NodeScores]]:
    """The nodes of each level of a grown tree that have cases, with the scores of all features by the counts of growth."""
    for level in counted_levels(tree, dataset, policy):
        numbered = enumerate(zip(level.nodes, level.conditions, strict=True))
        yield [
            NodeScores(path, stated, level.scores(number), *_becomes(tree, node))
            for number, ((path, node), stated) in numbered
            if any(node.counts)
        ]


def _becomes(tree: Tree, node: Node) -> tuple[str, bool]:
    if isinstance(node, Branch):
        return tested_expression(tree.schema, node.split), False
    return tree.schema.response.text(tree.schema.response.answer(node.counts)), True
