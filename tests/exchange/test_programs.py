"""Programs predict what the tree predicts, by the law for exports and on every split type; and what each refuses."""

import re
import sqlite3
from contextlib import closing
from itertools import accumulate
from itertools import chain as joined
from typing import get_args

import numpy as np
import pytest
from attrs import evolve
from consumers import DATABASES, HALF, RULES, ask_sqlite, asked_of, run
from extensions.test_soft_thresholds import soft
from hypothesis import example, given
from hypothesis import strategies as st

from ftree import Branch, Feature, Leaf, Schema, Tree, datasets, fold, grow, predict, predict_counts, predict_proba
from ftree.exchange import to_c, to_pmml, to_python, to_sql
from ftree.exchange.sql_conditions import DIALECTS, DialectName, as_dialect
from ftree.testing import chain, check_export, export_rows, trees
from ftree.tree import Multiway, Surrogate, Threshold, WithSurrogates, numbers
from ftree.tree.conditions import Missing, NoneOf, OneOf
from ftree.tree.edit import branch_of

OF_NUMBERS = trees(response="numbers") | trees(response="events")


@asked_of("python", "onnx", "c", *joined.from_iterable(DATABASES.values()))
@pytest.mark.parametrize("missing", [*RULES, HALF])
def test_a_program_predicts_what_a_tree_of_every_split_type_predicts(mixed_tree, mixed_rows, consumer, missing):
    rows, asked = mixed_rows
    labels, counts = consumer(mixed_tree, missing)(asked)
    assert labels == predict(mixed_tree, rows, missing=missing)
    np.testing.assert_allclose(counts, predict_counts(mixed_tree, rows, missing=missing), rtol=1e-9, atol=1e-12)


@asked_of("python", "sqlite", "onnx", "c")
@pytest.mark.parametrize("given_trees", [None, pytest.param(OF_NUMBERS, marks=pytest.mark.slow)], ids=["classes", "numbers"])
def test_programs_obey_the_law_for_exports(consumer, given_trees):
    check_export(
        consumer,
        predict=lambda ask, rows: ask(rows)[0],
        counts=None if given_trees is not None else (lambda ask, rows: ask(rows)[1]),
        rules=RULES,
        given_trees=given_trees,
        exempt={"deep"},
    )


# SQLite's expressions are nested 11 deep, so that several parts of the tree stand in a list.
DEEP = [("python", 5000, "all_routes"), ("c", 5000, "all_routes"), ("onnx", 1000, "stop_here"), ("sqlite", 70, "stop_here")]


@asked_of(*DEEP, *((name, *case) for name in ("duckdb", "postgres") for case in ((200, "stop_here"), (30, "weighted"))))
def test_a_program_predicts_what_a_deep_tree_predicts(consumer, depth, missing):
    tree, rows = chain(depth), [[0.0], [1.5], [2.0], [depth / 2], [2.0 * depth], [None], [1e300], [-1e300]]
    asked = [*rows[:-2], [np.inf], [-np.inf]]
    assert consumer(tree, missing)(asked)[0] == predict(tree, rows, missing=missing)


@given(OF_NUMBERS, st.sampled_from(["heaviest", "stop_here"]))
def test_programs_of_numbers_are_exact_where_no_row_is_divided(tree, missing):
    if tree.schema.response.kind == "numbers":
        tree = evolve(tree, schema=evolve(tree.schema, response=numbers(0.1, 2.0**-40, part=2.0**-20)))
    rows = export_rows(tree, 20)
    wanted = predict(tree, rows, missing=missing)
    assert [run(to_python(tree, missing=missing))(row) for row in rows] == wanted
    found = ask_sqlite([to_sql(tree, dialect="sqlite", missing=missing)], tree.schema, rows)
    assert [answer for (answer,) in found] == wanted


def test_the_count_of_a_class_is_none_of_a_regression_tree():
    with pytest.raises(ValueError, match=r"A program with answer, threshold or costs .* got a regression tree. Leave them out"):
        to_sql(Tree(Schema((), "mpg", (), response=numbers()), Leaf((1, 2, 4))), answer="proba")
    with pytest.raises(ValueError, match="count_of must be given a classification tree, got a regression tree"):
        to_sql(Tree(Schema((), "mpg", (), response=numbers()), Leaf((1, 2, 4))), count_of=2)


