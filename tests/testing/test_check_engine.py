"""The battery for engines: the library's pass, and an engine that breaks one law fails it."""

from functools import partial
from importlib import import_module

import numpy as np
import pytest
from attrs import evolve, field, frozen
from hypothesis import HealthCheck, settings

from ftree import Leaf
from ftree.criteria.counts import Avc, merge
from ftree.growth.engines import plain
from ftree.growth.engines.numba_engine import compiled
from ftree.testing import check_engine
from ftree.testing.check_engine import _to_the_first

pytestmark = pytest.mark.usefixtures("unshrunk")


@pytest.mark.parametrize("start", [plain, compiled])
def test_our_engines_pass(start):
    check_engine(start)


@frozen
class Broken:
    """The NumPy engine with one method that returns a wrong result."""

    engine: object
    wrong: dict = field(factory=dict)
    single_use = False

    def _answer(self, name, *given):
        right = getattr(self.engine, name)(*given)
        answer = self.wrong[name](right, self.engine, *given) if name in self.wrong else right
        return evolve(self, engine=answer) if name in ("keep", "advance") else answer

    def totals(self):
        return self._answer("totals")

    def keep(self, nodes):
        return self._answer("keep", nodes)

    def count(self):
        return self._answer("count")

    def joint(self, features):
        return self._answer("joint", features)

    def sides(self, splits):
        return self._answer("sides", splits)

    def advance(self, splits, child_counts):
        return self._answer("advance", splits, child_counts)


WRONG = {
    "totals": lambda right, *_: right + 1,
    "keep": lambda _, engine, *__: engine,
    "count": lambda right, *_: evolve(right, counts=right.counts[::-1]),
    "joint": lambda right, *_: evolve(right, vector=-right.vector),
    "sides": lambda right, *_: evolve(right, counts=right.counts[:, ::-1]),
    "advance": lambda _, engine, splits, *__: evolve(engine, missing="heaviest").advance(splits),
}


def test_an_engine_that_does_all_as_the_numpy_engine_passes():
    check_engine(lambda table, setup: Broken(plain(table, setup)))


# Finding the smallest example of a fault in later steps takes many seconds.
LAWS = {"totals": "totals are the class counts of the open nodes", "count": "counts are those of loops"}


@pytest.mark.parametrize("name", [name if name in LAWS else pytest.param(name, marks=pytest.mark.slow) for name in WRONG])
def test_an_engine_that_breaks_one_law_fails(name):
    with pytest.raises(AssertionError, match=LAWS.get(name)):
        check_engine(lambda table, setup: Broken(plain(table, setup), {name: WRONG[name]}))


@pytest.mark.slow
def test_an_engine_that_is_used_up_without_saying_so_fails():
    @frozen
    class UsedUp(Broken):
        nodes: list = field(factory=list)

        def advance(self, splits, child_counts):
            self.nodes.append(splits)
            return evolve(super().advance(splits, child_counts), nodes=[])

        def totals(self):
            return super().totals()[: 0 if self.nodes else None]

    with pytest.raises(AssertionError, match="single use"):
        check_engine(lambda table, setup: UsedUp(plain(table, setup)))


def as_plain(table, setup):
    return plain(table, setup)


@pytest.fixture
def battery(monkeypatch):
    """The battery's file, with few examples."""
    found = import_module("ftree.testing.check_engine")
    monkeypatch.setattr(found, "trying", lambda: settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck)))
    return found


def other(tree):
    return evolve(tree, root=Leaf([n + 1 for n in tree.root.counts]))


def other_if(asked, grow):
    """Growth that finds another tree where it is asked in one way."""
    return lambda *given, **options: other(grow(*given, **options)) if asked(options) else grow(*given, **options)


@pytest.mark.parametrize(
    ("name", "wrong", "law"),
    [
        (
            "merge",
            lambda of: lambda one, other: evolve(of(one, other), counts=of(one, other).counts + 1),
            "counts of parts merge",
        ),
        ("grow", partial(other_if, lambda options: options["engine"] is not plain), "trees are those of the NumPy engine"),
        ("grow", partial(other_if, lambda options: "trace" in options), "the trace changes nothing"),
        ("grow", partial(other_if, lambda options: "start" in options), "growth continues where it stopped"),
    ],
)
def test_what_grows_or_merges_otherwise_than_a_law_says_is_caught(battery, name, wrong, law, monkeypatch):
    monkeypatch.setattr(battery, name, wrong(getattr(battery, name)))
    with pytest.raises(AssertionError, match=law):
        check_engine(as_plain)


def test_an_engine_grows_the_tree_that_growth_goes_on_from_and_is_told_counts_where_all_is_known(battery, monkeypatch):
    engines, told, grow = [], set(), battery.grow

    def growing(*given, **options):
        engines.append(options["engine"])
        return grow(*given, **options)

    def checked(right, _engine, _splits, child_counts):
        told.add(child_counts is not None)
        return right

    def start(table, setup):
        return Broken(plain(table, setup), {"advance": checked})

    monkeypatch.setattr(battery, "grow", growing)
    check_engine(start)
    assert engines[:4] == [plain, start, start, start]
    assert set(engines) == {plain, start}
    assert engines.count(start) == 4 * engines.count(plain)
    assert told == {True, False}


def test_counts_of_no_rows_merge():
    nothing = Avc(*np.zeros((3, 0)), np.zeros((0, 2)))
    assert merge(nothing, nothing).counts.shape == (0, 2)


def test_a_missing_value_rule_of_the_battery_sends_all_to_the_first_child():
    assert _to_the_first([3, 1]).tolist() == [1.0, 0.0]
