"""Missing as a branch: each split sends missing values to the child that scores best, as in a brute-force search."""

import pytest
from attrs import evolve
from hypothesis import given

from ftree import C45, CART, CHAID, ID3, Dataset, Leaf, accuracy, grow, predict, predict_counts, recount, splitters
from ftree.stop import max_depth
from ftree.testing import datasets
from ftree.tree import Branch, Groups, IsMissing, Multiway, Subset, Threshold, WithDefault, preorder

BRANCH = evolve(ID3, missing=splitters.as_branch())
FLOATING = splitters.as_branch(floating=True)
STUMP = evolve(BRANCH, splits=(splitters.subset(), splitters.threshold()), stop=max_depth(1))


def table(values, labels, **options):
    return Dataset.from_rows([[value] for value in values], labels, features=["x"], **options)


def root(values, labels, policy=STUMP, **options):
    return grow(table(values, labels, **options), policy).root


def test_missing_values_go_left_where_they_are_like_the_low_ones():
    """1 no, 2 no, missing no | 3 yes, 4 yes: with the missing left the cut at 2.5 gains all 0.971 bits."""
    found = root([1.0, 2.0, None, 3.0, 4.0], ["no", "no", "no", "yes", "yes"])
    assert found.split == WithDefault(Threshold(0, 2.5), default_child=0)
    assert found.children == (Leaf((3, 0)), Leaf((0, 2)))


@pytest.mark.parametrize("splitter", [splitters.subset(), splitters.subset(exact=0), splitters.one_value()])
def test_missing_is_on_a_side_of_a_subset_or_apart(splitter):
    policy = evolve(STUMP, splits=(splitter,))
    assert root(["a", "b", None], ["no", "yes", "no"], policy).split in (
        WithDefault(Subset(0, (0,)), default_child=0),
        WithDefault(Subset(0, (1,)), default_child=1),
    )
    assert root(["a", "b", None], ["no", "yes", "yes"], policy).split == WithDefault(Subset(0, (0,)), default_child=1)
    assert root(["a", "b", None], ["no", "no", "yes"], policy).split == IsMissing(0)


def test_missing_joins_the_values_that_it_is_like():
    values = ["a"] * 9 + ["b"] * 9 + ["c"] * 9 + [None] * 9
    labels = [0] * 18 + [1] * 18
    found = root(values, labels, evolve(STUMP, splits=(splitters.merging(),)))
    assert found.split == WithDefault(Groups(0, ((0, 1), (2,))), default_child=1)


def test_intervals_take_the_missing_values_on_a_side():
    values, labels = [1.0] * 9 + [2.0] * 9 + [3.0] * 9 + [None] * 9, [0] * 9 + [1] * 9 + [2] * 9 + [2] * 9
    found = root(values, labels, evolve(STUMP, splits=(splitters.intervals(),)))
    assert (found.split.default_child, found.split.split.cuts) == (2, (1.5, 2.5))


def test_declared_values_have_their_children_beside_that_of_missing_ones():
    """C4.5's nominal splits have a child for each declared value; if nothing is missing at a node, none is added."""
    data = Dataset.from_rows(
        [["a", "p"], ["a", "q"], ["b", None], ["b", "p"], ["b", "q"], ["a", "q"]], [0, 1, 0, 0, 0, 1], features=["x", "y"]
    )
    policy = evolve(BRANCH, splits=(splitters.multiway(empty=True),))
    below = {type(node.split).__name__: node.split for node in preorder(grow(data, policy)) if isinstance(node, Branch)}
    assert below["Multiway"] in (Multiway(0, (0, 1)), Multiway(1, (0, 1)))
    apart = root(["a", "b", None], [0, 1, 1], evolve(policy, stop=max_depth(1)))
    assert apart.split == WithDefault(Multiway(0, (0, 1)), default_child=2)


def test_least_sizes_hold_for_missing_values_as_well():
    policy = evolve(STUMP, splits=(splitters.threshold(min_cases=2),))
    assert isinstance(root([1.0, 2.0, None], [0, 0, 1], policy), Leaf)
    assert root([1.0, 2.0, None, None], [0, 0, 1, 1], policy).split == IsMissing(0)


POLICIES = [
    BRANCH,
    evolve(CART, missing=splitters.as_branch()),
    evolve(C45, missing=splitters.as_branch()),
    evolve(BRANCH, splits=(splitters.subset(), splitters.random_threshold(seed=1)), choose=splitters.by_gain_ratio()),
    evolve(BRANCH, splits=(splitters.random_features(1, (splitters.multiway(), splitters.threshold()), seed=2),)),
    evolve(CHAID, missing=splitters.as_branch()),
    evolve(CHAID, missing=FLOATING),
    evolve(CHAID, missing=FLOATING, splits=(splitters.merging(alpha_split=1, bonferroni=False), splitters.threshold())),
]


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize("policy", POLICIES)
@given(data=datasets(weighted=True))
def test_with_nothing_missing_the_tree_is_that_of_ignore(policy, data):
    assert grow(data, policy) == grow(data, evolve(policy, missing="ignore"))


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize("policy", POLICIES)
@given(data=datasets(missing=True, weighted=True))
def test_no_case_is_divided_and_recounting_finds_the_same(policy, data):
    tree = grow(data, policy)
    assert all(isinstance(count, int) for node in preorder(tree) for count in node.counts)
    assert recount(tree, data) == tree
    assert grow(data, policy, engine="compiled") == tree


def test_a_column_without_a_known_value_is_never_asked():
    assert root([None, None], [0, 1], kinds={"x": "numeric"}) == Leaf((1, 1))
    assert root([None], [0], kinds={"x": "nominal"}) == Leaf((1,))


def test_missing_values_go_to_the_default_child_and_unseen_ones_by_the_rule():
    tree = grow(table(["a", "a", "b", None, None], [0, 0, 1, 1, 1]), BRANCH)
    assert predict(tree, [["a"], ["b"], [None]]) == [0, 1, 1]
    assert predict_counts(tree, [["z"], [None]]).tolist() == [[2, 3], [0, 2]]
    assert predict_counts(tree, ["z"], unseen="missing").tolist() == [0, 2]
    numbers = grow(table([1.0, 2.0, None], [0, 1, 1]), BRANCH)
    assert predict(numbers, [[0.0], [9.0], [None], [float("nan")]]) == [0, 1, 1, 1]
    assert accuracy(numbers, table([1.0, 2.0, None], [0, 1, 1])) == 1


def test_weights_decide_the_side():
    data = table([1.0, 2.0, None, None], [0, 1, 0, 1])
    assert grow(evolve(data, weights=[1, 1, 1, 3]), STUMP).root.split == WithDefault(Threshold(0, 1.5), default_child=1)
    assert grow(evolve(data, weights=[1, 1, 3, 1]), STUMP).root.split == WithDefault(Threshold(0, 1.5), default_child=0)
