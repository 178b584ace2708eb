"""Optimal trees of this library, STreeD, GOSDT and ConTree, from the same features, in processor seconds, on one thread.

    python benchmarks/optimal.py [--limit 60] [table:depth:penalty ...]

Tables are those of the folder that FTREE_SHARED names, with binary features; `adult_numbers` has adult's five numeric
columns of up to 119 values, with all their thresholds. STreeD takes a penalty for each branch; a tree has one branch
less than leaves, so the trees are the same. GOSDT needs a penalty, and gets the least that it takes where there is none.
The library's time is that of the whole `optimal`: listing candidates, the search, and making the tree.

    pip install pystreed gosdt pycontree

installs the peers (1.4.0, 1.0.4 and 1.0.8); those that are absent are left out, and named. Each runs in a process of its
own, so that the memory of one is not counted for another.
"""

import os
import resource
from argparse import ArgumentParser
from collections.abc import Callable
from multiprocessing import Pipe, get_context
from pathlib import Path
from time import perf_counter, process_time
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
    "adult_numbers:3:0",
    "adult_numbers:4:0",
)
# As many features as the binary tables of the literature have.
MOST = {"adult": 87, "mushroom": 105, "breast_cancer": 41}
# Numeric columns have fewer distinct values than this.
FEW = 1000
LEAST_PENALTY = 1e-6


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


def numbers(name: str) -> Dataset:
    """The numeric columns of a table that have few distinct values."""
    read = Dataset.read_csv(Path(os.environ.get("FTREE_SHARED", "../shared")) / "data" / f"{name}.csv")
    kept = {
        feature.name: read[feature.name]
        for feature, column in zip(read.schema.features, read.columns, strict=True)
        if feature.kind == "numeric" and len(np.unique(column)) < FEW
    }
    return Dataset.from_columns({**kept, "class": read.labels.astype(str)}, target="class")


def table_of(name: str) -> Dataset:
    """The table of a case."""
    return numbers(name.removesuffix("_numbers")) if name.endswith("_numbers") else binary(name)


def streed(depth: int, penalty: float, limit: float) -> Any:
    """STreeD's learner."""
    from pystreed import STreeDClassifier  # noqa: PLC0415  # a peer that may be absent

    task = "cost-complex-accuracy" if penalty else "accuracy"
    return STreeDClassifier(task, max_depth=depth, cost_complexity=penalty, time_limit=limit)


def gosdt(depth: int, penalty: float, limit: float) -> Any:
    """GOSDT's learner."""
    from gosdt import GOSDTClassifier  # noqa: PLC0415  # as above

    return GOSDTClassifier(penalty or LEAST_PENALTY, allow_small_reg=True, depth_budget=depth, time_limit=int(limit))


def contree(depth: int, _: float, limit: float) -> Any:
    """ConTree's learner."""
    from pycontree import ConTree  # noqa: PLC0415  # as above

    return ConTree(max_depth=depth, time_limit=limit)


def predicted(learner: Any, rows: np.ndarray) -> np.ndarray:
    """A peer's predictions; GOSDT 1.0.4 checks rows in a way that scikit-learn 1.8 no longer has, so its tree is asked."""
    return np.asarray(learner.trees_[0].predict(rows) if hasattr(learner, "trees_") else learner.predict(rows))


def not_converged(learner: Any) -> bool:
    """Whether GOSDT says that it stopped before a proof."""
    result = getattr(learner, "result_", None)
    return result is not None and not str(result.status).endswith(".CONVERGED")


def run_peer(peer: Callable[..., Any], case: str, limit: float, answer: Any) -> None:
    """Fit a peer in a process of its own, and send a line about its tree."""
    name, depth, penalty = case.split(":")
    table = table_of(name)
    try:
        learner = peer(int(depth), float(penalty), limit)
    except ImportError as error:
        answer.send(f"not installed: {error}")
        return
    kind = np.float64 if name.endswith("_numbers") else np.bool_ if peer is gosdt else np.int32
    rows, labels = np.array(table.columns).T.astype(kind), table.labels.astype(np.int32)
    began = perf_counter()
    _, seconds = timed(lambda: learner.fit(rows, labels))
    late = perf_counter() - began >= limit  # peers look at the clock, which a loaded machine reaches early
    wrong = int((predicted(learner, rows) != labels).sum())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    proof = ", not proved" if late or not_converged(learner) else ""
    answer.send(f"{seconds:8.3f} s  {wrong} errors{proof}, {memory / 1024:.0f} MB with Python's")


def ask_peer(peer: Callable[..., Any], case: str, limit: float) -> str:
    """The line of a peer, or that it failed or took twice as long as it may."""
    ours, theirs = Pipe(duplex=False)
    process = get_context("spawn").Process(target=run_peer, args=(peer, case, limit, theirs))
    process.start()
    theirs.close()
    try:
        line = ours.recv() if ours.poll(2 * limit + 60) else "not done in twice the limit"
    except EOFError:
        line = "ended without an answer"
    process.kill()
    process.join()
    return str(line)


def main() -> None:
    """Print a line for each case."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--alone", action="store_true", help="without peers")
    parser.add_argument("cases", nargs="*", default=CASES)
    given = parser.parse_args()
    for case in given.cases:
        name, depth, penalty = case.split(":")
        table, depth, penalty = table_of(name), int(depth), float(penalty)
        optimal(table.take(np.arange(0, len(table), 20)), max_depth=4, states=9)  # compiles
        found, seconds = timed(lambda: optimal(table, max_depth=depth, leaf_penalty=penalty, seconds=10 * given.limit))  # noqa: B023
        ahead, quick = timed(lambda: look_ahead(table, max_depth=depth, leaf_penalty=penalty))  # noqa: B023  # called here
        wrong = [round(len(table) * (1 - accuracy(tree, table))) for tree in (found.tree, ahead)]
        proof = "proved" if found.proved else f"at least {found.bound:.0f}"
        print(f"{name} {len(table)} x {len(table.columns)}, depth {depth}, penalty {penalty}")
        print(f"  ftree      {seconds:8.3f} s  {wrong[0]} errors, {proof}, {found.states} states")
        print(f"  look_ahead {quick:8.3f} s  {wrong[1]} errors")
        if not given.alone:
            for label, peer in (("ConTree", contree),) if name.endswith("_numbers") else (("STreeD", streed), ("GOSDT", gosdt)):
                print(f"  {label:10} {ask_peer(peer, case, given.limit)}", flush=True)
    print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
