"""A newcomer's first minute: importing, the first tree with nothing compiled, and the compilation for each further kind of table.

    python benchmarks/first_minute.py

Each line is measured in separate processes, and compiled code is kept in an empty folder that is deleted afterwards. "As a
user" is the wall time until the first tree, while code is compiled in the background; the other lines are the processor time
of one process that compiles at once, without the time of growing the tree a second time.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from statistics import median

from figures import keep

ROUNDS = 7
TABLE = """
import time, numpy as np
random = np.random.default_rng(0)
numbers = random.normal(size=(20_000, 20))
signal = numbers[:, 0] + numbers[:, 1] * numbers[:, 2] + random.normal(size=20_000)
labels = (signal > 0).astype(int)
from ftree import *
def table(columns=numbers, labels=labels, **options):
    return Dataset.from_frame(columns, labels, **options)
"""
IMPORT = "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"
FIRST = TABLE + "data = table(); start = time.perf_counter(); grow(data, CART); print(time.perf_counter() - start)"
CASES = {
    "20 numbers": "(table(), ID3)",
    "nominal values": "(table(np.digitize(numbers, [-1, 0, 1]), kinds='nominal'), ID3)",
    "weights": "(table(weights=random.integers(1, 4, 20_000)), ID3)",
    "missing values": "(table(np.where(random.random(numbers.shape) < 0.1, np.nan, numbers)), ID3)",
    "26 classes": "(table(labels=np.digitize(signal, np.linspace(-3, 3, 25))), ID3)",
    "C4.5": "(table(), C45)",
    "CART with surrogates": "(table(np.where(random.random(numbers.shape) < 0.1, np.nan, numbers)), CART)",
}
COMPILED = (
    TABLE
    + """
for name, case in CASES.items():
    data, policy = eval(case)
    spent = []
    for _ in range(2):
        start = time.process_time()
        grow(data, policy, n_jobs=1)
        spent.append(time.process_time() - start)
    print(f"{name:24}{spent[0] - spent[1]:8.1f} s to compile{1000 * spent[1]:10.0f} ms to grow")
"""
)

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


def first_loop(library: str, folder: str) -> list[tuple[int, float, float]]:
    """Rows, beginning and seconds of each growth of a library, with nothing compiled."""
    lines = said(f"LIBRARY = {library!r}\n{LOOP}", folder).splitlines()
    return [(int(n), float(start), float(seconds)) for n, start, seconds in map(str.split, lines)]


def print_loop() -> None:
    """Ten growths of each of two tables in a loop, beside scikit-learn: each growth, and sums of wall time."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as empty:
        ours, theirs = first_loop("ftree", empty), first_loop("scikit-learn", empty)
    print("rows x 20      begins at   ftree  scikit-learn (seconds)")
    for (n, start, seconds), (_, _, other) in zip(ours, theirs, strict=True):
        print(f"{n:8,}{start:15.1f}{seconds:8.2f}{other:10.2f}")
    print(f"sum of all{sum(each[2] for each in ours):21.2f}{sum(each[2] for each in theirs):10.2f}\n")


def said(code: str, folder: str, how: str = "background") -> str:
    """The output of a process that keeps compiled code in a folder."""
    environment = os.environ | {"NUMBA_CACHE_DIR": folder, "FTREE_COMPILE": how}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout  # noqa: S603  # ours


def seconds_of_imports(modules: str) -> Iterator[float]:
    """Seconds of importing modules, in one process each."""
    while True:
        yield float(said(IMPORT.format(modules), tempfile.gettempdir()))


def main() -> None:
    """Print the times of the first minute."""
    print(f"Python {sys.version.split()[0]}, ftrees {version('ftrees')}, numpy {version('numpy')}, numba {version('numba')}\n")
    pairs = zip(seconds_of_imports("ftree"), seconds_of_imports("numpy, attrs, toolz"), range(ROUNDS), strict=False)
    ours, parts = (median(times) for times in list(zip(*pairs, strict=True))[:2])
    print(f"import ftree {ours:.3f} s; numpy, attrs and toolz {parts:.3f} s: {ours / parts:.2f} times (median of {ROUNDS})")
    print_loop()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as empty:
        print(f"first tree, 20,000 x 20, as a user: {float(said(FIRST, empty)):.2f} s\n")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as empty:
        told = said(f"CASES = {CASES!r}\n{COMPILED}", empty, "now")
    print(told)
    keep("first_minute", {line[:24].strip(): float(line[24:].split()[0]) for line in told.splitlines()})


if __name__ == "__main__":
    main()
