"""SQL: DuckDB and PostgreSQL compute from it what the tree predicts, row by row."""

import os
import shutil
import subprocess
from contextlib import contextmanager
from glob import glob
from math import inf, nan
from tempfile import TemporaryDirectory

import duckdb
import numpy as np
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from test_linear_programs import ON, TREES, TWIG, modelled, rows_of
from test_linear_programs import RULES as LINEAR
from test_times import KINDS, queries, trees_of_times

from ftree import Leaf, datasets, grow, predict, predict_counts
from ftree.exchange import to_sql
from ftree.testing import chain
from ftree.testing.strategies import branch_of
from ftree.tree import Threshold

RULES = ["all_routes", "weighted", "heaviest", "stop_here", lambda sizes: sizes / sizes.sum() / 2]
IDS = [*map(str, RULES[:4]), "half"]


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def kind_of(feature):
    if feature.kind == "numeric":
        return "DOUBLE PRECISION"
    return "INTEGER" if isinstance(feature.values[-1], int) else "TEXT"


def view_without_nan(features):
    """SQL that makes the view v, the table t with NULL in place of NaN, which ANSI's SQL does not know."""
    nan = "CAST('NaN' AS DOUBLE PRECISION)"
    names = [(quoted(feature.name), feature.kind == "numeric") for feature in features]
    columns = ", ".join(f"NULLIF({name}, {nan}) AS {name}" if is_number else name for name, is_number in names)
    return f"CREATE VIEW v AS SELECT number, {columns} FROM t"


def in_sql(tree, dialect, missing, ask):
    """The labels and the counts of all rows of the table t, or for ANSI's SQL of the view v."""
    label = to_sql(tree, dialect=dialect, missing=missing)
    counts = [to_sql(tree, dialect=dialect, missing=missing, count_of=label) for label in tree.schema.classes]
    found = ask(f"SELECT {', '.join([label, *counts])} FROM {'v' if dialect == 'ansi' else 't'} ORDER BY number")
    return [row[0] for row in found], np.array([row[1:] for row in found], dtype=np.float64)


def held(tree, rows, missing, found):
    labels, counts = found
    assert labels == predict(tree, rows, missing=missing)
    np.testing.assert_allclose(counts, predict_counts(tree, rows, missing=missing), rtol=1e-9, atol=1e-12)


def with_nan(rows):
    """The rows with NaN in place of some of the missing numbers."""
    return [[nan if cell is None and place in {0, 3} and row[1] else cell for place, cell in enumerate(row)] for row in rows]


@pytest.fixture(scope="module")
def rows(mixed_rows):
    return mixed_rows[0]


@pytest.fixture(scope="module")
def asked(mixed_rows):
    """The rows with infinities, which stand in the tables."""
    return mixed_rows[1]


@pytest.fixture(scope="module")
def in_duckdb(mixed_tree, asked):
    with duckdb.connect() as database:
        columns = ", ".join(f"{quoted(feature.name)} {kind_of(feature)}" for feature in mixed_tree.schema.features)
        database.execute(f"CREATE TABLE t (number INTEGER, {columns})")
        cells = [list(column) for column in zip(*with_nan(asked), strict=True)]
        for low in range(0, len(asked), 1000):
            part = [column[low : low + 1000] for column in [list(range(len(asked))), *cells]]
            database.execute(f"INSERT INTO t SELECT {', '.join(['unnest(?)'] * len(part))}", part)
        database.execute(view_without_nan(mixed_tree.schema.features))
        yield lambda query: database.execute(query).fetchall()


@pytest.mark.parametrize("missing", RULES, ids=IDS)
def test_duckdb_says_what_the_tree_predicts(mixed_tree, rows, in_duckdb, missing):
    held(mixed_tree, rows, missing, in_sql(mixed_tree, "duckdb", missing, in_duckdb))


