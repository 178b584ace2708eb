"""Generators: the same table for the same seed, and the distributions that their sources define."""

from functools import partial
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from ftree.datasets import agrawal, gaussian_clusters, led, waveform
from ftree.datasets.generators import GROUP_A

GENERATORS = {
    "led": led,
    "waveform": waveform,
    "agrawal": partial(agrawal, function=7, noise=0.05),
    "clusters": gaussian_clusters,
}
EVERY = pytest.mark.parametrize("name", GENERATORS)


@EVERY
def test_a_seed_gives_the_same_table_and_another_seed_another_one(name):
    make = GENERATORS[name]
    assert make(50, seed=7) == make(50, seed=7) != make(50, seed=8)
    assert len(make(1, seed=0)) == 1


def test_without_noise_there_are_ten_displays_and_with_all_noise_their_negatives():
    displays = {(*row[:-1],): row[-1] for row in zip(*led(500, noise=0).columns, led(500, noise=0).target_column, strict=True)}
    assert sorted(displays.values()) == list(range(10))
    clean, inverted = led(100, noise=0), led(100, noise=1)
    assert all((one == 1 - other).all() for one, other in zip(clean.columns, inverted.columns, strict=True))
    lit = {digit: sum(display) for display, digit in displays.items()}
    assert [lit[digit] for digit in range(10)] == [6, 2, 5, 5, 4, 5, 6, 3, 7, 6]


def test_a_tenth_of_the_segments_is_inverted_and_the_best_classifier_is_right_on_74_of_100():
    clean, noisy = led(20_000, noise=0), led(20_000)
    wrong = np.mean([one != other for one, other in zip(clean.columns, noisy.columns, strict=True)])
    assert wrong == pytest.approx(0.1, abs=0.005)
    digits = np.unique(np.array(clean.columns), axis=1).T
    best = 0.0
    for shown in product((0, 1), repeat=7):
        off = (digits != shown).sum(axis=1)
        best += (0.1**off * 0.9 ** (7 - off)).max() / 10
    assert best == pytest.approx(0.74, abs=0.001)


def test_irrelevant_features_follow_and_say_nothing():
    table = led(5000, irrelevant=2)
    assert [feature.name for feature in table.schema.features][-2:] == ["irrelevant0", "irrelevant1"]
    assert all(np.mean(column[table.target_column == 3]) == pytest.approx(0.5, abs=0.1) for column in table.columns[7:])


def test_noise_of_displays_is_a_probability():
    with pytest.raises(ValueError, match="noise must be a probability between 0 and 1, got 2"):
        led(10, noise=2)


def test_the_mean_of_a_class_of_waveforms_is_halfway_between_its_two_waves():
    table = waveform(30_000)
    waves = [[max(6 - abs(point - peak), 0) for point in range(1, 22)] for peak in (11, 15, 7)]
    cells = np.array(table.columns)
    for label, (one, other) in enumerate([(0, 1), (0, 2), (1, 2)]):
        middle = (np.array(waves[one]) + waves[other]) / 2
        assert cells[:, table.target_column == label].mean(axis=1) == pytest.approx(middle, abs=0.1)
    assert cells[20].std() == pytest.approx(1, abs=0.1), "at the end there is nothing but noise, and a little of the second wave"


def test_points_of_noise_follow_the_waveform():
    table = waveform(2000, irrelevant=19)
    assert len(table.columns) == 40
    assert np.array(table.columns[21:]).mean() == pytest.approx(0, abs=0.02)
    assert np.array(table.columns[21:]).std() == pytest.approx(1, abs=0.02)


def in_group_a(function, row):  # noqa: C901, PLR0911, PLR0912  # the paper's text, case by case
    salary, commission, age, elevel, _, _, hvalue, hyears, loan = row
    total = salary + commission
    if function == 1:
        return age < 40 or age >= 60
    if function in {2, 6}:
        amount = salary if function == 2 else total
        if age < 40:
            return 50_000 <= amount <= 100_000
        return 75_000 <= amount <= 125_000 if age < 60 else 25_000 <= amount <= 75_000
    if function == 3:
        return elevel in ({0, 1} if age < 40 else {1, 2, 3} if age < 60 else {2, 3, 4})
    if function == 4:
        if age < 40:
            return 25_000 <= salary <= 75_000 if elevel in {0, 1} else 50_000 <= salary <= 100_000
        if age < 60:
            return 50_000 <= salary <= 100_000 if elevel in {1, 2, 3} else 75_000 <= salary <= 125_000
        return 50_000 <= salary <= 100_000 if elevel in {2, 3, 4} else 25_000 <= salary <= 75_000
    if function == 5:
        if age < 40:
            return 100_000 <= loan <= 300_000 if 50_000 <= salary <= 100_000 else 200_000 <= loan <= 400_000
        if age < 60:
            return 200_000 <= loan <= 400_000 if 75_000 <= salary <= 125_000 else 300_000 <= loan <= 500_000
        return 300_000 <= loan <= 500_000 if 25_000 <= salary <= 75_000 else 100_000 <= loan <= 300_000
    disposable = 0.67 * total
    if function in {7, 9}:
        disposable -= 0.2 * loan
    if function in {8, 9, 10}:
        disposable -= 5000 * elevel
    if function == 10:
        disposable += 0.2 * (0.1 * hvalue * (hyears - 20) if hyears >= 20 else 0)
    return disposable > (20_000 if function in {7, 8} else 10_000)


