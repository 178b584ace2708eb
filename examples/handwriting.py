"""Digits as pictures of a few hundred bits: Semeion's, or what else is at hand.

The archive's file (Buscema & Terzi, "Semeion Handwritten Digit", UCI) has 1593 digits of 16 x 16 bits. Scikit-learn
brings 1797 of 8 x 8 grey values. Where there is neither, digits are drawn here, shifted about, and made noisy.
"""

from pathlib import Path
from typing import Any

import numpy as np
from nearby import SEMEION as NEARBY

from ftree import Dataset

FONT = ("75557", "26227", "71747", "71717", "55711", "74717", "74757", "71111", "75757", "75717")  # five rows of three bits
HALF = 800  # of the 1593 to learn from


def digits(file: str | Path | None = None) -> tuple[Dataset, Dataset]:
    """Digits to learn from, and others to ask for; one feature a pixel."""
    pictures, labels = semeion(file or NEARBY) if file or NEARBY.exists() else bundled_or_drawn()
    pixels = {f"p{number}": column for number, column in enumerate(pictures.reshape(len(pictures), -1).T)}
    table = Dataset.from_columns({**pixels, "digit": labels}, target="digit")
    return table.take(range(HALF)), table.take(range(HALF, len(table)))


def semeion(file: str | Path) -> tuple[Any, Any]:
    """Each line has the bits of a picture, and ten more of which one marks the digit."""
    table = np.loadtxt(file)
    return table[:, :256], table[:, 256:].argmax(axis=1)


def bundled_or_drawn() -> tuple[Any, Any]:
    """Those that come with scikit-learn, where it is installed."""
    try:
        from sklearn.datasets import load_digits  # noqa: PLC0415  # a guest, not a dependency
    except ImportError:
        return drawn(2 * HALF, np.random.default_rng(0))
    return load_digits(return_X_y=True)


def drawn(n: int, random: np.random.Generator, *, flips: float = 0.03) -> tuple[Any, Any]:
    """Digits of 3 x 5 bits somewhere in a picture of 8 x 8, of which some bits flip."""
    labels, pictures = random.integers(0, 10, n), np.zeros((n, 8, 8))
    for label, each in zip(labels, pictures, strict=True):
        top, left = random.integers((1, 2), (3, 4))
        each[top : top + 5, left : left + 3] = [[int(bit) for bit in f"{int(row):03b}"] for row in FONT[label]]
    return np.abs(pictures - (random.random(pictures.shape) < flips)), labels


def side(dataset: Dataset) -> int:
    """The number of pixels on a side of each picture, which is square."""
    return round(len(dataset.columns) ** 0.5)
