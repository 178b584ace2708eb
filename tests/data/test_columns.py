"""Columns of values: numbers at the border of what floats hold, codes with gaps, scalars, and files of other columns."""

from datetime import UTC, date, datetime
from decimal import Decimal

import numpy as np
import pytest

from ftree import Dataset, Feature
from ftree.data import encoded
from ftree.data.coding import encode
from ftree.data.encoded import Encoded, encoded_text_array
from ftree.data.floats import require_finite
from ftree.data.frames import as_table
from ftree.data.missing_values import missing_among
from ftree.data.numbers import number_in_text
from ftree.data.table import is_text_kind, target_name
from ftree.data.values import TimesInUTC, python_value

NUMBER = Feature("x", "numeric")
MOST = 2**53


# Numbers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "row", "got"),
    [
        ([np.inf, 1.0, np.inf], 0, "inf"),
        ([1.0, -np.inf, np.inf], 1, "-inf"),
        ([1.0] * 5000 + [np.inf] * 2, 5000, "inf"),
        ([np.nan, np.nan, np.inf], 2, "inf"),
    ],
)
def test_the_first_number_that_is_infinite_is_told(column, row, got):
    pattern = rf"^Numbers of 'b' must be finite, got {got} in row {row}\. Replace it by a number, or by NaN for missing\.$"
    finite = np.zeros(len(column))
    with pytest.raises(ValueError, match=pattern):
        require_finite(["s", "a", "b"], [np.zeros(2, int), finite, np.array(column)])


def test_large_numbers_are_finite_though_their_sum_is_not():
    require_finite(["a", "b"], [np.full(3, 1e308), np.full(3, np.nan)])
    require_finite(["s"], [np.zeros(2, int)])
    require_finite([], [])


@pytest.mark.parametrize("whole", [MOST + 1, -MOST - 1, str(MOST + 1), str(-MOST - 1)], ids=str)
def test_a_whole_number_that_no_float_equals_is_refused_among_small_ones(whole):
    with pytest.raises(
        ValueError, match=rf"^Whole numbers of 'x' must be exact as floats.*, got '?{whole}'? in row 1\. Give its"
    ):
        encode(NUMBER, [1, whole, None, 0.5], missing_among(()))
    assert encode(NUMBER, [1, MOST, -MOST, 1e300], missing_among(())).tolist() == [1, MOST, -MOST, 1e300]


def test_a_number_is_missing_that_is_listed_among_words():
    for values in ([-999, 1], [-999, 1.5], np.array([-999, 1]), ["-999", 1]):
        found = encode(NUMBER, values, missing_among(["?", -999, "-999", date(1900, 1, 1)]))
        assert np.isnan(found).tolist() == [True, False]
    never = np.array(["1900-01-01", "1970-01-02"], "M8[D]")
    assert np.isnan(encode(NUMBER, never, missing_among(["?", date(1900, 1, 1)]))).tolist() == [True, False]


def test_minus_zero_in_a_text_is_zero():
    assert repr(number_in_text("-0.0")) == repr(number_in_text("-0")) == "0.0"


# Codes --------------------------------------------------------------------------------------------------------


def test_values_without_a_row_are_counted_nowhere():
    column = Encoded(np.array([0, 2, 0]), ["a", "b", "c", "d"])
    assert (column.present(), column.counts(), column.distinct()) == ([0, 2], {"a": 2, "c": 1}, {"a", "c"})
    assert Encoded(np.array([-1, 0]), ["a"]).distinct() == {"a", None}
    assert Encoded(np.array([0, 1, 1]), ["a", "a"]).counts() == {"a": 3}


def test_codes_of_the_smallest_integers_are_counted():
    full = Encoded(np.arange(-1, 128).astype(np.int8), list(range(128)))
    assert full.counts() == dict.fromkeys(range(128), 1)
    assert full.take([*range(128), -5])[0] == -5


def test_texts_of_one_hash_in_one_of_several_blocks_stay_apart(monkeypatch):
    monkeypatch.setattr(encoded, "_BLOCK", 8)
    monkeypatch.setattr(encoded, "_hashes", lambda texts: (texts != "a").astype(np.uint64))
    for listed in (["a", "a", "a", "b", "c"], ["c", "b", "a", "a", "a"]):
        assert encoded_text_array(np.array(listed)).tolist() == listed


@pytest.mark.parametrize("missing", [["?", ["x"]], [["x"], "?"], {"?": 1}.items()], ids=["last", "first", "pairs"])
def test_every_value_that_means_missing_can_be_looked_up(missing):
    if isinstance(missing, list):
        with pytest.raises(
            TypeError, match=r"^missing must be a list of the values that mean missing, such as \['\?', -999\], got \["
        ):
            missing_among(missing)
    else:
        assert missing_among(missing).listed == {("?", 1)}


# Times and scalars --------------------------------------------------------------------------------------------


def test_times_in_utc_are_an_array_and_a_list():
    times = TimesInUTC(np.array(["2020-02-29T12:00", "NaT"], "M8[us]"))
    noon = datetime(2020, 2, 29, 12, tzinfo=UTC)
    assert (len(times), list(times), times.tolist()) == (2, [noon, None], [noon, None])
    assert (times.dtype, np.asarray(times).dtype, np.asarray(times, dtype="M8[s]").dtype) == ("M8[us]", "M8[us]", "M8[s]")
    assert np.asarray(times) is times.times
    assert times.__array__(copy=False) is times.times
    assert not np.shares_memory(times.__array__(copy=True), times.times)
    assert times.__array__(dtype="M8[s]", copy=True).tolist() == np.asarray(times).astype("M8[s]").tolist()


def test_a_cell_that_is_an_array_stays_one():
    array = np.array([1, 2])
    assert python_value(array) is array
    assert python_value(np.array("a")) == "a"


# Tables -------------------------------------------------------------------------------------------------------


def test_a_target_is_a_column_counted_from_either_side():
    assert [target_name(number, ["a", "b"]) for number in (-2, -1, 0, 1, np.int64(1), "c")] == ["a", "b", "a", "b", "b", "c"]
    assert target_name(5, ["a", "5"]) == "5"
    for wrong in (2, -3, None, 0.0, np.timedelta64(1), ["a"]):
        with pytest.raises(
            ValueError, match=r"^target must be a column's name, or a number from 0 to 1 \(-1 is the last\), got "
        ):
            target_name(wrong, ["a", "b"])


def test_an_order_of_texts_keeps_cells_as_texts():
    kinds = ("nominal", "ordinal", "numeric", None, ("S", "L"), ("S", 1), (1, 2))
    assert [is_text_kind(kind) for kind in kinds] == [True, False, False, False, True, False, False]


def test_a_table_without_columns_has_no_rows():
    assert [as_table(table).n_rows for table in ({}, [], np.zeros((0, 2)), {"a": []})] == [0, 0, 0, 0]


@pytest.mark.parametrize(("other", "got"), [(b"a,b,c\n1,2,3\n", "'c' in place of none"), (b"a,y\n1,2\n", "'y' in place of 'b'")])
def test_files_of_a_glob_with_more_columns_are_refused(other, got, tmp_path):
    (tmp_path / "1.csv").write_bytes(b"a,b\n1,2\n")
    (tmp_path / "2.csv").write_bytes(other)
    with pytest.raises(ValueError, match=rf"^All files must have the columns of .*1\.csv, got {got} in .*2\.csv\.$"):
        Dataset.read_csv(tmp_path / "*.csv", engine="python")


def test_decimals_are_numbers_beside_missing_ones():
    assert encode(NUMBER, [Decimal("0.5"), None], missing_among(()))[0] == 0.5
