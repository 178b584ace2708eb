"""Impurities, scores of splits and costs; the frontier and the predicates of stopping rules."""

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
