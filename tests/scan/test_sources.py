"""Tables of every form as sources: the same schema and the same tree as from a frame in memory."""

import datetime as dt
import json
import sys
import tempfile
from types import SimpleNamespace

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import ID3, Branch, Dataset, Feature, Leaf, Schema, Tree, grow, prune
from ftree.growth import search_settings
from ftree.scan import encode_to, open_encoded, source_of, survey
from ftree.scan.batches import Batches, batches_of
from ftree.scan.within_memory import rows_in_nodes
from ftree.stop import max_depth, min_rows
from ftree.tree import Intervals, Oblique

pa = pytest.importorskip("pyarrow")
SOME = ID3.stopping(min_rows(30))


def a_table(n=600):
    """Numbers with gaps, whole numbers, texts, dates, booleans, categories."""
    random = np.random.default_rng(1)
    x = random.normal(size=n)
    x[::17] = np.nan
    days = [dt.date(2020, 1, 1) + dt.timedelta(int(day)) for day in random.integers(0, 300, n)]
    columns = {
        "x": x,
        "a number, of 50": random.integers(0, 50, n),
        "u": [None if u == "c" else u for u in random.choice(list("abc"), n)],
        "d": days,
        "b": random.random(n) > 0.5,
        'a "quoted" name': pa.array(random.choice(["low", "high"], n)).dictionary_encode(),
        "class": np.where(np.nan_to_num(x) + random.normal(size=n) > 0, "yes", "no"),
    }
    return pa.table({name: pa.array(column) for name, column in columns.items()})


@pytest.fixture(scope="module")
def table():
    return a_table()


@pytest.fixture(scope="module")
def tree(table):
    return grow(Dataset.from_frame(table), SOME)


def in_pieces(table):
    return pa.Table.from_batches(table.to_batches(max_chunksize=160))


def parquet(table, folder):
    parquet = pytest.importorskip("pyarrow.parquet")
    for part in range(3):
        parquet.write_table(table.slice(part * 200, 200), folder / f"part-{part}.parquet", row_group_size=80)
    return str(folder / "part-*.parquet")


def relation(table, _):
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("some_table", table)
    return connection.sql("select * from some_table")


FORMS = {
    "Arrow": lambda table, _: in_pieces(table),
    "dataset": lambda table, _: pytest.importorskip("pyarrow.dataset").dataset(in_pieces(table)),
    "Parquet": parquet,
    "polars": lambda table, _: pytest.importorskip("polars").from_arrow(table),
    "DuckDB": relation,
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_table_grows_the_tree_of_its_dataset(form, table, tree, tmp_path):
    source = survey(FORMS[form](table, tmp_path), bins=100)
    assert source.summary.schema == tree.schema
    assert grow(source, SOME) == tree


@pytest.mark.parametrize("bins", [2, 50, 5000])
def test_an_encoded_folder_grows_the_tree_of_its_dataset(bins, table, tree, tmp_path):
    encoded = encode_to(in_pieces(table), tmp_path / "encoded", bins=bins)
    assert grow(encoded, SOME) == tree
    assert grow(open_encoded(tmp_path / "encoded", n_jobs=1), SOME) == tree


def test_weights_are_those_of_a_column(table, tmp_path):
    weights = np.arange(len(table)) % 3
    weighed = table.append_column("weight", pa.array(weights))
    grown = grow(Dataset.from_frame(weighed, target="class", weights="weight"), SOME)
    assert grow(survey(weighed, "class", weights="weight"), SOME) == grown
    assert grow(encode_to(weighed, tmp_path / "encoded", "class", weights="weight"), SOME) == grown


def test_kinds_classes_and_features_are_those_that_are_given(table):
    options = {"kinds": {"a number, of 50": "nominal"}, "classes": ("yes", "no", "perhaps"), "features": ("a number, of 50", "u")}
    source = survey(table, "class", **options)
    dataset = Dataset.from_frame(table, "class", **options)
    assert source.summary.schema == dataset.schema
    assert grow(source, SOME) == grow(dataset, SOME)


def encoded(folder):
    return encode_to(a_table(200), folder / "encoded").parts.table.folder


def test_a_folder_that_is_there_is_kept(tmp_path):
    place = encoded(tmp_path)
    with pytest.raises(FileExistsError, match="folder must be a new one"):
        encode_to(a_table(10), place)


def test_keys_of_a_header_may_be_in_any_order(tmp_path):
    path = encoded(tmp_path) / "table.json"
    path.write_text(json.dumps(dict(reversed(json.loads(path.read_text(encoding="utf-8")).items()))), encoding="utf-8")
    assert open_encoded(path.parent).summary.n_rows == 200


def flipped(content):
    """The same bytes but for one bit."""
    half = len(content) // 2
    return content[:half] + bytes([content[half] ^ 1]) + content[half + 1 :]


ARRAYS, OTHER_SUM = ("codes.bin", "numbers.bin", "labels.bin"), "table.json has another checksum"


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        *((name, flipped, f"block 0 of {name} has another checksum") for name in ARRAYS),
        *((name, lambda old: old[:-1], f"{name} must have [0-9,]+ bytes, got") for name in ARRAYS),
        *((name, lambda _: None, f"{name} must have [0-9,]+ bytes, got 0") for name in ARRAYS),
        ("table.json", lambda old: old.replace(b'"version": 3', b'"version": 2'), "must be of version 3, got 2"),
        ("table.json", lambda old: old.replace(b'"version": 3', b'"version": 4'), "must be of version 3, got 4"),
        ("table.json", lambda old: old.replace(b'"format": "ftree', b'"format": "other'), "is not of the format"),
        ("table.json", lambda old: old.replace(b'"blocks"', b'"bricks"'), OTHER_SUM),
        ("table.json", lambda old: old.replace(b"{", b"[", 1), "is not JSON"),
        ("table.json", lambda old: old.replace(b'"kind": "numeric"', b'"kind": "strange"'), OTHER_SUM),
        ("table.json", lambda old: old.replace(b'"class_counts": [', b'"class_counts": [1, '), OTHER_SUM),
    ],
)
def test_a_changed_folder_is_refused(name, change, message, tmp_path):
    path = encoded(tmp_path) / name
    changed = change(path.read_bytes())
    path.unlink()
    if changed is not None:
        path.write_bytes(changed)
    with pytest.raises(ValueError, match=message):
        open_encoded(path.parent)


