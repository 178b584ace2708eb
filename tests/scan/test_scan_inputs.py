"""What a source refuses, before the first scan of its rows where it can."""

import datetime as dt
import json
from types import SimpleNamespace

import numpy as np
import pytest
from attrs import evolve

from ftree import C45, CART, ID3, Dataset, gain_ratio, gini, grow
from ftree.scan import (
    count_nodes,
    dask_table,
    encode_to,
    open_encoded,
    predict_to,
    ray_table,
    source_of,
    spark_table,
    survey,
)
from ftree.scan.batches import parquet_files
from ftree.scan.encoded_folder import _own_checksum
from ftree.scan.source import bytes_of
from ftree.splitters import as_branch, as_value, intervals, oblique, threshold
from ftree.stop import max_depth

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
pd = pytest.importorskip("pandas")
SMALL = pa.table({"x": [1.0, 2.0, 3.0, 4.0], "c": ["a", "b", "a", "b"], "y": ["p", "q", "p", "q"]})
TREE = grow(survey(SMALL))
NUMBERS = Dataset.from_rows(np.arange(8.0).reshape(4, 2), ["a", "b", "a", "b"])
GAPS = Dataset.from_rows([[1.0], [np.nan], [3.0]], ["a", "b", "a"])


def weighed(*weights):
    """The small table with a column of weights."""
    return survey(SMALL.append_column("w", pa.array(weights)), "y", weights="w")


NAMES = r"must be one of 'x', 'c', 'y', got 'z'"
WHOLE, SUM = "must be whole numbers from 0", "weights must sum to a number from 1 to 2"
NO_PATHS = None, 3, b"x", "", "a\0b"
MIXED = evolve(TREE, schema=evolve(TREE.schema, classes=("p", 1)))
TWICE = pa.Table.from_arrays([pa.array([1, 2]), pa.array(["a", "b"]), pa.array(["a", "c"])], names=["x", "y", "y"])


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda _: survey(SMALL, "z"), KeyError, NAMES),
        (lambda _: survey(SMALL, features=["z"]), KeyError, NAMES),
        (lambda _: survey(SMALL, features="x"), TypeError, "features must be a sequence of names"),
        (lambda _: survey(SMALL, weights="z"), KeyError, NAMES),
        (lambda _: survey(SMALL, weights=3), TypeError, "weights must be the name of a column, got 3"),
        (lambda _: survey(SMALL, weights="y"), ValueError, "weights must not be the target's column"),
        (lambda _: weighed(1, None, 1, 1), ValueError, WHOLE),
        (lambda _: weighed(0, 0, 0, 0), ValueError, SUM),
        (lambda _: weighed(2**62, 2**62, 2**62, 1), ValueError, SUM),
        (lambda _: weighed(2**52, 2**52, 1, 1), ValueError, SUM),
        (lambda _: survey(TWICE), ValueError, "distinct names, got 'y' twice"),
        (lambda _: survey(SimpleNamespace(cursor=list)), TypeError, r"must be a relation, .* Write connection.sql"),
        (lambda _: ray_table(SimpleNamespace(map_batches=list, columns=list)), TypeError, "must be a dataset of Ray"),
        (lambda _: ray_table(SimpleNamespace(iter_rows=list, columns=list)), TypeError, "must be a dataset of Ray"),
        (lambda _: ray_table(SMALL), TypeError, "must be a dataset of .*, got a Table"),
        (lambda _: dask_table(SMALL), TypeError, "must be a data frame of .*, got a Table"),
        (lambda _: spark_table(SMALL), TypeError, "must be a data frame of .*, got a Table"),
        (lambda _: count_nodes(TREE, Dataset.from_frame(SMALL)), TypeError, r"source must be a Source, got a Dataset\. Make one"),
        (lambda _: source_of(Dataset.from_frame(SMALL).take([])), ValueError, "dataset must have a row"),
        (lambda _: source_of(NUMBERS.with_weights([0.5, 1.5, 1, 1])), ValueError, "weights of a source must be whole numbers"),
        (lambda place: encode_to(survey(SMALL), place / "encoded", bins=7), TypeError, "target and options must be omitted"),
        (lambda place: encode_to(survey(SMALL), place / "encoded", "x"), TypeError, "target and options must be omitted"),
        (lambda place: open_encoded(place, n_jobs=0), ValueError, "n_jobs must be a whole number of threads from 1, got 0"),
        (lambda place: open_encoded(place / "text.parquet"), FileNotFoundError, "must be one that encode_to has made"),
        (open_encoded, FileNotFoundError, "must be one that encode_to has made"),
        (lambda place: survey(place / "text.parquet"), ValueError, "must name Parquet files, got .* which PyArrow cannot read"),
        (survey, IsADirectoryError, r"which is a directory. Write '.*\*' for its files"),
        (lambda _: survey(""), IsADirectoryError, "got '', which is a directory"),
        (lambda place: survey(place / "nowhere.parquet"), FileNotFoundError, "nowhere.parquet', which does not exist"),
        (lambda place: survey(place / "*.pq"), FileNotFoundError, r"\*.pq', which matches no file"),
        (lambda _: predict_to(None, TREE, survey(SMALL)), TypeError, "path must be a str"),
        (lambda _: predict_to("", TREE, survey(SMALL)), ValueError, "non-empty"),
        (lambda place: predict_to(place, TREE, survey(SMALL)), IsADirectoryError, "which is a folder"),
        (lambda place: predict_to(place / "new", TREE, SMALL), TypeError, "source must be a Source, got a Table"),
        (lambda place: predict_to(place / "new", TREE, survey(SMALL), name=3), TypeError, "name must be a str, got 3"),
        (lambda place: predict_to(place / "new", MIXED, survey(SMALL)), ValueError, "classes of one type that Arrow knows"),
        *((lambda _, of=of: encode_to(SMALL, of), (TypeError, ValueError), "folder must be a") for of in NO_PATHS),
        *((lambda _, of=of: open_encoded(of), (TypeError, ValueError), "folder must be a") for of in NO_PATHS),
    ],
)
def test_what_has_no_meaning_is_refused(ask, error, message, tmp_path):
    (tmp_path / "text.parquet").write_text("text", encoding="utf-8")
    (tmp_path / "table.json").mkdir()
    with pytest.raises(error, match=message):
        ask(tmp_path)


