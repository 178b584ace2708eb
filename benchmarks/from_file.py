"""From a CSV file to a tree to its predictions: ftree and pandas with scikit-learn, in turns, in one process.

Seconds are those of the processors, of all threads together. The table has 200,000 rows of 20 numbers and a label of two classes;
trees stop at depth 10.
"""

import io
from importlib.metadata import version
from statistics import median
from time import process_time

import numpy as np
import pandas as pd
from attrs import evolve
from sklearn.tree import DecisionTreeClassifier

from ftree import CART, Dataset, grow, predict, stop

ROWS, COLUMNS, ROUNDS, DEPTH = 200_000, 20, 5, 10
POLICY = evolve(CART, stop=stop.max_depth(DEPTH), missing="ignore")


def text() -> bytes:
    """The file: normal numbers of four digits, and a label that a tree can follow roughly."""
    random = np.random.default_rng(0)
    numbers = random.normal(size=(ROWS, COLUMNS)).round(4)
    labels = np.where(numbers[:, 0] + numbers[:, 1] * numbers[:, 2] + random.normal(size=ROWS) > 0, "yes", "no")
    return pd.DataFrame(numbers).add_prefix("x").assign(label=labels).to_csv(index=False).encode()


def ours(data: bytes) -> list[float]:
    """The times at which the table is read, the tree grown, the rows predicted."""
    times = [process_time()]
    dataset = Dataset.read(data, format="csv", target="label")
    times.append(process_time())
    tree = grow(dataset, POLICY)
    times.append(process_time())
    predict(tree, dataset)
    return [*times, process_time()]


def theirs(data: bytes) -> list[float]:
    """The same of pandas and scikit-learn."""
    times = [process_time()]
    frame = pd.read_csv(io.BytesIO(data))
    times.append(process_time())
    features = frame.drop(columns="label")
    tree = DecisionTreeClassifier(max_depth=DEPTH).fit(features, frame["label"])
    times.append(process_time())
    tree.predict(features)
    return [*times, process_time()]


def main() -> None:
    """Print the median seconds of each part, and the ratio of the whole."""
    data = text()
    print(f"{len(data) / 1e6:.0f} MB; " + ", ".join(f"{name} {version(name)}" for name in ("numpy", "pandas", "scikit-learn")))
    found: dict[str, list[list[float]]] = {"ftree": [], "pandas + scikit-learn": []}
    for _ in range(ROUNDS):
        for rows, run in zip(found.values(), (ours, theirs), strict=True):
            rows.append(np.diff(run(data)).tolist())
    wholes = {name: median(map(sum, rows)) for name, rows in found.items()}
    for name, rows in found.items():
        parts = "  ".join(f"{what} {median(row[at] for row in rows):6.3f}" for at, what in enumerate(("read", "grow", "predict")))
        print(f"{name:22} {parts}  whole {wholes[name]:6.3f} s")
    print(f"ratio of wholes: {wholes['pandas + scikit-learn'] / wholes['ftree']:.1f}")


if __name__ == "__main__":
    main()
