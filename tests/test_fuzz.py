"""Every reader gives a right value or a clear error for mutated input; a new reader is a line in READERS.

Python's own functions read accepted input once more.
"""

import json
import re
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from copy import deepcopy
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow.csv  # its loading is no memory of a reader
import pytest
from attrs import evolve, frozen
from hypothesis import given, settings
from hypothesis import strategies as st
from measured_memory import memory_of
from mutations import mutated_bytes, mutated_parts
from reread import check_column, check_columns, check_csv, check_rows, in_blocks

import ftree as ft
from ftree import prune, stop
from ftree.data import MISSING_WORDS
from ftree.data.values import missing_among
from ftree.datasets import lenses, weather
from ftree.exchange import from_pmml, from_rpart, from_weka_text, to_pmml
from ftree.routing import weighted
from ftree.scan import encode_to, open_encoded
from ftree.scan.encoded_folder import _own_checksum
from ftree.tree import Groups, Intervals, IsMissing, Multiway, Oblique, Subset, Surrogate, Threshold, WithDefault, WithSurrogates

# The longest message: a few names and values, no table.
LONGEST = 1500
# No reader takes a thousandth of this time; a busy machine may take longer.
within = settings(deadline=timedelta(seconds=20))

# Input --------------------------------------------------------------------------------------------------------------

CSV = [
    b"sky,wind,class\ngrey,1,yes\nblue,2.5,no\n?,NA,yes\n",
    b'\xef\xbb\xbf"sky, today",wind,"play ""ball"""\r\n"grey\r\nblue",1,yes\r\nblue , -3e2 ,no,,\r\n\r\n',
    b"a\tb\tc\n1\t2020-02-29\tx y\n2\t2020-03-01 12:30\tz\n",
    "größe,d\n1,ß\n2,日本\n".encode(),
    b"n,m,k\n" + b"".join(b"%d,%d,%s\n" % (row, row % 7, b"yno"[row % 3 :][:1]) for row in range(40)),
]
CSV_TOKENS = [b'"', b'""', b",", b"\t", b"\n", b"\r", b"\r\n", b"\x00", b"\xff", b"\xef\xbb\xbf", b" ", b"#", b"?", b"NA", b";"]
CSV_TOKENS += [b"1e999", b"1_0", b"nan", b"-inf", b"9" * 5000, b"9007199254740993", b"0x10", b"2020-13-01", b"2020-01-01T99:00"]
CSV_TOKENS += ["\u2028٣\x85".encode(), b"'", b"\\", b"\x1a", b"0001-01-01", b"9999-12-31 23:59:59+14:00"]

ARFF = [
    b"@relation r\n@attribute sky {grey, blue}\n@attribute wind real\n@attribute class {yes,no}\n@data\ngrey,1,yes\n?,2.5,no\n",
    b"% about\n" * 30 + b"@RELATION r\n@attribute 'a b' string\n@attribute day date yyyy-MM-dd\n"
    b"@attribute c {x,'y z'}\n@data\n'q\\'s',2020-02-29,x\n",
    b"@relation r\n"
    + b"% more\n" * 30
    + b"@attribute n integer\n@attribute c {a,b}\n@data\n"
    + b"".join(b"%d,%s\n" % (n, b"ab"[n % 2 :][:1]) for n in range(40)),
]
ARFF_TOKENS = [*CSV_TOKENS, b"{", b"}", b"@data", b"@attribute x numeric\n", b"%", b"relational", b"date", b"\\'"]
JSON = [
    b'{"sky": "grey", "wind": 1, "class": "yes"}\n{"sky": null, "wind": 2.5, "class": "no"}\n',
    b'{"a": true, "c": 1}\r\n\r\n{"c": 2, "a": false}',
    b"".join(b'{"text": "%s", "c": "%s"}\n' % (b"words " * 9, b"ab"[n % 2 :][:1]) for n in range(40)),
]
JSON_TOKENS = [*CSV_TOKENS, b"{", b"}", b"[", b"]", b"null", b"true", b"NaN", b":", b"\\u00e9", b"\\ud800", b"1e400", b"[" * 5000]

