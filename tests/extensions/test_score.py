"""A user's score: gain over the entropy of child and class together, which is 1 minus a distance of partitions.

Source: Lopez de Mantaras 1991.
"""

import numpy as np
from attrs import evolve

from ftree import ID3, Dataset, entropy, gain, grow, n_leaves
from ftree.datasets import weather
from ftree.testing import check_policy, check_score


def closeness(children, _impurity):
    """From children's counts (..., V, K) to (...), between 0 and 1."""
    cells = np.reshape(children, (*np.shape(children)[:-2], -1))
    together = np.asarray(entropy(cells))
    return np.divide(gain(children), together, out=np.zeros_like(together), where=together > 0)


def test_it_keeps_the_laws():
    check_score(closeness)
    check_policy(evolve(ID3, score=closeness))


def test_it_prefers_few_children_where_gain_does_not_mind():
    rows = [["p", "a"], ["q", "a"], ["r", "b"], ["s", "b"]]
    data = Dataset.from_rows(rows, ["no", "no", "yes", "yes"], features=["name", "sky"])
    assert float(closeness([[2, 0], [0, 2]], entropy)) == 1
    assert grow(data).root.split.feature == 0
    assert grow(data, evolve(ID3, score=closeness)).root.split.feature == 1


def test_a_rule_asks_for_the_score_of_the_split_that_was_chosen():
    close = lambda least: evolve(ID3, score=closeness).stopping(lambda frontier: frontier.score < least)  # noqa: E731
    assert [n_leaves(grow(weather(), close(least))) for least in (0.1, 0.12)] == [5, 1]  # at the root .11, below it 1
