"""Pruning passes: functions from tree to tree, which compose and report their decisions.

A pass that cuts nothing returns the same tree, and untouched subtrees are shared, not copied. A plain function is a pass too, and
`from_function` adds sharing and decisions to it (compositions.py).

    in_level_order          passes.py     the tree as lists: nodes, parents, children
      |                                   scores of its nodes as leaves: their unit
    bottom_up, root_first   passes.py     a judge's verdict on each branch
      |
    Pruned                  decisions.py  the pruned tree, and the decisions; `explain` shows them, `replay` repeats them;
                                          which scores are equal

A pass has a file (pessimistic.py, reduced_error.py, error_based.py, description_length.py), or shares one with its like
(split_scores.py, trim.py, collapse.py). `error_based` may move branches up: subtree_raising.py. Prunings for all alphas are a
path: weakest_links.py makes it, path_losses.py and path_validation.py measure its trees, path_choice.py chooses one.
explain.py shows decisions in words; shrinkage.py changes counts, and cuts nothing.

To add a pass, copy `pessimistic`: give `bottom_up` its scores, and a judge if ties or thresholds differ. One that judges in
another order, or changes counts, makes its decisions itself, as `reduced_error` does. `check_pass` has the laws.

| to add | change | test in `tests/prune` |
|---|---|---|
| a pass | a file; its name below and in `docs/reference/pruning.rst`; `testing.passes` | its own file, by `check_pass` |
| a field of decisions | `Decision`; explain.py; if it is a number, `_SCORES` of saving/json_decisions.py | `tests/saving` |
| a choice of a tree of a path | path_choice.py; its name as above | `CHOICES` of `test_prune_choice.py` |
| what an answer costs | `path_losses.path_losses` and `loss`, which must agree | `test_path_losses.py` |
"""

from typing import TYPE_CHECKING

from ftree._lib import on_first_use

if TYPE_CHECKING:
    from ftree.prune.collapse import collapse as collapse, purity as purity, snip as snip
    from ftree.prune.compositions import (
        Pass as Pass,
        PassWithDecisions as PassWithDecisions,
        compose as compose,
        decisions_of as decisions_of,
        from_branch_function as from_branch_function,
        from_function as from_function,
    )
    from ftree.prune.decisions import Decision as Decision, replay as replay
    from ftree.prune.description_length import mdl as mdl
    from ftree.prune.error_based import error_based as error_based
    from ftree.prune.explain import explain as explain
    from ftree.prune.path_choice import (
        Measured as Measured,
        PathChoice as PathChoice,
        PruningPath as PruningPath,
        lowest_error as lowest_error,
        measured as measured,
        one_standard_error as one_standard_error,
        select as select,
        within as within,
    )
    from ftree.prune.path_validation import cross_predicted as cross_predicted, cross_validated as cross_validated
    from ftree.prune.pessimistic import (
        estimated_error as estimated_error,
        minimum_error as minimum_error,
        pessimistic as pessimistic,
    )
    from ftree.prune.reduced_error import reduced_error as reduced_error
    from ftree.prune.shrinkage import shrunk as shrunk
    from ftree.prune.split_scores import chi_squared as chi_squared, critical_value as critical_value
    from ftree.prune.trim import trim as trim
    from ftree.prune.weakest_links import (
        PathStep as PathStep,
        cost_complexity as cost_complexity,
        cost_complexity_path as cost_complexity_path,
    )
else:
    on_first_use(__name__)
