"""Forests beside scikit-learn's and YDF's: seconds to grow and to predict, medians of interleaved rounds, one and two threads.

No test depends on timings; this prints them. A number as an argument is that of the most rows, a second one that of the trees;
`--figures` keeps the figures of pages. The process is held to as many cores as threads; the load of the machine is printed.
"""

import os
import platform
import sys
from collections.abc import Callable, Iterator
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import sklearn
from figures import keep
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from ftree import Dataset
from ftree.study import extra_trees, random_forest

try:
    import ydf
except ImportError:  # there is none for this Python
    ydf = None

NUMBERS = [int(each) for each in sys.argv[1:] if each.isdigit()]
MOST_ROWS, TREES = (*NUMBERS, *(10**9, 100)[len(NUMBERS) :])[:2]
# Rows, features and rounds.
TABLES = (1000, 21, 9), (100_000, 20, 1)
THREADS = 1, 2
# How often a forest that has predicted before does it again.
AGAIN = 5


def table(n: int, n_features: int) -> tuple[Any, Any]:
    """Numbers (n, F), and labels of two classes with noise."""
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(n, n_features))
    return numbers, (numbers[:, 0] + numbers[:, 1] * numbers[:, 2] + rng.normal(size=n) > 0).astype(int)


def ours(grower: Callable[..., Any], numbers: Any, labels: Any, threads: int) -> Callable[[], Callable[[], Any]]:
    """Growth by this library, whose result predicts the same rows."""
    data = Dataset.from_frame(numbers, labels)

    def grow() -> Callable[[], Any]:
        forest = grower(data, n_trees=TREES, n_jobs=threads)
        return lambda: forest.predict_proba(numbers)

    return grow


def sklearns(family: Any, numbers: Any, labels: Any, threads: int) -> Callable[[], Callable[[], Any]]:
    """Growth by scikit-learn."""

    def grow() -> Callable[[], Any]:
        forest = family(TREES, n_jobs=threads, random_state=0).fit(numbers, labels)
        return lambda: forest.predict_proba(numbers)

    return grow


def ydfs(numbers: Any, labels: Any, threads: int) -> Callable[[], Callable[[], Any]]:
    """Growth by YDF, to the end as by the others, and without the out-of-bag error, which the others do not measure either."""
    columns = {f"x{number}": column for number, column in enumerate(numbers.T)}

    def grow() -> Callable[[], Any]:
        learner = ydf.RandomForestLearner(
            label="y", num_trees=TREES, num_threads=threads, max_depth=-1, min_examples=1,
            compute_oob_performances=False, winner_take_all=False,
        )  # fmt: skip
        model = learner.train({**columns, "y": labels}, verbose=0)
        return lambda: model.predict(columns, num_threads=threads)

    return grow


def cases(n: int, n_features: int, threads: int) -> Iterator[tuple[str, str, Callable[[], Callable[[], Any]]]]:
    """Each kind of forest and library, with a function that grows it."""
    given = *table(n, n_features), threads
    yield "random forest", "ftree", ours(random_forest, *given)
    yield "random forest", "scikit-learn", sklearns(RandomForestClassifier, *given)
    if ydf is not None:
        yield "random forest", "ydf", ydfs(*given)
    yield "extra-trees", "ftree", ours(extra_trees, *given)
    yield "extra-trees", "scikit-learn", sklearns(ExtraTreesClassifier, *given)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds that a call takes, and its result."""
    start = perf_counter()
    result = work()
    return perf_counter() - start, result


def measured(n: int, n_features: int, threads: int, rounds: int) -> dict[tuple[str, str], list[float]]:
    """The median seconds of growth, of the first prediction and of later ones, by kind and library."""
    listed, taken = list(cases(n, n_features, threads)), dict[tuple[str, str], list[tuple[float, ...]]]()
    for number in range(rounds + 1) if rounds > 1 else (1,):  # the first round loads code
        for kind, library, grow in listed:
            growth, predict = timed(grow)
            times = growth, timed(predict)[0], median(timed(predict)[0] for _ in range(AGAIN))
            if number:
                taken.setdefault((kind, library), []).append(times)
    return {case: [median(times) for times in zip(*runs, strict=True)] for case, runs in taken.items()}


def main() -> None:
    """Print a line for each table, number of threads and kind of forest."""
    versions = f"numpy {np.__version__}, scikit-learn {sklearn.__version__}, ydf {getattr(ydf, '__version__', 'missing')}"
    print(f"Python {platform.python_version()}, {versions}; {TREES} trees; load {os.getloadavg()[0]:.1f}")
    print(f"{'':62}{'grow':>10}{'predict':>10}{'again':>10}")
    cores = sorted(os.sched_getaffinity(0))
    for n, n_features, rounds in TABLES:
        for threads in THREADS if n <= MOST_ROWS else ():
            os.sched_setaffinity(0, cores[:threads])
            found = measured(n, n_features, threads, rounds)
            for (kind, library), (growth, first, later) in found.items():
                name = f"{n:,} x {n_features}, {kind}, {threads} threads, {library}"
                print(f"{name:62}{growth:10.3f}{first:10.4f}{later:10.4f}", flush=True)
            for kind in ("random forest", "extra-trees"):
                own = found[kind, "ftree"]
                for at, what in ((0, "grow"), (2, "predict")):
                    others = {
                        library: [float(f"{times[at]:.3g}"), round(times[at] / own[at], 1)]
                        for (of_kind, library), times in found.items()
                        if of_kind == kind and library != "ftree"
                    }
                    name = f"{kind}, {what}, {n // 1000}k, {threads} threads"
                    keep("forests", {name: {"ftree": float(f"{own[at]:.3g}"), **others}})
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
