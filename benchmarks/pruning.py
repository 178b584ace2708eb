"""How long each pass takes on a tree of 100,000 leaves that is made here: medians of processor time, with versions.

Timings decide nothing; this prints the timings. Run it with `make bench`.
"""

import platform
from collections import deque
from collections.abc import Callable
from statistics import median
from time import process_time

import numpy as np
import scipy

from ftree import Dataset, Feature, Leaf, Schema, Tree, gini, misclassification, prune, stop, unfold
from ftree.tree import Threshold

LEAVES = 100_000
REPEATS = 3


def balanced(leaves: int) -> tuple[Tree, Dataset]:
    """A balanced tree over the numbers from 0, with 0 to 5 cases of each class at a leaf, and these cases."""
    counts = np.random.default_rng(0).integers(0, 6, (leaves, 2))
    upto = np.vstack([[0, 0], counts.cumsum(axis=0)])

    def step(span: tuple[int, int]) -> object:
        low, high = span
        here = (upto[high] - upto[low]).tolist()
        middle = (low + high) // 2
        return Leaf(here) if high - low == 1 else (here, Threshold(0, middle - 0.5), [(low, middle), (middle, high)])

    schema = Schema([Feature("x", "numeric")], "class", ("a", "b"))
    rows = np.repeat(np.arange(leaves, dtype=float), counts.sum(axis=1))
    labels = np.concatenate([np.repeat([0, 1], pair) for pair in counts])
    return Tree(schema, unfold((0, leaves), step)), Dataset(schema, [rows], labels)


def seconds(work: Callable[[], object]) -> float:
    """The median of a few runs."""
    taken = []
    for _ in range(REPEATS):
        start = process_time()
        work()
        taken.append(process_time() - start)
    return median(taken)


def main() -> None:
    """Print a line for each pass."""
    tree, data = balanced(LEAVES)
    held_out = data.take(np.random.default_rng(1).permutation(len(data))[: len(data) // 4])
    passes = [
        prune.chi_squared(),
        prune.collapse(),
        prune.cost_complexity(1e-6),
        prune.cost_complexity(1e-6, risk=gini),
        prune.critical_value(0.1),
        prune.error_based(),
        prune.error_based(collapse=True),
        prune.error_based(raise_with=data),
        prune.mdl(),
        prune.minimum_error(),
        prune.minimum_error(m=2),
        prune.pessimistic(),
        prune.purity(0.9),
        prune.reduced_error(held_out),
        prune.reduced_error(held_out, order="best_first"),
        prune.trim(stop.max_depth(12)),
        prune.trim(stop.max_leaves(10_000)),
    ]
    print(f"Python {platform.python_version()}, numpy {np.__version__}, scipy {scipy.__version__}, {platform.machine()}")
    print(f"{LEAVES} leaves, {len(data)} cases; median of {REPEATS} runs, in seconds")
    for pass_ in passes:
        print(f"{seconds(lambda pass_=pass_: pass_(tree)):6.2f}  {str(pass_)[:100]}")
    for risk in (gini, misclassification):
        took = seconds(lambda risk=risk: deque(prune.cost_complexity_path(tree, risk=risk), maxlen=0))
        print(f"{took:6.2f}  the whole cost_complexity_path, risk={risk.__name__}")


if __name__ == "__main__":
    main()
