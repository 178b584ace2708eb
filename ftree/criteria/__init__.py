"""Impurities, scores of splits, probability estimates, costs, importances; and the frontier and predicates of stopping rules."""

from ftree.criteria.costs import Costs, Priors, cost_risk, expected_costs
from ftree.criteria.counts import Avc, Joint
from ftree.criteria.estimates import laplace, m_estimate
from ftree.criteria.frontier import Frontier
from ftree.criteria.importances import importances
from ftree.criteria.impurity import (
    ROUNDING,
    Impurity,
    checked,
    compiled_impurity,
    dkm,
    entropy,
    gini,
    kl_divergence,
    misclassification,
    proportions,
    without_rounding,
)
from ftree.criteria.predicate import all_of, any_of, ask, not_
from ftree.criteria.scores import (
    Score,
    conditional_entropy,
    g_significance,
    gain,
    gain_ratio,
    hellinger,
    likelihood_ratio,
    normalised_gain,
    pearson,
    significance,
    split_information,
    twoing,
)

__all__ = [
    "ROUNDING",
    "Avc",
    "Costs",
    "Frontier",
    "Impurity",
    "Joint",
    "Priors",
    "Score",
    "all_of",
    "any_of",
    "ask",
    "checked",
    "compiled_impurity",
    "conditional_entropy",
    "cost_risk",
    "dkm",
    "entropy",
    "expected_costs",
    "g_significance",
    "gain",
    "gain_ratio",
    "gini",
    "hellinger",
    "importances",
    "kl_divergence",
    "laplace",
    "likelihood_ratio",
    "m_estimate",
    "misclassification",
    "normalised_gain",
    "not_",
    "pearson",
    "proportions",
    "significance",
    "split_information",
    "twoing",
    "without_rounding",
]
__dir__ = __all__.copy  # dir() shows public names only
