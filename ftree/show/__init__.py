"""Trees as text in Weka's form, as rules and as logical formulas."""

from ftree.show.formulas import Dnf, Rule
from ftree.show.holds import fits, holds
from ftree.show.latex import latex
from ftree.show.rules import dnf, rules
from ftree.show.text import lines, text
from ftree.tree.conditions import (
    AllOf,
    AnyOf,
    Between,
    Condition,
    FirstKnown,
    Missing,
    NoneOf,
    OneOf,
    Opaque,
    SumBetween,
)

__all__ = [
    "AllOf",
    "AnyOf",
    "Between",
    "Condition",
    "Dnf",
    "FirstKnown",
    "Missing",
    "NoneOf",
    "OneOf",
    "Opaque",
    "Rule",
    "SumBetween",
    "dnf",
    "fits",
    "holds",
    "latex",
    "lines",
    "rules",
    "text",
]
__dir__ = __all__.copy  # dir() shows public names only
