"""CONTRIBUTING's recipes are true: the files to copy exist, and their examples are short and outside the package."""

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest
from attrs import fields

import ftree
from ftree import Dataset, Feature, Policy, Schema, testing
from ftree.growth.settings import SearchSettings

ROOT = Path(__file__).parents[1]
EXTENSIONS = ROOT / "tests" / "extensions"
RECIPES = re.findall(
    r"^\| ([^|]+) \| `([\w/.]+)` \| `(\w+)` in `(\w+\.py)` \| `([\w/.]+)` \| `(\w+)` \| `(\w+\.py)` \|$",
    (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"),
    re.MULTILINE,
)
# The maximum lines of an example; an engine has five methods and divides cases with missing values; others have two parts, or an
# oracle beside them.
LIMITS = {
    "test_engine": 80,
    "test_monotone": 50,
    "test_prefix": 105,
    "test_arcs": 50,
    "test_own_decisions": 55,
    "test_samme": 60,
}
# Records that several modules read whole: their fields, and the readers that must follow or refuse each field.
READ_WHOLE = {
    Policy: (
        "impurity score splits choose stop missing priors costs",
        """growth/settings.py growth/regression.py growth/depth_first/what_c_knows.py scan/counting_engine.py
        exact/ahead_by_policy.py lesson/builder_policies.py lesson/worked_calculation.py""",
    ),
    SearchSettings: (
        "splitters impurity score choose factors with_surrogates many discount variants response",
        """growth/settings.py growth/search.py growth/depth_first/what_c_knows.py growth/depth_first/table_columns.py
        scan/counting_engine.py""",
    ),
    Feature: ("name kind values time", "saving/json_trees.py data/changes.py exchange/ftree.schema.json"),
    Schema: ("features target classes _response", "saving/json_trees.py data/changes.py exchange/ftree.schema.json"),
    Dataset: ("schema columns target_column weights origins further_targets", "data/cases.py data/changes.py"),
}
PARTS = pytest.mark.parametrize("recipe", RECIPES, ids=[recipe[0] for recipe in RECIPES])


def test_every_row_of_the_table_is_read():
    table = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Recipes")[2].partition("## ")[0]
    assert len(re.findall(r"^\| ", table, re.MULTILINE)) - 1 == len(RECIPES) >= 8


@PARTS
def test_what_to_copy_is_defined_in_its_file_and_named_where_the_line_goes(recipe):
    _, folder, name, file, line_in, *_ = recipe
    home = Path(ftree.__path__[0])
    defined = ast.parse((home / folder / file).read_text(encoding="utf-8")).body
    assert name in [node.name for node in defined if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    room = line_in.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    assert (home / line_in).is_file()
    assert name in import_module(f"ftree.{room}").__all__


@PARTS
def test_the_battery_is_public_and_the_example_runs_it(recipe):
    *_, battery, example = recipe
    assert battery in testing.__all__
    assert f"{battery}(" in (EXTENSIONS / example).read_text(encoding="utf-8")


def test_every_example_belongs_to_a_recipe_or_is_a_published_idea():
    recipes = {recipe[-1] for recipe in RECIPES}
    for path in EXTENSIONS.glob("test_*.py"):
        assert path.name in recipes or "Source" in ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", sorted(EXTENSIONS.glob("test_*.py")), ids=lambda path: path.stem)
def test_an_example_is_short_and_imports_public_names_only(path):
    source = path.read_text(encoding="utf-8")
    assert len(source.splitlines()) < LIMITS.get(path.stem, 40)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "ftree":
            public = getattr(import_module(node.module), "__all__", ())
            assert {alias.name for alias in node.names} <= set(public), f"{node.module} has other public names"
        if isinstance(node, ast.Attribute):
            assert not node.attr.startswith("_")


@pytest.mark.parametrize("record", READ_WHOLE)
def test_a_new_field_of_a_record_is_followed_or_refused_by_its_readers(record):
    known, readers = READ_WHOLE[record]
    assert all((Path(ftree.__path__[0]) / reader).is_file() for reader in readers.split())
    assert [each.name for each in fields(record)] == known.split(), f"Follow or refuse the field in {readers}; then name it here"
