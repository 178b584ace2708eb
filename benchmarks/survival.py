"""Survival trees beside scikit-survival's, in one run: growth to depth 5 and the curves of all rows, in processor seconds.

    python benchmarks/survival.py       tables of 300 to 10,000 rows with ten features; the best of three rounds

Times have as many values as rows, or some 70. scikit-survival splits by log-rank statistics, ftree by each of its three choices.
"""

import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np
from growth import has

from ftree import CART, Dataset, grow, predict
from ftree.responses import survival
from ftree.stop import max_depth

ROWS = 300, 1000, 3000, 10_000
# Growth by log-rank statistics takes seconds from here on.
SLOW = 3000


def table(n: int, *, whole: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features of which two matter, times, and events; a third of the observations end without one."""
    random = np.random.default_rng(0)
    x = random.normal(size=(n, 10)).round(2)
    ended = random.exponential(np.exp(-1.0 * (x[:, 0] > 0) - 0.5 * (x[:, 1] > 0)))
    seen = random.exponential(1.5, n)
    times = np.minimum(ended, seen) + 1e-4
    return x, np.ceil(20 * times) if whole else times, (ended <= seen).astype(int)


def runs(x: np.ndarray, times: np.ndarray, died: np.ndarray) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The name and the function of each way."""
    columns = {f"x{number}": column for number, column in enumerate(x.T)} | {"time": times, "died": died}

    def grown(splits: str) -> Any:
        dataset = Dataset.from_columns(columns, target="time", response=survival("time", "died", splits=splits))
        return predict(grow(dataset, CART.stopping(max_depth(5))), dataset)

    for splits in ("deviance", "scores", "log-rank"):
        if splits != "log-rank" or len(x) < SLOW:
            yield f"ftree, {splits}", lambda splits=splits: grown(splits)
    if has("scikit-survival"):
        target = import_module("sksurv.util").Surv.from_arrays(died == 1, times)
        tree = import_module("sksurv.tree").SurvivalTree
        yield "scikit-survival", lambda: tree(max_depth=5).fit(x, target).predict_survival_function(x, return_array=True)


def seconds(run: Callable[[], Any]) -> float:
    """Processor seconds of all threads."""
    start = time.process_time()
    run()
    return time.process_time() - start


if __name__ == "__main__":
    for n in ROWS:
        for whole in (False, True):
            rows = table(n, whole=whole)
            found = ", ".join(f"{name} {min(seconds(run) for _ in range(3)):.3f}" for name, run in runs(*rows))
            print(f"{n:,} rows, {len(np.unique(rows[1])):,} times: {found}", flush=True)
