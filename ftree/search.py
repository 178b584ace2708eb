"""The best split of every open node, from their AVC-sets.

Each split family answers for the runs of the features it takes; the search takes the best run of each node. Ties go to
the first family and to the lowest feature; scores within 1e-9 of each other are equal.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from attrs import evolve, frozen
from toolz import concat

from ftree._kernels import first_near_best, run_starts
from ftree.cuts import MULTIWAY, NONE, SUBSET, THRESHOLD, Cuts
from ftree.engine import Criterion, Fused
from ftree.families import TIE, Build, Family, JointFamily, Measure, Runs, multiway, numbered, subset, threshold
from ftree.frontier import Array, Avc, Frontier, Joint
from ftree.impurity import Impurity, Score, entropy, gain, gain_ratio, gini, misclassification
from ftree.schema import Feature
from ftree.split import Split


@frozen(eq=False)
class Best:
    """The best split of each run: its score (-inf for none), the family that found it, and its number there."""

    score: Array
    family: Array
    own: Array
    builds: tuple[Build, ...]

    def split(self, run: int) -> tuple[Split, Array]:
        """Make the split, with its children's counts."""
        build: Build = self.builds[self.family[run]]
        return build(int(self.own[run]))


def search(
    frontier: Frontier,
    avc: Avc,
    features: Sequence[Feature],
    families: Sequence[Family | JointFamily],
    impurity: Impurity,
    score: Score = gain,
    *,
    joint: Callable[[Sequence[int]], Joint],
) -> Frontier:
    """Give each open node its best split: the frontier with `splits`, `gain` and the children's counts.

    A score counts by the share of cases whose value is known (Quinlan 1993, section 3.2). `joint` counts vectors of
    several features, for the families that look at those; a split of theirs must be better than all others.
    """
    runs = _known_runs(avc)

    def measure(children: Array) -> Array:
        return checked(score, score(children, impurity), children.shape[:-2])

    kinds = np.array([features[number].kind for number in runs.feature.tolist()], dtype=str)
    single = [family for family in families if not isinstance(family, JointFamily)]
    best = _best_of(runs, [(family, np.flatnonzero(np.isin(kinds, family.kinds))) for family in single], measure)
    scores = best.score * _known_share(runs, frontier)
    reached = np.full(len(frontier.counts), -np.inf)
    splits: list[Split | None] = [None] * len(frontier.counts)
    child_counts = [counts[None] for counts in frontier.counts]
    for run in _first_of_each_node(runs, scores):
        if best.score[run] > -np.inf:
            node = runs.node[run]
            splits[node], child_counts[node] = best.split(run)
            reached[node] = scores[run]
    several = [family for family in families if isinstance(family, JointFamily)]
    for node, found in concat(_joint_splits(family, features, joint, measure) for family in several):
        if found[0] > reached[node] + TIE:
            reached[node], splits[node], child_counts[node] = found
    return frontier.with_splits(tuple(splits), child_counts, impurity)


def search_at_once(
    frontier: Frontier,
    engine: Fused,
    features: Sequence[Feature],
    families: Sequence[Family | JointFamily],
    impurity: Impurity,
    score: Score = gain,
) -> Frontier:
    """The same answer from an engine that searches for itself; the nodes it doubts are searched from their AVC-sets.

    It doubts where its own rounding could decide whether two scores count as equal, which is next to never.
    """
    found = engine.best()
    if not found.doubt.any():
        return frontier.searched(found.cuts, found.children, found.n_children, impurity)
    unsure = evolve(frontier, counts=frontier.counts[found.doubt], impurity=frontier.impurity[found.doubt])
    doubtful = engine.keep(found.doubt)
    again = search(unsure, doubtful.count(), features, families, impurity, score, joint=doubtful.joint)
    splits = list(found.cuts)
    child_counts = np.split(found.children, np.cumsum(found.n_children)[:-1])
    exact = np.split(again.child_counts, np.cumsum(again.n_children)[:-1])
    for node, split, counts in zip(np.flatnonzero(found.doubt).tolist(), again.splits, exact, strict=True):
        splits[node], child_counts[node] = split, counts
    return frontier.with_splits(Cuts.of(splits), child_counts, impurity)


