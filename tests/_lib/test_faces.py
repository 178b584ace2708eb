"""What a person prints has a face: the same text by print, at the prompt and in a notebook."""

import re
from functools import partial
from html import unescape

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ftree as ft
from ftree import CART, lesson, prune, study
from ftree._lib.faces import Grid
from ftree.prune import replay
from ftree.show import rule_statistics

DAYS = ft.datasets.weather()
TREE = ft.grow(DAYS)
RESULTS = {
    "answers": lambda: study.check_answers(TREE, DAYS),
    "compare": lambda: study.compare({"ID3": ft.ID3}, DAYS, folds=2),
    "compare_trees": lambda: ft.compare_trees(TREE, ft.collapse_at(TREE, (1,))),
    "cp_table": lambda: study.cp_table(prune.cross_validated(ft.datasets.monks(1), ft.grow, folds=3)),
    "cross_validate": lambda: ft.cross_validate(DAYS, folds=2),
    "explain": lambda: prune.explain(prune.pessimistic(), TREE),
    "explain_row": lambda: ft.explain_row(TREE, DAYS.rows()[0]),
    "friedman": lambda: study.friedman({"a": [1, 2], "b": [2, 1]}),
    "report": lambda: study.report(TREE, DAYS),
    "shap_values": lambda: ft.shap_values(TREE, DAYS),
    "shap_values of a row": lambda: ft.shap_values(TREE, DAYS.rows()[0]),
    "simplify": lambda: ft.simplify(TREE, DAYS),
    "summary": DAYS.summary,
}
# What states conditions, by a tree and its rows.
STATED = {
    "confusion": ft.confusion,
    "dnf": lambda tree, _: ft.dnf(tree, tree.schema.classes[0]),
    "path_of": lambda tree, days: ft.path_of(tree, days.rows()[0]),
    "rule_statistics": lambda tree, days: rule_statistics(ft.rules(tree), days),
    "rules": lambda tree, _: ft.rules(tree),
    "scores": lambda _, days: ft.scores(days),
    "text": lambda tree, _: ft.text(tree),
    "work_out": lambda _, days: lesson.work_out(days, days.schema.features[0].name, CART),
    "work_out of a child for each value": lambda _, days: lesson.work_out(days, days.schema.features[0].name),
}
RESULTS |= {name: partial(show, TREE, DAYS) for name, show in STATED.items()}


def of_values(n, length):
    """A table of two features with n values, and names of some length."""
    drawn = np.random.default_rng(n)
    names = [f"{'-' * length} {number}" for number in range(n)]
    columns = {f"{name} {'-' * length}": [names[number] for number in drawn.integers(0, n, 2 * n)] for name in "ab"}
    labels = [f"{'=' * length} {number}" for number in drawn.permutation(2 * n) % 3]
    return ft.Dataset.from_columns(columns | {"y": labels}, target="y", kinds=dict.fromkeys(columns, "nominal"))


@given(st.integers(2, 60), st.integers(0, 80))
def test_of_many_values_and_long_names_no_line_has_more_than_200_characters(n, length):
    rows = of_values(n, length)
    assume(all(score.children for score in ft.scores(rows)))
    tree = ft.grow(rows, CART)
    decisions = prune.decisions_of(prune.pessimistic(), tree)
    for found in (*(show(tree, rows) for name, show in STATED.items() if name != "confusion"), decisions):
        assert max(map(len, str(found).splitlines()), default=0) <= 200
    assert replay(decisions, tree) == prune.pessimistic()(tree)


@given(st.integers(2, 60))
def test_all_values_stand_there_on_demand(n):
    tree = ft.grow(of_values(n, 9), CART)
    for found in (
        ft.text(tree, values=None),
        ft.rules(tree, values=None),
        *(ft.dnf(tree, y, values=None) for y in tree.schema.classes),
    ):
        assert "…" not in str(found)


@pytest.mark.parametrize("name", RESULTS)
def test_print_the_prompt_and_a_notebook_show_the_same_words(name):
    found = RESULTS[name]()
    assert repr(found) == str(found)
    assert "\\n" not in str(found)
    assert not re.search(r"\w+\((\w+=|<)|array\(", str(found))  # no record
    page = found._repr_html_()
    assert page.startswith(("<pre", "<table"))
    in_words = unescape(re.sub(r"<[^>]*>", " ", page)).split()
    assert [word for word in in_words if word not in _captions(page)] == str(found).split()


def _captions(page):
    return " ".join(re.findall("<caption>(.*?)</caption>", page)).split()


def test_rules_and_texts_are_values_as_before():
    rules = ft.rules(TREE)
    assert rules == tuple(rules)
    assert hash(rules) == hash(tuple(rules))
    assert (rules[0], len(rules[1:])) == (next(iter(rules)), len(rules) - 1)
    assert ft.text(TREE) == str(TREE)
    assert ft.confusion(TREE, DAYS) == ft.confusion(TREE, DAYS)


def test_names_are_no_markup():
    hostile = ft.grow(ft.Dataset.from_rows([["<b>"], ["&"]], ["<i>", "no"], features=["<u>"]))
    for found in (ft.rules(hostile), ft.scores(ft.Dataset.from_rows([["<b>"], ["&"]], ["<i>", "no"])), Grid(["<s>"], [])):
        assert not re.search("<[buis]>", found.html() if isinstance(found, Grid) else found._repr_html_())


def test_scores_show_the_number_that_orders_them():
    shown = str(ft.scores(ft.datasets.monks(1), ft.CHAID)).splitlines()
    assert shown[0].split()[:3] == ["feature", "score", "gain"]
    assert [line.split()[0] for line in shown[1:]] == [row.feature for row in ft.scores(ft.datasets.monks(1), ft.CHAID)]
