"""Reading files: `Dataset.read` against pyarrow's own reading, in turns, with peak memory, each in a process of its own.

The table has 500,000 rows of 20 numbers and a label: 77 MB as CSV, 80 MB in memory. It prints medians of seconds on the clock and
of the processors, and peak memory in megabytes and as a multiple of the table; then how many times as long ours takes. Each
process reads a file of a few rows first, so that loading modules and starting threads is counted for neither.
"""

import platform
import resource
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np

ROWS, FEW, COLUMNS, ROUNDS = 500_000, 100, 20, 3
LIBRARIES = ("numpy", "pyarrow")
TABLE = ROWS * (8 * COLUMNS + 1) / 1e6
CASES = ("table.csv", "table.parquet")


def write(folder: Path) -> None:
    """Write the table as CSV and as Parquet."""
    import pyarrow.csv  # noqa: PLC0415  # only for the files
    import pyarrow.parquet  # noqa: PLC0415  # as above

    table = np.random.default_rng(0).normal(size=(ROWS, COLUMNS)).round(4)
    labels = np.where(table[:, 0] > 0, "yes", "no")
    columns = {f"x{number}": column for number, column in enumerate(table.T)} | {"label": labels}
    for stem, rows in (("table", ROWS), ("few", FEW)):
        part = pyarrow.table(columns).slice(0, rows)
        pyarrow.csv.write_csv(part, folder / f"{stem}.csv")
        pyarrow.parquet.write_table(part, folder / f"{stem}.parquet")


def read(reader: str, path: str) -> str:
    """Seconds of the clock and of the processors, and megabytes of memory, for one reading."""
    from pyarrow import csv, parquet  # noqa: PLC0415  # loaded before memory is measured

    from ftree import Dataset  # noqa: PLC0415  # as above

    def memory() -> float:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    def read_file(path: str) -> None:
        if reader == "ftree":
            Dataset.read(path, **({"engine": "pyarrow"} if path.endswith("csv") else {}))
        elif path.endswith("csv"):
            csv.read_csv(path)
        else:
            parquet.read_table(path)

    read_file(str(Path(path).with_stem("few")))
    before, clock, processors = memory(), time.perf_counter(), time.process_time()
    read_file(path)
    return f"{time.perf_counter() - clock} {time.process_time() - processors} {memory() - before}"


def main() -> None:
    """Print the medians of some rounds."""
    with tempfile.TemporaryDirectory() as folder:
        # In a process of its own, since a process's peak memory begins with that of its parent.
        subprocess.run([sys.executable, __file__, folder], check=True)  # noqa: S603  # this file
        print(f"Python {platform.python_version()}; " + ", ".join(f"{name} {version(name)}" for name in LIBRARIES))
        for name in CASES:
            path = str(Path(folder, name))
            found: dict[str, list[list[float]]] = {"pyarrow": [], "ftree": []}
            for _ in range(ROUNDS):
                for reader, rows in found.items():
                    command = [sys.executable, __file__, reader, path]
                    answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603  # this file
                    rows.append(list(map(float, answer.split())))
            medians = {reader: np.median(rows, axis=0) for reader, rows in found.items()}
            for reader, (wall, cpu, memory) in medians.items():
                sizes = f"{memory:4.0f} MB, {memory / TABLE:4.2f} of the table"
                print(f"{name:13} {reader:7} {wall:6.2f} s, {cpu:5.2f} s of processors, {sizes}")
            wall, cpu, _ = medians["ftree"] / medians["pyarrow"]
            print(f"{name:13} ratio   {wall:6.2f},   {cpu:5.2f}")


if __name__ == "__main__":
    match sys.argv[1:]:
        case [folder]:
            write(Path(folder))
        case [reader, path]:
            print(read(reader, path))
        case _:
            main()
