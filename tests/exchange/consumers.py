"""Programs that answer rows by an export: each a function from a tree and a rule to one from rows to labels and counts."""

import ctypes
import shutil
import sqlite3
import subprocess
from contextlib import closing
from datetime import timedelta
from functools import partial
from math import nan
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import numpy as np
import pytest
from browser import needed

from ftree.exchange import to_c, to_onnx, to_python, to_sql

RULES = ["all_routes", "weighted", "heaviest", "stop_here"]
HALF = pytest.param(lambda sizes: sizes / sizes.sum() / 2, id="half")
# Foreign programs and their Debian packages.
SLOW = {"c": "gcc libc6-dev", "postgres": "postgresql", "ansi in postgres": "postgresql"}


def asked_of(*names):
    """A test of several consumers, by their names; a tuple has further values."""
    listed = [name if isinstance(name, tuple) else (name,) for name in names]
    cases = [
        pytest.param(*each, marks=[pytest.mark.consumer] * (each[0] in SLOW), id="-".join(map(str, each))) for each in listed
    ]
    return pytest.mark.parametrize(["consumer", "depth", "missing"][: len(listed[0])], cases, indirect=["consumer"])


def run(source):
    made = {}
    exec(source, made)  # noqa: S102  # this source is under test
    return made["predict"]


def in_python(tree, missing):
    function = run(to_python(tree, missing=missing))

    def ask(rows):
        counts = [function(row, counts=True) for row in rows] if tree.schema.has_classes else None
        return [function(row) for row in rows], counts

    return ask


# SQL ------------------------------------------------------------------------------------------------------------------


def expressions(tree, missing, dialect):
    """The label or the number, and the count of each class."""
    counts = [to_sql(tree, dialect=dialect, missing=missing, count_of=label) for label in tree.schema.classes]
    return [to_sql(tree, dialect=dialect, missing=missing), *counts]


def told(rows):
    return [row[0] for row in rows], np.array([row[1:] for row in rows], dtype=np.float64)


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def ask_sqlite(asked, schema, rows):
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(f"CREATE TABLE t ({', '.join(quoted(feature.name) for feature in schema.features)})")
        database.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(schema.features))})", rows)
        return database.execute(f"SELECT {', '.join(asked)} FROM t").fetchall()  # as inserted; a column may be named rowid


def in_sqlite(tree, missing):
    asked = expressions(tree, missing, "sqlite")
    return lambda rows: told(ask_sqlite(asked, tree.schema, rows))


TIMES = {
    "date": "DATE",
    "datetime": "TIMESTAMP",
    "datetime in UTC": "TIMESTAMP WITH TIME ZONE",
    "time of day": "TIME",
    "duration": "INTERVAL",
}


def type_of(feature):
    if feature.kind == "numeric":
        return TIMES.get(feature.time, "DOUBLE PRECISION")
    return "INTEGER" if isinstance(feature.values[-1], int) else "TEXT"


def cell_in_sql(cell, feature, number, dialect):
    """A literal; missing numbers of every second row are NaN, which ANSI's SQL does not know."""
    kind = type_of(feature)
    if cell is None:
        return (
            "CAST('NaN' AS DOUBLE PRECISION)"
            if kind[:3] == "DOU" and number % 2 and dialect != "ansi"
            else f"CAST(NULL AS {kind})"
        )
    text = f"{cell.total_seconds()} seconds" if isinstance(cell, timedelta) else str(cell).replace("'", "''")
    return f"CAST('{text}' AS {kind})"


def query(asked, schema, rows, dialect):
    """The making of a table t, and the query for all answers in order."""
    columns = ", ".join(f"{quoted(feature.name)} {type_of(feature)}" for feature in schema.features)
    lines = [
        f"({', '.join([str(number), *(cell_in_sql(*pair, number, dialect) for pair in zip(row, schema.features, strict=True))])})"
        for number, row in enumerate(rows)
    ]
    made = f"CREATE TEMPORARY TABLE t (row_number INTEGER, {columns}); INSERT INTO t VALUES {', '.join(lines)};"
    return made, f"SELECT {', '.join(asked)} FROM t ORDER BY row_number"


def in_duckdb(tree, missing, dialect="duckdb"):
    asked = expressions(tree, missing, dialect)

    def ask(rows):
        made, select = query(asked, tree.schema, rows, dialect)
        with duckdb.connect() as database:
            database.execute(made)
            return told(database.execute(select).fetchall())

    return ask


