"""The batteries catch parts that break a law, and the strategies make what they promise."""

from collections import Counter

import numpy as np
import pytest
from attrs import evolve
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from ftree import CART, ID3, Branch, Leaf, Tree, depth, n_leaves, prune
from ftree.criteria.impurity import entropy
from ftree.splitters import multiway
from ftree.stop import max_depth, per_node, pure
from ftree.testing import chain, check_impurity, check_pass, check_policy, check_rule, datasets, passes, schemas, splits, trees
from ftree.tree.nodes import preorder
from ftree.tree.splits import Groups, Intervals, Multiway, Oblique, Subset, Threshold, WithSurrogates

# What is looked for need not be the simplest of its kind.
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


def test_a_rule_that_mixes_up_nodes_is_caught():
    with pytest.raises(AssertionError, match="level's answer"):
        check_rule(lambda frontier: frontier.weight >= np.max(frontier.weight))
    check_rule(per_node(pure()))


def test_an_impurity_that_does_not_broadcast_is_caught():
    with pytest.raises(AssertionError, match="one number"):
        check_impurity(np.sum)
    with pytest.raises(AssertionError, match="never negative"):
        check_impurity(lambda counts: -entropy(counts))
    with pytest.raises(AssertionError, match="an impurity is finite"):
        check_impurity(lambda counts: np.full(np.shape(counts)[:-1], np.inf))


@pytest.mark.parametrize(
    ("broken", "law"),
    [
        (lambda tree: Tree(tree.schema, Leaf([count + 1 for count in tree.root.counts])), "returns a pruning"),
        (lambda tree: Tree(tree.schema, tree.root), "same object"),
        (lambda tree: evolve(tree, schema=evolve(tree.schema, target="other")), "leaves the schema"),
    ],
)
def test_a_pass_that_breaks_a_law_is_caught(broken, law):
    with pytest.raises(AssertionError, match=law):
        check_pass(broken)


def test_a_pass_that_copies_what_it_does_not_cut_is_caught():
    twig = Branch((1, 1), Threshold(0, 0.5), [Leaf((1, 0)), Leaf((0, 1))])
    tree = Tree(chain(1).schema, Branch((2, 2), Threshold(0, 1.5), [twig, twig]))
    copy = Branch(twig.counts, twig.split, twig.children)
    cut_and_copied = Tree(tree.schema, Branch((2, 2), Threshold(0, 1.5), [copy, Leaf(twig.counts)]))
    with pytest.raises(AssertionError, match="subtrees are shared"):
        check_pass(lambda given: cut_and_copied if given == tree else given, given_trees=st.just(tree))


def test_a_pass_that_is_not_idempotent_is_caught():
    with pytest.raises(AssertionError, match="pruning twice"):
        check_pass(lambda tree: prune.trim(max_depth(max(0, depth(tree) - 1)))(tree))


def test_a_policy_that_cannot_tell_rows_apart_is_caught():
    with pytest.raises(AssertionError, match="one label only"):
        check_policy(evolve(ID3, splits=(multiway(),)))
    check_policy(CART)


def test_a_chain_has_the_depth_asked_for():
    tree = chain(5)
    assert n_leaves(tree) == 6
    assert sum(tree.root.counts) == 6
    assert tree.root.counts == (3, 3)
