"""A tree grown of a forest's answers for rows made up, with a user's pruning and printing. Source: Breiman & Shang 1996."""

import numpy as np
from attrs import evolve

from ftree import CART, accuracy, collapse_at, datasets, dnf, grow, latex, leaves, majority, n_nodes, prune, recount, stop
from ftree.exchange import to_latex
from ftree.study import random_forest
from ftree.tree import children, node_at, subtree_at, walk


def born_again(forest, data, policy, draw):
    """The tree of the rows and of eight times as many, each value of which is that of another row in one case of four."""
    mixed = [[np.where(draw.uniform(size=len(data)) < 0.25, draw.permutation(x), x) for x in data.columns] for _ in range(8)]
    first, *others = (evolve(data, columns=columns) for columns in mixed)
    told = first.concatenate(*others)
    answers = told.with_labels(forest(told), classes=data.schema.classes).with_weights(np.full(len(told), 0.5))
    return grow(data.concatenate(answers), policy)


def reduced_error(tree, rows):
    counted, errors = recount(tree, rows), {}
    for path, node in walk(tree, children_first=True):
        here, below = node_at(counted, path).counts, [errors[(*path, child)] for child in range(len(children(node)))]
        alone = sum(here) - here[majority(node.counts)]
        errors[path] = min(alone, sum(below)) if below else alone
        tree = collapse_at(tree, path) if below and alone <= sum(below) else tree
    return tree


def test_a_tree_born_again_is_right_more_often_and_is_pruned_and_printed():
    train, pruning, test = (datasets.waveform(300 * 4**n, irrelevant=9, seed=n) for n in range(3))
    shares, policy = random_forest(train, n_trees=50).importances(), CART.stopping(stop.min_rows(10))
    train = train.keep_columns([name for name, share in shares.items() if share > 0.5 / len(shares)])
    tree = born_again(random_forest(train, n_trees=50), train, policy, np.random.default_rng(0))
    assert accuracy(tree, test) > accuracy(grow(train, policy), test) + 0.02
    assert (pruned := reduced_error(tree, pruning)) == prune.reduced_error(pruning)(tree)
    assert str(latex(dnf(pruned, 0))).count(r"\lor") == [majority(leaf.counts) for leaf in leaves(pruned)].count(0) - 1
    assert str(to_latex(subtree_at(pruned, (0,)))).count("condition [") == n_nodes(node_at(pruned, (0,))) - 1
