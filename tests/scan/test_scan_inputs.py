"""What a source refuses, before the first scan of its rows where it can."""

from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pytest
from attrs import evolve

from ftree import C45, CART, ID3, Dataset, gain_ratio, gini, grow
from ftree.scan import count_nodes, dask_table, encode_to, open_encoded, predict_to, ray_table, source_of, spark_table, survey
from ftree.scan.batches import Batches
from ftree.scan.source import bytes_of
from ftree.splitters import as_branch, as_value, by_permutation_test, intervals, multiway, oblique, threshold
from ftree.stop import max_depth

pa = pytest.importorskip("pyarrow")
SMALL = pa.table({"x": [1.0, 2.0, 3.0, 4.0], "c": ["a", "b", "a", "b"], "y": ["p", "q", "p", "q"]})
TREE = grow(survey(SMALL))
NUMBERS = Dataset.from_rows(np.arange(8.0).reshape(4, 2), ["a", "b", "a", "b"])
GAPS = Dataset.from_rows([[1.0], [np.nan], [3.0]], ["a", "b", "a"])


def weighed(*weights):
    """The small table with a column of weights."""
    return survey(SMALL.append_column("w", pa.array(weights)), "y", weights="w")


class Elsewhere:
    """A table in parts that is not read in batches."""

    names = ("x", "class")

    def fold(self, function, _):
        return function({"x": [1.0, 2.0], "class": ["a", "b"]})


NAMES = r"must be one of 'x', 'c', 'y', got 'z'"
NO_PATHS = None, 3, b"x", "", "a\0b"
MIXED = evolve(TREE, schema=evolve(TREE.schema, classes=("p", 1)))
TWICE = pa.Table.from_arrays([pa.array([1, 2]), pa.array(["a", "b"]), pa.array(["a", "c"])], names=["x", "y", "y"])
LABELLED = pa.table({"x": [1.0, 2.0], "w": [0.5, 1.5], "class": ["a", "b"]})
OF_TWO_TYPES = [{"x": np.array([1.0, 2.0]), "class": ["a", "b"]}, {"x": ["one", "two"], "class": ["a", "b"]}]
NO_NUMBERS = "response must be 'numbers', 'classes' or None for a table in parts, got 'events'. None decides by the labels."


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda _: survey(3), TypeError, "source must be Parquet files"),
        (lambda _: survey(SMALL.to_reader()), TypeError, "more than once, got a RecordBatchReader"),
        (lambda _: survey("nowhere-*.parquet"), FileNotFoundError, "must match at least one file"),
        (lambda _: survey(SMALL.slice(0, 0)), ValueError, "must have at least one row"),
        (lambda _: survey(LABELLED.set_column(2, "class", pa.array(["a", None]))), ValueError, "must have a label in every row"),
        (lambda _: survey(LABELLED, weights="w"), ValueError, "whole numbers from 0"),
        (
            lambda _: survey(Batches(("x", "class"), lambda: iter(OF_TWO_TYPES))),
            ValueError,
            "'x' must have one type, got numbers",
        ),
        (lambda _: survey(LABELLED, "w", response="events"), ValueError, NO_NUMBERS),
        (lambda _: survey(pa.table({"x": [1], "y": ["2"]}), "y", response="numbers"), ValueError, "be numeric for regression"),
        (lambda place: encode_to(Elsewhere(), place / "new"), TypeError, "read in batches, got an? .*Elsewhere"),
        *((lambda _, n=n: survey(SMALL, bins=n), ValueError, f"from 2 to 60000, got {n}") for n in (1, 60_001, 2.5, True)),
        (lambda _: survey(SMALL, "z"), KeyError, NAMES),
        (lambda _: survey(SMALL, features=["z"]), KeyError, NAMES),
        (lambda _: survey(SMALL, features="x"), TypeError, "features must be a sequence of names"),
        (lambda _: survey(SMALL, weights="z"), KeyError, NAMES),
        (lambda _: survey(SMALL, weights=3), TypeError, "weights must be the name of a column, got 3"),
        (lambda _: survey(SMALL, weights="y"), ValueError, "weights must not be the target's column"),
        (lambda _: weighed(1, None, 1, 1), ValueError, "must be finite numbers from 0, got nan in row 1"),
        (lambda _: weighed(1.0, 0.5, 1.0, 1.0), ValueError, r"'w' of a source must be whole numbers from 0, got 0\.5"),
        (lambda _: weighed(0, 0, 0, 0), ValueError, "weights must sum to a number from 1 to 2"),
        (lambda _: weighed(2**62, 2**62, 2**62, 1), ValueError, "weights must sum to less than 2"),
        (lambda _: weighed(2**52, 2**52, 1, 1), ValueError, "weights must sum to less than 2"),
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
        (lambda place: open_encoded(place, n_jobs=0), ValueError, "n_jobs must be a whole number from 1, .*, got 0"),
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


