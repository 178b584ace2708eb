"""Use the installed package as a newcomer does, with core dependencies only; run outside the checkout.

Every module of the package loads, or says which extra it needs; a tree is grown, drawn, saved and loaded; no
library of an extra is installed.
"""

import importlib
import pkgutil
import sys
import tempfile
from importlib.metadata import metadata, version
from pathlib import Path

import ftree
from ftree import CHAID, ID3, accuracy, draw, grow, load, native, prune, save
from ftree.datasets import weather


def load_modules() -> None:
    """Load every module of the package; one that needs an extra must say so."""
    for each in pkgutil.walk_packages(ftree.__path__, "ftree.", onerror=_names_its_extra):
        try:
            importlib.import_module(each.name)
        except ImportError:
            _names_its_extra(each.name)


def _names_its_extra(name: str) -> None:
    error = sys.exc_info()[1]
    if "ftrees[" not in str(error):
        sys.exit(f"{name} fails without extras, and names none: {error!r}")


def grow_and_keep() -> None:
    """The main job: grow, prune, predict, draw, save and load."""
    table = weather()
    tree = prune.collapse()(grow(table, ID3))
    with tempfile.TemporaryDirectory() as folder:
        save(tree, Path(folder, "tree.json"))
        assert load(Path(folder, "tree.json")) == tree
    assert accuracy(tree, table) == 1
    assert grow(table, CHAID).schema == table.schema  # by p-values, without a library of distributions
    assert "<svg" in draw(tree).text


if __name__ == "__main__":
    assert "site-packages" in ftree.__file__, ftree.__file__
    assert Path(ftree.__file__).with_name("py.typed").exists()
    assert metadata("ftrees")["License-Expression"] == "BSD-3-Clause"
    assert native.is_here(), native.about()
    load_modules()
    grow_and_keep()
    print(f"ftrees {version('ftrees')} works with only its core dependencies installed.")
