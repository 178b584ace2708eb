"""A page with a slider along the pruning path
===========================================

Needs ``pip install 'ftrees[plot]'``. See how small a tree can become before it is less accurate: the accuracy on
held-out boards is shown beside the slider. The page, ``pruning_page.html``, opens in any browser and needs no network.

.. image:: ../pictures/pruning_page.png
   :alt: A tree beside a slider, the accuracy along the pruning path, and the reasons of each cut
"""

import matplotlib.pyplot as plt

import ftree as ft

training, held_out = ft.datasets.tic_tac_toe().split(0.6, seed=0)
tree = ft.grow(ft.datasets.noisy_labels(training, 0.1, seed=1), ft.CART)
path = ft.prune.measured(ft.prune.cost_complexity_path(tree), held_out)
for step in path:
    print(f"from alpha {step.alpha:.4f} on: {step.leaves:3} leaves, accuracy {100 * (1 - step.error):.1f} %")
best = ft.prune.select(path, by=ft.prune.lowest_error)
print(f"\nThe best one: {best!r}")

ft.page(tree, path=path).save("pruning_page.html")
ft.study.plot_path({"held-out boards": path}).set_title("Errors along the pruning path")
plt.show()
