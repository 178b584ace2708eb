"""The package: its public names, and the modules that it does not load."""

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib import import_module
from importlib.metadata import version
from inspect import ismodule
from pathlib import Path

import pytest

import ftree

HEAVY = ["scipy", "sklearn", "matplotlib", "pandas", "polars", "pyarrow", "duckdb", "narwhals", "hypothesis", "rich"]
# What a process loads, step by step; small tables need no machine code and no search in SciPy.
STEPS = f"""
import sys
import ftree as ft
def loads(step, unwanted={HEAVY}):
    found = [each for each in sys.modules if each in unwanted]
    assert not found, (step, found)
loads("importing", [each for each in sys.modules if each[:6] == "ftree."])
from ftree import *
loads("a star import")
t = ft.grow(ft.Dataset.from_rows([["a"], ["b"]], [0, 1]))
str(t), t._repr_html_(), ft.predict(t, ["a"])
loads("growing and reading")
from ctypes import CFUNCTYPE, POINTER, c_double, c_int64
of_c = CFUNCTYPE(c_double, POINTER(c_double), c_int64)(lambda counts, n_classes: 0.0)
ft.criteria.compiled_impurity(of_c)([1, 2])
ft.prune.error_based()(t)
loads("pruning")
few = ft.Dataset.from_rows([[0], [1]], ["a", "b"])
ft.neighbors.knn(few)([0])
loads("neighbours")
"""


def test_importing_loads_no_room_and_nothing_heavy_is_loaded_before_it_is_used():
    subprocess.run([sys.executable, "-c", STEPS], check=True)  # noqa: S603  # our own code


ROOT, HOME = Path(__file__).parents[1], Path(ftree.__path__[0])
HERE = {path.stem for path in HOME.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()} - {"__init__"}
PUBLIC = [ftree, *(getattr(ftree, name) for name in dir(ftree) if ismodule(getattr(ftree, name)))]
FILES = sorted(path for path in HOME.rglob("*.py") if path.name != "__init__.py")


@cache
def parsed(path):
    """The syntax tree of a file, which several tests read."""
    return ast.parse(path.read_text(encoding="utf-8"))


def ids(module):
    return module.__name__.removeprefix("ftree.")


def ids_of(package):
    return package.relative_to(HOME).as_posix()


def defined_in(path):
    """Public names that a file defines, except type variables."""
    for node in parsed(path).body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                found = [name]
            case ast.Assign(targets=targets):
                found = [each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]
            case _:
                found = []
        yield from (name for name in found if not name.startswith("_"))


@pytest.mark.parametrize("module", PUBLIC, ids=ids)
def test_dir_shows_the_public_names_and_no_others(module):
    listed = set(module.__all__)
    assert len(listed) == len(module.__all__)
    assert all(hasattr(module, name) for name in listed)
    modules = {name for name in dir(module) if ismodule(getattr(module, name))} | {"__version__"}
    assert set(dir(module)) - listed <= (modules if module is ftree else set())


def test_no_name_of_ftree_hides_a_module_of_the_same_name():
    assert [name for name in HERE if not name.startswith("_") and not ismodule(getattr(ftree, name))] == []


def test_what_type_checkers_read_is_what_is_imported():
    """`__init__.pyi` imports every name from the same room as `__init__.py`."""
    stub = ast.parse((HOME / "__init__.pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    said = {(node.module, alias.asname) for node in imports for alias in node.names}
    rooms = {("ftree", name) for name in dir(ftree) if ismodule(getattr(ftree, name))}
    assert said == {(home, name) for name, home in ftree._HOME.items()} | rooms


def test_a_room_is_imported_when_it_is_first_used_and_another_name_is_an_attribute_error():
    assert ftree.__getattr__("stop") is ftree.stop  # Python calls it only until the room is imported
    with pytest.raises(AttributeError, match="module 'ftree' has no attribute 'forest'"):
        ftree.forest  # noqa: B018  # this loads it


def test_the_version_is_that_of_the_distribution():
    assert ftree.__version__ == version("ftrees")


def test_the_page_of_names_has_every_name_and_those_that_it_lists_under_a_module_are_there():
    table = (ROOT / "docs" / "names.md").read_text(encoding="utf-8")
    assert [name for name in ftree.__all__ if not re.search(rf"\b{name}\b", table)] == []
    listed = re.findall(r"`(ftree(?:\.\w+)+)`: ((?:`\w+`(?:, | and )?)+)", table)
    assert len(listed) > 9
    for module, names in listed:
        assert [name for name in re.findall(r"`(\w+)`", names) if not hasattr(import_module(module), name)] == [], module


def test_the_map_in_CONTRIBUTING_has_the_rooms_that_are_there_on_their_floors():
    rows = re.findall(r"^\| (\d+) \| `(\w+)/?` \|.*$", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert {room for _, room in rows} == HERE
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"][0]
    floors = {room.strip(): 11 - n for n, layer in enumerate(contract["layers"]) for room in re.split("[|:]", layer)}
    assert {room: int(floor) for floor, room in rows} == floors


@pytest.mark.parametrize(
    "package", sorted({path.parent for path in FILES if path.parent not in (HOME, HOME / "native")}), ids=ids_of
)
def test_the_docstring_of_a_package_is_a_map_of_its_files(package):
    """docs/explanation/native.md is that of `native`."""
    text = ast.get_docstring(parsed(package / "__init__.py"))
    assert [path.stem for path in package.glob("*.py") if path.name != "__init__.py" and path.stem not in text] == []


def test_no_private_module_of_another_library_is_loaded_by_its_name():
    """What a file imports, ruff checks; a module may also be named by a text."""
    read = {node.value for path in FILES for node in ast.walk(parsed(path)) if isinstance(node, ast.Constant)}
    named = {value for value in read if isinstance(value, str) and re.fullmatch(r"[a-z]\w*(\.\w+)*\._[a-z]\w*(\.\w+)*", value)}
    assert {each for each in named if not each.startswith("ftree.")} == {"sklearn.tree._tree"}  # it has no public home


def file_of(path):
    return path.relative_to(HOME).with_suffix("").as_posix()


def test_a_file_an_exported_name_and_a_class_have_one_meaning():
    stems = [path.stem for path in FILES]
    assert len(stems) == len(set(stems))
    homes, exported, classes = {}, {name for module in PUBLIC for name in module.__all__}, set()
    for path in FILES:
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                classes.add(node.name)
        # `metrics.accuracy` and `study.threshold`, which chooses a probability, are names of their own.
        for name in () if path.stem in ("metrics", "rare_classes") else defined_in(path):
            homes.setdefault(name, set()).add(file_of(path))
    assert {name: found for name, found in homes.items() if len(found) > 1 and name in exported | classes} == {}
