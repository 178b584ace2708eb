"""A user's stopping rule with inherited state: the questions of a way cost at most a budget. Source: Turney 1995."""

from attrs import frozen
from hypothesis import given

from ftree import ID3, grow
from ftree.testing import check_policy, check_rule, datasets
from ftree.tree import Branch


@frozen
class spent:
    """Close nodes whose way has cost as much as the budget; a feature is paid for at each question."""

    prices: tuple[float, ...]
    budget: float

    def at_root(self, _):
        return 0.0

    def below(self, cost, split, children):
        return [cost + sum(self.prices[feature] for feature in split.features)] * len(children)

    def __call__(self, frontier):
        return frontier.inherited(self) >= self.budget


def test_it_and_policies_with_it_keep_the_laws():
    check_rule(spent((1, 2, 3), 3))
    check_policy(ID3.stopping(spent((1, 2, 3), 3)), exempt={"apart"})


@given(datasets(missing=True))
def test_no_way_costs_more_than_the_budget_and_one_question(dataset):
    def most(node):
        return 1 + node.split.features[0] + max(map(most, node.children)) if isinstance(node, Branch) else 0

    assert most(grow(dataset, ID3.stopping(spent((1, 2, 3), 3))).root) < 3 + 3
