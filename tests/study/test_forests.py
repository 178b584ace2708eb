"""Forests: bagging, random forests, extra-trees, by any number of threads; votes, errors, proximities, importances."""

import pickle
from functools import partial

import attrs
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from attrs import evolve

import ftree as ft
from ftree import native, splitters
from ftree.criteria import variance
from ftree.responses import events
from ftree.splitters import random_features, random_threshold, threshold
from ftree.stop import max_leaves
from ftree.study import Forest, GrownTrees, bagging, extra_trees, random_forest
from ftree.tree import Threshold, preorder

RANDOM = np.random.default_rng(0)
POINTS = RANDOM.uniform(size=(120, 4)).round(3)
BORDER = ft.Dataset.from_rows(
    POINTS, [bool(noisy) for noisy in (POINTS[:, 0] + POINTS[:, 1] > 1) ^ (RANDOM.uniform(size=120) < 0.1)]
)
NUMBERS = ft.Dataset.from_rows(np.where(np.arange(480).reshape(120, 4), POINTS, np.nan), POINTS[:, 0] + POINTS[:, 1] ** 2)
WHOLE_NUMBERS = ft.Dataset.from_rows(POINTS, (POINTS[:, 0] + POINTS[:, 1] ** 2).round(2), response="numbers")
EASY = ft.Dataset.from_rows([["a", 1.0], ["b", 2.0]] * 10, ["no", "yes"] * 10)


@pytest.mark.parametrize("table", [BORDER, NUMBERS], ids=["classes", "numbers"])
@pytest.mark.parametrize("forest", [bagging, random_forest, extra_trees])
def test_the_seed_decides_the_forest(forest, table):
    one, other = forest(table, n_trees=3, seed=1), forest(table, n_trees=3, seed=1, n_jobs=2)
    assert one == other != forest(table, n_trees=3, seed=2)
    assert len(set(one.trees)) == 3


@pytest.mark.parametrize(("asked", "drawn"), [(None, 2), (1, 1), (3, 3)])
def test_a_random_forest_draws_features_for_each_tree_of_a_bootstrap_sample(asked, drawn):
    random, trees = np.random.default_rng(5), []
    for _ in range(2):
        sample = BORDER.take(random.integers(120, size=120))
        splits = (random_features(drawn, ft.ID3.splits, seed=int(random.integers(2**63))),)
        trees.append(ft.grow(sample, ft.evolve(ft.ID3, splits=splits)))
    assert random_forest(BORDER, ft.ID3, n_trees=2, n_features=asked, seed=5).trees == tuple(trees), "by default the root of four"


@pytest.mark.parametrize(
    ("ask", "error", "wanted"),
    [
        (lambda: bagging(EASY, "CART"), TypeError, "learner must be"),
        (lambda: bagging(EASY, lambda _: [1]), TypeError, "tree must be a Tree"),
        (lambda: random_forest(EASY, n_features=0), ValueError, "whole number of features from 1"),
        (lambda: Forest([]), ValueError, "trees must be at least one tree, all of one schema, got 0"),
        (lambda: Forest([ft.grow(EASY), ft.grow(BORDER)]), ValueError, "all of one schema, got 2"),
    ],
)
def test_a_forest_that_cannot_grow_is_refused(ask, error, wanted):
    with pytest.raises(error, match=wanted):
        ask()


def test_a_forest_of_numbers_answers_with_the_mean_of_its_trees_and_of_those_that_left_a_row_out():
    forest = random_forest(NUMBERS, n_trees=25, seed=4)
    assert len({tree.schema.response.part for tree in forest.trees}) == 2, "some bags have gaps, which divide cases"
    answers = np.array([ft.predict(tree, NUMBERS) for tree in forest.trees])
    assert forest(NUMBERS) == pytest.approx(answers.mean(axis=0), rel=1e-12)
    assert forest(POINTS[0]) == pytest.approx(forest(POINTS[:1].tolist())[0])
    twice = Forest(forest.trees[:3], weights=(2, 0.5, 0))
    assert twice(NUMBERS) == pytest.approx(0.8 * answers[0] + 0.2 * answers[1], rel=1e-12)
    left = np.array([np.bincount(rows, minlength=120) == 0 for rows, _ in forest.bags.draw()])
    found, mean, true = forest.out_of_bag(NUMBERS), (answers * left).sum(axis=0) / left.sum(axis=0), NUMBERS.target_column
    assert found.error == pytest.approx(np.sqrt(np.mean((mean - true) ** 2)))
    assert found.r_squared == pytest.approx(1 - np.mean((mean - true) ** 2) / true.var())
    assert ft.evolve(found, labels=np.ones(120)).r_squared == 0
    shares = np.mean([list(ft.importances(tree).values()) for tree in forest.trees], axis=0)
    assert list(forest.importances().values()) == pytest.approx(shares)
    assert np.diag(forest.proximities(NUMBERS)) == pytest.approx(np.ones(120))