@pytest.mark.parametrize("function", range(1, 11))
def test_applicants_are_in_group_a_where_the_paper_says(function):
    table = agrawal(2000, function=function, seed=function)
    rows = list(zip(*(column.tolist() for column in table.columns), strict=True))
    assert [code == 0 for code in table.target_column] == [in_group_a(function, row) for row in rows]
    assert min(table.class_counts()) > 0  # few are in group B by function 10


RANGES = {
    "salary": (20_000, 150_000),
    "commission": (0, 75_000),
    "age": (20, 80),
    "elevel": (0, 4),
    "car": (0, 19),
    "zipcode": (0, 8),
    "hvalue": (50_000, 1_350_000),
    "hyears": (1, 30),
    "loan": (0, 500_000),
}


def test_features_of_applicants_have_the_paper_s_ranges():
    table = agrawal(500_000)
    column = dict(zip((feature.name for feature in table.schema.features), table.columns, strict=True))
    for name, (least, greatest) in RANGES.items():
        assert least <= column[name].min() < column[name].max() <= greatest
        assert np.ptp(column[name]) > 0.97 * (greatest - least)
    rich = column["salary"] >= 75_000
    assert (column["commission"][rich] == 0).all()
    assert column["commission"][~rich].min() >= 10_000
    per_unit = column["hvalue"] / (9.0 - column["zipcode"])
    assert 50_000 <= per_unit.min() < per_unit.max() <= 150_000


def test_noise_moves_numbers_by_half_of_its_share_of_their_range_and_nothing_else():
    clean, noisy = agrawal(5000, function=2), agrawal(5000, function=2, noise=0.1)
    assert (clean.target_column == noisy.target_column).all()
    moved = {f.name: np.abs(a - b).max() for f, a, b in zip(clean.schema.features, clean.columns, noisy.columns, strict=True)}
    assert (moved["elevel"], moved["car"], moved["zipcode"]) == (0, 0, 0)
    assert 6_000 < moved["salary"] <= 6_500
    assert 2.9 < moved["age"] <= 3
    assert 24_000 < moved["loan"] <= 25_000


def test_clusters_have_their_means_and_deviations_and_equal_sizes():
    table = gaussian_clusters(10_001, means=[(0, 0, 0), (5, -5, 1)], deviations=(1, 3))
    assert table.class_counts() == (5001, 5000)
    cells = np.array(table.columns)
    for label, (mean, deviation) in enumerate([((0, 0, 0), 1), ((5, -5, 1), 3)]):
        here = cells[:, table.target_column == label]
        assert here.mean(axis=1) == pytest.approx(np.array(mean), abs=0.15)
        assert here.std(axis=1) == pytest.approx(np.full(3, deviation), rel=0.05)


@pytest.mark.parametrize("means", [[], [[]], [1, 2], [[1], [1, 2]], [["a"]], [[np.nan]]])
def test_means_must_be_points(means):
    with pytest.raises(ValueError, match="means must be points of equally many finite numbers, one for each cluster, got"):
        gaussian_clusters(10, means=means)


@pytest.mark.parametrize("deviations", [-1, [1, 2, 3], [1, -1], [np.inf, 1], "wide", np.inf])
def test_deviations_must_be_one_number_or_one_for_each_cluster(deviations):
    with pytest.raises(ValueError, match="deviations must be a finite number of at least 0, or one for each of the 2 means, got"):
        gaussian_clusters(10, deviations=deviations)


@pytest.mark.parametrize("function", range(1, 11))
def test_borders_of_amounts_belong_to_the_ranges_of_the_paper(function):
    random = np.random.default_rng(function)
    cells = {
        name: random.choice(values, 500)
        for name, values in {
            "salary": [20, 24.5, 25, 25.5, 49.5, 50, 75, 75.5, 100, 100.5, 125, 125.5],
            "commission": [0, 25, 50],
            "age": [39, 40, 59, 60],
            "elevel": range(5),
            "hvalue": [50, 1000],
            "hyears": [19, 20, 21, 30],
            "loan": [0, 99.5, 100, 200, 300, 300.5, 400, 400.5, 500],
        }.items()
    }
    people = SimpleNamespace(**cells, income=cells["salary"] + cells["commission"])
    found = GROUP_A[function - 1](people)
    thousands = [1000 * cells["salary"], 1000 * cells["commission"], cells["age"], cells["elevel"], cells["age"], cells["age"]]
    rows = zip(*thousands, 1000 * cells["hvalue"], cells["hyears"], 1000 * cells["loan"], strict=True)
    assert found.tolist() == [bool(in_group_a(function, tuple(map(float, row)))) for row in rows]
