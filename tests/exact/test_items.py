"""The integers that counts are kept in."""

import numpy as np
import pytest
from attrs import evolve

from ftree import optimal
from ftree.datasets import monks

TABLE = monks(3)


@pytest.mark.parametrize("weight", [1, 75, 76, 4_970_000, 4_980_000])
def test_counts_of_every_size_have_the_same_optimum(weight):
    """432 rows: 75 times as many are counted in 16 bits, 76 times in 32, and 4,980,000 times in doubles."""
    heavy = optimal(evolve(TABLE, weights=np.full(len(TABLE), weight)), max_depth=3)
    assert heavy.cost == weight * optimal(TABLE, max_depth=3).cost
    assert heavy.proved
