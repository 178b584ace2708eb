"""Exports as programs, by the one law for exports: what Python and SQLite make of a tree is what the tree predicts."""

import sqlite3

import numpy as np
import pytest
from hypothesis import strategies as st

from ftree.exchange import to_python, to_sql
from ftree.testing import chain, check_export

RULES = ["all_routes", "weighted", "heaviest", "stop_here"]


def run(source):
    made = {}
    exec(source, made)  # noqa: S102  # what is tested
    return made["predict"]


def test_python_source_is_what_the_tree_predicts():
    check_export(
        lambda tree, missing: run(to_python(tree, missing=missing)),
        predict=lambda function, rows: [function(row) for row in rows],
        counts=lambda function, rows: np.array([function(row, counts=True) for row in rows]),
        rules=RULES,
        exempt={"deep"},
    )


@pytest.mark.wide
def test_python_source_takes_any_depth():
    check_export(
        lambda tree: run(to_python(tree)),
        predict=lambda function, rows: [function(row) for row in rows],
        given_trees=st.just(chain(3)),
    )


def ask_sqlite(expressions, schema, rows):
    with sqlite3.connect(":memory:") as database:
        names = ", ".join('"' + feature.name.replace('"', '""') + '"' for feature in schema.features)
        database.execute(f"CREATE TABLE t ({names})")
        database.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(schema.features))})", rows)
        return database.execute(f"SELECT {', '.join(expressions)} FROM t ORDER BY rowid").fetchall()


def test_sql_is_what_the_tree_predicts():
    def to(tree, missing):
        label = to_sql(tree, dialect="sqlite", missing=missing)
        counts = [to_sql(tree, dialect="sqlite", missing=missing, count_of=label) for label in tree.schema.classes]
        return tree.schema, label, counts

    check_export(
        to,
        predict=lambda made, rows: [row[0] for row in ask_sqlite([made[1]], made[0], rows)],
        counts=lambda made, rows: np.array(ask_sqlite(made[2], made[0], rows)),
        rules=RULES,
    )
