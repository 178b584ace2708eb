"""Growth that looks ahead by a policy is `look_ahead` with the policy's parts."""

import numpy as np
import pytest
from attrs import evolve

from ftree import C45, CART, ID3, Dataset, Policy, gini, look_ahead, misclassification, stop
from ftree.criteria.costs import factors
from ftree.datasets import monks
from ftree.exact import Limits, bayes, class_bits, costs, grow_ahead, tree_cost
from ftree.exact.ahead_by_policy import _objective
from ftree.growth import attach_surrogates
from ftree.routing import recount
from ftree.splitters import as_branch, as_value, one_value, surrogates, threshold
from ftree.stop import max_depth, min_best_child, never, no_gain, pure

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
    assert grow_ahead(table, POLICY, steps=steps) == look_ahead(table, **expected)
    assert grow_ahead(table, evolve(POLICY, splits=ID3.splits), steps=steps) == look_ahead(
        table, splitters=ID3.splits, **expected
    )
    by_bits = grow_ahead(table, evolve(POLICY, impurity=Policy().impurity), steps=steps)
    assert by_bits == look_ahead(table, objective=class_bits(), **expected)
    small = grow_ahead(table, POLICY.stopping(min_best_child(5)), steps=steps)
    assert small == look_ahead(table, limits=Limits(min_leaf=5), **expected)


def test_an_impurity_is_counted_for_each_case():
    table = nominal()
    tree = grow_ahead(table, evolve(POLICY, impurity=gini), steps=2)
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
    assert grow_ahead(table, evolve(POLICY, priors=prior), steps=2) == look_ahead(
        table, steps=2, max_depth=3, objective=bayes(prior)
    )
    by_class = (1 - np.eye(3)) * np.array([[1], [2], [4]])
    weighed = grow_ahead(table, evolve(POLICY, costs=by_class), steps=3)
    assert tree_cost(weighed, objective=costs(by_class)) == tree_cost(
        look_ahead(table, steps=3, max_depth=3, objective=costs(by_class)), objective=costs(by_class)
    )
    assert grow_ahead(table, evolve(POLICY, priors=prior, impurity=gini), steps=1).root.counts == tuple(table.class_counts())


def test_missing_values_are_as_the_policy_has_them():
    table = nominal()
    gaps = Dataset.from_columns(
        {"w0": [None, *table["w0"][1:]], "w1": table["w1"], "class": table["class"]}, target="class", kinds="nominal"
    )
    for missing in (as_branch(), as_value()):
        assert grow_ahead(gaps, evolve(POLICY, missing=missing), steps=2) == look_ahead(
            gaps, steps=2, max_depth=3, missing=missing
        )
    with pytest.raises(ValueError, match=r"missing must be as_branch\(\) or as_value\(\), got ignore\(\)"):
        grow_ahead(gaps, POLICY, steps=2)
    backed = grow_ahead(table, evolve(POLICY, missing=surrogates(everywhere=True, at_most=2)), steps=2)
    assert backed == attach_surrogates(look_ahead(table, steps=2, max_depth=3), table, at_most=2)
    assert recount(backed, table) == backed


@pytest.mark.parametrize(
    ("policy", "arguments", "error", "message"),
    [
        (POLICY, {"steps": 0}, ValueError, "steps must be a whole number from 1, got 0"),
        (POLICY, {"steps": True}, ValueError, "steps must be a whole number from 1, got True"),
        (C45, {}, ValueError, r"choose must be by_score\(\) for grow_ahead, got by_gain_ratio\(\)"),
        (evolve(POLICY, score=len), {}, ValueError, "score must be gain for grow_ahead, got len"),
        (ID3, {}, ValueError, r"stop must have a max_depth\(\) of at most 20 for grow_ahead, got pure\(\) \| no_gain\(\)"),
        (CART.stopping(max_depth(21)), {}, ValueError, "at most 20 for grow_ahead"),
    ],
)
def test_a_part_that_the_search_does_not_follow_is_refused(policy, arguments, error, message):
    with pytest.raises(error, match=message):
        grow_ahead(**{"dataset": TABLE, "policy": policy, "steps": 2, **arguments})


FOLLOWED = {stop.pure, stop.no_gain, stop.max_depth, stop.min_best_child, stop.any_of}
REFUSED = [
    *(stop.min_rows(3), stop.min_errors(3), stop.min_gain(0.1), stop.min_impurity_decrease(0.1, cases=9), stop.not_significant()),
    *(stop.max_leaves(3), stop.per_node(stop.pure()), ~stop.pure(), stop.pure() & stop.no_gain()),
]


def test_a_stopping_rule_is_followed_or_refused():
    rules = {rule for rule in (getattr(stop, name) for name in stop.__all__) if isinstance(rule, type)}
    assert FOLLOWED | set(map(type, REFUSED)) == rules, "Add one of each new rule to REFUSED, or to FOLLOWED and `_FOLLOWED`"
    for rule in REFUSED:
        with pytest.raises(ValueError, match=r"stop must consist of pure\(\), no_gain\(\), .* for grow_ahead, got"):
            grow_ahead(TABLE, POLICY.stopping(rule), steps=2)


def test_rules_that_close_what_cannot_gain_change_nothing():
    table = nominal()
    rules = max_depth(2), max_depth(2) | no_gain(), max_depth(2) | pure() | never, max_depth(2) | stop.min_errors(0)
    first, *others = [grow_ahead(table, evolve(POLICY, stop=rule), steps=2) for rule in rules]
    assert others == [first] * 3
