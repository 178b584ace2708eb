"""Whole trees of other libraries, and whole arrays for them, are those whose predictions were compared and that were stored."""

from pathlib import Path

import numpy as np
import pytest
from test_boosted_trees import MADE, READERS, dataset_of
from test_rpart_text import TABLES, tree_of
from whole_texts import TREES, stored_difference

from ftree import datasets, evolve
from ftree.exchange import from_sklearn, to_json, to_sklearn, to_thresholds
from ftree.exchange.others.lightgbm import _split as lightgbm_split
from ftree.exchange.others.structures import chosen
from ftree.exchange.others.treelite import _split as treelite_split
from ftree.exchange.others.viewers import _fitted

STORED = Path(__file__).with_name("made") / "whole"
LOWERED, TABLE = to_thresholds(TREES["weather"], datasets.weather())


def lines(tree):
    return to_json(tree).replace(',"', ',\n"')


def arrays_of(model):
    """The state of a tree of scikit-learn, field by field."""
    state = model.tree_.__getstate__()
    nodes = [f"{name} {state['nodes'][name].tolist()}" for name in state["nodes"].dtype.names]
    rest = [state["max_depth"], state["node_count"], state["values"].tolist(), model.classes_.tolist(), model.n_features_in_]
    return "\n".join([*nodes, *map(repr, rest)])


def boosted(name, read, kinds, number):
    return lines(read(MADE[name]["dump"], dataset_of(MADE, kinds), tree=number))


WHOLE = {
    **{
        f"{name} {n}": lambda given=given, n=n: boosted(*given, n)
        for given in READERS
        for name, n in ((given[0], 0), (given[0], 1))
    },
    **{f"rpart {name}": lambda name=name: lines(tree_of(name)) for name in TABLES},
    "thresholds": lambda: lines(LOWERED) + repr([column.tolist() for column in TABLE.columns]),
    "to scikit-learn": lambda: arrays_of(to_sklearn(LOWERED)),
    "from scikit-learn": lambda: lines(from_sklearn(to_sklearn(LOWERED))),
}


@pytest.mark.parametrize("name", WHOLE)
def test_a_tree_of_another_library_is_the_one_that_was_compared(name):
    assert stored_difference(STORED / f"{name}.txt", WHOLE[name]()) is None


def test_a_tree_keeps_its_rule_and_its_weights_as_thresholds():
    tree = evolve(TREES["weather"], missing=TREES["clinic"].missing)
    weighted = evolve(datasets.weather(), weights=np.arange(14))
    lowered, table = to_thresholds(tree, weighted)
    assert (lowered.missing, table.weights.tolist()) == (tree.missing, list(range(14)))
    assert table.labels.tolist() == weighted.labels.tolist()


@pytest.mark.parametrize("number", [2, -1, True, False, "0", 0.0, None])
def test_a_tree_is_chosen_by_its_number(number):
    assert [chosen(["a", "b"], place) for place in (0, 1)] == ["a", "b"]
    with pytest.raises(ValueError, match=rf"^tree must be the number of one of 2 trees, got {number!r}\.$"):
        chosen(["a", "b"], number)


@pytest.mark.parametrize(("at", "left"), [(0, True), (0.5, True), (-0.5, False)])
def test_without_missing_values_lightgbm_takes_a_missing_one_for_0(at, left):
    record = {"split_feature": 1, "decision_type": "<=", "missing_type": "None", "threshold": at, "default_left": not left}
    with_default = lightgbm_split(record)
    assert with_default == lightgbm_split(record | {"missing_type": "NaN", "default_left": left})
    assert with_default != lightgbm_split(record | {"missing_type": "NaN", "default_left": not left})


def test_treelite_s_thresholds_end_below_or_at_their_number():
    record = {"split_feature_id": 0, "comparison_op": "<=", "threshold": 1, "default_left": True}
    ways = [(rounded, operator) for rounded in (False, True) for operator in ("<", "<=")]
    at = {way: treelite_split(way[0], record | {"comparison_op": way[1]}).split.at for way in ways}
    assert at[False, "<="] == 1.0
    assert at[False, "<"] == np.nextafter(1.0, 0)
    assert np.float32(at[True, "<="]) == 1 < np.float32(np.nextafter(at[True, "<="], 2))
    assert np.float32(at[True, "<"]) < 1 == np.float32(np.nextafter(at[True, "<"], 2))


def test_a_target_of_any_name_is_drawn_by_other_programs():
    days = datasets.weather()
    named = evolve(days, schema=evolve(days.schema, target="x0"))
    model, table = _fitted(evolve(TREES["weather"], schema=named.schema), named)
    assert (model.classes_.tolist(), len(table)) == ([0, 1], 14)
