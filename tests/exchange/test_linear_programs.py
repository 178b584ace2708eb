"""Programs of trees with linear models predict what the tree predicts, also for rows that lack a regressor."""

from math import inf

import numpy as np
import pytest
from attrs import evolve
from consumers import asked_of, in_duckdb, run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ftree import CART, Branch, Dataset, Feature, Leaf, Schema, Tree, grow, predict, recount
from ftree.exchange import export_nodes, to_c, to_onnx, to_pmml, to_python, to_sql
from ftree.responses import linear, several
from ftree.testing import trees
from ftree.tree import Threshold, numbers
from ftree.tree.edit import branch_of

FEATURES = [
    Feature("c0", "numeric"),
    Feature("sky", "nominal", "abc"),
    Feature("size", "ordinal", "SML"),
    Feature("c1", "numeric"),
]
TWIG = Tree(Schema(FEATURES, "y", (), response=numbers()), Branch((0, 0, 0), Threshold(0, 1.5), [Leaf((0, 0, 0))] * 2))
TREES = trees(schema=TWIG.schema)
# Rules that divide no row, or that add distributions.
RULES = ["weighted", "heaviest", "stop_here"]
ON = st.sampled_from([["c0"], ["c1", "c0"], ["c1"]])


def rows_of(seed, n):
    """Rows of numbers between thresholds and at them; a fifth of the cells is missing, or unseen."""
    random = np.random.default_rng(seed)
    cells = [
        random.integers(-2, 18, n) / 4,
        random.choice([*"abcd"], n),
        random.choice([*"SML"], n),
        random.normal(size=n).round(2),
    ]
    gaps = random.random((n, len(cells))) < 0.2
    listed = zip(*[column.tolist() for column in cells], strict=True)
    return [
        [None if gap else cell for gap, cell in zip(lacks, row, strict=True)]
        for lacks, row in zip(gaps.tolist(), listed, strict=True)
    ]


def modelled(tree, on, seed, n=40):
    """The tree with linear models of rows, of which few reach most leaves, and none some."""
    rows = [row for row in rows_of(seed, n) if row[1] != "d"]
    y = [3 * (row[0] or 0) - (row[3] or 1) + place % 3 for place, row in enumerate(rows)]
    table = Dataset.from_columns(
        dict(zip(["c0", "sky", "size", "c1"], zip(*rows, strict=True), strict=True)) | {"y": y},
        target="y",
        kinds={"size": [*"SML"]},
    )
    return recount(tree, table, response=linear(on))


@asked_of("python", "sqlite", "duckdb", "c", "postgres")
@pytest.mark.parametrize("missing", RULES)
@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TREES, ON, st.integers(0, 99))
def test_programs_predict_what_linear_models_predict(consumer, missing, tree, on, seed):
    tree, rows = modelled(tree, on, seed), rows_of(seed + 1, 30)
    np.testing.assert_allclose(consumer(tree, missing)(rows)[0], predict(tree, rows, missing=missing), rtol=1e-9, atol=1e-9)


def test_an_infinite_model_of_a_leaf_counts_only_for_rows_that_reach_it():
    leaf = Leaf((0, 0, 0))
    twig = branch_of(Threshold(0, 1.5), [branch_of(Threshold(3, 0.0), [leaf, leaf]), leaf])
    tree = modelled(evolve(TWIG, root=twig), ["c1"], 3, 200)
    assert in_duckdb(tree, "weighted")([[None, "a", "S", inf]])[0] == [-inf]


def grown(**kinds):
    cars = {"kg": [900, 1000, 1100, 1500, 1700, 1900, None], "mpg": [30.5, 29, 27.5, 20, 19, 18, 12]}
    return grow(Dataset.from_columns(cars, target="mpg", kinds=kinds, response=linear("kg")), CART)


def test_a_model_is_written_as_a_sum_and_the_mean_of_its_leaf():
    leaf = evolve(grown(), root=Leaf(grown().root.counts))
    listed = export_nodes(leaf)
    assert listed.channels == ("size", "total", "kg", "total if one is missing")
    size, constant, weight, mean = listed.nodes[0].counts
    assert (size, mean) == (1.0, pytest.approx(156 / 7))
    assert to_sql(leaf) == f'COALESCE({constant!r}e0 + {weight!r}e0 * "kg", {mean!r}e0)'
    assert "sums[1] = sums[1] + sums[2] * row[0];" in to_c(leaf)
    assert [run(to_python(leaf))([kg]) for kg in (1000, None)] == [constant + weight * 1000, mean]


@pytest.mark.parametrize("rule", ["all_routes", lambda sizes: sizes / sizes.sum() / 2])
def test_cases_of_several_leaves_are_no_model_of_a_program(rule):
    tree = grown()
    divided = evolve(tree, root=Branch(tree.root.counts, Threshold(0, 1300), tree.root.children))
    assert run(to_python(tree, missing=rule))([None]) == predict(tree, [None], missing=rule)  # its split has a default child
    with pytest.raises(
        ValueError, match=r"missing must be weighted\(\), or a rule of one route .* linear models, got .* several leaves"
    ):
        to_python(divided, missing=rule)


def test_what_depends_on_features_is_refused_by_name():
    with pytest.raises(
        ValueError, match="tree must have nodes that answer with a number to be written in ONNX, got linear models"
    ):
        to_onnx(grown())
    with pytest.raises(ValueError, match=r"missing must be a rule that PMML has of .*, got weighted"):
        to_pmml(modelled(TWIG, ["c0"], 0), missing="weighted")
    both = Dataset.from_columns({"x": [1.0, 2.0], "u": [0.5, 1.5], "v": [2.0, 1.0]}, response=several(["u", "v"]))
    with pytest.raises(ValueError, match=r"A program must be of .* or of linear models, got one of .*\. Use predict"):
        to_python(grow(both, CART))
    with pytest.raises(ValueError, match=r"tree must have models of numeric features .*, got 'kg', which is ordinal"):
        to_python(grown(kg="ordinal"))
