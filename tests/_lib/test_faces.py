"""What a person prints has a face: the same text by print, at the prompt and in a notebook."""

import re
from html import unescape

import pytest

import ftree as ft
from ftree import prune, study
from ftree._lib.faces import Grid

DAYS = ft.datasets.weather()
TREE = ft.grow(DAYS)
RESULTS = {
    "answers": lambda: study.check_answers(TREE, DAYS),
    "compare": lambda: study.compare({"ID3": ft.ID3}, DAYS, folds=2),
    "compare_trees": lambda: ft.compare_trees(TREE, ft.collapse_at(TREE, (1,))),
    "confusion": lambda: ft.confusion(TREE, DAYS),
    "cp_table": lambda: study.cp_table(prune.cross_validated(ft.datasets.monks(1), ft.grow, folds=3)),
    "cross_validate": lambda: ft.cross_validate(DAYS, folds=2),
    "dnf": lambda: ft.dnf(TREE, "no"),
    "explain": lambda: prune.explain(prune.pessimistic(), TREE),
    "explain_row": lambda: ft.explain_row(TREE, DAYS.rows()[0]),
    "friedman": lambda: study.friedman({"a": [1, 2], "b": [2, 1]}),
    "path_of": lambda: ft.path_of(TREE, DAYS.rows()[0]),
    "report": lambda: study.report(TREE, DAYS),
    "rule_statistics": lambda: ft.show.rule_statistics(ft.rules(TREE), DAYS)[0],
    "rules": lambda: ft.rules(TREE),
    "scores": lambda: ft.scores(DAYS),
    "shap_values": lambda: ft.shap_values(TREE, DAYS),
    "shap_values of a row": lambda: ft.shap_values(TREE, DAYS.rows()[0]),
    "simplify": lambda: ft.simplify(TREE, DAYS),
    "summary": DAYS.summary,
    "text": lambda: ft.text(TREE),
}


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
