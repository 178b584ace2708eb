"""k nearest neighbours: one, many, edited
=======================================

One learns what k does. With one neighbour, the boundary follows every outlier; with many, it is smoother. Editing (Wilson 1972)
drops the outliers, so that one neighbour is enough again. No shape of a class is assumed: two clouds overlap, and a ring
surrounds a disc. Accuracy is that on 2,000 new points.
"""

import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from pictures import one_legend, picture
from toolz import compose

from ftree import Dataset, accuracy, plot_boundary
from ftree.neighbors import edited, knn

WAYS = {"1 neighbour": knn, "15 neighbours": partial(knn, k=15), "1 neighbour, edited": compose(knn, edited)}


def clouds(n: int, random: np.random.Generator) -> tuple[Any, Any]:  # Gaussian, 2.5 standard deviations apart
    return np.repeat([-1.25, 1.25], n) + random.normal(size=2 * n), random.normal(size=2 * n)


def circles(n: int, random: np.random.Generator) -> tuple[Any, Any]:  # about 1 from the origin, and about 2.4
    radius, turn = np.repeat([1, 2.4], n) + 0.45 * random.normal(size=2 * n), 2 * np.pi * random.random(2 * n)
    return radius * np.cos(turn), radius * np.sin(turn)


def table(shape: Any, n: int, *, seed: int) -> Dataset:
    x, y = shape(n, np.random.default_rng(seed))
    return Dataset.from_columns({"x": x, "y": y, "class": np.repeat(["first", "second"], n)})


def draw(figure: Any, learned: dict[Any, knn], tried: list[float]) -> None:
    panels = figure.subplots(2, 3)
    for ax, ((shape, way), classify), share in zip(panels.flat, learned.items(), tried, strict=True):
        plot_boundary(classify, classify.dataset, ax=ax)
        points = len(classify.dataset)
        ax.set(title=f"{shape.__name__}, {way}:\n{points} points, accuracy {share:.1%}", aspect="equal")
    one_legend(figure, title="class")


def main(folder: str | Path | None = None) -> None:
    learned = {(shape, way): make(table(shape, 50, seed=1)) for shape in (clouds, circles) for way, make in WAYS.items()}
    tried = [accuracy(classify, table(shape, 1000, seed=2)) for (shape, _), classify in learned.items()]
    for ((shape, way), classify), share in zip(learned.items(), tried, strict=True):
        print(f"{shape.__name__:8} {way:20} {len(classify.dataset):3} points stored, accuracy {share:.1%} on new ones")
    picture("clusters", folder, draw, learned, tried, size=(11, 8.4))


if __name__ == "__main__":
    main(*sys.argv[1:2])
