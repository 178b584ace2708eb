"""Growing in two stages: amounts of memory as text, and leaves that continue from rows in memory."""

from math import inf, nan

import pytest

from ftree.scan.source import bytes_of


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


@pytest.mark.parametrize("wrong", [0, 0.5, -1, 2**63, inf, nan, 10**400, True, None, *TEXTS])
def test_other_texts_and_numbers_below_1_or_too_large_are_refused(wrong):
    with pytest.raises(ValueError, match='memory must be a number of bytes, or a text such as "500MB", got'):
        bytes_of(wrong)
