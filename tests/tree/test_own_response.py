"""The table of what a response of one's own may have lists each member once, with the files that ask for it."""

import ast
import re
from pathlib import Path

import pytest
from attrs import fields

import ftree
from ftree import CART, Dataset, grow, predict, text
from ftree.responses import survival
from ftree.tree import ResponseOptions, response_protocol

SOURCE = Path(ftree.__file__).parent
PAGE = SOURCE.parent / "docs" / "how_to" / "own_response.md"
MEMBERS = [member.name for member in fields(ResponseOptions)]


def asked():
    """The names of members that each file reads from the options of a response."""
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in MEMBERS and ast.unparse(node.value).split(".")[-1] == "options":
                yield node.attr, file.relative_to(SOURCE).as_posix()


class Noted:
    """A response that notes its functions when they are first called."""

    def __init__(self, own, called):
        self.own, self.called = own, called

    def __getattr__(self, name):
        member = getattr(self.own, name)
        if not callable(member):
            return member

        def function(*args):
            self.called.setdefault(name)
            found = member(*args)
            return Noted(found, self.called) if name in ("of", "at_root") else found

        return function


@pytest.mark.parametrize("splits", ["deviance", "log-rank"])
def test_a_response_lives_in_the_order_that_its_protocol_tells(splits):
    rows, called = {"dose": [0, 0, 1, 1], "weeks": [2, 3, 7, 8], "died": [1, 0, 1, 1]}, {}
    patients = Dataset.from_columns(rows, target="weeks", response=Noted(survival("weeks", "died", splits=splits), called))
    tree = grow(patients, CART)
    assert "HR" in text(tree)
    assert predict(tree, patients).shape == (4, 4)
    steps = re.split(r"^    \d\. ", response_protocol.__doc__, flags=re.MULTILINE)[1:]
    told = [next(number for number, step in enumerate(steps) if re.search(rf"\b{name}\b", step)) for name in called]
    assert told == sorted(told)
    assert {"check", "of", "add", "at_root", "answer", "text"} <= called.keys()
    assert ("structure" in called) == (splits == "deviance")


def test_the_table_lists_each_member_in_order_with_the_files_that_ask_for_it():
    rows = re.findall(r"^\| `(\w+).*\|(.*)\|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [name for name, _ in rows] == MEMBERS
    assert {(name, file) for name, cell in rows for file in re.findall(r"`(.*?)`", cell)} == set(asked())
