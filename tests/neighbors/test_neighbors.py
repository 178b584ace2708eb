"""Neighbours: every index finds what an exhaustive search finds, and classifiers vote as documented."""

import re
from fractions import Fraction
from functools import partial
from math import inf

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

import ftree as ft
from ftree._lib.arrays import first_largest
from ftree._lib.fields import name_of
from ftree.data import affine, points_of
from ftree.neighbors import (
    broadcasts,
    brute,
    by_distance,
    chebyshev,
    edited,
    euclidean,
    hamming,
    knn,
    manhattan,
    minkowski,
    scipy_tree,
    standard,
    uniform,
    unit_range,
    unscaled,
    weighted_features,
)
from ftree.neighbors.indices import distances

METRICS = [euclidean, manhattan, chebyshev, minkowski(3)]
INDICES = [brute, scipy_tree]


def exactly(text):
    """A pattern that a whole message matches."""
    return f"^{re.escape(text)}$"


def named(function, name):
    """A function that messages call by this name."""
    function.__name__ = name
    return function


def by_hand(points, queries, metric, k):
    """Sort all points by distance, then row number."""
    found = [sorted((float(metric(query, point)), row) for row, point in enumerate(points))[:k] for query in queries]
    return [[d for d, _ in near] for near in found], [[row for _, row in near] for near in found]


@st.composite
def clouds(draw):
    """Points on a coarse grid, with ties and duplicates, or not; in few dimensions or in many."""
    n, m = draw(st.integers(1, 40)), draw(st.integers(0, 5))
    width = draw(st.sampled_from([1, 2, 3, 20]))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    if draw(st.booleans()):
        return random.integers(0, 3, (n, width)).astype(float), random.integers(-1, 4, (m, width)).astype(float)
    return random.normal(size=(n, width)), random.normal(size=(m, width))


