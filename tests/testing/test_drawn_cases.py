"""The strategies draw everything that their docstrings promise, and nothing else."""

from importlib import import_module
from itertools import chain
from math import inf, nextafter

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from ftree import Branch, Feature, Leaf, Schema, Tree, preorder
from ftree.criteria.predicate import all_of, any_of, not_
from ftree.prune import compose
from ftree.stop import chi_squared, max_depth, min_best_child, min_errors, min_gain, min_rows, no_gain, per_node, pure
from ftree.testing import chain as a_chain
from ftree.testing import datasets, export_rows, frontiers, passes, policies, rules, schemas, splits, strategies, trees
from ftree.tree.splits import Groups, Intervals, Multiway, Oblique, Subset, Threshold, WithSurrogates


def seen(strategy, what, n=150):
    """The facts that many draws show, each draw as a set of facts."""
    found = set()

    @settings(
        max_examples=n,
        phases=[Phase.generate],
        database=None,
        derandomize=True,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def look(value):
        found.update(what(value))

    look()
    return found


KINDS = {"nominal", "ordinal", "numeric"}
SCHEMA = Schema(
    [Feature("n", "numeric"), Feature("o", "ordinal", "abc"), Feature("c", "nominal", "abcd"), Feature("m", "numeric")],
    "label",
    ("no", "maybe", "yes"),
)


def test_schemas_have_up_to_so_many_features_with_2_to_4_values_and_1_to_3_classes():
    assert seen(schemas(), lambda schema: [len(schema.features)]) == {1, 2, 3}
    assert seen(schemas(max_features=2), lambda schema: [len(schema.features)]) == {1, 2}
    assert seen(schemas(), lambda schema: [len(schema.classes)]) == {1, 2, 3}
    drawn = seen(schemas(), lambda schema: [(feature.kind, len(feature.values)) for feature in schema.features])
    assert drawn == {("numeric", 0), *((kind, n) for kind in ("nominal", "ordinal") for n in (2, 3, 4))}
    assert seen(schemas(kinds=["ordinal"]), lambda schema: [feature.kind for feature in schema.features]) == {"ordinal"}


def test_datasets_have_numbers_from_0_to_4_every_code_and_every_class():
    def cells(dataset):
        return {(f, float(cell)) for f, column in enumerate(dataset.columns) for cell in column} | set(dataset.labels.tolist())

    every = {0, 1, 2, *((f, float(code)) for f, n in enumerate((5, 3, 4, 5)) for code in range(n))}
    assert seen(datasets(schema=SCHEMA), cells) == every
    gaps = seen(datasets(schema=SCHEMA, missing=True), cells)
    assert {each for each in gaps if np.isfinite(each).all()} == every | {(1, -1.0), (2, -1.0)}
    assert any(isinstance(each, tuple) and np.isnan(each[1]) for each in gaps)


def test_datasets_have_rows_and_weights_as_asked():
    sizes = seen(datasets(schema=SCHEMA), lambda data: [len(data)], 400)
    assert (min(sizes), max(sizes)) == (1, 16)
    assert seen(datasets(schema=SCHEMA, min_rows=0, max_rows=3), lambda data: [len(data)], 100) == {0, 1, 2, 3}
    assert seen(datasets(schema=SCHEMA), lambda data: [data.weights], 20) == {None}
    assert seen(datasets(schema=SCHEMA, weighted=True), lambda data: data.weights.tolist(), 50) == {1, 2, 3}
    assert len(seen(datasets(), lambda data: [data.schema], 60)) > 20


def test_splits_are_of_every_type_or_of_a_single_feature():
    kinds = {0: {Threshold, Intervals}, 1: {Threshold, Intervals}, 2: {Subset, Multiway, Groups}, 3: {Threshold, Intervals}}
    single = {(f, kind) for f, some in kinds.items() for kind in some}
    assert seen(splits(SCHEMA, sums=False, surrogates=False), lambda split: [(split.feature, type(split))]) == single
    every = {kind for _, kind in single}
    assert seen(splits(SCHEMA, sums=False), lambda split: [type(split)], 200) == every | {WithSurrogates}
    assert seen(splits(SCHEMA, surrogates=False), lambda split: [type(split)], 200) == every | {Oblique}


def test_cuts_are_halves_up_to_above_all_numbers_and_between_codes_or_above_them():
    def at(split):
        return [(split.feature, each) for each in (split.cuts if isinstance(split, Intervals) else [split.at])]

    ordered = Schema([SCHEMA.features[0], SCHEMA.features[1]], "label", ("no", "yes"))
    found = seen(splits(ordered, sums=False, surrogates=False), at)
    assert found == {*((0, n / 2) for n in range(8)), (1, 0.5), (1, 1.5), (1, 2.5)}


def test_surrogates_are_up_to_two_splits_in_two_of_other_features():
    def facts(split):
        if isinstance(split, WithSurrogates):
            yield "default", split.default_child
            yield "number", len(split.surrogates)
            for each in split.surrogates:
                yield "reversed", each.reversed
                yield "children", each.split.n_children
                yield from (("tenths", round(10 * share)) for share in (each.agreement, each.adjusted))
                yield "other feature", each.split.feature != split.split.feature

    wanted = [
        ("default", (None, 0, 1)),
        ("number", (0, 1, 2)),
        ("reversed", (False, True)),
        ("children", (2,)),
        ("tenths", range(11)),
    ]
    found = seen(strategies._with_surrogates(SCHEMA), facts, 250)
    assert found == {("other feature", True), *((name, value) for name, values in wanted for value in values)}
    alone = Schema(SCHEMA.features[:1], "label", ("no", "yes"))
    assert {fact for fact in seen(splits(alone), facts) if fact[0] == "number"} == {("number", 0)}


def test_trees_have_up_to_so_many_leaves_and_counts_as_asked():
    def n_leaves(tree):
        return [sum(isinstance(node, Leaf) for node in preorder(tree))]

    def counts(tree):
        return chain(*(node.counts for node in preorder(tree) if isinstance(node, Leaf)))

    single = {"schema": SCHEMA, "sums": False, "surrogates": False}
    assert {1, 2, 6, 8} < seen(trees(**single), n_leaves, 200) <= set(range(1, 13))
    assert seen(trees(**single, max_leaves=3), n_leaves, 100) == {1, 2, 3}
    assert seen(trees(**single), counts, 40) == set(range(6))
    assert seen(trees(**single, min_count=2), counts, 40) == {2, 3, 4, 5}
    assert seen(trees(**single, fractions=True), counts, 120) == {n / 4 for n in range(21)}
    assert min(seen(trees(**single, fractions=True, min_count=2), counts, 40)) == 2

    def types(tree):
        return [type(node.split) for node in preorder(tree) if isinstance(node, Branch)]

    assert {Oblique, WithSurrogates} & seen(trees(schema=SCHEMA, sums=False), types, 60) == {WithSurrogates}
    assert {Oblique, WithSurrogates} & seen(trees(schema=SCHEMA, surrogates=False), types, 60) == {Oblique}
    assert {Oblique, WithSurrogates} < seen(trees(schema=SCHEMA), types, 60)


def test_frontiers_have_up_to_four_nodes_with_two_or_three_children_and_none_is_empty():
    def facts(frontier):
        yield "nodes", len(frontier.counts)
        yield from (("children", int(n)) for n in frontier.n_children)
        yield "least case", bool(frontier.child_counts.sum(axis=1).min() > 0)
        yield "depth", int(frontier.depth)
        yield "classes", frontier.counts.shape[1]

    found = seen(frontiers(), facts, 300)
    wanted = [("nodes", range(1, 5)), ("children", (2, 3)), ("least case", (True,)), ("depth", range(9)), ("classes", (1, 2, 3))]
    assert found == {(name, value) for name, values in wanted for value in values}


def test_rules_and_passes_are_all_of_the_library_and_compositions_of_them():
    simple = {pure, no_gain, max_depth, min_rows, min_best_child, min_errors, min_gain, chi_squared, per_node}
    assert seen(rules(), lambda rule: [type(rule)]) == simple | {any_of, all_of, not_}
    found = seen(passes(SCHEMA), lambda pass_: [type(pass_).__name__], 400)
    assert found == {
        *("collapse", "trim", "reduced_error", "cost_complexity", "error_based", "pessimistic", "minimum_error"),
        *("critical_value", "chi_squared", "mdl", "purity", "snip", compose.__name__),
    }


@pytest.mark.parametrize("part", ["impurity", "score", "splits", "missing"])
def test_policies_differ_in_every_part(part):
    assert len(seen(policies(), lambda policy: [repr(getattr(policy, part))])) >= 3


def test_candidates_are_of_one_to_three_nodes_in_the_order_of_features_and_scores_and_bits_are_eighths():
    def facts(nodes):
        yield "nodes", len(nodes)
        for node in nodes:
            features = [feature for feature, *_ in node]
            yield "in order", features == sorted(set(features))
            for feature, score, bits, many in node:
                yield from [("feature", feature), ("score", 8 * score), ("bits", 8 * bits), ("many", many)]

    wanted = [("nodes", (1, 2, 3)), ("in order", (True,)), ("feature", range(4)), ("score", range(9)), ("bits", range(17))]
    assert seen(import_module("ftree.testing.check_choice")._nodes(), facts, 300) == {
        *((name, value) for name, values in wanted for value in values),
        ("many", True),
        ("many", False),
    }


def test_points_are_distinct_and_in_order_with_class_counts_and_some_values_are_missing():
    def facts(points):
        vector, counts = points
        rows = [tuple(np.where(np.isnan(row), 9, row)) for row in vector]
        yield "in order", rows == sorted(set(rows))
        yield "number", len(rows)
        yield "classes", counts.shape[1]
        yield "least", int(counts.sum(axis=1).min() > 0)
        yield from (("count", int(count)) for count in counts.ravel())
        yield from (("value", int(value)) for row in rows for value in row)

    wanted = [("in order", (True,)), ("number", range(1, 9)), ("classes", (1, 2, 3)), ("least", (1,)), ("count", range(4))]
    assert seen(import_module("ftree.testing.check_joint_splitter")._points(), facts, 300) == {
        *((name, value) for name, values in wanted for value in values),
        *(("value", value) for value in (0, 1, 2, 3, 4, 9)),
    }


def test_measured_trees_have_fewer_and_fewer_leaves_and_errors_in_hundredths():
    def facts(rows):
        sizes = [row.leaves for row in rows]
        yield "falling", sizes == sorted(set(sizes), reverse=True)
        yield "number", len(rows)
        yield from (("leaves", size) for size in sizes)
        yield from (("hundredths", round(100 * row.error, 9)) for row in rows)
        yield from (("cases", row.cases) for row in rows)

    wanted = [("falling", (True,)), ("number", range(1, 7)), ("leaves", range(1, 21)), ("hundredths", range(41))]
    assert seen(import_module("ftree.testing.check_path_choice")._rows(), facts, 250) == {
        *((name, value) for name, values in wanted for value in values),
        *(("cases", cases) for cases in (20.0, 100.0, 1000.0)),
    }


def test_rows_for_exports_are_those_that_splits_nearly_divide_and_half_of_them_miss_nothing():
    features = [Feature("x", "numeric"), Feature("y", "numeric"), Feature("c", "nominal", "ab"), Feature("n", "ordinal", (1, 2))]
    counts, leaf = (2, 2), Leaf((1, 1))
    root = Branch(counts, Oblique((2, -4, 0, 0), 1.0), (Branch(counts, Threshold(0, 1.5), (leaf, leaf)), leaf))
    rows = export_rows(Tree(Schema(features, "k", (0, 1)), root), 4000)
    x, y, c, n = (set(column) for column in zip(*rows, strict=True))

    def around(*cuts):
        near = {each for cut in cuts for each in (cut, nextafter(cut, -inf), nextafter(cut, inf), cut - 1, cut + 1)}
        return near | {0.0, 1e300, -1e300, None}

    assert x == around(1.5, 0.5), "its threshold, and where the sum of the others is 0"
    assert y == around(-0.25)
    assert c - {"a", "b", None} == {"of no split, größer"}
    assert len(n) == 4
    assert n > {1, 2, None}
    gaps = [sum(cell is None for cell in row) for row in rows]
    assert 0.5 < sum(gap == 0 for gap in gaps) / 4000 < 0.7
    assert sum(gap >= 3 for gap in gaps) > 200, "some rows miss most"
    assert export_rows(a_chain(1), 5) == export_rows(a_chain(1), 5, seed=0)
    assert export_rows(a_chain(1), 0) == []


def test_cases_for_exports_have_rows_of_every_value_and_one_that_misses_all():
    def facts(case):
        tree, rows = case
        drawn = rows[: len(rows) - 14]
        yield "drawn", len(drawn)
        yield "missing", rows[len(drawn)] == [None] * 4
        yield "unseen", rows[len(drawn) + 1] == [None, "of no split", "of no split", None]
        yield "named as it was", tree.schema.target == "label"
        if tree.schema.target == "label":
            yield from (("number", row[0]) for row in drawn)
            yield from (("code", row[2]) for row in drawn)

    wanted = [
        *[("drawn", range(1, 7)), ("missing", (True,)), ("unseen", (True,)), ("named as it was", (True, False))],
        *[("number", (None, *(n / 2 for n in range(-1, 11)))), ("code", (None, *"abcd", "of no split"))],
    ]
    every = {(name, value) for name, values in wanted for value in values}
    made = import_module("ftree.testing.export_cases")
    plain = trees(schema=SCHEMA, max_leaves=2)
    assert seen(made.cases(plain, awkward=True), facts, 200) == every
    assert seen(made.cases(plain, awkward=False), facts, 200) == every - {("named as it was", False)}