ROWS = [
    {"rows": [["grey", 1], ["blue", 2.5], [None, 3]], "labels": ["no", "yes", "no"], "features": ["sky", "wind"]},
    {"rows": [[True, date(2020, 1, 1)], [False, date(2020, 1, 2)]], "labels": [0, 1], "kinds": "nominal", "missing": ["?", -1]},
    {"rows": [["S", 1], ["L", "?"]], "labels": [(1, 2), "a"], "kinds": {"x0": ["S", "L"], "x1": "numeric"}, "weights": [1, 0.5]},
    {"rows": [[1, 2], [3, 4]], "labels": ["a", "b"], "classes": ["a", "b"], "target": "play"},
]
COLUMNS = [
    {"columns": {"sky": ["grey", "blue", "?"], "wind": np.array([1.0, 2.5, np.nan]), "class": ["no", "yes", "no"]}},
    {"columns": {"day": np.array(["2020-01-01", "NaT"], "M8[D]"), "n": [1, 2], "w": [1, 2], "class": [1, 2]}, "weights": "w"},
    {"columns": {"a": np.ma.array([1, 2], mask=[False, True]), "b": ["S", "L"], "play": [1, 2]}, "target": "play"},
    {"columns": {"a": [1, 2], "class": [0, 1]}, "kinds": {"a": [1, 2]}, "classes": [1, 0], "missing": [-999, "x"]},
    {"columns": {"a": ["S", "L"], "class": [0, 1]}, "kinds": {"a": np.array(["S", "M", "L"])}},
]
OPTIONS = [
    {"target": "class", "header": True, "kinds": {"sky": "nominal"}, "missing": ["?"], "delimiter": ",", "comment": "#"},
    {"target": 0, "header": ["a", "b", "c"], "kinds": "nominal", "classes": ["sky", "grey", "blue", "red"], "weights": None},
    {"target": -2, "header": False, "kinds": {"x0": ["sky", "grey", "blue", "red"]}},
    {"weights": "wind", "missing": "?"},
]
SCHEMA = ft.Schema(
    (ft.Feature("sky", "nominal", ("grey", "blue", "red")), ft.Feature("wind", "numeric"), ft.Feature("size", "ordinal", "SML")),
    "class",
    ("no", "yes"),
)
SPLITS = [
    Multiway(0, (2, 0)),
    Subset(0, (0, 2)),
    Groups(0, ((0,), (1, 2))),
    Threshold(1, 0.1),
    Threshold(2, 1.5),
    Intervals(1, (-1.0, 0.25)),
    Oblique((0.0, 1.5, 0.0), 0.5),
    WithSurrogates(Threshold(1, 2.5), [Surrogate(Subset(0, (1,)), reversed=True, agreement=0.75, adjusted=0.5)], default_child=1),
    WithDefault(Threshold(1, 2.5), default_child=1),
    IsMissing(0),
]


def tree_of(*splits):
    """A tree with these splits, one below the other, in the first child."""
    node = ft.Leaf((2, 1))
    for number, split in enumerate(splits):
        node = ft.Branch(
            np.add(node.counts, (0, number * (split.n_children - 1))),
            split,
            (node, *[ft.Leaf((0, number))] * (split.n_children - 1)),
        )
    return ft.Tree(SCHEMA, node)


TREE = tree_of(*SPLITS)
NESTED = [ft.to_dict(tree_of(split, SPLITS[0]), counts=number % 2 == 0) for number, split in enumerate(SPLITS)]
JSON_TEXTS = [
    *[ft.to_json(tree_of(split, SPLITS[0])).encode() for split in SPLITS],
    ft.to_json(evolve(TREE, missing=weighted())).encode(),
    *[ft.to_json(part).encode() for part in (ft.C45, ft.CART, ft.CHAID, stop.max_depth(3) | ~stop.pure() & stop.min_rows(2.5))],
    *[ft.to_json(prune.decisions_of(one, TREE)).encode() for one in (prune.pessimistic(), prune.trim(stop.max_depth(1)))],
]
JSON_FORM_TOKENS = [
    *b'NaN -Infinity 1e999 -1 0.5 null true "\\ud800" \xff \xef\xbb\xbf "sky" [ ] { } , "version":1, "feature":[0],'.split(),
    *b'{"float":"inf"} {"tuple":[[]]} {"type":"os.system"} {"type":"stop.pure"} {"fraction":[1,0]} {"decimal":"sNaN"}'.split(),
    *[b'{"date":"2020-01-31"}', b"9" * 5000, b"[" * 3000],
]
PMML = [to_pmml(tree_of(split, SPLITS[0]), missing=rule).encode() for split in SPLITS[:6] for rule in ("heaviest", "stop_here")]
PMML_TOKENS = [*b'<True/> < /> &amp; &x; <!-- <![CDATA[ value="grey" notEqual \xff'.split(), b"<!DOCTYPE a>"]
WEKA = [ft.text(ft.grow(data)).encode() for data in (weather(), lenses())]
WEKA_TOKENS = [b"|   ", b"|", b" <= ", b" > ", b" = ", b": ", b" (", b")", b"1e999", b"(0.0)", b"null", b"\n", b"---", b"\xff"]
WEKA_TOKENS += [b"9" * 400, b": no (" + b"9" * 40_000]
RPART = [
    b"""frame,var,n,wt,dev,yval,cp,nc,ns,yval,no,yes\n1,wind,5,5,2,1,1,0,1,1,3,2\n2,sky,3,3,1,1,0,0,0,1,2,1\n4,<leaf>,1,1,0,1,0,0,0,1,1,0
5,<leaf>,2,2,1,1,0,0,0,1,1,1\n3,<leaf>,2,2,1,2,0,0,0,2,1,1\n\nsplits,count,ncat,improve,index,adj\nwind,5,1,1,2.5,0\nsky,0,3,0.8,1,0.5
sky,3,3,1,2,0\n\ncsplit,V1,V2,V3\n1,1,3,3\n2,3,1,2""",
]
RPART_TOKENS = [b",", b'"', b"\n", b"\n\n", b"<leaf>", b"sky", b"wind", b"-1", b"2", b"1e999", b"nan", b"\xff", b"9" * 400]
LISTED = [
    [["grey", 1.5, "S"], [None, "?", "L"]],
    ["blue", 0, "M"],
    {"sky": "red", "wind": 3},
    [{"wind": -1.0}, {"sky": "green", "size": "S"}],
    np.array([["grey", 1, "S"]], dtype=object),
]


