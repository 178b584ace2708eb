"""The encoding of raw parts of a table: one scan of all rows determines it, and each part is then encoded in the same way."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Array, Floats, missing_cells
from ftree.data.coding import encode
from ftree.data.missing_values import missing_among
from ftree.data.series import read_column
from ftree.data.table import MAX_TOTAL_WEIGHT, read_labels
from ftree.data.values import as_column
from ftree.scan.bins import Bins
from ftree.scan.parts import Part, PartFold, SourceSummary
from ftree.tree.schema import Feature

Answer = TypeVar("Answer")
# A raw part: columns by name, of any library.
RawPart = Mapping[str, Any]


class RawTable(Protocol):
    """A table in raw parts, wherever they are."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its columns."""
        ...

    def fold(self, function: Callable[[RawPart], Answer], merge: Callable[[Answer, Answer], Answer], /) -> Answer:
        """The results of a function for all parts, merged; both can be pickled. A ValueError for a table without a row."""
        ...


@runtime_checkable
class EncodesRows(Protocol):
    """A table whose machines can encode the rows once, and keep them."""

    def encoded(self, encode: Callable[[RawPart], Part], n_rows: int, /) -> PartFold | None:
        """The parts in code, None if they cannot be kept; `n_rows` is the number of rows in all."""
        ...


@frozen(eq=False)
class Reading:
    """The encoding of raw parts: the target's column, that of weights or None, the missing values, the findings of the scan."""

    target: str
    weights: str | None
    is_missing: missing_among = field(repr=False)
    summary: SourceSummary

    def __call__(self, raw: RawPart) -> Part:
        """A raw part as codes. Raises a ValueError for a class that the survey has not found."""
        summary = self.summary
        classes = Feature(self.target, "nominal", summary.schema.classes)
        labels = encode(classes, read_labels(self.target, raw[self.target]), self.is_missing)
        if (labels < 0).any():
            message = f"The target {self.target!r} must have the classes of the survey, got another one. Survey the source again."
            raise ValueError(message)
        weights = None if self.weights is None else whole_weights(raw, self.weights)
        codes, numbers = self._cells(raw, len(labels))
        self._check_values(codes, weights)
        return Part(codes, numbers, labels.astype(summary.label_type), weights)

    def _check_values(self, codes: Array, weights: Array | None) -> None:
        """Raise a ValueError for a missing or another value in a feature in which the survey has found none."""
        for number, n_codes in enumerate(self.summary.n_codes.tolist()):
            if number in self.summary.gaps or codes[number].max(initial=0) < n_codes:
                continue
            if weights is None or (weights[codes[number] == n_codes] > 0).any():
                name = self.summary.schema.features[number].name
                remedy = "Survey the source again."
                message = f"The column {name!r} must have the values of the survey, got a missing or another one. {remedy}"
                raise ValueError(message)

    def _cells(self, raw: RawPart, n: int) -> tuple[Array, Floats]:
        """Codes and numbers, feature by feature, so that only one column is in memory in another form."""
        summary = self.summary
        codes = np.empty((len(summary.bins), n), dtype=summary.code_type)
        numbers = np.empty((sum(bins is not None for bins in summary.bins), n))
        each = zip(summary.schema.features, summary.n_codes.tolist(), summary.bins, summary.numeric.tolist(), strict=True)
        for number, (feature, n_codes, bins, row) in enumerate(each):
            column = encode(feature, read_named(raw, feature.name), self.is_missing)
            codes[number] = codes_of(column, n_codes, bins)
            if bins is not None:
                numbers[row] = column
        return codes, numbers


def rows_with_weight(part: Part) -> Part:
    """A part without its rows of weight 0, between whose values a threshold must not lie."""
    if part.weights is None or part.weights.all():
        return part
    rows = part.weights > 0
    return Part(part.codes[:, rows], part.numbers[:, rows], part.labels[rows], part.weights[rows])


def codes_of(column: Array, n_codes: int, bins: Bins | None) -> Array:
    """A column's codes: the number of a value or a bin, and `n_codes` where it is missing."""
    return np.where(missing_cells(column), n_codes, column) if bins is None else bins.codes(column.astype(np.float64, copy=False))


def read_named(raw: RawPart, name: str) -> Any:
    """A column of a raw part, in a form that the coding of tables reads."""
    return read_column(as_column(name, raw[name]))


def whole_weights(raw: RawPart, name: str) -> Array:
    """A column of weights. Raises a ValueError unless they are whole numbers from 0."""
    column = read_named(raw, name)
    weights = np.asarray(column)
    if weights.dtype.kind not in "iu" or np.ma.getmaskarray(column).any() or (weights < 0).any():
        message = f"The weights {name!r} of a source must be whole numbers from 0, got other numbers."
        raise ValueError(message)
    if (weights >= MAX_TOTAL_WEIGHT).any():
        check_total(int(weights.max()))
    return weights.astype(np.int64)


def check_total(n_cases: int) -> None:
    """Raise a ValueError unless the weights of all rows sum to a number that floats represent exactly."""
    if not 0 < n_cases < MAX_TOTAL_WEIGHT:
        message = f"weights must sum to a number from 1 to 2**53, so that counts are exact, got a sum of {n_cases}."
        raise ValueError(message)
