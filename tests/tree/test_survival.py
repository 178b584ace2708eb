"""Survival times: curves are those of Kaplan and Meier, hazards are relative to all rows, and every part takes them."""

import numpy as np
import pytest
from hypothesis import strategies as st

from ftree import CART, Dataset, evolve, grow, n_leaves, predict
from ftree.routing import apply
from ftree.stop import max_depth
from ftree.testing import check_response
from ftree.tree import survival

ROWS = st.lists(st.tuples(st.integers(1, 9), st.sampled_from([0, 1])), min_size=1, max_size=12)


def kaplan_meier(times, died, weights=None):
    """The probability of surviving each time of an event of all rows, by a loop over rows."""
    weights = [1] * len(times) if weights is None else weights
    rows, curve = list(zip(times, died, weights, strict=True)), []
    left = 1.0
    for moment in sorted({time for time, event in zip(times, died, strict=True) if event}):
        at_risk = sum(weight for time, _, weight in rows if time >= moment)
        left *= 1 - sum(weight for time, event, weight in rows if event and time == moment) / at_risk if at_risk else 1
        curve.append(left)
    return curve or [1.0]


@pytest.mark.parametrize("splits", ["deviance", "scores", "log-rank"])
@pytest.mark.parametrize("shrink", [0, 1])
def test_it_keeps_the_laws(splits, shrink):
    check_response(
        survival("weeks", "died", splits=splits, shrink=shrink),
        values=st.integers(1, 9),
        further=[st.sampled_from([0, 1])],
        oracle=lambda times, died: (float(any(died)), *kaplan_meier(times, died)),
        exempt=["least"] if shrink else (),
    )


def generated(seed, **options):
    """A table with gaps and weights."""
    random, n = np.random.default_rng(seed), 60
    x, colour = random.normal(size=n).round(1), random.choice(list("abc"), n)
    ended, seen = random.exponential(np.exp(-1.0 * (x > 0.2) - (colour == "b"))), random.exponential(1.2, n)
    died, weights = (ended <= seen).astype(int), random.integers(1, 4, n)
    columns = {
        "x": np.where(random.random(n) < 0.1, np.nan, x),
        "colour": [None if random.random() < 0.1 else each for each in colour],
        "weeks": np.ceil(20 * np.minimum(ended, seen)),
        "died": died,
    }
    response = survival("weeks", "died", shrink=0, **options)
    return Dataset.from_columns(columns, target="weeks", response=response, weights=weights)


def cumulative_hazard(times, died):
    """By a loop: in each piece between two events of all rows, events divided by the time at risk."""
    moments = sorted({time for time, event in zip(times, died, strict=True) if event})
    ends, found = [0.0, *moments[:-1], max(times)], {0.0: 0.0}
    for low, high, moment in zip(ends, ends[1:], moments, strict=False):
        at_risk = sum(min(time, high) - low for time in times if time > low)
        events = sum(event for time, event in zip(times, died, strict=True) if time == moment)
        found[high] = found[low] + events / at_risk * (high - low)
    return [float(np.interp(time, ends, [found[end] for end in ends])) for time in times]


GROWN = evolve(CART, missing="heaviest").stopping(max_depth(3))


@pytest.mark.parametrize("splits", ["deviance", "scores", "log-rank"])
@pytest.mark.parametrize("seed", range(40))
def test_leaves_of_generated_tables_are_those_of_loops(seed, splits):
    table = generated(seed, splits=splits)
    times, died, weights = table.target_column.tolist(), table.further_targets[0].tolist(), table.weights
    expected = cumulative_hazard(times, died)
    tree = grow(table, GROWN)
    reached, told = apply(tree, table), predict(tree, table)
    assert n_leaves(tree) > 2
    for leaf in np.unique(reached):
        rows = reached == leaf
        # Cases outside of the leaf have no weight, and their times stay on the grid.
        curve = kaplan_meier(times, died, np.where(rows, weights, 0).tolist())
        rate = weights[rows] @ np.array(died)[rows] / (weights[rows] @ np.array(expected)[rows])
        assert told[rows] == pytest.approx(np.tile([rate, *curve], (rows.sum(), 1)), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("splits", ["deviance", "scores", "log-rank"])
@pytest.mark.parametrize("seed", range(4))
def test_neither_order_nor_engine_nor_weights_of_a_power_of_two_change_a_tree(seed, splits):
    table = generated(seed, splits=splits)
    tree, rows = grow(table, GROWN), np.random.default_rng(seed).permutation(len(table))
    assert grow(table.take(rows), GROWN) == tree == grow(table, GROWN, engine="plain") == grow(table, GROWN, engine="compiled")
    if splits != "log-rank":  # the variance of its statistic depends on the number of cases
        for factor in (4, 0.25):
            twin = grow(table.with_weights(table.weights * factor), GROWN)
            assert np.array_equal(predict(twin, table), predict(tree, table))
            assert apply(twin, table).tolist() == apply(tree, table).tolist()
