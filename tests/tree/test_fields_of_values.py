"""Fields of splits, conditions, nodes and schemas: what comes in becomes plain numbers and tuples, or is refused."""

import re
from decimal import Decimal
from math import inf, nan

import numpy as np
import pytest

from ftree import Branch, Feature, Leaf, Schema, Tree
from ftree.routing import weighted
from ftree.tree import Groups, Intervals, IsMissing, Multiway, Oblique, Subset, Surrogate, Threshold, WithDefault, WithSurrogates
from ftree.tree.conditions import AllOf, AnyOf, Between, FirstKnown, Missing, NoneOf, OneOf, Opaque, SumBetween
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


@pytest.mark.parametrize(
    ("kind", "rest"),
    [
        (Threshold, (0.5,)),
        (Intervals, ((0.5,),)),
        (Multiway, ((0,),)),
        (Subset, ((0,),)),
        (Groups, (((0,), (1,)),)),
        (IsMissing, ()),
    ],
    ids=lambda each: each.__name__ if isinstance(each, type) else "",
)
def test_a_feature_is_a_column_number_from_zero(kind, rest):
    made = kind(0, *rest)
    assert made.child(NUMBERS if kind in {Threshold, Intervals, IsMissing} else CODES).shape == (4,)
    assert made.feature == 0
    for feature in ("x", None, 1.5):
        words = f"feature must be a column number, got {feature!r}. position(schema, name) gives the number of a name."
        with pytest.raises(TypeError, match=f"^{re.escape(words)}$"):
            kind(feature, *rest)
    with pytest.raises(ValueError, match=r"^feature must be a column number from 0, got -1\.$"):
        kind(-1, *rest)


def test_thresholds_cuts_and_weights_are_finite_numbers():
    assert [Threshold(0, 0.5).child(NUMBERS).tolist(), Intervals(0, (0.5,)).child(NUMBERS).tolist()] == [[0, 1, 1, -1]] * 2
    for at in ("a", None, [1]):
        for make in (lambda at: Threshold(0, at), lambda at: Oblique((1.0,), at)):
            with pytest.raises(TypeError, match=re.escape(f"at must be a finite number, got {at!r}.")):
                make(at)
    for at in (inf, -inf, nan):
        for make in (lambda at: Threshold(0, at), lambda at: Oblique((1.0,), at)):
            with pytest.raises(ValueError, match=re.escape(f"at must be a finite number, got {at}.")):
                make(at)
    assert Oblique((1.0, -1.0), 0.0).child(NUMBERS, NUMBERS).tolist() == [0, 0, 0, -1]
    for cuts in ((), (1, 1), (2, 1), (1, inf), (nan,), (1, 3, 2)):
        with pytest.raises(ValueError, match=r"^cuts must be one or more finite numbers in increasing order, got "):
            Intervals(0, cuts)
    for weights in ((), (0, 0), (1, inf), (nan,)):
        with pytest.raises(ValueError, match="weights must be"):
            Oblique(weights, 1.0)


def test_codes_are_distinct_whole_numbers_from_zero():
    assert [each.child(CODES).tolist() for each in (Multiway(0, (1,)), Subset(0, (1,)))] == [[-1, 0, -1, -1], [1, 0, 1, -1]]
    for kind, name in ((Multiway, "values"), (Subset, "members")):
        for codes in ((), (-1, 0), (1, 1)):
            with pytest.raises(
                ValueError, match=rf"^{name} must be one or more distinct codes from 0, got {re.escape(repr(codes))}\.$"
            ):
                kind(0, codes)
        for codes in ("ab", (0.5,), 3, (None,)):
            words = "values of a split must be a sequence of codes, which are positions in Feature.values, got "
            with pytest.raises(TypeError, match=f"^{re.escape(words)}"):
                kind(0, codes)