@pytest.mark.parametrize("bins", [2, 7, 4096])
def test_rows_of_weight_0_change_nothing(bins, tmp_path):
    random = np.random.default_rng(bins)
    table = pa.table(
        {
            "x": random.integers(0, 30, 300).astype(float),
            "c": random.choice(["a", "b", None], 300),
            "w": random.integers(0, 3, 300),
            "y": random.choice(["p", "q", "r"], 300),
        }
    )
    dataset = Dataset.from_frame(table, "y", weights="w")
    source = survey(table, "y", weights="w", bins=bins)
    assert grow(source) == grow(encode_to(source, tmp_path / "encoded")) == grow(dataset)
    assert predict_to(tmp_path / "labels.parquet", grow(source), source) == 300


@pytest.mark.parametrize(
    "values",
    [
        [np.datetime64("2020-01-01T00:00:00"), np.datetime64("2020-01-01T05:00:00"), None],
        [np.datetime64("2020-01-01T00:00:00"), np.datetime64("2020-01-02T00:00:00"), None],
        [dt.date(2020, 1, 1), dt.date(2020, 1, 2), None],
        [dt.timedelta(1), dt.timedelta(2), None],
        [dt.time(1), dt.time(2), dt.time(3)],
    ],
)
def test_times_are_those_of_the_dataset(values):
    table = pa.table({"x": pa.array(values), "class": ["a", "b", "b"]})
    assert grow(survey(table)) == grow(Dataset.from_frame(table))


def test_a_table_without_features_grows_a_leaf():
    table = SMALL.select(["y"])
    assert grow(survey(table)) == grow(Dataset.from_frame(table))
    assert survey(SMALL, features=[]).summary.schema.features == ()


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("class_counts", [1, 3], "table.json has other counts of classes than the rows"),
        ("classes", ["p"], "table.json lacks values of block 0"),
        ("n_rows", "many", "table.json does not describe a table"),
        ("n_rows", 10**6, "table.json has other numbers of rows in its blocks than in all"),
        ("response", [0.0, 1.0], "table.json does not describe a table"),
        ("gaps", None, "table.json does not describe a table"),
        ("bins", [None] * 9, "table.json does not describe a table"),
    ],
)
def test_an_encoded_folder_with_another_summary_is_refused_although_its_checksum_fits(key, value, message, tmp_path):
    path = encode_to(SMALL, tmp_path / "encoded").parts.table.folder / "table.json"
    header = json.loads(path.read_text())
    (header["summary"]["schema"] if key == "classes" else header["summary"])[key] = value
    path.write_text(json.dumps({**header, "own_checksum": _own_checksum(header)}))
    with pytest.raises(ValueError, match=rf"^folder must be as encode_to has written it, got .*: {message}\. Encode"):
        open_encoded(tmp_path / "encoded")


def test_growth_in_memory_checks_all_arguments():
    with pytest.raises(TypeError, match="policy must be a Policy"):
        grow(evolve(survey(SMALL), memory="1GB"), "ID3")
    with pytest.raises(ValueError, match="engine must be one of"):
        grow(evolve(survey(SMALL), memory="1GB"), engine="fast")
    policy = ID3.stopping(max_depth(1))
    assert grow(evolve(survey(SMALL), memory="1TB"), policy, engine="plain") == grow(Dataset.from_frame(SMALL), policy)


def test_labels_that_are_not_all_written_leave_the_file_as_it_was(tmp_path):
    place = tmp_path / "table.parquet"
    parquet.write_table(SMALL, place)
    with pytest.raises(ValueError, match="missing must be"):
        predict_to(place, TREE, survey(place), missing="nothing")
    assert [each.name for each in tmp_path.iterdir()] == ["table.parquet"]
    # The labels may even replace the table, since they are complete before they get its name.
    assert predict_to(place, TREE, survey(place)) == 4
    assert parquet.read_table(place)["predicted"].to_pylist() == ["p", "q", "p", "q"]


