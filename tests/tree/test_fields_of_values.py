"""Fields of splits, conditions, nodes and schemas: what comes in becomes plain numbers and tuples, or is refused."""

import re
from decimal import Decimal
from math import inf, nan

import numpy as np
import pytest

from ftree import Branch, Feature, Leaf, Schema, Tree
from ftree.responses import events
from ftree.routing import weighted
from ftree.tree import Groups, Intervals, IsMissing, Multiway, Oblique, Subset, Surrogate, Threshold, WithDefault, WithSurrogates
from ftree.tree.conditions import AllOf, AnyOf, Between, FirstKnown, Missing, NoneOf, OneOf, Opaque, SumBetween
from ftree.tree.response import numbers
from ftree.tree.splits import is_split

CODES = np.array([0, 1, 2, -1], np.int8)
NUMBERS = np.array([0.0, 1.0, 2.0, nan])
WHOLE, HALF = np.int64(1), np.float32(0.5)
MADE = {
    Threshold: (Threshold(WHOLE, HALF), Threshold(1, 0.5), [0, 1, 1, -1]),
    Intervals: (Intervals(WHOLE, np.array([HALF, 1.5])), Intervals(1, (0.5, 1.5)), [0, 1, 2, -1]),
    Multiway: (Multiway(WHOLE, np.array([2.0, 0.0])), Multiway(1, (2, 0)), [1, -1, 0, -1]),
    Subset: (Subset(WHOLE, iter([np.int8(2), 0])), Subset(1, (0, 2)), [0, 1, 0, -1]),
    Groups: (Groups(WHOLE, [np.array([2]), iter([1, 0])]), Groups(1, ((2,), (1, 0))), [1, 1, 0, -1]),
    IsMissing: (IsMissing(WHOLE), IsMissing(1), [0, 0, 0, 1]),
    Oblique: (Oblique(np.array([0, 2]), WHOLE), Oblique((0.0, 2.0), 1.0), [0, 1, 1, -1]),
}


@pytest.mark.parametrize("kind", MADE, ids=lambda kind: kind.__name__)
def test_a_split_of_arrays_and_their_numbers_is_one_of_plain_numbers(kind):
    given, plain, children = MADE[kind]
    assert (given, hash(given), repr(given)) == (plain, hash(plain), repr(plain))
    assert given.features == (1,)
    assert type(given.features[0]) is int
    column = NUMBERS if kind in {Threshold, Intervals, IsMissing, Oblique} else CODES
    assert given.child(column).tolist() == children
    assert len(given.conditions) == given.n_children == max(children) + 1
    assert is_split(given)
    assert not is_split(kind)


def test_surrogates_are_made_of_any_sequence_and_have_defaults():
    backed = WithSurrogates(
        Threshold(0, 0.5),
        iter([Surrogate(Subset(1, (0,)), reversed=True, agreement="0.5", adjusted=1)]),
        default_child=np.int64(1),
    )
    assert backed == WithSurrogates(Threshold(0, 0.5), (Surrogate(Subset(1, (0,)), True, 0.5, 1.0),), 1)  # noqa: FBT003  # positional
    assert (type(backed.default_child), type(backed.surrogates[0].agreement)) == (int, float)
    assert WithSurrogates(Threshold(0, 0.5)) == WithSurrogates(Threshold(0, 0.5), (), None)
    assert Surrogate(Threshold(0, 0.5)) == Surrogate(Threshold(0, 0.5), False, 1.0, 1.0)  # noqa: FBT003  # positional


OF_ONE_FEATURE = {
    Threshold: (0.5,),
    Intervals: ((0.5,),),
    Multiway: ((0,),),
    Subset: ((0,),),
    Groups: (((0,), (1,)),),
    IsMissing: (),
}
FEATURE = "feature must be a column number, got {!r}. position(schema, name) gives the number of a name."
FINITE = " must be a finite number, got {!r}."
AT, CUTS = "at" + FINITE, "cuts must be one or more finite numbers in increasing order, got "
CODES_OF = "values of a split must be a sequence of codes, which are positions in Feature.values, got "
SIDE = "default_child must be a whole number from 0 to 2, the number of the split's children, got {!r}."
DISTINCT = " must be one or more distinct codes from 0, got {!r}."
TRUTH, SHARES = "reversed must be True or False, got {!r}.", "agreement and adjusted must be finite numbers, got {!r}."
SPLIT = "split must be a split such as Threshold(0, 0.5), got {!r}."
PARTS = "A surrogate's split must be a Threshold, a Subset or two Groups, got "


