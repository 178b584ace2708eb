"""A user's splitter of several features: sums drawn at random, of features unused above. Source: Breiman 2001 (Forest-RC)."""

from attrs import evolve, frozen
from hypothesis import given
from numpy.random import default_rng

from ftree import ID3, grow
from ftree.splitters import oblique
from ftree.testing import check_policy, datasets
from ftree.tree import Branch


@frozen
class random_sums:
    """The best cut of one sum of all numbers, whose weights are drawn from the key of the node."""

    kinds = ("numeric",)

    def at_root(self, features):
        return frozenset(number for number, feature in enumerate(features) if feature.kind == "numeric")

    def below(self, unused, split, children):
        return [unused.difference(split.features)] * len(children)

    def best(self, vectors, measure):
        drawn, n = default_rng(vectors.key).uniform(-1, 1, len(vectors.features)), len(vectors.above(self))
        return oblique(by=lambda *_: [drawn]).best(vectors, measure) if n == len(drawn) > 1 else None


def test_policies_with_it_keep_the_laws():
    check_policy(evolve(ID3, splits=(*ID3.splits, random_sums())), exempt={"best"})


@given(datasets())
def test_no_sum_stands_below_another(dataset):
    def sums(node):
        return (len(node.split.features) > 1) + max(map(sums, node.children)) if isinstance(node, Branch) else 0

    assert sums(grow(dataset, evolve(ID3, splits=(*ID3.splits, random_sums()))).root) <= 1
