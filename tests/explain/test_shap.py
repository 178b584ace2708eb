"""SHAP values: worked numbers, subsets of features by brute force, the law of their sum, and shap's results."""

from itertools import combinations, product
from math import factorial, nan

import numpy as np
import pytest
from attrs import evolve
from hypothesis import example, given
from hypothesis import strategies as st

from ftree import CART, Branch, Dataset, Feature, Leaf, Schema, Tree, apply, grow, predict, predict_proba, shap_values, stop
from ftree.criteria import proportions
from ftree.datasets import weather
from ftree.exchange import from_sklearn
from ftree.missing import heaviest, stop_here, weighted
from ftree.routing.missing_rules import as_prediction_rule
from ftree.testing import chain, datasets, schemas, trees
from ftree.tree import Oblique, Threshold
from ftree.tree.splits import UNKNOWN, child_of, primary

TWO = Schema([Feature("x", "numeric"), Feature("y", "numeric"), Feature("z", "numeric")], "and", ("no", "yes"))
# x and y, on four equally frequent rows; z is not used.
AND = Tree(
    TWO,
    Branch(
        (3, 1),
        Threshold(0, 0.5),
        (Leaf((2, 0)), Branch((1, 1), Threshold(1, 0.5), (Leaf((1, 0)), Leaf((0, 1))))),
    ),
)


def shares_by(response, rule, branch):
    sizes = np.array([float(response.weight(child.counts)) for child in branch.children])
    return as_prediction_rule(rule)(sizes if sizes.any() else np.ones(len(sizes)))


def paid(response, node, columns, known, rule, seen):
    """The payment of the game for a set of known features and one row, by the definition."""
    seen = node if any(node.counts) else seen
    if isinstance(node, Leaf):
        of_classes = response.kind == "classes"
        return proportions(np.array(seen.counts, dtype=float)) if of_classes else np.array([response.answer(seen.counts)])
    if set(primary(node.split).features) <= known:
        child = int(child_of(node.split, *(columns[feature] for feature in node.split.features))[0])
        parts = shares_by(response, rule, node) if child == UNKNOWN else np.arange(len(node.children)) == child
    else:
        parts = shares_by(response, "weighted", node)
    return sum(part * paid(response, kid, columns, known, rule, seen) for part, kid in zip(parts, node.children, strict=True))


def players_of(tree):
    """Sets of features that occur in a sum together, directly or through others."""
    players = [{number} for number in range(len(tree.schema.features))]
    stack = [tree.root]
    while stack:
        node = stack.pop()
        if isinstance(node, Branch):
            stack += node.children
            used = set(primary(node.split).features)
            players = [p for p in players if not p & used] + [set().union(*(p for p in players if p & used))]
    return players


def by_brute_force(tree, columns, rule):
    """Shapley values from all subsets of players; features of one player share equally."""
    players, values = players_of(tree), np.zeros((len(tree.schema.features), len(tree.schema.classes) or 1))
    for player in players:
        others = [other for other in players if other is not player]
        for size in range(len(others) + 1):
            weight = factorial(size) * factorial(len(others) - size) / factorial(len(players))
            for subset in combinations(others, size):
                known = set().union(*subset)
                with_it, without = (
                    paid(tree.schema.response, tree.root, columns, each, rule, tree.root) for each in (known | player, known)
                )
                values[list(player)] += weight * (with_it - without) / len(player)
    return values


@st.composite
def trees_and_rows(draw):
    schema = draw(schemas(max_features=4, response=draw(st.sampled_from(["classes", "numbers", "events"]))))
    return draw(trees(schema=schema)), draw(datasets(schema=schema, missing=True, max_rows=4))


def test_credits_of_a_conjunction_worked_by_hand():
    """With only x known to be 1, half of the cases are yes; with only y a quarter, as without both."""
    found = shap_values(AND, [1.0, 1.0, 0.0])
    assert found.base.tolist() == [0.75, 0.25]
    assert found.values[:, 1] == pytest.approx([(0.25 + 0.5) / 2, (0.25 + 0.5) / 2, 0])
    assert found.values[:, 0] == pytest.approx(-found.values[:, 1])
    assert (found.features, found.classes) == (("x", "y", "z"), ("no", "yes"))
    assert str(found).split()[2:6] == ["(nothing", "known)", "0.750", "0.250"]


# The sum of y and z, and below it that of x and y: so all three are one player.
CHAINED = Tree(
    TWO,
    Branch(
        (3, 2),
        Oblique((0, 1, 1), 0.5),
        (Leaf((2, 0)), Branch((1, 2), Oblique((1, 1, 0), 0.5), (Leaf((1, 0)), Leaf((0, 2))))),
    ),
)


# No case reaches the second split on x, and no row with a low x.
WITHOUT_CASES = Tree(
    TWO,
    Branch((2, 1), Threshold(0, 0.5), (Leaf((2, 1)), Branch((0, 0), Threshold(0, 1.5), (Leaf((0, 0)), Leaf((0, 0)))))),
)


@given(trees_and_rows(), st.sampled_from(["weighted", "heaviest"]))
@example((WITHOUT_CASES, Dataset(TWO, (np.zeros(1),) * 3, np.zeros(1, np.int8))), "weighted")
@example((CHAINED, Dataset(TWO, (np.ones(1), np.ones(1), np.zeros(1)), np.zeros(1, np.int8))), "weighted")
def test_values_equal_those_of_all_subsets(tree_and_rows, rule):
    tree, rows = tree_and_rows
    found = shap_values(tree, rows, missing=rule)
    for row in range(len(rows)):
        columns = tuple(column[row : row + 1] for column in rows.columns)
        wanted = by_brute_force(tree, columns, rule).reshape(found.values[row].shape)
        assert found.values[row] == pytest.approx(wanted, abs=1e-9)


