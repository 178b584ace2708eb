"""A newcomer's first minute: importing, ten growths in a loop, and the first tree of a process beside the second one.

    python benchmarks/first_minute.py

Each line is measured in separate processes, in seconds by the clock.
"""

import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from statistics import median

ROUNDS = 7
TABLE = """
import time, numpy as np
random = np.random.default_rng(0)
numbers = random.normal(size=(ROWS, 20))
signal = numbers[:, 0] + numbers[:, 1] * numbers[:, 2] + random.normal(size=ROWS)
labels = (signal > 0).astype(int)
from ftree import *
def table(columns=numbers, labels=labels, **options):
    return Dataset.from_frame(columns, labels, **options)
"""
IMPORT = "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"
CASES = {
    "numbers": "(table(), ID3)",
    "nominal values": "(table(np.digitize(numbers, [-1, 0, 1]), kinds='nominal'), ID3)",
    "weights": "(table(weights=random.integers(1, 4, ROWS)), ID3)",
    "missing values": "(table(np.where(random.random(numbers.shape) < 0.1, np.nan, numbers)), ID3)",
    "26 classes": "(table(labels=np.digitize(signal, np.linspace(-3, 3, 25))), ID3)",
    "C4.5": "(table(), C45)",
    "CART with surrogates": "(table(np.where(random.random(numbers.shape) < 0.1, np.nan, numbers)), CART)",
}
TWICE = """
data, policy = {}
for _ in range(2):
    start = time.perf_counter()
    grow(data, policy)
    print(time.perf_counter() - start)
"""

# Both tables in turn, as a newcomer tries them; each line says when a growth began and how long it took.
LOOP = """
import sys, time, warnings, numpy as np
tables = {}
for n in (20_000, 100_000):
    random = np.random.default_rng(n)
    numbers = random.normal(size=(n, 20))
    tables[n] = numbers, (numbers[:, 0] + numbers[:, 1] * numbers[:, 2] + random.normal(size=n) > 0).astype(int)
began = time.perf_counter()
if LIBRARY == "ftree":
    from ftree import CART, Dataset, grow
    def fit(numbers, labels):
        grow(Dataset.from_frame(numbers, labels), CART)
else:
    from sklearn.tree import DecisionTreeClassifier
    def fit(numbers, labels):
        DecisionTreeClassifier(random_state=0).fit(numbers, labels)
for _ in range(10):
    for n, table in tables.items():
        start = time.perf_counter()
        fit(*table)
        print(n, start - began, time.perf_counter() - start)
"""


def first_loop(library: str) -> list[tuple[int, float, float]]:
    """Rows, beginning and seconds of each growth of a library in a new process."""
    lines = said(f"LIBRARY = {library!r}\n{LOOP}").splitlines()
    return [(int(n), float(start), float(seconds)) for n, start, seconds in map(str.split, lines)]


def print_loop() -> None:
    """Ten growths of each of two tables in a loop, beside scikit-learn: each growth, and sums of wall time."""
    ours, theirs = first_loop("ftree"), first_loop("scikit-learn")
    print("rows x 20      begins at   ftree  scikit-learn (seconds)")
    for (n, start, seconds), (_, _, other) in zip(ours, theirs, strict=True):
        print(f"{n:8,}{start:15.1f}{seconds:8.2f}{other:10.2f}")
    print(f"sum of all{sum(each[2] for each in ours):21.2f}{sum(each[2] for each in theirs):10.2f}\n")


def print_first_and_second(n: int) -> None:
    """The first and the second growth of a process, for each kind of table."""
    for name, case in CASES.items():
        pairs = [said(f"ROWS = {n}\n{TABLE}{TWICE.format(case)}").split() for _ in range(ROUNDS)]
        first, second = (median(map(float, times)) for times in zip(*pairs, strict=True))
        print(f"{n:8,} x 20 {name:24}{first:8.3f}{second:8.3f} s: {first / second:.2f} times")


def said(code: str) -> str:
    """The output of a new process."""
    return subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True).stdout  # noqa: S603  # ours


def seconds_of_imports(modules: str) -> Iterator[float]:
    """Seconds of importing modules, in one process each."""
    while True:
        yield float(said(IMPORT.format(modules)))


def main() -> None:
    """Print the times of the first minute."""
    print(f"Python {sys.version.split()[0]}, ftrees {version('ftrees')}, numpy {version('numpy')}; medians of {ROUNDS}\n")
    pairs = zip(seconds_of_imports("ftree"), seconds_of_imports("numpy, attrs, toolz"), range(ROUNDS), strict=False)
    ours, parts = (median(times) for times in list(zip(*pairs, strict=True))[:2])
    print(f"import ftree {ours:.3f} s; numpy, attrs and toolz {parts:.3f} s: {ours / parts:.2f} times")
    print_loop()
    for n in (20_000, 200_000):
        print_first_and_second(n)


if __name__ == "__main__":
    main()
