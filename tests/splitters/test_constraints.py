"""Constraints on a whole tree: what may meet on a way, and answers that rise or fall with a feature."""

import numpy as np
import pytest
from attrs import evolve, frozen
from hypothesis import example, given
from hypothesis import strategies as st

from ftree import CART, ID3, Dataset, grow, predict_proba, prune
from ftree.datasets import weather
from ftree.missing import as_branch
from ftree.splitters import (
    ORDERED,
    BestSplits,
    best_cuts,
    cut_after,
    interactions,
    intervals,
    monotonic,
    multiway,
    oblique,
    per_feature,
    random_threshold,
    subset,
    threshold,
)
from ftree.stop import max_depth, never
from ftree.testing import check_policy, check_splitter
from ftree.testing.strategies import datasets
from ftree.tree import Branch, collapse_at
from ftree.tree.schema import names_of
from ftree.tree.splits.split import primary


@frozen
class Halves:
    """A splitter that asks no measure."""

    kinds = ORDERED

    def __call__(self, runs, _):
        even = best_cuts(runs, lambda children: -np.abs(np.diff(children.sum(axis=-1), axis=-1))[..., 0])
        return BestSplits(even.score, lambda run: cut_after(runs, run, even.below[run]))


SPLITS = st.sampled_from(
    [
        (multiway(), Halves()),
        *[(subset(), threshold()), (multiway(), intervals()), (multiway(empty=True), threshold(mdl=True))],
        *[(multiway(), random_threshold(seed=1)), (subset(exact=0), multiway(), threshold(min_cases=2))],
    ]
)


@st.composite
def two_classes(draw):
    """A dataset of two classes, up to three features with few values, and the directions of some ordered features."""
    dataset = draw(datasets(missing=draw(st.booleans()), weighted=draw(st.booleans())))
    schema = evolve(dataset.schema, classes=("no", "yes"))
    dataset = evolve(dataset, schema=schema, target_column=np.minimum(dataset.target_column, 1))
    directed = [feature for feature in schema.features if feature.kind != "nominal" and draw(st.booleans())]
    return dataset, {feature.name: draw(st.sampled_from([1, -1])) for feature in directed}


def _paths(node, above=()):
    """Paths of all branches."""
    own = [above] if isinstance(node, Branch) else []
    return own + [path for number, child in enumerate(getattr(node, "children", ())) for path in _paths(child, (*above, number))]


def _grid(dataset):
    """All complete rows of the values of the schema, and of each whole number that is drawn and one beyond."""
    values = [range(len(feature.values)) if feature.values else np.arange(-1.0, 6.0) for feature in dataset.schema.features]
    columns = [column.ravel() for column in np.meshgrid(*values)]
    return evolve(dataset, columns=columns, target_column=np.zeros(len(columns[0]), int), weights=None)


def _below(dataset, directions):
    """Which row of a dataset is alike with which other (n, n), but in the named features lower in their directions."""
    alike = True
    for name, column in zip(names_of(dataset.schema.features), dataset.columns, strict=True):
        step = column[:, None] - column[None]
        alike &= step * directions[name] <= 0 if name in directions else step == 0
    return alike


# Where sex = m, no row has form c: if all children answered it, .5 of yes would rise to .6 with x.
UNSEEN = Dataset.from_columns(
    {"x": [0, *[1] * 4, 0, *[1] * 5], "sex": [*"mmmmmmfffff"], "form": [*"aaaaabaaaac"], "class": [*"yyyynnnnnnn"]}
)


@given(two_classes(), SPLITS, st.sampled_from([CART.stop, never | max_depth(4)]))
@example((UNSEEN, {"x": -1}), (multiway(), threshold()), CART.stop)
def test_answers_are_monotonic_for_every_pair_of_rows_before_and_after_every_cut(drawn, splits, stop):
    dataset, directions = drawn
    tree = grow(dataset, evolve(CART, splits=(monotonic(directions, splits),), stop=stop, missing=as_branch()))
    grid = _grid(dataset)
    lower, higher = np.nonzero(_below(grid, directions))
    cut = [collapse_at(tree, path) for path in _paths(tree.root)] + [step.tree for step in prune.cost_complexity_path(tree)]
    for each in (tree, *cut):
        share = predict_proba(each, grid)[:, 1]
        assert (share[lower] <= share[higher]).all(), (each, directions)


@given(two_classes(), SPLITS)
def test_no_direction_and_one_group_are_no_constraint(drawn, splits):
    dataset, _ = drawn
    policy = evolve(ID3, splits=(per_feature({}, otherwise=splits),), missing=as_branch())  # which draws by the same place
    one_group = [names_of(dataset.schema.features)]
    for constrained in (monotonic({}, splits), interactions([], splits), interactions(one_group, splits)):
        assert grow(dataset, evolve(policy, splits=(constrained,))) == grow(dataset, policy)


