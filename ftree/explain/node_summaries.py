"""Each node of a tree with the splits that competed there and the surrogates of its own, as rpart's `summary` prints them."""

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import field, frozen

from ftree._lib.faces import LINE, Face, Grid
from ftree._lib.fields import as_tuple, require_whole_number
from ftree.criteria.impurity_of_sums import without_limbs
from ftree.data.labelled import as_dataset
from ftree.explain.counted_levels import CountedLevel, counted_levels
from ftree.explain.feature_scores import FeatureScore
from ftree.policy import CART, Policy
from ftree.splitters.surrogates import surrogates as surrogate_policy
from ftree.tree.conditions import CONDITION_ROOM, cut_to, end_of
from ftree.tree.describe import condition, tested_expression
from ftree.tree.formats import format_number
from ftree.tree.nodes import Branch, Path, Tree, check_tree
from ftree.tree.response import Counts
from ftree.tree.schema import Schema
from ftree.tree.splits.split import Split, primary, stand_ins


@frozen
class SplitSummary:
    """A split in words, its improvement, and the cases of the node whose value of it is missing.

    The improvement is rpart's: for classes the decrease in impurity times the cases, for numbers the share of the node's squared
    error, for events the decrease in deviance; for any other response the decrease in its loss.

    >>> SplitSummary("Start", "Start <= 8.5", 6.76, 0.0).condition
    'Start <= 8.5'
    """

    feature: str
    condition: str
    improvement: float
    missing: float


@frozen
class SurrogateSummary:
    """A surrogate in words, the share of the cases that it sends the same way, and that share beyond the majority's.

    >>> SurrogateSummary("Number", "Number <= 6.5", 0.802, 0.158).agreement
    0.802
    """

    feature: str
    condition: str
    agreement: float
    adjusted: float