@given(trees() | trees(fractions=True), st.sampled_from(RULES), st.sampled_from([0, 0.25, 0.5, 1]), st.data())
def test_programs_answer_with_probabilities_and_decide_by_costs_or_a_threshold(tree, missing, threshold, data):
    n, rows = len(tree.schema.classes), export_rows(tree, 12)
    costs = [[0 if i == j else data.draw(st.integers(0, 4)) / 2 for j in range(n)] for i in range(n)]
    shares = predict_proba(tree, rows, missing=missing)
    wanted = {"costs": (costs, predict(tree, rows, missing=missing, costs=costs))}
    if n == 2 and any(tree.root.counts) and not np.isclose(shares[:, 1], threshold).any():  # else rounding may decide
        wanted["threshold"] = threshold, [tree.schema.classes[share >= threshold] for share in shares[:, 1].tolist()]
    for name, (value, labels) in wanted.items():
        assert [run(to_python(tree, missing=missing, **{name: value}))(row) for row in rows] == labels
        written = to_sql(tree, dialect="sqlite", missing=missing, **{name: value})
        assert [label for (label,) in ask_sqlite([written], tree.schema, rows)] == labels
    np.testing.assert_allclose([run(to_python(tree, missing=missing, answer="proba"))(row) for row in rows], shares, atol=1e-9)
    if any(tree.root.counts):
        written = to_sql(tree, dialect="sqlite", missing=missing, answer="proba")
        np.testing.assert_allclose([share for (share,) in ask_sqlite([written], tree.schema, rows)], shares[:, -1], atol=1e-9)


def of_classes(n, seed):
    """A tree that divides rows among three leaves with counts of n classes."""
    schema = Schema([Feature("sky", "nominal", "abc")], "y", range(n))
    leaves = [Leaf(counts) for counts in np.random.default_rng(seed).integers(1, 9, (3, n)).tolist()]
    return Tree(schema, branch_of(Multiway(0, (0, 1, 2)), leaves))


@given(n=st.integers(2, 300), seed=st.integers(0, 99), missing=st.sampled_from(RULES), with_costs=st.booleans())
@example(n=800, seed=0, missing="all_routes", with_costs=False)
def test_sqlite_decides_among_hundreds_of_classes(n, seed, missing, with_costs):
    tree, rows = of_classes(n, seed), [["a"], ["b"], ["c"], [None], ["d"]]
    costs = np.random.default_rng(seed).integers(1, 9, (n, n)) * (1 - np.eye(n)) if with_costs and n <= 130 else None
    written = to_sql(tree, dialect="sqlite", missing=missing, costs=costs)
    found = [label for (label,) in ask_sqlite([written], tree.schema, rows)]
    assert found == predict(tree, rows, missing=missing, costs=costs)
    assert len(written) < 1000 + n * (350 if costs is None else 350 + 20 * n)


def test_more_classes_than_a_table_has_columns_are_refused_where_rows_are_divided():
    with pytest.raises(ValueError, match="tree must have at most 800 classes where rows are divided in SQL, got 801"):
        to_sql(of_classes(801, 0))
    assert ask_sqlite([to_sql(of_classes(801, 0), missing="heaviest")], of_classes(801, 0).schema, [["a"]])


