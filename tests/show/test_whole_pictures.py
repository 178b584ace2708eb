"""One text a form is stored whole: it was looked at, and changes only on purpose; laws hold for all others."""

from io import StringIO

import pytest
from whole_texts import TREES

from ftree import collapse_at, compare_trees, datasets, dnf, draw, latex, page, prune, rules, text
from ftree.show import rule_statistics, to_dot, to_mermaid
from ftree.tree import replace_at

WEATHER, CLINIC = TREES["weather"], TREES["clinic"]


def body(document):
    """A page without its style and its script, which are files of their own."""
    return document.text.partition("<body>")[2].partition("<script>")[0]


def of_path():
    """A page with a pruning path that is measured on held-out rows, and one with the decisions of a pass."""
    path = prune.measured(prune.cost_complexity_path(WEATHER), datasets.weather().take(range(0, 14, 3)))
    return body(page(WEATHER, path=path)) + body(page(CLINIC, path=prune.pessimistic().decisions(CLINIC)))


def in_the_terminal(tree):
    rich = pytest.importorskip("rich.console")
    console = rich.Console(file=StringIO(), width=200, color_system="truecolor", force_terminal=True, legacy_windows=False)
    console.print(tree)
    return console.file.getvalue()


def as_logic(tree):
    formulas = [*rules(tree), *(dnf(tree, label) for label in tree.schema.classes)]
    return "\n".join([*map(str, formulas), *map(latex, formulas)])


def differences():
    other = replace_at(collapse_at(CLINIC, (0, 0)), (1,), collapse_at(CLINIC, ()).root)
    return str(compare_trees(CLINIC, other)) + "\n" + str(compare_trees(CLINIC, CLINIC))


TEXTS = {
    "weather.svg": lambda: draw(WEATHER).text,
    "charts.svg": lambda: draw(CLINIC, leaf_charts=True).text,
    "closed.svg": lambda: draw(CLINIC, max_leaves=4).text,
    "clinic.html": lambda: body(page(CLINIC)),
    "path.html": of_path,
    "clinic.dot": lambda: to_dot(CLINIC) + "\n" + to_dot(CLINIC, max_leaves=3),
    "clinic.mermaid": lambda: to_mermaid(CLINIC) + "\n" + to_mermaid(CLINIC, max_leaves=3),
    "clinic.txt": lambda: text(CLINIC) + "\n" + text(CLINIC, distributions=True, surrogates=True),
    "clinic.terminal": lambda: in_the_terminal(CLINIC),
    "clinic.logic": lambda: as_logic(CLINIC),
    "statistics.txt": lambda: "\n".join(map(str, rule_statistics(rules(WEATHER), datasets.weather().take(range(2, 14))))),
    "differences.txt": differences,
}


@pytest.mark.parametrize("name", TEXTS)
def test_text(name, stored):
    assert TEXTS[name]() == stored
