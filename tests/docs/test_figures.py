"""Every figure that a page quotes or tabulates has its home in docs/figures.json."""

import re
from pathlib import Path
from runpy import run_path

DOCS = Path(__file__).parents[2] / "docs"
HOME = run_path(str(DOCS / "_ext" / "figures.py"))


def texts():
    return {path: path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md")}


def test_pages_quote_figures_that_have_a_home_and_all_that_have_one_are_quoted():
    quoted = {name for text in texts().values() for name in re.findall(r"\{\{ (\w+) \}\}", text)}
    assert quoted == {"version", *HOME["quoted"]()}


def test_tables_name_each_case_of_a_benchmark_once():
    tables = [found for text in texts().values() for found in re.findall(r"```\{figures\} (\w+)\n(.*?)```", text, re.DOTALL)]
    named = {room: [line.split(" | ")[0] for line in lines.splitlines()] for room, lines in tables}
    assert {room: sorted(cases) for room, cases in named.items()} == {
        room: sorted(HOME["FIGURES"][room]) for room in HOME["FIGURES"]
    }