@pytest.mark.parametrize("number", [int, float, Decimal, np.float32])
def test_weights_of_a_source_are_whole_numbers_of_any_type(number):
    """A sum in DuckDB is a decimal, and pandas has floats where a value was missing."""
    table = SMALL.append_column("w", pa.array([number(count) for count in (2, 0, 3, 1)]))
    assert grow(survey(table, "y", weights="w")) == grow(Dataset.from_frame(table, "y", weights="w"))


def test_growth_in_memory_checks_all_arguments():
    with pytest.raises(TypeError, match="policy must be a Policy"):
        grow(evolve(survey(SMALL), memory="1GB"), "ID3")
    with pytest.raises(ValueError, match="engine must be one of"):
        grow(evolve(survey(SMALL), memory="1GB"), engine="fast")
    policy = ID3.stopping(max_depth(1))
    assert grow(evolve(survey(SMALL), memory="1TB"), policy, engine="plain") == grow(Dataset.from_frame(SMALL), policy)


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
        (evolve(ID3, choose=by_permutation_test()), r"choose must be by_score\(\), or threshold\(bins"),
    ],
)
def test_a_policy_without_bounds_is_refused(policy, message):
    with pytest.raises(ValueError, match=message):
        grow(source_of(GAPS if message == "missing must be" else NUMBERS, bins=2), policy)


def test_a_source_of_numbers_divides_no_row_and_grows_from_counts_alone():
    source = source_of(Dataset.from_columns({"x": [1.0, None, 3.0], "y": [0.5, 1.5, 2.5]}, target="y"))
    with pytest.raises(ValueError, match='missing must be "heaviest", which divides no row, with a target of numbers'):
        grow(source, CART)
    with pytest.raises(ValueError, match="memory must be None for a target of numbers"):
        grow(evolve(source, memory="1GB"), CART)


@pytest.mark.parametrize("policy", [evolve(ID3, score=gain_ratio), evolve(ID3, impurity=undeclared), C45, CART])
def test_where_each_number_has_its_bin_no_bound_is_needed(policy):
    assert grow(source_of(NUMBERS), policy) == grow(NUMBERS, policy)


def test_without_a_feature_of_numbers_any_splitter_of_numbers_is_taken():
    words, policy = Dataset.from_rows([["a"], ["b"], ["b"]], ["no", "yes", "yes"]), evolve(ID3, splits=(multiway(), intervals()))
    assert grow(source_of(words), policy) == grow(words, policy)


def test_sums_of_numbers_with_large_weights_are_not_rounded():
    weights = np.array([2**46 + 1, 2**45 + 3, 2**44 + 1, 3])
    dataset = Dataset.from_columns({"x": [1.0, 2.0, 3.0, 4.0], "y": [0.1, 0.7, 1e5 / 3, -0.3]}, target="y", weights=weights)
    assert grow(source_of(dataset), CART) == grow(dataset, CART)


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("1B", 1),
        ("2kB", 2000),
        ("3 MB", 3_000_000),
        ("1.25GB", 1_250_000_000),
        ("2TB", 2 * 10**12),
        (1, 1),
        ("500KB", 500_000),
        ("1.5KiB", 1536),
        ("1kiB", 1024),
        ("2 GiB", 2 * 2**30),
        (2.5e9, 2_500_000_000),
        (np.int64(7), 7),
        (np.uint8(200), 200),
        (np.float32(2.0), 2),
        (2**63 - 1025, 2**63 - 1025),
    ],
)
def test_bytes_are_a_number_or_written_with_a_unit(written, number):
    assert (bytes_of(written), type(bytes_of(written))) == (number, int)


TEXTS = ["0B", "0.5B", "5", "GB", "5gb", "5G", "1e3B", "5GBs", ".GB", "infGB", "1.2.3GB", "much", "5iB", "5Ki"]


@pytest.mark.parametrize("wrong", [0, 0.5, -1, 2**63, np.inf, np.nan, 10**400, True, None, *TEXTS])
def test_other_texts_and_numbers_below_1_or_too_large_are_refused(wrong):
    with pytest.raises(ValueError, match=r'^memory must be a number of bytes, or a text such as "500MB", with B, kB, .*, got'):
        bytes_of(wrong)
