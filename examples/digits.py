"""Handwritten digits by k nearest neighbours
==========================================

Needs ``pip install 'ftrees[plot,sklearn]'``. Classify by stored rows and a distance, without a model. A new digit gets
the label of the most similar one of 800, pixel by pixel. Fifty neighbours are worse than one, since the fiftieth may be
another digit. The digits of 8 x 8 grey values come with scikit-learn.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import ftree as ft
from ftree.neighbors import knn
from ftree.show import plot_curves

pixels, labels = load_digits(return_X_y=True)
table = ft.Dataset.from_rows(pixels, labels.tolist(), target="digit")
stored, new = table.take(range(800)), table.take(range(800, len(table)))
curve = {k: 100 * ft.accuracy(knn(stored, k=k), new) for k in (1, 2, 3, 5, 10, 20, 50)}
for k, percent in curve.items():
    print(f"k = {k:2}: accuracy {percent:.1f} %")

nearest = knn(stored)
answers, true = nearest(new), [table.schema.classes[code] for code in new.target_column]
mistakes = [row for row, (answer, label) in enumerate(zip(answers, true, strict=True)) if answer != label]
print(f"{len(mistakes)} of {len(new)} digits are read wrongly by one neighbour")

shown = mistakes[:6]
drawn = [["curve", "curve", *shown[:3]], ["curve", "curve", *shown[3:]]]
figure, axes = plt.subplot_mosaic(drawn, figsize=(12, 5), layout="constrained")
plot_curves(curve, xlabel="neighbours that vote (k)", ylabel=f"accuracy (%) on {len(new)} digits", ax=axes["curve"])
for row, near in zip(shown, nearest.nearest(new.take(shown))[1][:, 0], strict=True):
    axes[row].imshow(np.hstack([pixels[800 + row].reshape(8, 8), pixels[near].reshape(8, 8)]), cmap="gray_r")
    axes[row].set_title(f"{true[row]} read as {answers[row]}")
    axes[row].axis("off")
figure.suptitle("Right: digits read wrongly, each beside the neighbour whose label it got")
plt.show()