def test_surrogates_and_defaults_are_checked():
    backed = WithSurrogates(
        Threshold(0, 0.5),
        iter([Surrogate(Subset(1, (0,)), reversed=True, agreement="0.5", adjusted=1)]),
        default_child=np.int64(1),
    )
    assert backed == WithSurrogates(Threshold(0, 0.5), (Surrogate(Subset(1, (0,)), True, 0.5, 1.0),), 1)  # noqa: FBT003  # positional
    assert backed.child(NUMBERS, CODES[::-1]).tolist() == [0, 1, 1, 1], "the surrogate answers the last, and is reversed"
    assert (type(backed.default_child), type(backed.surrogates[0].agreement)) == (int, float)
    assert WithSurrogates(Threshold(0, 0.5)) == WithSurrogates(Threshold(0, 0.5), (), None)
    assert Surrogate(Threshold(0, 0.5)) == Surrogate(Threshold(0, 0.5), False, 1.0, 1.0)  # noqa: FBT003  # positional
    for make, error, words in [
        (
            lambda: Surrogate(Intervals(0, (0.5, 1.5))),
            TypeError,
            "A surrogate's split must be a Threshold, a Subset or two Groups, got ",
        ),
        (
            lambda: Surrogate(Groups(0, ((0,), (1,), (2,)))),
            TypeError,
            "A surrogate's split must be a Threshold, a Subset or two Groups",
        ),
        (lambda: Surrogate(Threshold(0, 0.5), reversed=1), TypeError, "reversed must be True or False, got 1."),
        (
            lambda: Surrogate(Threshold(0, 0.5), agreement="x"),
            TypeError,
            "agreement and adjusted must be finite numbers, got 'x'.",
        ),
        (lambda: Surrogate(Threshold(0, 0.5), adjusted=nan), ValueError, "adjusted must be a finite number, got nan."),
        (lambda: Surrogate(Threshold(0, 0.5), agreement=inf), ValueError, "agreement must be a finite number, got inf."),
        (lambda: WithDefault(3, default_child=0), TypeError, "split must be a split such as Threshold(0, 0.5), got 3."),
    ]:
        with pytest.raises(error, match=f"^{re.escape(words)}"):
            make()
    for child in (-1, 3, True, 0.5, None):
        words = f"default_child must be a whole number from 0 to 2, the number of the split's children, got {child!r}."
        with pytest.raises(ValueError, match=f"^{re.escape(words)}$"):
            WithDefault(Threshold(0, 0.5), default_child=child)
    found = [WithDefault(Threshold(0, 0.5), default_child=child).child(NUMBERS).tolist() for child in (0, 1, 2)]
    assert found == [[0, 1, 1, 0], [0, 1, 1, 1], [0, 1, 1, 2]]


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


def test_nodes_and_trees_keep_plain_numbers_and_say_what_does_not_fit():
    made = Branch(np.array([1, 2]), Threshold(0, 0.5), iter([Leaf([np.int64(1), np.float64(0)]), Leaf(np.array([0.0, 2.0]))]))
    assert repr(made) == (
        "Branch(counts=(1, 2), split=Threshold(feature=0, at=0.5), children=(Leaf(counts=(1, 0.0)), Leaf(counts=(0.0, 2.0))))"
    )
    assert [type(count) for leaf in made.children for count in leaf.counts] == [int, float, float, float]
    schema = Schema([Feature("x", "numeric")], "k", ("no", "yes"))
    assert (Tree(schema, made).missing, Tree(schema, made, missing=weighted()).missing) == (None, weighted())
    for make, error, words in [
        (lambda: Leaf(()), ValueError, "counts must be numbers from 0 to 1e+100 in all, one for each class, got ()."),
        (lambda: Leaf((1, -1)), ValueError, "counts must be numbers from 0 to 1e+100 in all, one for each class, got (1, -1)."),
        (lambda: Leaf((1, nan)), ValueError, "counts must be numbers from 0 to 1e+100 in all, one for each class, got (1, nan)."),
        (lambda: Leaf((1e200, 0)), ValueError, "counts must be numbers from 0 to 1e"),
        (lambda: Schema((), "k", (Decimal("NaN"), "yes")), ValueError, "The classes must be equal to themselves, got Decimal"),
        (lambda: Feature("x", "nominal", (np.datetime64("", "D"),)), ValueError, "The values of 'x' must be equal to themselves"),
        (lambda: Leaf("12"), ValueError, "counts must be numbers from 0 to 1e+100 in all, one for each class, got '12'."),
        (lambda: Leaf((10**400,)), ValueError, "counts must be numbers from 0 to 1e"),
        (
            lambda: Branch((1, 2), Threshold(0, 0.5), [3, 4]),
            TypeError,
            "children must be a sequence of nodes (Leaf or Branch), got an int.",
        ),
        (
            lambda: Branch((1, 2), 3, made.children),
            TypeError,
            "split must be a split such as Threshold(0, 2.5), with features, n_children, ",
        ),
        (
            lambda: Branch((1, 2), Threshold(0, 0.5), made.children[:1]),
            ValueError,
            "children must be 2 nodes, as many as Threshold(feature=0, at=0.5) has, got 1.",
        ),
        (
            lambda: Branch((1, 2, 3), Threshold(0, 0.5), made.children),
            ValueError,
            "children must count 3 classes, as the branch does, got 2.",
        ),
        (lambda: Tree(made, schema), TypeError, "schema must be a Schema, got a Branch. Write Tree(schema, root)."),
        (lambda: Tree(schema, 3), TypeError, "root must be a Leaf or a Branch, got an int. Write Tree(schema, root)."),
        (lambda: Tree(schema, Leaf((1,))), ValueError, "root must count the schema's 2 classes, got 1 counts."),
        (
            lambda: Tree(schema, Branch((1, 2), Threshold(1, 0.5), made.children)),
            ValueError,
            "A split must use features 0 to 0 of the schema",
        ),
    ]:
        with pytest.raises(error, match=f"^{re.escape(words)}"):
            make()
