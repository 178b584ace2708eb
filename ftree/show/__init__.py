"""Trees as text in Weka's form, as rules and as logical formulas."""

from ftree.show.rules import Backing, Between, Combination, Condition, Dnf, OneOf, Rule, Simple, dnf, holds, latex, rules
from ftree.show.text import lines, text

__all__ = [
    "Backing",
    "Between",
    "Combination",
    "Condition",
    "Dnf",
    "OneOf",
    "Rule",
    "Simple",
    "dnf",
    "holds",
    "latex",
    "lines",
    "rules",
    "text",
]
__dir__ = __all__.copy  # dir() shows public names only
