"""Entropy of two and of three classes
===================================

Needs ``pip install 'ftrees[plot]'``. Plot what an impurity looks like: zero where one class is left, and highest where
all classes are equally frequent. Entropy is then 1 bit for two classes and log2(3) = 1.585 bits for three.
"""

import matplotlib.pyplot as plt

import ftree as ft
from ftree.show import plot_impurities, plot_impurity_triangle

print(ft.entropy([[7, 7], [5, 9], [14, 0]]), ft.entropy([[4, 4, 4], [6, 6, 0]]))

_, (left, right) = plt.subplots(1, 2, figsize=(10.5, 4.4), width_ratios=(1, 1.1), layout="constrained")
plot_impurities([ft.entropy, ft.gini, ft.misclassification], ax=left).set_title("Two classes")
plot_impurity_triangle(ft.entropy, label="entropy (bits)", ax=right).set_title("Three classes")
plt.show()
