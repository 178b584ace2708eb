"""The time to write a tree of 500 leaves as SVG, as a page, and in DOT: medians of processor time.

No test depends on timings; this prints the timings. Run it with `make bench`.
"""

import platform
from collections.abc import Callable
from statistics import median
from time import process_time

import numpy as np

from ftree import Dataset, Tree, draw, grow, n_leaves, page, prune, stop
from ftree.show import to_dot

LEAVES = 500
REPEATS = 5


def tree_of(leaves: int) -> Tree:
    """A tree grown on noise: six numbers, a colour, three classes."""
    random = np.random.default_rng(0)
    columns: dict[str, object] = {f"feature {number}": random.normal(size=4000) for number in range(6)}
    columns |= {"colour": random.choice(["red", "green", "blue"], 4000), "class": random.choice(["a", "b", "c"], 4000)}
    return prune.trim(stop.max_leaves(leaves))(grow(Dataset.from_columns(columns)))


def seconds(work: Callable[[], object]) -> float:
    """The median of a few runs."""
    taken = []
    for _ in range(REPEATS):
        start = process_time()
        work()
        taken.append(process_time() - start)
    return median(taken)


def main() -> None:
    """Print a line for each form."""
    tree = tree_of(LEAVES)
    path = tuple(prune.cost_complexity_path(tree))
    print(f"Python {platform.python_version()}; a tree of {n_leaves(tree)} leaves, a path of {len(path)} trees")
    forms = {
        "draw (SVG)": lambda: draw(tree),
        "draw, leaf_charts=True": lambda: draw(tree, leaf_charts=True),
        "page, with the path": lambda: page(tree, path=path),
        "to_dot": lambda: to_dot(tree),
    }
    for name, work in forms.items():
        print(f"{name:24} {1000 * seconds(work):6.0f} ms")


if __name__ == "__main__":
    main()
