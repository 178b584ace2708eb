"""What a dataset says of itself: a summary of its columns, a line, and the first rows in a notebook."""

from collections.abc import Hashable, Iterator, Sequence

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Array, missing_cells
from ftree._lib.faces import Face, Grid
from ftree._lib.fields import as_tuple
from ftree._lib.messages import counted, joined, short_repr
from ftree._lib.tail_probabilities import upper_tail
from ftree.data.coding import decode
from ftree.data.dataset_fields import DatasetFields, NamedColumn
from ftree.data.table import Origin
from ftree.data.times import TEMPORAL
from ftree.tree.formats import format_number
from ftree.tree.schema import Feature

_HEADER = ("column", "kind", "distinct", "missing", "examples", "reason")
_N_EXAMPLES = 3
_WIDTH = 40
_ALPHA = 0.001
# A notebook shows the first rows of a table, and of a wide table the first columns and the target.
_SHOWN_ROWS = 5
_SHOWN_COLUMNS = 12


@frozen
class ColumnSummary:
    """One column: name, kind ("target" for the labels), numbers of distinct and of missing values, and up to three examples.

    `reason` says why it has its kind, `missing_values` which values meant missing when the table was read, None for null, and
    `missing_by_class` whether values are missing more often in some classes than in others (chi-squared test, p < 0.001).

    >>> from ftree.datasets import weather
    >>> weather().summary().columns[0].distinct
    3
    """

    name: str
    kind: str
    distinct: int
    missing: int
    examples: tuple[Hashable, ...] = field(converter=as_tuple)
    reason: str
    missing_values: tuple[Hashable, ...] = field(default=(), converter=as_tuple)
    missing_by_class: bool = False


@frozen
class Summary(Face):
    """A table's columns, its number of rows, and in words what its weights are, if it has any; prints as a table.

    >>> from ftree.datasets import xor
    >>> print(xor().summary())
    4 rows
    column  kind     distinct  missing  examples     reason
    bit0    nominal  2         0        0, 1         given
    bit1    nominal  2         0        0, 1         given
    odd     target   2         0        False, True  the labels
    """

    n_rows: int
    columns: tuple[ColumnSummary, ...] = field(converter=as_tuple)
    weights: str = field(default="", kw_only=True)

    def _parts(self) -> Iterator[str | Grid]:
        """A line for each column, and one for columns whose missing values say something about the class."""
        yield ", ".join(filter(None, (counted(self.n_rows, "row"), self.weights)))
        yield Grid(_HEADER, map(_cells, self.columns))
        told = [repr(column.name) for column in self.columns if column.missing_by_class]
        if told:
            yield f"Missing more often in some classes, which missing='as_branch' can use: {joined(told)}."


def summary_of(dataset: DatasetFields, columns: Sequence[NamedColumn]) -> Summary:
    """The summary of a dataset, given its columns with their features, the target last. `Dataset.summary` calls it."""
    origin_of = {origin.name: origin for origin in dataset.origins}
    has_classes, answers = dataset.schema.has_classes, dataset.target_column
    *features, target = columns
    summaries = [
        column_summary(
            origin_of.get(feature.name, Origin(feature.name)),
            feature.kind,
            decode(feature, column),
            missing_by_class=has_classes and is_missing_by_class(column, answers),
        )
        for feature, column in features
    ]
    origin = Origin(dataset.schema.target, "the labels" if has_classes else "measurements")
    return Summary(
        len(dataset), [*summaries, column_summary(origin, "target", decode(*target))], weights=_weights_in_words(dataset)
    )


def _weights_in_words(dataset: DatasetFields) -> str:
    if dataset.weights is None:
        return ""
    return f"weights are {dataset.weights_are}" + (f": {dataset.n_cases:,.0f} cases" if dataset.weights_are == "counts" else "")