def test_an_interrupted_encoding_leaves_nothing(tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("ftree.scan.encoded_folder.crc32", interrupted)
    with pytest.raises(KeyboardInterrupt):
        encode_to(a_table(100), tmp_path / "encoded")
    assert not list(tmp_path.iterdir())


class Changing:
    """A table that gives other rows the second time."""

    def __init__(self, *tables):
        self.tables = list(tables)
        self.schema = tables[0].schema

    def __arrow_c_stream__(self, requested_schema=None):
        table = self.tables.pop(0) if len(self.tables) > 1 else self.tables[0]
        return table.__arrow_c_stream__(requested_schema)


def test_rows_that_change_between_two_looks_are_found(tmp_path):
    table = a_table(100)
    renamed = table.rename_columns(["y", *table.column_names[1:]])
    # The first scan reads the names, the second is the survey.
    with pytest.raises(ValueError, match="same rows each time, got other class counts"):
        encode_to(Changing(table, table, table.slice(0, 50)), tmp_path / "fewer")
    with pytest.raises(ValueError, match="must have the columns of the first scan"):
        encode_to(Changing(table, table, renamed), tmp_path / "renamed")
    with pytest.raises(ValueError, match="same rows each time"):
        grow(survey(Changing(table, table, table.slice(0, 50))), SOME)
    assert not list(tmp_path.iterdir())


def test_a_file_that_changes_after_the_survey_is_found(tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    path, table = tmp_path / "table.parquet", a_table(100).select(["u", "d", "a number, of 50", "class"])
    pq.write_table(table, path)
    source = survey(path)
    strange = pa.array(["never seen"] * 100)
    for other, message in (
        (table.drop(["d"]), r"must have the column 'd' in each file, got '.*table.parquet' without it"),
        (
            table.set_column(2, "a number, of 50", pa.nulls(100, pa.int64())),
            "'a number, of 50' must have the values of the survey",
        ),
        (table.set_column(1, "d", pa.nulls(100, pa.date32())), "'d' must have the values of the survey"),
        (table.set_column(3, "class", strange), "must have the classes of the survey"),
    ):
        pq.write_table(other, path)
        with pytest.raises(ValueError, match=message):
            grow(source, SOME)
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(ValueError, match="which can no longer be read"):
        grow(source, SOME)


def test_a_folder_that_changes_after_it_was_opened_is_found(tmp_path):
    source = encode_to(a_table(100), tmp_path / "encoded")
    path = tmp_path / "encoded" / "codes.bin"
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(
        ValueError, match=r"must be as encode_to has written it, got .*: codes.bin was changed since it was opened"
    ):
        grow(source, SOME)
    path.unlink()
    with pytest.raises(
        ValueError, match=r"must be as encode_to has written it, got .*: codes.bin was changed since it was opened"
    ):
        grow(source, SOME)


def with_values_in_another_order(table, name):
    shuffled = np.random.default_rng(0).permutation(table[name].to_numpy(zero_copy_only=False))
    return table.set_column(table.column_names.index(name), name, pa.array(shuffled))


@pytest.mark.parametrize("looks", range(3, 9))
def test_values_that_change_while_rows_stay_are_found(looks):
    # A table that changes before the first scan of growth is another table, with a tree of its own.
    table = a_table(300)
    other = with_values_in_another_order(table, "class")
    with pytest.raises(ValueError, match=r"must have the same rows each time, got other (class )?counts"):
        grow(survey(Changing(*[table] * looks, other), bins=5), ID3)


def test_rows_that_change_before_they_are_read_into_memory_are_found():
    table = a_table(300).select(["b", "a number, of 50", "class"])
    source, changed = survey(table), survey(with_values_in_another_order(table, "class"))

    class ChangingLast:
        """A table whose rows change, but not their counts."""

        def fold(self, function, merge):
            _, asked = function.args
            last = getattr(asked, "func", None) is rows_in_nodes
            return (changed if last else source).parts.table.fold(function, merge)

    parts = evolve(source.parts, table=ChangingLast())
    with pytest.raises(ValueError, match="got other counts than in an earlier scan"):
        grow(evolve(source, parts=parts, memory=100 * 40 * 4), SOME)


@pytest.mark.parametrize(("x", "gaps"), [([1.0, None, 3.0], set()), (["a", None, "b"], set()), ([None, None, "b"], {0})])
def test_a_missing_value_in_a_row_without_weight_is_no_gap(x, gaps):
    table = pa.table({"x": x, "w": [1, 0, 2], "class": ["a", "b", "b"]})
    source = survey(table, "class", weights="w")
    assert (source.gaps(), source.class_counts()) == (gaps, (1, 2))
    assert grow(source, ID3) == grow(Dataset.from_frame(table, "class", weights="w"), ID3)


class Elsewhere:
    """A table in parts that is not read in batches."""

    names = ("x", "class")

    def fold(self, function, _):
        return function({"x": [1.0, 2.0], "class": ["a", "b"]})


LABELLED = pa.table({"x": [1.0, 2.0], "w": [0.5, 1.5], "class": ["a", "b"]})
OF_TWO_TYPES = [{"x": np.array([1.0, 2.0]), "class": ["a", "b"]}, {"x": ["one", "two"], "class": ["a", "b"]}]


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda: survey(3), TypeError, "source must be Parquet files"),
        (lambda: survey(a_table(5).to_reader()), TypeError, "more than once, got a RecordBatchReader"),
        (lambda: survey("nowhere-*.parquet"), FileNotFoundError, "must match at least one file"),
        (lambda: survey(a_table(5).slice(0, 0)), ValueError, "must have at least one row"),
        (lambda: survey(LABELLED.set_column(2, "class", pa.array(["a", None]))), ValueError, "must have a label in every row"),
        (lambda: survey(LABELLED, weights="w"), ValueError, "whole numbers from 0"),
        (
            lambda: survey(Batches(("x", "class"), lambda: iter(OF_TWO_TYPES))),
            ValueError,
            "'x' must have one type, got numbers",
        ),
        (lambda: encode_to(Elsewhere(), "encoded"), TypeError, "must be a table that is read in batches, got an? .*Elsewhere"),
        *((lambda n=n: survey(a_table(3), bins=n), ValueError, f"from 2 to 60000, got {n}") for n in (1, 60_001, 2.5, True)),
    ],
)
def test_what_is_no_table_is_refused(ask, error, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=message):
        ask()


