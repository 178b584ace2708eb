"""Nodes, splits and trees: frozen, hashable, comparable, picklable, printable; and their errors."""

import copy
import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from attrs import evolve
from attrs.exceptions import FrozenInstanceError
from hypothesis import example, given
from hypothesis import strategies as st

from ftree import Branch, Feature, Leaf, Schema, Tree, majority
from ftree.testing import schemas, splits, trees
from ftree.tree import (
    Groups,
    Intervals,
    IsMissing,
    Multiway,
    Oblique,
    Subset,
    Surrogate,
    Threshold,
    WithDefault,
    WithSurrogates,
    walk,
)
from ftree.tree.response import LARGEST_COUNT, all_whole_numbers, whole_numbers
from ftree.tree.splits import UNKNOWN, child_of

KINDS = (Multiway, Threshold, Subset, Groups, Intervals, Oblique, WithSurrogates, Surrogate, WithDefault, IsMissing)
NAMES = {each.__name__: each for each in (Branch, Leaf, *KINDS)}
SCHEMA = Schema(
    (Feature("x", "numeric"), Feature("sky", "nominal", ("grey", "blue", "red")), Feature("size", "ordinal", ("S", "M", "L"))),
    "class",
    ("no", "yes"),
)
NO, YES = Leaf((1, 0)), Leaf((0, 1))
TWIG = Branch((1, 1), Threshold(0, 0.5), (NO, YES))
all_splits = schemas().flatmap(splits)


@given(trees())
def test_nodes_print_as_their_constructors(tree):
    assert eval(repr(tree.root), NAMES) == tree.root  # noqa: S307  # written by the library


@given(trees(), trees())
def test_nodes_are_equal_where_they_print_alike_and_then_they_hash_alike(one, other):
    assert (one.root == other.root) == (repr(one.root) == repr(other.root))
    assert one.root != other.root or hash(one.root) == hash(other.root)


@given(trees())
def test_pickles_and_copies_are_equal_and_not_the_same(tree):
    for again in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree)):  # noqa: S301  # pickled here
        assert again == tree
        assert hash(again) == hash(tree)
        assert again.root is not tree.root
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(tree.root, protocol)) == tree.root  # noqa: S301  # pickled here
    assert copy.copy(tree.root) == tree.root


@given(trees())
def test_whole_numbers_equal_their_floats_and_hash_as_they_do(tree):
    def floats(node):
        counts = tuple(map(float, node.counts))
        return Leaf(counts) if isinstance(node, Leaf) else Branch(counts, node.split, map(floats, node.children))

    assert floats(tree.root) == tree.root
    assert hash(floats(tree.root)) == hash(tree.root)


@given(trees(), st.data())
def test_a_change_in_any_one_place_makes_another_tree(tree, data):
    path, node = data.draw(st.sampled_from(list(walk(tree))))
    changed = evolve(node, counts=[node.counts[0] + 1, *node.counts[1:]])
    for number, above in zip(reversed(path), reversed([n for p, n in walk(tree) if p == path[: len(p)] != path]), strict=True):
        changed = evolve(above, children=[*above.children[:number], changed, *above.children[number + 1 :]])
    assert changed != tree.root
    assert Tree(tree.schema, changed) != tree


@pytest.mark.parametrize("thing", [NO, TWIG, Tree(SCHEMA, TWIG), Threshold(0, 0.5), Multiway(1, (0,)), Subset(1, (0,))])
def test_nothing_can_be_assigned_to(thing):
    field = thing.__attrs_attrs__[0].name
    with pytest.raises(FrozenInstanceError):
        setattr(thing, field, getattr(thing, field))


def test_match_takes_nodes_and_splits_apart():
    match Tree(SCHEMA, TWIG):
        case Tree(Schema(target="class"), Branch((1, 1), Threshold(0, at), (Leaf((1, _)), Leaf() as right))):
            assert (at, right) == (0.5, YES)
        case _:
            pytest.fail("a tree is matched by its fields")