@given(clouds(), st.sampled_from(METRICS), st.data())
def test_every_index_finds_the_k_nearest_that_sorting_finds(cloud, metric, data):
    points, queries = cloud
    k = data.draw(st.sampled_from([1, (len(points) + 1) // 2, len(points)]))
    distance, row = by_hand(points, queries, metric, k)
    for index in INDICES:
        found, rows = index(points, metric).nearest(queries, k)
        assert rows.reshape(len(queries), k).tolist() == row
        assert found.reshape(len(queries), k) == pytest.approx(np.reshape(distance, (len(queries), k)))


@given(clouds(), st.sampled_from(METRICS), st.sampled_from([0.0, 1.0, 1.5, 10.0]))
def test_every_index_finds_what_lies_within_a_radius_nearest_first(cloud, metric, radius):
    points, queries = cloud
    distance, row = by_hand(points, queries, metric, len(points))
    inside = [[r for d, r in zip(*near, strict=True) if d <= radius] for near in zip(distance, row, strict=True)]
    for index in INDICES:
        assert [rows.tolist() for _, rows in index(points, metric).within(queries, radius)] == inside


# Metrics ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [0.5, 0, float("nan"), -1, "2", None])
def test_an_exponent_below_one_makes_no_distance(p):
    with pytest.raises(ValueError, match=exactly(f"p must be a number from 1, or infinity, got {p!r}.")):
        minkowski(p)


def warped(one, other):
    """Dynamic time warping: the cheapest way to align two sequences (Sakoe & Chiba 1978)."""
    row = [0.0] + [inf] * len(other)
    for value in one:
        new = [inf]
        for at, target in enumerate(other):
            new.append(abs(value - target) + min(new[-1], row[at], row[at + 1]))
        row = new
    return row[-1]


def test_any_function_of_two_points_is_a_metric():
    waves = [[0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 1, 0], [1, 1, 1, 1, 1, 1], [1, 1, 0, 1, 1, 1]]
    data = ft.Dataset.from_rows(waves, ["peak", "peak", "flat", "flat"])
    assert knn(data, metric=warped).nearest([0, 1, 0, 0, 0, 0])[0].tolist() == [0]
    assert knn(data, metric=warped)([[0, 0, 0, 1, 0, 0], [1, 1, 1, 1, 0.5, 1]]) == ["peak", "flat"]
    assert "metric=warped" in repr(knn(data, metric=warped))


def test_hamming_measures_values_of_any_kind_even_unknown_ones():
    data = ft.Dataset.from_rows([["red", 1, True], ["blue", 2, False]], ["a", "b"])
    near = knn(data, metric=hamming, k=2)
    assert near.nearest(["red", 2, True])[0].tolist() == [1, 2]
    assert near.nearest({"x0": "green", "x1": 2, "x2": False})[0].tolist() == [1, 3]
    assert list(near(data)) == ["a", "b"] or near.k == 2
    assert repr(hamming) == "hamming"


def test_a_norm_refuses_values_that_are_no_numbers_and_says_what_to_do():
    with pytest.raises(ValueError, match=r"metric must measure the distance of all features, got .* hamming"):
        knn(ft.Dataset.from_rows([["red", 1.0]], ["a"]))
    with pytest.raises(ValueError, match="features must be numeric"):
        knn(ft.Dataset.from_rows([["red", 1.0]], ["a"]), metric=hamming, scale=standard)


@pytest.mark.parametrize("answer", [-1.0, inf, float("nan")])
def test_a_metric_must_answer_finite_numbers_from_zero(answer):
    words = f"Distances by strange must be finite numbers from 0, got {answer}. Scale numbers that are very large."

    def strange(one, _):
        return answer if one[0] else 0.5 if one[1] else 0.0

    points = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    for metric in (strange, broadcasts(named(lambda one, _: np.array([strange(point, None) for point in one]), "strange"))):
        assert distances(metric, points[:2], np.zeros(2)).tolist() == [0.0, 0.5]
        with pytest.raises(ValueError, match=exactly(words)):
            distances(metric, points, np.zeros(2))


def test_what_is_no_metric_is_refused():
    data = ft.Dataset.from_rows([[1.0]], ["a"])
    for metric in ("euclidean", minkowski):
        words = f"metric must be a function of two points, such as euclidean or hamming, got {name_of(metric)}."
        with pytest.raises(TypeError, match=exactly(words)):
            knn(data, metric=metric)
    with pytest.raises(TypeError, match=exactly("The distance of two points by as_list must be one number, got a list.")):
        knn(data, metric=named(lambda one, _: list(one), "as_list"))([1.0])


# Scalings -----------------------------------------------------------------------------------------------------


@given(clouds())
def test_a_standard_scaling_gives_mean_zero_and_deviation_one_or_zero(cloud):
    points, _ = cloud
    moved = standard(points)(points)
    assert moved.mean(axis=0) == pytest.approx(0, abs=1e-9)
    constant = np.ptp(points, axis=0) == 0
    assert moved.std(axis=0) == pytest.approx(np.where(constant, 0, 1))


@given(clouds())
def test_a_range_scaling_runs_from_zero_to_one_and_leaves_constants_at_zero(cloud):
    points, _ = cloud
    moved = unit_range(points)(points)
    assert moved.min(axis=0).tolist() == [0] * points.shape[1]
    assert moved.max(axis=0) == pytest.approx((np.ptp(points, axis=0) > 0).astype(float))


def test_a_scaling_learned_from_some_points_moves_others_alike():
    assert unit_range(np.array([[0.0], [4.0]])) == affine((0,), (0.25,))
    learned = knn(ft.Dataset.from_rows([[0, 0], [1, 1000]], ["a", "b"]), scale=unit_range)
    assert learned([0.9, 400]) == "b"
    assert knn(learned.dataset, scale=unscaled)([0.9, 400]) == "a"


def test_weights_of_features_are_checked():
    with pytest.raises(ValueError, match="finite numbers from 0"):
        weighted_features([1, -1])
    with pytest.raises(ValueError, match="weights must be 2 numbers, one for each feature, got 3"):
        knn(ft.Dataset.from_rows([[0, 0]], ["a"]), scale=weighted_features([1, 1, 1]))


# Classifiers --------------------------------------------------------------------------------------------------


def test_equal_votes_go_to_the_first_class_and_equal_distances_to_the_lower_row():
    data = ft.Dataset.from_rows([[0], [2], [1], [1]], ["b", "a", "b", "a"])
    assert knn(data, k=4)([5]) == "a"
    assert knn(data, k=1)([1]) == "b"
    assert knn(data, k=2).nearest([1])[1].tolist() == [2, 3]
    assert first_largest(np.array([0.1 + 0.2, 0.3])) == 0


def test_a_row_votes_with_its_weight_and_one_of_weight_zero_is_left_out():
    data = ft.Dataset.from_rows([[0], [1], [2]], ["a", "b", "c"], weights=[1, 5, 0])
    assert knn(data, k=2)([0]) == "b"
    assert knn(data, k=2).votes([0]).tolist() == [1, 5, 0]
    assert len(knn(data, k=2).dataset) == 2


def test_near_votes_count_more_by_distance_and_those_at_no_distance_alone():
    data = ft.Dataset.from_rows([[0], [3], [4]], ["a", "b", "b"])
    assert knn(data, k=3)([1]) == "b"
    assert knn(data, k=3, weights=by_distance)([1]) == "a"
    assert knn(data, k=3, weights=by_distance).votes([0]).tolist() == [1, 0]
    assert knn(data, k=3, weights=lambda d: np.exp(-d)).votes([0]) == pytest.approx([1, np.exp(-3) + np.exp(-4)])
    assert by_distance(np.array([[1e-320, 2e-320]])).tolist() == pytest.approx(np.array([[1, 0.5]]))
    assert uniform(np.zeros((0, 3))).shape == by_distance(np.zeros((0, 3))).shape
    assert by_distance(np.array([[2, 4, 8], [0, 0, 3]])).tolist() == [[1, 0.5, 0.25], [1, 1, 0]]
    halves = knn(data, k=3, weights=lambda d: [[Fraction(1, 2)] * 3 for _ in d])
    assert halves.votes([[0], [1]]).tolist() == [[0.5, 1], [0.5, 1]]
    assert knn(data, k=2, weights=lambda d: d < 2).votes([0]).tolist() == [1, 0]


def test_one_point_gets_one_answer_and_rows_a_list():
    classify = knn(ft.Dataset.from_rows([[0, 0], [9, 9]], ["a", "b"], features=["x", "y"]))
    assert classify([1, 1]) == classify({"y": 1, "x": 1}) == "a"
    assert classify([[1, 1], [8, 8]]) == list(classify(np.array([[1, 1], [8, 8]]))) == ["a", "b"]
    assert list(classify(ft.Dataset.from_rows([[8, 1]], ["?"], features=["y", "x"], missing=()))) in (["a"], ["b"])
    assert classify([]) == []
    assert classify.votes([1, 1]).tolist() == [1, 0]
    assert [near.tolist() for near in classify.within([0, 1], 1)] == [[1], [0]]
    assert len(classify.within([[0, 1], [5, 5]], 1)[1][0]) == 0


@pytest.mark.parametrize(
    ("n", "width", "options", "index"),
    [
        (200, 12, {}, scipy_tree),
        (199, 12, {}, brute),
        (200, 13, {}, brute),
        (200, 1, {"metric": hamming}, brute),
        (200, 1, {"search": "brute"}, brute),
        (3, 1, {"search": "tree"}, scipy_tree),
    ],
)
def test_a_tree_searches_many_points_of_few_features_or_when_it_is_asked_for(n, width, options, index):
    classify = knn(ft.Dataset.from_rows(np.arange(n * width).reshape(n, width), ["low", "low"] + ["high"] * (n - 2)), **options)
    assert type(classify._index) is index
    assert classify([0.25] * width) == "low"


@pytest.mark.parametrize("k", [0, -1, 3, 1.5, True])
def test_k_is_from_one_to_the_number_of_rows(k):
    with pytest.raises(ValueError, match=f"k must be a whole number of rows from 1 to 2, got {k}"):
        knn(ft.Dataset.from_rows([[0], [1]], ["a", "b"]), k=k)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"search": "fast"}, ValueError, "^search must be one of 'auto', 'brute', 'tree', got 'fast'.$"),
        (
            {"search": "tree", "metric": hamming},
            ValueError,
            "^search must be 'brute' or 'auto' for a metric that is no Minkowski metric, got 'tree' for hamming.$",
        ),
        ({"weights": "distance"}, TypeError, "weights must be a function"),
        ({"scale": None}, TypeError, "scale must be a function"),
    ],
)
def test_options_are_checked_at_the_door(options, error, words):
    with pytest.raises(error, match=words):
        knn(ft.Dataset.from_rows([[0], [1]], ["a", "b"]), **options)


