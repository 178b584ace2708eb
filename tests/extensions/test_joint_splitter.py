"""A user's splitter of several features: sums drawn at random, of features unused above. Source: Breiman 2001 (Forest-RC)."""

from attrs import evolve, frozen
from hypothesis import given

from ftree import ID3, grow
from ftree.splitters import oblique
from ftree.testing import check_joint_splitter, check_policy, datasets
from ftree.tree import Branch


@frozen
class random_sums:
    """The best cut of one sum of all numbers, whose weights are drawn for the node."""

    seed: int
    kinds = ("numeric",)

    def at_root(self, features):
        return {number for number, feature in enumerate(features) if feature.kind == "numeric"}

    def below(self, unused, split, children):
        return [unused.difference(split.features)] * len(children)

    def best(self, vectors, measure):
        drawn, n = vectors.generator(self, self.seed).uniform(-1, 1, len(vectors.features)), len(vectors.inherited(self))
        return oblique(by=lambda node, _: [drawn[: node.points.shape[1]]]).best(vectors, measure) if n == len(drawn) > 1 else None


def test_it_and_policies_with_it_keep_the_laws():
    check_joint_splitter(random_sums(1), exempt={"best", "found", "units"})
    check_policy(evolve(ID3, splits=(*ID3.splits, random_sums(1))), exempt={"best"})


@given(datasets())
def test_no_sum_stands_below_another(dataset):
    sums = lambda node: (len(node.split.features) > 1) + max(map(sums, node.children)) if isinstance(node, Branch) else 0  # noqa: E731
    assert sums(grow(dataset, evolve(ID3, splits=(*ID3.splits, random_sums(1)))).root) <= 1
