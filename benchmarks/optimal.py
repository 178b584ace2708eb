"""Optimal trees of this library, STreeD and GOSDT, from the same binary features, in processor seconds, on one thread.

    python benchmarks/optimal.py [--limit 60] [table:depth:penalty ...]

Tables are those of the folder that FTREE_SHARED names. STreeD takes a penalty for each branch; a tree has one branch
less than leaves, so the trees are the same. The library's time is that of the whole `optimal`: listing candidates,
the search, and making the tree.
"""

import os
import resource
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from ftree import Dataset, accuracy, look_ahead, one_value, optimal
from ftree.exact import quantiles
from ftree.exact.candidates import AS_BRANCH
from ftree.exact.objectives import ERRORS
from ftree.exact.problem import problem_of

CASES = (
    "car:5:0",
    "tictactoe:5:0",
    "breast_cancer:5:0",
    "breast_cancer:5:0.01",
    "mushroom:5:0.01",
    "mushroom:5:0.002",
    "adult:3:0",
    "adult:4:0",
    "adult:5:0",
)
# As many features as the binary tables of the literature have.
MOST = {"adult": 87, "mushroom": 105, "breast_cancer": 41}


def binary(name: str) -> Dataset:
    """A table with a feature of two values for each candidate split: values of words, quintiles of numbers; the most even."""
    read = Dataset.read_csv(Path(os.environ.get("FTREE_SHARED", "../shared")) / "data" / f"{name}.csv").missing_as_value()
    options = {"objective": ERRORS, "leaf_penalty": 0, "feature_costs": None, "min_leaf": 0, "most": 2000}
    child = problem_of(read, (one_value(), quantiles(5)), missing=AS_BRANCH, **options).child
    even = np.argsort(-np.minimum(child.sum(axis=1), (1 - child).sum(axis=1)), kind="stable")
    chosen = child[np.sort(even[: MOST.get(name, len(child))])]
    columns = {f"b{number}": column for number, column in enumerate(chosen)}
    return Dataset.from_columns({**columns, "class": read.labels.astype(str)}, target="class", kinds="nominal")


def timed(run: Callable[[], Any]) -> tuple[Any, float]:
    """The result of a function, and its processor seconds."""
    began = process_time()
    answer = run()
    return answer, process_time() - began


def streed(table: Dataset, depth: int, penalty: float, limit: float) -> tuple[str, float]:
    """Errors of STreeD's tree, and its processor seconds."""
    from pystreed import STreeDClassifier  # noqa: PLC0415  # a peer that may be absent

    task = "cost-complex-accuracy" if penalty else "accuracy"
    learner = STreeDClassifier(task, max_depth=depth, cost_complexity=penalty, time_limit=limit)
    rows, labels = np.array(table.columns).T.astype(np.int32), table.labels.astype(np.int32)
    _, seconds = timed(lambda: learner.fit(rows, labels))
    return f"{int((learner.predict(rows) != labels).sum())} errors{'' if seconds < limit else ', not proved'}", seconds


def main() -> None:
    """Print a line for each case."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--alone", action="store_true", help="without peers")
    parser.add_argument("cases", nargs="*", default=CASES)
    given = parser.parse_args()
    optimal(binary("tictactoe"), max_depth=4)  # compiles
    for case in given.cases:
        name, depth, penalty = case.split(":")
        table, depth, penalty = binary(name), int(depth), float(penalty)
        found, seconds = timed(lambda: optimal(table, max_depth=depth, leaf_penalty=penalty, seconds=10 * given.limit))  # noqa: B023
        ahead, quick = timed(lambda: look_ahead(table, max_depth=depth, leaf_penalty=penalty))  # noqa: B023  # called here
        wrong = [round(len(table) * (1 - accuracy(tree, table))) for tree in (found.tree, ahead)]
        proof = "proved" if found.proved else f"at least {found.bound:.0f}"
        print(f"{name} {len(table)} x {len(table.columns)}, depth {depth}, penalty {penalty}")
        print(f"  ftree      {seconds:8.3f} s  {wrong[0]} errors, {proof}, {found.states} states")
        print(f"  look_ahead {quick:8.3f} s  {wrong[1]} errors")
        if not given.alone:
            answer, seconds = streed(table, depth, penalty, given.limit)
            print(f"  STreeD     {seconds:8.3f} s  {answer}", flush=True)
    print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
