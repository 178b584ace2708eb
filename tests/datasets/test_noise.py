"""Noise changes the requested share of cells, and nothing else."""

import numpy as np
import pytest
from attrs import evolve

from ftree import Dataset, Feature, Schema
from ftree.datasets import agrawal, led, noisy_labels, noisy_values, weather, with_missing

APPLICANTS = agrawal(5000, seed=3)
MAKERS = pytest.mark.parametrize("disturb", [noisy_labels, noisy_values, with_missing])


@MAKERS
def test_no_noise_changes_nothing_and_the_same_seed_changes_the_same(disturb):
    assert disturb(APPLICANTS, 0) == APPLICANTS
    assert disturb(APPLICANTS, 0.3, seed=1) == disturb(APPLICANTS, 0.3, seed=1) != disturb(APPLICANTS, 0.3, seed=2)


@MAKERS
@pytest.mark.parametrize("rate", [-0.1, 1.5, "much"])
def test_a_rate_is_a_probability(disturb, rate):
    with pytest.raises(ValueError, match="must be a probability between 0 and 1, got"):
        disturb(weather(), rate)


def test_labels_become_each_other_class_equally_often():
    clean = led(20_000)
    noisy = noisy_labels(clean, 0.3)
    assert all((one == other).all() for one, other in zip(clean.columns, noisy.columns, strict=True))
    changed = noisy.target_column != clean.target_column
    assert changed.mean() == pytest.approx(0.3, abs=0.01)
    counts = np.bincount((noisy.target_column - clean.target_column)[changed] % 10, minlength=10)
    assert counts[0] == 0
    assert counts[1:] == pytest.approx(np.full(9, 6000 / 9), rel=0.15)
    assert (noisy_labels(weather(), 1).target_column == 1 - weather().target_column).all()


def test_codes_become_other_values_and_numbers_any_within_their_range():
    noisy = noisy_values(APPLICANTS, 0.4)
    assert (noisy.target_column == APPLICANTS.target_column).all()
    for feature, clean, dirty in zip(APPLICANTS.schema.features, APPLICANTS.columns, noisy.columns, strict=True):
        assert np.mean(clean != dirty) == pytest.approx(0.4, abs=0.03), feature.name  # few ages are drawn unchanged
        assert clean.min() <= dirty.min() <= dirty.max() <= clean.max()
        assert clean.dtype == dirty.dtype


def test_values_that_are_missing_and_those_without_another_one_stay():
    gappy = with_missing(APPLICANTS, 0.5, seed=1)
    noisy = noisy_values(gappy, 1, seed=2)
    for before, after in zip(gappy.columns, noisy.columns, strict=True):
        gaps = np.isnan(before) if before.dtype.kind == "f" else before < 0
        assert 0.45 < gaps.mean() < 0.55
        assert (gaps == (np.isnan(after) if after.dtype.kind == "f" else after < 0)).all()
    lonely = Dataset.from_rows([["a", None]] * 3, [0, 1, 0], kinds={"x1": "numeric"})
    assert noisy_values(lonely, 1) == lonely


def test_only_the_features_named_are_hit():
    for disturb in (noisy_values, with_missing):
        hit = disturb(weather(), 1, features=["windy"])
        same = [(one == other).all() for one, other in zip(weather().columns, hit.columns, strict=True)]
        assert same == [True, True, True, False]
        with pytest.raises(KeyError, match="Did you mean 'windy'"):
            disturb(weather(), 1, features=["wind"])
        with pytest.raises(TypeError, match=r"features must be a list of names, got 'windy'. Write a single name as \['windy'\]"):
            disturb(weather(), 1, features="windy")


def test_everything_may_go_missing_from_arrays_of_any_type():
    schema = Schema([Feature("size", "ordinal", "SML"), Feature("age", "numeric")], "ill", ("no", "yes"))
    columns = [np.array([0, 2], dtype=np.uint8), np.array([1, 2], dtype=np.float32)]
    table = Dataset(schema, columns, np.array([0, 1], dtype=np.uint8), [1, 2])
    gone = with_missing(table, 1)
    assert len(gone.complete()) == 0
    assert gone.columns[1].dtype == np.float32
    assert evolve(gone, columns=table.columns) == table
    assert noisy_labels(table, 1).target_column.tolist() == [1, 0]


def test_a_single_class_has_no_other_label():
    with pytest.raises(ValueError, match=r"dataset must have at least two classes, got \('no',\)"):
        noisy_labels(Dataset.from_rows([["a"], ["b"]], ["no", "no"]), 0.5)
