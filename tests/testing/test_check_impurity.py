"""The battery for impurities catches impurities that break a law."""

import numpy as np
import pytest

from ftree.criteria.impurity import entropy
from ftree.testing import check_impurity


def test_an_impurity_that_does_not_broadcast_is_caught():
    with pytest.raises(AssertionError, match="one number"):
        check_impurity(np.sum)
    with pytest.raises(AssertionError, match="never negative"):
        check_impurity(lambda counts: -entropy(counts))
    with pytest.raises(AssertionError, match="an impurity is finite"):
        check_impurity(lambda counts: np.full(np.shape(counts)[:-1], np.inf))
