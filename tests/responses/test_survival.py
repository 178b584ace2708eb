"""Survival times: curves are those of Kaplan and Meier, hazards are relative to all rows, and every part takes them."""

from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree import CART, Dataset, draw, evolve, grow, n_leaves, predict, recount, study
from ftree.responses import SurvivalCurve, survival
from ftree.routing import apply
from ftree.show.looks import looks_of
from ftree.splitters import by_permutation_test
from ftree.stop import max_depth
from ftree.study import metrics
from ftree.testing import check_response
from ftree.tree import leaves


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


def table_of(weeks, died, **options):
    columns = {"x": np.arange(len(weeks)) % 5, "weeks": weeks, "died": died}
    return Dataset.from_columns(columns, target="weeks", kinds={"x": "numeric"}, response=survival("weeks", "died", **options))


def log_rank(times, died, treated):
    """The two-sample statistic of Mantel (1966): (observed - expected)^2 / variance of the events of one group."""
    difference = variance = 0.0
    for moment in np.unique(times[died == 1]):
        at_risk, now = times >= moment, (times == moment) & (died == 1)
        n, n_treated, events = at_risk.sum(), (at_risk & treated).sum(), now.sum()
        difference += (now & treated).sum() - events * n_treated / n
        if n > 1:
            variance += events * (n_treated / n) * (1 - n_treated / n) * (n - events) / (n - 1)
    return difference**2 / variance if variance else 0.0


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 1), st.booleans()), min_size=2, max_size=30))
def test_the_scores_of_two_children_add_up_to_the_log_rank_statistic(rows):
    times, died, treated = (np.array(column) for column in zip(*rows, strict=True))
    own = table_of(times, died, splits="log-rank").schema.response.own
    channels = [np.ones_like(times), *own.add(times, died)]
    parent, *children = ([each[part].sum() for each in channels] for part in (slice(None), treated, ~treated))
    assert sum(own.score(parent, child) for child in children) == pytest.approx(log_rank(times, died, treated), abs=1e-9)


@pytest.mark.parametrize("n", [300, 3000])
def test_many_times_of_events_are_rounded_to_a_grid_and_many_pieces_of_the_hazard_are_joined(n):
    random = np.random.default_rng(n)
    times, died = random.exponential(size=n), (random.random(n) < 0.7).astype(int)
    table = table_of(times, died)
    own = table.schema.response.own
    assert len(own.grid) == 100
    assert len(own.hazards) == len(own.ends) <= 1001
    curve = own.curve(predict(grow(table, CART.stopping(max_depth(0))), table)[0])
    moments, exact = np.unique(times[died == 1]), np.array(kaplan_meier(times, died))
    on_grid = np.isin(moments, own.grid)
    assert np.abs(curve.at(moments) - exact)[on_grid].max() < 0.01
    hazards = own.add(times, died)[1]
    assert hazards == pytest.approx(cumulative_hazard(times.tolist(), died.tolist()), rel=0.05, abs=1e-3)


def test_times_are_reported_in_order_and_on_the_grid():
    table = table_of([2, 3, 5, 7, 8], [1, 1, 0, 1, 0], times=[6, 2.5, 100])
    own = table.schema.response.own
    assert (own.names(), own.grid) == (("hazard", "2.5", "6", "100"), (2.0, 2.5, 3.0, 6.0, 7.0, 100.0))
    told = predict(grow(table, CART.stopping(max_depth(0))), table)[0, 1:]
    assert told.tolist() == pytest.approx([0.8, 0.6, 0.3])


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(0, 1)), min_size=1, max_size=12), st.sets(st.integers(0, 10), max_size=3)
)
def test_a_median_prints_as_exact_if_it_is_and_as_a_bound_if_the_times_asked_for_tell_no_more(rows, times):
    weeks, died = map(list, zip(*rows, strict=True))
    tree = grow(table_of(weeks, died, times=sorted(times)), CART.stopping(max_depth(0)))
    told = str(tree).removeprefix(": median ").partition(",")[0]
    events = sorted({time for time, event in rows if event})
    median = next((time for time, left in zip(events, kaplan_meier(weeks, died), strict=False) if left <= 0.5 + 1e-12), inf)
    if "by" not in told:
        assert told == ("not reached" if median == inf else str(median))
    else:
        assert times
        at = int(told.rpartition(" ")[2])
        assert median > at if "not reached" in told else max([0, *(time for time in times if time < at)]) < median <= at


