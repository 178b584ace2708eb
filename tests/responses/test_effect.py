"""Effects of a treatment: answers by hand, splits by loops over the papers' formulas, honest trees, and what is refused."""

from math import inf, isclose, log2, sqrt

import numpy as np
import pandas as pd
import pytest
from attrs import evolve
from hypothesis import strategies as st

from ftree import (
    CART,
    Branch,
    Dataset,
    explain_row,
    grow,
    leaves,
    n_leaves,
    page,
    predict,
    prune,
    recount,
    stop,
    study,
)
from ftree.responses import effect
from ftree.splitters import one_value, threshold
from ftree.splitters.missing_policies import ignore
from ftree.testing import check_response
from ftree.tree.splits.split import child_of

CRITERIA = ("squared", "honest", "kl", "chi-squared")
ARMS = st.sampled_from([0.0, 1.0])


def arms_of(rows):
    """The weights and outcomes of the control rows and of the treated, rows being (outcome, arm, weight)."""
    return [[(weight, outcome) for outcome, treated, weight in rows if treated == arm] for arm in (0, 1)]


def mean_of(arm):
    return sum(weight * outcome for weight, outcome in arm) / sum(weight for weight, _ in arm)


def answer_of(rows):
    """The effect and its standard error, by definition."""
    arms, error = arms_of(rows), 0.0
    for arm in arms:
        n = sum(weight for weight, _ in arm)
        error += sum(weight * (outcome - mean_of(arm)) ** 2 for weight, outcome in arm) / (n - 1) / n if n > 1 else inf
    return mean_of(arms[1]) - mean_of(arms[0]) if all(arms) else 0.0, sqrt(error)


def value_of(rows, criterion):
    """What a node is worth by a criterion: Athey & Imbens 2016, section 3; Rzepakowski & Jaroszewicz 2012, section 3."""
    if criterion == "squared":
        return answer_of(rows)[0] ** 2
    if criterion == "honest":
        found, error = answer_of(rows)
        return found**2 - 2 * error**2  # the half that chooses, and another one as large that estimates
    control, treated = [
        (sum(weight * outcome for weight, outcome in arm) + 1) / (sum(weight for weight, _ in arm) + 2) for arm in arms_of(rows)
    ]
    pairs = [(treated, control), (1 - treated, 1 - control)]
    return sum(p * log2(p / q) if criterion == "kl" else (p - q) ** 2 / q for p, q in pairs)


def worth(children, criterion, least):
    """The mean value of children by their cases, less that of their parent; -inf for few cases of an arm."""
    whole = [row for child in children for row in child]
    if min(sum(weight for weight, _ in arm) for child in children for arm in arms_of(child)) < least - 1e-9:
        return -inf
    n = sum(weight for *_, weight in whole)
    parts = [sum(weight for *_, weight in child) / n * value_of(child, criterion) for child in children]
    return sum(parts) - value_of(whole, criterion)


def with_gaps(random, n):
    """A number and a value of each row, some of them missing."""
    columns = {"x": random.integers(0, 5, n).astype(float), "g": random.choice(list("abc"), n).astype(object)}
    columns["x"][random.random(n) < 0.15] = np.nan
    columns["g"][random.random(n) < 0.15] = None
    return columns


def table_of(seed, criterion):
    random, n = np.random.default_rng(seed), 40
    columns, arm = with_gaps(random, n), random.integers(0, 2, n)
    outcome = random.integers(0, 2, n) if criterion in ("kl", "chi-squared") else random.normal(size=n).round(2) + arm
    columns |= {"arm": arm, "y": outcome.astype(float)}
    weights = [None, random.integers(1, 4, n), random.choice([0.5, 1.25, 2.0], n)][seed % 3]
    return Dataset.from_columns(
        columns, kinds={"x": "numeric", "g": "nominal"}, weights=weights, response=effect("arm", "y", criterion, min_cases=3)
    )


