"""Choosing the best: of several splitters for each run, of several scores, of several rows for each group."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from ftree._lib.arrays import Array, run_starts
from ftree._lib.fields import name_of
from ftree._lib.ties import TIE
from ftree.splitters.base import BestSplits, Build, Finder, Measure, Runs
from ftree.tree.splits.protocol import Split


def best_found(runs: Runs, finders: Iterable[tuple[Finder, Array]], measure: Measure) -> BestSplits:
    """The best splits of several finders, each for the runs with the given numbers; the first finder wins ties."""
    n_runs = len(runs.start)
    score, finder_of, own = np.full(n_runs, -np.inf), np.zeros(n_runs, dtype=np.intp), np.zeros(n_runs, dtype=np.intp)
    builds: list[Build] = []
    for number, (finder, taken) in enumerate(finders):
        found = _checked(finder, runs.only(taken), measure)
        better = found.score > score[taken] + TIE
        score[taken[better]] = found.score[better]
        finder_of[taken[better]], own[taken[better]] = number, np.flatnonzero(better)
        builds.append(found.build)

    def build(run: int) -> tuple[Split, Array]:
        make: Build = builds[finder_of[run]]
        return make(int(own[run]))

    return BestSplits(score, build)


def _checked(finder: Finder, runs: Runs, measure: Measure) -> BestSplits:
    """The splits of a finder; it must have one score for each run."""
    found: Any = finder(runs, measure)
    if not isinstance(found, BestSplits) or np.shape(found.score) != runs.start.shape:
        got = f"scores of shape {np.shape(found.score)}" if isinstance(found, BestSplits) else f"a {type(found).__name__}"
        wanted = f"BestSplits(score, build) with {len(runs.start)} scores, one for each run"
        message = f"The result of the splitter {name_of(finder)} must be {wanted}, got {got}."
        raise TypeError(message)
    return found


def first_best(scores: Array, axis: int = 0) -> Any:
    """Number of the best score along an axis; the first of those within a tie.

    >>> int(first_best(np.array([1.0, 3.0, 3.0 + 1e-12])))
    1
    """
    return (scores >= scores.max(axis=axis, keepdims=True) - TIE).argmax(axis=axis)


def least_of_each(group: Array, figure: Array, n: int) -> Array:
    """Numbers of the rows with the n smallest figures of each group; the first of equal ones.

    >>> least_of_each(np.array([0, 0, 0, 1]), np.array([3, 1, 2, 9]), 2).tolist()
    [1, 2, 3]
    """
    order = np.lexsort((figure, group))
    starts = run_starts(group[order])
    rank = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
    least: Array = order[rank < n]
    return least
