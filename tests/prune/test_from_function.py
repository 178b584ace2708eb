"""Passes from plain functions: sharing, decisions, explanations, and errors."""

import pickle

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import Branch, Feature, Leaf, Schema, Tree, n_leaves, prune
from ftree.prune import Decision, decisions_of, explain, from_branch_function, from_function, replay
from ftree.testing import passes, schemas, trees
from ftree.tree import Threshold, map_leaves, preorder

TWIG = Branch((2, 1), Threshold(0, 0.5), [Leaf((2, 0)), Leaf((0, 1))])
TREE = Tree(Schema([Feature("x", "numeric")], "class", ("no", "yes")), Branch((4, 2), Threshold(0, 1.5), [TWIG, evolve(TWIG)]))


def rebuilt(tree):
    """A copy without a node in common."""
    return pickle.loads(pickle.dumps(tree))  # noqa: S301  # made here


def few(branch):
    """A branch of fewer than seven cases becomes a leaf."""
    return branch if sum(branch.counts) >= 7 else Leaf(branch.counts)


def cut_left(tree):
    """The first child of the root becomes a leaf."""
    return prune.snip([(0,)])(rebuilt(tree))


@given(st.data())
def test_a_pass_that_rebuilds_its_result_is_mended(data):
    schema = data.draw(schemas())
    tree, pass_ = data.draw(trees(schema=schema)), data.draw(passes(schema))
    wrapped = from_function(lambda given: rebuilt(pass_(given)))
    pruned, wanted = wrapped(tree), pass_(tree)
    old = {id(node) for node in preorder(tree)}
    assert pruned == wanted
    assert (pruned is tree) == (wanted is tree)
    assert [id(node) in old for node in preorder(pruned)] == [id(node) in old for node in preorder(wanted)]
    assert replay(wrapped.decisions(tree), tree) == wanted
    assert [made.path for made in wrapped.decisions(tree) if made.cut] == sorted(
        made.path for made in prune.trim(lambda _: False).decisions(tree) if is_cut(made.path, wanted)
    )


def is_cut(path, pruned):
    """Whether the node at a path is a leaf of a tree."""
    node = pruned.root
    for number in path:
        if isinstance(node, Leaf):
            return False
        node = node.children[number]
    return isinstance(node, Leaf)


def test_cut_and_kept_branches_are_listed_without_scores():
    cut, kept = Decision((0,), (2, 1), done="cut", becomes=Leaf((2, 1))), Decision((1,), (2, 1))
    assert from_function(cut_left).decisions(TREE) == (Decision((), (4, 2)), cut, kept)
    assert [(made.cut, made.tie) for made in from_branch_function(few).decisions(TREE)] == [(True, False)]


def test_a_plain_function_has_the_decisions_of_its_pass():
    assert decisions_of(cut_left, TREE) == from_function(cut_left).decisions(TREE)
    both = prune.compose(cut_left, prune.purity(0.9))
    assert prune.compose(lambda tree: tree).decisions(TREE) == decisions_of(rebuilt, TREE)
    assert both.decisions(TREE)[:3] == decisions_of(cut_left, TREE)
    assert replay(both.decisions(TREE), TREE) == both(TREE)


def test_explain_leaves_scores_blank_and_says_so():
    assert explain(cut_left, TREE).splitlines() == [
        "                              as leaf  as subtree  threshold  tie  done",
        "[4 2]                                                              kept",
        "x <= 1.5 [2 1]                                                      cut",
        "|   x <= 0.5: no (2.0) [2 0]",
        "|   x > 0.5: yes (1.0) [0 1]",
        "x > 1.5 [2 1]                                                      kept",
        "|   x <= 0.5: no (2.0) [2 0]",
        "|   x > 0.5: yes (1.0) [0 1]",
        "The pass gives no scores.",
    ]
    mixed = explain(prune.compose(cut_left, prune.purity(0.9)), TREE, form="table").splitlines()
    assert [line.split() for line in mixed[1:4]] == [
        ["()", "4", "2", "kept"],
        ["(0,)", "2", "1", "cut"],
        ["(1,)", "2", "1", "kept"],
    ]
    assert mixed[5].split() == ["(1,)", "2", "1", "1", "0", "0.3", "kept"]
    assert mixed[-1] == "One of the passes gives no scores."
    assert "scores" not in explain(prune.collapse(), TREE)


OTHER = evolve(TREE, schema=evolve(TREE.schema, target="other"))
RESPLIT = Branch((4, 2), Threshold(0, 2.5), TREE.root.children)


@pytest.mark.parametrize(
    ("function", "error", "words"),
    [
        (lambda _: None, TypeError, r"<lambda> must return a Tree or a node \(Leaf or Branch\), got None\.$"),
        (lambda _: OTHER, ValueError, "a tree with the schema of its input, got another schema"),
        (
            lambda _: Leaf((9, 9)),
            ValueError,
            r"got counts \(9, 9\) in place of \(4, 2\) at the path \(\)\. Cut a branch with Leaf",
        ),
        (
            lambda _: RESPLIT,
            ValueError,
            r"got the split Threshold\(feature=0, at=2\.5\) in place of Threshold\(.*=1\.5\) at the path \(\)",
        ),
        (
            lambda tree: map_leaves(tree, lambda leaf: Branch(leaf.counts, TWIG.split, [leaf, leaf])),
            ValueError,
            r"got a branch in place of a leaf at the path \(0, 0\)",
        ),
        (
            lambda tree: map_leaves(tree, lambda leaf: Leaf((1, 1)) if leaf.counts == (0, 1) else leaf),
            ValueError,
            r"counts \(1, 1\) in place of \(0, 1\) at the path \(0, 1\)",
        ),
    ],
)
def test_what_is_no_pruning_is_refused_with_the_first_path_at_fault(function, error, words):
    with pytest.raises(error, match=words):
        from_function(function)(TREE)
    with pytest.raises(error, match=words):
        explain(function, TREE)


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda: from_function(3), TypeError, "function must be a function, got 3"),
        (lambda: from_branch_function(Tree), TypeError, "function must be a function, got the class Tree"),
        (lambda: from_function(few)(Leaf((1,))), TypeError, "tree must be a Tree, got a Leaf"),
        (lambda: from_branch_function(few)(Leaf((1,))), TypeError, "tree must be a Tree, got a Leaf"),
        (
            lambda: from_branch_function(print)(TREE),
            TypeError,
            r"print must return a node for each branch, got None\. Return",
        ),
        (lambda: from_branch_function(lambda _: Leaf((1, 1)))(TREE), ValueError, r"at the path \(\)"),
    ],
)
def test_what_is_no_function_of_trees_or_branches_is_refused(ask, error, words):
    with pytest.raises(error, match=words):
        ask()


def test_a_function_of_branches_sees_the_children_as_they_were_pruned():
    sizes = []
    from_branch_function(lambda branch: sizes.append(n_leaves(branch)) or few(branch))(TREE)
    assert sizes == [2, 2, 2]