def criterion_of(
    features: Sequence[Feature], families: Sequence[Family | JointFamily], impurity: Impurity, score: Score
) -> Criterion | None:
    """What the policy's parts are to an engine that searches for itself; None where it does not know one of them.

    It knows the library's own impurities, scores and families, one family for a kind of feature.

    >>> from ftree.families import multiway, threshold
    >>> criterion_of([Feature("x", "numeric")], (multiway(), threshold()), impurity=lambda counts: counts[..., 0], score=gain)
    >>> criterion_of([Feature("x", "numeric")], (multiway(), threshold()), entropy, gain).ways.tolist() == [THRESHOLD]
    True
    """
    ways = [[_WAYS.get(type(family), -1) for family in families if feature.kind in family.kinds] for feature in features]
    known = impurity in _IMPURITIES and score in _SCORES and all(len(each) <= 1 and -1 not in each for each in ways)
    if not known:
        return None
    listed = np.array([each[0] if each else NONE for each in ways], dtype=np.int8)
    return Criterion(listed, _IMPURITIES.index(impurity), _SCORES.index(score))


_IMPURITIES = (entropy, gini, misclassification)
_SCORES = (gain, gain_ratio)
_WAYS = {threshold: THRESHOLD, multiway: MULTIWAY, subset: SUBSET}


def _joint_splits(
    family: JointFamily, features: Sequence[Feature], joint: Callable[[Sequence[int]], Joint], measure: Measure
) -> Iterator[tuple[int, tuple[float, Split, Array]]]:
    """Each node that the family can split: its number, the score, the split and the children's counts."""
    taken = [number for number, feature in enumerate(features) if feature.kind in family.kinds]
    if not taken:
        return
    vectors = joint(taken)
    for node, start, end in _spans(vectors.node):
        found = family.best(vectors.vector[start:end], vectors.counts[start:end], measure)
        if found is not None:
            score, split, counts = found
            yield node, (score, numbered(split, taken, len(features)), counts)


def _spans(node: Array) -> Iterator[tuple[int, int, int]]:
    """Each node with the rows that are its."""
    starts = run_starts(node)
    return zip(node[starts].tolist(), starts.tolist(), [*starts[1:].tolist(), len(node)], strict=True)


def checked(function: Any, answer: Any, shape: tuple[int, ...]) -> Array:
    """The answer of a score or an impurity, refused with the remedy when it is not one number for each node."""
    array = np.asarray(answer)
    if array.shape != shape or array.dtype.kind not in "iufb":
        message = (
            f"{getattr(function, '__name__', function)} must broadcast: for counts (..., K) it answers one number for each "
            f"of the leading (...), by reducing the last axis (counts.sum(axis=-1)). Wanted shape {shape}, got {array.shape}."
        )
        raise ValueError(message)
    if np.isnan(array).any():
        message = f"{getattr(function, '__name__', function)} answered NaN; an empty node or child must be scored too, as 0."
        raise ValueError(message)
    return array


def _known_runs(avc: Avc) -> Runs:
    known = ~np.isnan(avc.value)
    node, feature, value, counts = avc.node[known], avc.feature[known], avc.value[known], avc.counts[known]
    start = run_starts(node, feature)
    return Runs(value, counts, start, np.append(start[1:], len(value))[: len(start)], node[start], feature[start])


def _only(runs: Runs, numbers: Array) -> Runs:
    """Some of the runs, over the same rows."""
    if len(numbers) == len(runs.start):
        return runs
    rows = np.flatnonzero(np.isin(runs.of_row(), numbers))
    end = np.cumsum(runs.size[numbers])
    return Runs(runs.value[rows], runs.counts[rows], end - runs.size[numbers], end, runs.node[numbers], runs.feature[numbers])


def _best_of(runs: Runs, families: Sequence[tuple[Family, Array]], measure: Measure) -> Best:
    """Ask each family about the runs it takes; where two find equal splits, the first one has it."""
    n_runs = len(runs.start)
    score, family_of, own = np.full(n_runs, -np.inf), np.zeros(n_runs, dtype=np.intp), np.zeros(n_runs, dtype=np.intp)
    builds = []
    for number, (family, taken) in enumerate(families):
        found = family(_only(runs, taken), measure)
        better = found.score > score[taken] + TIE
        score[taken[better]] = found.score[better]
        family_of[taken[better]], own[taken[better]] = number, np.flatnonzero(better)
        builds.append(found.build)
    return Best(score, family_of, own, tuple(builds))


def _known_share(runs: Runs, frontier: Frontier) -> Array:
    if not len(runs.start):
        return np.zeros(0)
    known: Array = np.add.reduceat(runs.counts.sum(axis=1), runs.start)
    share: Array = known / frontier.weight[runs.node]
    return share


def _first_of_each_node(runs: Runs, scores: Array) -> list[int]:
    """The best run of each node that has one, the lowest feature winning ties."""
    return first_near_best(scores, run_starts(runs.node), TIE).tolist() if len(scores) else []