def raising(error, words, make, *wrong):
    """The wrong arguments of a function, with the error and the begin of its words, in which braces stand for the argument."""
    return [(make, each, error, words.format(each)) for each in wrong]


@pytest.mark.parametrize(
    ("make", "wrong", "error", "words"),
    [
        *[
            case
            for kind, rest in OF_ONE_FEATURE.items()
            for case in [
                *raising(TypeError, FEATURE, lambda f, k=kind, r=rest: k(f, *r), "x", None, 1.5),
                *raising(ValueError, "feature must be a column number from 0, got {!r}.", lambda f, k=kind, r=rest: k(f, *r), -1),
            ]
        ],
        *raising(TypeError, AT, lambda at: Threshold(0, at), "a", None, [1]),
        *raising(TypeError, AT, lambda at: Oblique((1.0,), at), "a", None, [1]),
        *raising(ValueError, AT, lambda at: Threshold(0, at), inf, -inf, nan),
        *raising(ValueError, AT, lambda at: Oblique((1.0,), at), inf, -inf, nan),
        *raising(ValueError, CUTS, lambda cuts: Intervals(0, cuts), (), (1, 1), (2, 1), (1, inf), (nan,), (1, 3, 2)),
        *raising(TypeError, "cuts must be a sequence of finite numbers", lambda cuts: Intervals(0, cuts), 5, None, ["a"]),
        *raising(TypeError, "weights must be a sequence of numbers", lambda weights: Oblique(weights, 1.0), 5, ["a"]),
        *raising(TypeError, "groups must be a sequence of sequences", lambda groups: Groups(0, groups), 5),
        *raising(ValueError, "default_child must be 0, 1 or", lambda child: WithSurrogates(Threshold(0, 1), (), child), 2, "a"),
        *raising(ValueError, "weights must be", lambda weights: Oblique(weights, 1.0), (), (0, 0), (1, inf), (nan,)),
        *raising(ValueError, "values" + DISTINCT, lambda codes: Multiway(0, codes), (), (-1, 0), (1, 1)),
        *raising(ValueError, "members" + DISTINCT, lambda codes: Subset(0, codes), (), (-1, 0), (1, 1)),
        *raising(TypeError, CODES_OF, lambda codes: Multiway(0, codes), "ab", (0.5,), 3, (None,)),
        *raising(TypeError, CODES_OF, lambda codes: Subset(0, codes), "ab", (0.5,), 3, (None,)),
        *raising(TypeError, PARTS, Surrogate, Intervals(0, (0.5, 1.5)), Groups(0, ((0,), (1,), (2,)))),
        *raising(TypeError, TRUTH, lambda wrong: Surrogate(Threshold(0, 0.5), reversed=wrong), 1),
        *raising(TypeError, SHARES, lambda wrong: Surrogate(Threshold(0, 0.5), agreement=wrong), "x"),
        *raising(ValueError, "adjusted" + FINITE, lambda wrong: Surrogate(Threshold(0, 0.5), adjusted=wrong), nan),
        *raising(ValueError, "agreement" + FINITE, lambda wrong: Surrogate(Threshold(0, 0.5), agreement=wrong), inf),
        *raising(TypeError, SPLIT, lambda wrong: WithDefault(wrong, default_child=0), 3),
        *raising(ValueError, SIDE, lambda child: WithDefault(Threshold(0, 0.5), default_child=child), *(-1, 3, True, 0.5, None)),
    ],
)
def test_a_field_that_does_not_fit_a_split_is_refused(make, wrong, error, words):
    with pytest.raises(error, match=f"^{re.escape(words)}"):
        make(wrong)


def test_conditions_are_values_of_tuples():
    low, high = Between(0, at_most=1.0), Between(0, above=1.0)
    pairs = [
        (OneOf(0, [1, 2]), OneOf(0, (1, 2)), "0 in {1, 2}"),
        (OneOf(0, iter([1])), OneOf(0, (1,)), "0 = 1"),
        (NoneOf(0, [1]), NoneOf(0, (1,)), "0 not in {1}"),
        (NoneOf(0), NoneOf(0, ()), "0 is known"),
        (SumBetween([0, 1], iter([1.0, 2.0])), SumBetween((0, 1), (1.0, 2.0), -inf, inf), "0 + 2 * 1 is known"),
        (AllOf([low, AnyOf([low, high])]), AllOf((low, AnyOf((low, high)))), "0 <= 1 and (0 <= 1 or 0 > 1)"),
        (AnyOf(iter([low, AllOf([low, high])])), AnyOf((low, AllOf((low, high)))), "0 <= 1 or (0 <= 1 and 0 > 1)"),
        (AllOf([]), AllOf(()), "true"),
        (AnyOf([]), AnyOf(()), "false"),
        (FirstKnown([(low, high)]), FirstKnown(((low, high),), default=False), "0 <= 1"),
        (Opaque(None, 0, "odd", []), Opaque(None, 0, "odd"), "odd"),
        (Between(0), Between(0, -inf, inf), "0 is known"),
        (Missing(0), Missing(0), "0 is missing"),
    ]
    for given, plain, text in pairs:
        assert (given, hash(given), str(given)) == (plain, hash(plain), text)


