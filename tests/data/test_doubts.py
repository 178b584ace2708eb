"""Every kind of doubt is found in some table, and a survey of a table doubts what the table itself does."""

import warnings

import numpy as np
import pytest

from ftree import Dataset, grow, predict
from ftree.data import doubts
from ftree.data.doubts import DoubtKind


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
# Tables that are in doubt, by the name of the kind.
IN_DOUBT = {
    "A_VALUE_FOR_EACH_ROW": lambda: of_column([f"name {row}" for row in range(12)]),
    "NOT_ALL_NUMBERS": lambda: of_column([*map(str, range(40)), "unknown"]),
    "NUMBERS_IN_TEXTS": lambda: of_column(list(map(str, range(12)))),
    "COMMAS": lambda: of_column([f"{row},5" for row in range(12)]),
    "SIGNS": lambda: of_column([f"{row}%" for row in range(12)]),
    "DATES": lambda: of_column([f"{row + 1}/2/2020" for row in range(12)]),
    "CHANCE": lambda: Dataset.from_columns({"who": NAMES, "y": LABELS}, target="y"),
    "A_CODE_FOR_MISSING": lambda: of_column([*range(12), -999, -999]),
    "ROW_NUMBERS": lambda: of_column(range(12)),
    "NUMBERS_AS_CLASSES": lambda: of_target([*range(100)] * 2),
    "A_CLASS_FOR_EACH_ROW": lambda: of_target([f"id {row}" for row in range(20)]),
    "MANY_CLASSES": lambda: of_target([f"class {row}" for row in range(1001)] * 2),
    "FEW_NUMBERS": lambda: of_target([0.5, 1.0, 2.0] * 10),
    "NUMBERS_FAR_APART": lambda: of_target([1.0, 1.5, 1e13]),
    "UNNAMED_COLUMN": lambda: Dataset.read_csv(b",x,y\n1,2,no\n2,2,yes\n"),
    "A_ROW_AS_NAMES": lambda: Dataset.read_csv(b"1,2,no\n3,2,yes\n", target=-1),
    "A_CODE": lambda: Dataset.read_csv(b"zip,y\n01234,no\n02134,yes\n"),
    "UNKNOWN_VALUES": predicted,
}


def test_the_table_has_every_kind_of_doubt():
    assert {name for name, kind in vars(doubts).items() if isinstance(kind, DoubtKind)} == set(IN_DOUBT)


@pytest.mark.parametrize("name", IN_DOUBT)
def test_a_table_in_doubt_is_warned_of_with_the_text_of_the_kind(name):
    """A text may begin with a column; up to its first gap, and from its last one on, it is in the warning."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        IN_DOUBT[name]()
    ((message,),) = [[str(each.message)] for each in caught]
    before, *_, after = getattr(doubts, name).text.replace("}}", "{").replace("{{", "{").split("{")
    assert message.startswith(before)
    assert message.endswith(after.rpartition("}")[2])


def test_a_text_without_one_of_its_figures_is_an_error_at_once():
    with pytest.raises(KeyError, match="total"):
        doubts.NUMBERS_IN_TEXTS.of("age", n=3)