ROWS_TO_ENCODE = pyarrow.table({"x": [1.5, 2, 3, 4, 9], "sky": ["a", None, "b", "a", "b"], "class": ["p", "q", "p", "q", "q"]})
with TemporaryDirectory() as made:
    HEADERS = [json.loads((encode_to(ROWS_TO_ENCODE, Path(made, "table")).parts.table.folder / "table.json").read_text())]


# Values that are invalid everywhere, or nearly everywhere.
JUNK = st.one_of(
    st.sampled_from(
        ("", "?", "NA", "grey", "sky", "no", "numeric", "x" * 300, "\x00", "\ud800", "<= 1", "> 1", "(-inf, 1]", "\uff11")
    ),
    st.sampled_from((0, -1, 1.5, 10**400, 2**53 + 1, float("nan"), float("inf"), -0.0, 1e308, True, Fraction(1, 3), 1j)),
    st.builds(object)
    | st.sampled_from((None, b"x", dict, len, Decimal("NaN"), Decimal("sNaN"), Decimal("1e999"), np.float32(0.1))),
    st.sampled_from((np.ma.masked, date(1, 1, 1), datetime(2020, 1, 1, tzinfo=UTC), time(1), timedelta(1))),
    st.sampled_from((np.datetime64("", "s"), np.timedelta64(1, "M"), (), frozenset(("grey",)), range(3), Ellipsis, slice(1))),
    st.builds(list) | st.builds(dict) | st.builds(set) | st.builds(lambda: [[]]) | st.builds(lambda: {"sky": {}}),
    st.sampled_from(
        (np.zeros(2), np.zeros((2, 2)), np.array(1), np.array([]), np.array(["a", 1], object), np.array([1], "m8[Y]"))
    ),
)


# Checks of accepted input -------------------------------------------------------------------------------------------


def check_options(given, dataset):
    """A dataset of the three lines of the file."""
    given = given if isinstance(given, dict) else {}
    assert len(dataset) == 3 - (given.get("header", True) is True) - (given.get("comment") in tuple("sbg"))
    assert len(dataset.schema.features) == 2 - isinstance(given.get("weights"), str)


def check_nested(nested, tree):
    """Written again, it is the same dictionary, with all counts, and read again, the same tree."""
    with suppress(RecursionError):  # a deep dictionary cannot be compared
        assert ft.to_dict(tree, counts=True) == as_written(nested)
    assert ft.from_dict(ft.to_dict(tree, counts=True), SCHEMA) == tree


def check_document(_, value):
    """Written and read again, it is the same."""
    assert ft.from_json(ft.to_json(value)) == value


def as_written(part):
    """A dictionary with all counts, and with thresholds in the form of `to_dict`."""
    if isinstance(part, Mapping) and any(isinstance(below, Mapping) for below in part.values()):
        ((name, children),) = part.items()
        return {name: {key_as_written(key): as_written(below) for key, below in children.items()}}
    cases = part if isinstance(part, Mapping) else {part: 1}
    counts = {label: cases.get(label, 0) for label in SCHEMA.classes}
    return {label: count if isinstance(count, int) else float(count) for label, count in counts.items()}


