"""Optimal trees: what they cost, two searches that prove it, and growth that looks some levels ahead.

    optimal(dataset, ...)                 optimal.py     checks its arguments
      |
      v
    SearchTask                            task.py        which trees there are, and what they cost
      |      objectives.py                                 the cost of a leaf; candidates.py  the splits that splitters list
      |      rounding.py                                   sums of weights and of costs are exact in any order
      |
      +-- errors, and more than 256 binary cuts? --+
      | no                                         | yes
      v                                            v
    listed/                                      cuts/
      Problem    the splits and rows as arrays     RankedTable   the columns as ranks
      RowSet     the rows of a node, counted         |
      bounds     what no tree of them costs less     |           native/sorted_trees.c
      recursion  branch_and_bound.py                 |
      passes     best_tree.py                        |
      |                                            |
      +--------------------+-----------------------+
                           v
    FoundTree                             task.py        a tree, a bound on all others, whether both are the same: the proof
      |
      v
    Optimum                               optimal.py     the tree, its cost as `tree_cost` has it, the bound

`every_tree.py` is the same in a page: the recursion that looks at every tree. Read it first, then `listed/branch_and_bound.py`.
`best_trees` and `look_ahead` use the first search; `ahead_by_policy.py` looks ahead with the parts of a policy.
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
