"""Every kind of doubt is found in some table."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import ftree
from ftree import Dataset, Feature, grow, predict
from ftree.data import doubts
from ftree.data.doubts import _NOTATIONS, chance_doubt


def of_column(cells, **options):
    """A dataset of a column of cells, and others of which nothing is in doubt."""
    n = len(cells)
    columns = {"a": cells, "z": [row % 3 + 0.5 for row in range(n)], "y": [row % 2 for row in range(n)]}
    return Dataset.from_columns(columns, target="y", **options)


def of_target(labels, **options):
    return Dataset.from_columns({"x": [0.5] * len(labels), "y": labels}, target="y", **options)


def predicted():
    predict(grow(Dataset.from_rows([["grey"], ["blue"]], ["no", "yes"])), ["green"])


RANDOM = np.random.default_rng(0)
NAMES = np.char.add("n", RANDOM.integers(0, 100, 500).astype(str))
LABELS = RANDOM.integers(0, 2, 500)
# Tables that are in doubt, by the kind, with words of the warning.
IN_DOUBT = {
    "a value for each row": (lambda: of_column([f"name {row}" for row in range(12)]), "is nominal with 12 values in 12 rows"),
    "a few are no numbers": (lambda: of_column([*map(str, range(40)), "unknown"]), "40 of its 41 .*, as 'unknown' is not"),
    "numbers in texts": (lambda: of_column(list(map(str, range(12)))), "12 of its 12 values are numbers, written as text"),
    "numbers with a comma": (
        lambda: of_column([f"{row},5" for row in range(12)]),
        "with a comma, such as '0,5'. .* beforehand if it separates",
    ),
    "numbers with a sign": (lambda: of_column([f"{row}%" for row in range(12)]), "with a sign, such as '0%'. Convert"),
    "dates in another form than 2020-01-31": (
        lambda: of_column([f"{row + 1}/2/2020" for row in range(12)]),
        "such as '1/2/2020'. Read the file with their form, as dates={'a': '%d/%m/%Y'}, or give kinds=.",
    ),
    "chance": (lambda: Dataset.from_columns({"who": NAMES, "y": LABELS}, target="y"), "of the target, .* by chance"),
    "a code for missing": (lambda: of_column([*range(12), -999, -999]), "-999 is its only number below 0"),
    "row numbers": (lambda: of_column(range(12)), "numbers the rows, from 0 to 11"),
    "numbers as classes": (lambda: of_target([*range(100)] * 2), "has 100 numbers as classes, and may be a measurement"),
    "a class for each row": (lambda: of_target([f"id {row}" for row in range(20)]), "has 20 classes in 20 rows"),
    "many classes": (lambda: of_target([f"class {row}" for row in range(1001)] * 2), "has 1001 classes. Each level"),
    "few numbers": (lambda: of_target([0.5, 1.0, 2.0] * 10), "has only 3 numbers in 30 rows"),
    "numbers far apart": (lambda: of_target([1.0, 1.5, 1e13]), r"from 1 to 1e\+13, so far apart"),
    "row names": (lambda: Dataset.read_csv(b",x,y\n1,2,no\n2,2,yes\n"), "names or numbers the rows, and is left out"),
    "a row as names": (lambda: Dataset.read_csv(b"1,2,no\n3,2,yes\n"), "The first line was taken for names, 1, 2, no"),
    "a code": (lambda: Dataset.read_csv(b"zip,y\n01234,no\n02134,yes\n"), "'01234' is read as a number. If it is a code, give"),
    "unknown values": (predicted, "have no answer: 'green' of 'x0'"),
}


def test_the_table_has_every_kind_of_doubt():
    text = "".join(path.read_text(encoding="utf-8") for path in Path(ftree.__path__[0]).rglob("*.py"))
    kinds = set(re.findall(r'\bDoubt\("([^"]+)", (?!"age")', text)) | {kind for _, kind, _ in _NOTATIONS}
    assert kinds == set(IN_DOUBT)
    assert len(re.findall(r"\breturn Doubt\(kind, ", text)) == len(re.findall(r"\bDoubt\([^\"]", text)), "others are literal"


@pytest.mark.parametrize("kind", IN_DOUBT)
def test_a_table_in_doubt_is_warned_of_once(kind):
    make, words = IN_DOUBT[kind]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make()
    (message,) = (str(each.message) for each in caught)
    assert re.search(words, message)


NAMED = {n: {f"n{row}": 1 for row in range(n)} for n in (9, 10, 18, 19)}
# Pairs of what is not in doubt, and what is, by the kind of doubt.
LIMITS = {
    "numbers in texts": [doubts.feature_doubt("a", dict.fromkeys(map(str, range(n)), 2)) for n in (9, 10)],
    "a value for each row": [doubts.feature_doubt("a", NAMED[n]) for n in (9, 10)],
    "a value for each row of 20": [doubts.feature_doubt("a", NAMED[n] | {"n0": 21 - n}) for n in (18, 19)],
    "a few are no numbers": [doubts.feature_doubt("a", {"1": n, "u": 20 - n}) for n in (17, 18)],
    "numbers with a comma": [doubts.feature_doubt("a", {"1,5": n, "u": 20 - n}) for n in (17, 18)],
    "row numbers": [doubts.numeric_doubt("a", np.arange(n), may_number_rows=True) for n in (9, 10)],
    "a class for each row": [doubts.target_doubt("a", n, NAMED[n]) for n in (9, 10)],
    "a class for each row of 20": [doubts.target_doubt("a", 20, NAMED[n]) for n in (18, 19)],
    "few numbers": [doubts.numbers_doubt("a", np.arange(n) / 2, 10 * n, None) for n in (10, 9)],
}


@pytest.mark.parametrize("kind", LIMITS)
def test_doubts_begin_with_ten_values_and_nine_tenths_of_the_rows(kind):
    below, above = LIMITS[kind]
    assert below is None
    assert above.kind == kind.removesuffix(" of 20")


@pytest.mark.parametrize(("n", "kinds"), [(201, ["chance"]), (202, [])])
def test_values_are_in_doubt_from_a_twentieth_by_chance_on(n, kinds):
    # 11 values explain 10 / 200 of the target by chance, or a little less.
    column, answers = np.arange(n) % 11, np.arange(n) // 11 % 2
    found = chance_doubt(Feature("who", "nominal", range(11)), column, answers)
    assert [each.kind for each in [found] if each] == kinds
