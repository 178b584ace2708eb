"""Trees as text in Weka's form, as rules, as logical formulas, and as pictures."""

from ftree.show.compare_trees import ComparedTrees, Difference, compare_trees
from ftree.show.formulas import Dnf, Rule, dnf, fits, holds, rules
from ftree.show.graph_languages import to_dot, to_mermaid
from ftree.show.html_page import page
from ftree.show.indented_text import lines, text
from ftree.show.pictures import Document, class_colours
from ftree.show.plot_numbers import plot_curves, plot_histogram, plot_importances, plot_impurities, plot_impurity_triangle
from ftree.show.rules_on_data import RuleList, RuleStatistics, covers, rule_statistics
from ftree.show.svg import draw
from ftree.show.tex import latex
from ftree.show.tree_plots import plot_differences, plot_tree
from ftree.tree.conditions import AllOf, AnyOf, Between, Condition, FirstKnown, Missing, NoneOf, OneOf, Opaque, SumBetween

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
