"""The library on real tables: their counts, the votes from end to end, the weather's numbers."""

import numpy as np
import pytest

from ftree import Dataset, learning_curve
from ftree.data.coding import decode
from ftree.study import root_feature_counts

pytestmark = pytest.mark.wide


@pytest.fixture(scope="module")
def votes(shared):
    return Dataset.read_csv(shared / "data" / "votes.csv")


def n_missing(dataset):
    return sum(int((np.isnan(column) if column.dtype.kind == "f" else column < 0).sum()) for column in dataset.columns)


def as_rows(dataset):
    """Labels and cells as read, without names and codes."""
    columns = [decode(feature, column) for feature, column in zip(dataset.schema.features, dataset.columns, strict=True)]
    return list(zip(dataset.labels.tolist(), *columns, strict=True))


# name, rows, features, classes, missing cells, rows with missing cells
TABLES = [
    ("votes", 435, 16, {"democrat": 267, "republican": 168}, 392, 203),
    ("votes_complete", 232, 16, {"democrat": 124, "republican": 108}, 0, 0),
    ("votes_incomplete", 203, 16, {"democrat": 143, "republican": 60}, 392, 203),
    ("lenses", 24, 4, {"hard": 4, "no lenses": 15, "soft": 5}, 0, 0),
    ("weather", 14, 4, {"no": 5, "yes": 9}, 0, 0),
    ("weather_numeric", 14, 4, {"no": 5, "yes": 9}, 0, 0),
    ("iris_uci", 150, 4, {"Iris-setosa": 50, "Iris-versicolor": 50, "Iris-virginica": 50}, 0, 0),
    ("iris", 150, 4, {"setosa": 50, "versicolor": 50, "virginica": 50}, 0, 0),
    ("tictactoe", 958, 9, {"negative": 332, "positive": 626}, 0, 0),
    ("monks1_train", 124, 6, {"0": 62, "1": 62}, 0, 0),
    ("monks2_train", 169, 6, {"0": 105, "1": 64}, 0, 0),
    ("monks3_train", 122, 6, {"0": 62, "1": 60}, 0, 0),
    ("monks1_test", 432, 6, {"0": 216, "1": 216}, 0, 0),
    ("monks2_test", 432, 6, {"0": 290, "1": 142}, 0, 0),
    ("monks3_test", 432, 6, {"0": 204, "1": 228}, 0, 0),
    ("mushroom", 8124, 22, {"e": 4208, "p": 3916}, 2480, 2480),
    ("car", 1728, 6, {"acc": 384, "good": 69, "unacc": 1210, "vgood": 65}, 0, 0),
    ("titanic", 2201, 3, {"no": 1490, "yes": 711}, 0, 0),
    ("breast_cancer", 286, 9, {"no-recurrence-events": 201, "recurrence-events": 85}, 9, 9),
    ("adult", 32561, 14, {"<=50K": 24720, ">50K": 7841}, 4262, 2399),
]


@pytest.mark.parametrize("facts", TABLES, ids=[facts[0] for facts in TABLES])
def test_a_table_has_the_rows_features_classes_and_gaps_it_is_known_for(shared, facts):
    name, rows, features, classes, cells, gaps = facts
    dataset = Dataset.read_csv(shared / "data" / f"{name}.csv")
    assert (len(dataset), len(dataset.schema.features)) == (rows, features)
    assert dict(zip(map(str, dataset.schema.classes), dataset.class_counts(), strict=True)) == classes
    assert (n_missing(dataset), len(dataset.incomplete()), len(dataset.complete())) == (cells, gaps, rows - gaps)


def test_the_digits_are_256_numbers_of_0_and_1_and_ten_classes_of_about_160(shared):
    dataset = Dataset.read_csv(shared / "data" / "digits.csv")
    assert (len(dataset), len(dataset.schema.features)) == (1593, 256)
    assert {feature.kind for feature in dataset.schema.features} == {"numeric"}
    assert set(np.unique(np.array(dataset.columns))) == {0.0, 1.0}
    assert dataset.schema.classes == tuple(range(10))
    assert all(155 <= count <= 162 for count in dataset.class_counts())


def test_the_adults_have_six_numeric_features(shared):
    dataset = Dataset.read_csv(shared / "data" / "adult.csv")
    numeric = [feature.name for feature in dataset.schema.features if feature.kind == "numeric"]
    assert numeric == ["age", "fnlwgt", "education_num", "capital_gain", "capital_loss", "hours_per_week"]


def test_a_table_is_read_past_its_lines_of_comment(shared):
    cars = Dataset.read_csv(shared / "data" / "auto_mpg.csv", comment="#", target="origin")
    assert len(cars) == 392
    assert [feature.name for feature in cars.schema.features][:2] == ["mpg", "cylinders"]
    assert {feature.kind for feature in cars.schema.features} == {"numeric"}
    assert sum(cars.class_counts()) == 392
    assert cars.schema.classes == (1, 2, 3)


# original, how it is read, the table it became
ORIGINALS = [
    ("house-votes-84.data", {"target": 0}, "votes"),
    ("agaricus-lepiota.data", {"target": 0}, "mushroom"),
    ("breast-cancer.data", {"target": 0}, "breast_cancer"),
    ("car.data", {}, "car"),
    ("tic-tac-toe.data", {}, "tictactoe"),
    ("iris.data", {}, "iris_uci"),
]


@pytest.mark.parametrize(("original", "options", "name"), ORIGINALS, ids=[row[0] for row in ORIGINALS])
def test_an_original_without_a_header_reads_as_the_same_table(shared, original, options, name):
    read = Dataset.read_csv(shared / "uci" / original, header=False, **options)
    assert as_rows(read) == as_rows(Dataset.read_csv(shared / "data" / f"{name}.csv"))


def test_the_complete_and_incomplete_votes_are_the_two_parts_of_the_votes(shared, votes):
    for part, name in ((votes.complete(), "votes_complete"), (votes.incomplete(), "votes_incomplete")):
        table = Dataset.read_csv(shared / "data" / f"{name}.csv")
        assert as_rows(part) == as_rows(table)
        assert part == table


def test_nearly_every_random_part_of_the_votes_asks_for_the_physician_fee_freeze_first(votes):
    roots = root_feature_counts(votes.complete(), size=100, repeats=50)
    assert next(iter(roots)) == "physician-fee-freeze"
    assert roots["physician-fee-freeze"] >= 48
    assert sum(roots.values()) == 50


def test_the_learning_curve_of_the_votes_rises_to_above_nine_in_ten(votes):
    few, some, most = learning_curve(votes.complete(), sizes=[10, 60, 180], repeats=10)
    assert few.mean > 0.8
    assert few.mean < most.mean
    assert min(some.mean, most.mean) > 0.9