def test_points_without_a_place_in_space_are_refused_and_the_remedy_is_named():
    with pytest.raises(ValueError, match=r"got none for 'x0' in row 1.*complete"):
        knn(ft.Dataset.from_rows([[0], [None]], ["a", "b"]))
    with pytest.raises(ValueError, match=r"got none for 'x1' in row 0.*complete"):
        knn(ft.Dataset.from_rows([["a", 0]], ["a"]), metric=hamming)(["a", None])
    with pytest.raises(ValueError, match="finite"):
        knn(ft.Dataset.from_rows([[0.0]], ["a"]))([inf])
    with pytest.raises(ValueError, match="must have a row with a weight above 0"):
        knn(ft.Dataset.from_rows([[0.0]], ["a"], weights=[0]))
    with pytest.raises(TypeError, match="dataset must be a Dataset, got a list"):
        knn([[0.0]])
    assert points_of(ft.Dataset.from_rows([[0.0]], ["a"]).schema, [1.0])[1]


def test_a_classifier_is_judged_as_trees_are():
    data = ft.Dataset.from_rows([[float(n)] for n in range(40)], ["low"] * 20 + ["high"] * 20)
    assert ft.accuracy(knn(data), data) == 1
    assert ft.cross_validate(data, partial(knn, k=3), folds=5).mean >= 0.9
    assert ft.learning_curve(data, knn, sizes=[20], repeats=3)[0].mean > 0.8


