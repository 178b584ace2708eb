"""PMML: an evaluator predicts from a document what the tree predicts, row by row."""

import json
import re

import numpy as np
import pytest
from attrs import evolve
from browser import needed
from hostile_labels import trees_of_any
from hypothesis import given, settings
from hypothesis import strategies as st
from pmml_by_the_standard import Document
from test_linear_programs import ON, RULES, TWIG, modelled, rows_of

from ftree import CART, Branch, Dataset, Feature, Leaf, Schema, Tree, grow, predict, predict_proba
from ftree.exchange import to_pmml
from ftree.exchange.pmml import Predicates, xml_text
from ftree.show import OneOf
from ftree.testing import chain, check_export, export_rows, trees
from ftree.testing.export_cases import Inside
from ftree.tree import Multiway, Oblique, Threshold, WithDefault, numbers

PMML = "{http://www.dmg.org/PMML-4_4}"
DIVIDED = Tree(
    Schema([Feature("x", "numeric"), Feature("sky", "nominal", ("grey", "blue", "größer"))], "ride", ("no", "yes")),
    Branch(
        (9, 6),
        Threshold(0, 0.1 + 0.2),
        (
            Branch((7, 2), Multiway(1, (1, 0, 2)), (Leaf((4, 0)), Leaf((2, 1)), Leaf((1, 1)))),
            Branch((2, 4), Threshold(0, 1 / 3), (Leaf((2, 1)), Leaf((0, 3)))),
        ),
    ),
)


@pytest.fixture(scope="module")
def evaluated():
    """A function that gets the labels and probabilities of rows from an evaluator."""
    needed("java", "default-jre-headless")
    pypmml = pytest.importorskip("pypmml", reason="needs pypmml, an evaluator of PMML")

    def ask(document, schema, rows):
        model = pypmml.Model.fromString(document)
        names = [feature.name for feature in schema.features]
        asked = json.dumps({"columns": names, "data": rows}).replace("Infinity", "1e999")  # JSON has no infinity
        answer = json.loads(model.predict(asked))
        return answer["columns"], answer["data"]

    yield ask
    pypmml.Model.close()


@pytest.fixture(scope="module")
def jpmml_evaluated(needed_module, tmp_path_factory):
    """The same with another evaluator, JPMML."""
    needed("java", "default-jre-headless")
    jpmml, pandas = needed_module("jpmml_evaluator"), needed_module("pandas")
    java, file = jpmml.make_backend("py4j"), tmp_path_factory.mktemp("jpmml") / "tree.pmml"

    def ask(document, schema, rows):
        file.write_text(document, encoding="utf-8")
        model = jpmml.LoadingModelEvaluatorBuilder(java).loadFile(str(file)).build().verify()
        kinds = ["float64" if feature.kind == "numeric" else "object" for feature in schema.features]
        named = zip([feature.name for feature in schema.features], zip(*rows, strict=True), kinds, strict=True)
        found = model.evaluateAll(pandas.DataFrame({name: pandas.Series(cells, dtype=kind) for name, cells, kind in named}))
        return list(found.columns), found.to_numpy().tolist()

    yield ask
    process = java.gateway.java_process
    java.destroyGateway()
    process.wait(timeout=60)
    for pipe in filter(None, (process.stdin, process.stdout, process.stderr)):  # a thread of the gateway may still close one
        pipe.close()


def same(tree, rows, missing, evaluated, asked=None):
    """What an evaluator makes of the rows asked, which may have infinities, is what the tree predicts of the rows."""
    columns, found = evaluated(to_pmml(tree, missing=missing), tree.schema, asked or rows)
    if not tree.schema.has_classes:
        assert [row[columns.index("number")] for row in found] == predict(tree, rows, missing=missing)
        return
    answer = "label_" if tree.schema.target == "label" else "label"  # no output has the name of the target
    assert [row[columns.index(answer)] for row in found] == predict(tree, rows, missing=missing)
    shares = [[row[columns.index(f"probability({label})")] for label in tree.schema.classes] for row in found]
    if missing == "all_routes":  # this evaluator has no probabilities of aggregated nodes
        return
    np.testing.assert_allclose(shares, predict_proba(tree, rows, missing=missing), rtol=1e-9, atol=1e-12)


@pytest.mark.consumer
@pytest.mark.parametrize("missing", ["heaviest", "stop_here"])
def test_two_evaluators_say_what_the_tree_predicts(mixed_tree, mixed_rows, missing, evaluated, jpmml_evaluated):
    rows, asked = mixed_rows
    for evaluator in (evaluated, jpmml_evaluated):
        same(mixed_tree, rows, missing, evaluator, asked)


