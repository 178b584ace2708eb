"""Regression trees beside scikit-learn's and YDF's, interleaved in one run, as `benchmarks/growth.py` does classification trees.

    python benchmarks/regression.py                     20,000 and 100,000 rows, three rounds each
    python benchmarks/regression.py all --rounds 1      500,000 rows as well
    python benchmarks/regression.py all --n-jobs 1      one thread each

The clock measures what a user waits for; on a busy machine compare the processor's seconds, which count all threads. Nodes
and errors on the training rows say whether the trees are equally good.
"""

import argparse
import os
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from statistics import median
from typing import Any

import numpy as np
from figures import keep
from growth import JOBS, has, ydf_nodes

from ftree import CART, Dataset, Tree, grow, n_nodes, predict
from ftree.stop import max_depth
from ftree.tree.nodes import root_of

SIZES = {"20k": 20_000, "100k": 100_000, "500k": 500_000}
DEPTHS = {"depth 8": 8, "grown out": None}
_WITH_NODES = "with nodes"


def table(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Twenty numeric features of which four matter, and noise: a tree that is grown out has a leaf for each row."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 20))
    return x, x[:, 0] + x[:, 1] * x[:, 2] + x[:, 3] / 2 + rng.normal(size=n) / 2


def growers(x: np.ndarray, y: np.ndarray, depth: int | None) -> dict[str, Callable[[], Any]]:
    """A function of each library that grows a tree."""
    dataset, policy = Dataset.from_rows(x, y), CART if depth is None else CART.stopping(max_depth(depth))

    def grown() -> Tree:
        return grow(dataset, policy, engine="compiled", n_jobs=JOBS[0])

    def with_nodes() -> Tree:
        tree = grown()
        root_of(tree)  # a large tree makes its nodes when they are asked for
        return tree

    runs: dict[str, Callable[[], Any]] = {"ftree": grown, _WITH_NODES: with_nodes}
    if has("scikit-learn"):
        tree = import_module("sklearn.tree")
        runs["scikit-learn"] = lambda: tree.DecisionTreeRegressor(max_depth=depth, random_state=0).fit(x, y)
    if has("ydf"):
        ydf = import_module("ydf")
        ydf.verbose(0)
        options = {"max_depth": -1 if depth is None else depth + 1, "min_examples": 1, "validation_ratio": 0.0}
        learner = ydf.CartLearner(label="y", task=ydf.Task.REGRESSION, num_threads=JOBS[0], **options)
        columns = {f"x{i}": x[:, i].copy() for i in range(x.shape[1])} | {"y": y}
        runs["ydf"] = lambda: learner.train(columns)
    return runs


def quality(name: str, tree: Any, x: np.ndarray, y: np.ndarray) -> str:
    """Nodes and the mean squared error on the training rows."""
    if name == "ydf":
        nodes, found = ydf_nodes(tree), tree.predict({f"x{i}": x[:, i].copy() for i in range(x.shape[1])})
    elif name in {"ftree", _WITH_NODES}:
        nodes, found = n_nodes(tree), predict(tree, x)
    else:
        nodes, found = tree.tree_.node_count, tree.predict(x)
    return f"{nodes:,} nodes, error {np.mean((found - y) ** 2):.4f}"


def contests(sizes: list[str]) -> Iterator[tuple[str, dict[str, Callable[[], Any]], Callable[[str, Any], str]]]:
    """The name of each case, the runs to time, and the quality of what each makes."""
    for size in sizes:
        x, y = table(SIZES[size])
        for name, depth in DEPTHS.items():
            yield f"{size}, {name}", growers(x, y, depth), lambda library, tree, x=x, y=y: quality(library, tree, x, y)
    x, y = table(1_000_000)
    trees = growers(x[:100_000], y[:100_000], None)
    ours, peers = trees.pop("ftree")(), {name: grown() for name, grown in trees.items() if name == "scikit-learn"}
    runs = {"ftree": lambda: predict(ours, x)} | {name: lambda tree=tree: tree.predict(x) for name, tree in peers.items()}
    yield "predict 1,000,000 rows", runs, lambda _, found: f"error {np.mean((found - y) ** 2):.4f}"


def measured(run: Callable[[], Any]) -> tuple[float, float, Any]:
    """Seconds by the clock and of the processor, and the result."""
    clock, processor = time.perf_counter(), time.process_time()
    made = run()
    return time.perf_counter() - clock, time.process_time() - processor, made


def main() -> None:
    """Run the cases asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", choices=[*SIZES, "all", []], default=[])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--n-jobs", type=int, default=JOBS[0])
    parser.add_argument("--figures", action="store_true", help="write what pages state: docs/figures.json")
    asked = parser.parse_args()
    JOBS[0] = asked.n_jobs
    sizes = list(SIZES) if "all" in asked.sizes else asked.sizes or ["20k", "100k"]
    print(f"{JOBS[0]} threads, load {os.getloadavg()}", flush=True)
    for case, runs, told in contests(sizes):
        runs["ftree"]()  # modules are loaded before the clock starts
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in runs}
        notes = {}
        for _ in range(asked.rounds):
            for name, run in runs.items():
                *spent, made = measured(run)
                times[name].append((spent[0], spent[1]))
                notes[name] = notes.get(name) or told(name, made)
                del made
        clock, processor = ({name: median(each[place] for each in times[name]) for name in runs} for place in (0, 1))
        figures: dict[str, Any] = {}
        for name, clocked in clock.items():
            ratios = clocked / clock["ftree"], processor[name] / processor["ftree"]
            print(f"{case:24} {name:13} {clocked:8.3f} s {ratios[0]:6.1f} x", end="   ")
            print(f"processor {processor[name]:8.3f} s {ratios[1]:6.1f} x   {notes[name]}", flush=True)
            spent, ratio = float(f"{processor[name]:.3g}"), float(f"{ratios[1]:.3g}")
            if name != _WITH_NODES:
                figures[name] = spent if name == "ftree" else [spent, ratio]
        keep("regression", {case: figures})
    print(f"load {os.getloadavg()}")


if __name__ == "__main__":
    main()
