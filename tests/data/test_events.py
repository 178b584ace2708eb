"""Tables of events: a label is how many, and a column of its own says on how long or how much they were counted."""

import pickle

import numpy as np
import pytest
from attrs import evolve

from ftree import CART, Dataset, grow, prune, recount
from ftree.responses import events
from ftree.tree import exact_sums, leaves, numbers

COLUMNS = {"hot": [0, 0, 1, 1], "years": [2.0, 4.0, 2.0, 1.0], "n": [1, 1, 4, 3]}
TABLE = Dataset.from_columns(COLUMNS, target="n", kinds="numeric", response=events("years"))


def test_every_door_splits_off_the_exposure():
    rows = list(zip(COLUMNS["hot"], COLUMNS["years"], strict=True))
    options = {"target": "n", "kinds": {"hot": "numeric"}, "response": events("years")}
    text = "hot,years,n\n" + "".join(f"{hot},{years},{n}\n" for hot, years, n in zip(*COLUMNS.values(), strict=True))
    for table in (
        Dataset.from_rows(rows, COLUMNS["n"], features=["hot", "years"], **options),
        Dataset.from_frame(COLUMNS, **options),
        Dataset.read(text.encode(), format="csv", **options),
        Dataset.from_frame(TABLE.to_pandas(), **options),
    ):
        assert evolve(table, origins=()) == evolve(TABLE, origins=())
    assert [feature.name for feature in TABLE.schema.features] == ["hot"]
    assert repr(TABLE) == "Dataset of 4 rows: hot numeric -> n: events from 1 to 4"
    alone = Dataset.from_columns({"hot": [0, 1], "n": [True, False]}, target="n", response="events")
    assert (alone.further_targets, alone.schema.response.own, alone.labels.tolist()) == ((), events(), [1.0, 0.0])


def test_rows_keep_their_exposure():
    assert TABLE.take([2, 0]).further_targets[0].tolist() == [2.0, 2.0]
    assert TABLE.take([0]).concatenate(TABLE.take([1, 2, 3])) == TABLE
    assert TABLE.with_labels([0, 0, 1, 1]).further_targets[0] is TABLE.further_targets[0]
    assert pickle.loads(pickle.dumps(TABLE)) == TABLE != evolve(TABLE, further_targets=[[1.0, 4.0, 2.0, 1.0]])  # noqa: S301  # our own bytes
    assert TABLE.keep_columns(["hot"]) == TABLE
    for other in (TABLE.binned("n", cuts=[2]), TABLE.with_labels([*"abab"], classes=[*"ab"])):
        assert (other.further_targets, other.schema.has_classes) == ((), True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n": [1, -1, 0, 0]}, "A row must have events from 0, .* got -1 and 4 in row 1. Leave it out"),
        ({"n": [1, None, 0, 0]}, "must have a finite number in every row, got nan in row 1"),
        ({"years": [1.0, 0.0, 1.0, 1.0]}, "exposure above 0 .* got 1 and 0 in row 1"),
        ({"years": [1.0, None, 1.0, 1.0]}, "got 1 and nan in row 1"),
        ({"years": [1.0, np.inf, 1.0, 1.0]}, "got 1 and inf in row 1"),
        ({"years": [1.0, 1e13, 1.0, 1.0]}, "no trillion times smaller than another, got 1 and 1 in row 0"),
        ({"years": ["a", "b", "c", "d"]}, "years"),
    ],
)
def test_what_is_no_event_or_exposure_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        Dataset.from_columns(COLUMNS | change, target="n", response=events("years"))


def test_an_exposure_that_is_not_there_is_refused():
    with pytest.raises(KeyError, match="The column must be one of 'hot', 'years', got 'months'"):
        Dataset.from_columns(COLUMNS, target="n", response=events("months"))
    with pytest.raises(
        ValueError, match=r"further_targets must be the columns \('years',\) for a target of events, got 0 columns"
    ):
        evolve(TABLE, further_targets=())
    with pytest.raises(ValueError, match=r"further_targets must be columns of a number for each row, got \[\[\[1\], 'gini'\]\]"):
        evolve(TABLE, further_targets=[[[1], "gini"]])
    with pytest.raises(ValueError, match=r"further_targets must be the columns \(\) for a target of numbers, got 1 column"):
        evolve(TABLE, schema=evolve(TABLE.schema, response=numbers()))
    with pytest.raises(ValueError, match=r"response must be .* or a response such as events"):
        Dataset.from_columns(COLUMNS, target="n", response=events)
    with pytest.raises(ValueError, match="with further targets must not have a column 'years'"):
        evolve(TABLE, schema=evolve(TABLE.schema, target="years")).to_pandas()
    with pytest.raises(ValueError, match=r"grids must be one for each of .* but the cases, got 1"):
        exact_sums(events(), [numbers()])


def test_rates_are_shrunken_towards_the_root_by_hand():
    tree = grow(TABLE, CART)
    assert [tree.schema.response.answer(leaf.counts) for leaf in leaves(tree)] == pytest.approx([3 / 7, 8 / 4], rel=1e-12)
    held_out = {"hot": [0, 1], "years": [1.0, 1.0], "n": [5, 0]}
    assert prune.reduced_error(held_out)(tree).root.counts == tree.root.counts
    counted = recount(tree, Dataset.from_columns(held_out, target="n", kinds="numeric", response=events("years")))
    assert counted.schema.response.own.rate == 2.5
