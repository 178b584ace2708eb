"""The encoding of raw parts, as a survey has determined it: values as numbers in the schema, numbers as bins."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Array, Floats, missing_as_last
from ftree._lib.messages import short_repr
from ftree.data.coding import encode
from ftree.data.columns import read_column, read_labels
from ftree.data.table import row_weights
from ftree.data.values import as_column, missing_among
from ftree.scan.folding import RawPart
from ftree.scan.parts import Part, SourceSummary
from ftree.tree.schema import Feature


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
            remedy = "Survey the source again."
            message = f"The target {short_repr(self.target)} must have the classes of the survey, got another one. {remedy}"
            raise ValueError(message)
        weights = None if self.weights is None else whole_weights(raw, self.weights)
        columns = (encode(feature, read_named(raw, feature.name), self.is_missing) for feature in summary.schema.features)
        codes, numbers = encoded_cells(columns, len(labels), summary)
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
                message = (
                    f"The column {short_repr(name)} must have the values of the survey, got a missing or another one. {remedy}"
                )
                raise ValueError(message)


def encoded_cells(columns: Iterable[Array], n: int, summary: SourceSummary) -> tuple[Array, Floats]:
    """The codes (F, n) and numbers (F', n) of a part, given each feature's column as datasets have it.

    One column after another is encoded, so that only one is in memory in another form.
    """
    codes = np.empty((len(summary.bins), n), dtype=summary.code_type)
    numbers = np.empty((sum(bins is not None for bins in summary.bins), n))
    each = zip(columns, summary.n_codes.tolist(), summary.bins, summary.numeric.tolist(), strict=True)
    for feature, (column, n_codes, bins, row) in enumerate(each):
        if bins is None:
            codes[feature] = missing_as_last(column, n_codes)
        else:
            numbers[row] = column
            codes[feature] = bins.codes(numbers[row])
    return codes, numbers


def read_named(raw: RawPart, name: str) -> Any:
    """A column of a raw part, in a form that the coding of tables reads."""
    return read_column(as_column(name, raw[name]))


def whole_weights(raw: RawPart, name: str) -> Array:
    """A column of weights. Raises a ValueError unless they are whole numbers from 0, of any type of number."""
    weights = np.asarray(row_weights(raw[name]))
    whole = weights.astype(np.int64, copy=False)
    if weights is not whole and (parted := weights[weights != whole]).size:
        raise ValueError(f"The weights {short_repr(name)} of a source must be whole numbers from 0, got {parted[0]}.")
    return whole