@pytest.mark.consumer
@pytest.mark.parametrize("strategy", ["aggregateNodes", "weightedConfidence"])
def test_the_second_evaluator_knows_no_strategy_that_divides_rows(strategy, jpmml_evaluated):
    """Therefore `weighted` stays refused: no available evaluator follows PMML's own strategy for it."""
    document = to_pmml(DIVIDED, missing="all_routes").replace("aggregateNodes", strategy)
    columns, found = jpmml_evaluated(document, DIVIDED.schema, [[None, None], [1.0, "blue"]])
    assert f"missingValueStrategy={strategy} is not supported" in found[0][columns.index("errors")]


@pytest.mark.consumer
def test_the_first_evaluator_adds_up_children_for_weightedConfidence_and_not_leaves(evaluated):
    """By the standard, this strategy goes on below each child, as `weighted` does. Where PMML4S does, it can be written."""
    document = to_pmml(DIVIDED, missing="all_routes").replace("aggregateNodes", "weightedConfidence")
    columns, found = evaluated(document, DIVIDED.schema, [[None, "größer"]])
    assert found[0][columns.index("probability(no)")] == pytest.approx((7 + 2) / 15)
    assert predict_proba(DIVIDED, [[None, "größer"]], missing="weighted")[0, 0] == pytest.approx(9 / 15 / 2 + 6 / 15 / 3)


@pytest.mark.consumer
@pytest.mark.parametrize("missing", ["all_routes", "heaviest"])
def test_an_evaluator_divides_rows_as_the_tree_does(missing, evaluated):
    same(DIVIDED, export_rows(DIVIDED), missing, evaluated)


@pytest.mark.consumer
def test_the_deepest_tree_that_pmml_takes(evaluated):
    same(chain(200), [[0.0], [3.0], [100.0], [1000.0], [None]], "stop_here", evaluated)


@pytest.mark.consumer
def test_pmml_obeys_the_law_for_exports(evaluated):
    def labels(made, rows):
        columns, found = evaluated(*made, rows)
        return [row[columns.index("label_" if made[1].target == "label" else "label")] for row in found]

    check_export(
        lambda tree, missing: (to_pmml(tree, missing=missing), tree.schema),
        predict=labels,
        rules=["heaviest", "stop_here"],
        exempt={"deep"},
    )


def by_the_standard(document, schema, rows):
    model, names = Document(document), [feature.name for feature in schema.features]
    cells = [[cell if cell is None or isinstance(cell, float) else xml_text(cell) for cell in row] for row in rows]
    return ["number"], [[float(model.score(dict(zip(names, row, strict=True))))] for row in cells]


@given(trees(response="numbers", sums=False) | trees(response="events", sums=False), st.sampled_from(["heaviest", "stop_here"]))
def test_pmml_of_numbers_is_what_the_tree_predicts(tree, missing):
    same(tree, export_rows(tree, 20), missing, by_the_standard)


@pytest.mark.consumer
def test_evaluators_say_the_number_that_the_tree_predicts(evaluated, jpmml_evaluated):
    rows = [[float(number), "ab"[number % 2]] for number in range(20)] + [[None, "a"], [2.0, None]]
    tree = grow(Dataset.from_rows(rows, [number % 7 / 3 for number in range(22)]), CART)
    for evaluator in (evaluated, jpmml_evaluated):
        same(tree, rows, "heaviest", evaluator)


@given(trees(schema=TWIG.schema, sums=False), ON, st.sampled_from(RULES[1:]), st.integers(0, 99))
def test_pmml_of_linear_models_is_what_the_tree_predicts(tree, on, missing, seed):
    tree, rows = modelled(tree, on, seed), rows_of(seed + 1, 20)
    model, names = Document(to_pmml(tree, missing=missing)), [feature.name for feature in tree.schema.features]
    found = [model.number(dict(zip(names, row, strict=True))) for row in rows]
    np.testing.assert_allclose(found, predict(tree, rows, missing=missing), rtol=1e-9, atol=1e-9)


@pytest.mark.consumer
@pytest.mark.parametrize("missing", RULES[1:])
@given(trees(schema=TWIG.schema), ON, st.integers(0, 99))
@settings(max_examples=5)
def test_evaluators_read_linear_models(evaluated, jpmml_evaluated, missing, tree, on, seed):
    tree, rows = modelled(tree, on, seed), rows_of(seed + 1, 200)
    for ask, name in ((evaluated, "predicted_y"), (jpmml_evaluated, "number")):
        columns, found = ask(to_pmml(tree, missing=missing), tree.schema, rows)
        told = [row[columns.index(name)] for row in found]
        np.testing.assert_allclose(told, predict(tree, rows, missing=missing), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        ("weighted", r"missing must be a rule that PMML has: one that follows one route.*, got weighted\(\)"),
        ("all_routes", r"tree must have splits of one feature that know all of its values, and cases in each leaf"),
    ],
)
def test_what_pmml_cannot_say_is_refused_by_name(mixed_tree, missing, message):
    with pytest.raises(ValueError, match=message):
        to_pmml(mixed_tree, missing=missing)


