"""Tables: datasets, the coding of their values, and rows to predict.

A table becomes a dataset in five steps:

    table      frames.py     any table as named columns, and which of them are features, target and weights
    columns    columns.py    a column as an array of numbers or times, or as distinct values and a code for each row
    kinds      kinds.py      what a column is, for which reason, and whether it is in doubt
    codes      coding.py     cells as codes of values or as floats, and back
    dataset    table.py      these steps for a column, and for a whole table; targets.py has those of its target

They ask cells (values.py, times.py), which know nothing of columns; doubts.py has the doubts of which users are warned. Arguments
say how far a column is: `values` may have any form, `column: ReadColumn` is read, a `Column` has codes or numbers.

A `Dataset` has its fields in dataset_fields.py, the methods that take rows in cases.py, those that change columns in changes.py
(bins_and_one_hot.py), and those that make one in dataset.py. summary.py describes it, to_frames.py gives it back, and channels.py
has what its rows add to the sums of a response. Rows to predict go through columns and codes (rows.py), and so do labelled rows
in the codes of a tree (labelled.py); matching.py finds the rows that satisfy a condition.

| to add | change | test in `tests/data` |
|---|---|---|
| a doubt | doubts.py, of texts, numbers, chance or the target; its docstring says who asks | `IN_DOUBT` of `test_doubts.py` |
| | for surveys `scan/column_statistics.py` | `tests/scan/test_survey_doubts.py` |
| a type read as numbers | values.py (`family`), kinds.py (`_inferred`), coding.py (`floats`) | `test_one_rule.py` |
| | texts read as times, in times.py, also in programs | `tests/exchange/test_times.py` |
| a method of datasets | cases.py if it takes rows, changes.py if columns | its own |

The three kinds of a column are closed, as nodes are: splitters, exports and C ask `Feature.kind` wherever codes differ from
numbers. What may be added is another way to one of them: a type that `column_kind` reads as numbers, as `time` does, or as values
in order.

| after a change of | run first, in `tests/data` |
|---|---|
| frames.py, columns.py, table.py | `test_one_rule.py` (a table in every form is one dataset), `test_frames.py` |
| kinds.py, coding.py | `test_kinds.py`, `test_coding.py`, `test_integer_types.py` |
| doubts.py, values.py, cases.py, summary.py | the tests of their names; times.py: `tests/exchange/test_times.py` |
| rows.py, labelled.py | `test_given_rows.py`; `tests/routing/test_predict.py` |
| targets.py, channels.py | `test_events.py`; `tests/growth/test_regression.py` |
"""

from typing import TYPE_CHECKING

from ftree._lib import on_first_use

if TYPE_CHECKING:
    from ftree.data.cases import DrawnCases as DrawnCases
    from ftree.data.bins_and_one_hot import binned as binned, from_one_hot as from_one_hot
    from ftree.data.dataset import Dataset as Dataset
    from ftree.data.table import Origin as Origin
    from ftree.data.labelled import require_known as require_known, unseen_values as unseen_values
    from ftree.data.values import MISSING_WORDS as MISSING_WORDS
    from ftree.data.rows import (
        cells_of as cells_of,
        columns_of as columns_of,
        labels_in_kind as labels_in_kind,
        matrix_in_kind as matrix_in_kind,
        numbers_in_kind as numbers_in_kind,
    )
    from ftree.data.summary import ColumnSummary as ColumnSummary, Summary as Summary
else:
    on_first_use(__name__)
