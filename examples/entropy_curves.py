"""Entropy of two and of three classes
===================================

One learns what an impurity looks like: zero where one class is left, and highest where all classes are equally frequent.
Entropy is then 1 bit for two classes and log2(3) = 1.585 bits for three. One call computes a thousand mixtures at once.
"""

import sys
from typing import Any

import numpy as np
from pictures import COLOURS, Place, bare, picture

from ftree import entropy, gini, misclassification


def binary(steps: int = 200) -> Any:
    return np.array([(part, steps - part) for part in range(steps + 1)])


def ternary(steps: int = 60) -> Any:
    """Mixes of three classes, equal thirds among them, one in each row."""
    return np.array([(a, b, steps - a - b) for a in range(steps + 1) for b in range(steps + 1 - a)])


def draw(figure: Any) -> None:
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.1))
    draw_curves(left)
    figure.colorbar(draw_triangle(right), ax=right, label="entropy (bits)", ticks=(0, 0.5, 1, np.log2(3)), format="%.4g")


def draw_curves(axes: Any) -> None:
    mixes = binary()
    for impurity, colour, style in [(entropy, COLOURS[0], "-"), (gini, COLOURS[1], "--"), (misclassification, COLOURS[2], "-.")]:
        axes.plot(mixes[:, 0] / mixes.sum(axis=1), impurity(mixes), color=colour, linestyle=style, label=impurity.__name__)
    axes.set(xlabel="share of the first class", ylabel="impurity (entropy: bits)", ylim=(0, 1.05), title="Two classes")
    axes.legend(loc="lower center")
    bare(axes)


def draw_triangle(axes: Any) -> Any:
    mixes, corners = ternary(), np.array([(0, 0), (1, 0), (0.5, 3**0.5 / 2)])
    x, y = (mixes / mixes.sum(axis=1, keepdims=True) @ corners).T
    filled = axes.tricontourf(x, y, entropy(mixes), levels=np.linspace(0, np.log2(3), 13), cmap="cividis")
    for at, height, name in [(0, -0.06, "only A"), (1, -0.06, "only B"), (0.5, 0.89, "only C")]:
        axes.text(at, height, name, ha="center")
    axes.set(aspect="equal", ylim=(-0.06, 0.95), title="Three classes")
    axes.axis("off")
    return filled


def main(folder: Place = None) -> None:
    for name, mixes in [("two", binary()), ("three", ternary())]:
        bits = entropy(mixes)
        print(f"{name} classes: at most {bits.max():.3f} bits, for the mix {mixes[bits.argmax()].tolist()}")
    picture("entropy_curves", folder, draw, size=(10.5, 4.4))


if __name__ == "__main__":
    main(*sys.argv[1:2])