def test_a_table_is_grown_from_with_its_target(tmp_path):
    parquet.write_table(SMALL, tmp_path / "small.parquet")
    policy = ID3.stopping(max_depth(1))
    for table in (f"{tmp_path}/*.parquet", tmp_path / "small.parquet", SMALL):
        assert grow(table, policy, target="c") == grow(survey(table, "c"), policy)
    assert grow(SMALL, target=1) == grow(survey(SMALL, 1))


def test_parquet_files_in_another_order_of_other_types_and_with_more_columns_are_one_table(tmp_path):
    whole = pa.table({"x": [1.0, 2.0, 3.0, 4.0], "u": ["a", "b", "a", "b"], "class": ["p", "q", "q", "p"]})
    parquet.write_table(whole.slice(0, 2), tmp_path / "a.parquet")
    other = whole.slice(2).select(["class", "u", "x"]).append_column("more", pa.array([1, 2]))
    parquet.write_table(other.set_column(2, "x", other["x"].cast("float32")), tmp_path / "b.parquet")
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


def undeclared(counts):
    """An impurity that does not declare that it is concave."""
    return gini(counts)


class OwnThreshold(threshold):
    """It may cut between numbers where the library would not."""


class OwnValue(as_value):
    """It may prepare missing values in another way."""


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (evolve(ID3, score=gain_ratio), "score and impurity must be gain by a concave impurity"),
        (evolve(ID3, impurity=undeclared), "score and impurity must be gain by a concave impurity"),
        (evolve(ID3, splits=(oblique(),)), "splits must be splitters of one feature"),
        (evolve(ID3, splits=(intervals(),)), r"splits must be threshold\(\), for numeric features"),
        (evolve(ID3, splits=(OwnThreshold(),)), r"splits must be threshold\(\), for numeric features"),
        (evolve(ID3, splits=(threshold(mdl=True),)), r"splits must be threshold\(\) without mdl"),
        (evolve(ID3, missing=as_branch()), "missing must be"),
        (evolve(ID3, missing=OwnValue()), "missing must be"),
        (CART, "missing must be"),
    ],
)
def test_a_policy_without_bounds_is_refused(policy, message):
    with pytest.raises(ValueError, match=message):
        grow(source_of(GAPS if message == "missing must be" else NUMBERS, bins=2), policy)


@pytest.mark.parametrize("policy", [evolve(ID3, score=gain_ratio), evolve(ID3, impurity=undeclared), C45, CART])
def test_where_each_number_has_its_bin_no_bound_is_needed(policy):
    assert grow(source_of(NUMBERS), policy) == grow(NUMBERS, policy)


@pytest.mark.parametrize("policy", [evolve(ID3, score=gain_ratio), C45], ids=["gain_ratio", "C45"])
def test_without_a_bound_every_value_is_counted_at_once(policy):
    # More values than the cells of a level that is bounded.
    random = np.random.default_rng(0)
    numbers = random.normal(size=(700, 2))
    dataset = Dataset.from_rows(numbers, (numbers.sum(axis=1) + random.normal(size=700) > 0).tolist())
    assert grow(source_of(dataset), policy.stopping(max_depth(3))) == grow(dataset, policy.stopping(max_depth(3)))


def test_reprs_are_short(tmp_path):
    source = survey(pa.table({"x": np.arange(500.0), "y": ["a"] * 500}))
    encoded = encode_to(source, tmp_path / "encoded")
    assert repr(source.summary) == "<SourceSummary of 500 rows and 1 features for 'y'>"
    assert repr(encoded.parts.table.part(0)) == "<Part of 500 rows and 1 features>"
    for value in (source, source.parts, encoded, encoded.parts, source.summary.bins, source_of(Dataset.from_frame(SMALL))):
        assert len(repr(value)) < 250
        assert "most_cells" not in repr(value)
        assert "array(" not in repr(value)


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("1B", 1),
        ("2kB", 2000),
        ("3 MB", 3_000_000),
        ("1.25GB", 1_250_000_000),
        ("2TB", 2 * 10**12),
        (1, 1),
        (2.5e9, 2_500_000_000),
        (2**63 - 1025, 2**63 - 1025),
    ],
)
def test_bytes_are_a_number_or_written_with_a_unit(written, number):
    assert bytes_of(written) == number


TEXTS = ["0B", "0.5B", "5", "GB", "5gb", "5G", "1e3B", "5GBs", ".GB", "infGB", "1.2.3GB", "much"]


@pytest.mark.parametrize("wrong", [0, 0.5, -1, 2**63, np.inf, np.nan, 10**400, True, None, *TEXTS])
def test_other_texts_and_numbers_below_1_or_too_large_are_refused(wrong):
    with pytest.raises(ValueError, match='memory must be a number of bytes, or a text such as "500MB", got'):
        bytes_of(wrong)
