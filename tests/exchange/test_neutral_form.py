"""The neutral form of exports: conditions as tests, the treatment of missing values, and trees that cannot be written out."""

from collections import Counter
from math import nan, prod

import numpy as np
import pytest
from attrs import frozen
from consumers import HALF, RULES, run
from hypothesis import given
from hypothesis import strategies as st

from ftree import Branch, Feature, Leaf, Schema, Tree, predict_counts, rules, text
from ftree.exchange import ExportNode, export_nodes, to_c, to_latex, to_onnx, to_pmml, to_python, to_sql
from ftree.exchange.jumps import child_program, program
from ftree.exchange.pmml import Predicates
from ftree.exchange.sql_conditions import Writer, as_dialect
from ftree.testing import export_rows, trees
from ftree.testing.export_cases import Even, built_tree
from ftree.tree import Multiway
from ftree.tree.conditions import AllOf, AnyOf, FirstKnown, Missing, NoneOf, Not, OneOf, SumBetween


def passes(test, row):
    """Whether a row of codes and numbers, NaN where missing, passes a test: the definition."""
    match test:
        case Not(inner):
            return not passes(inner, row)
        case AllOf(tests):
            return all(passes(each, row) for each in tests)
        case AnyOf(tests):
            return any(passes(each, row) for each in tests)
        case FirstKnown(pairs, default):
            decided = (passes(holds, row) for holds, fails in pairs if passes(holds, row) or passes(fails, row))
            return next(decided, default)
    return passes_one(test, row)


def passes_one(test, row):
    match test:
        case OneOf(feature, codes):
            return row[feature] in codes
        case Missing(feature):
            return bool(np.isnan(row[feature]))
        case SumBetween(features, weights, above, at_most):
            total = sum(weight * row[feature] for feature, weight in zip(features, weights, strict=True))
            return not np.isnan(total) and above < total <= at_most
    return bool(test.above < row[test.feature] <= test.at_most)


def ends_by_nodes(listed, row):
    """The part of a row that ends at each node, node by node: the definition."""
    parts, ends = {0: 1.0}, {}
    for number, node in enumerate(listed.nodes):
        part = parts.get(number, 0.0)
        onward = [child for test, child in zip(node.tests, node.children, strict=True) if passes(test, row)]
        assert len(onward) <= 1, "a row passes at most one test"
        parts |= dict.fromkeys(onward, part) or {child: part * share for child, share in node.routes}
        ends[number] = 0.0 if onward else part * node.stays
    return ends


def counts_at_ends(listed, ends):
    """The counts of a row, parts of which end at nodes."""
    total, inherited = np.zeros(len(listed.channels)), np.zeros(len(listed.channels))
    for number, part in ends.items():
        node = listed.nodes[number]
        if node.inherited:
            inherited = np.maximum(inherited, part * np.array(node.counts))
        else:
            total += part * np.array(node.counts)
    return total if total.any() else inherited


def coded_rows(tree, rows):
    return [[code(feature, cell) for feature, cell in zip(tree.schema.features, row, strict=True)] for row in rows]


@given(trees(), st.sampled_from(RULES))
def test_nodes_lead_to_the_counts_that_answer(tree, missing):
    listed = export_nodes(tree, missing=missing)
    rows = export_rows(tree, 5)
    for row, counts in zip(coded_rows(tree, rows), predict_counts(tree, rows, missing=missing), strict=True):
        np.testing.assert_allclose(counts_at_ends(listed, ends_by_nodes(listed, row)), counts, rtol=1e-9, atol=1e-12)


@given(trees(), st.sampled_from([*RULES, *HALF.values]))
def test_the_part_of_a_row_that_ends_at_a_node_is_the_product_of_its_parts_on_the_steps_there(tree, missing):
    listed = export_nodes(tree, missing=missing)

    def taken(step, row):
        passed = [place for place, test in enumerate(listed.nodes[step.node].tests) if passes(test, row)]
        return float(step.place in passed) if passed else step.share

    paths = listed.paths()
    assert list(paths) == sorted(paths), "nodes are in preorder"
    for row in coded_rows(tree, export_rows(tree, 5)):
        ends = ends_by_nodes(listed, row)
        assert {number for number, part in ends.items() if part} <= set(paths)
        assert [prod(taken(step, row) for step in path) for path in paths.values()] == [ends[number] for number in paths]