def test_a_curve_has_quantiles_and_probabilities():
    curve = SurvivalCurve([1, 3], np.array([0.5, 0.25]))
    assert (curve.times, curve.median, curve.quantile(0.75), curve.quantile(1)) == ((1, 3), 1, 3, inf)
    assert (curve.at(0.9), curve.at([1, 2.9, 3]).tolist()) == (1.0, [0.5, 0.5, 0.25])
    assert np.isnan(curve.at([nan, 9])).tolist() == [True, False]
    for q in (-0.1, 1.1, nan, True, "half", None):
        with pytest.raises(ValueError, match="q must be a number from 0 to 1, got "):
            curve.quantile(q)


@given(st.data())
def test_a_quantile_is_the_first_time_by_which_so_many_have_had_the_event(data):
    """The curve is 1 from time 0 to the first of its times, so the share 0 is reached at time 0."""
    times = sorted(data.draw(st.sets(st.integers(0, 9))))
    left = sorted(data.draw(st.lists(st.integers(0, 4), min_size=len(times), max_size=len(times))), reverse=True)
    curve = SurvivalCurve(times, [share / 4 for share in left])
    for q in (0, 0.25, 0.5, 0.75, 1):
        assert curve.quantile(q) == next((time for time in [0, *times] if 1 - curve.at(time) >= q or not q), inf)


