"""A choice by tests of the stability of linear models: its statistics are those of their definitions, row by row."""

import numpy as np
import pytest
from attrs import evolve

from ftree import CART, Dataset, grow
from ftree.criteria.scores import minus_log10_p
from ftree.datasets import weather
from ftree.responses import linear
from ftree.splitters import Candidates, by_instability_test, only
from ftree.stop import max_depth
from ftree.tree import Leaf


def table(seed, n=60):
    """Rows with ties, categories and gaps, in regressors too."""
    random = np.random.default_rng(seed)
    columns = {"x": random.normal(size=n).round(1), "z": random.integers(0, 12, n).astype(float)}
    columns |= {"c": random.choice(["u", "v", "w"], n).astype(object), "y": random.normal(size=n).round(2)}
    columns["y"] += np.where(columns["z"] > 5, 2, -1) * columns["x"]
    columns["x"][:3], columns["z"][3:8], columns["c"][8:10] = np.nan, np.nan, None
    weights = random.integers(1, 4, n) if seed % 2 else None
    return Dataset.from_columns(columns, target="y", weights=weights, response=linear("x"))


def noted(data, **options):
    """Statistic, degrees of freedom, span and -log10 of the p-value of each feature at the root, where it is testable."""
    test, found = by_instability_test(**options), {}

    def choose(candidates):
        runs, (digits, testable) = candidates.every_run, test.significance(candidates)
        for run, of_run in enumerate(zip(*test.statistics(candidates), digits, strict=True)):
            if testable[run]:
                found[runs.features[runs.feature[run]].name] = tuple(np.nan_to_num(of_run).tolist())
        return test(candidates)

    grow(data, evolve(CART, choose=choose, missing="heaviest", stop=max_depth(1)))
    return found


def by_rows(data, name, trim=0.1):
    """The statistic of a feature from the scores of rows, each as often as its weight says."""
    times = np.ones(len(data), int) if data.weights is None else data.weights
    value, x, y = (np.repeat(column, times) for column in (data[name], data["x"], data.target_column))
    missing = np.array([each is None or each != each for each in value])  # noqa: PLR0124  # NaN
    value, x, y = (column[~missing & ~np.isnan(x)] for column in (value, x, y))
    n, design = len(y), np.column_stack([np.ones(len(y)), x])
    scores = (y - design @ np.linalg.lstsq(design, y, rcond=None)[0])[:, None] * design
    inverse = np.linalg.inv(scores.T @ scores)

    def length(rows):
        total = scores[rows].sum(axis=0)
        return total @ inverse @ total / rows.mean()

    if value.dtype == object:
        return sum(length(value == each) for each in set(value))
    least = max(np.ceil(trim * n), 1)
    sides = [value <= each for each in np.unique(value) if least <= (value <= each).sum() <= n - least]
    return max(length(rows) / (1 - rows.mean()) for rows in sides)


@pytest.mark.parametrize("seed", range(8))
def test_statistics_are_those_of_the_scores_of_rows(seed):
    data = table(seed)
    found = noted(data)
    assert set(found) == {"x", "z", "c"}
    for name, (statistic, dof, span, digits) in found.items():
        assert statistic == pytest.approx(by_rows(data, name), rel=1e-6)
        assert dof == (4 if name == "c" else 2)
        assert (span == 0) == (name == "c")
        assert digits >= minus_log10_p(statistic, dof) - 1e-9 if name == "c" else digits <= minus_log10_p(statistic, dof)


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_rows_changes_nothing_and_weights_are_cases(seed):
    data = table(seed)
    shuffled = data.take(np.random.default_rng(seed).permutation(len(data)))
    assert noted(shuffled) == noted(data)
    twice = data.concatenate(data)
    assert noted(twice) == noted(
        evolve(data, weights=2 * (1 if data.weights is None else data.weights) * np.ones(len(data), int))
    )
    policy = evolve(CART, choose=by_instability_test())
    assert grow(data, policy, engine="compiled") == grow(data, policy, engine="plain") == grow(shuffled, policy)


def test_trimming_and_names_limit_what_is_tested():
    data = table(0)
    assert set(noted(data, features="z")) == {"z"}
    assert set(noted(data, min_cases=27)) == {"x", "c"}
    assert set(noted(data, min_cases=40)) == {"c"}
    assert noted(data, trim=0.0)["z"][0] >= noted(data)["z"][0] >= noted(data, trim=0.3)["z"][0]
    assert noted(data, trim=0.0)["z"][0] == pytest.approx(by_rows(data, "z", trim=0.0))
    splits = (only(["c", "x"], CART.splits),)
    assert isinstance(grow(data, evolve(CART, splits=splits, choose=by_instability_test(features=["z"]))).root, Leaf)


def test_a_model_that_fits_all_rows_is_not_split():
    columns = {"x": np.arange(40.0) % 7, "z": np.arange(40.0) ** 2, "y": 1 + 2 * (np.arange(40.0) % 7)}
    data = Dataset.from_columns(columns, target="y", response=linear("x"))
    assert isinstance(grow(data, evolve(CART, choose=by_instability_test(features=["z"]))).root, Leaf)


def test_a_regressor_without_variance_is_left_out():
    data = table(0).take(np.arange(10, 60))
    columns = {"k": np.ones(50), "z": data["z"], "y": data.target_column}
    found = noted(Dataset.from_columns(columns, target="y", response=linear("k")), features="z")
    assert found["z"][1] == 1


def test_what_has_no_linear_models_is_refused():
    for data, kind in ((weather(), "classes"), (Dataset.from_rows([[1.5], [2.5]], [1.5, 2.5]), "numbers")):
        with pytest.raises(ValueError, match=rf"choose must be another choice for a target of {kind}, got by_instability_test"):
            grow(data, evolve(CART, choose=by_instability_test()))
    with pytest.raises(KeyError, match="must be one of 'x', 'z', 'c', got 'age'"):
        noted(table(0), features=["age"])
    with pytest.raises(ValueError, match=r"trim must be a share below 0\.5, got 0\.5"):
        by_instability_test(trim=0.5)
    zero = np.array([0])
    with pytest.raises(ValueError, match="Candidates must have vectors for this choice"):
        Candidates(zero, zero, np.ones(1), lambda _: np.ones(1), zero > 0).joint([0])


def test_only_some_features_are_split():
    tree = grow(weather(), evolve(CART, splits=(only("windy", CART.splits),)))
    assert [tree.schema.features[number].name for number in tree.root.split.features] == ["windy"]
    with pytest.raises(KeyError, match="got 'wind'"):
        grow(weather(), evolve(CART, splits=(only("wind", CART.splits),)))
