"""Rows of numbers in the channels of their sums, in place of classes: what counts classes adds up sums of numbers."""

from collections.abc import Callable
from functools import partial
from math import log2
from typing import Any

import numpy as np
from attrs import evolve, frozen
from toolz import compose

from ftree._lib.arrays import Array, Floats, exact_unit
from ftree.data.channels import rows_in_channels
from ftree.scan.parts import Part, SourceSummary
from ftree.scan.table_parts import CountedParts
from ftree.tree.response import BITS


@frozen(eq=False)
class InChannels:
    """A source of numbers as one of classes: each row stands once for each channel of `ftree.data.channels`, as its class.

    So what counts rows by class adds up sums of numbers. A case of each distinct number adds `adds` (K, C) times `unit` (C,).
    """

    source: CountedParts
    adds: Array
    unit: Floats
    summary: SourceSummary

    def fold(self, function: Callable[[Part], Any], merge: Callable[[Any, Any], Any]) -> Any:
        """The sums (..., C) that a function counts in all parts in channels, or its `Values`, merged."""
        answer = self.source.fold(compose(function, partial(_in_channels, self.adds)), merge)
        if isinstance(answer, tuple):
            return tuple([piece._replace(cases=piece.cases * self.unit[piece.label]) for piece in answer])
        return answer * self.unit


def in_channels(source: CountedParts) -> InChannels:
    """A source of numbers as one of classes, which are the channels."""
    summary = source.summary
    rows = rows_in_channels(summary.distinct_targets())
    # Digits that rows_in_channels gives a limb, of which no sum of all cases is rounded.
    bits = min(BITS, int(-log2(exact_unit(sum(summary.class_counts), len(summary.bins)))))
    unit = np.exp2(np.maximum(np.frexp(rows.max(axis=0))[1] - bits, 0))
    adds = (rows / unit).astype(np.int64)
    schema = evolve(summary.schema, classes=tuple(range(len(unit))))
    counts = tuple((np.array(summary.class_counts, np.int64) @ adds * unit).tolist())
    return InChannels(source, adds, unit, evolve(summary, schema=schema, class_counts=counts, response=None))


def _in_channels(adds: Array, part: Part) -> Part:
    """The rows of a part, each once for each channel to which it adds something."""
    weights = adds[part.labels].T if part.weights is None else adds[part.labels].T * part.weights
    channel, row = np.nonzero(weights)
    return Part(part.codes[:, row], part.numbers[:, row], channel.astype(np.uint8), weights[channel, row])
