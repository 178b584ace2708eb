"""Handwritten digits by k nearest neighbours
==========================================

One learns how far stored examples and a distance go without a model: a new digit gets the label of the most similar one of 800,
pixel by pixel, and about nine of ten are right. Fifty neighbours are worse than one, since the fiftieth may be another digit.
"""

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from handwriting import digits, image
from pictures import COLOURS, picture

from ftree import Dataset, accuracy
from ftree.neighbors import knn

KS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 25, 30, 35, 40, 45, 50)


def answers(classify: knn, asked: Dataset) -> list[tuple[int, int, int, int]]:
    """For each row that is asked for: its number, its label, the answer, and the nearest row that was remembered."""
    near = classify.nearest(asked)[1][:, 0].tolist()
    labels = [asked.schema.classes[code] for code in asked.labels]
    return list(zip(range(len(asked)), labels, classify(asked), near, strict=True))


def draw(figure: Any, curve: dict[int, float], learned: Dataset, asked: Dataset, read: list[Any]) -> None:
    left, right = figure.subfigures(1, 2, width_ratios=(4, 5))
    axes = left.subplots()
    axes.plot(list(curve), [100 * share for share in curve.values()], color=COLOURS[0], marker="o")
    title = f"One neighbour reads {curve[1]:.1%}, fifty {curve[50]:.1%}"
    axes.set(xlabel="neighbours that vote (k)", ylabel=f"right (%) of {len(asked)} digits", title=title)
    good, bad = ([each for each in read if (each[1] == each[2]) == right] for right in (True, False))
    shown = good[:: len(good) // 4][:4] + bad[:: max(len(bad) // 8, 1)][:8]
    pairs = right.subplots(4, 6, subplot_kw={"xticks": [], "yticks": [], "frame_on": False}).reshape(-1, 2)
    for (one, other), (row, label, answer, near) in zip(pairs, shown, strict=False):
        for axes, table, number in [(one, asked, row), (other, learned, near)]:
            axes.imshow(np.pad(image(table, number), 1), cmap="gray_r")
        one.set_title(f"a {label}")
        other.set_title(f"read as {answer}", color=COLOURS[2 if label == answer else 5])
    right.suptitle("A digit, and beside it the neighbour whose label it got")


def main(folder: str | Path | None = None, file: str | Path | None = None) -> None:
    learned, asked = digits(file)
    curve = {k: accuracy(knn(learned, k=k), asked) for k in KS}
    print(f"{len(learned)} digits of {len(learned.columns)} pixels remembered, {len(asked)} asked for:")
    for k, share in curve.items():
        print(f"  k = {k:2}: {share:.1%} right {'#' * round(60 * share)}")
    read = answers(knn(learned), asked)
    (((label, answer), times),) = Counter((label, answer) for _, label, answer, _ in read if label != answer).most_common(1)
    print(f"\nMost frequent mistake: a {label} read as {answer}, {times} times")
    picture("digits", folder, draw, curve, learned, asked, read, size=(12, 6))


if __name__ == "__main__":
    main(*sys.argv[1:3])
