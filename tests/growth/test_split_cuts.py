"""The splits of a level as arrays: they stand for the same splits, whichever way they are made, moved or replaced."""

import numpy as np
import pytest

from ftree.growth import split_arrays
from ftree.growth.kernels.records import MULTIWAY, NONE, OBJECT, SUBSET, THRESHOLD
from ftree.growth.split_arrays import Cuts
from ftree.tree import Intervals, Multiway, Subset, Threshold

SPLITS = [
    Threshold(1, 0.5),
    None,
    Multiway(0, (0, 2, 3)),
    Intervals(1, (1, 2)),
    Subset(2, (1,)),
    Intervals(3, (5,)),
    Threshold(2, -1.5),
    Subset(0, (0, 4)),
]
NAMES = "kind", "feature", "at", "first", "codes", "lower"


@pytest.fixture
def cuts():
    return Cuts.of(SPLITS)


def same(found, wanted):
    """Equal arrays of equal types, and equal objects."""
    for name in NAMES:
        one, other = getattr(found, name), getattr(wanted, name)
        assert (name, one.tolist(), one.dtype) == (name, other.tolist(), other.dtype)
    assert tuple(found.objects) == tuple(wanted.objects)


def test_the_arrays_are_those_of_the_splits(cuts):
    assert cuts.kind.tolist() == [THRESHOLD, NONE, MULTIWAY, OBJECT, SUBSET, OBJECT, THRESHOLD, SUBSET]
    assert cuts.feature.tolist() == [1, -1, 0, -1, 2, -1, 2, 0]
    assert cuts.at.tolist() == [0.5, 0, 0, 0, 0, 0, -1.5, 0]
    assert cuts.first.tolist() == [0, 0, 0, 3, 3, 4, 4, 4, 6]
    assert cuts.codes.tolist() == [0, 2, 3, 1, 0, 4]
    assert cuts.lower.tolist() == [-1] * 8
    assert cuts.objects == (SPLITS[3], SPLITS[5])
    assert [getattr(cuts, name).dtype.str[1:] for name in NAMES] == ["i1", "i4", "f8", "i8", "i8", "i8"]
    assert [getattr(Cuts.of([]), name).dtype.str[1:] for name in NAMES] == ["i1", "i4", "f8", "i8", "i8", "i8"]
    assert list(Cuts.of([])) == []


def test_the_splits_are_those_of_the_arrays(cuts):
    assert len(cuts) == 8
    assert list(cuts) == cuts.made() == SPLITS
    assert cuts.present() == [split for split in SPLITS if split is not None]
    assert [cuts[node] for node in range(8)] == SPLITS
    assert [cuts[node - 8] for node in range(8)] == SPLITS
    assert cuts[2:7:2] == SPLITS[2:7:2]
    with pytest.raises(IndexError):
        cuts[8]
    assert cuts.arity.tolist() == [2, 0, 3, 3, 2, 2, 2, 2]


@pytest.mark.parametrize("of_one_kind", [[0, 6], [2], [4, 7], [3, 5]], ids=["threshold", "multiway", "subset", "objects"])
def test_splits_of_one_kind_are_made_in_their_order(of_one_kind):
    some = [SPLITS[number] for number in of_one_kind]
    assert Cuts.of(some).present() == some
    assert list(Cuts.of([None, *some, None])) == [None, *some, None]


def test_objects_that_are_made_later_split_in_two(cuts):
    later = Cuts(*(getattr(cuts, name) for name in NAMES), objects=["not asked", "not asked"])
    assert later.arity.tolist() == [2, 0, 3, 2, 2, 2, 2, 2]


@pytest.fixture
def many():
    """Splits into codes below 4, with copies, at two features."""
    return [
        Multiway(0, (0, 1)),
        Multiway(1, (0, 1)),
        Multiway(0, (0, 2)),
        Multiway(0, (1, 3)),
        Multiway(1, (0, 2)),
        Multiway(0, (1, 2)),
    ] * 2


@pytest.mark.parametrize(("enough", "shared"), [(12, True), (13, False)])
def test_of_many_splits_equal_ones_are_one_object(many, enough, shared, monkeypatch):
    monkeypatch.setattr(split_arrays, "_MANY", enough)
    made = Cuts.of(many).present()
    assert made == many
    assert all((one is other) == shared for one, other in zip(made[:6], made[6:], strict=True))


