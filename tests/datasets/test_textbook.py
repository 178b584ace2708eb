"""Textbook tables are those of the books and files: rows, gains, and digests of whole tables."""

from hashlib import sha256

import numpy as np
import pytest
from attrs import evolve

from ftree import CART, ID3, Dataset, accuracy, datasets, entropy, gain, grow, n_leaves, stop, to_dict
from ftree.datasets import agrawal, gaussian_clusters, led, noisy_labels, noisy_values, original, waveform, with_missing


def rows_of(dataset, spelled=lambda value: value):
    """Rows with their labels, in order, as tuples of values."""
    features = zip(dataset.schema.features, dataset.columns, strict=True)
    columns = [column if feature.kind == "numeric" else [feature.values[code] for code in column] for feature, column in features]
    labels = dataset.labels.tolist()
    return [tuple(map(spelled, row)) for row in zip(*columns, labels, strict=True)]


def gains(dataset):
    return {each.name: float(gain(list(dataset.counts_by(each.name).values()))) for each in dataset.schema.features}


def test_the_room_says_of_every_function_what_it_answers():
    assert set(dir(datasets)) == set(datasets.__all__)


def test_weather_has_the_rows_of_the_file_and_the_gains_of_the_textbook(shared):
    spelled = {"Weak": False, "Strong": True, "Rain": "rainy"}
    file = Dataset.read_csv(shared / "data" / "weather.csv")
    assert rows_of(datasets.weather()) == rows_of(file, lambda value: spelled.get(value, value.lower()))
    wanted = {"outlook": 0.246750, "temperature": 0.029223, "humidity": 0.151836, "windy": 0.048127}
    assert gains(datasets.weather()) == pytest.approx(wanted, abs=1e-6)


def test_fish_have_the_gains_that_five_rows_give():
    fish = datasets.fish()
    assert entropy(fish.class_counts()) == pytest.approx(0.970951, abs=1e-6)
    assert gains(fish) == pytest.approx({"no surfacing": 0.419973, "flippers": 0.170951}, abs=1e-6)


def test_rides_depend_on_wind_and_then_on_temperature():
    answers = to_dict(grow(datasets.rides()))
    assert answers == {
        "Wind": {"High": "no", "Low": {"Temperature": {"Cold": "no", "Warm": "yes"}}, "Medium": "yes"},
    }


def test_no_feature_of_xor_gains_anything():
    assert gains(datasets.xor()) == {"bit0": 0, "bit1": 0}


@pytest.mark.parametrize("n", [1, 4])
def test_a_parity_has_every_row_once_and_needs_a_leaf_for_each(n):
    table = datasets.parity(n)
    assert len(set(rows_of(table))) == len(table) == 2**n
    assert all(label == (sum(bits) % 2 == 1) for *bits, label in rows_of(table))
    assert n_leaves(grow(table, evolve(ID3, stop=stop.pure()))) == 2**n


@pytest.mark.parametrize("n", [0, 21, 2.0, True])
def test_a_parity_of_too_few_or_too_many_bits_is_refused(n):
    with pytest.raises(ValueError, match="n must be a whole number of bits from 1 to 20, got"):
        datasets.parity(n)


@pytest.mark.parametrize("problem", [1, 2, 3])
def test_robots_are_the_test_set_of_the_file_and_the_training_set_is_among_them(problem, shared):
    robots = datasets.monks(problem)
    assert original(f"monks-{problem}-test").read(shared / "uci" / f"monks-{problem}.test") == robots
    train = original(f"monks-{problem}-train").read(shared / "uci" / f"monks-{problem}.train")
    assert train == datasets.monks(problem, part="train")
    assert train.schema == robots.schema
    strays = set(rows_of(train)) - set(rows_of(robots))
    assert len(strays) == {1: 0, 2: 0, 3: 6}[problem]  # 5 % of the 122 robots of the third problem have the wrong label


@pytest.mark.parametrize("part", ["all", None, ["train"]])
def test_robots_have_a_test_set_and_a_training_set(part):
    with pytest.raises(ValueError, match="part must be one of 'test', 'train', got"):
        datasets.monks(1, part=part)


def test_a_scale_of_equal_products_is_balanced_and_mirrored_scales_tip_to_the_other_side():
    answer = {row[:4]: row[4] for row in rows_of(datasets.balance_scale())}
    assert len(answer) == 625
    assert (answer[1, 1, 1, 1], answer[2, 3, 5, 1], answer[2, 2, 4, 1], answer[1, 4, 5, 1]) == ("B", "L", "B", "R")
    mirrored = {"L": "R", "B": "B", "R": "L"}
    assert all(answer[c, d, a, b] == mirrored[tips] for (a, b, c, d), tips in answer.items())


