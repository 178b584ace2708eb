"""Weight finders against plain oracles: loops over rows for perceptrons, SciPy's minimum for logistic, trial for coordinates."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize

from ftree.criteria import entropy, gain
from ftree.linear import perceptrons
from ftree.splitters import NodePoints, coordinates, logistic


def measure(children):
    return gain(children, entropy)


@st.composite
def nodes(draw, n_classes):
    """Distinct points of two features on a grid of halves, so that sums are exact, and class counts of each."""
    cells = draw(st.lists(st.tuples(*[st.integers(-2, 2)] * 2), min_size=2, max_size=7, unique=True))
    one = st.lists(st.integers(0, 3), min_size=n_classes, max_size=n_classes).filter(any)
    counts = draw(st.lists(one, min_size=len(cells), max_size=len(cells)))
    return NodePoints(np.array(cells) / 2, np.array(counts, dtype=float))


any_nodes = st.integers(1, 3).flatmap(nodes)


def classes_apart(counts):
    """The counts of the second of two classes with cases, or of each class if their number is not two."""
    present = [column for column in counts.T.tolist() if any(column)]
    return present[1:] if len(present) == 2 else present


def pocket_by_loops(points, inside, total, epochs):
    """The weights on the perceptron's way that misclassify the fewest cases; the first of equal ones."""
    signs = [1 if 2 * own > all_ else -1 for own, all_ in zip(inside, total, strict=True)]
    x, y, bias, passed = 0.0, 0.0, 0.0, [(0.0, 0.0, 0.0)]
    for _ in range(epochs):
        for (p, q), sign in zip(points, signs, strict=True):
            if (x * p + y * q + bias) * sign <= 0:
                x, y, bias = x + sign * p, y + sign * q, bias + sign
                passed.append((x, y, bias))

    def lost(state):
        sides = [(state[0] * p + state[1] * q + state[2]) * sign <= 0 for (p, q), sign in zip(points, signs, strict=True)]
        return sum(abs(2 * own - all_) for own, all_, wrong in zip(inside, total, sides, strict=True) if wrong)

    return list(min(passed, key=lost)[:2])


@given(any_nodes, st.integers(1, 4))
def test_perceptrons_find_what_loops_over_rows_find(node, epochs):
    total = node.counts.sum(axis=1).tolist()
    found = [weights.tolist() for weights in perceptrons(epochs=epochs)(node, measure)]
    assert found == [pocket_by_loops(node.points.tolist(), inside, total, epochs) for inside in classes_apart(node.counts)]


@given(any_nodes, st.sampled_from([0.05, 0.5]))
def test_logistic_regression_finds_the_weights_of_least_penalised_loss(node, ridge):
    total = node.counts.sum(axis=1)
    found = list(logistic(ridge=ridge)(node, measure))
    assert len(found) == len(classes_apart(node.counts))
    for weights, inside in zip(found, classes_apart(node.counts), strict=True):

        def loss(candidate, inside=inside):
            sums = node.points @ candidate[:2] + candidate[2]
            unlikely = np.sum(inside * np.logaddexp(0, -sums) + (total - inside) * np.logaddexp(0, sums))
            # The penalty is for each case, and a hundredth of it for the bias.
            return unlikely / total.sum() + ridge / 2 * (candidate[0] ** 2 + candidate[1] ** 2 + candidate[2] ** 2 / 100)

        least = minimize(loss, np.zeros(3), method="BFGS", options={"gtol": 1e-8})
        assert weights == pytest.approx(least.x[:2], abs=1e-4)


def test_a_step_of_newtons_method_is_as_the_slope_and_the_curve_say_but_moves_no_weight_by_more_than_four():
    counts = np.array([[10.0, 0.0], [0.0, 10.0]])
    for half, ridge in ((1.0, 0.1), (0.01, 1e-4)):
        # At weights of 0, each share is a half: the slope is 10 x, the curve 20 x**2 / 4 and 20 times the ridge.
        newton = 10 * half / (5 * half**2 + 20 * ridge)
        (found,) = logistic(ridge=ridge, passes=1)(NodePoints(np.array([[-half], [half]]), counts), measure)
        assert found == pytest.approx([min(newton, 4.0)])


def score_of(points, counts, weights):
    """The score of a cut at a sum of 0; the last weight is the bias."""
    right = points @ weights > 0
    return float(measure(np.array([counts[~right].sum(axis=0), counts[right].sum(axis=0)])))


def first_of_best(scored, tie=1e-9):
    """The first pair of a score and a value whose score is within a tie of the best."""
    best = max((score for score, _ in scored), default=-np.inf)
    return next(((score, value) for score, value in scored if score >= best - tie), (-np.inf, 0.0))


def best_by_trial(points, counts, weights, number):
    """The best score for changing one weight, by trying a value between each two at which a point changes sides."""
    turns = [-float(np.delete(weights, number) @ np.delete(point, number)) / point[number] for point in points if point[number]]
    assume(all(high - low > 1e-9 or high == low for low, high in pairwise(sorted(turns))))
    middles = [(low + high) / 2 for low, high in pairwise(sorted(set(turns)))]
    trials = [(np.where(np.arange(len(weights)) == number, value, weights), value) for value in middles]
    assume(all(np.abs(points @ changed).min() > 1e-9 for changed, _ in trials))
    return first_of_best([(score_of(points, counts, changed), value) for changed, value in trials])


def improved_by_trial(points, counts, weights, score, passes):
    for _ in range(passes):
        before = score
        for number in range(len(weights)):
            better, value = best_by_trial(points, counts, weights, number)
            if better > score + 1e-9:
                score, weights = better, np.where(np.arange(len(weights)) == number, value, weights)
        if score <= before + 1e-9:
            break
    return weights


def cut_by_trial(points, counts, feature):
    """The best cut of one feature: its score, and the threshold."""
    values = sorted(set(points[:, feature].tolist()))
    unit = np.eye(points.shape[1])[feature]
    middles = [(low + high) / 2 for low, high in pairwise(values)]
    return first_of_best([(score_of(points, counts, unit - at * np.eye(points.shape[1])[-1]), at) for at in middles])


@given(st.integers(1, 3).flatmap(nodes), st.integers(1, 3), st.integers(1, 3))
def test_coordinate_search_finds_what_trying_each_value_of_each_weight_finds(node, starts, passes):
    points = np.column_stack([node.points, np.ones(len(node.points))])
    cuts = [cut_by_trial(points, node.counts, feature) for feature in range(2)]
    assume(all(score > -np.inf for score, _ in cuts))
    order = [0, 1] if cuts[0][0] >= cuts[1][0] - 1e-10 else [1, 0]
    expected = []
    for feature in order[:starts]:
        score, at = cuts[feature]
        begun = np.append(np.eye(2)[feature], -at)
        expected.append(improved_by_trial(points, node.counts, begun, score, passes)[:-1])
    found = list(coordinates(starts=starts, passes=passes)(node, measure))
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert one == pytest.approx(other, abs=1e-9)
