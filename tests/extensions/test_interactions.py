"""A user's interaction constraints: which features meet on a way. Source: the lists of groups of LightGBM and YDF."""

from attrs import evolve, frozen
from hypothesis import given
from hypothesis import strategies as st

from ftree import ID3, grow
from ftree.splitters import interactions
from ftree.testing import check_policy, datasets


@frozen
class within:
    """A choice among the features that are in one group with all features above; the groups are of numbers."""

    groups: tuple[frozenset, ...]

    def at_root(self, _):
        return frozenset()

    def below(self, used, split, children):
        return [used | {*split.features}] * len(children)

    def __call__(self, candidates):
        ways = zip(candidates.inherited(self), candidates.feature.tolist(), candidates.score, strict=True)
        return [score if any(used | {own} <= group for group in self.groups) else -float("inf") for used, own, score in ways]


def test_policies_with_it_keep_the_laws():
    check_policy(evolve(ID3, choose=within((frozenset({0, 1}), frozenset({1, 2})))), exempt={"apart"})


@given(datasets(missing=True, weighted=True), st.lists(st.frozensets(st.integers(0, 2)), min_size=1, max_size=3))
def test_trees_are_those_of_the_librarys_constraint(dataset, groups):
    names = [[feature.name for n, feature in enumerate(dataset.schema.features) if n in group] for group in groups]
    theirs = evolve(ID3, splits=(interactions([*names, []], ID3.splits),))
    rest = frozenset(range(3)).difference(*groups)
    assert grow(dataset, evolve(ID3, choose=within((*groups, rest)))) == grow(dataset, theirs)