def key_as_written(key):
    is_cut = isinstance(key, str) and re.match(r"<= |> |\(", key)
    return re.sub(r"[-+.\w]*\d[-+.\w]*", lambda number: repr(float(number[0])), key) if is_cut else key


def check_answers(rows, answers):
    """Each row is predicted as if it were alone; a mapping is a row, or a table of columns."""
    if isinstance(answers, str) or isinstance(rows, Mapping):
        assert set([answers] if isinstance(answers, str) else answers) <= set(SCHEMA.classes)
    else:
        # After a list, since a row whose first value is a tuple looks like rows.
        assert list(answers) == [ft.predict(TREE, [["grey", 1, "S"], row])[1] for row in rows]


def check_arff(data, dataset):
    """A row for each line after @data, and the declared classes."""
    lines = [line.strip() for line in re.split(r"\r\n|\r|\n", data.decode("utf-8-sig"))]
    plain = [line for line in lines if line and not line.startswith("%")]
    rows = plain[next(number for number, line in enumerate(plain) if line.split()[0].lower() == "@data") + 1 :]
    assert len(rows) == len(dataset)


def check_encoded(_, source):
    """The tree of the rows, whatever the header calls them."""
    assert ft.grow(source).root.counts == (2, 3)


def check_json(data, dataset):
    """The values that Python's json finds, if a name is on each line."""
    rows = [json.loads(line) for line in re.split(r"\r\n|\r|\n", data.decode("utf-8-sig")) if line.strip()]
    # A column without a name has row names, or a name of the library's.
    for name in {name for row in rows for name in row} - {dataset.schema.target, ""}:
        check_column(dataset, name, [row.get(name) for row in rows], missing_among(MISSING_WORDS))


# Readers --------------------------------------------------------------------------------------------------------------


def read_csv(data, folder, **options):
    (folder / "table.csv").write_bytes(data)
    return ft.Dataset.read_csv(folder / "table.csv", **options)


def read(format, data, _):  # noqa: A002  # as the argument
    return ft.Dataset.read(data, format=format)


def read_weka(data, _):
    return from_weka_text(data.decode(errors="replace"))


def read_rpart(data, _):
    frame, *tables = data.decode(errors="replace").split("\n\n")
    return from_rpart(frame, *tables[:2], schema=SCHEMA)


def read_encoded(header, folder):
    """The folder with another header, whose own checksum is right."""
    if not (folder / "table").exists():
        encode_to(ROWS_TO_ENCODE, folder / "table")
    (folder / "table" / "table.json").write_text(json.dumps({**header, "own_checksum": _own_checksum(header)}))
    return open_encoded(folder / "table")


def called(function, *required, optional=()):
    """A call by keywords: arguments that a mutation has removed are None, those that it has invented are omitted."""

    def call(given, _):
        options = given if isinstance(given, dict) else {}
        known = {name: options[name] for name in (*required, *optional) if name in options}
        return function(**(dict.fromkeys(required) | known))

    return call


def read_with_options(options, folder):
    read = partial(read_csv, b"sky,wind,class\ngrey,1,blue\nblue,2,red\n", folder)
    return called(read, optional=[*SHARED, "header", "delimiter", "comment"])(options, folder)


SHARED = ["target", "kinds", "classes", "missing", "weights"]
from_rows = called(ft.Dataset.from_rows, "rows", "labels", optional=["features", *SHARED])
from_columns = called(ft.Dataset.from_columns, "columns", optional=SHARED)


@frozen
class Reader:
    """`inputs` draws mutations of samples, `read(input, folder)` makes a value, `check(input, value)` fails for a wrong one.

    A reader of files writes its input into the folder first.
    """

    name: str
    samples: list
    inputs: st.SearchStrategy
    read: Callable
    check: Callable


def of_bytes(name, samples, read, check, tokens=CSV_TOKENS):
    return Reader(name, samples, mutated_bytes(samples, tokens), read, check)


def of_parts(name, samples, read, check):
    return Reader(name, samples, mutated_parts(samples, JUNK), read, check)


def as_json(part):
    """What JSON can write of an object."""
    with suppress(TypeError, ValueError, RecursionError):
        return json.dumps(part).encode()
    return b"null"


def is_header(data):
    with suppress(ValueError):
        return isinstance(json.loads(data), dict)
    return False


