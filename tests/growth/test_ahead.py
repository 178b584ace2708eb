"""Growth that looks ahead by a policy is `look_ahead` with the policy's parts."""

import numpy as np
import pytest
from attrs import evolve

from ftree import C45, CART, ID3, Dataset, Policy, gini, grow, look_ahead, misclassification
from ftree.criteria.costs import factors
from ftree.datasets import monks
from ftree.exact import Limits, bayes, class_bits, costs, tree_cost
from ftree.growth import attach_surrogates
from ftree.growth.other_ways import _objective
from ftree.routing import recount
from ftree.splitters import as_branch, as_value, one_value, surrogates, threshold
from ftree.stop import max_depth, max_leaves, min_best_child, min_errors, min_gain, min_rows, never, no_gain, pure

TABLE = monks(3)
BINARY = one_value(), threshold()
POLICY = Policy(impurity=misclassification, splits=BINARY, stop=max_depth(3) | pure())


def nominal(n=50):
    random = np.random.default_rng(2)
    columns = {f"w{i}": random.choice(list("abc"), n) for i in range(3)}
    labels = np.where(random.random(n) < 0.3, random.choice(list("pqr"), n), np.where(columns["w0"] < columns["w1"], "p", "q"))
    return Dataset.from_columns({**columns, "class": labels}, target="class", kinds="nominal")


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_the_tree_is_that_of_look_ahead(steps):
    table = nominal()
    expected = {"steps": steps, "max_depth": 3}
    assert grow(table, POLICY, look_ahead=steps) == look_ahead(table, **expected)
    assert grow(table, evolve(POLICY, splits=ID3.splits), look_ahead=steps) == look_ahead(table, splitters=ID3.splits, **expected)
    by_bits = grow(table, evolve(POLICY, impurity=Policy().impurity), look_ahead=steps)
    assert by_bits == look_ahead(table, objective=class_bits(), **expected)
    small = grow(table, POLICY.stopping(min_best_child(5)), look_ahead=steps)
    assert small == look_ahead(table, limits=Limits(min_leaf=5), **expected)


def test_an_impurity_is_counted_for_each_case():
    table = nominal()
    tree = grow(table, evolve(POLICY, impurity=gini), look_ahead=2)
    assert tree == look_ahead(table, steps=2, max_depth=3, objective=lambda counts: counts.sum(axis=-1) * gini(counts))


def test_an_impurity_that_depends_on_the_number_of_cases_gets_their_counts():
    def rare(counts):
        return 1 / (1 + counts.sum(axis=-1))

    counts = np.array([[3, 1, 0], [2, 2, 4]])
    measure = _objective(evolve(POLICY, impurity=rare), nominal())
    assert measure(counts).tolist() == [4 / 5, 8 / 9]
    by_priors = _objective(evolve(POLICY, impurity=rare, priors=(0.2, 0.3, 0.5)), nominal())
    weighed = counts * factors(nominal().class_counts(), (0.2, 0.3, 0.5), None)
    assert by_priors(counts) == pytest.approx(weighed.sum(axis=1) * rare(weighed))


def test_priors_and_costs_weigh_the_classes():
    table = nominal()
    prior = (0.2, 0.3, 0.5)
    assert grow(table, evolve(POLICY, priors=prior), look_ahead=2) == look_ahead(
        table, steps=2, max_depth=3, objective=bayes(prior)
    )
    by_class = (1 - np.eye(3)) * np.array([[1], [2], [4]])
    weighed = grow(table, evolve(POLICY, costs=by_class), look_ahead=3)
    assert tree_cost(weighed, objective=costs(by_class)) == tree_cost(
        look_ahead(table, steps=3, max_depth=3, objective=costs(by_class)), objective=costs(by_class)
    )
    assert grow(table, evolve(POLICY, priors=prior, impurity=gini), look_ahead=1).root.counts == tuple(table.class_counts())


def test_missing_values_are_as_the_policy_has_them():
    table = nominal()
    gaps = Dataset.from_columns(
        {"w0": [None, *table["w0"][1:]], "w1": table["w1"], "class": table["class"]}, target="class", kinds="nominal"
    )
    for missing in (as_branch(), as_value()):
        assert grow(gaps, evolve(POLICY, missing=missing), look_ahead=2) == look_ahead(
            gaps, steps=2, max_depth=3, missing=missing
        )
    with pytest.raises(ValueError, match=r"missing must be as_branch\(\) or as_value\(\), got ignore\(\)"):
        grow(gaps, POLICY, look_ahead=2)
    backed = grow(table, evolve(POLICY, missing=surrogates(everywhere=True, at_most=2)), look_ahead=2)
    assert backed == attach_surrogates(look_ahead(table, steps=2, max_depth=3), table, at_most=2)
    assert recount(backed, table) == backed


@pytest.mark.parametrize(
    ("policy", "arguments", "error", "message"),
    [
        (POLICY, {"look_ahead": 0}, ValueError, "look_ahead must be a whole number from 1, got 0"),
        (POLICY, {"look_ahead": True}, ValueError, "look_ahead must be a whole number from 1, got True"),
        ("ID3", {}, TypeError, "policy must be a Policy, got a str"),
        (POLICY, {"dataset": [1]}, TypeError, "dataset must be a Dataset with look_ahead, got a list"),
        (POLICY, {"engine": "plain"}, ValueError, "engine must be left out with look_ahead, got 'plain'"),
        (POLICY, {"trace": print}, ValueError, "trace must be left out with look_ahead"),
        (C45, {}, ValueError, r"choose must be by_score\(\) with look_ahead, got by_gain_ratio\(\)"),
        (evolve(POLICY, score=len), {}, ValueError, "score must be gain with look_ahead, got len"),
        (ID3, {}, ValueError, r"stop must have a max_depth\(\) of at most 20 with look_ahead, got pure\(\) \| no_gain\(\)"),
        (CART.stopping(max_depth(21)), {}, ValueError, "at most 20 with look_ahead"),
        *(
            (POLICY.stopping(rule), {}, ValueError, r"stop must consist of pure\(\), no_gain\(\), .* with look_ahead, got")
            for rule in (min_rows(3), min_errors(3), min_gain(0.1), max_leaves(3), ~pure())
        ),
    ],
)
def test_what_the_search_does_not_follow_is_refused(policy, arguments, error, message):
    with pytest.raises(error, match=message):
        grow(**{"dataset": TABLE, "policy": policy, "look_ahead": 2, **arguments})


def test_rules_that_close_what_cannot_gain_change_nothing():
    table = nominal()
    rules = max_depth(2), max_depth(2) | no_gain(), max_depth(2) | pure() | never
    trees = [grow(table, evolve(POLICY, stop=rule), look_ahead=2) for rule in rules]
    assert trees[0] == trees[1] == trees[2]
