"""The weather table, computed by hand
===================================

Needs ``pip install 'ftrees[plot]'``. See how a tree chooses its splits: the entropy of the label, the information gain
of each feature, and that the feature with the largest gain becomes the root. At the end, a chi-squared test shows that
no split of 14 days is significant, and the tree is a single leaf. The table is Quinlan's (1986).
"""

import matplotlib.pyplot as plt

import ftree as ft

days = ft.datasets.weather()
print(f"Entropy of the label: {ft.entropy(days.class_counts()):.3f} bits")
gains = {each.name: float(ft.gain(list(days.counts_by(each.name).values()))) for each in days.schema.features}
for name, bits in gains.items():
    print(f"  gain of {name:12} {bits:.4f} bits, counts {days.counts_by(name)}")

tree = ft.grow(days)
print(f"\n{tree}\n\nA sunny, hot day with normal humidity: {ft.path_of(tree, ['sunny', 'hot', 'normal', True])}")
cautious = ft.grow(days, ft.ID3.stopping(ft.stop.not_significant(0.05)))
print(f"\nBy a chi-squared test at 5 % no split is significant:\n\n{cautious}")

ft.plot_importances(gains, label="information gain (bits)").set_title("The root is outlook")
plt.show()