PLAIN = evolve(CART, splits=(one_value(), threshold()), missing=ignore()).stopping(stop.max_depth(2))


def ways_of(table, weights):
    """Each split of a table's rows with these weights: the children of the rows without a missing value."""
    for number, feature in enumerate(table.schema.features):
        cells = table.columns[number]
        known = (np.isfinite(cells) if feature.kind == "numeric" else cells >= 0) & (weights > 0)
        for value in np.unique(cells[known]):
            left = cells <= value if feature.kind == "numeric" else cells == value
            if 0 < (known & left).sum() < known.sum():
                yield number, known, left


def check_node(table, node, weights, criterion, depth):
    """The split of a node is worth as much as any, by loops; and so are those below it."""
    response = table.schema.response.own

    def rows(chosen):
        columns = zip(table.target_column, table.further_targets[0], weights, strict=True)
        return [row for row, is_chosen in zip(columns, chosen, strict=True) if is_chosen]

    def score(known, left):
        return worth([rows(known & left), rows(known & ~left)], criterion, response.min_cases) * share(known)

    def share(known):
        return weights[known].sum() / weights.sum()

    ways = [(score(known, left), number) for number, known, left in ways_of(table, weights)] if depth else []
    best = max(ways, default=(-inf, 0))[0]
    if not isinstance(node, Branch):
        assert best < 1e-6
        return
    child = child_of(node.split, table.columns[node.split.feature])
    known, left = (child >= 0) & (weights > 0), child == 0
    assert isclose(score(known, left), best, rel_tol=1e-6, abs_tol=1e-9)
    cases = weights[known].sum()
    for side, below in zip((left, ~left), node.children, strict=True):
        own = np.where(known, weights * side, weights * (weights[known & side].sum() / cases))
        check_node(table, below, own, criterion, depth - 1)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_each_split_is_the_best_by_the_formulas_of_the_papers(criterion):
    sizes = []
    for seed in range(40):
        table = table_of(seed, criterion)
        tree = grow(table, PLAIN)
        weights = np.ones(len(table)) if table.weights is None else table.weights.astype(float)
        check_node(table, tree.root, weights, criterion, 2)
        sizes.append(n_leaves(tree))
    assert max(sizes) == 4
    assert sum(sizes) > 60


@pytest.mark.parametrize("criterion", ["squared", "honest"])
def test_it_keeps_the_laws_of_responses(criterion):
    outcomes = st.sampled_from([-1.0, 0.5, 2.0, 1e3])
    check_response(
        effect("arm", "y", criterion, min_cases=1),
        values=outcomes,
        further=[ARMS],
        oracle=lambda outcomes, arms: answer_of([(y, arm, 1) for y, arm in zip(outcomes, arms, strict=True)]),
        exempt={"least"},
    )


@pytest.mark.parametrize("criterion", ["kl", "chi-squared"])
def test_divergences_keep_them_too(criterion):
    check_response(effect("arm", "y", criterion, min_cases=0), values=ARMS, further=[ARMS], exempt={"least"})


COLUMNS = {"x": [1, 1, 1, 1, 2, 2, 2, 2], "arm": [*"ctctctct"], "y": [1.0, 2.0, 3.0, 4.0, 1.0, 5.0, 2.0, 8.0]}
TABLE = Dataset.from_columns(COLUMNS, kinds={"x": "numeric"}, response=effect("arm", "y", arms=("c", "t")))
TREE = grow(TABLE, CART)


def test_a_small_table_by_hand():
    assert str(TREE) == "x <= 1.5: 1 ± 1.4 (4.0)\nx > 1.5: 5 ± 1.6 (4.0)"
    assert predict(TREE, [[1.0]])[0] == pytest.approx([1.0, sqrt(2)])
    frame = predict(TREE, pd.DataFrame({"x": [2.0]}))
    assert frame.to_dict("list") == {"effect": [5.0], "standard error": pytest.approx([sqrt(2.5)])}