# So many cells in all trees that the native library grows them, where it is here.
MANY = 60
WHOLE = ft.Dataset.from_rows(POINTS, POINTS[:, 0] + POINTS[:, 1] ** 2)
GROWERS = [bagging, random_forest, extra_trees]


@pytest.fixture(scope="module", params=GROWERS)
def forest(request):
    return request.param(BORDER, n_trees=MANY, n_jobs=1, seed=3)


@pytest.fixture(scope="module", params=[(grower, table) for table in (BORDER, WHOLE) for grower in GROWERS])
def forest_and_table(request):
    grower, table = request.param
    return grower(table, n_trees=MANY, n_jobs=1, seed=3), table


def apart(forest):
    """The same trees as nodes, one by one."""
    return Forest(tuple(forest.trees), weights=forest.weights, bags=forest.bags)


def test_a_forest_in_arrays_is_its_trees_by_any_number_of_threads(forest_and_table):
    forest, table = forest_and_table
    assert isinstance(forest.trees, GrownTrees) == native.is_here()
    grower = extra_trees if forest.bags is None else random_forest if forest.bags.seeds else bagging
    assert grower(table, n_trees=MANY, n_jobs=2, seed=3) == forest == apart(forest)
    assert hash(forest) == hash(apart(forest))
    assert repr(forest.trees[:1]) == repr((forest.trees[0],))
    assert ft.draw(forest.trees[3]).text.startswith("<svg")
    assert (forest.n_leaves, forest.depth, repr(forest)) == (apart(forest).n_leaves, apart(forest).depth, repr(apart(forest)))
    assert pickle.loads(pickle.dumps(forest)) == forest  # noqa: S301  # our own bytes


def test_each_tree_is_that_of_its_policy_and_its_bag(forest_and_table):
    (forest, table), random = forest_and_table, np.random.default_rng(3)
    for tree in forest.trees[:20]:
        sample = table if forest.bags is None else table.take(random.integers(120, size=120))
        seed = 0 if forest.bags and not forest.bags.seeds else int(random.integers(2**63))
        cut = (ft.CART.splits[0], random_threshold(seed=seed)) if forest.bags is None else ft.CART.splits
        policy = (
            ft.CART if not seed else ft.evolve(ft.CART, splits=(random_features(2 if table is BORDER else 1, cut, seed=seed),))
        )
        assert tree == ft.grow(sample, policy, engine="plain")


@pytest.mark.parametrize("changed", [{"stop": ft.CART.stop | max_leaves(3)}, {"splits": (threshold(at="observed"),)}])
def test_trees_that_are_completed_after_growth_are_so_in_a_forest(changed):
    policy, random = ft.evolve(ft.CART, **changed), np.random.default_rng(0)
    for tree in bagging(BORDER, policy, n_trees=3, seed=0).trees:
        assert tree == ft.grow(BORDER.take(random.integers(len(BORDER), size=len(BORDER))), policy)


def test_a_forest_answers_as_its_trees_do(forest):
    rows = np.random.default_rng(0).uniform(size=(500, 4))
    ballots = [[int(label) for label in ft.predict(tree, rows)] for tree in forest.trees]
    votes = np.stack([np.sum(np.array(ballots) == label, axis=0) for label in (0, 1)], axis=1)
    assert np.array_equal(forest.votes(rows), votes)
    assert forest(rows).tolist() == [forest.schema.classes[code] for code in votes.argmax(axis=1)]
    assert np.array_equal(forest.predict_proba(rows), np.mean([ft.predict_proba(tree, rows) for tree in forest.trees], axis=0))
    assert np.array_equal(apart(forest).votes(rows), votes)
    rows[0, 0] = np.nan
    assert np.array_equal(forest.votes(rows)[1:], votes[1:])
    with pytest.raises(ValueError, match="finite"):
        forest.votes(np.where(np.isnan(rows), np.inf, rows))


