"""A user's choice with inherited state: what has been measured above costs nothing. Sources: Turney 1995 (ICET); Tan 1993."""

import numpy as np
from attrs import evolve, frozen

from ftree import ID3, Dataset, grow
from ftree.testing import check_choice, check_policy


@frozen
class by_gain_for_what_is_unpaid:
    """Gain over the price of features that nobody has measured above; those that were measured cost only the question."""

    prices: tuple[float, ...]

    def at_root(self, _):
        return frozenset()

    def below(self, paid, split, children):
        return [paid.union(split.features)] * len(children)

    def __call__(self, candidates):
        pairs = zip(candidates.inherited(self), candidates.feature.tolist(), strict=True)
        return candidates.score / [1 if feature in paid else 1 + self.prices[feature] for paid, feature in pairs]


def test_it_and_policies_with_it_keep_the_laws():
    once = by_gain_for_what_is_unpaid((4, 1, 2, 3))
    check_choice(once, oracle=lambda some: [gain / (1 + once.prices[number]) for number, gain, *_ in some])
    check_policy(evolve(ID3, choose=once), exempt={"best"})


def test_what_was_measured_above_costs_nothing_below():
    columns = {"scan": [2, 3, 4, 2, 2, 4, 4, 4], "age": [1, 2, 2, 2, 2, 2, 2, 1]}
    data = Dataset.from_columns(columns | {"class": list("ynyyyynn")}, kinds="numeric")
    each_time = lambda candidates: candidates.score / (1 + np.array([1, 0.2])[candidates.feature])  # noqa: E731
    for choose, second in ((by_gain_for_what_is_unpaid((1, 0.2)), 0), (each_time, 1)):
        root = grow(data, evolve(ID3, choose=choose)).root
        assert (root.split.features, root.children[1].split.features) == ((0,), (second,))
