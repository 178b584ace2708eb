"""Policies: the action that earns most, splits by loops, and labels as answers wherever answers go."""

import numpy as np
import pandas as pd
import pytest
from attrs import evolve
from hypothesis import strategies as st
from test_effect import PLAIN, ways_of, with_gaps

from ftree import (
    CART,
    Branch,
    Dataset,
    explain_row,
    grow,
    n_leaves,
    predict,
    prune,
    recount,
    stop,
    study,
)
from ftree.responses import policy
from ftree.testing import check_response
from ftree.tree.splits.split import child_of

ACTIONS = ("wait", "pill", "knife")


def best_of(*rewards):
    """The first action whose rewards have the largest sum."""
    sums = [sum(earned) for earned in rewards]
    return ACTIONS[sums.index(max(sums))]


def test_it_keeps_the_laws_of_responses():
    check_response(policy(ACTIONS), values=st.integers(-3, 3), further=[st.integers(-3, 3)] * 2, oracle=best_of)


def table_of(seed):
    random = np.random.default_rng(seed)
    columns = with_gaps(random, 40) | {action: random.normal(size=40).round(3) for action in ACTIONS}
    weights = [None, random.integers(1, 4, 40), random.choice([0.5, 1.25, 2.0], 40)][seed % 3]
    return Dataset.from_columns(columns, kinds={"x": "numeric", "g": "nominal"}, weights=weights, response=policy(ACTIONS))


def test_a_split_saves_the_most_regret_of_all():
    sizes = []
    for seed in range(40):
        table = table_of(seed)
        rewards = np.stack([table.target_column, *table.further_targets])
        weights = np.ones(40) if table.weights is None else table.weights

        def saved(known, left, rewards=rewards, weights=weights):
            """What the best actions of two children earn more than one for both."""
            sums = [(rewards * weights)[:, chosen].sum(axis=1) for chosen in (known & left, known & ~left)]
            return sums[0].max() + sums[1].max() - (sums[0] + sums[1]).max()

        ways = [0.0, *(saved(known, left) for _, known, left in ways_of(table, weights))]
        root = grow(table, PLAIN.stopping(stop.max_depth(1))).root
        child = child_of(root.split, table.columns[root.split.feature]) if isinstance(root, Branch) else np.zeros(40)
        assert saved(child >= 0, child == 0) == pytest.approx(max(ways))
        sizes.append(isinstance(root, Branch))
    assert sum(sizes) > 30


COLUMNS = {"x": [1, 1, 2, 2], "wait": [1.0, 2.0, 0.0, 0.5], "pill": [0.0, 0.0, 3.0, 1.0], "knife": [0.5, 1.0, 0.0, 2.0]}
TABLE = Dataset.from_columns(COLUMNS, kinds={"x": "numeric"}, response=policy(ACTIONS))
TREE = grow(TABLE, CART)


def test_a_small_table_by_hand():
    assert str(TREE) == "x <= 1.5: wait (2.0)\nx > 1.5: pill (2.0)"
    assert TREE.schema.response.risk(TREE.root.counts) == (1 + 2 + 3 + 2) - (0 + 0 + 3 + 1)
    assert predict(TREE, [[1.0], [2.0]]) == ["wait", "pill"]
    assert predict(TREE, [1.0]) == "wait"
    assert list(predict(TREE, pd.DataFrame({"x": [2.0]}))) == ["pill"]
    assert predict(TREE, [[None]], missing="weighted") == ["pill"]


def test_the_deviance_of_a_policy_is_its_mean_regret():
    answers = study.Predictions(TREE, TABLE)
    assert answers.predicted.tolist() == ["wait", "wait", "pill", "pill"]
    assert study.metrics.deviance(answers) == 1 / 4
    assert study.metrics.r_squared(answers) == 1 - 1 / 4
    assert study.metrics.deviance(study.Predictions(lambda rows: ["knife"] * len(rows), TABLE)) == (0.5 + 1 + 3) / 4
    assert study.report(TREE, TABLE).deviance == 1 / 4
    trial = study.cross_validate(TABLE, CART, folds=2, metrics="deviance")
    assert min(trial["deviance"]) >= 0


def test_trees_of_policies_are_explained_and_pruned():
    assert "wait (2)" in str(explain_row(TREE, [1.0]))
    assert n_leaves(prune.cost_complexity(1.0, scale="cp")(TREE)) == 1


def test_the_trees_of_a_forest_vote_for_actions():
    other = recount(TREE, Dataset.from_columns(COLUMNS | {"knife": [9.0] * 4}, kinds={"x": "numeric"}, response=policy(ACTIONS)))
    forest = study.Forest([TREE, other, TREE])
    assert forest(TABLE).tolist() == ["wait", "wait", "pill", "pill"]
    assert forest([2.0]) == "pill"
    assert list(forest(pd.DataFrame({"x": [2.0]}))) == ["pill"]
    assert study.Forest([other])([[1.0]]) == ["knife"]
    assert set(study.random_forest(TABLE, n_trees=3, seed=0)(TABLE)) <= set(ACTIONS)


@pytest.mark.parametrize("actions", [["wait"], ["wait", "wait"], []])
def test_fewer_than_two_actions_are_refused(actions):
    with pytest.raises(ValueError, match="actions must be two or more columns, each of them once, got"):
        policy(actions)


def test_an_unknown_reward_is_named_by_its_action():
    rewards = {"x": [1.0, 2.0], "wait": [1.0, 2.0], "pill": [1.0, None]}
    with pytest.raises(ValueError, match=r"The target 'pill' must have a finite number in every row, got nan in row 1. Omit"):
        Dataset.from_columns(rewards, response=policy(["wait", "pill"]))
    table = Dataset.from_columns(rewards | {"pill": [1.0, 3.0]}, response=policy(["wait", "pill"]))
    with pytest.raises(ValueError, match=r"The target 'pill' must have a finite number in every row, got inf in row 0"):
        evolve(table, further_targets=[[np.inf, 1.0]])
