"""The checks of engines and of tables in parts."""

from functools import partial

import numpy as np
import pytest
from attrs import define, evolve, field, frozen

from ftree.criteria import Avc
from ftree.criteria.frontier import merge
from ftree.growth import plain
from ftree.growth.engines.engine import counts_sides
from ftree.missing import heaviest
from ftree.testing import check_engine, check_source

catches = pytest.mark.usefixtures("unshrunk")


@frozen
class Broken:
    """The NumPy engine with one method that returns a wrong result."""

    engine: object
    wrong: dict = field(factory=dict)
    single_use = False

    def __getattr__(self, name):
        return partial(self._answer, name)

    def _answer(self, name, *given):
        right = getattr(self.engine, name)(*given)
        answer = self.wrong[name](right, self.engine, *given) if name in self.wrong else right
        return evolve(self, engine=answer) if name in ("keep", "advance") else answer

    def sides(self, splits):  # which growth looks for in the class
        return self._answer("sides", splits)


WRONG = {
    "totals": lambda right, *_: right + 1,
    "keep": lambda _, engine, *__: engine,
    "count": lambda right, *_: evolve(right, counts=right.counts[::-1]),
    "joint": lambda right, *_: evolve(right, vector=-right.vector),
    "sides": lambda right, *_: evolve(right, counts=right.counts[:, ::-1]),
    "advance": lambda _, engine, splits, *__: evolve(engine, missing=heaviest()).advance(splits),
}


@pytest.mark.usefixtures("fewer")
def test_an_engine_that_does_all_as_the_numpy_engine_passes():
    check_engine(lambda table, setup: Broken(plain(table, setup)))


class OfClasses(Broken):
    """The NumPy engine without its sides, which promises no second answer."""

    single_use = True
    sides = None


@pytest.mark.usefixtures("fewer")
def test_an_engine_that_counts_no_sides_passes():
    assert not counts_sides(OfClasses(None))
    check_engine(lambda table, setup: OfClasses(plain(table, setup)))


# Finding the smallest example of a fault in later steps takes many seconds.
EASY = {"totals", "count"}


@catches
@pytest.mark.parametrize("name", [name if name in EASY else pytest.param(name, marks=pytest.mark.slow) for name in WRONG])
def test_an_engine_that_breaks_one_law_fails(name):
    with pytest.raises(AssertionError, match="counts are those of the NumPy engine" if name in EASY else None):
        check_engine(lambda table, setup: Broken(plain(table, setup), {name: WRONG[name]}))


@catches
@pytest.mark.parametrize("less", [lambda table: evolve(table, weights=None), lambda table: table.complete()])
def test_an_engine_without_weights_or_gaps_fails(less):
    with pytest.raises(AssertionError, match="counts are those of the NumPy engine"):
        check_engine(lambda table, setup: plain(less(table), setup))


@catches
@pytest.mark.slow
def test_an_engine_that_is_used_up_without_saying_so_fails():
    @frozen
    class UsedUp(Broken):
        nodes: list = field(factory=list)

        def advance(self, splits, child_counts):
            self.nodes.append(splits)
            return evolve(self._answer("advance", splits, child_counts), nodes=[])

        def totals(self):
            return self._answer("totals")[: 0 if self.nodes else None]

    with pytest.raises(AssertionError, match="single use"):
        check_engine(lambda table, setup: UsedUp(plain(table, setup)))


def test_counts_of_no_rows_merge():
    nothing = Avc(*np.zeros((3, 0)), np.zeros((0, 2)))
    assert merge(nothing, nothing).counts.shape == (0, 2)


@define
class Pieces:
    """Parts of a table of lists, each altered."""

    names: tuple
    parts: list
    folded: int = field(default=0)
    forgets: bool = field(default=False)

    def fold(self, function, merge):
        self.folded += 1
        answer, *others = map(function, self.parts[: 1 if self.forgets and self.folded > 1 else None])
        for other in others:
            answer = merge(answer, other)
        return answer


def pieces(columns, rows, alter=lambda part: part, **options):
    n = len(columns["label"])
    cut = ({name: column[at : at + rows] for name, column in columns.items()} for at in range(0, n, rows))
    return Pieces(tuple(columns), [alter(part) for part in cut], **options)


def without_a_label(part):
    return {**part, "label": part["label"][:-1]}


def turned(part):
    """The same rows with numbers of the opposite sign."""
    return {name: [-x if isinstance(x, float) and x > 1 else x for x in column] for name, column in part.items()}


@catches
@pytest.mark.parametrize(
    ("wrong", "law"),
    [
        (
            lambda columns, rows: pieces({"more": [0] * len(columns["label"]), **columns}, rows),
            "the names are those of the columns",
        ),
        (lambda columns, rows: pieces(columns, rows, without_a_label), "the columns of a part are equally long: got "),
        (lambda columns, rows: pieces(columns, rows, forgets=True), r"each row is in one part, each time: got \d+, must be \d+"),
        (
            lambda columns, rows: pieces(columns, rows, turned),
            r"it grows the tree of the whole table: got (.|\n)*, for rows = \d",
        ),
    ],
)
def test_a_table_that_breaks_a_law_is_caught(wrong, law):
    with pytest.raises(AssertionError, match=law):
        check_source(wrong)


def test_columns_may_be_arrays_and_parts_of_any_size():
    check_source(lambda columns, rows: pieces({name: np.array(column, object) for name, column in columns.items()}, rows))
