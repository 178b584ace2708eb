"""Schemas, splits and responses of which trees are saved in tests."""

import re

from attrs import field, frozen

import ftree as ft
from ftree import missing
from ftree.tree import Threshold, numbers

RULES = [None, missing.all_routes(), missing.weighted(), missing.heaviest(), missing.stop_here()]
NO, YES = ft.Leaf((1, 0)), ft.Leaf((0, 1))
XY = ft.Schema([ft.Feature("x", "numeric"), ft.Feature("y", "numeric")], "class", ("no", "yes"))
NUMBERS = ft.Schema((), "mpg", (), response=numbers(-0.1, 2.0**-1074, part=0.5))


@frozen
class Below(Threshold):
    """A user's split: an attrs class, with a bound of any type that JSON can represent."""

    note: object = field(default=None, kw_only=True)


def tree_with(*splits):
    node = NO
    for split in splits:
        node = ft.Branch(node.counts, split, (node, ft.Leaf((0, 0))))
    return ft.Tree(XY, node)


def message(text):
    return f"^{re.escape(text)}$"


SCHEMA = ft.Schema([ft.Feature("wind", "numeric"), ft.Feature("sky", "nominal", ("grey", "blue"))], "ride", ("no", "yes"))
