"""Optimal trees: objectives, candidate splits, two searches with their bounds, and growth that looks some levels ahead.

    optimal, best_trees, look_ahead         optimal.py          check their arguments: a SearchTask
      |  which search?                      ranked_table        for errors and more than 256 binary cuts, the second one
      v
    1. among listed splits: problem_of(task) -> Problem         branch_and_bound.py says the recursion: read it first
      |  candidates.py       table   -> ListedSplits            what splitters list; of equal divisions the first cheapest
      |  objectives.py       counts  -> costs                   what a leaf costs
      |  sums_as_classes.py  other responses                    as rows of a class for each sum
      |  problem.py          all as arrays                      costs as multiples of a power of two
      |  leaf_formulas.py    counts  -> costs                   the formulas of objectives that C has, too
      |  items.py            Problem -> Items                   rows as bits, items of splits as columns
      |  row_set.py          RowSet  -> counts                  of the items, pairs and triples of items among a node's rows
      |  shallow_trees.py    counts  -> the best trees          of depth one, two and three; C: depth_two.c, two_classes.c
      |  bounds.py           RowSet  -> lower bounds            each beside its lemma
      |  branch_and_bound.py RowSet  -> a cost, a sketch        deeper trees, or a bound; children_ahead.py shares it with threads
      |  best_tree.py        passes of the search               one first split a node, four, all; trees in the order of costs
      v                      plan_of, tree_of                   the Tree of a sketch
    2. among all cuts of numbers: ranked_table(task) -> RankedTable          all_cuts.py
      |  native/sorted_trees.c                                  the search, whose plain form is tests/exact/plain_sorted_trees.py
      v  native/second_cuts.c                                   its trees of two levels

`ahead_by_policy.py` looks ahead with the parts of a policy.
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
