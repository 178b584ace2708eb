"""The one-liners: each is the growing and the pruning that its docstring spells out."""

import pytest
from attrs import evolve
from hypothesis import given

from ftree import C45, CART, CHAID, ID3, Dataset, c45, cart, chaid, grow, id3, prune
from ftree.criteria import cost_risk
from ftree.policy import c45_policy
from ftree.testing import datasets


@given(datasets(min_rows=1, missing=True))
def test_id3_and_chaid_are_their_policies(dataset):
    assert id3(dataset) == grow(dataset, ID3)
    assert chaid(dataset) == grow(dataset, CHAID)


@given(datasets(min_rows=1, missing=True))
def test_c45_grows_and_prunes_with_raising_or_without(dataset):
    grown = grow(dataset, c45_policy(1))
    for raising in (True, False):
        pruning = prune.error_based(confidence=0.1, raise_with=dataset if raising else None, collapse=True)
        assert c45(dataset, min_cases=1, confidence=0.1, raising=raising) == pruning(grown)


@given(datasets(min_rows=3, missing=True))
def test_cart_selects_from_the_path_of_its_policy(dataset):
    policy = evolve(CART, missing="heaviest")
    path = prune.cross_validated(dataset, lambda rows: grow(rows, policy), folds=3, seed=1)
    assert cart(dataset, policy=policy, folds=3, seed=1, by=prune.lowest_error) == prune.select(path, by=prune.lowest_error)


@pytest.mark.parametrize("algorithm", [id3, c45, cart, chaid])
@pytest.mark.parametrize("wrong", [None, [[1]], "weather.csv"])
def test_what_is_no_dataset_is_refused(algorithm, wrong):
    with pytest.raises(TypeError, match="Dataset"):
        algorithm(wrong)


def test_raising_takes_no_other_data():
    data = Dataset.from_rows([["a"], ["b"]], ["no", "yes"])
    with pytest.raises(TypeError, match="raising must be True or False, got"):
        c45(data, raising=data)


def test_cases_fewer_than_none_and_folds_that_are_no_number_are_refused():
    data = Dataset.from_rows([["a"], ["b"]], ["no", "yes"])
    for wrong in (-1, "2", tuple):
        with pytest.raises((ValueError, TypeError), match="min_cases"):
            c45(data, min_cases=wrong)
    for folds in (1, 3, "2"):
        with pytest.raises(ValueError, match="folds must be a whole number from 2 to"):
            cart(data, folds=folds)


@pytest.mark.parametrize(
    "given", [{"priors": (0.9, 0.1)}, {"costs": ((0, 1), (5, 0))}, {"priors": (0.5, 0.5), "costs": ((0, 2), (1, 0))}]
)
def test_cart_prunes_by_mean_cost_where_its_policy_has_priors_or_costs(given):
    data = Dataset.from_rows([[n % 7, n % 5] for n in range(40)], ["yes" if n % 3 else "no" for n in range(40)])
    policy = evolve(CART, **given)
    path = prune.cross_validated(data, lambda rows: grow(rows, policy), risk=cost_risk(data.class_counts(), **given), folds=4)
    assert cart(data, policy=policy, folds=4) == prune.select(path, by=prune.one_standard_error)
    assert all(row.deviation is not None for row in path)


@pytest.mark.parametrize(
    ("policy", "written"),
    [
        (ID3, "impurity=entropy, score=gain, splits=(multiway(), threshold()), stop=pure() | no_gain(), missing=ignore()"),
        (CART, "impurity=gini, score=gain, splits=(subset(), threshold()), stop=pure() | no_gain(), missing=surrogates()"),
        (CHAID, "impurity=entropy, score=significance, splits=(merging(),), stop=pure(), missing=as_value()"),
        (
            C45,
            (
                "impurity=entropy, score=gain, splits=(multiway(empty=True, min_cases=2), "
                "threshold(min_cases=c45_min_branch(2), mdl=True, at='observed')), choose=by_gain_ratio(), "
                "stop=pure() | min_rows(4) | no_gain(), missing=ignore(predict=weighted())"
            ),
        ),
    ],
)
def test_a_policy_prints_what_its_algorithm_does(policy, written):
    assert repr(policy) == f"Policy({written})"
