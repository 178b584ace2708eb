"""How long the plain engine takes on tables that are generated here: medians of interleaved runs, with versions.

Timings decide nothing; this prints the timings. Run it with `make bench`.
"""

import platform
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from statistics import median
from time import perf_counter

import numpy as np
import scipy
from attrs import evolve

from ftree import CART, ID3, Dataset, Tree, grow, n_leaves, predict, prune
from ftree.stop import pure

REPEATS = 7


def nominal(rows: int, features: int, values: int, classes: int, noise: float) -> Dataset:
    """A table of nominal values whose class depends on the first three features, and on chance."""
    rng = np.random.default_rng(0)
    cells = rng.integers(0, values, (rows, features))
    labels = np.where(rng.random(rows) < noise, rng.integers(0, classes, rows), cells[:, :3].sum(axis=1) % classes)
    columns = {f"x{number}": cells[:, number] for number in range(features)}
    return Dataset.from_columns(columns | {"y": labels}, target="y", kinds="nominal")


def numeric(rows: int, features: int) -> Dataset:
    """A table of normal numbers with a curved border between two classes."""
    rng = np.random.default_rng(0)
    cells = rng.normal(size=(rows, features))
    labels = (cells[:, 0] ** 2 + cells[:, 1] + rng.normal(size=rows) / 2 > 1).astype(int)
    return Dataset.from_columns({f"x{number}": cells[:, number] for number in range(features)} | {"y": labels}, target="y")


def endgames() -> Dataset:
    """Every way to fill a board of noughts and crosses with five crosses and four noughts, won by the crosses or not."""
    lines = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
    boards = [board for board in product("xo", repeat=9) if board.count("x") == 5]  # noqa: PLR2004  # crosses begin
    return Dataset.from_rows(boards, [any(all(board[place] == "x" for place in line) for line in lines) for board in boards])


def import_time() -> float:
    """Seconds that `import ftree` takes in a new process, beyond starting Python."""
    code = "from time import perf_counter; start = perf_counter(); import ftree; print(perf_counter() - start)"
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)  # noqa: S603  # our own code


def timed(work: Callable[[], object]) -> float:
    """Seconds of one run."""
    start = perf_counter()
    work()
    return perf_counter() - start


def cases() -> dict[str, Callable[[], object]]:
    """What is timed, by name; each is run once beforehand."""
    votes, mushrooms, digits = nominal(232, 16, 2, 2, 0.05), nominal(8124, 22, 6, 2, 0.0), nominal(1593, 256, 2, 10, 0.0)
    games, normal = endgames(), numeric(5000, 10)
    out = evolve(CART, stop=pure())
    tree: Tree = grow(normal, out)
    held_out = numeric(5000, 10).shuffle(seed=1).take(range(2500))
    return {
        "grow ID3, 232 x 16 nominal, 2 classes": lambda: grow(votes, ID3),
        "grow ID3, 8124 x 22 nominal, 2 classes": lambda: grow(mushrooms, ID3),
        "grow ID3, 126 x 9 endgames": lambda: grow(games, ID3),
        "grow ID3, 1593 x 256 nominal, 10 classes": lambda: grow(digits, ID3),
        "grow CART, 5000 x 10 numeric, grown out": lambda: grow(normal, out),
        f"predict 5000 rows, {n_leaves(tree)} leaves": lambda: predict(tree, normal),
        f"reduced error, {n_leaves(tree)} leaves, 2500 rows": lambda: prune.reduced_error(held_out)(tree),
        "import ftree, new process": import_time,
    }


def main() -> None:
    """Print the table."""
    print(f"Python {platform.python_version()}, numpy {np.__version__}, scipy {scipy.__version__}, {platform.machine()}")
    todo = cases()
    for work in todo.values():
        work()
    times: dict[str, list[float]] = {name: [] for name in todo}
    for _ in range(REPEATS):
        for name, work in todo.items():
            times[name].append(import_time() if work is import_time else timed(work))
    print(f"{'milliseconds':48} {'median':>8} {'least':>8} {'most':>8}")
    for name, seconds in times.items():
        print(f"{name:48} {1e3 * median(seconds):8.1f} {1e3 * min(seconds):8.1f} {1e3 * max(seconds):8.1f}")


if __name__ == "__main__":
    main()
