"""The perceptron's moving line
============================

One learns that training can be a lazy sequence: each mistake makes a new line among 25 points, and an animation is a loop. The
last line has an accuracy of more than 90 % on new points. On XOR training never stops, and the report says so.
"""

import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from pictures import picture

from ftree import Dataset, accuracy, plot_boundary
from ftree.data import points_of
from ftree.linear import Hyperplane, hyperplanes, perceptron
from ftree.show import plot_curves, plot_histogram


def square(n: int, *, seed: int) -> Dataset:
    """Points of the unit square, above or below the line y = 1 - x."""
    x, y = np.random.default_rng(seed).random((2, n))
    return Dataset.from_columns({"x": x, "y": y, "side": np.where(y > 1 - x, "above", "below")}, target="side")


def true_side(points: Dataset) -> Any:
    return np.where(points["y"] > 1 - points["x"], "above", "below")


def answers(plane: Hyperplane, points: Dataset) -> Any:
    return np.where(plane(points_of(points.schema, points)[0]) > 0, "above", "below")


def draw(figure: Any, learned: Dataset, lines: list[Hyperplane], shares: list[float], others: list[float]) -> None:
    left, middle, right = figure.subplots(1, 3)
    borders = {"the line after each mistake": [partial(answers, line) for line in lines], "the true border": true_side}
    plot_boundary(perceptron(learned), learned, borders=borders, ax=left)
    left.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2, frameon=False)
    left.set(aspect="equal", title="The line after each mistake, first pale, last black")
    told = "accuracy on 1000 new points (%)"
    plot_curves({number: 100 * share for number, share in enumerate(shares)}, xlabel="mistakes made", ylabel=told, ax=middle)
    middle.set_title("Accuracy after each mistake")
    plot_histogram([100 * share for share in others], bins=range(70, 101, 2), xlabel=told, ylabel="sets", ax=right)
    right.set_title(f"Over {len(others)} sets of 25 points")


def main(folder: str | Path | None = None) -> None:
    learned, new = square(25, seed=11), square(1000, seed=100)
    lines = list(hyperplanes(learned, positive="above"))
    shares = [accuracy(partial(answers, line), new) for line in lines]
    others = [accuracy(perceptron(square(25, seed=seed)), new) for seed in range(200)]
    print(f"{perceptron(learned)}\nAccuracy on 1000 new points {shares[-1]:.1%}; median over 200 sets {np.median(others):.1%}.\n")
    print(perceptron(Dataset.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [False, True, True, False], target="xor")))
    picture("perceptron", folder, draw, learned, lines, shares, others, size=(13, 4.8))


if __name__ == "__main__":
    main(*sys.argv[1:2])
