"""The battery for passes catches passes that break a law."""

import pytest
from attrs import evolve
from hypothesis import strategies as st

from ftree import Branch, Leaf, Tree, depth, prune
from ftree.stop import max_depth
from ftree.testing import chain, check_pass
from ftree.tree.splits import Threshold


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
