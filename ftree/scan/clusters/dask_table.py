"""A Dask data frame as a table in parts: each worker reads its own partitions, and only counts are sent."""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from attrs import evolve, field, frozen

from ftree._lib.messages import type_of
from ftree.scan.clusters.packed_part import PackedPart, packed
from ftree.scan.folding import CELLS, Answer, RawPart, fold_answers
from ftree.scan.parts import Part, joined_parts

# Encoded parts for each thread of the workers, so that a thread takes over those of a slower one.
_PER_THREAD = 4


def dask_table(frame: Any) -> "DaskTable":
    """A Dask data frame as a table for `survey`; persist it first, so that its files are read only once.

    With a client of `distributed`, the workers encode their rows once, and keep them for growth.

    Needs dask with its data frames.

    >>> from ftree.scan import survey
    >>> survey(dask_table(frame.persist()))  # doctest: +SKIP
    """
    if not (hasattr(frame, "columns") and hasattr(frame, "to_delayed")):
        raise TypeError(f"frame must be a data frame of Dask, got {type_of(frame)}.")
    return DaskTable(tuple(map(str, frame.columns)), tuple(frame.to_delayed()), _columns)


@frozen(eq=False)
class DaskTable:
    """The partitions of a frame, or encoded parts, which the workers keep as long as this is in use.

    `read` returns the parts in one of the `items`.
    """

    names: tuple[str, ...]
    items: tuple[Any, ...] = field(repr=False)
    read: Callable[[Any], Sequence[Any]] = field(repr=False)

    def fold(self, function: Callable[[Any], Answer], merge: Callable[[Answer, Answer], Answer]) -> Answer:
        """The results for all parts, merged in pairs on the workers."""
        dask: Any = import_module("dask")  # dask has no types; the frame has loaded it
        answers = _delayed(partial(_answers, function, self.read), self.items)
        while len(answers) > 1:
            pairs = zip(answers[::2], answers[1::2], strict=False)
            answers = [*(dask.delayed(_merged)(merge, one, other) for one, other in pairs), *answers[len(answers) // 2 * 2 :]]
        found: Any = dask.compute(*answers)[0]
        answer: Answer = fold_answers(found, merge)
        return answer

    def kept(self, encode: Callable[[Any], Part], n_rows: int) -> "DaskTable | None":
        """The rows in code, which the workers make once and keep; None without workers, since this process may lack memory.

        Small partitions are joined, since each part takes a task and an answer in each scan.
        """
        n, n_threads = len(self.items), _n_threads()
        if not n_threads:
            return None
        size = min(-(-n // (_PER_THREAD * n_threads)), max(CELLS * n // (n_rows * len(self.names)), 1))
        groups = [self.items[begin : begin + size] for begin in range(0, n, size)]
        parts = import_module("dask").persist(*_delayed(partial(_encoded, encode, self.read), groups))
        return evolve(self, items=parts, read=_unpacked)


def _n_threads() -> int:
    """The threads of the active client's workers, 0 without a client of `distributed`."""
    distributed = sys.modules.get("distributed")
    try:
        return 0 if distributed is None else sum(distributed.default_client().nthreads().values())
    except ValueError:  # there is none
        return 0


def _delayed(function: Callable[[Any], list[Any]], items: Sequence[Any]) -> list[Any]:
    """A task for each item."""
    dask: Any = import_module("dask")
    # The function has the routes of a level; as a value of its own it is sent once, and not with each task.
    shared = dask.delayed(function)
    return [dask.delayed(_called)(shared, item) for item in items]


def _called(function: Callable[[Any], Any], item: Any) -> Any:
    return function(item)


def _columns(partition: Any) -> list[RawPart]:
    return [{str(name): partition[name] for name in partition.columns}] if len(partition) else []


def _unpacked(kept: Sequence[PackedPart]) -> list[Part]:
    return [each.unpacked() for each in kept]


def _answers(function: Callable[[Any], Any], read: Callable[[Any], Sequence[Any]], item: Any) -> list[Any]:
    return [function(each) for each in read(item)]


def _encoded(encode: Callable[[Any], Part], read: Callable[[Any], Sequence[Any]], items: Sequence[Any]) -> list[PackedPart]:
    parts = [part for item in items for part in _answers(encode, read, item)]
    return [packed(joined_parts(parts))] if parts else []


def _merged(merge: Callable[[Any, Any], Any], one: list[Any], other: list[Any]) -> list[Any]:
    return [merge(one[0], other[0])] if one and other else one or other
