"""What optimal trees, their limits, objectives and candidates refuse."""

import numpy as np
import pytest
from attrs import evolve
from drawn_problems import NUMBERS, nominal_of_numbers

from ftree import Dataset, grow, look_ahead, optimal
from ftree.exact import Limits, bayes, best_trees, class_bits, class_errors, costs, quantile_cuts, tree_cost
from ftree.exact.objectives import costs_of
from ftree.splitters import oblique, subset, threshold
from ftree.tree import Multiway

WORDS = Dataset.from_rows([["a"], ["b"], ["c"]], ["p", "q", "q"])
MANY = Dataset.from_rows([[word] for word in "abcdefghijkl"], list("pq" * 6), kinds="nominal")
OF_NUMBERS = nominal_of_numbers(np.arange(9.0), np.random.default_rng(2))
GAPS = Dataset.from_rows([[1.0], [None], [2.0]], ["p", "q", "p"])
TREE = grow(NUMBERS)


class half:  # noqa: N801  # named as splitters are
    kinds = ("nominal",)

    def candidates(self, column):
        return [Multiway(column.feature, column.values[:-1].tolist())]


def far(counts):
    return np.where(counts[..., 0] > 1, np.nan, 1)


SQUARES = "The squared error of a numeric target must be a float above 0, got numbers from"
OTHER = r"objective must be errors\(\), which is the loss of a target without classes"
NO_WEIGHTS = "weights must be numbers from 0, one for each class"


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda: Limits(seconds=0), ValueError, "seconds must be a finite number above 0, got 0"),
        (lambda: Limits(seconds=True), ValueError, "seconds must be a finite number above 0, got True"),
        (lambda: Limits(states=0), ValueError, "states must be a whole number from 1, got 0"),
        (lambda: Limits(max_candidates="few"), ValueError, "must be a whole number of splits from 1, got 'few'"),
        (lambda: Limits(min_leaf="3"), ValueError, "min_leaf must be a finite number of at least 0, got '3'"),
        *(
            (lambda n=n: Limits(n_jobs=n), ValueError, f"n_jobs must be a whole number from 1, or -1 .*, got {n!r}")
            for n in (0, 1.5, "two", True)
        ),
        *(
            (lambda search=search: search(NUMBERS, max_depth=21), ValueError, r"^max_depth must be .* from 0 to 20, got 21\.$")
            for search in (optimal, best_trees, look_ahead)
        ),
        *(
            (lambda by=by: best_trees(NUMBERS, slack=by), ValueError, f"slack must be a finite number of at least 0, got {by!r}")
            for by in (-1, np.inf, np.nan, "few")
        ),
        (lambda: optimal(evolve(WORDS, weights=[0, 0, 0])), ValueError, "dataset must have a row with a weight above 0"),
        (lambda: optimal(WORDS, splitters=(half(),)), ValueError, "splits with a child for all values present, got Multiway"),
        (lambda: optimal(MANY, splitters=(subset(),)), ValueError, r"that subset\(\) divides must be at most 10, got 12 of 'x0'"),
        *((lambda n=n: quantile_cuts(n), ValueError, f"n must be .* thresholds from 1, got {n}") for n in (0, 1.5, True)),
        *((lambda w=w: class_errors(w), ValueError, NO_WEIGHTS) for w in ([-1, 1], ["few"], [np.nan, 1], [], 3)),
        (lambda: costs_of(far, np.array([[2, 1], [1, 1]])), ValueError, r"objective must return .* \(2,\) for .*, got NaN"),
        (lambda: costs(None), ValueError, "costs must be a square matrix"),
        (lambda: bayes(None), ValueError, "priors must be "),
        (lambda: optimal(OF_NUMBERS, objective=class_bits()), ValueError, OTHER),
        (lambda: optimal(OF_NUMBERS, limits=Limits(min_leaf=71)), ValueError, "min_leaf must be at most the 9 cases of"),
        (lambda: optimal(OF_NUMBERS.with_labels(np.arange(9) * 1e-200)), ValueError, SQUARES),
        (lambda: optimal(OF_NUMBERS.with_labels(np.arange(9) * 1e200)), ValueError, SQUARES),
        (lambda: tree_cost(TREE, leaf_penalty=-1), ValueError, "leaf_penalty must be a finite number of at least 0, got -1"),
        (lambda: tree_cost(TREE, feature_costs={"y": 1}), KeyError, "y"),
        (lambda: tree_cost(TREE, objective="gini"), TypeError, "objective must be a function"),
        (lambda: tree_cost(TREE, objective=lambda _: 1.0), ValueError, r"objective must return costs of shape \(2,\)"),
    ],
)
def test_what_has_no_meaning_is_refused(ask, error, message):
    with pytest.raises(error, match=message):
        ask()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"splitters": (oblique(),)}, TypeError, r"splitters must be splitters that list candidates, .* got oblique\("),
        ({"splitters": (threshold,)}, TypeError, "splitters must be splitters that list candidates, .* got threshold"),
        ({"splitters": (threshold(min_cases=2),)}, ValueError, "min_cases must not be set where candidates are listed, got 2"),
        (
            {"dataset": GAPS, "missing": "as_value"},
            ValueError,
            r"'x0' must have no missing value for as_value\(\)",
        ),
        ({"missing": "ignore"}, ValueError, r"missing must be as_branch\(\) or as_value\(\), got ignore\(\)"),
        ({"limits": Limits(max_candidates=3)}, ValueError, r"at most 3 candidate splits, got more. Use quantile_cuts\(20\)"),
        ({"feature_costs": {"x0": -1}}, ValueError, r"feature_costs\['x0'\] must be a finite number"),
        ({"feature_costs": {"y": 1}}, KeyError, "y"),
        ({"limits": Limits(min_leaf=10)}, ValueError, "min_leaf must be at most the 9 cases of the dataset, got 10"),
        ({"objective": lambda _: [1, 2, 3]}, ValueError, r"objective must return costs of shape \(2,\) for .* got \[1, 2, 3\]"),
        ({"objective": lambda counts: [None] * len(counts)}, ValueError, "objective must return .*, got NaN"),
        ({"objective": lambda counts: ["few"] * len(counts)}, ValueError, "objective must return .*, got "),
        ({"objective": lambda _: "few"}, ValueError, "objective must return costs of shape .*, got 'few'"),
        ({"objective": lambda counts: counts.sum(axis=-1) * np.nan}, ValueError, "objective must return .*, got NaN"),
        ({"objective": lambda counts: counts.sum(axis=-1) * np.inf}, ValueError, "objective must return a finite cost"),
        ({"objective": lambda counts: np.where(counts.sum(axis=-1) < 9, np.nan, 1)}, ValueError, "objective must .*, got NaN"),
        ({"objective": lambda counts: counts.sort()}, ValueError, "read-only"),
        (
            {"objective": class_bits},
            TypeError,
            r"objective must be a function, got the class class_bits. Write class_bits",
        ),
        ({"objective": "gini"}, TypeError, "objective must be a function, got 'gini'"),
        ({"objective": class_errors([1, 1, 1])}, ValueError, "weights must be for the 2 classes of the schema, got 3"),
        ({"objective": bayes([0.5, 0.25, 0.25])}, ValueError, "priors must be for the 2 classes"),
        ({"splitters": threshold()}, TypeError, r"splitters must be a sequence of splitters .* got threshold\(\)"),
        ({"limits": 10}, TypeError, r"limits must be Limits\(...\), got 10. Write Limits\(seconds=10\)"),
        ({"feature_costs": [1]}, TypeError, "feature_costs must be a mapping of features' names to costs"),
        ({"leaf_penalty": 1e308}, ValueError, "leaf_penalty must be a finite number of at least 0, got 1e"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_bad_input_gets_an_answer_at_the_door(arguments, error, message):
    with pytest.raises(error, match=message):
        optimal(**{"dataset": NUMBERS, **arguments})
