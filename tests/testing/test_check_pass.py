"""The check of passes detects passes that break a law."""

from collections.abc import Callable

import pytest
from attrs import evolve, frozen
from hypothesis import strategies as st

from ftree import Branch, Leaf, Tree, depth, n_nodes, prune
from ftree.prune import Decision, collapse
from ftree.stop import max_depth
from ftree.testing import chain, check_pass
from ftree.tree import Threshold, leaves, map_leaves

pytestmark = pytest.mark.usefixtures("unshrunk")
usual = pytest.mark.parametrize("unshrunk", [1], indirect=True)


def without_rule(tree):
    pruned = collapse()(tree)
    return tree if pruned is tree else Tree(pruned.schema, pruned.root)


def recursive(tree):
    """Cuts what has a pure branch, by calling itself for each child."""

    def pruned(node):
        children = [pruned(child) for child in getattr(node, "children", ())]
        return Leaf(node.counts) if max(node.counts) == sum(node.counts) or not children else evolve(node, children=children)

    return evolve(tree, root=pruned(tree.root))


def doubling(tree):
    """Writes into the root of its input."""
    object.__setattr__(tree.root, "counts", tuple(2 * count for count in tree.root.counts))
    return tree


@pytest.mark.parametrize(
    ("broken", "law"),
    [
        (doubling, "pruning leaves its input unchanged"),
        (prune.from_function(recursive), "does not call itself for each child"),
        (lambda tree: Tree(tree.schema, Leaf([count + 1 for count in tree.root.counts])), "returns a pruning"),
        (lambda tree: Tree(tree.schema, tree.root), "same object"),
        (lambda tree: evolve(tree, schema=evolve(tree.schema, target="other")), "keeps the schema"),
        (without_rule, "keeps the prediction rule"),
        (lambda tree: prune.trim(max_depth(max(0, depth(tree) - 1)))(tree), "pruning twice"),
    ],
)
def test_a_pass_that_breaks_a_law_is_caught(broken, law):
    with pytest.raises(AssertionError, match=law):
        check_pass(broken)


def test_a_pass_that_copies_what_it_does_not_cut_or_adds_leaves_is_caught():
    twig = Branch((1, 1), Threshold(0, 0.5), [Leaf((1, 0)), Leaf((0, 1))])
    tree = Tree(chain(1).schema, Branch((2, 2), Threshold(0, 1.5), [twig, twig]))
    copy = Branch(twig.counts, twig.split, twig.children)
    cut_and_copied = Tree(tree.schema, Branch((2, 2), Threshold(0, 1.5), [copy, Leaf(twig.counts)]))
    with pytest.raises(AssertionError, match="subtrees are shared"):
        check_pass(lambda given: cut_and_copied if given == tree else given, given_trees=st.just(tree))
    grown = lambda tree: map_leaves(tree, lambda leaf: Branch(leaf.counts, Threshold(0, 0.5), [leaf, leaf]))  # noqa: E731  # short
    with pytest.raises(AssertionError, match="a pass adds no leaf"):
        check_pass(grown, given_trees=st.just(TWIG), exempt={"pruning"})


TWIG = chain(1)


@frozen
class Telling:
    """A pass that cuts the root, and reports the decisions of a function."""

    tell: Callable

    def __call__(self, tree):
        return tree if isinstance(tree.root, Leaf) else evolve(tree, root=Leaf(tree.root.counts))

    def decisions(self, tree):
        return self.tell(tree.root) if isinstance(tree.root, Branch) else ()


def cut(root, *scores, done="cut"):
    """The decision that cuts a root, with other scores or another value of `done`."""
    return Decision((), root.counts, *scores, done=done, becomes=Leaf(root.counts))


class WrongInLargeTrees:
    """A pass that says the truth about small trees only."""

    def __call__(self, tree):
        return tree if n_nodes(tree) > 100 else collapse()(tree)

    def decisions(self, tree):
        return collapse().decisions(tree)


def test_a_pass_that_is_wrong_in_large_trees_only_is_caught():
    same = Tree(TWIG.schema, Branch((2, 0), TWIG.root.split, [Leaf((1, 0)), Leaf((1, 0))]))
    with pytest.raises(AssertionError, match="a large tree is pruned as its decisions say"):
        check_pass(WrongInLargeTrees(), given_trees=st.just(same))