def test_importances_are_the_mean_of_those_of_the_trees(forest_and_table):
    forest, table = forest_and_table
    for impurity in (None, ft.gini if table is BORDER else variance):
        mean = np.mean([list(ft.importances(tree, impurity=impurity).values()) for tree in forest.trees], axis=0)
        assert list(forest.importances(impurity=impurity).values()) == pytest.approx(mean)
        assert list(apart(forest).importances(impurity=impurity).values()) == pytest.approx(mean)


def test_importances_are_in_an_impurity_of_the_response_or_refused(forest_and_table):
    forest, table = forest_and_table
    other, wanted = (variance, "a function of class counts") if table is BORDER else (ft.entropy, "variance, or left out,")
    for each in (forest, apart(forest)):
        with pytest.raises(ValueError, match=f"^impurity must be {wanted}"):
            each.importances(impurity=other)


def test_a_forest_of_numbers_adds_up_the_answers_of_its_trees():
    forest, rows = random_forest(WHOLE, n_trees=MANY, seed=3), np.random.default_rng(0).uniform(size=(500, 4))
    votes = np.sum([[np.ones(500), ft.predict(tree, rows)] for tree in forest.trees], axis=0).T
    assert np.array_equal(forest.votes(rows), votes)
    assert np.array_equal(Forest(forest.trees[:]).votes(rows), votes)
    assert np.array_equal(apart(forest).votes(rows), votes)


def test_rows_are_as_near_as_many_trees_have_them_in_one_leaf(forest_and_table):
    forest, table = forest_and_table
    few = table.take(np.arange(60))
    near, leaves = forest.proximities(few), np.array([ft.apply(tree, few) for tree in forest.trees])
    assert near == pytest.approx((leaves[:, :, None] == leaves[:, None]).mean(axis=0))
    assert np.array_equal(apart(forest).proximities(few), near)


@pytest.mark.parametrize("n_trees", [3, 25])
@pytest.mark.parametrize("grower", [bagging, random_forest])
def test_only_trees_that_left_a_row_out_vote_for_it_and_rows_in_every_bag_are_counted_apart(grower, n_trees):
    forest = grower(BORDER, n_trees=n_trees, seed=1)
    votes = np.zeros((120, 2))
    for tree, (rows, _) in zip(forest.trees, forest.bags.draw(), strict=True):
        for row in set(range(120)) - set(rows.tolist()):
            votes[row, int(ft.predict(tree, BORDER.take([row]))[0])] += 1
    found, voted = forest.out_of_bag(BORDER), votes.any(axis=1)
    assert np.array_equal(found.votes, votes)
    assert found.n_in_every_bag == np.count_nonzero(~voted)
    assert (found.n_in_every_bag > 0) == (n_trees == 3)
    assert found.error == np.mean((votes.argmax(axis=1) != BORDER.target_column)[voted])
    right = votes.argmax(axis=1) == BORDER.target_column
    twice = forest.out_of_bag(BORDER.with_weights(np.where(right, 3, 1), weights_are="importances"))
    assert twice.error < found.error


def test_weights_are_those_of_votes_and_of_means():
    """As in SAMME, where each tree's weight depends on its error."""
    forest = bagging(BORDER, n_trees=3)
    weighted = Forest(forest.trees, weights=(2, 0.5, 0))
    one, other, _ = (Forest([tree]) for tree in forest.trees)
    assert np.array_equal(weighted.votes(BORDER), 2 * one.votes(BORDER) + 0.5 * other.votes(BORDER))
    assert weighted.predict_proba(BORDER) == pytest.approx(0.8 * one.predict_proba(BORDER) + 0.2 * other.predict_proba(BORDER))
    first, second = (np.array(list(each.importances().values())) for each in (one, other))
    assert list(weighted.importances().values()) == pytest.approx(0.8 * first + 0.2 * second)
    assert weighted.predict_proba(POINTS[0]) == pytest.approx(weighted.predict_proba(POINTS)[0])


