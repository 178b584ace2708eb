"""The table of exports in docs/exchange.md says what the exports do."""

import re
from pathlib import Path

import pytest
from consumers import HALF, RULES
from test_linear_programs import grown

from ftree import exchange
from ftree.testing import chain

DOCS = Path(__file__).parents[2] / "docs" / "exchange.md"
ROWS = re.findall(r"^\| `(to_\w+)` \| (.*) \|$", DOCS.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize(("name", "cells"), [(name, cells.split(" | ")) for name, cells in ROWS], ids=[name for name, _ in ROWS])
def test_the_table_says_what_an_export_does(name, cells, mixed_tree):
    to, deepest = getattr(exchange, name), cells[6]
    asked = [*((mixed_tree, rule) for rule in [*RULES, *HALF.values]), (grown(), "heaviest")]
    for (tree, rule), said in zip(asked, cells[:6], strict=True):
        if said == "yes":
            to(tree, missing=rule)
        elif said != "-":
            with pytest.raises(ValueError, match="must"):
                to(tree, missing=rule)
    own = {} if name == "to_latex" else {"missing": "stop_here"}
    to(chain(1100 if deepest == "any" else int(deepest)), **own)
    if deepest != "any":
        wanted = f"tree must have at most {deepest} splits on a path to be (written in|drawn by) .*, got {int(deepest) + 1}"
        with pytest.raises(ValueError, match=wanted):
            to(chain(int(deepest) + 1), **own)


def test_the_table_has_every_export_of_programs():
    writers = {name for name in exchange.__all__ if name.startswith("to_")} - {"to_dict", "to_json"}
    assert {name for name, _ in ROWS} >= writers & {"to_python", "to_c", "to_sql", "to_onnx", "to_pmml", "to_latex"}
