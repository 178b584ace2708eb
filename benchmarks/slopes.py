"""How the cost of growth rises with rows, features, classes and depth: processor time of one thread, fitted and plotted.

    python benchmarks/slopes.py                                 a minute or so
    python benchmarks/slopes.py --most-rows 10000000            needs 6 GB
    python benchmarks/slopes.py --plot docs/pictures/growth_slopes.png --json slopes.json

Processor time and not the clock's, so that other processes matter less; the least of three rounds, which go over all sizes
in turn. A slope is that of a straight line through logarithms: 1 where twice as much costs twice as long.
"""

import argparse
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from ftree import ID3, Dataset, grow
from ftree.stop import max_depth

# More rows than these are grown once only.
_OFTEN = 1_000_000


def table(n: int = 100_000, n_features: int = 20, n_classes: int = 2) -> Dataset:
    """Numeric features of which four matter, classes of equal size, noise: a tree that is grown out is deep."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n_features, n))
    signal = x[0] + x[1] * x[2] + x[3] / 2 + rng.normal(size=n) / 2
    y = np.searchsorted(np.quantile(signal, np.arange(1, n_classes) / n_classes), signal)
    return Dataset.from_columns({f"x{i}": column for i, column in enumerate(x)} | {"y": y}, target="y")


def grown(dataset: Dataset, depth: int | None = None) -> Callable[[], object]:
    """Growth by entropy, on one thread, to a depth or until nothing is left to gain."""
    policy = ID3 if depth is None else ID3.stopping(max_depth(depth))
    return lambda: grow(dataset, policy, engine="compiled", n_jobs=1)


def series(most_rows: int) -> Iterator[tuple[str, list[int], Callable[[int], Callable[[], object]], int]]:
    """What is varied, its values, how to grow for one of them, and how many rounds."""
    rows = [n for n in (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000) if n <= most_rows]
    yield "rows", [n for n in rows if n <= _OFTEN], lambda n: grown(table(n)), 3
    if rows[-1] > _OFTEN:
        yield "rows", [n for n in rows if n > _OFTEN], lambda n: grown(table(n)), 1
    yield "features", [5, 10, 20, 40, 80], lambda n: grown(table(n_features=n)), 3
    yield "classes", [2, 4, 8, 16, 32, 64], lambda n: grown(table(n_classes=n)), 3
    same = table(200_000)
    yield "depth", [1, 2, 4, 8, 12, 16, 24], lambda n: grown(same, n), 3


def least_seconds(values: list[int], make: Callable[[int], Callable[[], object]], rounds: int) -> list[float]:
    """The least processor time for each value; rounds go over all of them in turn."""
    least = dict.fromkeys(values, float("inf"))
    for _ in range(rounds):
        for value in values:
            run = make(value)
            start = time.process_time()
            run()
            least[value] = min(least[value], time.process_time() - start)
    return list(least.values())


def slope(values: list[int], seconds: list[float]) -> float:
    """That of the line through the logarithms."""
    return float(np.polyfit(np.log(values), np.log(seconds), 1)[0])


def plot(found: dict[str, tuple[list[int], list[float]]], path: Path) -> None:
    """One panel for each thing varied: points, and the line through their logarithms."""
    import matplotlib as mpl  # noqa: PLC0415  # only where a picture is asked for

    mpl.use("Agg")
    import matplotlib.pyplot as plt  # noqa: PLC0415  # as above

    figure, panels = plt.subplots(1, len(found), figsize=(4.2 * len(found), 3.4), layout="constrained")
    for panel, (name, (values, seconds)) in zip(panels, found.items(), strict=True):
        steepness, level = np.polyfit(np.log(values), np.log(seconds), 1)
        panel.loglog(values, np.exp(level) * np.array(values, float) ** steepness, color="#bbbbbb", linewidth=3)
        panel.loglog(values, seconds, "o", color="#1b6ca8")
        panel.set(title=f"{name}: slope {steepness:.2f}", xlabel=name)
        panel.set_xticks(values, [f"{value:,}" if value < 10**4 else f"{value:.0e}".replace("e+0", "e") for value in values])
        panel.set_xticks([], minor=True)
        panel.yaxis.set_major_formatter("{x:g}")
        panel.yaxis.set_minor_formatter("" if max(seconds) > 10 * min(seconds) else "{x:g}")
        panel.grid(visible=True, which="major", alpha=0.3)
    panels[0].set_ylabel("seconds, one thread")
    figure.savefig(path, dpi=110)


def main() -> None:
    """Measure, print, and draw where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most-rows", type=int, default=1_000_000)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    grown(table(1000))()  # loads modules
    found: dict[str, tuple[list[int], list[float]]] = {}
    print("load", os.getloadavg())
    for name, values, make, rounds in series(asked.most_rows):
        seconds = least_seconds(values, make, rounds)
        before = found.get(name, ([], []))
        found[name] = before[0] + values, before[1] + seconds
        print(f"{name:9} {'  '.join(f'{v:,}: {s:.3f} s' for v, s in zip(values, seconds, strict=True))}", flush=True)
    for name, pair in found.items():
        print(f"{name:9} slope {slope(*pair):.2f}")
    if asked.plot:
        plot(found, asked.plot)
    if asked.json:
        asked.json.write_text(json.dumps({name: dict(zip(*pair, strict=True)) for name, pair in found.items()}, indent=1))


if __name__ == "__main__":
    main()
