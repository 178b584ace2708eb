"""Rows down a finished tree: prediction, paths, counts and recounting.

`ftree.tree.splits.child_of` defines the child of a row, and `missing_rules.divide_weights` the part of a row without an answer
that each child gets, by a prediction rule: one of the library's, or a function of sizes. Rows pass these files:

    predict          predict.py          labels, counts and probabilities of any rows
    rule_for         missing_rules.py    the rule: one by name, one of the user's, or the tree's own
    reach            reach.py            the columns in the tree's codes; unseen_values.py codes others
      flat             flat.py             the tree as arrays; NodeShares of missing_rules.py: what a rule does at each branch
      leaf_numbers     reach.py            each row's leaf, -1 without an answer at some split: by native/descend.c, in NumPy
      descend          descent.py          (any tree, any rule, level by level), or for up to 16 rows by `end_of_row` in Python
    Reached.answers  reach.py            what leaves answer, and sums of leaves for rows that the rule divides
      reached_counts                       by native/descend.c, or by `plain_counts_of_leaves` of descent.py

leaves_of_rows.py, paths.py, counting.py and scoring.py use the same steps. one_split.py divides rows split by split, for subtree
raising; probability_estimates.py smooths counts.
A property in `test_one_way_down.py` holds all ways, and the partition of growth, equal to the definition, row by row; those in
`test_reach.py` hold the sums of leaves for rows that a rule divides; `test_predict.py` and `tests/tree/test_default_splits.py`
have unseen values.

| to add | change | test in `tests/routing` |
|---|---|---|
| a rule of sizes | a class, `RuleName`, `_NAMED` in `missing_rules.py`; `ftree/missing.py`; below | `test_missing_rules.py` |
| | `_RULES` of `exchange/others/from_pmml.py`, if PMML has it | `NAMES`, `divide` of `test_one_way_down.py` |
| a rule that sees rows | the same with `of_rows`; programs refuse it | `check_missing`, `test_soft_thresholds.py` |
| an optional member of rules | `RULE_OPTIONS`, and the table at the top of its file | `test_missing_rules.py` |
| a way down | `leaf_numbers` or `reached_counts` | a function in `test_one_way_down.py` |
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
