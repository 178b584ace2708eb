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
      passes     ranked_trees.py                     |
      |                                            |
      +--------------------+-----------------------+
                           v
    FoundTree                             task.py        a tree, a bound on all others, whether both are the same: the proof
      |
      v
    Optimum                               optimal.py     the tree, its cost as `tree_cost` has it, the bound

`every_tree.py` is the same in a page: the recursion that looks at every tree. Read it first, then `listed/branch_and_bound.py`.
`docs/explanation/optimal_search.md` and `sorted_trees.md` have an example of twelve rows each, to follow by hand.
The first of them also lists each file with its step of a published algorithm, and the tests to run first after a change.
`best_trees` and `look_ahead` use the first search; `ahead_by_policy.py` looks ahead with the parts of a policy.

| | `listed/` | `cuts/` |
|---|---|---|
| splits | any that splitters list, with any number of children | all thresholds; listed ones with two children |
| leaves | cost any objective, and may have a least number of cases | cost errors, and may have any size |
| counts | pairs and triples of splits, at once | one cut after another, in the order of a column |
| bounds | by the first split of a tree | by the column and the cut |

| to add | change | test in `tests/exact` |
|---|---|---|
| an objective | `objectives.py`: a function of counts, with `least` or `class_weights` for bounds | `drawn_problems.objectives` |
| | its name below, in `docs/reference/exact.rst` and the table of `docs/optimal.md` | `test_objectives.py` |
| | `_objective` of `ahead_by_policy.py`, if it is an impurity times cases | `test_ahead.py` |
| its costs in C | `listed/leaf_formulas.py`: `LeafKind`, `COSTS`, `formula_of` | `BY_FORMULA` of `test_shallow_trees.py` |
| | the enumerator and `before_penalty` of `native/depth_two.c`; build the library | `test_items.py`, `tests/native` |
| a lower bound | `listed/bounds.py`: its lemma with a proof, a line of the table | a property in `test_lower_bounds.py` |
| | its use in `_deep`, `_deeper` or `_by_node` of `branch_and_bound.py` | `test_branch_and_bound.py`, `test_optimal.py` |
| | what it excludes among the twelve rows of `optimal_search.md`, which runs as a test | `pytest docs/explanation` |
| such a bound of cuts | `tests/exact/plain_sorted_trees.py`, then `native/sorted_trees.c` | `test_all_cuts.py` |
| a limit of leaves | as `min_leaf`: `SearchTask`, `Problem.charged`, `LeafTerms` and `of_errors` in C | `test_problem.py` |
| | `ranked_table` returns None for it, and `bounds.py` says which lemmas hold | `test_lower_bounds.py` |
| a kind of split | a method `candidates` of its splitter | `test_candidates.py` |
| a response without classes | nothing: `listed/sums_as_classes.py` asks for its sums and its loss | `test_sums.py` |
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
