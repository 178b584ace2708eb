"""The check of split types passes all of the library's own, and detects each broken law."""

import numpy as np
import pytest
from attrs import evolve, frozen

from ftree import Feature, Schema
from ftree.show import Between
from ftree.testing import check_split
from ftree.tree import Threshold
from ftree.tree.conditions import NoneOf, OneOf
from ftree.tree.splits.split import ABOVE, TableForm

pytestmark = pytest.mark.usefixtures("unshrunk")

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


@pytest.mark.parametrize("unshrunk", [1], indirect=True)
def test_a_split_may_refuse_another_schema():
    check_split(Plain(0, 1.0), SCHEMA)


class NoSplit:
    features = (0,)


def plain(name, **members):
    """A plain threshold at 1 with other members; its class is found by its name, so that it can be pickled."""
    globals()[name] = made = frozen(type(name, (Plain,), members))
    return made(0, 1.0)


def by(rule):
    """A method `child` from known values and the threshold to whether they go right."""
    return lambda self, column: np.where(np.isnan(column), -1, rule(column, self.at))


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


HOLDS = "the condition of a child holds for exactly the rows that go there"
# Values above the threshold have no child, though it says that all known values have one.
ONLY_LOW = {"child": lambda self, column: np.where(np.isnan(column) | (column > self.at), -1, 0), "answers_all_known": True}


@pytest.mark.parametrize(
    ("wrong", "error", "law"),
    [
        (NoSplit(), AssertionError, "a split has features, n_children, child and conditions"),
        (plain("NoHash", __hash__=None), TypeError, "unhashable"),
        (Plain(7, 1.0), (ValueError, IndexError), "features 0 to 3|index"),
        (plain("NoFeature", features=()), AssertionError, "a split uses at least one feature"),
        (plain("OneCondition", conditions=(Between(0, at_most=1.0),)), AssertionError, "a split has a condition for each child"),
        (plain("AtLeast", child=by(lambda column, at: column >= at)), AssertionError, HOLDS),
        (plain("Single", child=by(lambda column, at: column.astype(np.float32) > np.float32(at))), AssertionError, HOLDS),
        (plain("Whole", child=by(lambda x, at: np.nan_to_num(x, posinf=0, neginf=0).astype(int) > at)), AssertionError, HOLDS),
        (
            plain("ByRank", child=by(lambda column, _: column > np.nanmean([*np.clip(column, 0, 4), 1.0]))),
            AssertionError,
            "a row's child depends on that row alone",
        ),
        (
            plain("OnlyLow", **ONLY_LOW, conditions=(Between(0, at_most=1.0), Between(0, above=np.inf))),
            AssertionError,
            "answers_all_known: known values have a child|" + HOLDS,
        ),
        (
            plain("WrongTable", tables=lambda self: TableForm(ABOVE, self.feature, self.at + 1)),
            AssertionError,
            "tables lead to the same children as child",
        ),
        (
            plain("WrongFields", to_fields=lambda self: {"feature": self.feature, "at": 2.0}),
            (AssertionError, ValueError),
            "The name and keys of|the dict of a split is read",
        ),
        (
            plain("Moved", at_observed=lambda self, _: evolve(self, at=self.at + 1)),
            AssertionError,
            "with thresholds at observed values, rows go to the same",
        ),
        (plain("Costly", bits=lambda _, distinct: 1 - distinct), AssertionError, "the bits of a split are a number from 0"),
        (KeepsCodes(2), AssertionError, "in other numbers, rows go to the same children"),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "features") else "",
)
def test_a_split_that_breaks_a_law_is_caught(wrong, error, law):
    with pytest.raises(error, match=law) as caught:
        check_split(wrong, SCHEMA)
    assert error is not AssertionError or type(wrong).__name__ in str(caught.value), "a failure says the split"


@frozen
class NoValue(Plain):
    __eq__ = object.__eq__
    __hash__ = object.__hash__


def test_a_split_that_is_no_value_or_not_the_oracle_s_is_caught():
    with pytest.raises(AssertionError, match="a split equals its copy"):
        check_split(NoValue(0, 1.0), SCHEMA)
    with pytest.raises(AssertionError, match="a row goes to the oracle's child"):
        check_split(Threshold(0, 1.0), SCHEMA, oracle=at_least)
