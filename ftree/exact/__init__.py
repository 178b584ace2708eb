"""Optimal trees: objectives, candidate splits, the search with its bounds, look-ahead.

Read `branch_and_bound.py` first; `docs/explanation/optimal_search.md` has the bounds as lemmas, and the order of the files.
"""

from typing import TYPE_CHECKING

from ftree._lib import on_first_use

if TYPE_CHECKING:
    from ftree.exact.ahead_by_policy import grow_ahead as grow_ahead
    from ftree.exact.candidates import quantile_cuts as quantile_cuts
    from ftree.exact.objectives import (
        Objective as Objective,
        bayes as bayes,
        class_bits as class_bits,
        class_errors as class_errors,
        costs as costs,
        errors as errors,
        tree_cost as tree_cost,
    )
    from ftree.exact.optimal import (
        Limits as Limits,
        Optimum as Optimum,
        best_trees as best_trees,
        look_ahead as look_ahead,
        optimal as optimal,
    )
else:
    on_first_use(__name__)
