"""The perceptron's moving line
============================

One learns that training can be a lazy sequence: each mistake makes a new line over 25 points, and an animation is a loop. The
last line is right on more than nine of ten new points. On XOR it never stops, and the report says so.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
from pictures import COLOURS, picture

from ftree import Dataset, accuracy, plot_boundary
from ftree.data import points_of
from ftree.linear import Hyperplane, hyperplanes, perceptron


def square(n: int, *, seed: int) -> Dataset:
    """Points of the unit square, above or below the line y = 1 - x."""
    x, y = np.random.default_rng(seed).random((2, n))
    return Dataset.from_columns({"x": x, "y": y, "side": np.where(y > 1 - x, "above", "below")}, target="side")


def share_right(plane: Hyperplane, dataset: Dataset) -> float:
    return float(np.mean((plane(points_of(dataset.schema, dataset)[0]) > 0) == (dataset.labels == 0)))


def draw(figure: Any, learned: Dataset, lines: list[Hyperplane], shares: list[float], others: list[float]) -> None:
    left, middle, right = figure.subplots(1, 3)
    ends = np.array([-0.1, 1.1])
    plot_boundary(perceptron(learned), learned, ax=left)
    for number, line in enumerate(lines, 1):
        (a, b), last = line.weights, number == len(lines)
        if b:
            look = {"color": str(0.9 - 0.9 * number / len(lines)), "linewidth": 2.5 if last else 0.8}
            left.plot(ends, -(a * ends + line.bias) / b, label="the last line" if last else None, **look)
    left.plot([0, 1], [1, 0], "--", color=COLOURS[2], linewidth=2, label="the true border")
    left.set(aspect="equal", title="The line after each mistake, first pale, last black")
    left.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2, frameon=False)
    middle.plot([100 * share for share in shares], color=COLOURS[0])
    middle.set(xlabel="mistakes made", ylabel="right on 1000 new points (%)", title="The way there goes up and down")
    right.hist([100 * share for share in others], bins=range(70, 101, 2), color=COLOURS[1], edgecolor="white")
    right.set(xlabel="right on 1000 new points (%)", ylabel="sets of 25 points")
    right.set_title(f"Over {len(others)} sets: {np.median(others):.1%} in the middle")


def main(folder: str | Path | None = None) -> None:
    learned, new = square(25, seed=11), square(1000, seed=100)
    lines = list(hyperplanes(learned, positive="above"))
    shares = [share_right(line, new) for line in lines]
    others = [accuracy(perceptron(square(25, seed=seed)), new) for seed in range(200)]
    print(f"{perceptron(learned)}\nOn 1000 new points {shares[-1]:.1%} are right; over 200 sets {np.median(others):.1%}.\n")
    print(perceptron(Dataset.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [False, True, True, False], target="xor")))
    picture("perceptron", folder, draw, learned, lines, shares, others, size=(13, 4.8))


if __name__ == "__main__":
    main(*sys.argv[1:2])