GAPS = with_missing(datasets.weather(), 0.25, seed=3)
APPLICANTS = agrawal(60, function=4, seed=5)
TABLES = {
    "balance_scale": (datasets.balance_scale, "60a3a2003d43"),
    "fish": (datasets.fish, "f25acdee8666"),
    "lenses": (datasets.lenses, "0d73c332b3dc"),
    "rides": (datasets.rides, "1bef0d613f50"),
    "tic_tac_toe": (datasets.tic_tac_toe, "3bbb5d3cc6a1"),
    "xor": (datasets.xor, "3034b5c09303"),
    "parity": (lambda: datasets.parity(4), "dcef69ff3ef6"),
    "agrawal with noise": (lambda: agrawal(40, noise=0.5, seed=4), "d1a268a6a941"),
    "led": (lambda: led(40, noise=0.25, irrelevant=3, seed=1), "7960525970e6"),
    "led by default": (lambda: led(40), "216575235a5f"),
    "waveform": (lambda: waveform(20, irrelevant=3, seed=1), "ea220c66b89a"),
    "clusters": (
        lambda: gaussian_clusters(10, means=[[0, 0, 0], [5, 1, 2], [1, 1, 1]], deviations=[1, 2, 0], seed=1),
        "1ba6d01b86a4",
    ),
    "clusters by default": (lambda: gaussian_clusters(7), "2278aea9b28d"),
    "labels": (lambda: noisy_labels(led(50), 0.5, seed=2), "3b64188f4065"),
    "values": (lambda: noisy_values(APPLICANTS, 0.5, seed=2), "d32f452beb39"),
    "values of some": (lambda: noisy_values(GAPS, 0.75, features=["windy", "outlook"], seed=2), "f4a52842a0c0"),
    "gaps": (lambda: with_missing(APPLICANTS, 0.5, features=["age", "car"], seed=2), "6da05be74d7c"),
    "gaps of weights": (lambda: with_missing(evolve(APPLICANTS, weights=range(60)), 0.25), "866209d92be8"),
}


def digest(dataset):
    """Of names, kinds, values, cells and weights; numbers are rounded, since their last bits may depend on a platform."""
    cells = [np.round(column.astype(np.float64), 6) + 0.0 for column in (*dataset.columns, dataset.target_column)]
    told = (
        repr(dataset.schema),
        [column.tolist() for column in cells],
        None if dataset.weights is None else dataset.weights.tolist(),
    )
    return sha256(repr(told).encode()).hexdigest()[:12]


@pytest.mark.parametrize(("make", "wanted"), TABLES.values(), ids=TABLES)
def test_a_table_is_the_one_that_was_checked(make, wanted):
    assert digest(make()) == wanted


def test_numeric_weather_has_the_rows_of_the_file(shared):
    file = Dataset.read_csv(shared / "data" / "weather_numeric.csv")
    assert rows_of(datasets.weather(numeric=True)) == rows_of(
        file, lambda value: {"FALSE": False, "TRUE": True}.get(value, value)
    )


def test_xor_of_numbers_needs_two_thresholds_and_growth_that_goes_on_without_gain():
    tree = grow(datasets.xor(numeric=True), evolve(ID3, stop=stop.never))
    assert accuracy(tree, datasets.xor(numeric=True)) == 1
    assert datasets.parity(3, numeric=True).columns[0].tolist() == [0.0] * 4 + [1.0] * 4


def test_aboard_the_titanic_women_and_children_survived_more_often_but_not_in_the_third_class():
    table = datasets.titanic()
    assert (table.n_cases, table.class_counts()) == (2201, (1490, 711))
    assert table.counts_by("sex") == {"male": (1364, 367), "female": (126, 344)}
    assert table.counts_by("age") == {"adult": (1438, 654), "child": (52, 57)}
    assert table.counts_by("status") == {"first": (122, 203), "second": (167, 118), "third": (528, 178), "crew": (673, 212)}


def test_cars_that_are_light_and_late_go_furthest():
    cars = datasets.auto_mpg()
    assert len(cars) == 392
    assert [feature.kind for feature in cars.schema.features] == ["numeric"] * 6 + ["nominal"]
    assert grow(cars, CART.stopping(stop.max_depth(1))).root.split.feature in {1, 3}  # displacement, weight
    light_and_late = cars.where(weight=lambda pounds: pounds < 2500, modelyear=lambda year: year >= 78)
    assert light_and_late.class_counts()[2] / len(light_and_late) > 0.9
    miles = datasets.auto_mpg(numeric=True).labels
    assert [(miles <= 19).sum(), (miles > 27).sum()] == [cars.class_counts()[0], cars.class_counts()[2]]


def test_of_patients_with_lung_cancer_women_and_the_active_survive_longer():
    patients = datasets.lung()
    days, died = patients.target_column, patients.further_targets[0]
    assert (len(patients), died.sum(), days.min(), days.max()) == (228, 165, 5, 1022)
    assert {name: np.isnan(patients[name]).sum() for name in ("ph_ecog", "meal_cal", "wt_loss")} == {
        "ph_ecog": 1,
        "meal_cal": 47,
        "wt_loss": 14,
    }
    for split in ({"sex": "female"}, {"ph_ecog": lambda rating: rating == 0}):
        some = patients.where(**split)
        rate = some.further_targets[0].sum() / some.target_column.sum()
        assert rate < died.sum() / days.sum()
