"""Every feature's best split of a table with its scores, like the tables of gains in textbooks."""

from collections.abc import Iterator
from itertools import groupby, islice
from typing import Any

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.arrays import TIE, Array, offsets
from ftree._lib.faces import LINE, Face, Grid
from ftree._lib.fields import as_tuple
from ftree._lib.messages import joined
from ftree.criteria.frontier import Avc, Frontier
from ftree.criteria.impurity_of_sums import without_limbs
from ftree.criteria.scores import gain
from ftree.data.changes import as_grown
from ftree.data.dataset import Dataset, require_dataset
from ftree.growth.engines.engine import Engine, EngineSetup
from ftree.growth.engines.plain_engine import plain
from ftree.growth.given_table import prepared_dataset
from ftree.growth.levels import Growth, started, step
from ftree.growth.search import search
from ftree.growth.settings import SearchSettings, search_settings
from ftree.growth.start import StartNodes, start_in_schema
from ftree.policy import ID3, Policy
from ftree.routing.counting import for_target
from ftree.splitters import Candidates, by_score, merging
from ftree.tree.conditions import CONDITION_ROOM, ROOM, cut_to
from ftree.tree.describe import condition
from ftree.tree.edit import conditions_along
from ftree.tree.fold import walk
from ftree.tree.nodes import Counts, Leaf, Node, Path, Tree
from ftree.tree.schema import Schema
from ftree.tree.splits.split import Split


@frozen
class FeatureScore:
    """The best split of one feature: its gain (bits for entropy), gain ratio, p-value, children, and score.

    The score is the splitter's own. The p-value is that of Pearson's statistic; for `merging` it is that of the splitter's
    test, with its correction for the number of ways to merge.

    `children` are pairs of a condition in words and the class counts of the rows that fit it, or their sums. A feature without a
    split has None, no children, and a gain of 0. For a target without classes, the gain is a share of the risk of all rows, and
    neither gain ratio nor p-value are known (NaN).

    >>> from ftree.datasets import weather
    >>> best = scores(weather(), ID3).rows[0]
    >>> best.feature, round(best.gain, 3), best.children
    ('outlook', 0.247, (('outlook = overcast', (0, 4)), ('outlook = rainy', (2, 3)), ('outlook = sunny', (3, 2))))
    """

    feature: str
    split: Split | None
    gain: float
    gain_ratio: float
    p_value: float
    children: tuple[tuple[str, Counts], ...] = field(converter=as_tuple)
    score: float = -np.inf


@frozen
class Scores(Face):
    """The scores of all features, the best first; prints as a table.

    >>> from ftree.datasets import weather
    >>> found = scores(weather(), ID3)
    >>> found.classes, len(found.rows), found.rows[0].feature
    (('no', 'yes'), 4, 'outlook')
    """

    classes: tuple[str, ...] = field(converter=as_tuple)
    rows: tuple[FeatureScore, ...] = field(converter=as_tuple)
    response: Any = field(default=None, eq=False)

    def __iter__(self) -> Iterator[FeatureScore]:
        """Each feature's score, the best first."""
        return iter(self.rows)

    def __len__(self) -> int:
        """Number of features."""
        return len(self.rows)

    def _parts(self) -> Iterator[Grid]:
        """A line for each feature, with the score if it is not the gain; the header names the classes. Many children are cut."""
        columns = [("feature", *(cut_to(row.feature, ROOM) for row in self.rows))]
        if any(row.split and abs(row.score - row.gain) > TIE for row in self.rows):
            columns += [("score", *(_short(row.score) if row.split else "" for row in self.rows))]
        columns += [("gain", *(_short(row.gain) for row in self.rows))]
        if self.classes:
            columns += [("gain ratio", *(_short(row.gain_ratio) for row in self.rows))]
            columns += [("p-value", *(_short(row.p_value) if row.split else "" for row in self.rows))]
        heading = joined(self.classes, at_most=5) or "answer, cases"
        room = min(LINE - sum(max(map(len, column)) + 2 for column in columns), CONDITION_ROOM)
        columns += [tuple(cut_to(each, room) for each in (f"children ({heading})", *map(self._children, self.rows)))]
        header, *rows = zip(*columns, strict=True)
        yield Grid(header, rows)

    def _children(self, row: FeatureScore) -> str:
        def told(counts: Counts) -> str:
            shown = [f"{n:g}" for n in counts]
            return ", ".join(shown if self.classes else [self.response.text(self.response.answer(counts)), shown[0]])

        words = ", ".join(f"{stated} ({told(counts)})" for stated, counts in row.children)
        return words if row.split else "no split"