# Editing ------------------------------------------------------------------------------------------------------


@st.composite
def labelled(draw):
    points, _ = draw(clouds())
    labels = draw(st.lists(st.sampled_from("ab"), min_size=len(points), max_size=len(points)))
    return ft.Dataset.from_rows(points, labels)


@pytest.mark.parametrize("k", [0, 4, -1, 1.0, True, "1"])
def test_editing_needs_another_row_for_each_of_k(k):
    data = ft.Dataset.from_rows([[0], [0], [0], [0]], list("aaab"))
    with pytest.raises(ValueError, match=exactly(f"k must be a whole number of other rows from 1 to 3, got {k!r}.")):
        edited(data, k)
    assert [len(edited(data, each)) for each in (1, 2, 3)] == [3, 3, 3]


@given(labelled(), st.integers(1, 3))
def test_editing_keeps_the_rows_that_their_nearest_others_label_right(dataset, k):
    if k >= len(dataset):
        with pytest.raises(ValueError, match="number of other rows"):
            edited(dataset, k)
        return
    right = []
    for row in range(len(dataset)):
        others = dataset.take([other for other in range(len(dataset)) if other != row])
        right.append(list(knn(others, k=k)(dataset.take([row]))) == [dataset.schema.classes[dataset.target_column[row]]])
    assert edited(dataset, k) == dataset.take(np.array(right))


