"""Miles per gallon in three classes
=================================

Needs ``pip install 'ftrees[plot]'``. Cut a measured target into classes first (bad, OK, good), split numeric features
by thresholds, and read class counts: a tree of limited depth has mixed leaves. The cars are generated: they need more
fuel the heavier and stronger they are, and less the later they were made.
"""

import matplotlib.pyplot as plt
import numpy as np

import ftree as ft

random = np.random.default_rng(0)
weight, year = random.uniform(1600, 5000, 400).round(), random.integers(70, 83, 400)
horsepower = (weight * random.normal(0.035, 0.005, 400)).round()
gallons_per_100_miles = (0.6 + 0.0011 * weight + 0.008 * horsepower) * (1 - 0.025 * (year - 76)) * random.normal(1, 0.06, 400)
economy = np.array(["bad", "OK", "good"])[np.digitize(100 / gallons_per_100_miles, [19, 27])]
columns = {"weight": weight, "horsepower": horsepower, "year": year, "economy": economy}
cars = ft.Dataset.from_columns(columns, target="economy", classes=("bad", "OK", "good"))

known, others = cars.split(0.7, seed=0)
tree = ft.grow(known, ft.ID3.stopping(ft.stop.max_depth(3)))
print(ft.text(tree, distributions=True))
print(f"Accuracy {ft.accuracy(tree, known):.1%} on {len(known)} cars, {ft.accuracy(tree, others):.1%} on {len(others)} others")
ft.plot_tree(tree).set_title("Miles per gallon: bad below 19, good from 27")
plt.show()