def test_empty_batches_are_passed_over():
    table = a_table(60)

    class WithEmptyBatches:
        def fetch_record_batch(self, _):
            nothing = pa.RecordBatch.from_pylist([], schema=table.schema)
            return pa.RecordBatchReader.from_batches(table.schema, [nothing, *table.to_batches(), nothing])

    assert survey(WithEmptyBatches()).summary.n_rows == 60


def test_without_pyarrow_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'ftrees\[scan\]'"):
        batches_of("some.parquet")


def test_classes_of_every_type_that_json_can_write_come_back(tmp_path):
    days = [dt.date(2020, 1, 1), dt.date(2020, 1, 2)]
    found = encode_to(pa.table({"x": [1.0, 2.0], "class": pa.array(days)}), tmp_path / "encoded").summary.schema
    assert found == Schema([Feature("x", "numeric")], "class", days)


def test_streams_and_folders_finish_in_memory_and_count_nodes(tmp_path):
    table = a_table(600).select(["a number, of 50", "b", "class"])
    dataset = Dataset.from_frame(table)
    tree = grow(dataset, SOME)
    source = survey(in_pieces(table))
    for each in (source, encode_to(source, tmp_path / "encoded")):
        assert grow(evolve(each, memory=100 * 40 * 4), SOME) == tree
        assert prune.reduced_error(each)(tree) == prune.reduced_error(dataset)(tree)
        assert each.count_nodes(tree)[0] == tree.root.counts


