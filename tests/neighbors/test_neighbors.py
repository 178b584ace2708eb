"""Neighbours: every index finds what an exhaustive search finds, and classifiers vote as documented."""

from fractions import Fraction
from functools import partial
from math import inf, nan

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import ftree as ft
from ftree._lib.fields import name_of
from ftree.neighbors import (
    broadcasts,
    by_distance,
    chebyshev,
    edited,
    euclidean,
    hamming,
    knn,
    manhattan,
    minkowski,
    uniform,
)
from ftree.neighbors.indices import brute, scipy_tree
from ftree.neighbors.point_distances import distances
from ftree.points import standard, unit_range, unscaled

METRICS = [euclidean, manhattan, chebyshev, minkowski(3)]
INDICES = [brute, scipy_tree]
ONE, TWO = ft.Dataset.from_rows([[1.0]], ["a"]), ft.Dataset.from_rows([[0], [1]], ["a", "b"])
RED = ft.Dataset.from_rows([["red", 1.0]], ["a"])


@st.composite
def clouds(draw):
    """Points on a coarse grid, with ties and duplicates, or not; in few dimensions or in many."""
    n, m = draw(st.integers(1, 40)), draw(st.integers(0, 5))
    width = draw(st.sampled_from([1, 2, 3, 20]))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    if draw(st.booleans()):
        return random.integers(0, 3, (n, width)).astype(float), random.integers(-1, 4, (m, width)).astype(float)
    return random.normal(size=(n, width)), random.normal(size=(m, width))


@st.composite
def labelled(draw):
    points, _ = draw(clouds())
    labels = draw(st.lists(st.sampled_from("ab"), min_size=len(points), max_size=len(points)))
    weights = draw(st.none() | st.lists(st.integers(0, 2), min_size=len(points), max_size=len(points)))
    return ft.Dataset.from_rows(points, labels, weights=weights and [1, *weights[1:]])


def sorted_by(metric, query, points):
    """Distances of the points that are there, and their rows, nearest first."""
    return sorted((float(metric(query, point)), row) for row, point in enumerate(points))


# Searching ------------------------------------------------------------------------------------------------------


