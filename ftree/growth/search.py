"""The search: the best split of every open node, from attribute-value-class counts.

Each splitter scores the runs of the features that it splits; the best run of each node wins. Ties go to the first
splitter and to the lowest feature; scores within 1e-9 of each other are ties, of numbers within 1e-9 of the best.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from toolz import concat

from ftree._lib.arrays import Array, first_near_best, least_tied, read_only, run_starts
from ftree.criteria.frontier import Avc, Frontier, Joint, Nodes
from ftree.criteria.impurity import checked, entropy
from ftree.criteria.scores import split_information
from ftree.growth.settings import SearchSettings
from ftree.splitters import BestSplits, Candidates, JointSplitter, Runs, Splitter, best_of
from ftree.splitters.runs import NodeVectors, first_best, missing_counts, runs_of
from ftree.tree.schema import Feature
from ftree.tree.splits.shared import renumbered
from ftree.tree.splits.split import Split

if TYPE_CHECKING:
    from ftree.splitters.missing_as_branch import Translate


def search(
    frontier: Nodes,
    avc: Avc,
    features: Sequence[Feature],
    settings: SearchSettings,
    *,
    joint: Callable[[Sequence[int]], Joint],
) -> Frontier:
    """The frontier with the best split of each open node, its gain and its children's counts.

    A score is multiplied by the share of cases whose value is known (Quinlan 1993, section 3.2), or by its `discount`.
    `joint` counts vectors of several features, for splitters of several features; such a split must score more than the
    best of one feature.
    """
    runs = runs_of(avc, features, frontier)
    if settings.variants is None:
        best = best_of(runs, settings.single, settings.measure)
    else:
        runs, best = best_variant(settings.variants(runs, missing_counts(avc)), settings.single, settings.measure)
    found: list[tuple[float, Split | None, Array]] = [(-np.inf, None, counts[None]) for counts in frontier.counts]
    for run, score in _chosen(runs, best, known_share_of(runs, frontier.counts, settings), settings, joint):
        found[runs.node[run]] = score, *best.build(run)
    several = enumerate(settings.several, len(settings.single))
    for node, other in concat(_joint_splits(*each, frontier, features, joint, settings) for each in several):
        if least_tied(other[0], exact=runs.exact) > found[node][0]:
            found[node] = other
    scores, splits, child_counts = zip(*found, strict=True)
    return frontier.with_splits(splits, child_counts, settings.impurity, settings.altered, read_only(np.array(scores)))


def _joint_splits(
    number: int,
    splitter: JointSplitter,
    frontier: Nodes,
    features: Sequence[Feature],
    joint: Callable[[Sequence[int]], Joint],
    settings: SearchSettings,
) -> Iterator[tuple[int, tuple[float, Split, Array]]]:
    """Each node that the splitter can split: its number, the score, the split and the children's counts."""
    taken = [number for number, feature in enumerate(features) if feature.kind in splitter.kinds]
    if not taken:
        return
    counted, of_columns = joint(taken), tuple(features[number] for number in taken)
    for node, start, end in _spans(counted.node):
        key = 0 if frontier.keys is None else int(frontier.keys[node])
        vectors = NodeVectors(counted.vector[start:end], counted.counts[start:end], of_columns, key, frontier[node], (number,))
        found = splitter.best(vectors, settings.measure)
        if found is not None:
            score, split, counts = found
            yield node, (score, renumbered(split, taken, len(features)), counts)


def _spans(node: Array) -> Iterator[tuple[int, int, int]]:
    """Each node with its first row and the row after its last."""
    starts = run_starts(node)
    return zip(node[starts].tolist(), starts.tolist(), [*starts[1:].tolist(), len(node)], strict=True)


def known_share_of(runs: Runs, totals: Array, settings: SearchSettings) -> Array:
    """The share of each run's node whose value is known; `totals` (m, K) are the class counts of the nodes."""
    if not len(runs.start):
        return np.zeros(0)
    known: Array = np.add.reduceat(settings.weight(runs.counts), runs.start)
    # A node may have only classes whose prior is 0.
    everything = settings.weight(totals)[runs.node]
    share: Array = known / np.where(everything > 0, everything, 1.0)
    return share


def _chosen(
    runs: Runs, best: BestSplits, share: Array, settings: SearchSettings, joint: Callable[[Sequence[int]], Joint]
) -> Iterator[tuple[int, float]]:
    """The run that each node chooses, and its score; the lowest feature wins ties."""
    found = np.flatnonzero(best.score > -np.inf)
    if not len(found):
        return
    candidates = Candidates(
        runs.node[found],
        runs.feature[found],
        best.score[found] * checked(settings.discount, settings.discount(share[found]), found.shape),
        lambda some: _information(best, found[some], share),
        np.isin(runs.feature[found], list(settings.many)),
        runs,
        found,
        lambda number: best.build(int(found[number])),
        joint,
    )
    figures = checked(settings.choose, settings.choose(candidates), found.shape)
    for winner in first_near_best(figures, run_starts(candidates.node), exact=runs.exact).tolist():
        if figures[winner] > -np.inf:
            yield int(found[winner]), float(candidates.score[winner])


def _information(best: BestSplits, numbers: Array, share: Array) -> Array:
    """Split information of the best splits of runs, with missing values as one more child (chain rule of entropy)."""
    known = np.array([float(split_information(best.build(number)[1])) for number in numbers.tolist()])
    of_known: Array = share[numbers]
    unknown: Array = entropy(np.column_stack([of_known, np.maximum(1 - of_known, 0)]))
    information: Array = of_known * known + unknown
    return information


def best_variant(
    variants: "Sequence[tuple[Runs, Translate]]", splitters: Sequence[Splitter], measure: Callable[[Array], Array]
) -> tuple[Runs, BestSplits]:
    """The first runs, and the best split of each run in any of them; the first of equal ones."""
    found = [best_of(runs, splitters, measure) for runs, _ in variants]
    scores = np.array([each.score for each in found])
    which = first_best(scores, exact=variants[0][0].exact)

    def build(run: int) -> tuple[Split, Array]:
        translated: Translate = variants[which[run]][1]
        return translated(run, *found[which[run]].build(run))

    return variants[0][0], BestSplits(scores.max(axis=0), build)
