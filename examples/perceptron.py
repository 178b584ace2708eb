"""The perceptron's moving line
============================

Needs ``pip install 'ftrees[plot]'``. Watch training as a lazy sequence: each mistake makes a new line among 25 points,
and an animation is a loop. The last line has an accuracy of more than 90 % on new points. On XOR training never stops,
and the report says so.
"""

from functools import partial
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import ftree as ft
from ftree.linear import Hyperplane, hyperplanes, perceptron
from ftree.points import points_of


def square(n: int, seed: int) -> ft.Dataset:
    """Points of the unit square, above or below the line y = 1 - x."""
    x, y = np.random.default_rng(seed).random((2, n))
    return ft.Dataset.from_columns({"x": x, "y": y, "side": np.where(y > 1 - x, "above", "below")}, target="side")


def answers(plane: Hyperplane, points: ft.Dataset) -> Any:
    return np.where(plane(points_of(points.schema, points)[0]) > 0, "above", "below")


points, new = square(25, seed=11), square(1000, seed=100)
lines = list(hyperplanes(points, positive="above"))
for number, line in enumerate(lines):
    print(f"after {number:2} mistakes: accuracy {ft.accuracy(partial(answers, line), new):.1%} on new points")
print(perceptron(points))
print(perceptron(ft.Dataset.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])))

ax = ft.plot_boundary(perceptron(points), points, borders={"after each mistake": [partial(answers, line) for line in lines]})
ax.set(aspect="equal", title="The line after each mistake, first pale, last black")
plt.show()
