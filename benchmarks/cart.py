"""CART with surrogates, and `cart()` with ten folds, beside R's rpart: medians, interleaved, with versions.

Processor time says how much work there is, the clock what a user waits: `cart()` takes its folds in as many threads as there
are processors, rpart in one. On a loaded machine only processor time says anything.

    python benchmarks/cart.py                 adult, a table of the size of letter, and that with a tenth of the cells missing;
                                              prices with ordered factors, counts in a time of their own with gaps and factors

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
from time import perf_counter, process_time
from typing import Any, TypeAlias

import numpy as np
from figures import keep

from ftree import CART, Dataset, cart, cart_policy, grow
from ftree.responses import events

ROUNDS = 3
# Processor seconds of all threads together, and seconds by the clock.
Times: TypeAlias = tuple[float, float]
SHARED = Path(os.environ.get("FTREE_SHARED", "../shared"))
R = """
library(rpart)
d <- read.csv("{file}", na.strings = c("", "?"), stringsAsFactors = TRUE, strip.white = TRUE)
for (name in grep("^rank", names(d), value = TRUE)) d[[name]] <- factor(d[[name]], ordered = TRUE)
names(d)[ncol(d)] <- "target"
control <- rpart.control({control})
spent <- system.time(rpart({target} ~ ., d, method = "{method}", control = control))
cat(sum(spent[1:2]), spent[3], "\\n")
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


def tables_of_sums() -> Iterator[tuple[str, Path, str]]:
    """Names, files and rpart's methods: prices of 50,000 diamonds, events of 7,800 people, whose measures are partly missing."""
    folder, random, n = Path(tempfile.mkdtemp()), np.random.default_rng(0), 50_000
    carat, ranks = np.round(np.exp(random.normal(-0.4, 0.6, n)).clip(0.2, 5), 2), [random.integers(0, k, n) for k in (5, 7, 8)]
    sizes = [np.round(6.5 * carat ** (1 / 3) + random.normal(0, 0.05, n), 2) for _ in range(3)]
    price = np.round(np.exp(7.6 + 1.7 * np.log(carat) + 0.08 * ranks[2] - 0.07 * ranks[1] + random.normal(0, 0.12, n)))
    columns = {"carat": carat, **{f"rank{i}": [f"r{code}" for code in rank] for i, rank in enumerate(ranks)}}
    columns |= {"depth": np.round(random.normal(61.7, 1.4, n), 1), **dict(zip("xyz", sizes, strict=True)), "price": price}
    yield "50,000 prices, 3 ordered factors", _written(folder / "prices.csv", columns), "anova"
    n = 7_800
    age, kappa, days = random.integers(50, 100, n), np.round(random.gamma(3, 0.5, n), 3), random.integers(1, 5200, n)
    sick, sex = np.round(random.gamma(10, 0.11, n), 1), random.choice(["F", "M"], n)
    rate = np.exp(-9.5 + 0.08 * (age - 60) + 0.2 * (sex == "M") + 0.25 * kappa + 0.3 * (sick > 1.3))  # noqa: PLR2004  # of creatinine
    group = np.where(random.random(n) < 0.4, "", random.choice([f"g{i}" for i in range(12)], n))  # noqa: PLR2004  # known of 60 %
    measured = ["" if gone else f"{value:g}" for value, gone in zip(sick, random.random(n) < 0.17, strict=True)]  # noqa: PLR2004
    columns = {
        "age": age,
        "sex": sex,
        "kappa": kappa,
        "sick": measured,
        "group": group,
        "days": days,
        "n": random.poisson(rate * days),
    }
    yield "7,800 counts with gaps", _written(folder / "counts.csv", columns), "poisson"


def _written(file: Path, columns: dict[str, Any]) -> Path:
    rows = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    file.write_text("\n".join([",".join(columns), *rows]) + "\n")
    return file


CASES: dict[str, tuple[Callable[[Dataset], object], str]] = {
    "CART, grown out": (lambda data: grow(data, CART), "minsplit = 2, minbucket = 1, cp = 0, xval = 0"),
    "cart(), ten folds, grown out": (cart, "minsplit = 2, minbucket = 1, cp = 0, xval = 10"),
    "cart(policy=cart_policy(), cp=0.01)": (lambda data: cart(data, policy=cart_policy(), cp=0.01), "xval = 10"),
}

KINDS = dict(zip(CASES, ("grown", "folds", "policy"), strict=True))


def read(file: Path, method: str) -> Dataset:
    """The table; ranks are ordered by their names, as factors of R are."""
    if method == "class":
        return Dataset.read_csv(file)
    response = events("days") if method == "poisson" else "numbers"
    ranks = {f"rank{i}": [f"r{code}" for code in range(k)] for i, k in enumerate((5, 7, 8))} if method == "anova" else {}
    return Dataset.read_csv(file, response=response, kinds=ranks)


def ours(run: Callable[[Dataset], object], data: Dataset) -> Times:
    """The times of one run."""
    start, clock = process_time(), perf_counter()
    run(data)
    return process_time() - start, perf_counter() - clock


TARGETS = {"class": "factor(target)", "anova": "target", "poisson": "cbind(days, target)"}


def rparts(file: Path, control: str, method: str) -> Times | None:
    """The times of one run of rpart; None where it is absent or fails."""
    if shutil.which("Rscript") is None:
        return None
    code = R.format(file=file, control=control, method=method, target=TARGETS[method])
    done = subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, check=False)  # noqa: S603, S607  # the peer
    if done.returncode:
        return None
    processor, clock = map(float, done.stdout.split()[-2:])
    return processor, clock


def main() -> None:
    """Print a line for each case of each table."""
    measured: dict[str, dict[str, object]] = {}
    versions = f"Python {platform.python_version()}, numpy {np.__version__}, {platform.machine()}"
    print(f"{versions}; median of {ROUNDS} rounds, in seconds: processor time, then the clock")
    if shutil.which("Rscript") is None:
        print("Rscript is not there, so rpart is not timed (apt install r-cran-rpart).", file=sys.stderr)
    for name, file, method in [*((*each, "class") for each in tables()), *tables_of_sums()]:
        data = read(file, method)
        for case, (run, control) in CASES.items():
            run(data)
            rounds = [(ours(run, data), rparts(file, control, method)) for _ in range(ROUNDS)]
            each = [_beside([mine[kind] for mine, _ in rounds], [peer[kind] for _, peer in rounds if peer]) for kind in range(2)]
            print(" | ".join(each), f" {name}: {case}", flush=True)
            if all(peer for _, peer in rounds):
                measured.setdefault(name, {})[KINDS[case]] = _figures(rounds)
    keep("cart", measured)


def _figures(rounds: list[tuple[Times, Times | None]]) -> dict[str, object]:
    """Our seconds by the clock; rpart's, and how many times as long it took, by the clock and by processor time."""
    mine, theirs = ([median(both[kind] for both in side) for kind in range(2)] for side in zip(*rounds, strict=True))
    return {"ftree": mine[1], "peer": [theirs[1], *(round(theirs[kind] / mine[kind], 1) for kind in (1, 0))]}


def _beside(mine: list[float], peer: list[float]) -> str:
    """Our median beside that of rpart."""
    beside = f"{median(peer):7.2f} rpart ({median(peer) / median(mine):.1f} times)" if peer else "rpart: none"
    return f"{median(mine):7.3f} {beside}"


if __name__ == "__main__":
    main()
