"""Passes one after another, and from plain functions: laws, decisions, explanations, and errors."""

import pickle
from math import inf, nan
from typing import get_args

import numpy as np
import pytest
from attrs import evolve, fields, has
from hypothesis import given
from hypothesis import strategies as st
from plain_passes import COMPLETE, SCHEMA, TREES, WITH_GAPS

from ftree import CART, ID3, Branch, Dataset, Feature, Leaf, Schema, Tree, grow, n_leaves, prune, stop
from ftree.missing import weighted
from ftree.prune import Decision, decisions_of, explain, from_branch_function, from_function, replay
from ftree.testing import check_pass, passes, schemas, trees
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


@given(TREES, st.lists(passes(SCHEMA) | st.just(prune.reduced_error(WITH_GAPS, labels="backfit")), max_size=3))
def test_a_composition_is_one_pass_after_the_other_and_so_are_its_decisions(tree, several):
    composed, pruned, decisions = prune.compose(*several), tree, ()
    for pass_ in several:
        decisions += pass_.decisions(pruned)
        pruned = pass_(pruned)
    assert composed(tree) == pruned
    assert composed.decisions(tree) == decisions
    assert replay(decisions, tree) == pruned


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize(
    ("pass_", "exempt"),
    [
        (prune.compose(), ()),
        (prune.compose(prune.purity(0.9), prune.collapse()), ()),
        (prune.compose(prune.pessimistic(), prune.collapse()), {"once"}),
    ],
    ids=repr,
)
def test_passes_one_after_another_keep_the_laws(pass_, exempt):
    check_pass(pass_, given_trees=TREES, exempt=exempt)


def test_compositions_flatten_and_read_as_written():
    one, two = prune.collapse(), prune.pessimistic()
    assert prune.compose(one, prune.compose(two, one)) == prune.compose(one, two, one)
    assert repr(prune.compose(prune.snip([()]), len)) == "compose(snip(((),)), len)"


def stump(tree):
    """The root as a leaf."""
    return Leaf(tree.root.counts)


def few_from_leaves_up(node):
    """The node with few branches cut from the leaves up, and all nodes rebuilt."""
    if isinstance(node, Leaf):
        return Leaf(node.counts)
    return few(Branch(node.counts, node.split, list(map(few_from_leaves_up, node.children))))


def without_few(tree):
    return Tree(tree.schema, few_from_leaves_up(tree.root))


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize(
    ("pass_", "oracle", "exempt"),
    [
        (from_function(stump), lambda tree: evolve(tree, root=stump(tree)), ()),
        (from_function(without_few), without_few, ["deep"]),
        (from_branch_function(few), without_few, ()),
    ],
    ids=["stump", "tree", "branch"],
)
def test_a_pass_made_of_a_function_keeps_the_laws_and_answers_as_the_function_does(pass_, oracle, exempt):
    check_pass(pass_, given_trees=TREES, oracle=oracle, exempt=exempt)


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


def test_explain_tells_a_tie():
    tree = grow(Dataset.from_rows([["a"], ["b"]] * 2, ["no", "no", "no", "yes"]), ID3)
    no_loss = prune.reduced_error(Dataset.from_rows([["a"]], ["no"]))
    assert explain(no_loss, tree, form="table").split()[-2:] == ["tie", "cut"]


OTHER = evolve(TREE, schema=evolve(TREE.schema, target="other"))
RESPLIT = Branch((4, 2), Threshold(0, 2.5), TREE.root.children)


@pytest.mark.parametrize(
    ("function", "error", "words"),
    [
        (lambda _: None, TypeError, r"<lambda> must return a Tree or a node \(Leaf or Branch\), got None\.$"),
        (lambda _: OTHER, ValueError, "a tree with the schema of its input, got another schema"),
        (
            lambda tree: evolve(tree, missing=weighted()),
            ValueError,
            "the rule for missing values of its input, None, got weighted",
        ),
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


GROWN = grow(COMPLETE, CART)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: prune.cost_complexity_path(GROWN, risk=None), TypeError, "misclassification or gini, got None"),
        (lambda: prune.minimum_error(m=-1), ValueError, "m must be a finite number of at least 0, got -1"),
        (lambda: prune.minimum_error(m=inf), ValueError, "got inf"),
        (lambda: prune.minimum_error(prior=(1,)), ValueError, "m must be the weight of the prior in cases, got None"),
        (lambda: prune.minimum_error(m=1, prior=(0.5, 0.6)), ValueError, "sum to 1"),
        (lambda: prune.minimum_error(m=1, prior=(nan, 1)), ValueError, "numbers from 0 that sum to 1"),
        (
            lambda: prune.minimum_error(m=1, prior=(0.5, 0.5))(GROWN),
            ValueError,
            "prior must be 3 shares, one for each class in the schema's order, got 2",
        ),
        (lambda: prune.critical_value(nan), ValueError, "c must be a number in the unit of the score, got nan"),
        (lambda: prune.chi_squared(1.5), ValueError, "between 0 and 1, got 1.5"),
        (lambda: prune.mdl(features=0), ValueError, "features must be a whole number of features from 1, got 0"),
        (lambda: prune.mdl(value_cost=-1), ValueError, "value_cost must be a number of at least 0, got -1"),
        (lambda: prune.mdl(features=1.5), ValueError, "features must be a whole number of features from 1, got 1.5"),
        (lambda: prune.purity(1.1), ValueError, "between 0 and 1, got 1.1"),
        (lambda: prune.trim(stop.pure), TypeError, "rule must be a function, got the class pure"),
        (lambda: prune.compose(prune.collapse), TypeError, "with parentheses"),
        (lambda: prune.compose(n_leaves).decisions(GROWN), TypeError, "n_leaves must return a Tree or a node .*, got an int"),
        (lambda: prune.collapse()(GROWN.root), TypeError, "tree must be a Tree"),
    ],
)
def test_what_is_no_argument_of_a_pass_is_refused(make, error, words):
    with pytest.raises(error, match=words):
        make()


def takes_a_number(each):
    return any(kind in (int, float) for kind in (each.type, *get_args(each.type)))


PASSES = [kind for name in dir(prune) if isinstance(kind := getattr(prune, name), type) and has(kind) and "__call__" in dir(kind)]
OF_NUMBERS = [(kind, each.name) for kind in PASSES for each in fields(kind) if takes_a_number(each)]


@pytest.mark.parametrize(("kind", "name"), OF_NUMBERS, ids=lambda value: getattr(value, "__name__", value))
@pytest.mark.parametrize("wrong", [True, False, np.True_, np.timedelta64(1, "s"), nan, "0.5", [0.5]], ids=repr)
def test_what_is_no_number_is_refused_for_one(kind, name, wrong):
    with pytest.raises(ValueError, match=f"^{name} must be "):
        kind(**{name: wrong})
