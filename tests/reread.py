"""Tables read once more, by Python's csv module and Python's numbers, to check a reader's result."""

import csv
import io
import re
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from math import isnan

import numpy as np
import pytest
from attrs import evolve

from ftree import Dataset
from ftree.data import MISSING_WORDS
from ftree.data.coding import decode
from ftree.data.values import missing_among
from ftree.files.delimited import CsvOptions, read_delimited
from ftree.files.sources import sources_of


def cells_of_text(data, delimiter=None, comment=None):
    """The cells of a delimited text as Python's csv module reads it."""
    text = data.decode("utf-8-sig")
    lines = [
        line for line in re.split(r"(?<=\n)|(?<=\r)(?!\n)", text) if comment is None or not line.lstrip().startswith(comment)
    ]
    first = next(line for line in lines if line.strip())
    delimiter = delimiter or ("\t" if "\t" in first.strip() else ",")
    blanks = delimiter == "," and 0 < first.count(",") == first.count(", ")
    layout = {"skipinitialspace": blanks, "delimiter": delimiter, "strict": True}
    try:
        rows = list(csv.reader(io.StringIO("".join(lines), newline=""), **layout))
    except csv.Error:  # blanks between a closing quote and the next cell are none of its text
        closed = re.sub(rf'(?<!")"[ \t]+(?=[{delimiter}\r\n]|$)', '"', "".join(lines))
        rows = list(csv.reader(io.StringIO(closed, newline=""), **layout))
    return [row for row in rows if any(map(str.strip, row))]


def check_csv(data, dataset, *, header=True, delimiter=None, comment=None):
    """A dataset has the cells that Python's csv module finds."""
    if comment is not None and b'"' in data:
        return  # a "comment" inside a quoted cell is text
    rows = cells_of_text(data, delimiter, comment)
    names = [*(feature.name for feature in dataset.schema.features), dataset.schema.target]
    if header:
        first = rows.pop(0)
        if not first[0]:  # row names, which are left out if they are distinct
            first[0] = "Unnamed: 0"
            kept = int("Unnamed: 0" not in names)
            first, rows = first[kept:], [row[kept:] for row in rows]
        assert names == first[: len(names)]
        assert not any(map(str.strip, first[len(names) :]))
    assert len(rows) == len(dataset)
    assert all(len(row) >= len(names) and not any(map(str.strip, row[len(names) :])) for row in rows)
    is_missing = missing_among(MISSING_WORDS)
    for number, name in enumerate(names):
        check_column(dataset, name, typed([row[number] for row in rows], is_missing), is_missing)


def typed(cells, is_missing):
    """Texts as a frame has them: as whole numbers, as numbers, or as booleans, if all that are known are such."""
    known = [cell for cell in cells if not is_missing(cell)]
    truths = "(True|TRUE|true|False|FALSE|false)", lambda text: text[0] in "Tt"
    for form, parse in ((r"\s*[-+]?\d+\s*", int), (r"[\x00-\x5e\x60-\x7f]*", float), truths):
        with suppress(ValueError):
            if all(re.fullmatch(form, cell, re.ASCII) for cell in known):
                return [cell if is_missing(cell) else parse(cell) for cell in cells]
    return cells


def check_rows(given, dataset):
    """A dataset has the cells of the rows."""
    rows = list(map(list, given["rows"]))
    for number, feature in enumerate(dataset.schema.features):
        check_column(dataset, feature.name, [row[number] for row in rows], missing_among(given.get("missing", MISSING_WORDS)))
    check_column(dataset, dataset.schema.target, list(given["labels"]), missing_among(()))


def check_columns(given, dataset):
    """A dataset has the cells of the columns."""
    weights = given.get("weights")
    columns = {
        str(name): values for name, values in given["columns"].items() if not (isinstance(weights, str) and name == weights)
    }
    assert {feature.name for feature in dataset.schema.features} | {dataset.schema.target} == set(columns)
    for name, values in columns.items():
        cells = values.tolist() if values.__class__.__name__ == "MaskedArray" else list(values)
        check_column(dataset, name, cells, missing_among(given.get("missing", MISSING_WORDS)))


def check_column(dataset, name, cells, is_missing):
    """A column, or the labels, are these cells: the same values, the same numbers, or missing."""
    if name == dataset.schema.target:
        kind = plain if dataset.schema.has_classes else lambda cell: float(plain(cell))
        labels = dataset.labels.tolist()
        # Texts in ISO form are dates and times.
        kind = as_number if all(isinstance(label, (date, time)) for label in labels) else kind
        assert [as_number(label) if kind is as_number else label for label in labels] == [kind(cell) for cell in cells]
        return
    number = [feature.name for feature in dataset.schema.features].index(name)
    feature = dataset.schema.features[number]
    known = decode(evolve(feature, time=None), dataset.columns[number])
    assert len(known) == len(cells)
    for cell, value in zip(cells, known, strict=True):
        if plain(cell) not in feature.values and is_missing(cell):
            assert value is None
        elif feature.kind == "numeric":
            number = as_number(plain(cell))
            assert (value is None) == isnan(number), "text such as NAn is no number, in any case of its letters"
            assert value is None or as_number(value) == pytest.approx(number, rel=1e-15)
        else:
            assert value == plain(cell)


def plain(cell):
    """A cell without NumPy's wrapper, None where it is masked."""
    if cell is np.ma.masked:
        return None
    return cell.item() if isinstance(cell, (np.generic, np.ndarray)) else cell


def as_number(cell):
    """A number, or a time in seconds, by Python's own functions."""
    match cell:
        case str() if form := re.match(r"\s*(\d{4}-|\d\d:)", cell):
            return as_number((time if form[1].endswith(":") else datetime).fromisoformat(cell.strip()))
        case datetime():
            return (cell.replace(tzinfo=cell.tzinfo or UTC) - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()
        case date():
            return as_number(datetime(cell.year, cell.month, cell.day, tzinfo=UTC))
        case timedelta():
            return cell.total_seconds()
        case time():
            return timedelta(
                hours=cell.hour, minutes=cell.minute, seconds=cell.second, microseconds=cell.microsecond
            ).total_seconds()
    return float(cell)


def in_blocks(content, *, block, target=-1, kinds=None, missing=MISSING_WORDS, **options):
    """As `Dataset.read_csv`, by pyarrow in blocks of so many bytes; by Python if there are none."""
    chosen = {"target": target, "kinds": kinds, "missing": missing}
    table = read_delimited(sources_of(content), CsvOptions(**options), block=block, **chosen)
    dataset = Dataset.from_frame(table.columns, **chosen)
    return evolve(dataset, origins=table.origins(dataset.origins))
