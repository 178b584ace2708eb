"""Predictions of a million rows from every form of a table, beside those of the dataset and of scikit-learn, in turns.

`python benchmarks/tables.py [rows]` prints
milliseconds of the processors, of all threads together (the least and the median of all rounds), those of the clock, and two
ratios of the processors' medians: to the dataset's, and of scikit-learn's for float64. What scikit-learn is given is its
best case: an array of float32, and one of float64, which it converts.
"""

import platform
import sys
from collections.abc import Callable
from importlib.metadata import version
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from attrs import evolve
from sklearn.tree import DecisionTreeClassifier

from ftree import CART, Dataset, apply, grow, predict, stop

N_FEATURES = 20
NOISE = 0.1
ROUNDS = 9


def table(n: int) -> tuple[Any, Any]:
    """Normal numbers, and labels that a tree of 10 levels follows roughly."""
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(n, N_FEATURES))
    return numbers, (numbers[:, 0] + numbers[:, 1] * numbers[:, 2] > 0) ^ (rng.random(n) < NOISE)


def forms(numbers: Any, labels: Any) -> dict[str, Any]:
    """The table in every form, with names where the form has them."""
    columns = {f"x{number}": column for number, column in enumerate(numbers.T.copy())}
    return {
        "dataset": Dataset.from_frame(columns, labels),
        "array": numbers,
        "array, column by column": np.asfortranarray(numbers),
        "float32 array": numbers.astype(np.float32),
        "mapping of columns": columns,
        "pandas": pd.DataFrame(columns),
        "pandas of the array": pd.DataFrame(numbers, columns=list(columns)),
        "polars": pl.DataFrame(columns),
        "arrow": pa.table(columns),
    }


def main() -> None:
    """Time everything once a round, and print a line for each."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    numbers, labels = table(n)
    few = slice(0, 20_000)
    tree = grow(Dataset.from_rows(numbers[few], labels[few]), evolve(CART, stop=stop.max_depth(10)))
    theirs = DecisionTreeClassifier(max_depth=10).fit(numbers[few], labels[few])
    given = forms(numbers, labels)
    small = given["float32 array"]
    calls: dict[str, Callable[[], Any]] = {
        f"predict, {name}": lambda rows=rows: predict(tree, rows) for name, rows in given.items()
    }
    calls["apply, array"] = lambda: apply(tree, numbers)
    calls["scikit-learn, float64"] = lambda: theirs.predict(numbers)
    calls["scikit-learn, float32"] = lambda: theirs.predict(small)
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            processors, clock = process_time(), perf_counter()
            call()
            times[name].append((1000 * (process_time() - processors), 1000 * (perf_counter() - clock)))
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "pandas", "polars", "pyarrow", "scikit-learn"))
    print(f"Python {platform.python_version()}, {libraries}; {n} x {N_FEATURES}, milliseconds")
    medians = {name: [median(each) for each in zip(*taken, strict=True)] for name, taken in times.items()}
    whole, theirs_took = medians["predict, dataset"][0], medians["scikit-learn, float64"][0]
    print(f"{'':34} {'least':>8} {'median':>8} {'clock':>8} {'dataset':>8} {'sklearn':>8}")
    for name, (processors, clock) in medians.items():
        least = min(taken for taken, _ in times[name])
        print(f"{name:34} {least:8.1f} {processors:8.1f} {clock:8.1f} {processors / whole:8.2f} {theirs_took / processors:8.2f}")


if __name__ == "__main__":
    main()
