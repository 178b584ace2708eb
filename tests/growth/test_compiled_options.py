"""Options of splitters, choices between features, priors and costs: the native library finds what the plain engine finds."""

import numpy as np
import pytest
from attrs import evolve
from c_functions import in_machine_code
from hypothesis import assume, given
from hypothesis import strategies as st
from test_compiled_engine import check_equal, kinds_of_weights, table, weighed

from ftree import C45, CART, ID3, Dataset, Feature, Schema, c45_policy, gain, gain_ratio
from ftree.criteria import compiled_impurity, entropy, gini, misclassification
from ftree.growth import terms_of
from ftree.policy import Policy
from ftree.splitters import by_gain_ratio, by_score, c45_min_branch, multiway, subset, threshold
from ftree.stop import max_depth, min_best_child, min_gain, min_rows, never, no_gain, pure
from ftree.testing import datasets

least_sizes = st.sampled_from([0, 0.5, 2, 3])
of_numbers = st.builds(threshold, min_cases=least_sizes | st.builds(c45_min_branch, least_sizes), mdl=st.booleans())
of_names = st.one_of(
    st.builds(multiway, empty=st.booleans(), min_cases=least_sizes),
    st.builds(subset, exact=st.integers(0, 4), min_cases=least_sizes),
)
choices = st.just(by_score()) | st.builds(by_gain_ratio, slack=st.sampled_from([0.0, 1e-3, 0.2]))
rules = st.sampled_from([pure(), pure() | no_gain(), never, max_depth(2) | min_gain(0.1), min_rows(4) | min_best_child(2)])


@st.composite
def policies_with_options(draw, n_classes):
    """Policies whose splitters have options, with priors, with costs or with neither."""
    weights = st.lists(st.integers(0, 4), min_size=n_classes, max_size=n_classes)
    shares, costs = draw(weights.filter(any)), draw(st.lists(weights, min_size=n_classes, max_size=n_classes))
    altered = draw(st.sampled_from(["nothing", "priors", "costs"]))
    return Policy(
        impurity=draw(st.sampled_from([entropy, gini, misclassification])),
        score=draw(st.sampled_from([gain, gain_ratio])),
        splits=(draw(of_names), draw(of_numbers)),
        choose=draw(choices),
        stop=draw(rules),
        missing=draw(st.sampled_from(["ignore", "heaviest", "as_value"])),
        priors=np.array(shares) / sum(shares) if altered == "priors" else None,
        costs=np.array(costs) * (1 - np.eye(n_classes)) if altered == "costs" else None,
    )


def terms_or_none(policy, dataset):
    """The search's terms of a policy; None if its priors and costs give weight to no class of the dataset."""
    try:
        return terms_of(policy, dataset)
    except ValueError:
        return None


@given(st.data(), datasets(missing=True, weighted=True, max_rows=24), kinds_of_weights)
def test_with_options_compiled_growth_equals_plain_growth(draws, dataset, weights):
    policy = draws.draw(policies_with_options(len(dataset.schema.classes)))
    assume(terms_or_none(policy, dataset))
    check_equal(weighed(dataset, weights), policy)


POLICIES = {
    "C4.5": C45,
    "C4.5 grown out": evolve(C45, stop=never),
    "C4.5, ten cases": c45_policy(10),
    "CART with least sizes": evolve(CART, splits=(subset(min_cases=7), threshold(min_cases=7)), missing="ignore"),
    "CART with costs": evolve(CART, costs=[[0, 3, 1], [1, 0, 1], [2, 1, 0]], missing="heaviest"),
    "ID3 with priors": evolve(ID3, priors=[0.0, 0.2, 0.8]),
}


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "with gaps"])
@pytest.mark.parametrize("weights", ["none", "fractions"])
def test_famous_algorithms_grow_equal_trees(policy, gaps, weights):
    data = table(200, gaps=gaps)
    check_equal(evolve(data, weights=np.linspace(0.2, 1.7, len(data))) if weights == "fractions" else data, policy)


@pytest.mark.parametrize("exact", [0, 3, 6])
def test_every_division_of_few_values_is_tried_by_an_impurity_of_ones_own(exact):
    @in_machine_code
    def squares(counts):
        n = counts.sum()
        return 1.0 - ((counts / n) ** 2).sum() if n > 0 else 0.0

    splits = subset(exact=exact, min_cases=2), threshold(mdl=True)
    policy = evolve(CART, impurity=compiled_impurity(squares), splits=splits, missing="ignore")
    check_equal(table(200, n_classes=4, gaps=True), policy)
    check_equal(table(200, n_classes=4), evolve(policy, score=gain_ratio))


def test_a_choice_by_gain_ratio_within_rounding_of_the_mean_is_left_to_the_plain_engine():
    """Without slack, features of equal gain equal the mean except for rounding."""
    rng = np.random.default_rng(0)
    column = rng.normal(size=300)
    columns, features = [column, column[::-1].copy(), column], [Feature(name, "numeric") for name in "abc"]
    data = Dataset(Schema(features, "y", (0, 1)), columns, ((column + column[::-1]) > rng.normal(size=300)).astype(int))
    check_equal(data, evolve(ID3, choose=by_gain_ratio(slack=0.0)))


def test_what_numpy_searches_itself_grows_the_same_tree_in_either_engine():
    data = table(200, gaps=True)
    many = evolve(data.schema.features[-1], values=range(300))
    wide = evolve(data, schema=evolve(data.schema, features=(*data.schema.features[:-1], many)))
    check_equal(wide, C45)
    for policy in (
        evolve(ID3, splits=(multiway(), threshold(min_cases=lambda weight, _: weight / 10))),
        evolve(ID3, splits=(multiway(), subset(), threshold())),
        evolve(ID3, choose=lambda candidates: candidates.score),
        evolve(ID3, impurity=compiled_impurity(in_machine_code(min))),
        evolve(ID3, priors=[1e-80, 0.5, 0.5]),
    ):
        check_equal(data, policy)
