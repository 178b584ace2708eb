"""The table of what a response of one's own may have lists each member once, with the files that ask for it."""

import ast
import re
from pathlib import Path

from attrs import fields

import ftree
from ftree.tree import ResponseOptions

SOURCE = Path(ftree.__file__).parent
PAGE = SOURCE.parent / "docs" / "how_to" / "own_response.md"
MEMBERS = [member.name for member in fields(ResponseOptions)]


def asked():
    """The names of members that each file reads from the options of a response."""
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in MEMBERS and ast.unparse(node.value).split(".")[-1] == "options":
                yield node.attr, file.relative_to(SOURCE).as_posix()


def test_the_table_lists_each_member_in_order_with_the_files_that_ask_for_it():
    rows = re.findall(r"^\| `(\w+).*\|(.*)\|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [name for name, _ in rows] == MEMBERS
    assert {(name, file) for name, cell in rows for file in re.findall(r"`(.*?)`", cell)} == set(asked())
