"""A block of a delimited file as parts of its columns: floats where all cells are numbers, else distinct texts.

An engine's numbers are used where they cannot differ from Python's: finite, and so small that all whole numbers are floats.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from ftree.data.csv_blocks import Irregular, Shape, check_no_blank_record, check_regular
from ftree.data.csv_engines import CsvEngine
from ftree.data.csv_layout import Layout
from ftree.data.csv_parts import Numbers, Part

Block: TypeAlias = tuple[Shape, bytes]


def parts_of(block: Block, layout: Layout, engine: CsvEngine, as_text: Collection[str], names: Sequence[str]) -> dict[str, Part]:
    """The columns of a block: texts for those in `as_text` and those with a cell that is neither a number nor missing."""
    shape, content = block
    check_regular(content, shape.delimiter, layout.comment)
    found = engine.read(content, shape, names, ())
    if not all(map(len, found.values())):  # nothing but empty lines: perhaps there are no rows at all
        raise Irregular
    numbers = {name: None if name in as_text else _numbers(engine, column, layout) for name, column in found.items()}
    whole = numbers.get(shape.names[0])
    if whole is None or whole.missing:  # otherwise every record has a number
        check_no_blank_record(content, shape.delimiter)
    return {name: engine.encode(found[name]) if part is None else part for name, part in numbers.items()}


def expected_parts(
    block: Block, layout: Layout, engine: CsvEngine, as_text: Collection[str], names: Sequence[str]
) -> dict[str, Part]:
    """As `parts_of`, for a block whose columns should be numbers except those in `as_text`; so numbers are never read as text."""
    shape, content = block
    check_regular(content, shape.delimiter, layout.comment)
    found = typed_parts(partial(engine.read, content, shape, names), shape, names, layout, engine, as_text)
    return found or parts_of(block, layout, engine, as_text, names)


def typed_parts(
    read: Callable[[Collection[str]], Mapping[str, Any]],
    shape: Shape,
    names: Sequence[str],
    layout: Layout,
    engine: CsvEngine,
    as_text: Collection[str],
) -> dict[str, Part] | None:
    """Columns as `read` gives them for the names of numbers, all but those in `as_text`; None where only texts can decide."""
    numbers = [name for name in names if name not in as_text]
    if shape.names[0] not in numbers:  # a number in every record shows that none is blank
        return None
    try:
        found = read(numbers)
    except Irregular:
        return None
    floats = {name: np.asarray(found[name]) for name in numbers}
    if not all(map(layout.are_numbers, floats.values())):
        return None
    return {name: Numbers(floats[name]) if name in floats else engine.encode(column) for name, column in found.items()}


def _numbers(engine: CsvEngine, column: Any, layout: Layout) -> Numbers | None:
    """A column as floats; None if a cell is neither a missing text nor a number that Python would read alike."""
    found: Mapping[str, int] = {}
    floats = engine.floats(column)
    if floats is None or np.isnan(floats).any():
        known, found = engine.without(column, layout.words)
        floats = engine.floats(known) if found else None
    if floats is None or not layout.are_numbers(floats, sum(found.values())):
        return None
    return Numbers(floats, frozenset(found))
