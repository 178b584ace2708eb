"""Columns of a delimited file read by an engine, block by block: floats where all cells are numbers, else distinct texts.

An engine's numbers are used where they cannot differ from Python's: finite, and so small that all whole numbers are floats.
A column with any other cell is read as text from its first row on, and the library's rules decide about each distinct text.
"""

import os
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import chain, repeat
from typing import Any, TypeAlias

import numpy as np

from ftree.data.csv_blocks import Irregular, Shape, blocks_of, check_no_blank_record, check_regular, shape_of
from ftree.data.csv_engines import CsvEngine
from ftree.data.csv_layout import Layout
from ftree.data.csv_parts import FloatColumn, Numbers, Part, TextColumn
from ftree.data.encoded import Encoded
from ftree.data.sources import Source

# More threads take more memory, and have to wait for the file.
_MOST_THREADS = 4


Block: TypeAlias = tuple[Shape, bytes]


def read_columns(sources: Sequence[Source], layout: Layout, engine: CsvEngine) -> dict[str, Numbers | Encoded]:
    r"""The columns of files that have the same columns.

    Raises `Irregular` for files that Python's reader must read.

    >>> from ftree.data.csv_engines import ENGINES
    >>> from ftree.data.sources import sources_of
    >>> columns = read_columns(sources_of(b"a,b\n1,x\n2,y\n"), Layout(), ENGINES["pyarrow"])
    >>> columns["a"].floats.tolist(), columns["b"].values
    ([1.0, 2.0], ['x', 'y'])
    """
    blocks = _blocks(sources, layout)
    first = next(blocks)
    parts = _parts(first, layout, engine, layout.as_text(first[0].names), first[0].names)
    columns = {name: FloatColumn() if isinstance(part, Numbers) else TextColumn() for name, part in parts.items()}
    texts = {name for name, column in columns.items() if isinstance(column, TextColumn)}
    # A block is read again where a cell is missing in a column that was read directly as floats.
    some_missing = any(isinstance(part, Numbers) and part.missing for part in parts.values())
    read = _parts if some_missing else _expected_parts
    work = partial(read, layout=layout, engine=engine, as_text=texts, names=first[0].names)
    late: set[str] = set()
    for each in chain([parts], _side_by_side(work, blocks)):
        late |= {name for name in columns.keys() - late if not columns[name].add(each[name])}
    # A column of numbers up to a later block is a text column, and so is a column without known cells.
    late |= {name for name, column in columns.items() if column.is_unknown()}
    if late:
        columns |= {name: TextColumn() for name in late}
        again = partial(_parts, layout=layout, engine=engine, as_text=late, names=sorted(late))
        for each in _side_by_side(again, _blocks(sources, layout)):
            for name, part in each.items():
                columns[name].add(part)
    return {name: columns.pop(name).whole() for name in first[0].names}


def _blocks(sources: Sequence[Source], layout: Layout) -> Iterator[Block]:
    """The blocks of all files without their headers; the columns of all files must be those of the first."""
    names: tuple[str, ...] = ()
    for source in sources:
        blocks = blocks_of(source)
        first = next(blocks, b"")
        shape = shape_of(first, layout.header, layout.delimiter)
        names = names or shape.names
        contents = filter(None, chain([first[shape.start :]], blocks))
        content = next(contents, None)
        if shape.names != names or content is None:
            raise Irregular
        yield from zip(repeat(shape), chain([content], contents), strict=False)


def _parts(block: Block, layout: Layout, engine: CsvEngine, as_text: Collection[str], names: Sequence[str]) -> dict[str, Part]:
    """The columns of a block: texts for those in `as_text` and those with a cell that is neither a number nor missing."""
    shape, content = block
    check_regular(content, shape.delimiter, layout.comment)
    found = engine.read(content, shape, names, ())
    numbers = {name: None if name in as_text else _numbers(engine, column, layout) for name, column in found.items()}
    whole = numbers.get(shape.names[0])
    if whole is None or whole.missing:  # otherwise every record has a number
        check_no_blank_record(content, shape.delimiter)
    return {name: engine.encode(found[name]) if part is None else part for name, part in numbers.items()}


def _expected_parts(
    block: Block, layout: Layout, engine: CsvEngine, as_text: Collection[str], names: Sequence[str]
) -> dict[str, Part]:
    """As `_parts`, for a block whose columns should be numbers except those in `as_text`; numbers are then never read as text."""
    shape, content = block
    check_regular(content, shape.delimiter, layout.comment)
    numbers = [name for name in names if name not in as_text]
    try:
        found = engine.read(content, shape, names, numbers) if shape.names[0] in numbers else {}
    except Irregular:
        found = {}
    floats = {name: np.asarray(found[name]) for name in numbers if name in found}
    if not floats or not all(map(layout.are_numbers, floats.values())):
        return _parts(block, layout, engine, as_text, names)
    return {name: Numbers(floats[name]) if name in floats else engine.encode(found[name]) for name in names}


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


def _side_by_side(work: Callable[[Block], dict[str, Part]], blocks: Iterable[Block]) -> Iterator[dict[str, Part]]:
    """The results for all blocks in order, by several threads; a few blocks are in memory at a time."""
    n = min(len(os.sched_getaffinity(0)), _MOST_THREADS)
    waiting: deque[Future[dict[str, Part]]] = deque()
    with ThreadPoolExecutor(n) as pool:
        for block in blocks:
            waiting.append(pool.submit(work, block))
            if len(waiting) > n:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
