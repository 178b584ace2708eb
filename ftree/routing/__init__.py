"""Rows down a finished tree: prediction, paths, counts and recounting.

Two functions define where rows go. `ftree.tree.splits.child_of` gives the child of a row, and `missing_rules.divide_weights` the
part of a row without an answer that each child gets, by a prediction rule: one of the library's, or a function of sizes.

Rows pass these files:

    predict(tree, rows, missing=...)    predict.py          labels, counts and probabilities of any rows
      |
    rule_for                            missing_rules.py    the rule: one by name, one of the user's, or the tree's own
      |
    reach                               reach.py            the columns in the tree's codes; unseen_values.py codes other values
      |  flat                             flat.py             the tree as arrays, and what a rule gives at each branch: NodeShares
      v
    leaf_numbers                        reach.py            the leaf of each row, -1 where a split on the way has no answer:
      |  native/descend.c                                     blocks of rows in the native library
      |  descend                          descent.py          any tree and any rule in NumPy, level by level, in parts of rows
      |  end_of_row                       reach.py            up to 16 rows in plain Python
      v
    Reached.answers                     reach.py            what leaves answer; rows that a rule divides get a sum of leaves:
         reached_counts                   reach.py            `add_up` of native/descend.c, or descent.plain_counts_of_leaves

The same steps give leaves (leaves_of_rows.py), paths (paths.py, a node at a time), counts of all nodes (counting.py) and scores
(scoring.py); one_split.py goes down one split at a time. A property in `tests/routing/test_one_way_down.py` holds all ways, and
the partition of growth, equal to the definition, row by row.

| to add | change | test in `tests/routing` |
|---|---|---|
| a rule of sizes | a class in `missing_rules.py`, its name in `RuleName` and `_NAMED`; `ftree/missing.py`, and below | |
| | `NAMES` and `divide`, the definition in plain Python | `test_one_way_down.py` |
| | `NAMED`; `check_missing` of it | `test_missing_rules.py` |
| | as PMML's `missingValueStrategy`, `_RULES` of `exchange/others/from_pmml.py` | `tests/exchange` |
| a rule that sees rows | the same, with `of_rows`, which only predictions ask; programs refuse it | `tests/extensions` |
| an optional member of rules | `RULE_OPTIONS` and the table above it | `test_missing_rules.py` |
| a way down | `leaf_numbers` or `reached_counts` | a function in `test_one_way_down.py` |
| an answer | a function of `Reached`, as `label_numbers` | `test_predict.py` |
"""

from typing import TYPE_CHECKING

from ftree._lib import on_first_use

if TYPE_CHECKING:
    from ftree.routing.counting import at_observed as at_observed, recount as recount
    from ftree.routing.leaves_of_rows import (
        apply as apply,
        leaf_moments as leaf_moments,
        leaf_of as leaf_of,
        leaf_quantiles as leaf_quantiles,
    )
    from ftree.routing.missing_rules import (
        MissingRule as MissingRule,
        all_routes as all_routes,
        heaviest as heaviest,
        stop_here as stop_here,
        weighted as weighted,
    )
    from ftree.routing.paths import Route as Route, path_of as path_of
    from ftree.routing.predict import (
        Leaves as Leaves,
        predict as predict,
        predict_counts as predict_counts,
        predict_proba as predict_proba,
    )
    from ftree.routing.probability_estimates import laplace as laplace, m_estimate as m_estimate
    from ftree.routing.scoring import (
        Classifier as Classifier,
        accuracy as accuracy,
        costs_of_answers as costs_of_answers,
        mean_cost as mean_cost,
    )
else:
    on_first_use(__name__)