def scores(dataset: Dataset, policy: Policy = ID3) -> Scores:
    """Each feature's best split of a dataset by a policy, the one that growth chooses first; ties stay in the features' order.

    The others follow as the policy's choice ranks them, then by their scores, with a splitter's own correction, such as CHAID's
    for merged categories. Splits of several features are omitted, and the policy's stopping rule and CHAID's limits of
    significance are ignored: what it refuses is shown with its p-value. With missing values a gain is that of the known cases
    times their share, and a gain ratio counts those without a value as a child, as in growth.

    Raises a TypeError for arguments of other types, a ValueError for a dataset without cases.

    Source: Quinlan 1986, section 4; for the correction Kass 1980, section 3.

    >>> rides = Dataset.from_columns({"sky": ["grey", "blue", "blue"], "wind": [3, 1, 2], "class": ["no", "yes", "yes"]})
    >>> scores(rides)
    feature  gain   gain ratio  p-value  children (no, yes)
    sky      0.918  1           0.0833   sky = blue (0, 2), sky = grey (1, 0)
    wind     0.918  1           0.0833   wind <= 2.5 (0, 2), wind > 2.5 (1, 0)
    """
    require_dataset(dataset)
    table, _ = prepared_dataset(as_grown(dataset), policy)
    engine = plain(table, EngineSetup())
    root = Frontier(0, engine.totals(), keys=np.zeros(1, dtype=np.uint64))
    return scores_of_node(table.schema, search_settings(policy, table), engine, root, 0)


@frozen(eq=False)
class CountedLevel:
    """A level of a tree whose rows an engine has counted: its nodes with their paths, the conditions on these, and the children.

    >>> from ftree import grow
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
    other = as_grown(dataset)
    table, _ = prepared_dataset(other, policy)
    settings, schema = search_settings(policy, table), table.schema
    with started(table, policy, settings, "plain", None) as engine:
        growth = Growth(schema.features, policy, settings)
    # The only leaf that may grow is none of the tree's.
    grown = tree if other is dataset else for_target(tree, other.schema)
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


def scores_of_node(schema: Schema, settings: SearchSettings, engine: Engine, level: Frontier, node: int) -> Scores:
    """The scores of all features at one node of a level, which has the engine's counts."""
    settings = evolve(settings, splitters=settings.single)
    only = np.arange(len(level.counts)) == node
    counts = level.counts[only]
    impurity, inherited = settings.impurity(settings.altered(counts)), level.inherited_state
    alone = Frontier(level.depth, counts, impurity, level.keys[only], inherited_state=inherited, response=settings.response)
    avc, found = engine.keep(only).count(), []
    figures, information = np.full(len(schema.features), -np.inf), np.zeros(len(schema.features))

    def choose(candidates: Candidates) -> Array:
        figures[candidates.feature] = chosen = settings.choose(candidates)
        return chosen

    def choose_alone(candidates: Candidates) -> Array:
        information[candidates.feature] = candidates.information(np.arange(len(candidates.feature)))
        return by_score()(candidates)

    search(alone, avc, schema.features, evolve(settings, choose=choose), joint=engine.joint)
    # What CHAID refuses as not significant is shown with its p-value, of the merged values if some are left apart.
    limits: list[dict[str, Any]] = [{}, {"alpha_split": 1.0}, {"alpha_split": 1.0, "alpha_merge": 1.0}]
    looser = [[evolve(each, **limit) if isinstance(each, merging) else each for each in settings.single] for limit in limits]
    each_alone = [evolve(settings, splitters=tuple(splitters), choose=choose_alone) for splitters in looser]
    for number in range(len(schema.features)):
        own = avc.feature == number
        each = Avc(avc.node[own], avc.feature[own], avc.value[own], avc.counts[own])
        searched = (search(alone, each, schema.features, of, joint=engine.joint)[0] for of in each_alone)
        best = next((one for one in searched if one.splits is not None), alone[0])
        found.append(_score(schema, settings, best, number, information[number]))
    top = figures.max(initial=-np.inf)
    first = np.argmax(figures >= top - TIE) if np.isfinite(top) else None
    ranks = figures.round(9).tolist()
    order = sorted(range(len(found)), key=lambda n: (n != first, -ranks[n], -round(found[n].score, 9)))
    return Scores(map(str, schema.classes), [found[number] for number in order], schema.response)


def _score(schema: Schema, settings: SearchSettings, best: Frontier, number: int, information: float) -> FeatureScore:
    """The record of one feature's best split, which has so much split information."""
    name = schema.features[number].name
    if best.splits is None:
        return FeatureScore(name, None, 0.0, 0.0, 1.0, ())
    counts = best.child_counts
    share = settings.discount(settings.weight(counts).sum() / settings.weight(best.counts[None]).sum())
    ratio = float(gain(settings.altered(counts), settings.impurity) * share / information) if information > TIE else 0.0
    sums = counts if settings.response is None else without_limbs(counts, settings.response)
    listed = [tuple(int(n) if float(n).is_integer() else n for n in child) for child in sums.tolist()]
    children = [(condition(schema, best.splits, child), of) for child, of in enumerate(listed)]
    if settings.response is not None:
        return FeatureScore(name, best.splits, float(best.gain), np.nan, np.nan, children, float(best.score))
    own = [splitter for splitter in settings.splitters if schema.features[number].kind in splitter.kinds]
    by_significance = all(isinstance(splitter, merging) for splitter in own)
    p_value = 10 ** -(best.score / float(share)) if by_significance and share > 0 else float(best.p_value)
    return FeatureScore(name, best.splits, float(best.gain), ratio, p_value, children, float(best.score))


def _short(number: float) -> str:
    return f"{number:.3g}"
