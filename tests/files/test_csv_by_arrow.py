"""pyarrow reads regular files by itself, block by block, and leaves all others to Python's reader."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree.files.csv_by_arrow import Irregular, _blocks, _pieces, read_by_arrow
from ftree.files.csv_by_python import read_in_python
from ftree.files.csv_columns import CsvLayout, Numbers
from ftree.files.delimited import _is_large
from ftree.files.sources import sources_of

REGULAR = {
    "numbers": "a,b,c\n" + "1,2.5,no\n3,-1e3,yes\n" * 6,
    "missing": "a,b,c\n" + "1,?,no\n,2,yes\n" * 6,
    "missing late": "a,b,c\n" + "1,2,no\n3,4,yes\n" * 4 + "5,?,no\n" * 3,
    "only missing": "a,b,c\n" + "?,2,no\n,4,yes\n" * 4,
    "text late": "a,b,c\n" + "1,2,no\n3,4,yes\n" * 4 + "5,red,no\n" * 3,
    "numbers late": "a,b,c\n" + "1,red,no\n3,4,yes\n" + "5,6,no\n" * 9,
    "large late": "a,b,c\n" + "1,2,no\n3,4,yes\n" * 4 + "9007199254740993,2,no\n" * 3,
    "texts": "a,b,c\n" + "red,x,no\nblue,y,yes\n" * 6,
    "texts and gaps": "a,b,c\n" + ",x,no\nblue,,yes\ngreen,y,\n" * 6,
    "quotes": 'a,b,c\n"1","x, y",no\n"2","say ""no""",yes\n' + '3,"one\ntwo",no\n' * 5,
    "Windows": "a,b,c\r\n" + '1,"x",no\r\n2,y,yes\r\n' * 6,
    "tabs": "a\tb\tc\n" + "1\tx,y\tno\n2\ty\tyes\n" * 6,
    "empty ends": "a,b,c\n" + "1,2,no\n2,3,\n" * 6,
    "no line end": "a,b,c\n" + "1,2,no\n2,3,yes\n" * 6 + "3,4,no",
    "blank lines first and last": "\n \na,b,c\n" + "1,2,no\n2,3,yes\n" * 6 + "\n" * 99 + "  ",
    "byte order mark": "\ufeffa,b,c\n" + "1,2,no\n2,3,yes\n" * 6,
    "a header in quotes": '"a" ,"b\nb",c\r' + "1,2,no\n2,3,yes\n" * 6,
    "comments first": '# 5" wide\n\n# two\na,b,c\n' + "1,2,no\n2,3,yes\n" * 6,
}


def columns_of(columns):
    """The class, the cells and the words for missing of each column."""
    cells = {name: column.floats if isinstance(column, Numbers) else column for name, column in columns.items()}
    return {
        name: (type(columns[name]), repr(each.tolist()), getattr(columns[name], "missing", ())) for name, each in cells.items()
    }


@pytest.mark.parametrize("block", [1 << 20, 30], ids=["one block", "several blocks"])
@pytest.mark.parametrize("name", REGULAR)
def test_a_regular_file_is_read_by_pyarrow_as_by_python(name, block):
    layout, files = CsvLayout(missing=["?", ""], comment="#"), sources_of(REGULAR[name].encode())
    assert columns_of(read_by_arrow(files, layout, block)) == columns_of(read_in_python(files, layout))


@pytest.mark.parametrize(
    ("block", "regular"),
    [
        (b"a,b\n", True),
        (b"a,b\r\nc,d\r\n", True),
        (b"a,b\r\nc\rd,e\r\n", False),
        (b"a\0,b\n", False),
        (b"a,\xff\n", False),
        (b"a,#b\n", False),
        (b"a\n", False),
        (b"a,b,c\n", False),
        (b"a,b,\n", False),
        (b"a,b\n  \nc,d\n", False),
        (b"a,b\n\nc,d\n", True),
        (b"a,b\n,\n", False),
        (b",\na,b\n", False),
        (b"a,b\n \t,\r\n1,b\n", False),
        (b'a,b\n"",""\n', False),
        ("a,b\n\u3000,\u00a0\n".encode(), False),
        (b"a,b\n,c\nc,\n", True),
        (b'"a","b"\n', True),
        (b'"a","b"', True),
        (b'"a""b",c\n', True),
        (b'"""a""",""""\n', True),
        (b'a"b,c\n', False),
        (b'a,b"\n', False),
        (b'"a"b,c\n', False),
        (b'""a,b\n', False),
        (b'a,"b\n', False),
        (b'a,"b""\n', False),
        (b'"a","b" \n', False),
        (b'a, "b"\n', False),
        (b'a,"b"\r\n', True),
        (b'a,"b\nc"\n"d",e\n', True),
        (b'x"y"z,"b"\n', False),
        (b'"a",x"b"\n', False),
    ],
)
def test_a_file_with_a_place_that_readers_read_in_several_ways_is_irregular(block, regular):
    layout, files = CsvLayout(comment="#"), sources_of(b"n,m\n" + b"a,x\nb,y\n" * 9 + block)
    for size in (40, 1 << 20):
        if regular:
            assert columns_of(read_by_arrow(files, layout, size)) == columns_of(read_in_python(files, layout))
        else:
            with pytest.raises(Irregular):
                read_by_arrow(files, layout, size)


def test_a_byte_order_mark_is_part_of_a_cell_where_a_block_begins_with_it():
    with pytest.raises(Irregular):
        read_by_arrow(sources_of(b"n,m\n\xef\xbb\xbfa,b\n"), CsvLayout())


@given(
    st.lists(st.sampled_from(["a,b", '"x\ny",1', '"",', 'é,"q""q"', "1,2"]), max_size=9), st.integers(4, 30), st.integers(0, 9)
)
def test_blocks_are_whole_records_and_together_the_file_from_its_start_on(lines, size, start):
    content = "\n".join([*lines, "1,2"]).encode()
    for mark in (b"", b"\xef\xbb\xbf"):
        assert b"".join(_pieces(sources_of(mark + content)[0], start, size)) == content[start:]
    blocks = list(_blocks(_pieces(sources_of(content)[0], 0, size)))
    assert b"".join(blocks) == content
    assert all(block.endswith(b"\n") and block.count(b'"') % 2 == 0 for block in blocks[:-1])


@pytest.mark.parametrize(("size", "large"), [(0, False), ((1 << 20) - 1, False), (1 << 20, True), (3 << 20, True)])
def test_a_file_from_a_mebibyte_on_is_large(size, large):
    assert _is_large(*sources_of(b"x" * size)) == large


def test_a_record_that_is_longer_than_any_block_is_left_to_python():
    with pytest.raises(Irregular):
        list(_blocks([b'"' + b"a" * (1 << 26)]))
