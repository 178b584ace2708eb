"""Growing from encoded columns on disk, beside the compiled engine in memory where the table fits.

`python benchmarks/scan.py 10_000_000` takes some minutes and 2 GB of disk; the default is 1,000,000 rows of 20 numbers.
Times are wall seconds and processor seconds. Run `python -m ftree.compile` first.
"""

import resource
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import numpy as np

from ftree import ID3, Dataset, grow
from ftree.scan import encode_to, open_encoded
from ftree.scan.batches import Batches
from ftree.stop import max_depth, min_rows

FEATURES, BATCH, BINS, DEPTH = 20, 1_000_000, 60_000, 8
# A table of more rows is not grown in memory as well.
MOST = 2_000_000


def batches(n_rows: int, signal: float) -> Batches:
    """A table of normal numbers; a label that follows three of them, or none where `signal` is 0."""
    names = [f"x{number}" for number in range(FEATURES)]

    def read() -> Iterator[dict[str, object]]:
        for begin in range(0, n_rows, BATCH):
            random = np.random.default_rng(begin)
            numbers = random.normal(size=(FEATURES, min(BATCH, n_rows - begin)))
            score = signal * (numbers[0] + numbers[1] * numbers[2]) + random.normal(size=numbers.shape[1])
            yield dict(zip(names, numbers, strict=True)) | {"class": (score > 0).astype(np.int64)}

    return Batches((*names, "class"), read)


def timed(what: str, work: object) -> object:
    """Do some work, and print how long it took."""
    began, used = perf_counter(), process_time()
    result = work()  # type: ignore[operator]  # a function
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  {what:<44}{perf_counter() - began:8.2f} s {process_time() - used:8.2f} s of processor time, peak {peak:,.0f} MB")
    return result


def measure(folder: Path, n_rows: int, signal: float) -> None:
    """Print a line for each way to grow from one table."""
    table, shallow = batches(n_rows, signal), ID3.stopping(max_depth(DEPTH))
    timed("generate twice, survey, encode", lambda: encode_to(table, folder, bins=BINS))
    source = open_encoded(folder)
    grown = timed(f"grow to depth {DEPTH} from codes", lambda: grow(source, shallow))
    if signal:
        timed("grow to min_rows(1000), memory='1GB'", lambda: grow(source, ID3.stopping(min_rows(1000)), memory="1GB"))
    if n_rows <= MOST:
        parts = [dict(part) for part in table.read()]
        whole = Dataset.from_columns({key: np.concatenate([part[key] for part in parts]) for key in parts[0]})
        same = timed(f"grow to depth {DEPTH} in memory", lambda: grow(whole, shallow)) == grown
        print("  the same tree" if same else "  ANOTHER TREE")


def main(n_rows: int) -> None:
    """Measure a table with a signal, and one of noise."""
    with TemporaryDirectory() as folder:
        for name, signal in (("signal", 1.0), ("noise", 0.0)):
            print(f"{n_rows:,} x {FEATURES}, {name}")
            measure(Path(folder) / name, n_rows, signal)


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000)
