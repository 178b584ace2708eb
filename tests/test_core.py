"""The core works without what stands around it, and loads a part of itself."""

import subprocess
import sys
import tomllib
from pathlib import Path

RUN = """
import sys
from tempfile import TemporaryDirectory
import ftree as ft
frame = {"sky": list("srosrosr"), "wind": [1.0, 2, 3, 4, 5, 6, 7, 8], "ride": list("yynnyyny")}
rides = ft.Dataset.from_frame(frame, target="ride")
tree = ft.prune.reduced_error(rides)(ft.grow(rides, ft.ID3))
ft.predict(tree, frame)
print(tree)
with TemporaryDirectory() as folder:
    ft.save(tree, folder + "/tree.json")
    assert ft.load(folder + "/tree.json") == tree
print("loaded", *sorted(name for name in sys.modules if (name + ".").startswith("ftree.")))
"""


def around():
    """The modules that the contract about the core forbids."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = (each for each in project["tool"]["importlinter"]["contracts"] if each["name"].startswith("The core"))
    return contract["forbidden_modules"]


def loaded_by(program):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)  # noqa: S603  # our own code
    return done.stdout.splitlines()[-1].split()[1:]


def test_a_tree_is_grown_pruned_asked_printed_and_saved_by_a_part_of_the_core():
    loaded = loaded_by(RUN)
    assert [name for name in loaded for outer in around() if (name + ".").startswith(outer + ".")] == []
    assert len(loaded) <= 92


def test_every_package_is_in_the_core_or_around_it():
    root = Path(__file__).parents[1]
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    (contract,) = (each for each in project if each["name"].startswith("The core"))
    sorted_in = {name.split(".")[1] for name in contract["source_modules"] + contract["forbidden_modules"]}
    here = {path.stem for path in (root / "ftree").iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert here - {"__init__"} == sorted_in | {"native"}
    shown = {path.stem for path in (root / "ftree" / "show").glob("*.py")} - {"__init__"}
    in_core = {"indented_text", "rich_lines", "svg", "node_figures", "outline", "looks", "pictures", "tidy_layout"}
    assert shown - in_core == {name.split(".")[2] for name in around() if name.startswith("ftree.show.")}
