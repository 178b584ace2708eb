"""Small trees with groups, with intervals and with surrogates, for tests of these splits and of their keys."""

import ftree as ft
from ftree.tree import Groups, Intervals, Subset, Surrogate, Threshold, WithSurrogates
from ftree.tree.edit import branch_of

SCHEMA = ft.Schema(
    (
        ft.Feature("length", "numeric"),
        ft.Feature("width", "numeric"),
        ft.Feature("colour", "nominal", ("white", "blue", "red", "pink")),
        ft.Feature("size", "ordinal", ("S", "M", "L")),
    ),
    "flower",
    ("rose", "iris", "lily"),
)
ROSE, IRIS, LILY = ft.Leaf((3, 0, 0)), ft.Leaf((0, 4, 0)), ft.Leaf((0, 0, 5))
WIDTH, COLOUR = (
    Surrogate(Threshold(1, 0.8), agreement=0.94, adjusted=0.75),
    Surrogate(Subset(2, (0,)), reversed=True, agreement=0.9),
)
BACKED = WithSurrogates(Threshold(0, 2.5), [WIDTH, COLOUR])


def tree_of(split, *leaves):
    return ft.Tree(SCHEMA, branch_of(split, leaves))


GROUPED = tree_of(Groups(2, ((2, 3), (0,))), ROSE, LILY)
CUT = tree_of(Intervals(0, (2.45, 4.75)), ROSE, IRIS, LILY)
SAFE = tree_of(BACKED, ROSE, IRIS)
