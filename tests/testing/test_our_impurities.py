"""The library's impurities keep the laws of impurities, and equal the formulas of the textbooks."""

from math import log2, sqrt

import numpy as np
import pytest

from ftree import compiled_impurity
from ftree.criteria.impurity import dkm, entropy, gini, misclassification
from ftree.testing import check_impurity


def shares(counts):
    return [n / sum(counts) for n in counts if n]


FORMULAS = {
    entropy: lambda counts: sum(-p * log2(p) for p in shares(counts)),
    gini: lambda counts: 1 - sum(p * p for p in shares(counts)) if any(counts) else 0,
    misclassification: lambda counts: 1 - max(shares(counts), default=1),
    dkm: lambda counts: sum(sqrt(p * (1 - p)) for p in shares(counts)),
}


@pytest.mark.parametrize("impurity", FORMULAS)
def test_an_impurity_of_ours_keeps_the_laws_and_is_the_textbook_s(impurity):
    check_impurity(impurity, oracle=FORMULAS[impurity])


def test_a_compiled_impurity_keeps_the_laws_of_the_function_it_is_made_of():
    def at_odds(counts):
        return 1.0 - counts.max() / counts.sum() if counts.sum() > 0 else 0.0

    check_impurity(compiled_impurity(at_odds), oracle=lambda counts: at_odds(np.array(counts)))