@pytest.mark.parametrize(("codes", "shared"), [(4, True), (3, False)])
def test_splits_of_more_codes_than_a_number_has_bits_are_objects_each(many, codes, shared, monkeypatch):
    monkeypatch.setattr(split_arrays, "_MANY", 1)
    monkeypatch.setattr(split_arrays, "_KEY", codes)
    made = Cuts.of(many).present()
    assert made == many
    assert (made[0] is made[6]) == shared
    numbers = [Threshold(0, 1.0), Threshold(0, 2.0), Threshold(0, 1.0)]
    assert Cuts.of(numbers).present() == numbers


def test_a_subset_and_a_multiway_split_of_the_same_codes_differ_however_many_there_are(monkeypatch):
    monkeypatch.setattr(split_arrays, "_MANY", 2)
    both = [Multiway(0, (0, 1)), Subset(0, (0, 1)), Multiway(0, (0, 1)), Subset(0, (0, 1)), Threshold(0, 1.0), None]
    assert list(Cuts.of(both)) == both


def test_thresholds_move_down_to_values_of_their_feature(cuts):
    values = [None, np.array([-1.0, 0.25, 0.75]), np.array([-3.0, -2.0, -1.0]), None]
    moved = cuts.at_values(values)
    assert list(moved) == [Threshold(1, 0.25), *SPLITS[1:6], Threshold(2, -2.0), SPLITS[7]]
    assert cuts.at.tolist() == [0.5, 0, 0, 0, 0, 0, -1.5, 0], "those that were moved stay"
    kept = cuts.at_values([None, None, np.array([-2.0]), None])
    assert list(kept) == [*SPLITS[:6], Threshold(2, -2.0), SPLITS[7]]


def test_cuts_among_more_nodes_leave_the_others_without_one(cuts):
    mask = np.array([False, True, True, False, True, True, True, True, True, True, False])
    found = cuts.among(mask)
    expected = iter(SPLITS)
    same(found, Cuts.of([next(expected) if here else None for here in mask]))
    lower = Cuts(*(getattr(cuts, name) for name in NAMES[:-1]), lower=np.arange(8), objects=cuts.objects).among(mask).lower
    assert lower.tolist() == [-1, 0, 1, -1, 2, 3, 4, 5, 6, 7, -1]


def test_closed_nodes_lose_their_splits(cuts):
    for closed in ([0, 3, 7], [2, 4], [5], range(8), []):
        mask = np.isin(np.arange(8), list(closed))
        found = cuts.without(mask)
        wanted = Cuts.of([None if gone else split for gone, split in zip(mask, SPLITS, strict=True)])
        assert list(found) == list(wanted)
        for name in ("kind", "feature", "first", "codes"):
            assert (getattr(found, name).tolist(), getattr(found, name).dtype) == (
                getattr(wanted, name).tolist(),
                getattr(wanted, name).dtype,
            )
        assert found.objects == wanted.objects
        assert found.arity.tolist() == wanted.arity.tolist()


def test_splits_are_replaced_by_objects_in_the_order_of_nodes(cuts):
    others = [Threshold(0, 9.0), Intervals(0, (9,)), Threshold(1, 9.0)]
    assert cuts.replaced(np.isin(np.arange(8), [0, 5, 6]), others).objects == (others[0], SPLITS[3], *others[1:])
    found = cuts.replaced(np.isin(np.arange(8), [0, 3, 6]), others)
    assert list(found) == [others[0], *SPLITS[1:3], others[1], *SPLITS[4:6], others[2], SPLITS[7]]
    assert found.objects == (others[0], others[1], SPLITS[5], others[2])
    assert (found.kind.tolist(), found.kind.dtype) == ([OBJECT, NONE, MULTIWAY, OBJECT, SUBSET, OBJECT, OBJECT, SUBSET], np.int8)
    assert (found.feature.tolist(), found.feature.dtype) == ([-1, -1, 0, -1, 2, -1, -1, 0], np.int32)
    assert [found[node] for node in range(8)] == list(found)


def test_objects_that_are_all_there_are_stay_as_they_are_given():
    later = [Threshold(2, 1.5)]
    found = Cuts.of([Threshold(1, 0.5), None]).replaced(np.array([True, False]), later)
    assert found.objects is later