@pytest.mark.parametrize("to", [to_python, to_sql])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"answer": "odds"}, "answer must be one of 'label', 'proba', got 'odds'"),
        ({"threshold": 2}, "threshold must be a number from 0 to 1 for a tree of two classes, got 2 for 2 classes"),
        ({"threshold": 0.5, "answer": "proba"}, "answer='proba', threshold and costs must be given one at a time, got several"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused_by_name(to, options, message):
    with pytest.raises(ValueError, match=message):
        to(chain(1), **options)


@pytest.mark.parametrize("program", [to_c, to_pmml, to_python, to_sql])
def test_a_program_asks_splits_alone_so_it_refuses_a_rule_that_sees_rows(program):
    tree = grow(datasets.xor())
    with pytest.raises(ValueError, match=r"missing must be a rule without of_rows, for a program, got soft\(width=1\.0\)"):
        program(evolve(tree, missing=soft(1.0)))
    assert program(evolve(tree, missing=soft(1.0)), missing="heaviest") == program(tree, missing="heaviest")


def path_with_surrogates(depth, seed):
    """A tree with one leaf on each level; each branch asks four features, whose thresholds have all digits of a float.

    Half of them are times, which SQLite has to compute.
    """
    random = np.random.default_rng(seed)
    root = Leaf((1, 2, 0))
    for _ in range(depth):
        first, *others = [Threshold(feature, random.integers(9) + 1 / 3) for feature in random.permutation(4).tolist()]
        surrogates = [Surrogate(other, reversed=bool(random.integers(2))) for other in others]
        split = WithSurrogates(first, surrogates, default_child=[None, 0, 1][random.integers(3)])
        children = [Leaf(random.integers(0, 5, 3)), root]
        root = branch_of(split, children if random.integers(2) else children[::-1])
    return Tree(
        Schema(
            [Feature(name, "numeric", time=time) for name, time in zip("abcd", [None, "datetime"] * 2, strict=True)],
            "y",
            ("no", "perhaps", "yes"),
        ),
        root,
    )


@given(st.integers(1, 30) | st.integers(31, 200), st.integers(0, 99), st.sampled_from(RULES))
def test_sqlite_takes_paths_of_200_splits_with_surrogates_inside_a_query(depth, seed, missing):
    tree = path_with_surrogates(min(depth, 30) if missing in {"all_routes", "weighted"} else depth, seed)
    drawn = np.random.default_rng(seed).integers(0, 10, (20, 4)).tolist()
    rows = [[None if cell == 9 else float(cell) for cell in row] for row in drawn]
    written = to_sql(tree, dialect="sqlite", missing=missing)
    inside = f"(SELECT answer FROM (SELECT ({written}) AS answer) WHERE answer IS NOT NULL)"
    assert [label for (label,) in ask_sqlite([inside], tree.schema, rows)] == predict(tree, rows, missing=missing)


@pytest.mark.parametrize("order", [1, -1], ids=["last child", "first child"])
@pytest.mark.parametrize("depth", [11, 12, 21, 22, 23])
def test_no_expression_is_nested_deeper_than_the_dialect_reads(depth, order):
    tree = chain(depth)
    turned = fold(tree, lambda leaf: leaf, lambda branch, below: branch_of(branch.split, below[::order]))
    words = re.findall(r"\b(?:CASE|END)\b", to_sql(evolve(tree, root=turned)))
    assert max(accumulate(1 if word == "CASE" else -1 for word in words)) <= as_dialect("ansi").most_nested


@given(trees(), st.sampled_from(RULES))
def test_sql_asks_nothing_where_all_answers_are_alike(tree, missing):
    first = Leaf([1] + [0] * (len(tree.schema.classes) - 1))
    alike = fold(tree, lambda _: first, lambda branch, below: branch_of(branch.split, below))
    assert to_sql(evolve(tree, root=alike), missing=missing) == "'no'"
    assert not re.search(r"THEN ('\w+')\s+ELSE \1", to_sql(tree, missing="stop_here"))


def of_values(*values, name="sky", classes=("no", "yes")):
    """A tree of one split by values."""
    schema = Schema([Feature(name, "nominal", values)], "y", classes)
    return Tree(schema, Branch((1, 1), Multiway(0, (0, 1)), (Leaf((1, 0)), Leaf((0, 1)))))


@pytest.mark.parametrize(
    ("tree", "options", "message"),
    [
        (
            of_values("a", "b"),
            {"dialect": "no dialect"},
            f"dialect must be one of {', '.join(map(repr, DIALECTS))}, got 'no dialect'",
        ),
        (of_values("a", "b"), {"count_of": "c"}, "count_of must be one of the classes 'no', 'yes', got 'c'"),
        (of_values("a\0", "b"), {}, "A text must have no NUL character to be written in SQL"),
        (of_values("a\ud800", "b"), {}, "Text must be Unicode without single surrogates"),
        (of_values("a", "b", classes=(None, 1)), {}, "tree must have no class None to be written in SQL"),
    ],
)
def test_what_sql_cannot_say_is_refused_by_name(tree, options, message):
    with pytest.raises(ValueError, match=message):
        to_sql(tree, **options)


@pytest.mark.consumer
def test_a_strict_parser_reads_the_ANSI_dialect(needed_module):
    """sqlfluff knows ANSI's grammar; its lexer reads \\ in a text as an escape, which ANSI SQL does not."""
    sqlfluff, tree = needed_module("sqlfluff"), grow(datasets.weather())
    for missing in RULES:
        sqlfluff.parse(f"SELECT {to_sql(tree, missing=missing)} FROM days\n", dialect="ansi")


def test_what_c_cannot_say_is_refused_by_name():
    with pytest.raises(ValueError, match="name must be the name of a function, ASCII letters, digits and underscores, got 'int'"):
        to_c(chain(1), name="int")
    with pytest.raises(ValueError, match="A text must have no NUL character to be written in C"):
        to_c(of_values("a\0", "b"))


class Gap:
    """A user's split: the value is missing or not one of the feature's, it is known, and a child for no row."""

    features = (0,)
    n_children = 3
    conditions = Missing(0), NoneOf(0), OneOf(0, ())

    @staticmethod
    def child(column):
        return (column >= 0).astype(int)


@pytest.mark.parametrize("values", [("a", "b"), ("a", None)])
def test_conditions_of_ones_own_on_missing_values_are_read(values):
    schema = Schema([Feature("sky", "nominal", values)], "label of it", ("no", "yes", "never"))
    tree = Tree(schema, Branch((1, 2, 1), Gap(), (Leaf((1, 0, 0)), Leaf((0, 2, 0)), Leaf((0, 0, 1)))))
    rows = [["a"], ["b"], [None], ["c"]]
    wanted = predict(tree, rows, missing="stop_here")
    assert [run(to_python(tree, missing="stop_here"))(row) for row in rows] == wanted
    labels = ask_sqlite([to_sql(tree, dialect="sqlite", missing="stop_here")], schema, rows)
    assert [label for (label,) in labels] == wanted
    assert "<False />" in to_pmml(tree, missing="stop_here")


# Dialects -------------------------------------------------------------------------------------------------------------


def test_each_dialect_is_asked_of_a_database():
    """`DATABASES` has its consumers, which the first test of this file asks; `docs` has a text of each."""
    assert [*DATABASES] == [*DIALECTS] == [*get_args(DialectName)]
    assert all(DATABASES.values())
    assert all(f'"{name}"' in to_sql.__doc__ for name in DIALECTS)


def test_a_dialect_may_compare_texts_to_the_letter_in_its_own_way(monkeypatch):
    exact = evolve(DIALECTS["sqlite"], exact_text="{column} COLLATE BINARY")
    monkeypatch.setitem(DIALECTS, "sqlite", exact)
    written = to_sql(of_values("a", "A"), dialect="sqlite", missing="stop_here")
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE t (sky TEXT COLLATE NOCASE)")
        database.execute("INSERT INTO t VALUES ('a'), ('A')")
        assert database.execute(f"SELECT {written} FROM t").fetchall() == [("no",), ("yes",)]


def test_a_dialect_has_its_own_rows_words_and_escapes(monkeypatch):
    own = evolve(DIALECTS["ansi"], row="ROW({cells})", false="NO", escapes={"'": "\\'", "\\": "\\\\"})
    monkeypatch.setitem(DIALECTS, "ansi", own)
    written = to_sql(of_values("it's", "a\\", classes=(False, True)), missing="weighted")
    assert r"'it\'s'" in written
    assert r"'a\\'" in written
    assert "THEN NO" in written
    assert written.count("ROW(") == 2
