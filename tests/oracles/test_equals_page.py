"""The figures of docs/equals.md are those of the stored results, and of the comparisons with them."""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import peers
import pytest
import test_rpart
import test_rpart_regression as regression

PAGE = (Path(__file__).parents[2] / "docs" / "equals.md").read_text(encoding="utf-8")


def test_the_page_counts_the_stored_tables_and_runs():
    rows = re.findall(r"^\| `(\w+)` \|[^|]*\| (\d+) \| (\d+) \|", PAGE, re.MULTILINE)
    files = {folder: [peers.facts(folder, name) for name in peers.tables(folder)] for folder, *_ in rows}
    stored = [
        (folder, str(len(files[folder])), str(sum(len(fact.get("runs", [0])) for fact in files[folder]))) for folder in files
    ]
    assert stored == rows
    assert {folder for folder, *_ in rows} == {path.name for path in peers.FACTS.iterdir() if path.is_dir()} - {"make"}


@pytest.mark.wide
def test_the_page_counts_equal_trees_of_rpart(shared):
    seen, whole = Counter(), 0
    for name in peers.tables("rpart"):
        fact = peers.facts("rpart", name)
        rows = peers.dataset(shared, fact)
        known = [~np.isnan(column) if column.dtype.kind == "f" else column >= 0 for column in rows.columns]
        table = rows.take(np.any(known, axis=0))
        with peers.surrogates_of_rpart():
            found = [test_rpart.compared_all(run, table, test_rpart.pruned(run, table)) for run in fact["runs"]]
        seen, whole = sum(found, seen), whole + sum(set(each) == {"same"} for each in found)
    others = seen["otherwise"] + seen["kept"]
    assert f"| {whole} trees whole; {seen['same']:,} nodes | {seen.total() - seen['same']} nodes" in PAGE
    assert f"ties {seen['tie']}, cases left at a branch {seen['left behind']}, others {others} |" in PAGE
    pairs = [(fact, run) for fact in regression.FACTS.values() for run in fact["runs"]]
    alike = sum(not [*regression.parted(regression.as_rpart(regression.pruned(*pair)), pair[1]["tree"])] for pair in pairs)
    assert f"{alike} of {len(pairs)} trees of both" in PAGE
