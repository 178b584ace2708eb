"""A decision tree as a value: schema, splits, nodes, folds, edits and sizes."""

from ftree.tree.edit import collapse_at, diff, is_pruning_of, map_leaves, replace_at, shrunk, subtree_at
from ftree.tree.fold import Grown, class_counts, depth, fold, leaves, n_leaves, n_nodes, unfold, walk
from ftree.tree.nodes import Branch, Counts, Leaf, Node, Path, Tree, children, level_order, majority, preorder
from ftree.tree.response import Response, classes, numbers
from ftree.tree.schema import Feature, Kind, Label, Schema
from ftree.tree.splits import (
    Groups,
    Intervals,
    IsMissing,
    Multiway,
    Oblique,
    Split,
    Subset,
    Surrogate,
    Threshold,
    WithDefault,
    WithSurrogates,
)

__all__ = [
    "Branch",
    "Counts",
    "Feature",
    "Groups",
    "Grown",
    "Intervals",
    "IsMissing",
    "Kind",
    "Label",
    "Leaf",
    "Multiway",
    "Node",
    "Oblique",
    "Path",
    "Response",
    "Schema",
    "Split",
    "Subset",
    "Surrogate",
    "Threshold",
    "Tree",
    "WithDefault",
    "WithSurrogates",
    "children",
    "class_counts",
    "classes",
    "collapse_at",
    "depth",
    "diff",
    "fold",
    "is_pruning_of",
    "leaves",
    "level_order",
    "majority",
    "map_leaves",
    "n_leaves",
    "n_nodes",
    "numbers",
    "preorder",
    "replace_at",
    "shrunk",
    "subtree_at",
    "unfold",
    "walk",
]
__dir__ = __all__.copy  # dir() shows public names only
