"""Miles per gallon in three classes
=================================

One learns that a measured target is cut into classes first (bad, OK, good), that numeric features are split by thresholds, and
how to read class counts: a tree of limited depth has mixed leaves. The rows are the Auto MPG table where it is at hand, and
otherwise generated cars, which need more fuel the heavier and stronger they are.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
from nearby import AUTO_MPG as NEARBY
from pictures import Place, picture

from ftree import ID3, Dataset, accuracy, grow, plot_tree, stop, text

NAMES = ("bad", "OK", "good")


def read(path: str | Path) -> dict[str, Any]:
    """The numeric columns of the Auto MPG table; where a car comes from is left out."""
    table = Dataset.read_csv(path, comment="#")
    return dict(zip((feature.name for feature in table.schema.features), table.columns, strict=True))


def generated(cars: int = 400) -> dict[str, Any]:
    """Cars that need more fuel the heavier and stronger they are, and less the later they were made."""
    rng = np.random.default_rng(0)
    weight = rng.uniform(1600, 5000, cars)
    horsepower = weight * rng.normal(0.035, 0.005, cars)
    year = rng.integers(70, 83, cars)
    gallons_per_100_miles = (0.6 + 0.0011 * weight + 0.008 * horsepower) * (1 - 0.025 * (year - 76)) * rng.normal(1, 0.06, cars)
    return {"weight": weight.round(), "horsepower": horsepower.round(), "modelyear": year, "mpg": 100 / gallons_per_100_miles}


def economy(columns: dict[str, Any]) -> Dataset:
    """The cars with their miles per gallon cut into classes: bad below 19, good from 27."""
    cut = np.array(NAMES)[np.digitize(columns["mpg"], [19, 27])]
    features = {name: column for name, column in columns.items() if name != "mpg"}
    return Dataset.from_columns({**features, "economy": cut}, target="economy", classes=NAMES)


def main(folder: Place = None, table: Place = None) -> None:
    cars = economy(read(table or NEARBY) if table or NEARBY.exists() else generated())
    known, others = cars.split(0.7, seed=0)
    tree = grow(known, ID3.stopping(stop.max_depth(3)))
    print(f"{cars}\n\nDepth at most 3; in brackets the cars of each class, {', '.join(NAMES)}:\n")
    print(text(tree, distributions=True))
    print(f"\nAccuracy {accuracy(tree, known):.1%} on {len(known)} cars, {accuracy(tree, others):.1%} on {len(others)} others")
    title = f"Miles per gallon of {len(known)} cars: bad below 19, good from 27"
    picture("mileage", folder, lambda figure: plot_tree(tree, ax=figure.subplots()).set_title(title), size=(12, 5.5))


if __name__ == "__main__":
    main(*sys.argv[1:3])
