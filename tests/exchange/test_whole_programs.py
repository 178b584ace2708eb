"""Whole programs and documents of worked trees are those that were looked at and stored."""

import pytest
from whole_texts import TREES

from ftree import to_dict, to_json
from ftree.exchange import to_c, to_latex, to_pmml, to_python, to_sql
from ftree.exchange.sql_conditions import DIALECTS

CLINIC, WEATHER = TREES["clinic"], TREES["weather"]


def json_lines(text):
    """JSON with a line for each part, so that a difference is found."""
    return text.replace(',"', ',\n"')


def dictionaries(tree):
    return f"{to_dict(tree)}\n{to_dict(tree, counts=True, schema=True)}"


TEXTS = {
    **{f"{name}.py.txt": lambda tree=tree: to_python(tree, missing="weighted") for name, tree in TREES.items()},
    **{f"{name}.c": lambda tree=tree: to_c(tree, missing="weighted", name="illness") for name, tree in TREES.items()},
    **{f"{name}.json": lambda tree=tree: json_lines(to_json(tree)) for name, tree in TREES.items()},
    **{f"{name}.tex": lambda tree=tree: to_latex(tree) for name, tree in TREES.items()},
    **{f"{name}.dict": lambda name=name: dictionaries(TREES[name]) for name in ("weather", "single")},  # no set in a key
    **{f"{rule}.pmml": lambda rule=rule: to_pmml(CLINIC, missing=rule) for rule in ("stop_here", "heaviest")},
    "all_routes.pmml": lambda: to_pmml(WEATHER, missing="all_routes"),
    "single.pmml": lambda: to_pmml(TREES["single"]),
    **{f"{name}.sql": lambda name=name: to_sql(CLINIC, dialect=name, missing="stop_here") for name in DIALECTS},
    "divided.sql": lambda: to_sql(CLINIC, dialect="postgres", missing="weighted"),
    "count.sql": lambda: to_sql(WEATHER, missing="weighted", count_of="yes", columns={"outlook": "t.sky"}),
    "heaviest.sql": lambda: to_sql(CLINIC, missing="heaviest", count_of="perhaps"),
    "single.sql": lambda: to_sql(TREES["single"]) + "\n" + to_sql(TREES["single"], missing="weighted", count_of="no"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_program(name, stored):
    assert TEXTS[name]() == stored
