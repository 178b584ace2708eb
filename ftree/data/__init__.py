"""Tables: datasets, the coding of their values, and rows to predict."""

from typing import TYPE_CHECKING

from ftree._lib import on_first_use

if TYPE_CHECKING:
    from ftree.data.cases import DrawnCases as DrawnCases
    from ftree.data.bins_and_one_hot import binned as binned, from_one_hot as from_one_hot
    from ftree.data.dataset import Dataset as Dataset
    from ftree.data.kinds import Origin as Origin
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
