"""A tree built by hand
====================

Needs ``pip install 'ftrees[plot]'``. Two pages on which a person builds a tree: choose a node, look at the best split of each
feature, and take one. The first page has the weather table, and an optimal tree of depth 2 to compare with. "Copy" writes the
tree for ``ft.from_json``, and ``page.save("builder.html")`` a file that needs no network.
"""

import matplotlib.pyplot as plt

import ftree as ft

days = ft.datasets.weather()
print(ft.scores(days))
ft.plot_tree(ft.grow(days)).set_title("The tree of the machine")
plt.show()

# %%
ft.builder(days, against={"optimal": ft.optimal(days, max_depth=2).tree})

# %%
# A contest for a class: who finds eight leaves that know the party of a member of the House of Representatives by 16 votes
# of 1984? The machine grows a tree of as many leaves. Half of the members are hidden until the tree is handed in.

members, hidden = ft.datasets.fetch("house-votes").split(0.5, seed=0)
ft.lesson.challenge(members, leaves=8, test=hidden)
