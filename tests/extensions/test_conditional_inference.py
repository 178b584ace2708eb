"""A user's conditional inference: the feature with the least p-value, if it is significant. Source: Hothorn et al. 2006."""

import numpy as np
from attrs import evolve, frozen
from scipy.stats import chi2

from ftree import ID3, Branch, Dataset, grow
from ftree.testing import check_choice


@frozen
class by_test:
    """Minus each candidate's p-value, of its feature's table of values and classes, adjusted for the features of the node."""

    alpha: float

    def __call__(self, candidates):
        known = candidates.known
        tables = [known.counts[start:end] for start, end in zip(known.start, known.end, strict=True)]
        several = np.bincount(candidates.node)[candidates.node]
        p = 1 - (1 - np.array([p_value(table) for table in tables])) ** several
        return np.where(p <= self.alpha, -p, -np.inf)


def p_value(table):
    table = table[:, table.sum(axis=0) > 0]
    cases, expected = table.sum(), np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    statistic = (cases - 1) / cases * ((table - expected) ** 2 / expected).sum()
    return chi2.sf(statistic, max(np.prod(np.array(table.shape) - 1), 1))


def test_it_keeps_the_laws():
    check_choice(by_test(0.5))


def test_of_tables_without_signal_a_tenth_has_a_root():
    draw, policy = np.random.default_rng(1), evolve(ID3, choose=by_test(0.1))
    tables = [Dataset.from_rows(draw.integers(0, 3, (60, 2)).astype(str), draw.integers(0, 2, 60)) for _ in range(100)]
    assert 3 <= sum(isinstance(grow(table, policy).root, Branch) for table in tables) <= 17