@pytest.mark.parametrize(
    ("split", "words"),
    [
        (Threshold(3, 0.5), "features 0 to 2 of the schema, got feature 3"),
        (Threshold(1, 0.5), r"on 'sky' \(nominal\)"),
        (Threshold(2, -0.5), "codes of 'size' must be at least 0 and below 3"),
        (Subset(1, (3,)), r"codes must be positions .* 'sky' \(nominal, 3 values\)"),
        (WithDefault(Subset(1, (3,)), default_child=0), "codes must be positions .* 'sky'"),
        (Subset(0, (0,)), r"codes must be positions .* 'x' \(numeric, 0 values\)"),
        (Groups(1, ((0, 1), (3,))), r"codes must be positions .* 'sky' \(nominal, 3 values\)"),
        (Groups(2, ((0,), (1, 2))), "ordinal feature must keep its order, .* feature 'size'. Use Intervals"),
        (Intervals(1, (0.5,)), r"on 'sky' \(nominal\)"),
        (Intervals(2, (3,)), "codes of 'size' must be at least 0 and below 3"),
        (Oblique((1.0,), 0), "weights must have one number for each of the schema's 3 features, got 1"),
        (Oblique((0, 1, 0), 0), r"weights must be 0 for features that are not numeric, got 1.0 for 'sky' \(nominal\)"),
        (WithSurrogates(Threshold(1, 0.5)), r"on 'sky' \(nominal\)"),
        (
            WithSurrogates(Threshold(0, 0.5), [Surrogate(Threshold(2, 0.5)), Surrogate(Subset(1, (3,)))]),
            "codes must be positions .* 'sky'",
        ),
        (WithSurrogates(Threshold(0, 0.5), [Surrogate(Threshold(3, 0.5))]), "got feature 3"),
    ],
)
def test_a_tree_refuses_splits_that_do_not_fit_its_schema_at_any_depth(split, words):
    for root in (Branch((1, 1), split, (NO, YES)), Branch((1, 1), Threshold(0, 1), (Branch((1, 1), split, (NO, YES)), YES))):
        with pytest.raises(ValueError, match=words):
            Tree(SCHEMA, root)


@given(st.lists(st.integers(0, 5), min_size=1))
def test_the_majority_is_the_first_of_the_largest(counts):
    assert majority(counts) == majority(np.array(counts)) == counts.index(max(counts))


def test_rounding_breaks_no_tie_but_a_real_difference_does():
    assert majority((0.3, 0.1 + 0.2)) == 0
    assert majority((0.3, 0.3 + 1e-9)) == 1
    assert majority((10**9, 10**9 + 1)) == 1
    for counts in ([1, float("inf")], [float("nan"), 1]):
        with pytest.raises(ValueError, match="counts must be numbers, one for each class"):
            majority(counts)
    assert majority((0, 0)) == 0


COUNTS = st.integers(0, 2**53 - 1) | st.integers(0, 9).map(lambda n: n / 2) | st.floats(0, LARGEST_COUNT)


@given(st.integers(1, 3).flatmap(lambda k: st.lists(st.tuples(*[COUNTS] * k), min_size=1, max_size=4)))
@example([(1e20, 2.0), (2.0**63, 0.5)])
@example([(2, 0)])
def test_whole_counts_are_integers_whatever_counted_them(counts):
    wanted = [tuple([int(each) if each == int(each) else each for each in node]) for node in counts]
    assert repr(all_whole_numbers(np.array(counts))) == repr(wanted)
    assert repr([tuple(whole_numbers(np.array(node))) for node in counts]) == repr(wanted)


@given(all_splits)
def test_splits_print_as_their_constructors_and_are_values(split):
    assert eval(repr(split), NAMES) == split  # noqa: S307  # written by the library
    assert pickle.loads(pickle.dumps(split)) == split  # noqa: S301  # pickled here
    assert hash(evolve(split)) == hash(split)


@pytest.mark.parametrize(
    "split", [Threshold(0, 0.1), SimpleNamespace(n_children=2, child=lambda column: np.where(column > 0.1, 1, 0))]
)
def test_a_column_of_single_precision_is_compared_in_full(split):
    """The single-precision number nearest to .1 is above .1; rounding the threshold would make them equal."""
    assert child_of(split, np.array([0.1], dtype=np.float32)).tolist() == [1]


def test_the_answer_has_the_shape_of_the_column():
    assert child_of(Subset(0, (1,)), np.array([[0, 1], [2, -1]])).tolist() == [[1, 0], [1, UNKNOWN]]


def test_a_pair_of_threshold_zeros_is_one_question():
    assert Threshold(0, -0.0) == Threshold(0, 0.0)
    assert hash(Branch((1, 1), Threshold(0, -0.0), (NO, YES))) == hash(Branch((1, 1), Threshold(0, 0.0), (NO, YES)))