@given(clouds(), st.sampled_from(METRICS), st.sampled_from([0.0, 1.0, 1.5, 10.0]), st.data())
def test_every_index_finds_the_nearest_that_sorting_finds(cloud, metric, radius, data):
    points, queries = cloud
    k = data.draw(st.sampled_from([1, (len(points) + 1) // 2, len(points)]))
    near = [sorted_by(metric, query, points) for query in queries]
    for index in INDICES:
        found, rows = index(points, metric).nearest(queries, k)
        assert rows.reshape(-1, k).tolist() == [[row for _, row in each[:k]] for each in near]
        assert found.reshape(-1, k).ravel() == pytest.approx([distance for each in near for distance, _ in each[:k]])
        inside = [[row for distance, row in each if distance <= radius] for each in near]
        assert [rows.tolist() for _, rows in index(points, metric).within(queries, radius)] == inside


def test_a_row_is_not_lost_whose_square_is_larger_while_its_distance_is_equal():
    points = np.array([[1, 1.5e-8], [1, 0]])  # the squares are 1 + 2e-16 and 1, whose roots are 1
    assert [index(points, euclidean).nearest(np.zeros((1, 2)), 1)[1].tolist() for index in INDICES] == [[[0]], [[0]]]


def test_ties_except_for_rounding_are_ties_for_every_index():
    """The sums of the same three squares in another order differ by rounding, and the library's order decides."""
    points = np.array([[0.1, 0.2, 0.7], [0.7, 0.1, 0.2], [0.2, 0.7, 0.1], [0.7, 0.2, 0.1], [0.1, 0.7, 0.2], [0.2, 0.1, 0.7]])
    plain, tree, query = brute(points), scipy_tree(points), np.zeros((1, 3))
    for k in range(1, 6):
        assert np.array_equal(plain.nearest(query, k), tree.nearest(query, k))
    for radius in {float(each) for each in plain.nearest(query, 6)[0][0]}:
        assert np.array_equal(plain.within(query, radius)[0], tree.within(query, radius)[0])


@pytest.mark.parametrize("metric", [*METRICS, minkowski(500), minkowski(5000)])
@given(clouds(), st.data())
def test_distances_scale_with_the_points_by_powers_of_two(metric, cloud, data):
    """Also those of numbers whose squares are 0, infinite, or so small that they have few bits."""
    points, queries = cloud
    k = data.draw(st.integers(1, len(points)))
    for index in INDICES:
        distance, rows = index(points, metric).nearest(queries, k)
        radius = float(distance.max(initial=0.0))
        inside = [row.tolist() for _, row in index(points, metric).within(queries, radius)]
        for exponent in (-900, 900, *(round(least / max(metric.p, 2)) for least in (-1074, -1070))):
            own, asked = index(np.ldexp(points, exponent), metric), np.ldexp(queries, exponent)
            scaled, same = own.nearest(asked, k)
            assert same.tolist() == rows.tolist()
            assert scaled.tolist() == np.ldexp(distance, exponent).tolist()
            assert [row.tolist() for _, row in own.within(asked, np.ldexp(radius, exponent))] == inside


@pytest.mark.parametrize("metric", [*METRICS, minkowski(500), minkowski(5000)])
@pytest.mark.parametrize("index", INDICES)
def test_distances_that_are_no_floats_are_refused(metric, index):
    points = np.array([[-1e308, 0], [1e308, 0]])
    with pytest.raises(ValueError, match=r"Distances by minkowski\(.*\) must be finite numbers from 0, got inf. Scale"):
        index(points, metric).nearest(points, 1)


@pytest.mark.parametrize(
    ("n", "width", "options", "index"),
    [
        (1000, 3, {}, scipy_tree),
        (10, 3, {}, brute),
        (1000, 40, {}, brute),
        (1000, 3, {"metric": hamming}, brute),
        (1000, 3, {"search": "brute"}, brute),
        (3, 1, {"search": "tree"}, scipy_tree),
    ],
)
def test_a_tree_searches_many_points_of_few_features_or_when_it_is_asked_for(n, width, options, index):
    classify = knn(ft.Dataset.from_rows(np.arange(n * width).reshape(n, width), ["low", "low"] + ["high"] * (n - 2)), **options)
    assert type(classify._index) is index
    assert repr(classify._index) == f"{index.__name__}(metric={classify.metric})"
    assert classify([0.25] * width) == "low"
    assert classify == evolve(classify)


# Metrics --------------------------------------------------------------------------------------------------------


def warped(one, other):
    """Dynamic time warping: the cheapest way to align two sequences (Sakoe & Chiba 1978)."""
    row = [0.0] + [inf] * len(other)
    for value in one:
        new = [inf]
        for at, target in enumerate(other):
            new.append(abs(value - target) + min(new[-1], row[at], row[at + 1]))
        row = new
    return row[-1]


@given(arrays(np.uint8, (2, 3)), st.sampled_from([manhattan, euclidean, chebyshev, minkowski(3)]))
def test_points_of_any_type_of_number_are_as_far_apart_as_their_floats(points, metric):
    """Differences of small integers would wrap around, and booleans have none."""
    for one, other in (points, points.astype(np.int32) * 40_000, points > 99):
        assert metric(one, other) == metric(one.astype(float), other.astype(float))


def test_distances_below_1_are_those_of_the_textbook():
    one, other = np.zeros(2), np.array([0.25, 0.5])
    assert [metric(one, other) for metric in (chebyshev, manhattan, euclidean)] == [0.5, 0.75, np.sqrt(0.3125)]


def test_any_function_of_two_points_is_a_metric():
    waves = [[0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 1, 0], [1, 1, 1, 1, 1, 1], [1, 1, 0, 1, 1, 1]]
    classify = knn(ft.Dataset.from_rows(waves, ["peak", "peak", "flat", "flat"]), metric=warped)
    assert classify.nearest([0, 1, 0, 0, 0, 0])[0].tolist() == [0]
    assert classify([[0, 0, 0, 1, 0, 0], [1, 1, 1, 1, 0.5, 1]]) == ["peak", "flat"]
    assert repr(classify).endswith(", k=1, metric=warped, weights=uniform, scale=unscaled, search='auto')")


def test_hamming_measures_values_of_any_kind_even_unknown_ones():
    near = knn(ft.Dataset.from_rows([["red", 1, True], ["blue", 2, False]], ["a", "b"]), metric=hamming, k=2)
    assert near.nearest(["red", 2, True])[0].tolist() == [1, 2]
    assert near.nearest({"x0": "green", "x1": 2, "x2": False})[0].tolist() == [1, 3]
    assert repr(hamming) == "hamming"


@pytest.mark.parametrize("answer", [-1.0, inf, nan])
def test_a_metric_must_answer_finite_numbers_from_zero(answer):
    def strange(one, _):
        return np.where(one[..., 0], answer, 0.5)

    for metric in (strange, broadcasts(strange)):
        assert distances(metric, np.zeros((2, 1)), np.zeros(1)).tolist() == [0.5, 0.5]
        with pytest.raises(ValueError, match=f"Distances by strange must be finite numbers from 0, got {answer}. Scale numbers"):
            distances(metric, np.array([[0.0], [1.0]]), np.zeros(1))


# Classifiers ----------------------------------------------------------------------------------------------------


def votes_of(distance):
    """As `by_distance` must give, for a list of distances."""
    return [float(each == 0) for each in distance] if min(distance) == 0 else [min(distance) / each for each in distance]


@given(labelled(), st.booleans(), st.sampled_from(["brute", "tree"]), st.data())
def test_the_nearest_rows_that_count_vote_with_their_weights(dataset, equally, search, data):
    weights = np.ones(len(dataset)) if dataset.weights is None else dataset.weights
    known, points = dataset.take(weights > 0), np.stack(dataset.columns, axis=1)
    k = data.draw(st.integers(1, len(known)))
    classify = knn(dataset, k=k, weights=uniform if equally else by_distance, search=search)
    assert classify.dataset == known
    classes, answers = dataset.schema.classes, classify(points.tolist())
    for point, votes, answer in zip(points, classify.votes(dataset), answers, strict=True):
        near = sorted_by(euclidean, point, points[weights > 0])[:k]
        each = [1] * k if equally else votes_of([distance for distance, _ in near])
        cast = [(vote * weights[weights > 0][row], known.labels[row]) for vote, (_, row) in zip(each, near, strict=True)]
        assert votes == pytest.approx([sum(vote for vote, label in cast if label == own) for own in classes])
        assert answer == classes[votes.round(9).argmax()]


def test_votes_are_any_function_of_distances():
    data = ft.Dataset.from_rows([[0], [3], [4]], ["a", "b", "b"])
    assert knn(data, k=3, weights=lambda d: np.exp(-d)).votes([0]) == pytest.approx([1, np.exp(-3) + np.exp(-4)])
    assert knn(data, k=2, weights=lambda d: d < 2).votes([0]).tolist() == [1, 0]
    halves = knn(data, k=3, weights=lambda d: [[Fraction(1, 2)] * 3 for _ in d])
    assert halves.votes([[0], [1]]).tolist() == [[0.5, 1], [0.5, 1]]
    assert by_distance(np.array([[1e-320, 2e-320]])).tolist() == pytest.approx(np.array([[1, 0.5]]))
    assert uniform(np.zeros((0, 3))).shape == by_distance(np.zeros((0, 3))).shape
    wanted = r"weights must return finite numbers from 0 of shape \(2, 1\), one for each distance, got"
    for votes in [[[1.0], [inf]], [[1.0]], [[nan], [1.0]], "ab"]:
        with pytest.raises(ValueError, match=wanted):
            knn(TWO, weights=lambda _, votes=votes: votes)([[0], [1]])


def test_one_point_gets_one_answer_and_rows_a_list():
    classify = knn(ft.Dataset.from_rows([[0, 0], [9, 9]], ["a", "b"], features=["x", "y"]))
    assert classify({"y": 1, "x": 1}) == "a"
    assert classify([[1, 1], [8, 8]]) == list(classify(np.array([[1, 1], [8, 8]]))) == ["a", "b"]
    assert list(classify(ft.Dataset.from_rows([[8, 1]], ["?"], features=["y", "x"], missing=()))) in (["a"], ["b"])
    assert classify.votes([1, 1]).tolist() == [1, 0]
    assert [near.tolist() for near in classify.within([0, 1], 1)] == [[1], [0]]
    assert len(classify.within([[0, 1], [5, 5]], 1)[1][0]) == 0


def test_a_radius_is_any_number_from_0():
    near = knn(ft.Dataset.from_rows([[0.0], [0.5], [3.0]], ["a", "b", "a"]))
    assert [near.within([0.0], radius)[1].tolist() for radius in (0, 0.25, 0.5)] == [[0], [0], [0, 1]]


def test_a_scaling_learned_from_some_points_moves_others_alike():
    learned = knn(ft.Dataset.from_rows([[0, 0], [1, 1000]], ["a", "b"]), scale=unit_range)
    assert learned([0.9, 400]) == "b"
    assert evolve(learned, scale=unscaled)([0.9, 400]) == "a"


OF_METRIC = "metric must be a function of two points, such as euclidean or hamming, got"


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        *[
            (partial(minkowski, p), ValueError, f"p must be a number from 1, or infinity, got {p!r}.")
            for p in (0.5, nan, "2", True)
        ],
        *[(partial(knn, TWO, k=k), ValueError, f"k must be a whole number of rows from 1 to 2, got {k}.") for k in (0, 3, 1.5)],
        *[(partial(edited, TWO, k), ValueError, "k must be a whole number of other rows from 1 to 1, got") for k in (0, 2, 1.0)],
        *[
            (partial(knn(TWO).within, [0], far), ValueError, "radius must be a finite number from 0")
            for far in (-1, inf, nan, "x", None, True)
        ],
        *[(partial(knn, ONE, metric=each), TypeError, f"{OF_METRIC} {name_of(each)}.") for each in ("euclidean", minkowski)],
        (lambda: knn(ONE, metric=divmod)([1.0]), TypeError, "The distance of two points by divmod must be one number, got a tu"),
        (partial(knn, RED), ValueError, "metric must measure the distance of all features, got minkowski(2.0) and features"),
        (partial(knn, RED, metric=hamming, scale=standard), ValueError, "A scaling's features must be numeric"),
        (partial(knn, TWO, search="fast"), ValueError, "search must be one of 'auto', 'brute', 'tree', got 'fast'."),
        (partial(knn, TWO, search="tree", metric=hamming), ValueError, "search must be 'brute' or 'auto' for a metric that is"),
        (partial(knn, TWO, weights="distance"), TypeError, "weights must be a function"),
        (partial(knn, TWO, scale=None), TypeError, "scale must be a function"),
        (lambda: knn(RED, metric=hamming)(["a", None]), ValueError, "A row must have a value of every feature, got none for"),
        (lambda: knn(ONE)([inf]), ValueError, "Numbers of 'x0' must be finite"),
        (partial(knn, [[0.0]]), TypeError, "dataset must be a Dataset, got a list"),
    ],
)
def test_what_cannot_be_measured_or_counted_is_refused(make, error, words):
    with pytest.raises(error) as caught:
        make()
    assert str(caught.value).startswith(words)


def test_a_classifier_is_judged_as_trees_are():
    data = ft.Dataset.from_rows([[float(n)] for n in range(40)], ["low"] * 20 + ["high"] * 20)
    assert ft.accuracy(knn(data), data) == 1
    assert ft.cross_validate(data, partial(knn, k=3), folds=5).mean >= 0.9
    assert ft.learning_curve(data, knn, sizes=[20], repeats=3)[0].mean > 0.8


# Editing --------------------------------------------------------------------------------------------------------


@given(labelled(), st.integers(1, 3))
def test_editing_keeps_the_rows_that_their_nearest_others_label_right(dataset, k):
    dataset = dataset if dataset.weights is None else dataset.take(dataset.weights > 0)
    if k >= len(dataset):
        with pytest.raises(ValueError, match="k must be a whole number of other rows from 1 to"):
            edited(dataset, k)
        return
    right = []
    for row in range(len(dataset)):
        others = dataset.take([other for other in range(len(dataset)) if other != row])
        right.append(list(knn(others, k=k)(dataset.take([row]))) == [dataset.schema.classes[dataset.target_column[row]]])
    assert edited(dataset, k) == dataset.take(np.array(right))


# Peers --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 3, 10])
@pytest.mark.parametrize("metric", [euclidean, manhattan], ids=["euclidean", "manhattan"])
def test_neighbours_of_digits_are_those_of_scikit_learn(k, metric):
    reason = "compares with scikit-learn, which is not installed"
    digits = pytest.importorskip("sklearn.datasets", reason=reason).load_digits()
    peer = pytest.importorskip("sklearn.neighbors", reason=reason).KNeighborsClassifier(k, p=metric.p)
    points, labels = digits.data[:700], digits.target[:700]
    ours, theirs = knn(ft.Dataset.from_rows(points, labels.tolist()), k=k, metric=metric), peer.fit(points, labels)
    asked = digits.data[700:900]
    assert ours.nearest(asked)[0] == pytest.approx(theirs.kneighbors(asked)[0])
    assert np.mean(np.array(ours(asked)) == theirs.predict(asked)) >= 0.99  # equal distances may name other rows
