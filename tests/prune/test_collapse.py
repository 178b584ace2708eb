"""Collapsing, pruning by purity, and snipping: as plain recursion decides, and worked trees."""

from functools import partial

import pytest
from plain_passes import KEPT, REGRESSION, ROOT, TREES, WITHOUT_T2, A, cuts, down, errors, errors_of, twig, up

from ftree import Branch, Feature, Leaf, Schema, Tree, majority
from ftree.prune import Decision, collapse, purity, snip
from ftree.testing import check_pass
from ftree.tree import Multiway, Threshold


def one_class(_, below):
    return len({majority(counts) for counts in below}) == 1


def one_distribution(node, below):
    def fits(counts):
        return all(a * sum(node.counts) == b * sum(counts) for a, b in zip(counts, node.counts, strict=True))

    return all(fits(child.counts) or not any(child.counts) for child in node.children) if below else False


NO_LIMIT = partial(up, leaf=errors, limit=lambda *_: None)


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize(
    ("pass_", "oracle"),
    [
        (collapse(), partial(NO_LIMIT, judge=one_class)),
        (collapse(by="probability"), partial(NO_LIMIT, judge=one_distribution)),
        (collapse(by="errors"), partial(down, leaf=errors, limit=lambda _, score: score + 1e-3)),
        (purity(0.7), partial(down, leaf=errors, limit=lambda node, _: 0.3 * sum(node.counts))),
    ],
    ids=["class", "probability", "errors", "purity"],
)
def test_it_decides_as_recursion(pass_, oracle):
    check_pass(pass_, given_trees=TREES, oracle=oracle)


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize("given_trees", [TREES, REGRESSION], ids=["classes", "numbers"])
@pytest.mark.parametrize("pass_", [collapse(), snip([]), snip([(), (0, 1)])], ids=["collapse", "snip none", "snip"])
def test_it_keeps_the_laws_and_counts_errors(pass_, given_trees):
    estimate = errors_of if given_trees is TREES and pass_ != snip([]) else None
    check_pass(pass_, given_trees=given_trees, estimate=estimate)


def test_purity_cuts_from_the_root_down_where_the_largest_class_is_large_enough():
    assert [cuts(purity(share)) for share in (20 / 26, 0.77, 0.6)] == [WITHOUT_T2, KEPT, ROOT]
    assert [each.path for each in purity(0.6).decisions(A)] == [()]


def test_collapse_by_probability_asks_for_equal_shares():
    even, unequal = twig((4, 2), (2, 1)), twig((2, 1), (1, 1))
    assert collapse(by="probability")(even).root == Leaf((6, 3))
    assert collapse(by="probability")(unequal) is unequal


OF_X = Schema([Feature("x", "numeric"), Feature("w", "nominal", "abc")], "y", ("no", "yes"))
LOW = Branch((3, 1), Threshold(0, 1.5), [Leaf((3, 0)), Leaf((0, 1))])
HIGH = Branch((2, 3), Multiway(1, (0, 1, 2)), [Leaf((2, 0)), Leaf((0, 0)), Leaf((0, 3))])
TREE = Tree(OF_X, Branch((5, 4), Threshold(0, 4.5), [LOW, HIGH]))


def test_snipping_cuts_the_topmost_branches_and_tells_their_errors():
    both = snip([(1, 0), (1,), [0], (0,)])
    assert both.paths == ((0,), (1,))
    assert snip([(0, 1), (1,), (0,), (0, 1, 1), (2, 0), (2, 0, 1)]).paths == ((0,), (1,), (2, 0))
    assert snip([()]).paths == ((),) == snip([(1,), ()]).paths
    assert both.decisions(TREE) == (
        Decision((0,), (3, 1), 1, 0, done="cut", becomes=Leaf((3, 1))),
        Decision((1,), (2, 3), 2, 0, done="cut", becomes=Leaf((2, 3))),
    )
    assert both(TREE).root == Branch((5, 4), Threshold(0, 4.5), [Leaf((3, 1)), Leaf((2, 3))])
    assert snip([(0, 1)])(TREE) is TREE
    assert snip([()])(TREE).root == Leaf((5, 4))


@pytest.mark.parametrize("wrong", [3, [1, 2], [None]])
def test_what_is_no_path_is_refused(wrong):
    with pytest.raises(TypeError, match=r"^paths must be tuples of child numbers, such as \[\(0, 1\)\], got "):
        snip(wrong)


@pytest.mark.parametrize("path", [(0, 2), (0, 0, 0, 0, 0, 0, 0, 0, 9)])
def test_a_path_that_leads_nowhere_is_refused(path):
    with pytest.raises(IndexError, match="must lead to a node of the tree"):
        snip([path])(TREE)
