"""Tables of every form and kind as sources: the schema and the tree of a frame in memory; a table that changes is found."""

import datetime as dt
import json
import sys
import tempfile
from hashlib import sha256
from types import SimpleNamespace

import numpy as np
import pytest
from attrs import evolve, fields
from hypothesis import given
from hypothesis import strategies as st

from ftree import CART, ID3, Branch, Dataset, Feature, Leaf, Schema, Tree, grow, predict, prune
from ftree.growth import search_settings
from ftree.scan import SourceSummary, encode_to, open_encoded, predict_to, source_of, survey
from ftree.scan.batches import batches_of, parquet_files
from ftree.scan.encoded_folder import _VERSION, _own_checksum
from ftree.scan.within_memory import rows_in_nodes
from ftree.splitters import subset, threshold
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


def measured(n=60):
    random = np.random.default_rng(0)
    columns = {"x": random.normal(size=n).round(1), "w": random.choice(list("abc"), n), "y": 1e6 * random.normal(size=n)}
    return pa.table(columns | {"y": columns["y"] + 1e6 * columns["x"]})


MIXED = a_table()
WEIGHED = MIXED.append_column("weight", pa.array(np.arange(600) % 3))
SOON = np.datetime64("2020-01-01T00:00:00")
TIMES = {
    "x": pa.array([1.0, 2, 3]),
    "second": [SOON, SOON + np.timedelta64(5, "h"), None],
    "midnight": [SOON, SOON + np.timedelta64(1, "D"), None],
    "day": [dt.date(2020, 1, 1), dt.date(2020, 1, 2), None],
    "span": [dt.timedelta(1), dt.timedelta(2), None],
    "hour": [dt.time(1), dt.time(2), dt.time(3)],
    "class": ["a", "b", "b"],
}
LISTED = {"kinds": {"a number, of 50": "nominal"}, "classes": ("yes", "no", "perhaps"), "features": ("a number, of 50", "u")}
IN_BINS = evolve(CART, splits=(threshold(bins=10), subset()))
TABLES = {
    "mixed": (MIXED, "class", {}, [SOME]),
    "weights": (WEIGHED, "class", {"weights": "weight"}, [SOME]),
    "options": (MIXED, "class", LISTED, [SOME]),
    "no features": (MIXED, "class", {"features": []}, [SOME]),
    "numbers": (measured(), "y", {}, [CART, IN_BINS]),
    "whole numbers": (MIXED, "a number, of 50", {"response": "numbers", "features": ["b"]}, [CART, IN_BINS]),
    **{f"a {name}": (pa.table(TIMES), "class", {"features": [name]}, [ID3]) for name in list(TIMES)[1:-1]},
}


def told(summary):
    """All fields of a summary; of bins those that the data decide."""
    bins = [each and (each.edges.tolist(), each.single.tolist()) for each in summary.bins]
    return {each.name: getattr(summary, each.name) for each in fields(SourceSummary)} | {"bins": bins}


@pytest.mark.parametrize("bins", [2, 50, 5000])
@pytest.mark.parametrize(("table", "target", "options", "policies"), TABLES.values(), ids=TABLES)
def test_a_survey_and_an_encoded_folder_grow_the_trees_of_the_dataset(table, target, options, policies, bins, tmp_path):
    dataset, source = Dataset.from_frame(table, target, **options), survey(in_pieces(table), target, bins=bins, **options)
    encoded, folder = encode_to(source, tmp_path / "encoded"), tmp_path / "as others"
    folder.mkdir()
    assert (tmp_path / "encoded").stat().st_mode == folder.stat().st_mode
    assert source.schema == encoded.schema == dataset.schema
    assert told(open_encoded(tmp_path / "encoded").summary) == told(source.summary)
    for policy in policies:
        trees = [grow(each, policy) for each in (dataset, source, encoded, open_encoded(tmp_path / "encoded", n_jobs=1))]
        assert trees == [trees[0]] * 4


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_table_grows_the_tree_of_its_dataset(form, tmp_path):
    source, dataset = survey(FORMS[form](MIXED, tmp_path), bins=100), Dataset.from_frame(MIXED)
    assert source.summary.schema == dataset.schema
    assert grow(source, SOME) == grow(dataset, SOME)


def test_a_table_is_grown_from_with_its_target(tmp_path):
    pytest.importorskip("pyarrow.parquet").write_table(MIXED, tmp_path / "small.parquet")
    for table in (f"{tmp_path}/*.parquet", tmp_path / "small.parquet", MIXED):
        assert grow(table, SOME, target="b") == grow(survey(table, "b"), SOME)
    assert grow(MIXED, SOME, target=4) == grow(survey(MIXED, 4), SOME)


