"""CART with surrogates, and `cart()` with ten folds, beside R's rpart: medians of processor time, interleaved, with versions.

    python benchmarks/cart.py                 adult, a table of the size of letter, and that with a tenth of the cells missing

Rscript and rpart are needed for the peer (`apt install r-cran-rpart`); without them the benchmark says so. Each run of
rpart has a process of its own, which tells its processor time without that of reading the table.
"""

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import process_time

import numpy as np

from ftree import CART, Dataset, cart, cart_policy, grow
from ftree.compile import compile_kernels

ROUNDS = 3
SHARED = Path(os.environ.get("FTREE_SHARED", "../shared"))
R = """
library(rpart)
d <- read.csv("{file}", na.strings = c("", "?"), stringsAsFactors = TRUE, strip.white = TRUE)
d[[ncol(d)]] <- factor(d[[ncol(d)]])
names(d)[ncol(d)] <- "target"
control <- rpart.control({control})
cat(sum(system.time(rpart(target ~ ., d, method = "class", control = control))[1:2]), "\\n")
"""


def tables() -> Iterator[tuple[str, Path]]:
    """Names and files; the generated ones have 16 numbers from 0 to 15 and 26 classes."""
    adult = SHARED / "data" / "adult.csv"
    if adult.exists():
        yield "adult, 32,561 x 14", adult
    folder = Path(tempfile.mkdtemp())
    random = np.random.default_rng(0)
    centres, classes = random.uniform(2, 13, (26, 16)), random.integers(0, 26, 20_000)
    cells = np.clip(np.round(random.normal(centres[classes], 2.5)), 0, 15)
    for name, gone in (("20,000 x 16, 26 classes", 0.0), ("the same, a tenth missing", 0.1)):
        table = np.where(random.random(cells.shape) < gone, np.nan, cells)
        lines = [",".join(["" if np.isnan(cell) else f"{cell:g}" for cell in row]) for row in table]
        file = folder / f"letters{gone}.csv"
        header = ",".join([*(f"x{i}" for i in range(16)), "class"])
        file.write_text("\n".join([header, *(f"{line},c{label}" for line, label in zip(lines, classes, strict=True))]) + "\n")
        yield name, file


CASES: dict[str, tuple[Callable[[Dataset], object], str]] = {
    "CART, grown out": (lambda data: grow(data, CART), "minsplit = 2, minbucket = 1, cp = 0, xval = 0"),
    "cart(), ten folds, grown out": (cart, "minsplit = 2, minbucket = 1, cp = 0, xval = 10"),
    "cart(policy=cart_policy(), cp=0.01)": (lambda data: cart(data, policy=cart_policy(), cp=0.01), "xval = 10"),
}


def ours(run: Callable[[Dataset], object], data: Dataset) -> float:
    """Processor seconds of one run, all threads together."""
    start = process_time()
    run(data)
    return process_time() - start


def rparts(file: Path, control: str) -> float | None:
    """Processor seconds of one run of rpart; None where it is absent or fails."""
    if shutil.which("Rscript") is None:
        return None
    code = R.format(file=file, control=control)
    done = subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, check=False)  # noqa: S603, S607  # the peer
    return float(done.stdout.split()[-1]) if done.returncode == 0 else None


def main() -> None:
    """Print a line for each case of each table."""
    compile_kernels()
    print(
        f"Python {platform.python_version()}, numpy {np.__version__}, {platform.machine()}; median of {ROUNDS} rounds, in seconds"
    )
    if shutil.which("Rscript") is None:
        print("Rscript is not there, so rpart is not timed (apt install r-cran-rpart).", file=sys.stderr)
    for name, file in tables():
        data = Dataset.read_csv(file)
        for case, (run, control) in CASES.items():
            run(data)
            rounds = [(ours(run, data), rparts(file, control)) for _ in range(ROUNDS)]
            mine = median([each for each, _ in rounds])
            peer = [each for _, each in rounds if each is not None]
            beside = f"{median(peer):7.2f} rpart ({median(peer) / mine:.1f} times)" if peer else "rpart: none"
            print(f"{mine:7.3f}  {beside}  {name}: {case}", flush=True)


if __name__ == "__main__":
    main()
