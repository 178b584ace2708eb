"""Pruning passes: frozen callables from a tree to a tree, which compose with `toolz.pipe`.

A pass that cuts nothing returns the same tree, and untouched subtrees are shared, not copied.
"""

from ftree.prune.collapse import collapse
from ftree.prune.judge import Decision
from ftree.prune.reduced_error import reduced_error
from ftree.prune.trim import trim

__all__ = ["Decision", "collapse", "reduced_error", "trim"]