class Lacking:
    """All members of a split but those that are deleted."""

    def __init__(self, **members):
        self.__dict__.update(members)


def test_members_of_a_split_are_of_its_class_or_of_itself():
    members = {"features": (0,), "n_children": 2, "conditions": (), "child": lambda _: 0}
    assert is_split(Lacking(**members))
    for name in members:
        assert not is_split(Lacking(**{key: each for key, each in members.items() if key != name}))
    assert not any(map(is_split, (3, None, "x", Threshold, Lacking)))


def test_nodes_and_trees_keep_plain_numbers():
    made = Branch(np.array([1, 2]), Threshold(0, 0.5), iter([Leaf([np.int64(1), np.float64(0)]), Leaf(np.array([0.0, 2.0]))]))
    assert repr(made) == (
        "Branch(counts=(1, 2), split=Threshold(feature=0, at=0.5), children=(Leaf(counts=(1, 0.0)), Leaf(counts=(0.0, 2.0))))"
    )
    assert [type(count) for leaf in made.children for count in leaf.counts] == [int, float, float, float]
    assert (Tree(SCHEMA, made).missing, Tree(SCHEMA, made, missing=weighted()).missing) == (None, weighted())


SCHEMA, LEAVES = Schema([Feature("x", "numeric")], "k", ("no", "yes")), (Leaf((1, 0)), Leaf((0, 2)))
EQUAL, REMEDY = " must be equal to themselves, got ", ". Write Tree(schema, root)."
NODES = "children must be a sequence of nodes (Leaf or Branch), got an int."
TWO_NODES = "children must be 2 nodes, as many as Threshold(feature=0, at=0.5) has, got 1."
CLASSES = "children must count 3 classes, as the branch does, got 2."
SPLIT_OF_BRANCH = "split must be a split such as Threshold(0, 2.5), with features, n_children, "
COUNTS = "counts must be numbers from 0 to 1e+100 in all, one for each class, got "


@pytest.mark.parametrize(
    ("make", "wrong", "error", "words"),
    [
        *raising(TypeError, "features must be Feature objects", lambda feature: Schema((feature,), "k", (0, 1)), "x"),
        *raising(TypeError, "response must be None", lambda own: Schema((), "k", (), response=own), events(), numbers, "a"),
        *raising(ValueError, COUNTS + "{!r}.", Leaf, (), (1, -1), (1, nan), (1e200, 0), "12"),
        *raising(ValueError, COUNTS, Leaf, (10**400,)),
        *raising(ValueError, "The classes" + EQUAL + "Decimal", lambda label: Schema((), "k", (label, 1)), Decimal("NaN")),
        *raising(
            ValueError, "The values of 'x'" + EQUAL, lambda value: Feature("x", "nominal", (value,)), np.datetime64("", "s")
        ),
        *raising(TypeError, NODES, lambda nodes: Branch((1, 2), Threshold(0, 0.5), nodes), [3, 4]),
        *raising(TypeError, SPLIT_OF_BRANCH, lambda split: Branch((1, 2), split, LEAVES), 3),
        *raising(ValueError, TWO_NODES, lambda nodes: Branch((1, 2), Threshold(0, 0.5), nodes), LEAVES[:1]),
        *raising(ValueError, CLASSES, lambda counts: Branch(counts, Threshold(0, 1), LEAVES), (1, 2, 3)),
        *raising(TypeError, "schema must be a Schema, got a Leaf" + REMEDY, lambda schema: Tree(schema, SCHEMA), LEAVES[0]),
        *raising(TypeError, "root must be a Leaf or a Branch, got an int" + REMEDY, lambda root: Tree(SCHEMA, root), 3),
        *raising(
            ValueError, "root must count the schema's 2 classes, got 1 counts.", lambda root: Tree(SCHEMA, root), Leaf((1,))
        ),
    ],
)
def test_what_does_not_fit_a_node_or_a_tree_is_refused(make, wrong, error, words):
    with pytest.raises(error, match=f"^{re.escape(words)}"):
        make(wrong)