def test_growth_goes_on_from_a_tree():
    table = a_table(400)
    dataset = Dataset.from_frame(table)
    start = grow(dataset, ID3.stopping(max_depth(1)))
    assert grow(survey(table), SOME, start=start) == grow(dataset, SOME, start=start)
    two = Tree(dataset.schema, Branch(start.root.counts, Intervals(1, (10.0, 20.0)), [Leaf(start.root.counts)] * 3))
    with pytest.raises(TypeError, match="must be a Threshold in a source"):
        grow(survey(table), SOME, start=two)
    oblique = Tree(dataset.schema, Branch((2, 2), Oblique((1.0, 1.0, 0, 0, 0, 0), 2.0), [Leaf((1, 1))] * 2))
    with pytest.raises(TypeError, match="must use one feature"):
        grow(survey(table), SOME, start=oblique)


def test_a_line_of_progress_tells_rows_of_a_look_and_bytes_of_all_looks():
    told, parts = [], source_of(Dataset.from_rows([[1.0]] * 5, list("aabba")), bins=4).parts
    watched = parts.watched(SimpleNamespace(rows=lambda *figures: told.append(figures)))
    size = watched.fold(lambda part: part.codes.nbytes + part.labels.nbytes, int.__add__)
    watched.fold(len, int.__add__)
    assert told == [(5, 5, size), (5, 5, 2 * size)]
    with pytest.raises(ValueError, match="must have the same rows each time, got 5 after 4 in the survey"):
        evolve(watched, n_rows=4).fold(len, int.__add__)
    assert told[2:] == [(4, 4, 3 * size)], "never more than all, even if rows have been added"


def test_vectors_are_not_counted():
    dataset = Dataset.from_rows([[1.0], [2.0]], ["a", "b"])
    engine = source_of(dataset).start_engine(ID3, search_settings(ID3, dataset), "ignore")
    with pytest.raises(TypeError, match="splits must be splitters of one feature"):
        engine.joint([0])


TYPES = [pa.null(), pa.bool_(), pa.int8(), pa.int64(), pa.float32(), pa.float64(), pa.string(), pa.timestamp("s"), pa.time32("s")]
OF_TYPE = {pa.bool_(): [True, False], pa.string(): ["a", "b"], pa.null(): [None, None]}


@given(st.lists(st.sampled_from(TYPES), min_size=1, max_size=3))
def test_files_of_several_types_are_read_as_the_type_that_holds_all_or_refused_alike(types):
    with tempfile.TemporaryDirectory() as folder:
        for number, kind in enumerate(types):
            x = pa.array(OF_TYPE.get(kind, [1 + number, 2 + number]), kind)
            pytest.importorskip("pyarrow.parquet").write_table(
                pa.table({"x": x, "class": ["a", "b"]}), f"{folder}/{number}.parquet"
            )
        path = f"{folder}/*.parquet"
        found = [tree_or_error(lambda: grow(Dataset.read(path))), tree_or_error(lambda: grow(survey(path)))]
    assert found[0] == found[1]
    assert isinstance(found[0], str) == (len(families(types)) > 1)


def families(types):
    """Types without a common one; nulls are of any."""
    numbers = dict.fromkeys(TYPES[2:6], "number")
    return {numbers.get(kind, kind) for kind in types} - {pa.null()}


def tree_or_error(made):
    try:
        return made()
    except ValueError as error:
        return str(error)
