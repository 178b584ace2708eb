"""Every feature's best split of a table with its scores, like the tables of gains in textbooks."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.arrays import TIE, Array
from ftree._lib.faces import LINE, Face, Grid
from ftree._lib.fields import as_tuple
from ftree._lib.messages import joined
from ftree.criteria.frontier import Nodes
from ftree.criteria.impurity_of_sums import without_limbs
from ftree.criteria.scores import gain
from ftree.data.changes import as_grown
from ftree.data.dataset import Dataset, require_dataset
from ftree.growth.engines.engine import Engine, EngineSetup
from ftree.growth.engines.plain_engine import plain
from ftree.growth.given_table import prepared_dataset
from ftree.growth.search import search
from ftree.growth.settings import SearchSettings, search_settings
from ftree.policy import ID3, Policy
from ftree.splitters import Candidates, merging
from ftree.splitters.missing_policies import hook
from ftree.tree.conditions import CONDITION_ROOM, ROOM, cut_to
from ftree.tree.describe import condition
from ftree.tree.response import Counts
from ftree.tree.schema import Feature, Schema
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
    schema, settings, engine = counted_root(dataset, policy)
    root = Nodes(0, engine.totals(), keys=np.zeros(1, dtype=np.uint64))
    return scores_of_node(schema, settings, engine, root, 0)


def counted_root(dataset: Dataset, policy: Policy) -> tuple[Schema, SearchSettings, Engine]:
    """How growth counts a dataset: the schema, the settings of the search, and the engine with all rows in the root."""
    table, _ = prepared_dataset(as_grown(dataset), policy)
    return table.schema, search_settings(policy, table), plain(table, EngineSetup(hook(policy.missing, "shares")))


def scores_of_node(schema: Schema, settings: SearchSettings, engine: Engine, level: Nodes, node: int) -> Scores:
    """The scores of all features at one node of a level, which has the engine's counts."""
    settings, only = evolve(settings, splitters=settings.single), np.arange(len(level.counts)) == node
    counts, state = level.counts[only], None if level.inherited_state is None else level.inherited_state[only]
    impurity = settings.impurity(settings.altered(counts))
    alone = Nodes(level.depth, counts, impurity, level.keys[only], inherited_state=state, response=settings.response)
    counted, figures = engine.keep(only), np.full(len(schema.features), -np.inf)
    offered = [_candidates(alone, counted, schema, each) for each in _with_looser_limits(settings)]
    if offered[0] is not None:
        figures[offered[0].feature] = settings.choose(offered[0])
    best = {  # of candidates by several limits, the first one
        feature: (candidates, number)
        for candidates in reversed(offered)
        if candidates is not None
        for number, feature in enumerate(candidates.feature.tolist())
    }
    rows = [
        _score(schema, settings, alone, *best[number]) if number in best else FeatureScore(feature.name, None, 0.0, 0.0, 1.0, ())
        for number, feature in enumerate(schema.features)
    ]
    return Scores(map(str, schema.classes), _ranked(rows, figures), schema.response)


def _with_looser_limits(settings: SearchSettings) -> Iterator[SearchSettings]:
    """The settings, and for CHAID with looser limits of significance, of splits and then of merged values too.

    What CHAID refuses as not significant is shown with its p-value, of the merged values if some are left apart.
    """
    yield settings
    limits: list[dict[str, Any]] = [{"alpha_split": 1.0}, {"alpha_split": 1.0, "alpha_merge": 1.0}]
    if any(isinstance(each, merging) for each in settings.single):
        for limit in limits:
            looser = (evolve(each, **limit) if isinstance(each, merging) else each for each in settings.single)
            yield evolve(settings, splitters=tuple(looser))


def _candidates(alone: Nodes, counted: Engine, schema: Schema, settings: SearchSettings) -> Candidates | None:
    """The best split of each feature at a node, as growth offers them to the policy's choice; None without any."""
    offered: list[Candidates] = []

    def choose(candidates: Candidates) -> Array:
        offered.append(candidates)
        return candidates.score

    search(alone, counted.count(), schema.features, evolve(settings, choose=choose), joint=counted.joint)
    return offered[0] if offered else None


def _ranked(rows: Sequence[FeatureScore], figures: Array) -> list[FeatureScore]:
    """Rows in the order of the choice's figures, and then of their scores; the first that growth would choose comes first."""
    top, ranks = figures.max(initial=-np.inf), figures.round(9).tolist()
    first = np.argmax(figures >= top - TIE) if np.isfinite(top) else None
    order = sorted(range(len(rows)), key=lambda number: (number != first, -ranks[number], -round(rows[number].score, 9)))
    return [rows[number] for number in order]


def _score(schema: Schema, settings: SearchSettings, alone: Nodes, candidates: Candidates, number: int) -> FeatureScore:
    """The record of a candidate, the best split of its feature at a node that is alone."""
    build: Any = candidates.build
    split, counts = build(number)
    best, score = alone.with_splits([split], [counts], settings.impurity, settings.altered)[0], float(candidates.score[number])
    feature: Feature = schema.features[candidates.feature[number]]
    sums = counts if settings.response is None else without_limbs(counts, settings.response)
    listed = [tuple(int(n) if float(n).is_integer() else n for n in child) for child in sums.tolist()]
    children = [(condition(schema, split, child), of) for child, of in enumerate(listed)]
    if settings.response is not None:
        return FeatureScore(feature.name, split, float(best.gain), np.nan, np.nan, children, score)
    share = settings.discount(settings.weight(counts).sum() / settings.weight(best.counts[None]).sum())
    information = float(candidates.information(np.array([number]))[0])
    ratio = float(gain(settings.altered(counts), settings.impurity) * share / information) if information > TIE else 0.0
    own = [splitter for splitter in settings.splitters if feature.kind in splitter.kinds]
    by_significance = all(isinstance(splitter, merging) for splitter in own)
    p_value = 10 ** -(score / float(share)) if by_significance and share > 0 else float(best.p_value)
    return FeatureScore(feature.name, split, float(best.gain), ratio, p_value, children, score)


def _short(number: float) -> str:
    return f"{number:.3g}"
