"""A user's stopping rule: stop where a given share of the cases is of one class."""

from attrs import frozen

from ftree import ID3, Dataset, grow, n_leaves
from ftree.stop import max_depth, per_node
from ftree.testing import check_policy, check_rule


@frozen
class nearly_pure:
    """From the open nodes of a level to one boolean each; counts have classes on the last axis."""

    share: float

    def __call__(self, frontier):
        return frontier.counts.max(axis=-1) >= self.share * frontier.weight


def test_it_keeps_the_laws_alone_and_in_compositions():
    check_rule(nearly_pure(0.75), oracle=lambda node: max(node.counts) / sum(node.counts) >= 0.75)
    check_rule(~max_depth(3) & nearly_pure(0.9))
    check_rule(per_node(lambda node: max(node.counts) >= 0.9 * node.weight))
    check_policy(ID3.stopping(nearly_pure(0.9)))


def test_it_stops_where_it_says():
    data = Dataset.from_rows([["a"], ["b"], ["b"], ["c"]], ["yes", "no", "no", "no"])
    assert n_leaves(grow(data, ID3.stopping(nearly_pure(0.75)))) == 1
    assert n_leaves(grow(data, ID3.stopping(nearly_pure(0.8)))) == 3
