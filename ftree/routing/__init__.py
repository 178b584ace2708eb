"""Rows down a finished tree: prediction, paths, counts and recounting.

`ftree.tree.splits.child_of` defines the child to which a row goes, and `missing_rules.divide_weights` the share that each
child gets of a row without an answer, by a prediction rule: one of the library's or a function of sizes. `descent.descend` sends
any rows down by both, level by level in NumPy, on the arrays of `flat`. Two faster ways lead rows to their leaves (`reach`): the
native library goes down with blocks of rows (`native/descend.c`), and plain Python with a few whose values are known
(`reach.end_of_row`). One property in `tests/routing/test_one_way_down.py` holds them, and the partition of growth, equal to the
definition, row by row.
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
