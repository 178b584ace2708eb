"""Passes by plain recursion, for the formulas of each; rows and trees of all kinds; trees A and B, worked by hand."""

from itertools import product

import numpy as np
from attrs import evolve

from ftree import Branch, Dataset, Feature, Leaf, Schema, Tree, leaves, majority, prune, recount
from ftree.prune import Decision
from ftree.testing import trees
from ftree.tree import Multiway, Threshold, numbers

# Drawn trees and rows -------------------------------------------------------------------------------------------

SCHEMA = Schema(
    [Feature("n", "numeric"), Feature("o", "ordinal", "abc"), Feature("c", "nominal", "abcd")], "label", ("no", "maybe", "yes")
)
NUMBERS = Schema([SCHEMA.features[0], SCHEMA.features[2]], "y", (), response=numbers())


def made(rows, *, missing=False, weighted=False, seed=0):
    """Rows of small numbers and codes, with missing values if `missing`."""
    random = np.random.default_rng(seed)
    cells = random.integers(-1 if missing else 0, 5, rows).astype(float)
    columns = [np.where(cells < 0, np.nan, cells), *(random.integers(-1 if missing else 0, size, rows) for size in (3, 4))]
    return Dataset(SCHEMA, columns, random.integers(0, 3, rows), random.integers(1, 4, rows) if weighted else None)


def with_numbers(dataset):
    """The rows with numbers as targets, by their first and last feature."""
    targets = np.random.default_rng(0).integers(0, 10, len(dataset)).astype(float)
    return Dataset(NUMBERS, [dataset.columns[0], dataset.columns[2]], targets)


COMPLETE, WITH_GAPS = made(14), made(14, missing=True, weighted=True)
TREES = trees(schema=SCHEMA) | trees(schema=SCHEMA, fractions=True)
PLAIN_TREES = trees(schema=SCHEMA, surrogates=False) | trees(schema=SCHEMA, surrogates=False, fractions=True)
REGRESSION = trees(schema=NUMBERS, max_leaves=6)
# Trees with an answer for every value, so that none of their cases is divided.
ANSWERING = trees(schema=evolve(SCHEMA, features=SCHEMA.features[:2]), sums=False).map(
    lambda tree: recount(evolve(tree, schema=SCHEMA), COMPLETE)
)
OF_CASES_WITH_GAPS = trees(schema=SCHEMA).map(lambda tree: recount(tree, WITH_GAPS))

# Recursion ------------------------------------------------------------------------------------------------------


def near(one, other):
    return one == other or abs(one - other) <= 1e-9


def decision(path, node, as_leaf, as_subtree, limit, cut):
    becomes = Leaf(node.counts) if cut else None
    return Decision(path, node.counts, as_leaf, as_subtree, limit, "cut" if cut else "kept", becomes=becomes)


def up(tree, *, leaf, below=lambda _, scores, __: sum(scores), limit=lambda _, score: score, ties=True, twigs=False, judge=None):
    """Decisions of a pass that judges children first: cut if a leaf's score is at most the limit.

    With `twigs`, only branches above leaves are judged. `judge` decides about cutting instead of the scores.
    """
    found = []

    def visit(node, path, named):
        named = node.counts if any(node.counts) else named
        as_leaf = leaf(node, path, named)
        if isinstance(node, Leaf):
            return as_leaf, True, named
        parts = [visit(child, (*path, number), named) for number, child in enumerate(node.children)]
        as_subtree, above_leaves = below(node, [score for score, *_ in parts], path), all(end for _, end, _ in parts)
        if twigs and not above_leaves:
            return as_subtree, False, named
        most = limit(node, as_subtree)
        if judge is None:
            cut = ties if near(as_leaf, most) else as_leaf < most
        else:
            cut = above_leaves and judge(node, [counts for *_, counts in parts])
        found.append(decision(path, node, as_leaf, as_subtree, most, cut))
        return (as_leaf if cut else as_subtree), cut, named

    visit(tree.root, (), tree.root.counts)
    return found


def down(tree, *, leaf, limit):
    """Decisions of a pass that judges parents first, and nothing below a cut; subtrees are unpruned."""
    found = []

    def visit(node, path):
        if isinstance(node, Branch):
            as_leaf, as_subtree = leaf(node), sum(map(leaf, leaves(Tree(tree.schema, node))))
            most = limit(node, as_subtree)
            cut = as_leaf <= most or near(as_leaf, most)
            found.append(decision(path, node, as_leaf, as_subtree, most, cut))
            for number, child in enumerate(() if cut else node.children):
                visit(child, (*path, number))

    visit(tree.root, ())
    return found


def errors(node, *_):
    return sum(node.counts) - max(node.counts)


def errors_of(counts, _):
    """The estimate of passes that count errors."""
    return sum(counts) - max(counts)


def prunings(node):
    """All prunings of a node; the node itself is the first."""
    if isinstance(node, Branch):
        for children in product(*(list(prunings(child)) for child in node.children)):
            yield Branch(node.counts, node.split, children)
    yield Leaf(node.counts)


def loss(node, mirror, lost, seen=None):
    """What the leaves lose on the cases counted in a mirror, `lost(answering, counts)` each, by plain recursion.

    A leaf without cases answers as the nearest node above with any.
    """
    seen = node.counts if any(node.counts) or seen is None else seen
    if isinstance(node, Leaf):
        return lost(seen, mirror.counts)
    return sum(loss(*pair, lost, seen) for pair in zip(node.children, mirror.children, strict=True))


def mistakes(answering, counts):
    return sum(counts) - counts[majority(answering)]


# Worked trees ---------------------------------------------------------------------------------------------------

OF_AB = Schema([Feature(name, "numeric") for name in ("w", "x", "y", "z")], "class", ("P", "N"))
T5 = Branch((5, 5), Threshold(2, 0.5), (Leaf((4, 1)), Leaf((1, 4))))
T2 = Branch((20, 6), Threshold(1, 0.5), (Leaf((15, 1)), T5))
A = Tree(OF_AB, Branch((24, 16), Threshold(0, 0.5), (T2, Leaf((4, 10)))))
LEFT = Branch((6, 3), Threshold(1, 0.5), (Leaf((5, 1)), Leaf((1, 2))))
RIGHT = Branch((3, 7), Threshold(1, 0.5), (Leaf((2, 1)), Leaf((1, 6))))
B = Tree(OF_AB, Branch((9, 10), Threshold(0, 0.5), (LEFT, RIGHT)))
KEPT, WITHOUT_T5, WITHOUT_T2, ROOT = (), ((0, 1),), ((0,),), ((),)


def cuts(pass_, tree=A):
    """Paths of the nodes that a pass turned into leaves and that are in the result."""
    paths = prune.snip([each.path for each in pass_.decisions(tree) if each.cut]).paths
    assert pass_(tree) == prune.snip(paths)(tree)
    return paths


def twig(*children):
    """A branch above leaves with these counts."""
    counts, values = tuple(map(sum, zip(*children, strict=True))), range(len(children))
    schema = Schema([Feature("f", "nominal", values)], "class", range(len(counts)))
    return Tree(schema, Branch(counts, Multiway(0, values), list(map(Leaf, children))))