@pytest.mark.parametrize("frame", [pd.DataFrame, pa.table])
def test_a_forest_answers_frames_by_arrays(frame):
    forest, names = bagging(EASY, n_trees=3), EASY["x0"]
    for column in (names, [None, *names[1:]]):  # of a missing value, each tree is asked by itself
        rows = {"x0": column, "x1": EASY["x1"]}
        for ask in (forest.predict_proba, forest.votes, forest.proximities):
            assert isinstance(found := ask(frame(rows)), np.ndarray)
            assert np.array_equal(found, ask(rows))


@pytest.mark.parametrize("make", [list, iter])
def test_trees_are_a_tuple_whatever_they_are_given_in(make):
    tree = ft.grow(EASY)
    assert Forest(make([tree])) == Forest((tree,))


def test_trees_with_other_questions_than_thresholds_vote_each_by_itself():
    numeric = ft.grow(EASY, evolve(ft.CART, splits=(threshold(),)))
    forest = Forest([*bagging(EASY, n_trees=3).trees, numeric])
    rows = EASY.take(np.arange(3000) % 20)
    assert np.array_equal(forest.votes(rows)[:20], forest.votes(EASY))
    assert np.array_equal(forest.predict_proba(rows)[:20], forest.predict_proba(EASY))
    bare = ft.Dataset.from_rows([[]] * 3000, [0, 1, 1] * 1000)
    assert bagging(bare, n_trees=3).votes(bare).tolist() == [[0.0, 3.0]] * 3000


DAYS = ft.datasets.weather()
MIXED = ft.Dataset.from_rows([["ab"[n % 2], n % 3, n / 7 % 1] for n in range(60)], [n % 2 == int(n % 7 > 2) for n in range(60)])
OF_NUMBERS = [threshold(), splitters.intervals(), random_threshold(seed=0), splitters.oblique()]
OF_BOTH = [
    splitters.merging(alpha_merge=0.5, alpha_split=1),
    splitters.interactions([], ft.ID3.splits),
    splitters.monotonic({}, ft.ID3.splits),
    splitters.per_feature({}, otherwise=ft.ID3.splits),
    random_features(9, ft.ID3.splits, seed=0),
]
OF_NOMINAL = [*OF_BOTH, splitters.multiway(), splitters.subset(), splitters.one_value()]
OF_SOME = splitters.only(["outlook", "humidity"], ft.ID3.splits)


def test_every_splitter_is_tried_in_extra_trees():
    public = {getattr(splitters, name) for name in dir(splitters)}
    assert {type(splitter) for splitter in (*OF_NUMBERS, *OF_NOMINAL, OF_SOME)} == {
        part for part in public if hasattr(part, "kinds") and attrs.has(part)
    }


@pytest.mark.parametrize("splitter", [*OF_NOMINAL, OF_SOME], ids=repr)
def test_extra_trees_split_nominal_features_as_the_policy_does(splitter):
    policy = ft.evolve(ft.ID3, splits=(splitter,))
    grown = ft.grow(DAYS, policy)
    assert ft.depth(grown) > 1
    assert set(extra_trees(DAYS, policy, n_trees=2, n_features=4).trees) == {grown}


@pytest.mark.parametrize("splitter", [*OF_NOMINAL, *OF_NUMBERS], ids=repr)
def test_extra_trees_split_nominal_features_only_as_the_policy_does(splitter):
    trees = extra_trees(MIXED, ft.evolve(ft.ID3, splits=(splitter,)), n_trees=5).trees
    splits = [node.split for tree in trees for node in preorder(tree) if hasattr(node, "split")]
    assert any(split.features == (0,) for split in splits) == (splitter in OF_NOMINAL)
    assert all(isinstance(split, Threshold) for split in splits if split.features != (0,))


@pytest.mark.parametrize("splitter", [*OF_BOTH, *OF_NUMBERS], ids=repr)
def test_extra_trees_cut_numbers_at_random_whatever_the_policy_does(splitter):
    forests = [extra_trees(BORDER, ft.evolve(ft.ID3, splits=(each,)), n_trees=2) for each in (splitter, threshold())]
    assert forests[0].trees == forests[1].trees