# Each row is of its own class, so features divide it in their order; the last one shares a group with the second, not the first.
EIGHT = Dataset.from_columns({"a": [*"nnnnyyyy"], "b": [*"nnyynnyy"], "c": [*"nynynyny"], "class": range(8)})


@given(datasets(missing=True), st.lists(st.sets(st.sampled_from(range(3))), max_size=3), st.sampled_from([ID3, CART]))
@example(EIGHT, [{0, 1}, {1, 2}], ID3)
def test_all_features_of_a_way_are_of_one_group(dataset, groups, policy):
    names = [feature.name for feature in dataset.schema.features]
    listed = [[names[number] for number in group if number < len(names)] for group in groups]
    tree = grow(dataset, evolve(policy, splits=(interactions(listed, policy.splits),), stop=never | max_depth(3)))
    allowed = [*map(set, listed), set(names).difference(*listed)]
    assert all(any(way <= group for group in allowed) for way in _ways(tree.root, names))


def _ways(node, names, above=frozenset()):
    if not isinstance(node, Branch):
        return [above]
    used = above | {names[feature] for feature in primary(node.split).features}
    return [way for child in node.children for way in _ways(child, names, used)]


def test_constraints_keep_the_laws_of_splitters_and_policies():
    check_splitter(interactions([], (subset(), threshold())))
    check_policy(evolve(ID3, splits=(interactions([], (multiway(), threshold())),)))


def test_a_direction_costs_what_it_must():
    """Age rises, then falls: a tree that may only rise keeps the first cut, and its accuracy falls to what is possible."""
    data = Dataset.from_columns({"age": range(9), "class": [0, 0, 0, 1, 1, 1, 1, 0, 0]})
    for direction, leaves in ((1, [(3, 0), (2, 4)]), (-1, [(3, 4), (2, 0)])):
        tree = grow(data, evolve(CART, splits=(monotonic({"age": direction}, (threshold(),)),), missing="ignore"))
        assert [leaf.counts for leaf in tree.root.children] == leaves
    sick = Dataset.from_columns({"age": range(4), "class": [1, 1, 0, 0]})
    for direction, is_split in ((1, False), (-1, True)):
        policy = evolve(ID3, splits=(monotonic({"age": direction}, (Halves(),)),))
        assert isinstance(grow(sick, policy).root, Branch) == is_split


@pytest.mark.parametrize(
    ("made", "error", "message"),
    [
        (lambda: interactions("age", (threshold(),)), TypeError, "groups must be lists of names.*got \"age\"|got 'age'"),
        (lambda: interactions(["age"], (threshold(),)), TypeError, "groups must be lists of names"),
        (lambda: interactions(3, (threshold(),)), TypeError, "groups must be lists of names.*got 3"),
        (lambda: interactions([[]], (oblique(),)), TypeError, "splitters must be splitters of single features"),
        (lambda: monotonic({"age": 2}, (threshold(),)), ValueError, "directions must be 1 or -1 by name.*'age': 2"),
        (lambda: monotonic({"age": "up"}, (threshold(),)), ValueError, "directions must be 1 or -1 by name"),
        (lambda: monotonic("age", (threshold(),)), ValueError, "directions must be 1 or -1 by name.*'age'"),
        (lambda: monotonic(7, (threshold(),)), ValueError, "directions must be 1 or -1 by name.*got 7"),
    ],
)
def test_what_is_no_constraint_is_refused(made, error, message):
    with pytest.raises(error, match=message):
        made()


@pytest.mark.parametrize(
    ("splits", "error", "message"),
    [
        (interactions([["wind"]], ID3.splits), KeyError, "'windy'.*got 'wind'"),
        (monotonic({"wind": 1}, ID3.splits), KeyError, "'windy'.*got 'wind'"),
        (monotonic({"outlook": 1}, ID3.splits), ValueError, "'outlook' must be numeric or ordinal.*got a nominal feature"),
    ],
)
def test_names_and_kinds_are_checked_before_growth(splits, error, message):
    with pytest.raises(error, match=message):
        grow(weather(), evolve(ID3, splits=(splits,)))


def test_monotonic_refuses_three_classes_and_missing_values_with_a_remedy():
    policy = evolve(ID3, splits=(monotonic({"a": 1}, ID3.splits),))
    with pytest.raises(ValueError, match=r"two classes, got 3\. Join some of them with Dataset.with_labels"):
        grow(Dataset.from_columns({"a": [1, 2, 3], "class": [0, 1, 2]}), policy)
    gaps = Dataset.from_columns({"a": [1, 2, None, 3], "b": list("xyxy"), "class": [0, 1, 1, 1]})
    with pytest.raises(ValueError, match=r"no missing values.*as_branch"):
        grow(gaps, policy)
