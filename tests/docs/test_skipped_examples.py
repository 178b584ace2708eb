"""An example that `pytest --doctest-modules` skips is run by a test that has what it needs."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def texts(folder, pattern):
    return {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / folder).rglob(pattern))}


def test_every_example_that_is_skipped_is_run_by_another_test():
    tests = "\n".join(texts("tests", "*.py").values())
    skipped = [
        re.findall(r"^def (\w+)", text[: found.start()], re.MULTILINE)[-1]
        for text in texts("ftree", "*.py").values()
        for found in re.finditer(r"doctest: \+SKIP", text)
    ]
    assert skipped
    assert [name for name in skipped if not re.search(rf"run_example\((\w+\.)?{name}\b", tests)] == []


def test_pages_skip_no_example():
    pages = {**texts("docs", "*.md"), "README": (ROOT / "README.md").read_text(encoding="utf-8")}
    assert [name for name, text in pages.items() if "+SKIP" in text] == []
