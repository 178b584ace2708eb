"""The battery for split types passes all of the library's own, and detects each broken law."""

from typing import Any

import numpy as np
import pytest
from attrs import evolve, frozen
from hypothesis import strategies as st

from ftree import Feature, Schema
from ftree.show import Between
from ftree.testing import check_split
from ftree.tree import Threshold
from ftree.tree.conditions import NoneOf, OneOf
from ftree.tree.splits.split import ABOVE, TableForm

pytestmark = pytest.mark.usefixtures("unshrunk")
usual = pytest.mark.parametrize("unshrunk", [1], indirect=True)

SCHEMA = Schema(
    [
        Feature("length", "numeric"),
        Feature("width", "numeric"),
        Feature("colour", "nominal", ("white", "blue", "red")),
        Feature("size", "ordinal", ("S", "M", "L")),
    ],
    "flower",
    ("rose", "iris"),
)


@usual
def test_a_split_may_refuse_another_schema():
    check_split(st.just(Plain(0, 1.0)), SCHEMA)


@frozen
class Plain:
    """A threshold, as a user may write it at first: only the protocol's members."""

    feature: int
    at: float
    n_children = 2

    @property
    def features(self):
        return (self.feature,)

    @property
    def conditions(self):
        return Between(self.feature, at_most=self.at), Between(self.feature, above=self.at)

    def child(self, column):
        return np.where(np.isnan(column), -1, column > self.at)


@frozen
class NoHash(Plain):
    __hash__ = None


@frozen
class NoValue(Plain):
    __eq__ = object.__eq__
    __hash__ = object.__hash__


class NoSplit:
    features = (0,)


@frozen
class NoFeature(Plain):
    features = ()


@frozen
class OneCondition(Plain):
    conditions = (Between(0, at_most=1.0),)


@frozen
class WrongCondition(Plain):
    @property
    def conditions(self):
        return Between(self.feature, at_most=self.at + 1), Between(self.feature, above=self.at + 1)


class AtLeast(Plain):
    def child(self, column):
        return np.where(np.isnan(column), -1, column >= self.at)


class InSinglePrecision(Plain):
    def child(self, column):
        return np.where(np.isnan(column), -1, column.astype(np.float32) > np.float32(self.at))


class OfWholeNumbers(Plain):
    def child(self, column):
        return np.where(np.isnan(column), -1, np.nan_to_num(column, posinf=0, neginf=0).astype(int) > self.at)


@frozen
class ByRank(Plain):
    """The child depends on the other rows."""

    def child(self, column):
        return np.where(np.isnan(column), -1, column > np.nanmean([*np.clip(column, 0, 4), 1.0]))


@frozen
class CountsMissing(Plain):
    answers_all_known = True

    def child(self, column):
        return np.where(np.isnan(column) | (column > self.at), -1, 0)

    @property
    def conditions(self):
        return Between(self.feature, at_most=self.at), Between(self.feature, above=9.0)


@frozen
class WrongTable(Plain):
    def tables(self):
        return TableForm(ABOVE, self.feature, self.at + 1)


@frozen
class WrongFields(Plain):
    def to_fields(self):
        return {"feature": self.feature, "at": 2.0}


@pytest.mark.parametrize(
    ("wrong", "law"),
    [
        (NoSplit(), "a split has features"),
        (NoValue(0, 1.0), "a split equals its copy"),
        (NoFeature(0, 1.0), "a split uses at least one feature"),
        (OneCondition(0, 1.0), "a split has a condition for each child"),
        (WrongCondition(0, 1.0), "the condition of a child holds for exactly the rows that go there"),
        (AtLeast(0, 1.0), "the condition of a child holds for exactly the rows that go there"),
        (OfWholeNumbers(0, 1.0), "the condition of a child holds for exactly the rows that go there"),
        (InSinglePrecision(0, 1.0), "the condition of a child holds for exactly the rows that go there"),
        (ByRank(0, 1.0), "a row's child depends on that row alone"),
        (CountsMissing(0, 1.0), "answers_all_known: known values have a child|holds for exactly the rows that go there"),
        (WrongTable(0, 1.0), "tables lead to the same children as child"),
        (WrongFields(0, 1.0), "The name and keys of|the dict of a split is read"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_a_split_that_breaks_a_law_is_caught(wrong: Any, law: str):
    with pytest.raises((AssertionError, ValueError), match=law) as caught:
        check_split(wrong, SCHEMA)
    assert type(wrong).__name__ in str(caught.value), "a failure says the split"


@frozen
class Moved(Plain):
    """Its thresholds at observed values are elsewhere."""

    def at_observed(self, _):
        return evolve(self, at=self.at + 1)


@frozen
class Costly(Plain):
    def bits(self, distinct):
        return 1 - distinct


@frozen
class KeepsCodes:
    """Sends one value to the first child, by its code, which it keeps in another schema."""

    feature: int
    code: int = 0
    n_children = 2

    @property
    def features(self):
        return (self.feature,)

    @property
    def conditions(self):
        return OneOf(self.feature, (self.code,)), NoneOf(self.feature, (self.code,))

    def child(self, column):
        return np.where(column < 0, -1, (column != self.code).astype(int))

    def recoded(self, old, new):
        return evolve(self, feature=[each.name for each in new.features].index(old.features[self.feature].name))

    def to_fields(self):
        return {"feature": self.feature, "code": self.code}


def at_least(split, row):
    """An oracle that sends a value at the threshold to the other side."""
    return row["length"] and int(row["length"] >= split.at)


@pytest.mark.parametrize(
    ("wrong", "options", "error", "law"),
    [
        (NoHash(0, 1.0), {}, TypeError, "unhashable"),
        (Plain(7, 1.0), {}, (ValueError, IndexError), "features 0 to 3|index"),
        (Moved(0, 1.5), {}, AssertionError, "with thresholds at observed values, rows go to the same"),
        (Costly(0, 1.5), {}, AssertionError, "the bits of a split are a number from 0"),
        (Threshold(0, 1.0), {"oracle": at_least}, AssertionError, "a row goes to the oracle's child"),
        (KeepsCodes(2), {}, AssertionError, "in other numbers, rows go to the same children"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_a_split_that_is_wrong_otherwise_is_caught(wrong, options, error, law):
    with pytest.raises(error, match=law):
        check_split(wrong, SCHEMA, **options)
