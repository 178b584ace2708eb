"""Pruning passes: functions from tree to tree, which compose and report their decisions.

A pass that cuts nothing returns the same tree, and untouched subtrees are shared, not copied. A pass's `decisions(tree)`
list its decision about each branch; `explain` shows them, `replay` repeats them. A plain function is a pass too, and
`from_function` adds sharing and decisions to it.
"""

from ftree.prune.collapse import collapse, purity, snip
from ftree.prune.compositions import Pass, PassWithDecisions, compose, decisions_of, from_branch_function, from_function
from ftree.prune.decisions import Decision, replay
from ftree.prune.error_based import error_based
from ftree.prune.explain import explain, plot_path
from ftree.prune.mdl import mdl
from ftree.prune.path_errors import Measured, cross_validated
from ftree.prune.pessimistic import minimum_error, pessimistic
from ftree.prune.reduced_error import reduced_error
from ftree.prune.select import PathChoice, PruningPath, lowest_error, measured, one_standard_error, select, within
from ftree.prune.simplified_rules import simplify
from ftree.prune.split_scores import chi_squared, critical_value
from ftree.prune.trim import trim
from ftree.prune.weakest_links import PathStep, cost_complexity, cost_complexity_path

__all__ = [
    "Decision",
    "Measured",
    "Pass",
    "PassWithDecisions",
    "PathChoice",
    "PathStep",
    "PruningPath",
    "chi_squared",
    "collapse",
    "compose",
    "cost_complexity",
    "cost_complexity_path",
    "critical_value",
    "cross_validated",
    "decisions_of",
    "error_based",
    "explain",
    "from_branch_function",
    "from_function",
    "lowest_error",
    "mdl",
    "measured",
    "minimum_error",
    "one_standard_error",
    "pessimistic",
    "plot_path",
    "purity",
    "reduced_error",
    "replay",
    "select",
    "simplify",
    "snip",
    "trim",
    "within",
]
__dir__ = __all__.copy  # dir() shows public names only
