"""Typed and enumerated tables are those of the books and of the archive's files."""

import pytest
from attrs import evolve

from ftree import ID3, Dataset, accuracy, datasets, entropy, gain, grow, n_leaves, stop, to_dict
from ftree.datasets import original


def rows_of(dataset, spelled=lambda value: value):
    """Rows with their labels, in order, as tuples of values."""
    features = zip(dataset.schema.features, dataset.columns, strict=True)
    columns = [column if feature.kind == "numeric" else [feature.values[code] for code in column] for feature, column in features]
    labels = [dataset.schema.classes[code] for code in dataset.labels]
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


def test_numeric_weather_has_the_rows_of_the_file(shared):
    file = Dataset.read_csv(shared / "data" / "weather_numeric.csv")
    assert rows_of(datasets.weather(numeric=True)) == rows_of(
        file, lambda value: {"FALSE": False, "TRUE": True}.get(value, value)
    )


def test_words_and_numbers_of_the_weather_tell_of_the_same_days():
    words, numbers = datasets.weather(), datasets.weather(numeric=True)
    assert words.columns[0].tolist() == numbers.columns[0].tolist()
    degrees = {name: numbers.columns[1][words.columns[1] == code] for code, name in enumerate(words.schema.features[1].values)}
    assert max(degrees["cool"]) < min(degrees["mild"]) <= max(degrees["mild"]) < min(degrees["hot"])


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


def test_lenses_are_the_file(shared):
    file = Dataset.read_csv(shared / "data" / "lenses.csv")
    assert datasets.lenses() == evolve(file, schema=evolve(file.schema, target="lenses"))
    assert accuracy(grow(datasets.lenses()), datasets.lenses()) == 1


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


@pytest.mark.parametrize("problem", [0, 4, "1"])
def test_there_are_three_problems_of_the_monks(problem):
    with pytest.raises(ValueError, match="problem must be a whole number from 1 to 3, got"):
        datasets.monks(problem)


def test_endgames_are_the_file_in_its_order(shared):
    file = original("tic-tac-toe").read(shared / "uci" / "tic-tac-toe.data")
    assert datasets.tic_tac_toe() == file
    assert file.class_counts() == (332, 626)


def test_a_scale_of_equal_products_is_balanced_and_mirrored_scales_tip_to_the_other_side():
    answer = {row[:4]: row[4] for row in rows_of(datasets.balance_scale())}
    assert len(answer) == 625
    assert (answer[1, 1, 1, 1], answer[2, 3, 5, 1], answer[2, 2, 4, 1], answer[1, 4, 5, 1]) == ("B", "L", "B", "R")
    mirrored = {"L": "R", "B": "B", "R": "L"}
    assert all(answer[c, d, a, b] == mirrored[tips] for (a, b, c, d), tips in answer.items())
