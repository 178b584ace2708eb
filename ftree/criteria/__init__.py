"""Impurities, scores of splits and costs; the frontier and the predicates of stopping rules.

    impurity.py          from class counts (..., K) to numbers: entropy, gini ...; impurity_in_c.py: a C function of yours
    impurity_of_sums.py  the same from the sums of other responses: variance, poisson, mean_risk
    scores.py            from children's counts (..., V, K): gain, gain_ratio ..., and tests of independence
    costs.py             priors and costs, which alter counts; error_limits.py: C4.5's limits of the errors of a leaf
    frontier.py          a level, as `Nodes` before the search and as `Frontier` after it; `Avc` and `Joint`, which engines count
    inherited_state.py   what parts of a policy hand down from a node to its children
    predicate.py         how stopping rules compose: | & ~
    importances.py       the decreases in impurity by each feature of a tree

A gain is computed for candidate splits (`scores.gain`), for the rules of a level (`Frontier.gain_by`), and in C. The three add up
in other orders; `docs/explanation/rounding.md` says what follows.

| to add | change | test that goes red |
|---|---|---|
| an impurity, a score | a function, or a frozen class if it has options; a line below | `check_impurity`, `check_score` |
| | its name in `docs/reference/criteria.rst` | `tests/docs/test_reference.py` |
| | `_ROLES` of policy/growth_policy.py, if its module is new | `tests/test_doors.py` |
| a field of a level | frontier.py: `Nodes` or `Frontier`; `_OF_NODES`, if it has an element for each node | `tests/criteria` |
"""

from typing import TYPE_CHECKING

from ftree._lib import on_first_use

if TYPE_CHECKING:
    from ftree.criteria.inherited_state import InheritedState as InheritedState, HasInheritedState as HasInheritedState
    from ftree.criteria.costs import Costs as Costs, Priors as Priors, cost_risk as cost_risk, expected_costs as expected_costs
    from ftree.criteria.frontier import Avc as Avc, Frontier as Frontier, Nodes as Nodes, Joint as Joint
    from ftree.criteria.impurity import (
        ROUNDING as ROUNDING,
        Impurity as Impurity,
        checked as checked,
        dkm as dkm,
        entropy as entropy,
        gini as gini,
        kl_divergence as kl_divergence,
        misclassification as misclassification,
        proportions as proportions,
        without_rounding as without_rounding,
    )
    from ftree.criteria.impurity_in_c import compiled_impurity as compiled_impurity
    from ftree.criteria.impurity_of_sums import (
        ImpurityOfSums as ImpurityOfSums,
        mean_risk as mean_risk,
        poisson as poisson,
        variance as variance,
    )
    from ftree.criteria.predicate import all_of as all_of, any_of as any_of, ask as ask, not_ as not_
    from ftree.criteria.scores import (
        Score as Score,
        conditional_entropy as conditional_entropy,
        g_significance as g_significance,
        gain as gain,
        gain_ratio as gain_ratio,
        hellinger as hellinger,
        likelihood_ratio as likelihood_ratio,
        normalised_gain as normalised_gain,
        pearson as pearson,
        significance as significance,
        split_information as split_information,
        twoing as twoing,
    )
else:
    on_first_use(__name__)
