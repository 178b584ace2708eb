"""Columns of a delimited file read by an engine, block by block: floats where all cells are numbers, else distinct texts.

A column with any other cell is read as text from its first row on, and the library's rules decide about each distinct text.
"""

import os
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import TypeVar

from ftree.data import csv_blocks
from ftree.data.csv_block_parts import Block, expected_parts, parts_of, typed_parts
from ftree.data.csv_blocks import Irregular, blocks_of, check_regular, shape_of
from ftree.data.csv_engines import CsvEngine
from ftree.data.csv_layout import Layout
from ftree.data.csv_parts import FloatColumn, Numbers, Part, TextColumn
from ftree.data.encoded import Encoded
from ftree.data.sources import Source

Result = TypeVar("Result")

# More threads take more memory, and have to wait for the file.
_MOST_THREADS = 4


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
    parts = parts_of(first, layout, engine, layout.as_text(first[0].names), first[0].names)
    columns = {name: FloatColumn() if isinstance(part, Numbers) else TextColumn() for name, part in parts.items()}
    texts = {name for name, column in columns.items() if isinstance(column, TextColumn)}
    # A block is read again where a cell is missing in a column that was read directly as floats.
    some_missing = any(isinstance(part, Numbers) and part.missing for part in parts.values())
    read = parts_of if some_missing else expected_parts
    work = partial(read, layout=layout, engine=engine, as_text=texts, names=first[0].names)
    late: set[str] = set()
    whole = None if some_missing else _whole_files(sources, layout, engine, texts)
    for each in whole or chain([parts], _side_by_side(work, blocks)):
        late |= {name for name in columns.keys() - late if not columns[name].add(each[name])}
    # A column of numbers up to a later block is a text column, and so is a column without known cells.
    late |= {name for name, column in columns.items() if column.is_unknown()}
    if late:
        columns |= {name: TextColumn() for name in late}
        again = partial(parts_of, layout=layout, engine=engine, as_text=late, names=sorted(late))
        for each in _side_by_side(again, _blocks(sources, layout)):
            for name, part in each.items():
                columns[name].add(part)
    names = first[0].names
    with ThreadPoolExecutor(_n_threads()) as pool:  # a column's parts are freed as soon as it is whole
        return dict(zip(names, pool.map(lambda name: columns.pop(name).whole(), names), strict=True))


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


def _whole_files(
    sources: Sequence[Source], layout: Layout, engine: CsvEngine, as_text: Collection[str]
) -> list[dict[str, Part]] | None:
    """The columns of each file, all rows at once, by an engine that reads a file faster than its blocks; None where it cannot."""
    paths = [source.path for source in sources if source.path and Path(source.path).stat().st_size > csv_blocks.BLOCK]
    if engine.read_file is None or len(paths) < len(sources):
        return None
    found: list[dict[str, Part]] = []
    for source, path in zip(sources, paths, strict=True):
        shape, _ = next(_blocks([source], layout))
        with ThreadPoolExecutor(1) as beside:
            checked = beside.submit(_check_blocks, source, layout)
            parts = typed_parts(partial(engine.read_file, path, shape), shape, shape.names, layout, engine, as_text)
            checked.result()
        if parts is None or (found and list(parts) != list(found[0])):
            return None
        found.append(parts)
    return found


def _check_blocks(source: Source, layout: Layout) -> None:
    for shape, content in _blocks([source], layout):
        check_regular(content, shape.delimiter, layout.comment)


def _side_by_side(work: Callable[[Block], Result], blocks: Iterable[Block]) -> Iterator[Result]:
    """The results for all blocks in order, by several threads; a few blocks are in memory at a time."""
    n = _n_threads()
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(n) as pool:
        for block in blocks:
            waiting.append(pool.submit(work, block))
            if len(waiting) > n:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _n_threads() -> int:
    return min(len(os.sched_getaffinity(0)), _MOST_THREADS)
