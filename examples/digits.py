"""Handwritten digits by k nearest neighbours
==========================================

One learns that stored rows and a distance can classify without a model. A new digit gets the label of the most similar one of
800, pixel by pixel, with an accuracy of about 90 %. Fifty neighbours are worse than one, since the fiftieth may be another digit.
"""

import sys
from collections import Counter
from pathlib import Path
from typing import Any

from handwriting import digits, side
from pictures import picture

from ftree import Dataset, accuracy
from ftree.neighbors import knn, plot_nearest
from ftree.show import plot_curves

KS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 25, 30, 35, 40, 45, 50)


def answers(classify: knn, asked: Dataset) -> list[tuple[int, int, int, int]]:
    """For each row that is asked for: its number, its label, the answer, and the nearest row that was remembered."""
    near = classify.nearest(asked)[1][:, 0].tolist()
    labels = [asked.schema.classes[code] for code in asked.labels]
    return list(zip(range(len(asked)), labels, classify(asked), near, strict=True))


def draw(figure: Any, curve: dict[int, float], learned: Dataset, asked: Dataset, read: list[Any]) -> None:
    left, right = figure.subplots(1, 2, width_ratios=(4, 5))
    shares = {k: 100 * share for k, share in curve.items()}
    plot_curves(shares, xlabel="neighbours that vote (k)", ylabel=f"accuracy (%) on {len(asked)} digits", ax=left)
    left.set_title(f"Accuracy {curve[1]:.1%} by one neighbour, {curve[50]:.1%} by fifty")
    good, bad = ([row for row, label, answer, _ in read if (label == answer) == right] for right in (True, False))
    shown = good[:: len(good) // 4][:4] + bad[:: max(len(bad) // 8, 1)][:8]
    plot_nearest(knn(learned), asked, shape=(side(learned),) * 2, rows=shown, ax=right)
    right.set_title("A digit, and beside it the neighbour whose label it got")


def main(folder: str | Path | None = None, file: str | Path | None = None) -> None:
    learned, asked = digits(file)
    curve = {k: accuracy(knn(learned, k=k), asked) for k in KS}
    print(f"{len(learned)} digits of {len(learned.columns)} pixels stored, {len(asked)} to classify:")
    for k, share in curve.items():
        print(f"  k = {k:2}: accuracy {share:.1%} {'#' * round(60 * share)}")
    read = answers(knn(learned), asked)
    (((label, answer), times),) = Counter((label, answer) for _, label, answer, _ in read if label != answer).most_common(1)
    print(f"\nMost frequent mistake: a {label} read as {answer}, {times} times")
    picture("digits", folder, draw, curve, learned, asked, read, size=(12, 6))


if __name__ == "__main__":
    main(*sys.argv[1:3])