@pytest.mark.parametrize(
    ("times", "probabilities", "message"),
    [
        ((1, 3), (0.5,), "probabilities must be one for each of 2 times, got 1."),
        ((3, 1), (0.5, 0.25), r"times must be finite numbers from 0, rising, got \(3.0, 1.0\)."),
        ((1, 1), (0.5, 0.25), "times must be finite numbers from 0, rising, got "),
        ((1, nan), (0.5, 0.25), "times must be finite numbers from 0, rising, got "),
        ((-1, 1), (0.5, 0.25), "times must be finite numbers from 0, rising, got "),
        (("a", 1), (0.5, 0.25), "times must be finite numbers from 0, rising, got "),
        ((1, 3), (0.5, nan), "probabilities must be numbers from 0 to 1, got "),
        ((1, 3), (1.5, 0.25), "probabilities must be numbers from 0 to 1, got "),
    ],
)
def test_a_curve_has_a_probability_for_each_of_rising_times(times, probabilities, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        SurvivalCurve(times, probabilities)


@pytest.mark.parametrize(
    ("times", "died", "remedy"),
    [
        ([1, 0], [1, 1], r"Give such events a small time\."),
        *(
            (times, died, r"Write frame\['died'\] == 2")
            for times, died in (([1, -1], [1, 0]), ([1, 2], [1, 2]), ([1, 2], [1, None]))
        ),
    ],
)
def test_what_is_no_time_or_event_is_refused(times, died, remedy):
    with pytest.raises(ValueError, match=f"A row must have 'weeks' from 0 and 'died' of 0 or 1, and .* in row 1. {remedy}"):
        table_of(times, died)


def test_options_are_validated():
    with pytest.raises(ValueError, match="splits must be one of 'deviance', 'log-rank', 'scores', got 'gini'"):
        survival("weeks", "died", splits="gini")
    for times in ([-1], [inf], [nan], ["soon"], [None, 2]):
        with pytest.raises(ValueError, match="times must be finite numbers from 0, got "):
            survival("weeks", "died", times=times)
    with pytest.raises(ValueError, match="shrink must be 0, or a number from"):
        survival("weeks", "died", shrink=-1)
    policy = evolve(CART, choose=by_permutation_test())
    with pytest.raises(
        ValueError, match=r"by_permutation_test\(\) without resamples for numbers or survival\(\.\.\., splits='scores'\)"
    ):
        grow(generated(0), policy)


def test_rows_without_hazard_are_taken():
    tree = grow(table_of([0, 0, 2, 3, 5], [0, 0, 1, 1, 0], shrink=0), CART.stopping(max_depth(0)))
    assert tree.schema.response.answer(tree.root.counts) == pytest.approx((1.0, *kaplan_meier([2, 3, 5], [1, 1, 0])))


@pytest.mark.parametrize("times", [[3, 2, 1, 5], [0, 0, 0, 0]])
@pytest.mark.parametrize("splits", ["deviance", "scores", "log-rank"])
def test_rows_without_events_do_not_split(times, splits):
    table = table_of(times, [0] * 4, splits=splits)
    tree = grow(table, CART)
    assert (n_leaves(tree), str(tree)) == (1, ": median not reached, HR 0 (4.0)")
    assert predict(tree, table).tolist() == [[0.0, 1.0]] * 4


PATIENTS = generated(1)
TREE = grow(PATIENTS, GROWN)


def test_trees_of_classes_get_curves():
    of_classes = grow(PATIENTS.with_labels(["a", "b"] * 30, classes=("a", "b")), CART.stopping(max_depth(2)))
    curves = recount(of_classes, PATIENTS, response=survival("weeks", "died"))
    assert curves.schema.response.kind == "survival times"
    assert n_leaves(curves) == n_leaves(of_classes)


def test_a_response_with_a_grid_keeps_it():
    half = PATIENTS.take(range(0, 60, 2))
    again = recount(TREE, half, response=PATIENTS.schema.response.own)
    assert again.schema.response.own.grid == PATIENTS.schema.response.own.grid
    fresh = recount(TREE, half, response=survival("weeks", "died"))
    assert len(fresh.schema.response.own.grid) < len(again.schema.response.own.grid)


def test_charts_fall_from_left_to_right_within_the_unit_square():
    response = TREE.schema.response
    for leaf in leaves(TREE):
        left, low, width, height = np.array(response.own.chart(response.answer(leaf.counts))).T
        assert np.all(np.diff(height) < 0)
        assert left[0] == 0 == low.max()
        assert left[1:] == pytest.approx((left + width)[:-1])
        assert (left + width)[-1] == pytest.approx(1)
        assert 0 <= height.min() <= height.max() <= 1


def test_pictures_name_the_hazard_ratio_and_draw_curves():
    drawing = draw(TREE, leaf_charts=True).text
    assert "HR 0" in drawing
    assert drawing.count("<rect") > 5 * n_leaves(TREE)
    looks = looks_of(TREE)
    assert (looks.ends, looks.legend()[0][1][:3]) == (["0", "0.5", "1"], "HR ")
    assert [line.partition(":")[0] for line in looks.words(TREE.root.counts)] == [
        "answer",
        "events",
        "cumulative hazard",
        "deviance",
    ]


def test_reports_and_metrics_of_curves():
    found = study.report(TREE, PATIENTS)
    answers = study.Predictions(TREE, PATIENTS)
    assert found.concordance == metrics.concordance(answers) > 0.5
    assert found.integrated_brier == metrics.integrated_brier(answers) < 0.25
    assert "concordance" in str(found)
    forest = study.random_forest(PATIENTS, n_trees=3)
    assert metrics.concordance(study.Predictions(forest, PATIENTS)) > 0.5


def test_metrics_without_pairs_and_times_are_no_numbers():
    def measured(times, died):
        table = table_of(times, died)
        answers = study.Predictions(grow(table, CART), table)
        return metrics.concordance(answers), metrics.integrated_brier(answers)

    assert str(measured([3, 2], [0, 0])) == "(nan, nan)"
    assert measured([1, 2], [1, 0]) == (1.0, 0.0)  # one time of the curve comes before the last row


@pytest.mark.parametrize("seed", range(10))
def test_weights_count_as_rows_in_metrics(seed):
    table = generated(seed)
    rows = np.repeat(np.arange(len(table)), table.weights)
    alone = evolve(table.take(rows), weights=None)
    tree = grow(table, GROWN)
    for metric in (metrics.concordance, metrics.integrated_brier):
        assert metric(study.Predictions(tree, table)) == pytest.approx(metric(study.Predictions(tree, alone)), rel=1e-12)