def test_an_answer_loses_what_the_root_and_the_effect_do_not_predict():
    own, treated = TREE.schema.response, TABLE.further_targets[0]
    for answer in ((0.0, 1.0), (3.0, 1.0)):
        predicted = TABLE.target_column.mean() + answer[0] * (treated - 0.5)
        assert own.loss(answer, TREE.root.counts) == pytest.approx(((TABLE.target_column - predicted) ** 2).sum())
    deviance = study.metrics.deviance(study.Predictions(TREE, TABLE))
    assert deviance == pytest.approx(sum(own.risk(leaf.counts) for leaf in leaves(TREE)) / 8)


def test_half_of_the_rows_choose_the_splits_and_the_others_answer():
    random = np.random.default_rng(0)
    x, arm = random.random(400), random.integers(0, 2, 400)
    y = random.normal(size=400) + 3 * arm * (x > 0.5)
    table = Dataset.from_columns({"x": x, "arm": arm, "y": y}, response=effect("arm", "y", "honest", min_cases=20))
    chooses, answers = table.take(np.arange(0, 400, 2)), table.take(np.arange(1, 400, 2))
    grown = grow(chooses, CART)
    honest = recount(grown, answers)
    assert [node.split for node in (honest.root, grown.root)] == [grown.root.split] * 2
    assert honest.root.split.at == pytest.approx(0.5, abs=0.05)
    in_leaf = x[1::2] > honest.root.split.at
    found, error = honest.schema.response.answer(honest.root.children[1].counts)
    treated, control = (y[1::2][in_leaf & (arm[1::2] == each)] for each in (1, 0))
    assert found == pytest.approx(treated.mean() - control.mean())
    assert error == pytest.approx(sqrt(treated.var(ddof=1) / len(treated) + control.var(ddof=1) / len(control)))


def test_the_fewer_rows_estimate_the_fewer_leaves_are_worth_their_variance():
    sizes = []
    for share in (0.02, 0.5, 1.0):
        table = evolve_response(table_of(1, "squared"), effect("arm", "y", "honest", min_cases=3, estimation=share))
        sizes.append(n_leaves(grow(table, CART)))
    assert sizes == sorted(sizes)
    assert sizes[0] == 1 < sizes[-1]


def evolve_response(table, response):
    return Dataset.from_frame(table.to_pandas(), response=response, kinds={"x": "numeric", "g": "nominal"})


def test_a_distance_from_0_changes_no_effect():
    far = Dataset.from_columns(
        COLUMNS | {"y": [y + 2.0**40 for y in COLUMNS["y"]]},
        kinds={"x": "numeric"},
        response=effect("arm", "y", arms=("c", "t")),
    )
    assert predict(grow(far, CART), TABLE).tolist() == predict(TREE, TABLE).tolist()
    assert far.schema.response.own.centre == 2.0**40 + 4.5
    assert TREE.schema.response.own.centre == 0


def test_a_node_without_an_arm_or_with_one_case_knows_no_error():
    few = recount(TREE, TABLE.take([0, 2, 4, 5]))
    answers = [few.schema.response.answer(leaf.counts) for leaf in leaves(few)]
    assert answers == [(0.0, inf), (4.0, inf)]
    assert str(few) == "x <= 1.5: 0 ± inf (2.0)\nx > 1.5: 4 ± inf (2.0)"
    assert "inf" in page(few).text


def test_trees_of_effects_are_explained_and_pruned():
    assert str(explain_row(TREE, [1])).splitlines()[:2] == ["y = 1 ± 1.4", "  all cases: 3 ± 1.3 (8)"]
    assert prune.cost_complexity(0.5, scale="cp")(TREE).root.counts == TREE.root.counts


