"""Views of a table: columns as values, rows, counts, a summary, other libraries' tables, and how it prints."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from ftree._lib.messages import joined, short_repr
from ftree._lib.text_table import html_table
from ftree.data.coding import decode
from ftree.data.origins import Origin
from ftree.data.outward import in_values, to_arrow, to_pandas, to_polars
from ftree.data.row_selection import RowSelection
from ftree.data.summary import Summary, column_summary
from ftree.data.values import Column
from ftree.tree.formats import format_number
from ftree.tree.schema import Feature, position

# A notebook shows the first rows of a table, and of a wide table the first columns and the target.
_SHOWN_ROWS = 5
_SHOWN_COLUMNS = 12


class TableView(RowSelection):
    """The methods of a `Dataset` that show it or convert it."""

    __slots__ = ()

    def __getitem__(self, name: str) -> Column:
        """The column of a feature or of the target as values: floats for a numeric feature, else objects, None where missing.

        Raises a KeyError for a column that does not exist.
        """
        return in_values(*self._column(name))

    def rows(self) -> list[dict[str, Any]]:
        """Each row as a dict of values by name, the target last; None where missing."""
        names, columns = zip(*((feature.name, decode(feature, column)) for feature, column in self._all()), strict=True)
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]

    def summary(self) -> Summary:
        """What was inferred: each column's kind with the reason, distinct and missing values, examples.

        Counts and examples describe these rows; the reason, and the values that meant missing, describe the table that was read.

        >>> from ftree import Dataset
        >>> print(Dataset.from_columns({"sky": ["red", "?", "grey"], "wind": [1, 2, 3], "class": ["no", "yes", "yes"]}).summary())
        3 rows
        column  kind     distinct  missing  examples       reason
        sky     nominal  2         1 ('?')  'red', 'grey'  text
        wind    numeric  3         0        1.0, 2.0, 3.0  numbers
        class   target   2         0        'no', 'yes'    the labels
        """
        origin_of = {origin.name: origin for origin in self.origins}
        pairs = zip(self.schema.features, self.columns, strict=True)
        features = [column_summary(origin_of.get(f.name, Origin(f.name)), f.kind, decode(f, column)) for f, column in pairs]
        labels = [self.schema.classes[code] for code in self.labels]
        return Summary(len(self), [*features, column_summary(Origin(self.schema.target, "the labels"), "target", labels)])

    def class_counts(self) -> tuple[float, ...]:
        """Weight of each class, in schema order."""
        counts = np.bincount(self.labels, weights=self.weights, minlength=len(self.schema.classes))
        return tuple(int(count) if float(count).is_integer() else count for count in counts.tolist())

    def counts_by(self, feature: str) -> dict[Hashable, tuple[float, ...]]:
        """Class counts, in schema order, of each value of a nominal or ordinal feature that occurs in these rows.

        Raises a KeyError for a feature that does not exist, a ValueError for a numeric one.

        >>> from ftree import Dataset
        >>> Dataset.from_rows([["a"], ["b"], ["a"]], ["no", "no", "yes"]).counts_by("x0")
        {'a': (1, 1), 'b': (1, 0)}
        """
        number = position(self.schema, feature)
        values, column = self.schema.features[number].values, self.columns[number]
        if column.dtype.kind == "f":
            message = f"feature must be nominal or ordinal, got {feature!r}, which is numeric."
            raise ValueError(message)
        return {values[code]: self.take(column == code).class_counts() for code in np.unique(column).tolist() if code >= 0}

    def to_pandas(self) -> Any:
        """The table as a pandas frame: floats and categories, the target last, then "weights" if rows have weights."""
        return to_pandas(self._all(weighted=True))

    def to_polars(self) -> Any:
        """The table as a polars frame: floats, categories and enums, the target last, then "weights" if rows have weights."""
        return to_polars(self._all(weighted=True))

    def to_arrow(self) -> Any:
        """The table as an Arrow table: floats and dictionaries, the target last, then "weights" if rows have weights."""
        return to_arrow(self._all(weighted=True))

    def __repr__(self) -> str:
        """One line: the rows, the features with their kinds, the classes with their sizes."""
        described = [f"{f.name} {f.kind}" + ("" if f.kind == "numeric" else f"({len(f.values)})") for f in self.schema.features]
        sizes = zip(self.schema.classes, self.class_counts(), strict=True)
        weighted = ", weighted" if self.weights is not None else ""
        features = _listed(described, "features")
        classes = _listed([f"{_label_text(label)} {size:g}" for label, size in sizes], "classes")
        return f"Dataset of {len(self)} rows{weighted}: {features} -> {self.schema.target}: {classes}"

    def _repr_html_(self) -> str:
        """The first rows for a notebook, with the text of `repr` as caption."""
        pairs = [(feature, column[:_SHOWN_ROWS]) for feature, column in self._all()]
        shown = [(feature.name, _texts(feature, column)) for feature, column in pairs]
        if len(shown) > _SHOWN_COLUMNS:
            shown = [*shown[: _SHOWN_COLUMNS - 2], ("...", ["..."] * len(shown[0][1])), shown[-1]]
        names, texts = zip(*shown, strict=True)
        return html_table(repr(self), names, zip(*texts, strict=True))


def _texts(feature: Feature, column: Column) -> list[str]:
    """Cells as a notebook shows them; an empty text where missing."""
    shown = format_number if feature.kind == "numeric" and feature.time is None else str
    return ["" if cell is None else shown(cell) for cell in decode(feature, column)]


def _listed(texts: Sequence[str], what: str) -> str:
    listed = joined(texts)
    return f"{listed} ({len(texts)} {what})" if listed.endswith("...") else listed


def _label_text(label: Hashable) -> str:
    """A label as text: in quotes if it is empty or has blanks around it, shortened if it is long."""
    text = str(label)
    quoted = short_repr(label)
    return text if text and text == text.strip() and len(text) <= len(quoted) else quoted