@frozen
class NodeSummary(Face):
    """A node: its path, the conditions on it, its answer and counts; its split, competitors and surrogates, none at a leaf.

    >>> from ftree.datasets import weather
    >>> from ftree import grow
    >>> root = summary(grow(weather()), weather()).nodes[0]
    >>> root.split.feature, [each.feature for each in root.competitors]
    ('outlook', ['humidity', 'windy', 'temperature'])
    """

    path: Path
    conditions: tuple[str, ...] = field(converter=as_tuple)
    answer: str
    counts: Counts
    cases: float
    split: SplitSummary | None = None
    competitors: tuple[SplitSummary, ...] = field(default=(), converter=as_tuple)
    surrogates: tuple[SurrogateSummary, ...] = field(default=(), converter=as_tuple)

    def _parts(self) -> Iterator[str | Grid]:
        where = end_of(" and ".join(self.conditions) or "all rows", LINE // 2)
        yield f"{where}: {self.answer}, {format_number(self.cases, decimals=2)} cases"
        if self.split is not None:
            each = [("split", self.split), *(("competitor", other) for other in self.competitors)]
            figures = [(role, of.condition, f"{of.improvement:.4g}", format_number(of.missing, decimals=2)) for role, of in each]
            yield _grid("improvement", "missing", figures)
        if self.surrogates:
            stand = [("surrogate", of.condition, f"{of.agreement:.3f}", f"{of.adjusted:.3f}") for of in self.surrogates]
            yield _grid("agreement", "adjusted", stand)


def _grid(one: str, other: str, rows: Sequence[tuple[str, str, str, str]]) -> Grid:
    return Grid(
        ("", "", one, other), [(role, cut_to(stated, CONDITION_ROOM), *figures) for role, stated, *figures in rows], left=2
    )


@frozen
class TreeSummary(Face):
    """The nodes of a tree level by level; prints them below each other.

    >>> from ftree.datasets import weather
    >>> from ftree import grow
    >>> len(summary(grow(weather()), weather()).nodes)
    8
    """

    nodes: tuple[NodeSummary, ...] = field(converter=as_tuple)

    def _parts(self) -> Iterator[str | Grid]:
        for number, node in enumerate(self.nodes):
            yield from ("",) if number else ()
            yield from node._parts()  # noqa: SLF001  # a table of this text


def summary(tree: Tree, dataset: Any, policy: Policy = CART, *, competitors: int = 4, surrogates: int = 5) -> TreeSummary:
    """Each node with its split, the best splits of up to so many other features, and the surrogates of its split.

    A tree has no rows, so give it those of its training set, and the policy by which it grew. Competitors are the best splits of
    other features for the rows of the node; surrogates are found among all features, as by `attach_surrogates`. The counts and
    answers are the tree's, the rest is measured on the rows. A split that the policy would not choose for its feature is measured
    by the cases of its children.

    Raises the errors of `grow`, and a ValueError for numbers that are not whole numbers from 0.

    Source: Breiman et al. 1984, section 5.3; Therneau & Atkinson's rpart.

    >>> from ftree import ID3, datasets, grow
    >>> days = datasets.weather(numeric=True)
    >>> print(summary(grow(days, ID3), days, ID3, competitors=2).nodes[3])
    outlook = sunny: no, 5 cases
                                     improvement  missing
    split       humidity <= 77.5           4.855        0
    competitor  temperature <= 77.5          2.1        0
    competitor  windy = False            0.09987        0
                                    agreement  adjusted
    surrogate  temperature <= 77.5      0.800     0.500
    """
    check_tree(tree)
    require_whole_number("competitors", competitors, 0)
    require_whole_number("surrogates", surrogates, 0)
    rows = as_dataset(tree.schema, dataset).recoded(tree.schema)
    finder: Any = surrogate_policy(at_most=surrogates).fitting(rows)
    every, nodes = range(len(tree.schema.features)), list[NodeSummary]()
    for level in counted_levels(tree, rows, policy):
        bare = [primary(node.split) if isinstance(node, Branch) else None for _, node in level.nodes]
        with_surrogates = finder.add_surrogates(bare, level.engine, level.schema.features, every)
        nodes += [_node(tree, level, number, split, competitors) for number, split in enumerate(with_surrogates)]
    return TreeSummary(nodes)


def _node(tree: Tree, level: CountedLevel, number: int, split: Split | None, competitors: int) -> NodeSummary:
    path, node = level.nodes[number]
    response = tree.schema.response
    answer, cases = response.text(response.answer(node.counts)), float(response.weight(node.counts))
    told = path, level.conditions[number], answer, node.counts, cases
    if split is None or not level.frontier.counts[number].any():
        return NodeSummary(*told)
    used = [level.schema.features[feature].name for feature in primary(split).features]
    rows = level.scores(number).rows
    others = [row for row in rows if row.split is not None and row.feature not in used]
    found = [_summary(level, number, row.split, row.gain, row) for row in others]
    best = sorted(found, key=lambda each: -each.improvement)[:competitors]
    own = next((row for row in rows if row.feature in used), None)
    gain = own.gain if own is not None and own.split == primary(split) else level.gain(number)
    stand = [_surrogate(level.schema, each) for each in stand_ins(split)]
    return NodeSummary(*told, _summary(level, number, primary(split), gain, own), best, stand)


def _summary(level: CountedLevel, number: int, split: Any, gain: float, row: FeatureScore | None) -> SplitSummary:
    """A split with its gain at a node; `row` is that of its feature, whose cases are those with a value."""
    schema, counts = level.schema, level.frontier.counts[number : number + 1]
    tested = tested_expression(schema, split)
    stated = condition(schema, split, 0) if split.n_children == 2 else tested  # noqa: PLR2004  # one condition says both
    response: Any = level.settings.response
    if response is None:
        sums, improvement = counts[0], gain * float(level.settings.weight(counts)[0])
    else:
        sums = without_limbs(counts, response)[0].tolist()
        improvement = gain / float(level.settings.impurity(counts)[0])
        if response.kind != "numbers":  # splits are measured without shrinkage
            improvement *= response.growing.risk(sums)
    weight, children = schema.response.weight, row.children if row else ()
    missing = float(weight(sums)) - sum(float(weight(of)) for _, of in children) if children else 0.0
    return SplitSummary(tested, stated, improvement, missing)


def _surrogate(schema: Schema, each: Any) -> SurrogateSummary:
    stated = condition(schema, each.split, int(each.reversed))
    return SurrogateSummary(tested_expression(schema, each.split), stated, each.agreement, each.adjusted)
