"""The strategies make values as documented."""

from collections import Counter

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from ftree import Branch, Tree, n_leaves
from ftree.testing import datasets, passes, schemas, splits, trees
from ftree.testing.laws import trying
from ftree.tree.nodes import preorder
from ftree.tree.splits import Groups, Intervals, Multiway, Oblique, Subset, Threshold, WithSurrogates

# A found value need not be the simplest of its kind.
quick = settings(max_examples=2000, database=None, phases=[Phase.generate])


@given(st.data())
def test_trees_have_sums_in_their_branches_and_few_leaves(data):
    tree = data.draw(trees(max_leaves=6))
    assert n_leaves(tree) <= 6
    for node in preorder(tree):
        if isinstance(node, Branch):
            assert node.counts == tuple(map(sum, zip(*(child.counts for child in node.children), strict=True)))


@pytest.mark.parametrize("kind", [WithSurrogates, Groups, Intervals, Multiway, Oblique, Subset, Threshold])
def test_every_kind_of_split_happens(kind):
    made = schemas().flatmap(splits)
    assert isinstance(find(made, lambda split: isinstance(split, kind), settings=quick), kind)


@pytest.mark.parametrize(("reversed_", "default_child"), [(False, None), (True, 0), (False, 1)])
def test_surrogates_of_either_direction_and_every_default_child_happen(reversed_, default_child):
    def wanted(split):
        return (
            isinstance(split, WithSurrogates)
            and split.default_child == default_child
            and reversed_ in {s.reversed for s in split.surrogates}
        )

    found = find(schemas().flatmap(splits), wanted, settings=quick)
    assert all(surrogate.split.feature != found.split.feature for surrogate in found.surrogates)


def test_ties_gaps_and_weights_happen():
    tied = find(trees(), lambda tree: max(Counter(tree.root.counts).values()) > 1, settings=quick)
    assert len(tied.root.counts) > 1
    assert len(find(datasets(missing=True), lambda data: len(data.incomplete()) > 0, settings=quick)) > 0
    assert find(datasets(weighted=True), lambda data: max(data.weights) > 1, settings=quick).weights is not None


@given(st.data())
def test_passes_fit_the_trees_of_their_schema(data):
    schema = data.draw(schemas())
    tree, pass_ = data.draw(trees(schema=schema)), data.draw(passes(schema))
    assert isinstance(pass_(tree), Tree)


def test_a_battery_has_no_deadline():
    assert trying().deadline is None


def test_a_battery_tries_as_many_examples_as_the_profile_says():
    assert trying().max_examples == settings.default.max_examples
    assert trying(fewer=3).max_examples <= max(settings.default.max_examples // 3, 10)
