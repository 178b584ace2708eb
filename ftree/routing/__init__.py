"""Rows down a finished tree: prediction, paths, counts and recounting.

`ftree.tree.splits.child_of` defines the child to which a row goes, and `shares.divide_weights` the share that each child
gets of a row without an answer, by a prediction rule: one of the library's or a function of sizes. There are several ways
to route rows, since none is fast for every use. One property in `tests/routing/test_one_way_down.py` holds all of them equal
to the definition, row by row.

| way | file | used by | why it is apart |
|---|---|---|---|
| `child_of` | `tree/splits/child_of.py` | `path_of`, growth in NumPy, most ways below | the definition; one split, any columns |
| `children_of` | `tree/splits/child_of.py` | `count`, `split_tables` | compares all thresholds of a level in one call |
| `arrivals` | `route.py` | rows with missing values (up to 5,000), `neighbors.nearest` | loads no numba |
| `count_cases` | `count.py` | `recount`, `reduced_error`, `error_based` | a level at once: 3 times as fast as `arrivals` |
| `Descent` | `incremental.py` | subtree raising | sends only the rows that a raise moves, through one split |
| `leaf_numbers` | `flat.py`, `split_tables.py` | `apply`, `predict` (up to 100,000) | tables, made once a tree; loads no numba |
| `walk_known` | `kernels/columns.py` | predictions of more rows | compiled: reads known numbers in place |
| `walk` | `kernels/walk.py` | the same with missing values, codes or sums | compiled: copies a block of rows first |
| `gather` | `kernels/walk.py` | rows with missing values (from 5,000) | compiled: 1.3 to 12 times as fast as `arrivals` |
| `label_of_row` | `one_row.py` | `predict` of one row | plain Python: 3 microseconds, and 600 by columns |
| `partition` | `growth/kernels/partition.py` | growth in compiled code | moves presorted features and codes along with the rows |

If a large tree cannot tell rows apart, `alike.py` routes one of them for all. `Descent` and `arrivals` divide rows by the
same functions, `route.by_child` and `divide_unanswered`. `recount` and `path_of` have no way of their own.
`count_cases` does not use the tables of `flat`, since making them for one count takes longer than calling the splits.
"""

from ftree.routing.all_routes import all_routes
from ftree.routing.apply import apply
from ftree.routing.explain_row import Change, Explanation, OtherAnswer, Step, explain_row
from ftree.routing.heaviest import heaviest
from ftree.routing.paths import Route, leaf_of, path_of
from ftree.routing.predict import Leaves, predict, predict_counts, predict_proba
from ftree.routing.recount import at_observed, recount
from ftree.routing.rule_names import Missing
from ftree.routing.scoring import Classifier, accuracy, costs_of_answers, mean_cost
from ftree.routing.shap import ShapValues, shap_values
from ftree.routing.stop_here import stop_here
from ftree.routing.weighted import weighted

__all__ = [
    "Change",
    "Classifier",
    "Explanation",
    "Leaves",
    "Missing",
    "OtherAnswer",
    "Route",
    "ShapValues",
    "Step",
    "accuracy",
    "all_routes",
    "apply",
    "at_observed",
    "costs_of_answers",
    "explain_row",
    "heaviest",
    "leaf_of",
    "mean_cost",
    "path_of",
    "predict",
    "predict_counts",
    "predict_proba",
    "recount",
    "shap_values",
    "stop_here",
    "weighted",
]
__dir__ = __all__.copy  # dir() shows public names only
