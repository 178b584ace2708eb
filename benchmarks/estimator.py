"""The time that `TreeClassifier` takes to fit and predict, with scikit-learn's tree and `grow`: medians of interleaved runs.

No test depends on timings; this prints the timings. Run it with `make bench`.
"""

import platform
from collections.abc import Callable
from statistics import median
from time import process_time

import numpy as np
import sklearn
from sklearn.tree import DecisionTreeClassifier

from ftree import Dataset, grow
from ftree.estimator import DEFAULT_POLICY, TreeClassifier

REPEATS = 7
ROWS, FEATURES = 20_000, 20


def timed(work: Callable[[], object]) -> float:
    """Milliseconds of the processors, of all threads together, that one run takes."""
    start = process_time()
    work()
    return 1000 * (process_time() - start)


def main() -> None:
    """Print a line for each learner: fitting, predicting, and how many times as long as `TreeClassifier` with all threads."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(ROWS, FEATURES))
    labels = (table[:, 0] ** 2 + table[:, 1] + rng.normal(size=ROWS) / 2 > 1).astype(int)
    data = Dataset.from_frame(table, labels)
    ours, one_thread, theirs = TreeClassifier(), TreeClassifier(n_jobs=1), DecisionTreeClassifier(random_state=0)
    cases: dict[str, Callable[[], object]] = {
        "TreeClassifier, fit": lambda: ours.fit(table, labels),
        "TreeClassifier, one thread, fit": lambda: one_thread.fit(table, labels),
        "grow of a Dataset": lambda: grow(data, DEFAULT_POLICY),
        "DecisionTreeClassifier, fit": lambda: theirs.fit(table, labels),
        "TreeClassifier, predict": lambda: ours.predict(table),
        "DecisionTreeClassifier, predict": lambda: theirs.predict(table),
    }
    for work in cases.values():
        work()
    runs = [{name: timed(work) for name, work in cases.items()} for _ in range(REPEATS)]
    print(f"Python {platform.python_version()}, numpy {np.__version__}, scikit-learn {sklearn.__version__}, {ROWS} x {FEATURES}")
    taken = {name: median(run[name] for run in runs) for name in cases}
    for name, own in taken.items():
        base = taken["TreeClassifier, predict" if "predict" in name else "TreeClassifier, fit"]
        print(f"{name:34} {own:8.1f} ms {own / base:6.2f}")


if __name__ == "__main__":
    main()