def code(feature, cell):
    """The code of a cell, NaN where it is missing, -1 where it was never seen."""
    if cell is None and cell not in feature.values:
        return nan
    return cell if feature.kind == "numeric" else feature.values.index(cell) if cell in feature.values else -1


@given(trees(), st.sampled_from(RULES))
def test_a_program_has_no_jump_that_nothing_leads_to(tree, missing):
    made = program(export_nodes(tree, missing=missing))
    targets = [made.start, *(target for jump in made.jumps for target in (jump.passes, jump.fails))]
    seen = Counter([*targets, *(target for end in made.ends for target, _ in end.routes)])
    assert set(seen) == {*range(len(made.jumps)), *(~end for end in range(len(made.ends)))}


class Whole:
    """A user's split of whole numbers: 1 or 2, neither, by values of a numeric feature."""

    features = (0,)
    n_children = 2
    conditions = OneOf(0, (1.0, 2.0)), NoneOf(0, (1.0, 2.0))

    @staticmethod
    def child(column):
        return np.where(np.isnan(column), -1, ~np.isin(column, (1.0, 2.0)))


@pytest.mark.parametrize("missing", RULES)
def test_values_of_a_numeric_feature_are_numbers(missing):
    tree = built_tree(Whole())
    rows = [[1.0], [2.0], [1.5], [0.0], [None]]
    function = run(to_python(tree, missing=missing))
    answers = [function(row, counts=True) for row in rows]
    np.testing.assert_allclose(answers, predict_counts(tree, rows, missing=missing))


@pytest.mark.parametrize("to", [export_nodes, to_python, to_c, to_sql, to_onnx, to_pmml])
def test_an_opaque_split_is_refused_by_name(to):
    with pytest.raises(ValueError, match=r"tree must have splits whose conditions can be written out, got Even\(features"):
        to(built_tree(Even((0,))))


def test_a_tree_with_an_opaque_split_predicts():
    tree = built_tree(Even((0,)))
    np.testing.assert_array_equal(predict_counts(tree, [[2.0], [-1.0], [1.0], [None]]), [(1, 0), (2, 0), (0, 3), (3, 3)])


@pytest.mark.parametrize("to", [to_python, to_c, to_sql, to_onnx])
def test_a_value_that_no_program_can_write_is_refused_by_name(to):
    tree = Tree(
        Schema([Feature("sky", "nominal", ((1, 2), "b"))], "y", ("a", "b")),
        Branch((1, 1), Multiway(0, (0, 1)), (Leaf((1, 0)), Leaf((0, 1)))),
    )
    with pytest.raises(ValueError, match=r"A value of 'sky' must be a text, a finite number, a boolean or None .* got \(1, 2\)"):
        to(tree)


# Conditions that the algebra lacks ------------------------------------------------------------------------------------


@frozen
class Begins:
    """A condition of a user's own."""

    feature: int
    text: str


class ByBeginning:
    """A split with such conditions."""

    features, n_children = (0,), 2
    conditions = Begins(0, "a"), Not(Begins(0, "a"))

    @staticmethod
    def child(column):
        return (column > 0).astype(int)


NAMES = Schema([Feature("name", "nominal", ("ann", "bob"))], "class", ("no", "yes"))


@pytest.mark.parametrize("write", [to_c, to_onnx, to_pmml, to_python, to_sql, text, to_latex, rules])
def test_a_condition_that_the_algebra_lacks_is_refused_by_name(write):
    tree = Tree(NAMES, Branch((1, 1), ByBeginning(), (Leaf((1, 0)), Leaf((0, 1)))))
    with pytest.raises(TypeError, match=r"conditions of ftree.show, such as Between, got Begins\(feature=0, text='a'\)"):
        write(tree)


WRITERS = {
    "SQL": Writer(NAMES, [("ann", "bob")], {}, as_dialect("postgres")).test,
    "PMML": Predicates(NAMES, [("ann", "bob")]).of,
    "a program": lambda test: child_program(ExportNode(0, (1, 1), False, [test], (1,), (1.0,), 0.0)),  # noqa: FBT003
}


@pytest.mark.parametrize("language", WRITERS)
@pytest.mark.parametrize("condition", [Begins(0, "a"), NoneOf(0, (1,))])
def test_each_writer_refuses_a_test_that_it_does_not_know(language, condition):
    message = f"test must be a condition that {language} can state, got {type(condition).__name__}"
    for test in (condition, Not(condition), AllOf([condition]), FirstKnown([(condition, Not(condition))])):
        with pytest.raises(TypeError, match=message):
            WRITERS[language](test)