def test_forests_and_reports_of_effects():
    trial = study.cross_validate(TABLE, CART, folds=4, metrics=("deviance", "leaves"))
    assert trial.metrics == ("deviance", "leaves")
    found = study.report(TREE, TABLE)
    assert (found.deviance, str(found).count("RMSE")) == (study.metrics.deviance(study.Predictions(TREE, TABLE)), 0)
    forest = study.Forest([TREE, recount(TREE, TABLE)])
    assert list(forest(pd.DataFrame({"x": [2.0]})).columns) == ["effect", "standard error"]
    assert forest([1.0]).tolist() == predict(TREE, [1.0]).tolist()


@pytest.mark.parametrize(
    ("options", "change", "message"),
    [
        ({}, {"arm": [2, 1] * 4}, r"'arm' must be 0 or 1 in every row, got 2 in row 0. Name labels by arms="),
        ({"arms": ("c", "d")}, {}, r"'arm' must be one of \('c', 'd'\) in every row, got 't' in row 1"),
        ({"splits": "kl"}, {"arm": [0, 1] * 4}, r"'y' must be from 0 to 1 for splits='kl', got 2 in row 1. Use \"squared\""),
        ({"splits": "best"}, {}, "splits must be .* got 'best'"),
        *[
            ({"arms": arms}, {}, "arms must be the labels of the control and of the treated, got")
            for arms in (("c", "c"), ("c",), ("c", "t", "t"), ("c", "t", "u"))
        ],
        ({"min_cases": -1}, {}, "min_cases must be a finite number of at least 0, got -1"),
        ({"estimation": 0}, {}, "estimation must be a share above 0 and at most 1, got 0"),
    ],
)
def test_wrong_arms_outcomes_and_options_are_refused(options, change, message):
    with pytest.raises(ValueError, match=message):
        Dataset.from_columns(COLUMNS | change, response=effect("arm", "y", **options))


# The first splits of causalml 0.18.0: UpliftTreeClassifier(max_depth=1, min_samples_leaf=20, min_samples_treatment=20, n_reg=0,
# normalization=False, min_gain=0) with evaluationFunction "ED", "KL" and "Chi": a feature and the middle of two values, by seed.
FIRST = (
    *("02.5", "00.5", "02.5", "24.5", "00.5", "33.5", "14.5", "11.5", "34.5", "01.5"),
    *("03.5", "02.5", "23.5", "33.5", "34.5", "20.5", "22.5", "22.5", "22.5", "04.5"),
)
CAUSALML = {
    "squared": dict(enumerate(FIRST)),
    "kl": dict(enumerate(FIRST)) | {1: "10.5", 10: "11.5", 15: "21.5", 16: "24.5"},
    "chi-squared": dict(enumerate(FIRST)) | {1: "10.5", 4: "02.5", 5: "30.5", 11: "03.5", 15: "21.5", 16: "24.5"},
}
# Where Laplace's correction, which causalml does not make, changes the choice.
CORRECTED = {("kl", 4): "02.5", ("kl", 16): "22.5", ("chi-squared", 1): "00.5", ("chi-squared", 5): "33.5"}


@pytest.mark.parametrize("criterion", CAUSALML)
def test_the_first_splits_are_those_of_causalml(criterion):
    for seed, wanted in CAUSALML[criterion].items():
        random = np.random.default_rng(seed)
        cells, arm = random.integers(0, 6, (400, 4)).astype(float), random.integers(0, 2, 400)
        share = 0.2 + 0.05 * cells[:, 1] + arm * (0.1 * (cells[:, 0] > 2) - 0.08 * (cells[:, 2] < 2))
        columns = {f"x{number}": column for number, column in enumerate(cells.T)} | {"arm": arm, "y": random.random(400) < share}
        table = Dataset.from_columns(columns, kinds="numeric", response=effect("arm", "y", criterion, min_cases=20))
        split = grow(table, CART.stopping(stop.max_depth(1))).root.split
        assert f"{split.feature}{split.at}" == CORRECTED.get((criterion, seed), wanted)
