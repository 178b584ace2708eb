"""Optimal trees of this library, STreeD, GOSDT and ConTree, from the same features, in processor seconds, on one thread.

    python benchmarks/optimal.py [--limit 60] [table:depth:penalty ...]

Tables are those of the folder that FTREE_SHARED names, with binary features; `adult_numbers` has adult's five numeric
columns of up to 119 values, with all their thresholds. STreeD takes a penalty for each branch; a tree has one branch
less than leaves, so the trees are the same. GOSDT needs a penalty, and gets the least that it takes where there is none.
The library's time is that of the whole `optimal`: listing candidates, the search, and making the tree.

    pip install pystreed gosdt pycontree

installs the peers (1.4.0, 1.0.4 and 1.0.8); those that are absent are left out, and named. Each, and the library, runs in a
process of its own, which gets the table: so neither the memory of another nor that of reading the file is counted.
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

from ftree import Dataset, accuracy, look_ahead, optimal
from ftree.exact import Limits, errors, quantile_cuts
from ftree.exact.listed.problem import problem_of
from ftree.exact.task import SearchTask
from ftree.splitters import as_branch, one_value

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
    options = {"objective": errors(), "leaf_penalty": 0, "feature_costs": None, "min_leaf": 0, "max_candidates": 2000}
    splitters = one_value(), quantile_cuts(5)
    problem = problem_of(SearchTask(dataset=read, splitters=splitters, missing=as_branch(), **options))
    child = np.array([problem.child_of(number, slice(None)) for number in range(len(problem.splits))])
    even = np.argsort(-np.minimum(child.sum(axis=1), (1 - child).sum(axis=1)), kind="stable")
    chosen = child[np.sort(even[: MOST.get(name, len(child))])]
    columns = {f"b{number}": column for number, column in enumerate(chosen)}
    return Dataset.from_columns({**columns, "class": read.target_column.astype(str)}, target="class", kinds="nominal")


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
    return Dataset.from_columns({**kept, "class": read.target_column.astype(str)}, target="class")


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


def peak_memory() -> float:
    """The most megabytes that this process has had in memory, Python's included.

    `getrusage` would count the parent process, which had read the file, where Linux started this one from it.
    """
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    peak = next((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), None)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss if peak is None else peak) * 1024 / 1e6


def run_ours(table: Dataset, depth: int, penalty: float, limit: float, answer: Any) -> None:
    """Search in a process of its own, and send lines about the trees."""
    optimal(table.take(np.arange(0, len(table), 20)), max_depth=4, limits=Limits(states=9))  # loads modules
    limits = Limits(seconds=10 * limit)
    found, seconds = timed(lambda: optimal(table, max_depth=depth, leaf_penalty=penalty, limits=limits))
    memory = peak_memory()
    ahead, quick = timed(lambda: look_ahead(table, max_depth=depth, leaf_penalty=penalty))
    wrong = [round(len(table) * (1 - accuracy(tree, table))) for tree in (found.tree, ahead)]
    proof = "proved" if found.proved else f"at least {found.bound:.0f}"
    first = f"{seconds:8.3f} s  {wrong[0]} errors, {proof}, {found.states} states, {memory:.0f} MB with Python's"
    answer.send(f"{first}\n  look_ahead {quick:8.3f} s  {wrong[1]} errors")


def run_peer(peer: Callable[..., Any], table: Dataset, depth: int, penalty: float, limit: float, answer: Any) -> None:
    """Fit a peer in a process of its own, and send a line about its tree."""
    try:
        learner = peer(depth, penalty, limit)
    except ImportError as error:
        answer.send(f"not installed: {error}")
        return
    numeric = table.schema.features[0].kind == "numeric"
    kind = np.float64 if numeric else np.bool_ if peer is gosdt else np.int32
    rows, labels = np.array(table.columns).T.astype(kind), table.target_column.astype(np.int32)
    began = perf_counter()
    _, seconds = timed(lambda: learner.fit(rows, labels))
    late = perf_counter() - began >= limit  # peers look at the clock, which a loaded machine reaches early
    wrong = int((predicted(learner, rows) != labels).sum())
    proof = ", not proved" if late or not_converged(learner) else ""
    answer.send(f"{seconds:8.3f} s  {wrong} errors{proof}, {peak_memory():.0f} MB with Python's")


def answer_of(run: Callable[..., None], *arguments: Any, seconds: float) -> str:
    """What a function sends from a process of its own, or that it failed or took longer than it may."""
    ours, theirs = Pipe(duplex=False)
    process = get_context("spawn").Process(target=run, args=(*arguments, theirs))
    process.start()
    theirs.close()
    try:
        line = ours.recv() if ours.poll(seconds) else "not done in twice the limit"
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
        table, task = table_of(name), (int(depth), float(penalty), given.limit)
        print(f"{name} {len(table)} x {len(table.columns)}, depth {depth}, penalty {penalty}")
        print(f"  ftree      {answer_of(run_ours, table, *task, seconds=20 * given.limit)}", flush=True)
        peers = (("ConTree", contree),) if name.endswith("_numbers") else (("STreeD", streed), ("GOSDT", gosdt))
        for label, peer in () if given.alone else peers:
            line = answer_of(run_peer, peer, table, *task, seconds=2 * given.limit + 60)
            print(f"  {label:10} {line}", flush=True)


if __name__ == "__main__":
    main()
