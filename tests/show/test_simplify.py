"""C4.5rules: dropping conditions against a plain twin, choosing rules by their bits, order and default."""

from itertools import combinations
from math import comb, factorial, log2

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import C45, Dataset, accuracy, grow, rules, simplify
from ftree.datasets import monks, weather
from ftree.show import Rule, holds
from ftree.show.simplified_rules import _bits, cases_of, chosen_rules, condition_bits, pessimistic_rate, shortened_rule
from ftree.testing import datasets, schemas, trees


@st.composite
def rules_and_rows(draw):
    schema = draw(schemas())
    return rules(draw(trees(schema=schema))), draw(datasets(schema=schema, missing=True, weighted=draw(st.booleans())))


def counts_by(conditions, dataset, label):
    """Class counts of the rows that fit conditions, row by row."""
    weights = np.ones(len(dataset)) if dataset.weights is None else dataset.weights
    counts = np.zeros(len(dataset.schema.classes))
    for point, code, weight in zip(dataset.rows(), dataset.target_column, weights, strict=True):
        if holds(Rule(conditions, label, (0,)), point):
            counts[code] += weight
    return counts


def plainly_shortened(rule, dataset, rate):
    label, conditions = dataset.schema.classes.index(rule.label), list(rule.conditions)
    while conditions:
        now = rate(counts_by(tuple(conditions), dataset, rule.label), label)
        fewer = [(*conditions[:at], *conditions[at + 1 :]) for at in range(len(conditions))]
        rates = [rate(counts_by(each, dataset, rule.label), label) for each in fewer]
        if min(rates) > now + 1e-9:
            break
        conditions = list(next(each for each, its in zip(fewer, rates, strict=True) if its <= min(rates) + 1e-9))
    return tuple(conditions)


@given(rules_and_rows())
def test_a_rule_is_shortened_as_its_plain_twin_says(rules_and_dataset):
    told, dataset = rules_and_dataset
    rate = pessimistic_rate(0.25)
    for rule in told:
        short = shortened_rule(rule, cases_of(dataset), rate)
        assert short.conditions == plainly_shortened(rule, dataset, rate)
        assert short.counts == tuple(counts_by(short.conditions, dataset, rule.label))


def test_bits_of_a_set_of_rules_worked_by_hand():
    """Two rules of three conditions cover 4 of 10 rows, one wrongly, and miss 2 rows of the class."""
    data = Dataset.from_rows([[number] for number in range(10)], [1, 1, 1, 0, 1, 1, 0, 0, 0, 0])
    covered = np.arange(10) < 4
    theory = np.array([2 * log2(5), log2(5)])
    wanted = 0.5 * (3 * log2(5) - log2(factorial(2))) + log2(comb(4, 1)) + log2(comb(6, 2))
    assert _bits(covered, cases_of(data), 1, theory) == pytest.approx(wanted)


@given(rules_and_rows())
def test_no_rule_more_or_less_makes_the_description_shorter(rules_and_dataset):
    """Without their first conditions, the rules of a tree overlap, as shortened ones do."""
    told, dataset = rules_and_dataset
    told = list(dict.fromkeys(evolve(rule, conditions=rule.conditions[1:]) for rule in told))
    cases, bits = cases_of(dataset), condition_bits(told)
    for number, label in enumerate(dataset.schema.classes):
        own = [rule for rule in told if rule.label == label]
        kept = chosen_rules(own, cases, number, bits)

        def length(some, number=number):
            covered = np.logical_or.reduce(
                [np.zeros(len(dataset), dtype=bool), *(cases.mask(rule.conditions).all(axis=0) for rule in some)]
            )
            return _bits(covered, cases, number, np.array([bits * len(rule.conditions) for rule in some]))

        assert length(kept) <= length(own) + 1e-9
        near = [*combinations(kept, len(kept) - 1)] if kept else []
        near += [(*kept, rule) for rule in own if rule not in kept]
        assert all(length(kept) <= length(some) + 1e-6 for some in near)


def test_rules_of_the_first_monk_are_the_formula_that_a_tree_cannot_say():
    """Robots with a red jacket, or with a head of the same shape as their body."""
    known, new = monks(1).split(0.6, seed=0)
    tree = grow(known, C45)
    simple = simplify(tree, known)
    assert accuracy(simple, new) == 1 > accuracy(tree, new)
    assert len(simple.rules) < len(rules(tree)) / 2


@given(rules_and_rows(), st.sampled_from([0.1, 0.25, 0.5]))
def test_simplified_rules_have_conditions_of_given_ones_and_no_duplicates(rules_and_dataset, confidence):
    told, dataset = rules_and_dataset
    found = simplify(told, dataset, confidence=confidence)
    assert len(set(found.rules)) == len(found.rules)
    for rule in found.rules:
        assert rule.conditions
        assert sum(rule.counts) > 0
        assert any(set(rule.conditions) <= set(each.conditions) and rule.label == each.label for each in told)
    assert len(found(dataset)) == len(dataset)
    left = np.array([not any(holds(rule, point) for rule in found.rules) for point in dataset.rows()], dtype=bool)
    weights = np.ones(len(dataset)) if dataset.weights is None else dataset.weights
    rest = left if left.any() else ~left | True
    counts = np.bincount(dataset.target_column[rest], weights[rest], minlength=len(dataset.schema.classes))
    assert found.default == dataset.schema.classes[int(counts.argmax())]


@pytest.mark.parametrize(
    ("ask", "error", "wanted"),
    [
        (lambda: simplify(3, weather()), TypeError, "rules must be a Tree or rules, such as rules.tree., got an int"),
        (lambda: simplify([Rule((), "maybe", (1,))], weather()), ValueError, "labels of the dataset, 'no', 'yes', got 'maybe'"),
        (lambda: simplify([], weather(), confidence=0.7), ValueError, "confidence must be above 0 and at most 0.5, got 0.7"),
    ],
)
def test_what_cannot_be_simplified_is_refused(ask, error, wanted):
    with pytest.raises(error, match=wanted):
        ask()
