"""A user's choice between features: gain squared over the cost of measuring the feature. Source: Tan 1993."""

import numpy as np
from attrs import evolve, frozen

from ftree import ID3, Dataset, grow
from ftree.testing import check_choice, check_policy


@frozen
class by_gain_for_the_money:
    """From the best split of each feature at each open node to figures; each node takes its highest."""

    prices: tuple[float, ...]

    def __call__(self, candidates):
        price = np.array(self.prices)[candidates.feature]
        return candidates.score**2 / price


def test_it_and_policies_with_it_keep_the_laws():
    prices = (1, 5, 20, 2)
    check_choice(by_gain_for_the_money(prices), oracle=lambda some: [gain**2 / prices[number] for number, gain, *_ in some])
    check_policy(evolve(ID3, choose=by_gain_for_the_money(prices)))


def test_it_takes_the_cheaper_of_two_that_say_the_same():
    data = Dataset.from_rows([["a", "c"], ["b", "d"]], ["no", "yes"], features=["scan", "question"])
    assert grow(data).root.split.feature == 0
    assert grow(data, evolve(ID3, choose=by_gain_for_the_money((20, 1)))).root.split.feature == 1
