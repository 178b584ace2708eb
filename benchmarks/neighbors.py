"""The time of batch queries, compared with scikit-learn: medians of interleaved runs, their ratio, and the versions.

No test depends on timings; this prints the timings. Run it as `python benchmarks/neighbors.py`.
"""

import platform
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import scipy
import sklearn
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier

from ftree import Dataset
from ftree.neighbors import knn

REPEATS = 7
Table = tuple[Any, Any]


def table(rows: int, features: int, *, seed: int = 0) -> Table:
    """Points of the unit cube, labelled by the sum of their first two coordinates."""
    points = np.random.default_rng(seed).random((rows, features))
    return points, (points[:, :2].sum(axis=1) > 1).astype(int)


def digits() -> tuple[Table, Table]:
    """Scikit-learn's digits of 8 x 8 pixels: 900 to train on, 897 to classify."""
    points, labels = load_digits(return_X_y=True)
    return (points[:900], labels[:900]), (points[900:], labels[900:])


def ours(learn: Table, ask: Table, k: int, search: Any) -> Callable[[], object]:
    """The library's classifier, built, and its query as a function."""
    columns = {f"x{number}": column for number, column in enumerate(learn[0].T)}
    classify = knn(Dataset.from_columns({**columns, "class": learn[1]}), k=k, search=search)
    queries = Dataset.from_columns({**{name: ask[0][:, number] for number, name in enumerate(columns)}, "class": ask[1]})
    return lambda: classify(queries)


def theirs(learn: Table, ask: Table, k: int) -> Callable[[], object]:
    """The peer's classifier, built, and its query as a function."""
    classify = KNeighborsClassifier(k).fit(*learn)
    return lambda: classify.predict(ask[0])


def timed(work: Callable[[], object]) -> float:
    """Milliseconds of one run."""
    start = perf_counter()
    work()
    return 1e3 * (perf_counter() - start)


def compare(name: str, ways: dict[str, Callable[[], object]]) -> None:
    """Run the ways in turn, and print the medians; ratios are relative to the last one."""
    for work in ways.values():
        work()
    times: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(REPEATS):
        for way, work in ways.items():
            times[way].append(timed(work))
    *_, reference = (median(spent) for spent in times.values())
    for way, spent in times.items():
        print(f"{name:44} {way:14} {median(spent):9.1f} {min(spent):9.1f} {max(spent):9.1f} {median(spent) / reference:7.2f}")


def main() -> None:
    """Print the tables."""
    print(f"Python {platform.python_version()}, numpy {np.__version__}, scipy {scipy.__version__}, ", end="")
    print(f"scikit-learn {sklearn.__version__}, {platform.machine()}")
    print(f"{'milliseconds':44} {'':14} {'median':>9} {'least':>9} {'most':>9} {'ratio':>7}")
    cases: dict[str, tuple[Table, Table, int, tuple[str, ...]]] = {
        "digits, 900 x 64, 897 queries, k = 5": (*digits(), 5, ("auto",)),
        "100,000 x 3, 10,000 queries, k = 5": (table(100_000, 3), table(10_000, 3, seed=1), 5, ("auto",)),
        "100,000 x 3, 300 queries, k = 5": (table(100_000, 3), table(300, 3, seed=1), 5, ("auto", "tree", "brute")),
        "10,000 x 8, 2,000 queries, k = 5": (table(10_000, 8), table(2_000, 8, seed=1), 5, ("auto", "brute")),
        "5,000 x 50, 2,000 queries, k = 5": (table(5_000, 50), table(2_000, 50, seed=1), 5, ("auto",)),
        "1,000 x 5, 1,000 queries, k = 5": (table(1_000, 5), table(1_000, 5, seed=1), 5, ("auto", "tree")),
    }
    for name, (learn, ask, k, searches) in cases.items():
        compare(name, {**{way: ours(learn, ask, k, way) for way in searches}, "scikit-learn": theirs(learn, ask, k)})


if __name__ == "__main__":
    main()
