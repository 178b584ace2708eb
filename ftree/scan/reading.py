"""Raw parts encoded as a survey has determined; and the form in which clusters keep and send encoded parts."""

from typing import Any

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.arrays import Array, Floats, missing_cells
from ftree._lib.messages import short_repr
from ftree.data.coding import encode
from ftree.data.columns import read_column, read_labels
from ftree.data.table import MAX_TOTAL_WEIGHT
from ftree.data.values import as_column, missing_among
from ftree.scan.batches import RawPart
from ftree.scan.bins import Bins
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
                message = (
                    f"The column {short_repr(name)} must have the values of the survey, got a missing or another one. {remedy}"
                )
                raise ValueError(message)

    def _cells(self, raw: RawPart, n: int) -> tuple[Array, Floats]:
        """Codes and numbers, feature by feature, so that only one column is in memory in another form."""
        summary = self.summary
        codes = np.empty((len(summary.bins), n), dtype=summary.code_type)
        numbers = np.empty((sum(bins is not None for bins in summary.bins), n))
        each = zip(summary.schema.features, summary.n_codes.tolist(), summary.bins, summary.numeric.tolist(), strict=True)
        for number, (feature, n_codes, bins, row) in enumerate(each):
            column = encode(feature, read_named(raw, feature.name), self.is_missing)
            codes[number] = part_codes(column, n_codes, bins)
            if bins is not None:
                numbers[row] = column
        return codes, numbers


def part_codes(column: Array, n_codes: int, bins: Bins | None) -> Array:
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
        raise ValueError(f"The weights {short_repr(name)} of a source must be whole numbers from 0, got other numbers.")
    if (weights >= MAX_TOTAL_WEIGHT).any():
        check_total(int(weights.max()))
    return weights.astype(np.int64)


def check_total(n_cases: int) -> None:
    """Raise a ValueError unless the weights of all rows sum to a number that floats represent exactly."""
    if not 0 < n_cases < MAX_TOTAL_WEIGHT:
        raise ValueError(f"weights must sum to a number from 1 to 2**53, so that counts are exact, got a sum of {n_cases}.")


# If more than this share of the numbers is not 0, all are kept, since a place takes half as much as a number.
_FEW = 0.25


@frozen(eq=False)
class PackedPart:
    """A part whose codes take the fewest bytes, without its numbers if few are not 0: `some` has their shape, places, values."""

    part: Part
    kind: np.dtype[Any]
    some: tuple[tuple[int, ...], Array, Floats] | None

    def unpacked(self) -> Part:
        """The part as it was."""
        part = evolve(self.part, codes=self.part.codes.astype(self.kind, copy=False))
        if self.some is None:
            return part
        shape, places, values = self.some
        numbers = np.zeros(shape)
        numbers.ravel()[places] = values
        return evolve(part, numbers=numbers)


def packed(part: Part) -> PackedPart:
    """A part in less memory.

    >>> one = packed(Part(np.array([[0, 1]], dtype=np.uint16), np.zeros((1, 2)), np.array([0, 1])))
    >>> one.part.codes.dtype.name, one.part.numbers.shape, one.unpacked().codes.dtype.name, one.unpacked().numbers.shape
    ('uint8', (0, 2), 'uint16', (1, 2))
    """
    small: Array = part.codes.astype(np.uint8) if part.codes.max(initial=0) < 2**8 else part.codes
    places = np.flatnonzero(part.numbers)
    if len(places) > _FEW * part.numbers.size:
        return PackedPart(evolve(part, codes=small), part.codes.dtype, None)
    short = places.astype(np.uint32) if part.numbers.size < 2**32 else places
    some = part.numbers.shape, short, part.numbers.ravel()[places]
    return PackedPart(evolve(part, codes=small, numbers=part.numbers[:0]), part.codes.dtype, some)
