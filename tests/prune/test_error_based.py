"""Error-based pruning and subtree raising: Weka's numbers, plain recursion over cases, and worked subtrees."""

from functools import partial
from itertools import pairwise
from math import expm1, inf, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from plain_passes import ANSWERING, COMPLETE, KEPT, OF_CASES_WITH_GAPS, TREES, WITH_GAPS, WITHOUT_T2, cuts, errors, made, twig, up

from ftree import CART, Branch, Dataset, Leaf, Tree, grow, leaves, recount
from ftree.criteria.error_limits import deviate, expected_errors, one_minus_exp
from ftree.prune import error_based
from ftree.testing import check_pass
from ftree.tree import Multiway
from ftree.tree.splits import child_of


def upper_errors(confidence, z=None):
    """C4.5's errors of a leaf, plus those that the upper confidence limit adds, as in J48's Stats.addErrs."""
    z = NormalDist().inv_cdf(1 - confidence) if z is None else z

    def added(n, e):
        if e < 1:
            none = n * (1 - confidence ** (1 / n))
            return none + e * (added(n, 1) - none) if e else none
        if e + 0.5 >= n:
            return max(n - e, 0)
        f = (e + 0.5) / n
        r = (f + z * z / (2 * n) + z * sqrt(f / n - f * f / n + z * z / (4 * n * n))) / (1 + z * z / n)
        return r * n - e

    return lambda node, *_: errors(node) + added(sum(node.counts), errors(node)) if any(node.counts) else 0.0


# Cases, as the rows of a dataset with their weights ---------------------------------------------------------------


def cases_of(data):
    return np.arange(len(data)), np.ones(len(data)) if data.weights is None else np.asarray(data.weights, dtype=float)


def counted(data, cases):
    return tuple(np.bincount(data.target_column[cases[0]], cases[1], len(data.schema.classes)).tolist())


def sent_down(split, data, cases):
    """The cases of each child: a case without an answer goes to all, in proportion to the cases with one."""
    rows, weights = cases
    child = child_of(split, *(data.columns[feature][rows] for feature in split.features))
    sizes = [weights[child == number].sum() for number in range(split.n_children)]
    for number, size in enumerate(sizes):
        share = size / sum(sizes) if sum(sizes) else 1 / len(sizes)
        kept = (child == number) | (child == -1) & (share > 0)
        yield rows[kept], np.where(child == number, weights, weights * share)[kept]


def counted_again(node, data, cases):
    """The node with the counts of these cases."""
    if isinstance(node, Leaf):
        return Leaf(counted(data, cases))
    parts = zip(node.children, sent_down(node.split, data, cases), strict=True)
    return Branch(counted(data, cases), node.split, [counted_again(child, data, part) for child, part in parts])


def raised(tree, data, confidence):
    """A leaf, the largest child with all the cases, or the branch: the first whose expected errors are few enough.

    Children are judged before, and a raised child is judged once more.
    """
    estimate = upper_errors(confidence)

    def expected(node):
        return sum(map(estimate, leaves(Tree(tree.schema, node))))

    def visit(node, cases):
        if isinstance(node, Leaf):
            return node
        below = [visit(child, part) for child, part in zip(node.children, sent_down(node.split, data, cases), strict=True)]
        most = max(sum(child.counts) for child in below)
        child = [child for child in below if sum(child.counts) >= most - 1e-6][-1]
        alone, instead = Leaf(node.counts), counted_again(child, data, cases)
        as_leaf, as_raised, as_subtree = expected(alone), expected(instead), sum(map(expected, below))
        if as_leaf <= min(as_raised, as_subtree) + 0.1 + 1e-9:
            return alone
        if isinstance(child, Branch) and as_raised <= as_subtree + 0.1 + 1e-9:
            return visit(instead, cases)
        return Branch(node.counts, node.split, below)

    return evolve(tree, root=visit(counted_again(tree.root, data, cases_of(data)), cases_of(data)))


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize(
    ("pass_", "estimate"),
    [(error_based(), upper_errors(0.25)), (error_based(confidence=0.01, z="table"), upper_errors(0.01, 2.33))],
)
def test_it_allows_a_leaf_a_tenth_of_an_error_more(pass_, estimate):
    check_pass(pass_, given_trees=TREES, oracle=partial(up, leaf=estimate, limit=lambda _, score: score + 0.1))


@pytest.mark.usefixtures("fewer")
def test_collapsing_first_keeps_the_other_laws():
    check_pass(error_based(collapse=True), given_trees=TREES, exempt={"order", "once"})


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize("confidence", [0.05, 0.25, 0.5])
@pytest.mark.parametrize(
    ("data", "given_trees", "exempt"),
    [(COMPLETE, ANSWERING, ()), (WITH_GAPS, OF_CASES_WITH_GAPS, {"once"})],
    ids=["known", "gaps"],
)
def test_subtrees_are_raised_as_recursion_raises_them(data, given_trees, exempt, confidence):
    pass_ = error_based(confidence=confidence, raise_with=data)
    estimate = (lambda counts, _: upper_errors(confidence)(Leaf(counts))) if data is COMPLETE else None
    oracle = partial(raised, data=data, confidence=confidence)
    check_pass(pass_, given_trees=given_trees, oracle=oracle, estimate=estimate, exempt={"pruning", "order", *exempt})


def test_subtrees_are_judged_and_raised_children_first_and_left_to_right():
    data = made(60, missing=True, seed=1)
    decided = error_based(raise_with=data).decisions(recount(grow(data, CART), data))
    assert {each.done for each in decided} == {"cut", "kept", "raised"}
    for before, after in pairwise(decided):
        below = after.path[: len(before.path)] == before.path
        assert before.done == "raised" if below else (*before.path, inf) < (*after.path, inf)