RULES = [None, weighted(), heaviest(), stop_here(), lambda sizes: sizes / sizes.sum()]


@given(trees_and_rows(), st.sampled_from(RULES), st.sampled_from([None, None, "all_routes", *RULES]), st.sets(st.integers(0, 3)))
def test_base_and_credits_add_up_to_the_prediction(tree_and_rows, own, rule, unseen):
    """Rows have missing and unseen values; what has no exact values is refused, and only where a split has no answer."""
    tree, rows = evolve(tree_and_rows[0], missing=own), tree_and_rows[1]
    rows = [
        [
            "never seen" if row[feature.name] is None and feature.values and number in unseen else row[feature.name]
            for feature in tree.schema.features
        ]
        for number, row in enumerate(rows.rows())
    ]
    predicted = predict_proba if tree.schema.has_classes else predict
    answers = predicted(tree, rows, missing=rule)
    try:
        found = shap_values(tree, rows, missing=rule)
    except ValueError as refusal:
        assert "missing must be 'weighted' or another rule" in str(refusal)  # noqa: PT017  # refused for one reason
        assert UNKNOWN in apply(tree, rows, missing="stop_here")
        assert (rule or own) not in (weighted(), heaviest())
        return
    assert found.base + found.values.sum(axis=1) == pytest.approx(answers, abs=1e-9)
    assert str(found).count("\n") == len(found.features) + 1


def test_many_rows_are_processed_in_parts_with_the_same_values():
    """Of this tree, 400,000 rows are processed at a time."""
    few = np.array(list(product([0.0, 1.0, nan], repeat=3)))
    found = shap_values(AND, np.tile(few, (20_000, 1)), missing="weighted").values
    assert (found.reshape(20_000, len(few), 3, 2) == shap_values(AND, few, missing="weighted").values).all()


def test_a_tree_of_one_leaf_credits_nobody():
    found = shap_values(Tree(TWO, Leaf((1, 3))), [[1, 2, 3], [None, None, None]])
    assert found.base.tolist() == [0.25, 0.75]
    assert found.values.tolist() == np.zeros((2, 3, 2)).tolist()
    assert shap_values(Tree(Schema((), "class", ("a",)), Leaf((1,))), {}).values.shape == (0, 1)


def test_no_rows_have_no_values():
    assert shap_values(AND, np.zeros((0, 3))).values.shape == (0, 3, 2)


def test_shap_values_cannot_be_changed():
    found = shap_values(AND, [[1, 1, 1], [0, 1, 1]])
    for array in (found.base, found.values):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_a_rule_whose_predictions_are_no_sum_is_refused_where_it_decides():
    assert (shap_values(AND, [1, 1, 1], missing="all_routes").values == shap_values(AND, [1, 1, 1]).values).all()
    for rule in (None, "all_routes", "stop_here"):
        with pytest.raises(ValueError, match=r"^missing must be 'weighted' or another rule .*, got (all_routes|stop_here)\(\)\."):
            shap_values(AND, [None, 1, 1], missing=rule)


@pytest.mark.wide
def test_a_deep_tree_has_values():
    tree = chain(5_000)
    found = shap_values(tree, [[0.0], [5_000.0]])
    assert found.base + found.values.sum(axis=1) == pytest.approx(predict_proba(tree, [[0.0], [5_000.0]]))


@pytest.mark.parametrize("kind", ["classes", "numbers", "events"])
def test_values_equal_those_of_shap(kind):
    shap = pytest.importorskip("shap", reason="needs shap, an extra of tests")
    sklearn_tree = pytest.importorskip("sklearn.tree", reason="needs scikit-learn")
    random = np.random.default_rng(0)
    points = random.random((300, 5)).astype(np.float32).astype(float)
    heights = points[:, 0] * points[:, 1] + points[:, 2] ** 2 + 0.2 * random.random(300)
    if kind == "classes":
        labels = np.digitize(heights, [0.4, 0.9])
        fitted = sklearn_tree.DecisionTreeClassifier(min_samples_leaf=2, random_state=0).fit(points, labels)
        tree = evolve(from_sklearn(fitted), missing=None)
    else:  # both grow the same tree
        fitted = sklearn_tree.DecisionTreeRegressor(max_depth=3, random_state=0).fit(points, heights)
        tree = grow(Dataset.from_rows(points, heights), evolve(CART, stop=stop.max_depth(3)))
    theirs = shap.TreeExplainer(fitted, feature_perturbation="tree_path_dependent")
    found = shap_values(tree, points)
    assert found.base == pytest.approx(np.squeeze(theirs.expected_value))
    assert found.values == pytest.approx(np.asarray(theirs.shap_values(points)), abs=1e-9)


def test_many_rows_print_the_mean_of_absolute_values_and_no_row_prints_too():
    days = weather()
    found = shap_values(grow(days), days, missing="weighted")
    head, _, first, *_ = str(found).splitlines()
    assert head == "mean absolute SHAP values of 14 rows"
    assert first.split() == ["outlook", *[f"{mean:.3f}" for mean in np.abs(found.values[:, 0]).mean(axis=0)]]
    assert str(shap_values(grow(days), days.take([]), missing="weighted")).startswith("mean absolute SHAP values of 0 rows")
