"""Parts of a policy that a source does not support are refused by name, before the first scan of its rows."""

import numpy as np
import pytest
from attrs import evolve

from ftree import C45, CART, ID3, Dataset, grow
from ftree.criteria import gain_ratio, gini
from ftree.missing import as_branch
from ftree.scan import source_of
from ftree.splitters import intervals, oblique, threshold
from ftree.stop import max_depth


def undeclared(counts):
    """An impurity that does not declare that it is concave."""
    return gini(counts)


NUMBERS = Dataset.from_rows(np.arange(8.0).reshape(4, 2), ["a", "b", "a", "b"])
GAPS = Dataset.from_rows([[1.0], [np.nan], [3.0]], ["a", "b", "a"])


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (evolve(ID3, score=gain_ratio), "score and impurity must be gain by a concave impurity"),
        (evolve(ID3, impurity=undeclared), "score and impurity must be gain by a concave impurity"),
        (evolve(ID3, splits=(oblique(),)), "splits must be splitters of one feature"),
        (evolve(ID3, splits=(intervals(),)), r"splits must be threshold\(\), for numeric features"),
        (evolve(ID3, splits=(threshold(mdl=True),)), r"splits must be threshold\(\) without mdl"),
        (evolve(ID3, missing=as_branch()), "missing must be"),
    ],
)
def test_a_policy_without_bounds_is_refused(policy, message):
    with pytest.raises(ValueError, match=message):
        grow(source_of(GAPS if policy.missing == as_branch() else NUMBERS, bins=2), policy)


@pytest.mark.parametrize("policy", [evolve(ID3, score=gain_ratio), evolve(ID3, impurity=undeclared), C45])
def test_where_each_number_has_its_bin_no_bound_is_needed(policy):
    assert grow(source_of(NUMBERS), policy) == grow(NUMBERS, policy)


@pytest.mark.parametrize("policy", [evolve(ID3, score=gain_ratio), C45], ids=["gain_ratio", "C45"])
def test_without_a_bound_every_value_is_counted_at_once(policy):
    # More values than the cells of a level that is bounded.
    random = np.random.default_rng(0)
    numbers = random.normal(size=(700, 2))
    dataset = Dataset.from_rows(numbers, (numbers.sum(axis=1) + random.normal(size=700) > 0).tolist())
    assert grow(source_of(dataset), policy.stopping(max_depth(3))) == grow(dataset, policy.stopping(max_depth(3)))


def test_surrogates_are_refused_where_values_are_missing():
    with pytest.raises(ValueError, match="missing must be"):
        grow(source_of(GAPS), CART)
    assert grow(source_of(NUMBERS), CART) == grow(NUMBERS, CART)


def test_ones_own_concave_impurity_says_so():
    def own(counts):
        return gini(counts)

    own.concave = True
    policy = evolve(ID3, impurity=own)
    assert grow(source_of(NUMBERS), policy) == grow(NUMBERS, policy)


@pytest.mark.parametrize(
    ("source", "policy", "memory", "error", "message"),
    [
        (NUMBERS, ID3, "1GB", TypeError, "memory must be None for a table in memory"),
        (source_of(NUMBERS), ID3, "much", ValueError, "memory must be a number of bytes"),
        (source_of(NUMBERS), ID3, 0, ValueError, "memory must be a number of bytes"),
        (source_of(NUMBERS), ID3, True, ValueError, "memory must be a number of bytes"),
        (source_of(GAPS), ID3, "1GB", ValueError, "memory must be None with a start, missing values"),
        (source_of(NUMBERS), C45, "1GB", ValueError, "memory must be None with a start, missing values"),
    ],
)
def test_memory_is_for_complete_sources_and_choices_by_score(source, policy, memory, error, message):
    with pytest.raises(error, match=message):
        grow(source, policy, memory=memory)


def test_a_dataset_as_a_source_has_whole_weights():
    weighed = Dataset.from_rows([[1.0], [2.0]], ["a", "b"], weights=[0.5, 1.5])
    with pytest.raises(ValueError, match="weights of a source must be whole numbers"):
        source_of(weighed)
