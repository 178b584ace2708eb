"""A user's prediction rule for missing values: a function. CONTRIBUTING has the recipe."""

import numpy as np

from ftree import ID3, Dataset, accuracy, evolve, grow, predict_proba
from ftree.splitters import ignore
from ftree.testing import check_missing


def by_roots(sizes):
    """Each child gets a share in proportion to the root of its cases, so that small children count for more."""
    return np.sqrt(sizes) / np.sqrt(sizes).sum()


by_roots.distributions = True


def test_it_keeps_the_laws_of_ours():
    check_missing(by_roots)


def test_it_answers_where_it_is_asked_for_or_belongs_to_the_tree():
    data = Dataset.from_rows([["a"], ["b"], ["b"], ["b"], ["b"]], ["no", "yes", "yes", "yes", "yes"])
    assert np.allclose(predict_proba(grow(data), [None], missing=by_roots), [1 / 3, 2 / 3])
    own = grow(data, evolve(ID3, missing=ignore(predict=by_roots)))
    assert np.allclose(predict_proba(own, [None]), [1 / 3, 2 / 3])
    assert accuracy(own, data) == 1