# Worked by hand --------------------------------------------------------------------------------------------------


def test_tree_A_stays_at_the_usual_confidence_and_loses_T2_at_a_twentieth():
    assert [cuts(error_based(confidence=confidence)) for confidence in (0.25, 0.05)] == [KEPT, WITHOUT_T2]


@pytest.mark.parametrize(
    ("n", "e", "errors"),
    [
        (6, 0, 1.237797),
        (9, 0, 1.284804),
        (1, 0, 0.75),
        (16, 1, 2.475715),
        (5, 1, 2.250333),
        (10, 0.5, 1.853528),
        (14, 5, 6.761120),
        (26, 6, 8.092376),
        (0, 0, 0),
        (1, 0.5, 1.0 - 0.5 * 0.25),
    ],
)
def test_expected_errors_are_those_of_weka(n, e, errors):
    counts = (n - e, e) if n - e >= e else (n / 2, n / 2)
    assert expected_errors(counts, 0.25, deviate(0.25, "normal")) == pytest.approx(errors, abs=5e-7)


@pytest.mark.parametrize(
    ("confidence", "z"), [(0.001, 3.09), (0.005, 2.58), (0.01, 2.33), (0.05, 1.65), (0.1, 1.28), (0.2, 0.84), (0.4, 0.25)]
)
def test_the_table_of_C45_has_the_deviates_that_its_source_lists(confidence, z):
    assert deviate(confidence, "table") == pytest.approx(z)


@given(st.floats(0, 1000) | st.floats(0, 1e-3))
def test_one_minus_an_exponential_is_that_of_the_standard_library(t):
    assert one_minus_exp(t) == pytest.approx(-expm1(-t), rel=2e-15, abs=0)


def two_questions(cases_at_a):
    """Node (8,6): x = a is a leaf of two cases, x = b tests B and is pure on both sides."""
    rows = [["a", b] for b, _ in cases_at_a] + [["b", 0]] * 7 + [["b", 1]] * 5
    labels = [label for _, label in cases_at_a] + ["P"] * 7 + ["Q"] * 5
    data = Dataset.from_rows(rows, labels, features=["x", "B"], kinds="nominal")
    below = Branch((7, 5), Multiway(1, (0, 1)), (Leaf((7, 0)), Leaf((0, 5))))
    return Tree(data.schema, Branch((8, 6), Multiway(0, (0, 1)), (Leaf((1, 1)), below))), data


def test_a_subtree_is_raised_where_its_siblings_cases_fall_on_the_right_sides():
    tree, data = two_questions([(0, "P"), (1, "Q")])
    pass_ = error_based(raise_with=data)
    at_root = next(each for each in pass_.decisions(tree) if each.path == () and each.done != "kept")
    assert (at_root.done, at_root.child) == ("raised", 1)
    assert (at_root.as_leaf, at_root.as_subtree, at_root.as_raised) == pytest.approx((7.754503, 4.259854, 2.510626), abs=5e-7)
    assert at_root.threshold == pytest.approx(2.510626 + 0.1, abs=5e-7), "a leaf may have 0.1 errors more than the better of both"
    assert pass_(tree).root == Branch((8, 6), Multiway(1, (0, 1)), (Leaf((8, 0)), Leaf((0, 6))))


def test_a_subtree_stays_below_where_its_siblings_cases_fall_on_the_wrong_sides():
    tree, data = two_questions([(1, "P"), (0, "Q")])
    at_root = error_based(raise_with=data).decisions(tree)[-1]
    assert (at_root.path, at_root.done) == ((), "kept")
    assert at_root.as_raised == pytest.approx(4.674717, abs=5e-7)
    assert error_based(raise_with=data)(tree) is tree


def test_of_two_children_of_equal_size_the_last_is_raised():
    rows = [[x, b] for x in "ab" for b in (0, 1) for _ in range(4)]
    data = Dataset.from_rows(rows, list("PPPPQQQQ") * 2, features=["x", "B"], kinds="nominal")
    below = Branch((4, 4), Multiway(1, (0, 1)), (Leaf((4, 0)), Leaf((0, 4))))
    tree = Tree(data.schema, Branch((8, 8), Multiway(0, (0, 1)), (below, below)))
    pass_ = error_based(raise_with=data)
    assert [each.child for each in pass_.decisions(tree) if each.done == "raised"] == [1]
    assert pass_(tree).root == Branch((8, 8), Multiway(1, (0, 1)), (Leaf((8, 0)), Leaf((0, 8))))


def test_collapse_first_cuts_what_saves_no_error():
    tree = twig((9, 1), (6, 1))
    assert error_based(collapse=True, confidence=0.5)(tree).root == Leaf((15, 2))
    assert [each.threshold for each in error_based(collapse=True).decisions(tree)] == [2.001]


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: error_based(confidence=0), ValueError, "above 0 and at most 0.5, got 0"),
        (lambda: error_based(confidence=0.51), ValueError, "got 0.51"),
        (lambda: error_based(raise_with=Dataset.from_rows([[1.0]], ["no"], features=["z"])), KeyError, "got 'n'"),
        (lambda: error_based(raise_with=COMPLETE.take(range(3))), ValueError, "must be the training set"),
    ],
)
def test_what_is_no_confidence_and_no_training_set_is_refused(make, error, words):
    with pytest.raises(error, match=words):
        make()(grow(COMPLETE, CART))
