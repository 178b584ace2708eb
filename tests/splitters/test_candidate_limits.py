"""Splitters list candidates without limits on children's sizes only: a list cannot keep them."""

import re

import numpy as np
import pytest
from attrs import evolve, fields, has

from ftree import CART, Dataset, exact, splitters
from ftree.exact import grow_ahead, optimal
from ftree.splitters import DistinctValues, multiway, threshold
from ftree.stop import max_depth
from ftree.tree import Multiway, Threshold

THREE = DistinctValues(1, "size", np.array([1.0, 2.0, 4.0]), np.array([5, 1, 3]))


@pytest.mark.parametrize(
    ("splitter", "message"),
    [
        (threshold(min_cases=5), "min_cases must not be set where candidates are listed, got 5 for threshold(min_cases=5)"),
        (threshold(mdl=True), "mdl must not be set where candidates are listed, got True for threshold(mdl=True)"),
        (multiway(min_cases=5), "min_cases must not be set where candidates are listed, got 5 for multiway(min_cases=5)"),
        (multiway(empty=True), "empty must not be set where candidates are listed, got True for multiway(empty=True)"),
    ],
    ids=["min_cases", "mdl", "multiway, min_cases", "empty"],
)
def test_a_splitter_with_limits_lists_no_candidates(splitter, message):
    with pytest.raises(ValueError, match=rf"^{re.escape(message)}\. optimal takes min_leaf\.$"):
        splitter.candidates(THREE)


def test_bins_of_a_threshold_are_refused_where_they_are_not_followed():
    data, splits = Dataset.from_rows(np.arange(900.0)[:, None], np.arange(900) % 400 > 99), (threshold(bins=3),)
    policy = evolve(CART, splits=splits, stop=max_depth(2))
    for answer in (lambda: optimal(data, splitters=splits, max_depth=2), lambda: grow_ahead(data, policy, steps=1)):
        with pytest.raises(ValueError, match=r"^bins must not be set .*, got 3 for threshold\(bins=3\)\. exact\.quantile_cuts"):
            answer()


def test_each_option_of_a_splitter_is_listed_or_refused():
    """If this fails: list candidates by the new option, or refuse it by `without_limits`."""
    kept = {"threshold": {"at"}, "subset": {"exact"}, "quantile_cuts": {"n"}}
    refused = {"threshold": {"min_cases", "mdl", "bins"}, "multiway": {"min_cases", "empty"}}
    refused |= {name: {"min_cases"} for name in ("subset", "one_value")}
    public = {name: getattr(module, name) for module in (splitters, exact) for name in dir(module)}
    listing = {name: each for name, each in public.items() if has(each) and hasattr(each, "candidates")}
    assert listing.keys() == kept.keys() | refused.keys()
    for name, each in listing.items():
        assert {field.name for field in fields(each)} == kept.get(name, set()) | refused.get(name, set()), name


def test_candidates_are_between_neighbouring_values_or_at_the_lower_one():
    assert threshold().candidates(THREE) == [Threshold(1, 1.5), Threshold(1, 3.0)]
    assert threshold(at="observed").candidates(THREE) == [Threshold(1, 1.0), Threshold(1, 2.0)]
    assert multiway().candidates(DistinctValues(0, "sky", np.array([0, 2]), np.array([1, 1]))) == [Multiway(0, (0, 2))]
    assert multiway().candidates(DistinctValues(0, "sky", np.array([2]), np.array([1]))) == []