@pytest.mark.parametrize("missing", ["weighted", "stop_here"])
def test_duckdb_takes_the_ANSI_dialect_as_it_is(mixed_tree, rows, in_duckdb, missing):
    held(mixed_tree, rows, missing, in_sql(mixed_tree, "ansi", missing, in_duckdb))


@pytest.fixture(scope="module")
def in_postgres(mixed_tree, asked, needed):
    """PostgreSQL on a socket in a folder of its own; it refuses to run as root."""
    found = sorted(glob("/usr/lib/postgresql/*/bin/initdb"))  # noqa: PTH207  # a pattern from the root
    programs = needed(found[-1] if found else None, "postgresql").removesuffix("initdb")
    user = "postgres" if os.getuid() == 0 else None
    # Not in pytest's folder, which other users may not enter.
    with TemporaryDirectory(prefix="ftree-postgres-") as folder:
        if user:
            shutil.chown(folder, user)
        with started(programs, folder, user, mixed_tree, asked) as ask:
            yield ask


@contextmanager
def started(programs, folder, user, tree, rows):
    """A function that queries a server with the table t, while the server runs."""
    psql = [f"{programs}psql", "-qAt", "-h", folder, "-d", "postgres", *(["-U", user] if user else [])]

    def run(*command, **options):
        options |= {"user": user, "cwd": folder, "capture_output": True, "text": True, "timeout": 300}
        return subprocess.run(command, check=True, **options).stdout  # noqa: S603  # programs of Debian

    run(f"{programs}initdb", "-D", f"{folder}/data", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
    start = ["-o", f"-c listen_addresses= -k {folder}", "-l", f"{folder}/log", "-w", "start"]
    run(f"{programs}pg_ctl", "-D", f"{folder}/data", *start)
    try:
        columns = ", ".join(f"{quoted(feature.name)} {kind_of(feature)}" for feature in tree.schema.features)
        lines = ["\t".join([str(number), *map(_copied, row)]) for number, row in enumerate(with_nan(rows))]
        run(*psql, input="\n".join([f"CREATE TABLE t (number INTEGER, {columns});", "COPY t FROM STDIN;", *lines, "\\.", ""]))
        run(*psql, input=f"{view_without_nan(tree.schema.features)};")
        yield lambda query: [line.split("\t") for line in run(*psql, "-F", "\t", input=query).splitlines()]
    finally:
        run(f"{programs}pg_ctl", "-D", f"{folder}/data", "-m", "immediate", "stop")


def _copied(cell):
    if cell is None:
        return "\\N"
    return cell.replace("\\", "\\\\") if isinstance(cell, str) else repr(cell)


@pytest.mark.consumer
@pytest.mark.parametrize("missing", RULES, ids=IDS)
def test_postgres_says_what_the_tree_predicts(mixed_tree, rows, in_postgres, missing):
    held(mixed_tree, rows, missing, in_sql(mixed_tree, "postgres", missing, in_postgres))


@pytest.mark.consumer
def test_postgres_takes_the_ANSI_dialect_as_it_is(mixed_tree, rows, in_postgres):
    held(mixed_tree, rows, "all_routes", in_sql(mixed_tree, "ansi", "all_routes", in_postgres))


def queries_of_models(tree, rows, dialect, missing):
    """A query of each row, with NaN in place of some of the missing numbers."""
    written = to_sql(tree, dialect=dialect, missing=missing)
    for number, row in enumerate(rows):
        nan = "CAST('NaN' AS DOUBLE PRECISION)" if number % 2 else "CAST(NULL AS DOUBLE PRECISION)"
        texts = ["CAST(NULL AS TEXT)" if cell is None else f"'{cell}'" for cell in row[1:3]]
        first, last = (nan if cell is None else f"CAST({cell} AS DOUBLE PRECISION)" for cell in (row[0], row[3]))
        yield f"SELECT {written} FROM (SELECT {first} AS c0, {texts[0]} AS sky, {texts[1]} AS size, {last} AS c1) AS cells"


def near(found, tree, rows, missing):
    told = [float(answer) for (answer,) in found]
    np.testing.assert_allclose(told, predict(tree, rows, missing=missing), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("missing", LINEAR)
@given(TREES, ON, st.integers(0, 99))
@settings(max_examples=5)
def test_duckdb_computes_linear_models(missing, tree, on, seed):
    tree, rows = modelled(tree, on, seed), rows_of(seed + 1, 15)
    with duckdb.connect() as database:
        found = [database.execute(query).fetchone() for query in queries_of_models(tree, rows, "duckdb", missing)]
    near(found, tree, rows, missing)


def test_an_infinite_model_of_a_leaf_counts_only_for_rows_that_reach_it():
    leaf = Leaf((0, 0, 0))
    twig = branch_of(Threshold(0, 1.5), [branch_of(Threshold(3, 0.0), [leaf, leaf]), leaf])
    tree = modelled(evolve(TWIG, root=twig), ["c1"], 3, 200)
    (query,) = queries_of_models(tree, [[None, "a", "S", "'infinity'"]], "duckdb", "weighted")
    with duckdb.connect() as database:
        assert database.execute(query).fetchone() == (-inf,)


@pytest.mark.consumer
@pytest.mark.parametrize("missing", LINEAR)
@given(TREES, ON, st.integers(0, 99))
@settings(max_examples=5)
def test_postgres_computes_linear_models(in_postgres, missing, tree, on, seed):
    tree, rows = modelled(tree, on, seed), rows_of(seed + 1, 15)
    near(in_postgres("; ".join(queries_of_models(tree, rows, "postgres", missing))), tree, rows, missing)


@pytest.mark.consumer
@pytest.mark.parametrize("kind", KINDS)
@given(st.data(), st.sampled_from(RULES[:4]))
@settings(max_examples=5)
def test_postgres_compares_its_times(in_postgres, kind, data, missing):
    tree, rows = data.draw(trees_of_times(kind))
    found = in_postgres("; ".join(queries(tree, kind, rows, "postgres", missing)))
    assert [label for (label,) in found] == predict(tree, rows, missing=missing)


@pytest.mark.consumer
def test_a_strict_parser_reads_the_ANSI_dialect(needed_module):
    """sqlfluff knows ANSI's grammar; its lexer reads \\ in a text as an escape, which ANSI SQL does not."""
    sqlfluff, tree = needed_module("sqlfluff"), grow(datasets.weather())
    for missing in RULES:
        sqlfluff.parse(f"SELECT {to_sql(tree, missing=missing)} FROM days\n", dialect="ansi")


@pytest.mark.parametrize(("depth", "missing"), [(200, "stop_here"), (30, "weighted")])
def test_deep_trees_in_duckdb(depth, missing):
    tree = chain(depth)
    cells = [0.0, 1.5, depth / 2, 2.0 * depth, None]
    with duckdb.connect() as database:
        found = database.execute(
            f"SELECT {to_sql(tree, dialect='duckdb', missing=missing)} FROM (SELECT unnest(?) AS x)", [cells]
        )
        assert [label for (label,) in found.fetchall()] == predict(tree, [[cell] for cell in cells], missing=missing)


@pytest.mark.consumer
@pytest.mark.parametrize(("depth", "missing"), [(200, "stop_here"), (30, "weighted")])
def test_deep_trees_in_postgres(depth, missing, in_postgres):
    tree = chain(depth)
    cells = [0.0, 1.5, depth / 2, 2.0 * depth, None]
    listed = ", ".join("NULL" if cell is None else repr(cell) for cell in cells)
    values = f"(SELECT * FROM unnest(ARRAY[{listed}]::double precision[]) WITH ORDINALITY AS given(x, number)) AS given"
    found = in_postgres(f"SELECT {to_sql(tree, dialect='postgres', missing=missing)} FROM {values} ORDER BY number")
    assert [label for (label,) in found] == predict(tree, [[cell] for cell in cells], missing=missing)