def test_parquet_files_in_another_order_of_other_types_and_with_more_columns_are_one_table(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    whole = pa.table({"x": [1.0, 2.0, 3.0, 4.0], "u": ["a", "b", "a", "b"], "class": ["p", "q", "q", "p"]})
    parquet.write_table(whole.slice(0, 2), tmp_path / "a.parquet")
    other = whole.slice(2).select(["class", "u", "x"]).append_column("more", pa.array([1, 2]))
    pytest.importorskip("pyarrow.parquet").write_table(
        other.set_column(2, "x", other["x"].cast("float32")), tmp_path / "b.parquet"
    )
    assert grow(survey(f"{tmp_path}/*.parquet")) == grow(survey(whole))
    files = parquet_files(f"{tmp_path}/*.parquet")
    assert [len(batch) for batch in files.reader(1)] == [1] * 4, "a file in another order is read in parts as well"


def test_wide_numbers_and_nan_of_a_query_on_parquet_are_those_of_the_dataset(tmp_path):
    duckdb, pq = pytest.importorskip("duckdb"), pytest.importorskip("pyarrow.parquet")
    random = np.random.default_rng(0)
    x = np.where(random.random(200) < 0.1, np.nan, random.normal(size=200))
    labels = np.where(np.nan_to_num(x) + random.normal(size=200) > 0, "a", "b")
    pq.write_table(pa.table({"a.b x": x, "k": random.integers(0, 99, 200), "class": labels}), tmp_path / "t.parquet")
    columns = '"a.b x", k::hugeint h, k::decimal(9, 2) / 7 q, k::decimal(18, 3) d, k::ubigint * 9000000000 as "u \'l\'", class'
    relation = duckdb.connect().read_parquet(str(tmp_path / "t.parquet")).project(columns)
    source = survey(relation, bins=9)
    assert source.summary.gaps == {0}
    assert grow(source) == grow(Dataset.from_frame(pa.table(relation)))


def test_times_are_no_dates_though_those_of_a_part_are_all_midnights():
    days = np.array(["2020-01-01", "2020-01-02"], "datetime64[s]")
    parts = [pa.table({"at": days + np.timedelta64(hours, "h"), "class": ["p", "q"]}) for hours in (0, 5)]
    for table in (pa.concat_tables(parts), pa.concat_tables(parts[::-1])):
        assert survey(table).summary.schema == Dataset.from_frame(table).schema


def test_empty_batches_are_passed_over():
    table = MIXED.slice(0, 60)

    class WithEmptyBatches:
        def fetch_record_batch(self, _):
            nothing = pa.RecordBatch.from_pylist([], schema=table.schema)
            return pa.RecordBatchReader.from_batches(table.schema, [nothing, *table.to_batches(), nothing])

    assert survey(WithEmptyBatches()).summary.n_rows == 60


def test_without_pyarrow_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'ftrees\[scan\]'"):
        batches_of("some.parquet")


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


@pytest.mark.parametrize(("x", "gaps"), [([1.0, None, 3.0], set()), (["a", None, "b"], set()), ([None, None, "b"], {0})])
def test_a_missing_value_in_a_row_without_weight_is_no_gap(x, gaps, tmp_path):
    table = pa.table({"x": x, "w": [1, 0, 2], "class": ["a", "b", "b"]})
    surveyed = survey(table, "class", weights="w")
    encode_to(surveyed, tmp_path / "encoded")
    for source in (surveyed, open_encoded(tmp_path / "encoded")):
        assert (source.gaps(), source.class_counts()) == (gaps, (1, 2))
        assert grow(source, ID3) == grow(Dataset.from_frame(table, "class", weights="w"), ID3)


@pytest.mark.parametrize("n", [2**8, 2**8 + 1, 2**16 - 1, 2**16])
def test_a_part_holds_the_codes_of_any_number_of_values_and_classes(n):
    schema, codes = Schema([Feature("u", "nominal", range(n))], "y", range(n)), np.arange(n)
    for column in (codes, codes - 1):  # the last value, and a missing one
        source = source_of(Dataset(schema, [column], codes))
        found = source.fold_datasets(lambda part: [part.columns[0].tolist(), part.target_column.tolist()], list.__add__)
        assert found == [column.tolist(), codes.tolist()]


def test_streams_and_folders_finish_in_memory_and_count_nodes(tmp_path):
    table = MIXED.select(["a number, of 50", "b", "class"])
    dataset = Dataset.from_frame(table)
    tree = grow(dataset, SOME)
    source = survey(in_pieces(table))
    for each in (source, encode_to(source, tmp_path / "encoded")):
        assert grow(evolve(each, memory=100 * 40 * 4), SOME) == tree
        assert prune.reduced_error(each)(tree) == prune.reduced_error(dataset)(tree)
        assert each.count_nodes(tree)[0] == tree.root.counts


def test_growth_goes_on_from_a_tree():
    table = MIXED
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
    engine = source_of(dataset).start_engine(ID3, search_settings(ID3, dataset))
    with pytest.raises(TypeError, match="splits must be splitters of one feature"):
        engine.joint([0])


def test_labels_that_are_not_all_written_leave_the_file_as_it_was(tmp_path):
    place, parquet = tmp_path / "table.parquet", pytest.importorskip("pyarrow.parquet")
    small = MIXED.select(["b", "class"]).slice(0, 4)
    tree = grow(survey(small))
    parquet.write_table(small, place)
    with pytest.raises(ValueError, match="missing must be"):
        predict_to(place, tree, survey(place), missing="nothing")
    assert [each.name for each in tmp_path.iterdir()] == ["table.parquet"]
    # The labels may even replace the table, since they are complete before they get its name.
    assert predict_to(place, tree, survey(place)) == 4
    assert parquet.read_table(place)["predicted"].to_pylist() == list(predict(tree, Dataset.from_frame(small)))


def test_reprs_are_short(tmp_path):
    source = survey(pa.table({"x": np.arange(500.0), "y": ["a"] * 500}))
    encoded = encode_to(source, tmp_path / "encoded")
    assert repr(source.summary) == "<SourceSummary of 500 rows and 1 features for 'y'>"
    assert repr(encoded.parts.table.part(0)) == "<Part of 500 rows and 1 features>"
    for value in (source, source.parts, encoded, encoded.parts, source.summary.bins, source_of(Dataset.from_frame(MIXED))):
        assert len(repr(value)) < 250
        assert "most_cells" not in repr(value)
        assert "array(" not in repr(value)


def test_classes_of_every_type_that_json_can_write_come_back(tmp_path):
    days = [dt.date(2020, 1, 1), dt.date(2020, 1, 2)]
    found = encode_to(pa.table({"x": [1.0, 2.0], "class": pa.array(days)}), tmp_path / "encoded").summary.schema
    assert found == Schema([Feature("x", "numeric")], "class", days)


# A table that changes


class Changing:
    """A table that gives other rows the second time."""

    def __init__(self, *tables):
        self.tables = list(tables)
        self.schema = tables[0].schema

    def __arrow_c_stream__(self, requested_schema=None):
        table = self.tables.pop(0) if len(self.tables) > 1 else self.tables[0]
        return table.__arrow_c_stream__(requested_schema)


def test_rows_that_change_between_two_looks_are_found(tmp_path):
    table = MIXED.slice(0, 100)
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
    path, table = tmp_path / "table.parquet", MIXED.slice(0, 100).select(["u", "d", "a number, of 50", "class"])
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


def with_values_in_another_order(table, name):
    shuffled = np.random.default_rng(0).permutation(table[name].to_numpy(zero_copy_only=False))
    return table.set_column(table.column_names.index(name), name, pa.array(shuffled))


def test_rows_that_change_before_they_are_read_into_memory_are_found():
    table = MIXED.slice(0, 300).select(["b", "a number, of 50", "class"])
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


# A folder of encoded columns


def encoded(folder, table=MIXED.slice(0, 200)):  # noqa: B008  # a table does not change
    return encode_to(table, folder / "encoded").parts.table.folder


def test_a_folder_that_is_there_is_kept(tmp_path):
    with pytest.raises(FileExistsError, match="folder must be a new one"):
        encode_to(MIXED, encoded(tmp_path))


# The version, and the beginnings of the checksums of the files of a small table.
WRITTEN = (
    3,
    {
        "codes.bin": "4367bf6b1a43",
        "labels.bin": "e769c7b6938a",
        "numbers.bin": "7bdb34f7d347",
        "table.json": "1416ee180509",
        "weights.bin": "0c076d494f36",
    },
)


@pytest.mark.skipif(sys.byteorder == "big", reason="codes and numbers are written as they are in memory")
def test_what_is_written_changes_with_its_version_only(tmp_path):
    columns = {
        "x": [1.5, None, 2.25, -3.0, 1e-9] * 3,
        "u": ["a", "b", None, "\u00e4", "b"] * 3,
        "weight": [1, 2, 3, 0, 2] * 3,
        "class": ["no", "yes", "yes"] * 5,
    }
    folder = encode_to(pa.table(columns), tmp_path / "encoded", weights="weight").parts.table.folder
    written = {path.name: sha256(path.read_bytes()).hexdigest()[:12] for path in folder.iterdir()}
    assert (_VERSION, written) == WRITTEN, "Folders that were written before have other bytes: raise _VERSION, and store these."


def test_keys_of_a_header_may_be_in_any_order(tmp_path):
    path = encoded(tmp_path) / "table.json"
    path.write_text(json.dumps(dict(reversed(json.loads(path.read_text(encoding="utf-8")).items()))), encoding="utf-8")
    assert open_encoded(path.parent).summary.n_rows == 200


def flipped(content):
    """The same bytes but for one bit."""
    half = len(content) // 2
    return content[:half] + bytes([content[half] ^ 1]) + content[half + 1 :]


def replaced(old, new):
    return lambda content: content.replace(old, new, 1)


def with_summary(key, value):
    """A header with another summary, whose checksum fits."""

    def change(content):
        header = json.loads(content)
        (header["summary"]["schema"] if key == "classes" else header["summary"])[key] = value
        return json.dumps({**header, "own_checksum": _own_checksum(header)}).encode()

    return change


ARRAYS, OTHER_SUM, NO_TABLE = ("codes.bin", "numbers.bin", "labels.bin"), "has another checksum", "does not describe a table"
HEADERS = [
    *(
        (replaced(b'"version": %d' % _VERSION, b'"version": %d' % other), f"must be of version {_VERSION}, got {other}")
        for other in (_VERSION - 1, _VERSION + 1)
    ),
    (replaced(b'"format": "ftree', b'"format": "other'), "is not of the format"),
    (replaced(b'"blocks"', b'"bricks"'), OTHER_SUM),
    (replaced(b"{", b"["), "is not JSON"),
    (replaced(b'"kind": "numeric"', b'"kind": "strange"'), OTHER_SUM),
    (replaced(b'"class_counts": [', b'"class_counts": [1, '), OTHER_SUM),
    (with_summary("class_counts", [1, 199]), "has other counts of classes than the rows"),
    (with_summary("classes", ["no"]), "lacks values of block 0"),
    (with_summary("n_rows", "many"), NO_TABLE),
    (with_summary("n_rows", 10**6), "has other numbers of rows in its blocks than in all"),
    (with_summary("response", [0.0, 1.0]), NO_TABLE),
    (with_summary("gaps", None), NO_TABLE),
    (with_summary("gaps", [99]), NO_TABLE),
    (with_summary("gaps", []), "lacks values of block 0"),
    (with_summary("bins", [None] * 9), NO_TABLE),
]


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        *((name, flipped, f"block 0 of {name} has another checksum") for name in ARRAYS),
        *((name, lambda old: old[:-1], f"{name} must have [0-9,]+ bytes, got") for name in ARRAYS),
        *((name, None, f"{name} must have [0-9,]+ bytes, got 0") for name in ARRAYS),
        *(("table.json", change, message) for change, message in HEADERS),
    ],
)
def test_a_changed_folder_is_refused(name, change, message, tmp_path):
    path = encoded(tmp_path) / name
    changed = change and change(path.read_bytes())
    path.unlink()
    if changed is not None:
        path.write_bytes(changed)
    wanted = "be of version" if "version" in message else rf"be as encode_to has written it, got .*: .*{message}.*\. Encode"
    with pytest.raises(ValueError, match=f"^folder must {wanted}"):
        open_encoded(path.parent)


def test_an_interrupted_encoding_leaves_nothing(tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("ftree.scan.encoded_folder.crc32", interrupted)
    with pytest.raises(KeyboardInterrupt):
        encode_to(MIXED, tmp_path / "encoded")
    assert not list(tmp_path.iterdir())


def test_a_folder_that_changes_after_it_was_opened_is_found(tmp_path):
    source = encode_to(MIXED, tmp_path / "encoded")
    path = tmp_path / "encoded" / "codes.bin"
    path.write_bytes(path.read_bytes()[:50])
    message = r"must be as encode_to has written it, got .*: codes.bin was changed since it was opened"
    with pytest.raises(ValueError, match=message):
        grow(source, SOME)
    path.unlink()
    with pytest.raises(ValueError, match=message):
        grow(source, SOME)
