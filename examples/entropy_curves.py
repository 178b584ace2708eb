"""Entropy of two and of three classes
===================================

One learns what an impurity looks like: zero where one class is left, and highest where all classes are equally frequent.
Entropy is then 1 bit for two classes and log2(3) = 1.585 bits for three. One call computes a thousand mixtures at once.
"""

import sys
from typing import Any

import numpy as np
from pictures import Place, picture

from ftree import entropy, gini, misclassification
from ftree.show import plot_impurities, plot_impurity_triangle


def binary(steps: int = 200) -> Any:
    return np.array([(part, steps - part) for part in range(steps + 1)])


def ternary(steps: int = 60) -> Any:
    """Mixes of three classes, equal thirds among them, one in each row."""
    return np.array([(a, b, steps - a - b) for a in range(steps + 1) for b in range(steps + 1 - a)])


def draw(figure: Any) -> None:
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.1))
    plot_impurities([entropy, gini, misclassification], ax=left).set(title="Two classes", ylabel="impurity (entropy: bits)")
    plot_impurity_triangle(entropy, label="entropy (bits)", ax=right).set_title("Three classes")


def main(folder: Place = None) -> None:
    for name, mixes in [("two", binary()), ("three", ternary())]:
        bits = entropy(mixes)
        print(f"{name} classes: at most {bits.max():.3f} bits, for the mix {mixes[bits.argmax()].tolist()}")
    picture("entropy_curves", folder, draw, size=(10.5, 4.4))


if __name__ == "__main__":
    main(*sys.argv[1:2])