def in_postgres(server, tree, missing, dialect="postgres"):
    asked = expressions(tree, missing, dialect)

    def ask(rows):
        labels, counts = told([line.split("\t") for line in server(" ".join(query(asked, tree.schema, rows, dialect)))])
        return labels if tree.schema.has_classes else list(map(float, labels)), counts

    return ask


# By dialect, the consumers of its expressions: a test requires some of each.
DATABASES = {
    "ansi": ("ansi", "ansi in postgres"),
    "sqlite": ("sqlite",),
    "duckdb": ("duckdb",),
    "postgres": ("postgres",),
}


# LaTeX ----------------------------------------------------------------------------------------------------------------


def typeset(folder, body, *, packages, kind="article"):
    """What pdfLaTeX prints of a document and logs of it; page.pdf in the folder is the document."""
    program = needed("pdflatex", "texlive-latex-extra texlive-pictures")
    text = f"\\documentclass{{{kind}}}{packages}\\begin{{document}}\n{body}\n\\end{{document}}\n"
    (folder / "page.tex").write_text(text, encoding="utf-8")
    command = [program, "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    made = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)  # noqa: S603  # of Debian
    assert made.returncode == 0, made.stdout[-2000:]
    return made.stdout + (folder / "page.log").read_text(errors="replace")


# C and ONNX -----------------------------------------------------------------------------------------------------------


def compiled(source, name="predict"):
    """The library that gcc makes of a source, whose function has a name."""
    with TemporaryDirectory() as folder:
        stem = Path(folder) / "tree"
        stem.with_suffix(".c").write_text(source, encoding="utf-8")
        warnings = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers", "-O1", "-march=native"]
        command = [shutil.which("gcc"), *warnings, "-shared", "-fPIC", "-o", stem.with_suffix(".so"), stem.with_suffix(".c")]
        subprocess.run(command, check=True, timeout=300)  # noqa: S603  # this call is under test
        library = ctypes.CDLL(str(stem.with_suffix(".so")))
    code = getattr(library, f"{name}_code")  # of an item, each access makes a new function
    code.restype, code.argtypes = ctypes.c_double, [ctypes.c_int, ctypes.c_char_p]
    return library


def in_c(tree, missing):
    library, schema, double = compiled(to_c(tree, missing=missing)), tree.schema, ctypes.POINTER(ctypes.c_double)
    library.predict.restype = ctypes.c_int if schema.has_classes else ctypes.c_double

    def cell(number, value):
        if schema.features[number].kind == "numeric":
            return nan if value is None else value
        return library.predict_code(number, None if value is None else str(value).encode(errors="surrogatepass"))

    def ask(rows):
        cells = np.array([[cell(number, value) for number, value in enumerate(row)] for row in rows])
        counts, labels = np.empty((len(rows), len(schema.classes) or len(schema.response.channels))), []
        for row, own in zip(cells, counts, strict=True):
            pointer = row.ctypes.data_as(double)
            library.predict_counts(pointer, own.ctypes.data_as(double))
            answer = library.predict(pointer)
            labels.append(schema.classes[answer] if schema.has_classes else answer)
        return labels, counts

    return ask


def column(feature, cells):
    """The input of a feature."""
    if feature.kind == "numeric":
        return np.array([[nan if cell is None else cell] for cell in cells])
    if all(type(value) is int for value in feature.values) or all(type(value) is bool for value in feature.values):
        return np.array([[-1 if cell is None else cell] for cell in cells])
    # The empty text is missing, unless it is a value: then an unseen one is.
    gap = "none of them" if "" in feature.values else ""
    return np.array([[gap if cell is None else str(cell)] for cell in cells], dtype=object)


def in_onnx(tree, missing):
    onnx, onnxruntime = pytest.importorskip("onnx"), pytest.importorskip("onnxruntime")
    model = to_onnx(tree, missing=missing)
    onnx.checker.check_model(model)
    session = onnxruntime.InferenceSession(model.SerializeToString())

    def ask(rows):
        cells = zip(tree.schema.features, zip(*rows, strict=True), strict=True)
        given = {feature.name: column(feature, values) for feature, values in cells}
        labels, *counts = session.run([put.name for put in session.get_outputs()], given)
        return labels.tolist(), counts[0] if counts else None

    return ask


CONSUMERS = {
    "python": in_python,
    "sqlite": in_sqlite,
    "duckdb": in_duckdb,
    "ansi": partial(in_duckdb, dialect="ansi"),
    "onnx": in_onnx,
    "c": in_c,
}
