"""Trees as text in Weka's form, as rules, as logical formulas, and as pictures."""

from ftree.show.compare_trees import ComparedTrees, Difference, compare_trees
from ftree.show.coverage import covers
from ftree.show.document import Document
from ftree.show.draw import draw
from ftree.show.formulas import Dnf, Rule
from ftree.show.graphviz import to_dot
from ftree.show.holds import fits, holds
from ftree.show.latex import latex
from ftree.show.mermaid import to_mermaid
from ftree.show.page import page
from ftree.show.palette import class_colours
from ftree.show.plot_curves import plot_curves
from ftree.show.plot_differences import plot_differences
from ftree.show.plot_histogram import plot_histogram
from ftree.show.plot_importances import plot_importances
from ftree.show.plot_impurities import plot_impurities, plot_impurity_triangle
from ftree.show.plot_tree import plot_tree
from ftree.show.rule_list import RuleList
from ftree.show.rule_statistics import RuleStatistics, rule_statistics
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
    "ComparedTrees",
    "Condition",
    "Difference",
    "Dnf",
    "Document",
    "FirstKnown",
    "Missing",
    "NoneOf",
    "OneOf",
    "Opaque",
    "Rule",
    "RuleList",
    "RuleStatistics",
    "SumBetween",
    "class_colours",
    "compare_trees",
    "covers",
    "dnf",
    "draw",
    "fits",
    "holds",
    "latex",
    "lines",
    "page",
    "plot_curves",
    "plot_differences",
    "plot_histogram",
    "plot_importances",
    "plot_impurities",
    "plot_impurity_triangle",
    "plot_tree",
    "rule_statistics",
    "rules",
    "text",
    "to_dot",
    "to_mermaid",
]
__dir__ = __all__.copy  # dir() shows public names only