@pytest.mark.parametrize("splitter", OF_NUMBERS, ids=repr)
def test_extra_trees_refuse_a_policy_that_splits_no_feature(splitter):
    wanted = "^policy must have a splitter of nominal features, as the dataset has no others, got splits .*[.] Add multiway"
    with pytest.raises(ValueError, match=wanted):
        extra_trees(DAYS, ft.evolve(ft.ID3, splits=(splitter,)))


@pytest.mark.parametrize("n_trees", [3, MANY])
@pytest.mark.parametrize("table", [BORDER, WHOLE_NUMBERS], ids=["classes", "numbers"])
@pytest.mark.parametrize(
    "forest", [bagging, random_forest, extra_trees, partial(bagging, learner=partial(ft.grow, policy=ft.CART))]
)
def test_forests_of_counts_are_those_of_copies_with_their_votes_and_errors(forest, table, n_trees):
    counts = table.with_weights(np.random.default_rng(0).integers(0, 4, size=120))
    copies = evolve(counts, weights=None).take(counts.cases())
    one, other = (forest(each, n_trees=n_trees) for each in (counts, copies))
    assert tuple(one.trees) == tuple(other.trees)
    if one.bags is not None:
        assert np.array_equal(one.out_of_bag(counts).votes, other.out_of_bag(copies).votes)
        assert one.out_of_bag(counts).error == other.out_of_bag(copies).error


def test_a_row_is_in_a_bag_with_all_of_its_importance():
    weights = np.random.default_rng(0).integers(1, 4, size=120)
    table = BORDER.with_weights(weights, weights_are="importances")
    policy = ft.evolve(ft.CART, splits=(random_features(2, ft.CART.splits, seed=1),))
    forest = bagging(table, policy, n_trees=MANY)
    for tree, (rows, _) in list(zip(forest.trees, forest.bags.draw(), strict=True))[:5]:
        assert tree == ft.grow(BORDER.take(np.repeat(rows, weights[rows])), policy, engine="plain")


@pytest.mark.parametrize(
    ("ask", "wanted"),
    [
        (lambda forest: Forest(forest.trees, weights=(1, 2)), "weights must be a finite number from 0 for each tree, not all 0"),
        (lambda forest: Forest(forest.trees, weights=(0, 0, 0)), "not all 0"),
        (lambda forest: forest.out_of_bag(EASY), "dataset must be the rows of a forest that was grown from bags"),
        (lambda forest: Forest(forest.trees).out_of_bag(BORDER), "dataset must be the rows of a forest that was grown from bags"),
        (lambda _: bagging(EASY, n_jobs=0), "n_jobs"),
        (lambda forest: forest.out_of_bag(BORDER).r_squared, "r_squared must be asked of a regression forest, got votes"),
        (lambda _: bagging(NUMBERS, n_trees=1).predict_proba(NUMBERS), "predict_proba must be given a classification forest"),
    ],
)
def test_what_does_not_fit_a_forest_is_refused(ask, wanted):
    with pytest.raises(ValueError, match=wanted):
        ask(bagging(BORDER, n_trees=3))


def test_a_policy_that_prepares_its_table_grows_the_same_forest_tree_by_tree():
    words = ft.Dataset.from_columns({"sky": ["grey", None, "blue", "grey"] * 30, "class": ["no", "yes"] * 60})
    policy = ft.evolve(ft.CART, missing="as_value")
    forests = [random_forest(words, policy, n_trees=2, n_jobs=n) for n in (1, 2)]
    assert forests[0].trees == forests[1].trees


def test_events_left_out_are_compared_as_rates():
    years = np.array([0.5, 4.0] * 30)
    calls = {"x": [0, 0, 1, 1] * 15, "years": years, "n": years * np.array([2.0, 2.0, 6.0, 6.0] * 15)}
    table = ft.Dataset.from_columns(calls, target="n", kinds="numeric", response=events("years", shrink=0))
    assert bagging(table, ft.CART, n_trees=9).out_of_bag(table).error == pytest.approx(0, abs=1e-6)
