"""All steps on the votes of 1984
==============================

Needs ``pip install 'ftrees[plot]'``. Follow all steps, as ``make demo`` runs them: read the party and 16 votes of each
member of the House of Representatives, grow a tree on the rows without missing votes, print it, test it on the others,
prune it with some of these, and write the pruned tree as rules. A row with a missing vote follows all routes.
``python votes.py people.csv`` takes a table of your own, with the label in the last column, and ``python votes.py folder``
looks for the archive's file in that folder first.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

import ftree as ft

given = sys.argv[1] if sys.argv[1:] else None
is_file = given is not None and Path(given).is_file()
table = ft.Dataset.read(given) if is_file else ft.datasets.fetch("house-votes", cache=given)
known, others = table.complete(), table.incomplete()
if not len(others):
    known, others = table.split(0.5, seed=0)
pruning_set, test = others.split(0.5, seed=0)
tree = ft.grow(known, ft.ID3)
pruned = ft.prune.reduced_error(pruning_set)(tree)
print(f"{table}\n\nA tree grown on {len(known)} rows:\n\n{tree}")
print(f"\nPruned where that makes no more errors on {len(pruning_set)} other rows, and tested on {len(test)} more:")
for name, each in [("before", tree), ("after", pruned)]:
    print(f"  {name:6} {ft.n_leaves(each):3} leaves, accuracy {ft.accuracy(each, test):.1%}")
print("\nThe rules of the pruned tree:", *ft.rules(pruned), sep="\n")

ft.plot_tree(pruned).set_title("The pruned tree")
plt.show()