# Of mutated bytes, few are JSON.
HEADER = mutated_parts(HEADERS, JUNK).map(as_json).filter(is_header).map(json.loads)
DOCUMENTS = mutated_parts([json.loads(text) for text in JSON_TEXTS], JUNK).map(as_json) | mutated_bytes(
    JSON_TEXTS, JSON_FORM_TOKENS
)
SEMICOLONS = [sample.replace(b",", b";").replace(b"\n", b"\n# more\n") for sample in CSV if b"," in sample]
AS_WRITTEN = {"header": False, "delimiter": ";", "comment": "#"}

READERS = [
    of_bytes("read_csv", CSV, read_csv, check_csv),
    of_bytes("read_csv by pyarrow", CSV, lambda data, _: in_blocks(data, block=1 << 12), check_csv),
    of_bytes("ARFF", ARFF, partial(read, "arff"), check_arff, ARFF_TOKENS),
    of_bytes("JSON lines", JSON, partial(read, "jsonl"), check_json, JSON_TOKENS),
    of_bytes("read_csv with options", SEMICOLONS, partial(read_csv, **AS_WRITTEN), partial(check_csv, **AS_WRITTEN)),
    of_parts("options of read_csv", OPTIONS, read_with_options, check_options),
    of_parts("from_rows", ROWS, from_rows, check_rows),
    of_parts("from_columns", COLUMNS, from_columns, check_columns),
    of_parts("from_dict", NESTED, lambda nested, _: ft.from_dict(nested, SCHEMA), check_nested),
    Reader("from_json", JSON_TEXTS, DOCUMENTS, lambda text, _: ft.from_json(text), check_document),
    Reader("open_encoded", HEADERS, HEADER, read_encoded, check_encoded),
    of_bytes("from_pmml", PMML, lambda text, _: from_pmml(text), check_document, PMML_TOKENS),
    of_bytes("from_weka_text", WEKA, read_weka, check_document, WEKA_TOKENS),
    of_bytes("from_rpart", RPART, read_rpart, check_document, RPART_TOKENS),
    of_parts("predict", LISTED, lambda rows, _: ft.predict(TREE, rows), check_answers),
]
each_reader = pytest.mark.parametrize("reader", READERS, ids=[reader.name for reader in READERS])


# Laws -----------------------------------------------------------------------------------------------------------------


@each_reader
def test_a_reader_reads_its_samples(reader, tmp_path):
    assert {outcome(reader, sample, tmp_path) for sample in reader.samples} == {"read"}


@each_reader
@within
@given(st.data())
def test_mutated_input_gives_a_right_value_or_a_clear_error(reader, folder, data):
    outcome(reader, data.draw(reader.inputs), folder)


@pytest.mark.slow
@each_reader
@settings(within, max_examples=1_000)
@given(st.data())
def test_thousands_of_mutated_inputs_give_a_right_value_or_a_clear_error(reader, folder, data):
    found = outcome(reader, data.draw(reader.inputs), folder)
    assert reader.name != "from_json" or found in {"read", "ValueError"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("inputs")


def outcome(reader, data, folder):
    """Whether an input is read, or the error by which it is refused; an unclear error fails."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of kinds in doubt
            value = reader.read(data, folder)
    except (ValueError, TypeError, KeyError) as error:
        if not is_clear(error):
            raise
        return type(error).__name__
    reader.check(data, value)
    return "read"


def is_clear(error):
    """Whether an error is the library's, with what was wanted and what came, and short."""
    text = str(error)
    return type(error) in {ValueError, TypeError, KeyError} and re.search(r"\bmust\b.*\bgot\b", text) and len(text) < LONGEST


@pytest.mark.wide
@pytest.mark.filterwarnings("ignore::UserWarning")  # of kinds in doubt
@each_reader
def test_memory_is_bounded_by_that_of_the_input(reader, tmp_path):
    """Ten times the bytes of a table, or the memory of Python's values, and of a tree's text that of its lines as Python's texts.

    A small input takes more: blocks of 4,096 cells are read at once.
    """
    for sample in reader.samples:
        given = sample * (60_000 // len(sample)) if isinstance(sample, bytes) else sample
        size = len(given) if isinstance(given, bytes) else memory_of(partial(deepcopy, given))
        if reader.name == "from_weka_text":
            size = memory_of(given.decode().splitlines)
        refused_or_read(reader, given, tmp_path)  # the first use loads modules
        assert memory_of(partial(refused_or_read, reader, given, tmp_path)) <= 10 * size + 160_000


def refused_or_read(reader, given, folder):
    with suppress(ValueError, TypeError, KeyError):
        reader.read(given, folder)