def test_editing_cleans_two_overlapping_clouds():
    random = np.random.default_rng(0)
    points = np.concatenate([random.normal(0, 1, (100, 2)), random.normal(2, 1, (100, 2))])
    data = ft.Dataset.from_rows(points, ["a"] * 100 + ["b"] * 100)
    assert 150 < len(edited(data)) < 200


# Peers and real data --------------------------------------------------------------------------------------------


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


@pytest.fixture(scope="module")
def semeion(shared):
    """The archive's file, in its order: 256 bits of a picture, then ten that mark the digit."""
    table = np.loadtxt(shared / "uci" / "semeion.data")
    pixels = {f"p{number}": table[:, number] for number in range(256)}
    return ft.Dataset.from_columns({**pixels, "class": table[:, 256:].argmax(axis=1)})


def share_right(classify, dataset):
    truth = dataset.labels.tolist()
    return np.mean([answer == label for answer, label in zip(classify(dataset), truth, strict=True)])


def test_one_neighbour_reads_89_of_100_handwritten_digits_and_fifty_read_fewer(semeion):
    learned, asked = semeion.take(range(800)), semeion.take(range(800, 1593))
    assert share_right(knn(learned, k=1), asked) == pytest.approx(0.89, abs=0.005)
    assert share_right(knn(learned, k=50), asked) == pytest.approx(0.80, abs=0.005)


def test_ties_except_for_rounding_are_ties_for_every_index():
    """The sums of the same three squares in another order differ by rounding, and the library's order decides."""
    points = np.array([[0.1, 0.2, 0.7], [0.7, 0.1, 0.2], [0.2, 0.7, 0.1], [0.7, 0.2, 0.1], [0.1, 0.7, 0.2], [0.2, 0.1, 0.7]])
    queries = np.zeros((1, 3))
    for k in range(1, 6):
        distance, row = brute(points, euclidean).nearest(queries, k)
        found, there = scipy_tree(points, euclidean).nearest(queries, k)
        assert (found.tolist(), there.tolist()) == (distance.tolist(), row.tolist())
    for radius in {float(each) for each in brute(points, euclidean).nearest(queries, 6)[0][0]}:
        (wanted,), (got,) = (index(points, euclidean).within(queries, radius) for index in (brute, scipy_tree))
        assert [each.tolist() for each in got] == [each.tolist() for each in wanted]


def test_votes_and_radii_are_checked():
    classify = knn(ft.Dataset.from_rows([[0], [1]], ["a", "b"]))
    wanted = "weights must return finite numbers from 0 of shape (2, 1), one for each distance, got"
    for votes in [[[1.0], [inf]], [[1.0]], [[np.nan], [1.0]], "ab"]:
        with pytest.raises(ValueError, match=re.escape(wanted)):
            evolve(classify, weights=lambda _, votes=votes: votes)([[0], [1]])
    for radius in (-1, -0.5, inf, np.nan):
        with pytest.raises(ValueError, match=exactly(f"radius must be a finite number from 0, got {radius}.")):
            classify.within([0], radius)
    assert [near.tolist() for near in classify.within([0], 0)] == [[0.0], [0]]
    assert [near.tolist() for near in classify.within([0], 0.5)] == [[0.0], [0]]


def test_numbers_whose_squares_are_no_floats_are_measured_by_metrics_that_can_and_refused_by_others():
    points = np.array([[0.0], [1e200], [3e200]])
    for index in INDICES:
        assert index(points, manhattan).nearest(points[1:2], 2)[1].tolist() == [[1, 0]]
        assert index(points, manhattan).within(points[:1], 1e200)[0][1].tolist() == [0, 1]
        with pytest.raises(ValueError, match="Scale"):
            index(points, euclidean).nearest(points, 1)
    with pytest.raises(ValueError, match=r"must be below 1e\+100"):
        knn(ft.Dataset.from_rows(points, ["a", "b", "a"]), scale=standard)