@pytest.mark.parametrize(
    ("tell", "law"),
    [
        (lambda _: (), "replaying the decisions gives the result"),
        (lambda root: (cut(root, done="kept"),), "only a kept node has no replacement"),
        (lambda root: (cut(root, 3.0, 1.0, 2.0),), "no branch is cut against its scores"),
        (lambda root: (Decision((), root.counts, 1.0, 2.0, 2.0),), "no branch is kept against its scores"),
        (lambda root: (evolve(cut(root), counts=(7, 7)),), "a decision has the counts of its branch"),
        (lambda root: (Decision((0,), root.children[0].counts),), "a decision is about a branch"),
        (lambda root: (evolve(cut(root), becomes=root),), "a cut leaves a leaf with the branch's counts"),
        (lambda root: (Decision((), root.counts), cut(root)), "each branch is judged once"),
    ],
)
def test_a_pass_whose_decisions_are_not_what_it_does_is_caught(tell, law):
    with pytest.raises(AssertionError, match=law):
        check_pass(Telling(tell), given_trees=st.just(TWIG))
    check_pass(Telling(lambda root: (cut(root, 2.0, 1.0, 2.0),)), given_trees=st.just(TWIG))


DEEP = chain(3)


def test_decisions_in_no_order_are_caught():
    def inside_out(root):
        below = root.children[1]
        return (Decision((1,), below.counts), Decision((1, 1), below.children[1].counts), cut(root))

    with pytest.raises(AssertionError, match=r"children first or parents first: got \[\(1,\), \(1, 1\), \(\)\]"):
        check_pass(Telling(inside_out), given_trees=st.just(DEEP))
    check_pass(Telling(inside_out), given_trees=st.just(DEEP), exempt={"order"})


def errors(counts, _):
    return sum(counts) - max(counts)


@pytest.mark.parametrize(
    ("scores", "law"),
    [((2.0, 0.0, 2.0), "the score as a leaf is the estimate"), ((1.0, 1.0, 2.0), "the score as a subtree is the sum")],
)
def test_scores_that_are_no_estimates_are_caught(scores, law):
    with pytest.raises(AssertionError, match=law):
        check_pass(Telling(lambda root: (cut(root, *scores),)), given_trees=st.just(TWIG), estimate=errors)
    right = Telling(lambda root: (cut(root, 1.0, 0.0, 2.0),))
    check_pass(right, given_trees=st.just(TWIG), estimate=errors)


@pytest.mark.parametrize(
    ("oracle", "law"),
    [
        (lambda tree: tree, "a pass returns what the oracle returns"),
        (lambda _: (), "a pass decides what the oracle decides"),
        (lambda tree: (cut(tree.root, 1.0, 0.0, 3.0),), r"threshold is that of the oracle: got 2\.0, must be 3\.0"),
    ],
)
def test_a_pass_that_is_not_what_the_oracle_says_is_caught(oracle, law):
    pass_ = Telling(lambda root: (cut(root, 1.0, 0.0, 2.0),))
    with pytest.raises(AssertionError, match=law):
        check_pass(pass_, given_trees=st.just(TWIG), oracle=oracle)
    check_pass(pass_, given_trees=st.just(TWIG), oracle=lambda tree: (cut(tree.root, 1.0, 0.0, 2.0),))
    check_pass(pass_, given_trees=st.just(TWIG), oracle=lambda tree: Tree(tree.schema, Leaf(tree.root.counts)))


class Remembering:
    """Cuts what has no fewer errors below, and remembers by counts what it cuts."""

    def __init__(self):
        self.cuts = {}

    def __call__(self, tree):
        def cut(one):
            worse = errors(one.counts, None) <= sum(errors(leaf.counts, None) for leaf in leaves(one))
            return Leaf(one.counts) if self.cuts.setdefault(one.counts, worse) else one

        return prune.from_branch_function(cut)(tree)


class ScoredByCounts:
    """The same, where nodes of a tree that have equal counts have the scores of the first."""

    def decisions(self, tree):
        known = {}
        return [evolve(one, as_subtree=known.setdefault(one.counts, one.as_subtree)) for one in collapse().decisions(tree)]

    def __call__(self, tree):
        return collapse()(tree)


def test_a_pass_that_takes_trees_with_equal_counts_for_one_is_caught():
    with pytest.raises(AssertionError, match="earlier calls do not change an answer"):
        check_pass(Remembering())


@pytest.mark.parametrize("unshrunk", [600], indirect=True)
def test_a_pass_that_takes_nodes_with_equal_counts_for_one_is_caught():
    with pytest.raises(AssertionError, match="the score as a subtree is the sum of its leaves' estimates"):
        check_pass(ScoredByCounts(), estimate=errors)


@usual
def test_a_pass_needs_no_decisions():
    check_pass(lambda tree: tree, given_trees=st.just(TWIG))
