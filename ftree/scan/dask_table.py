"""A Dask data frame as a table in parts: each worker reads its own partitions, and only counts are sent."""

import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from attrs import field, frozen

from ftree._lib.messages import type_of
from ftree.scan.folds import Answer
from ftree.scan.packed_part import PackedPart, packed
from ftree.scan.parts import Part
from ftree.scan.reading import RawPart


@frozen(eq=False)
class DaskTable:
    """The partitions of a frame."""

    names: tuple[str, ...]
    partitions: tuple[Any, ...] = field(repr=False)

    def fold(self, function: Callable[[RawPart], Answer], merge: Callable[[Answer, Answer], Answer]) -> Answer:
        """The results for all partitions with rows, merged in pairs on the workers."""
        answer: Answer = _fold(partial(_of_partition, function), self.partitions, merge)
        return answer

    def encoded(self, encode: Callable[[RawPart], Part]) -> "DaskParts | None":
        """The rows in code, which the workers make once and keep; None without workers, since this process may lack memory."""
        if not _has_workers():
            return None
        return _kept(partial(_of_partition, _Packing(encode)), self.partitions)


@frozen(eq=False)
class DaskParts:
    """Encoded parts, which the workers keep as long as this is in use."""

    parts: tuple[Any, ...] = field(repr=False)

    def fold(self, function: Callable[[Part], Answer], merge: Callable[[Answer, Answer], Answer]) -> Answer:
        """The results for all parts, merged in pairs on the workers."""
        answer: Answer = _fold(partial(_of_part, function), self.parts, merge)
        return answer

    def encoded(self, encode: Callable[[Part], Part]) -> "DaskParts":
        """The parts in another code, which the workers make once and keep."""
        return _kept(partial(_of_part, _Packing(encode)), self.parts)


def dask_table(frame: Any) -> DaskTable:
    """A Dask data frame as a table for `survey`; persist it first, so that its files are read only once.

    With a client of `distributed`, the workers encode their rows once, and keep them for growth.

    Needs dask with its data frames.

    >>> from ftree.scan import survey
    >>> survey(dask_table(frame.persist()))  # doctest: +SKIP
    """
    if not (hasattr(frame, "columns") and hasattr(frame, "to_delayed")):
        message = f"frame must be a data frame of Dask, got {type_of(frame)}."
        raise TypeError(message)
    return DaskTable(tuple(map(str, frame.columns)), tuple(frame.to_delayed()))


@frozen(eq=False)
class _Packing:
    """A function whose result is a packed part."""

    encode: Callable[[Any], Part]

    def __call__(self, raw: Any) -> PackedPart:
        return packed(self.encode(raw))


def _kept(function: Callable[[Any], list[PackedPart]], items: tuple[Any, ...]) -> DaskParts:
    dask: Any = import_module("dask")
    return DaskParts(dask.persist(*map(dask.delayed(function), items)))


def _fold(function: Callable[[Any], list[Any]], items: tuple[Any, ...], merge: Callable[[Any, Any], Any]) -> Any:
    dask: Any = import_module("dask")  # dask has no types; the frame has loaded it

    answers = [dask.delayed(function)(item) for item in items]
    while len(answers) > 1:
        pairs = zip(answers[::2], answers[1::2], strict=False)
        answers = [*(dask.delayed(_merged)(merge, one, other) for one, other in pairs), *answers[len(answers) // 2 * 2 :]]
    (found,) = dask.compute(*answers)
    if not found:
        message = "source must have at least one row, got none."
        raise ValueError(message)
    return found[0]


def _has_workers() -> bool:
    """Whether a client of `distributed` is active."""
    distributed = sys.modules.get("distributed")
    try:
        return distributed is not None and distributed.default_client() is not None
    except ValueError:  # there is none
        return False


def _of_partition(function: Callable[[RawPart], Any], partition: Any) -> list[Any]:
    return [function({str(name): partition[name] for name in partition.columns})] if len(partition) else []


def _of_part(function: Callable[[Part], Any], part: list[PackedPart]) -> list[Any]:
    return [function(each.unpacked()) for each in part]


def _merged(merge: Callable[[Any, Any], Any], one: list[Any], other: list[Any]) -> list[Any]:
    return [merge(one[0], other[0])] if one and other else one or other
