"""XOR and the zero-gain rule
==========================

Needs ``pip install 'ftrees[plot]'``. See that a split may be worth making although it gains nothing yet. In the table
of "exclusive or" each feature alone gains nothing: a policy that stops there ends with one leaf, and one that goes on
finds the tree without errors. This is also true of the parity of any number of bits, where only the last split of each
path gains anything.
"""

import matplotlib.pyplot as plt

import ftree as ft

xor = ft.datasets.parity(2)
patient = ft.evolve(ft.ID3, stop=ft.stop.never)
for name, policy in [("greedy", ft.ID3), ("patient", patient)]:
    tree = ft.grow(xor, policy)
    print(f"{name}: stop={policy.stop!r}\n{tree}\naccuracy {ft.accuracy(tree, xor):.0%}\n")
print(f"As a formula: {ft.dnf(ft.grow(xor, patient), label=True)}")

levels = []
tree = ft.grow(ft.datasets.parity(4), patient, trace=levels.append)
print(f"The parity of 4 bits: {tree!r}, best gain on each level: {[float(level.gain.max()) for level in levels]}")
ft.plot_tree(tree, leaf_charts=True).set_title("The parity of four bits needs sixteen leaves")
plt.show()
