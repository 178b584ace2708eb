"""Splits in the numbers of another schema: by name and by value, or an error that names what does not exist there."""

import pytest
from attrs import evolve, frozen

from ftree import Feature, Schema
from ftree.show import Opaque
from ftree.tree import Groups, Intervals, Multiway, Oblique, Subset, Surrogate, Threshold, WithSurrogates
from ftree.tree.splits import of_fields, recoded, renumbered, to_fields
from ftree.tree.splits.shared import recoded_cuts

AGE, HEIGHT = Feature("age", "numeric"), Feature("height", "numeric")
SKY, SIZE = Feature("sky", "nominal", ("grey", "blue", "red")), Feature("size", "ordinal", ("S", "M", "L"))
OLD = Schema([AGE, SKY, SIZE, HEIGHT], "ride", ("no", "yes"))
NEW = Schema([SIZE, HEIGHT, evolve(SKY, values=("red", "blue", "pink", "grey")), AGE], "ride", ("no", "yes"))
LARGER = evolve(NEW, features=[evolve(SIZE, values=("XS", "S", "M", "L")), *NEW.features[1:]])


@pytest.mark.parametrize(
    ("split", "moved"),
    [
        (Threshold(0, 18), Threshold(3, 18)),
        (Threshold(2, 1.5), Threshold(0, 2.5)),
        (Intervals(2, (0.5, 1.5)), Intervals(0, (1.5, 2.5))),
        (Intervals(0, (18, 65)), Intervals(3, (18, 65))),
        (Multiway(1, (0, 2)), Multiway(2, (3, 0))),
        (Subset(1, (0, 1)), Subset(2, (1, 3))),
        (Groups(1, ((0, 1), (2,))), Groups(2, ((1, 3), (0,)))),
        (Oblique((1, 0, 0, -0.5), 2), Oblique((0, -0.5, 0, 1), 2)),
        (
            WithSurrogates(Threshold(0, 18), [Surrogate(Subset(1, (0,)), reversed=True)], 1),
            WithSurrogates(Threshold(3, 18), [Surrogate(Subset(2, (3,)), reversed=True)], 1),
        ),
    ],
)
def test_splits_follow_names_and_values(split, moved):
    assert recoded(split, OLD, LARGER) == moved
    assert recoded(moved, LARGER, OLD) == split


@pytest.mark.parametrize(
    ("split", "features", "message"),
    [
        (Threshold(0, 18), [SKY, SIZE], "The schema must have the feature 'age', which a split uses, got"),
        (
            Threshold(0, 18),
            [Feature("age", "ordinal", ("young", "old"))],
            "Feature 'age' must be numeric, as in the tree",
        ),
        (Oblique((1, 0, 0, 1), 2), [AGE], "must have the feature 'height'"),
        (
            Multiway(1, (0, 2)),
            [evolve(SKY, values=("grey", "blue"))],
            "Feature 'sky' must have the value 'red'",
        ),
        (Threshold(2, 0.5), [evolve(SIZE, values=("S", "XM", "M", "L"))], "The values .* of 'size' must be neighbours"),
        (Threshold(2, 0.5), [evolve(SIZE, values=("S", "L"))], "The values .* of 'size' must be neighbours"),
        (Threshold(2, 0.5), [evolve(SIZE, values=("L", "M", "S"))], "The values of 'size' must keep their order"),
    ],
)
def test_what_is_gone_is_named(split, features, message):
    with pytest.raises(ValueError, match=message):
        recoded(split, OLD, evolve(OLD, features=features))


def test_a_cut_at_a_value_moves_with_it():
    assert recoded_cuts(OLD, LARGER, 2, (2,)) == (3,)


@frozen
class Own:
    feature: int
    tags: tuple = ()
    n_children = 1

    @property
    def features(self):
        return (self.feature,)

    @property
    def conditions(self):
        return (Opaque(self, 0, "anything"),)

    def child(self, column):
        return column * 0


@frozen
class Pair:
    both: tuple
    n_children = 1

    @property
    def features(self):
        return self.both


def test_a_split_of_one_feature_is_moved_by_its_field():
    assert renumbered(Own(0, ("word",)), (2, 0), 4) == Own(2, ("word",))


def test_a_split_without_methods_of_its_own_is_refused_by_name_where_it_must_change():
    assert recoded(Own(0), OLD, OLD) == Own(0)
    pair = Pair((0, 1))
    assert renumbered(pair, (0, 1, 3), 4) is pair
    with pytest.raises(TypeError, match=r"Pair\(both=\(0, 1\)\) must have a method renumbered\(features, n\)"):
        renumbered(pair, (0, 2), 4)
    with pytest.raises(ValueError, match=r"Own\(feature=1, tags=\(\)\) must have a method recoded\(old, new\)"):
        recoded(Own(1), OLD, NEW)


def test_fields_are_plain_values_and_lead_back():
    inner = Own(0, (Threshold(0, 2.5), "word", None))
    fields = to_fields(inner)
    assert fields == {"feature": 0, "tags": ({"type": "Threshold", "feature": 0, "at": 2.5}, "word", None)}
    assert of_fields("Own", fields, [Own]) == inner
    assert of_fields("Threshold", {"feature": 1, "at": 0}) == Threshold(1, 0)


def test_fields_that_are_no_plain_values_or_of_no_class_are_refused():
    with pytest.raises(TypeError, match=r"Fields of Own.* must be numbers, texts or None, got <built-in function len>"):
        to_fields(Own(0, (len,)))
    with pytest.raises(TypeError, match=r"must have a method to_fields\(\) or an attrs class"):
        to_fields(object())
    for name in ({"no": 1}, "x" * 4000, 3):
        with pytest.raises(ValueError, match=r"Pass your own types as splits=\(\w+,\)") as raised:
            of_fields(name, {}, [])
        assert len(str(raised.value)) < 500
    with pytest.raises(
        ValueError,
        match=r"A split must be of one of the types Own, WithSurrogates, .*, got 'Other'. Pass",
    ):
        of_fields("Other", {}, [Own])
    with pytest.raises(ValueError, match=r"Fields of Own must be those of its to_fields\(\), got {'at': 1}"):
        of_fields("Own", {"at": 1}, [Own])