def column_summary(origin: Origin, kind: str, values: Sequence[Hashable], *, missing_by_class: bool = False) -> ColumnSummary:
    """The summary of a column of raw values, None where missing.

    >>> column_summary(Origin("sky"), "nominal", ["grey", None, "blue", "grey"]).examples
    ('grey', 'blue')
    """
    known = dict.fromkeys(value for value in values if value is not None)
    missing = sum(value is None for value in values)
    examples = list(known)[:_N_EXAMPLES]
    return ColumnSummary(origin.name, kind, len(known), missing, examples, origin.reason, origin.missing, missing_by_class)


def is_missing_by_class(column: Array, labels: Array) -> bool:
    """Whether values are missing more often in some classes than in others.

    >>> is_missing_by_class(np.array([np.nan, 1.0] * 20), np.array([0, 1] * 20))
    True
    """
    gaps = missing_cells(column)
    if not gaps.any() or gaps.all():
        return False
    counts = np.bincount(np.intp(2) * labels + gaps, minlength=2 * (int(labels.max()) + 1)).reshape(-1, 2)
    counts = counts[counts.any(axis=1)]
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / len(labels)
    return bool(upper_tail(len(counts) - 1, ((counts - expected) ** 2 / expected).sum()) < _ALPHA)


def _cells(column: ColumnSummary) -> tuple[str, ...]:
    examples = joined(map(_short, column.examples))
    if column.distinct > len(column.examples):
        examples += ", ..."
    taken = ["null" if value is None else _short(value) for value in column.missing_values]
    missing = f"{column.missing} ({joined(taken, at_most=5)})" if taken else str(column.missing)
    return column.name, column.kind, str(column.distinct), missing, examples, column.reason


def _short(value: Hashable) -> str:
    text = str(value) if isinstance(value, TEMPORAL) else short_repr(value)
    return text if len(text) <= _WIDTH // 2 else f"{text[: _WIDTH // 2 - 3]}..."


def line_of(dataset: DatasetFields) -> str:
    """A dataset in one line: the rows, the features with their kinds, the classes with their sizes."""
    schema = dataset.schema
    described = [
        f"{each.name} {each.kind}" + ("" if each.kind == "numeric" else f"({len(each.values)})") for each in schema.features
    ]
    weighted = ", weighted" if dataset.weights is not None else ""
    features = _listed(described, "features")
    return f"Dataset of {counted(len(dataset), 'row')}{weighted}: {features} -> {schema.target}: {_described_target(dataset)}"


def _described_target(dataset: DatasetFields) -> str:
    schema, column = dataset.schema, dataset.target_column
    if not schema.has_classes:
        return f"{schema.response.kind} from {column.min():g} to {column.max():g}" if len(dataset) else schema.response.kind
    sizes = zip(schema.classes, dataset.class_counts(), strict=True)
    return _listed([f"{_label_text(label)} {size:g}" for label, size in sizes], "classes")


def html_of(dataset: DatasetFields, columns: Sequence[NamedColumn]) -> str:
    """The first rows of a dataset as HTML, given its columns with their features, the target last."""
    shown = [(feature.name, _texts(feature, column[:_SHOWN_ROWS])) for feature, column in columns]
    if len(shown) > _SHOWN_COLUMNS:
        shown = [*shown[: _SHOWN_COLUMNS - 2], ("...", ["..."] * len(shown[0][1])), shown[-1]]
    names, texts = zip(*shown, strict=True)
    return Grid(names, zip(*texts, strict=True), left=0, caption=repr(dataset)).html()


def _texts(feature: Feature, column: Array) -> list[str]:
    """Cells as a notebook shows them; an empty text where missing."""
    shown = format_number if feature.kind == "numeric" and feature.time is None else str
    return ["" if cell is None else shown(cell) for cell in decode(feature, column)]


def _listed(texts: Sequence[str], what: str) -> str:
    listed = joined(texts)
    return f"{listed} ({len(texts)} {what})" if listed.endswith("...") else listed


def _label_text(label: Hashable) -> str:
    """A label as text: in quotes if it is empty or has blanks around it, shortened if it is long."""
    text, quoted = str(label), short_repr(label)
    return text if text and text == text.strip() and len(text) <= len(quoted) else quoted