def test_numbers_are_not_divided_in_pmml():
    tree = Tree(Schema([], "y", (), response=numbers()), Leaf((1, 2, 4)))
    assert 'score="2.0"' in to_pmml(tree)
    with pytest.raises(ValueError, match=r"such as heaviest\(\) or stop_here\(\), got all_routes\(\)"):
        to_pmml(grow(Dataset.from_rows([[1.0], [2.0]] * 4, [0.5, 3.0] * 4), CART), missing="all_routes")


def test_sums_are_not_divided_in_pmml():
    twig = Branch((1, 1), Oblique((1, 2), 0.5), (Leaf((1, 0)), Leaf((0, 1))))
    tree = Tree(Schema([Feature("x", "numeric"), Feature("y", "numeric")], "ride", ("no", "yes")), twig)
    with pytest.raises(ValueError, match="tree must have splits of one feature that know all of its values"):
        to_pmml(tree, missing="all_routes")


def test_a_sum_has_no_name_of_a_column():
    twig = Branch((1, 1), Oblique((1, 2), 0.5), (Leaf((1, 0)), Leaf((0, 1))))
    tree = Tree(Schema([Feature("x", "numeric"), Feature("bb", "numeric")], "bb sum 0", ("no", "yes")), twig)
    fields = re.findall(r'<(?:Data|Derived)Field name="(.*?)"', to_pmml(tree, missing="heaviest"))
    assert sorted(fields) == ["bb", "bb sum 0", "bb sum 0 sum 0", "x"]


@given(trees_of_any(max_leaves=4), st.permutations(["label", "label_", "number", "number_", "probability(no)", "x"]))
def test_no_output_has_the_name_of_a_feature_or_of_the_target(tree, names):
    target, *others = names
    features = [evolve(feature, name=name) for feature, name in zip(tree.schema.features, others, strict=False)]
    document = to_pmml(evolve(tree, schema=evolve(tree.schema, features=features, target=target)), missing="heaviest")
    fields = re.findall(r'<(?:Data|Derived|Output)Field name="(.*?)"', document)
    assert len(set(fields)) == len(fields)
    outputs = [name.rstrip("_") for name in re.findall(r'<OutputField name="(.*?)"', document)]
    classes = [f"probability({label})" for label in tree.schema.classes]
    assert outputs == (["label", *classes] if tree.schema.has_classes else ["number"])


@pytest.mark.consumer
@pytest.mark.parametrize("target", [["no", "yes"], [0.5, 3.0]])
def test_an_evaluator_tells_outputs_from_features(evaluated, target):
    rows = [[1.0, 2.0], [2.0, 1.0]]
    tree = grow(Dataset.from_rows(rows * 4, target * 4, features=["label", "number"]), CART)
    columns, found = evaluated(to_pmml(tree, missing="heaviest"), tree.schema, rows)
    assert [row[columns.index("label_" if tree.schema.has_classes else "number_")] for row in found] == target


def test_a_name_that_XML_cannot_hold_is_refused():
    tree = Tree(Schema([Feature("x\0", "numeric")], "y", ("a", "b")), Leaf((1, 1)))
    with pytest.raises(ValueError, match="A text must have only XML characters to be written in PMML"):
        to_pmml(tree)


INSIDE = Inside((0,), -1.0, 2.5)


@pytest.mark.parametrize("split", [INSIDE, *(WithDefault(INSIDE, default_child=side) for side in (0, 1))], ids=str)
def test_conditions_of_ones_own_and_their_opposites_are_written_as_predicates(split):
    schema = Schema([Feature("x", "numeric")], "y", (), response=numbers())
    tree = Tree(schema, Branch((2, 3, 5), split, (Leaf((1, 1, 1)), Leaf((1, 2, 4)))))
    same(tree, [[cell] for cell in (None, -1.0, 0.0, 2.5, 3.0)], "stop_here", by_the_standard)


def test_the_opposite_of_a_set_with_none_needs_another_value():
    schema = Schema([Feature("sky", "nominal", ("blue", None))], "ride", ("no", "yes"))
    opposite = Predicates(schema, [["blue", None]]).of(OneOf(0, (0, 1)), passes=False)
    assert [(each.tag, *each.attrib.values()) for each in opposite] == [
        ("SimplePredicate", "sky", "isNotMissing"),
        ("SimplePredicate", "sky", "notEqual", "blue"),
    ]
