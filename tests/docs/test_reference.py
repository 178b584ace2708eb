"""Every public name has a place in the reference, a docstring, and an example that runs."""

import re
from importlib import import_module
from inspect import getdoc, isclass, isroutine
from pathlib import Path
from pkgutil import iter_modules

import pytest

import ftree

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
ROOMS = sorted(f"ftree.{room.name}" for room in iter_modules(ftree.__path__) if not room.name.startswith("_"))


def value_of(name):
    module, _, attribute = name.rpartition(".")
    return getattr(import_module(module), attribute)


def described():
    """The names that the pages of the reference list."""
    pages = [path.read_text(encoding="utf-8") for path in sorted(REFERENCE.glob("*.rst"))]
    return [name for page in pages for name in re.findall(r"^   (ftree\.[\w.]+)$", page, re.MULTILINE)]


def own_name(name):
    """Whether a name is that of a function or a class, since an alias of a type and a value have no docstring of their own."""
    value = value_of(name)
    return isroutine(value) or (isclass(value) and value.__name__ == name.rpartition(".")[2])


@pytest.fixture(scope="module")
def own_names():
    return [name for name in described() if own_name(name)]


def test_names_are_described_once_and_exist():
    names = described()
    assert sorted(set(names)) == sorted(names)
    assert [name for name in names if not hasattr(import_module(name.rpartition(".")[0]), name.rpartition(".")[2])] == []


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_name_has_a_place(room):
    values = [value_of(name) for name in described()]
    absent = [name for name in import_module(room).__all__ if not any(value_of(f"{room}.{name}") is value for value in values)]
    assert absent in ([], ["metrics"]), "a name needs a line on a page of docs/reference"  # metrics are described one by one


def test_every_function_and_class_has_a_docstring(own_names):
    assert [name for name in own_names if not vars(value_of(name)).get("__doc__", getdoc(value_of(name)))] == []


def test_every_function_and_class_has_an_example(own_names):
    with_example = [name for name in own_names if ">>> " in (getdoc(value_of(name)) or "")]
    protocols = [name for name in own_names if getattr(value_of(name), "_is_protocol", False)]
    assert [name for name in own_names if name not in {*with_example, *protocols}] == []
