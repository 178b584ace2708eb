"""Names of functions in programs: those that a language has already are refused, and all others make a program that works."""

import builtins
import keyword
import re
import shutil
import subprocess
from datetime import date

import pytest
from browser import needed
from consumers import SLOW, compiled
from hypothesis import example, given
from hypothesis import strategies as st

from ftree import CART, Dataset, Leaf, Schema, Tree, datasets, grow
from ftree.exchange import to_c, to_python
from ftree.exchange.c_source import NAMES_OF_C, is_name_of_c
from ftree.tree import numbers

IDENTIFIERS = st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_]*", fullmatch=True)
WEATHER = grow(datasets.weather())


def caught(write):
    """The source, or the message of the refusal."""
    try:
        return write(), ""
    except ValueError as error:
        return None, str(error)


# Python -----------------------------------------------------------------------------------------------------------------

DAYS = grow(Dataset.from_rows([[date(2020, 1, 1)], [date(2020, 1, 2)]], ["no", "yes"]), CART)
NUMBER = Tree(Schema((), "mpg", (), response=numbers()), Leaf((1, 2, 4)))
# By their number, trees and options with which the source uses other names.
PROGRAMS = [
    (WEATHER, {}),
    (WEATHER, {"answer": "proba"}),
    (WEATHER, {"costs": [[0, 1], [1, 0]]}),
    (DAYS, {}),
    (NUMBER, {}),
]
KNOWN = sorted(
    {*dir(builtins), *keyword.kwlist, *keyword.softkwlist, *re.findall(r"[A-Za-z_]\w*", to_python(DAYS) + to_python(NUMBER))}
)


@given(st.sampled_from(PROGRAMS), IDENTIFIERS | st.sampled_from(KNOWN))
@example((WEATHER, {}), "len")
@example((DAYS, {}), "date")
@example((WEATHER, {}), "date")
@example((WEATHER, {}), "__debug__")
def test_python_refuses_the_names_that_its_source_uses_and_works_with_all_others(program, name):
    tree, options = program
    usual, row = {}, [None] * len(tree.schema.features)
    exec(to_python(tree, **options), usual)  # noqa: S102  # this source is under test
    source, refusal = caught(lambda: to_python(tree, **options, name=name))
    if source is None:
        words = re.findall(r"\w+", to_python(tree, **options))
        assert name in words or keyword.iskeyword(name) or name.startswith("__")
        assert re.search(rf"got '{name}'. (The source uses|Python has) this name: choose another one", refusal)
        return
    made = {}
    exec(source, made)  # noqa: S102  # this source is under test
    assert made[name](row) == usual["predict"](row)
    with pytest.raises(ValueError, match="row must have"):
        made[name]([*row, None])


# C ----------------------------------------------------------------------------------------------------------------------

INCLUDED = ["math", "stddef", "string"]
LIBRARY = """assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal
stdalign stdarg stdbool stddef stdint stdio stdlib string threads time wchar wctype"""
STANDARDS = ["c99", "gnu17", "gnu2x"]
# What a compiler need not know: words of C23, and a name that C reserves.
NOT_YET = {"constexpr", "nullptr", "typeof_unqual", "va_end"}


def gcc(source, *options):
    command = [shutil.which("gcc"), "-x", "c", "-", *options]
    return subprocess.run(command, input=source, capture_output=True, text=True, timeout=300, check=False)  # noqa: S603  # under test


def include(headers):
    return "".join(f"#include <{header}.h>\n" for header in headers)


def in_conflict(names, standard, headers):
    """Those of the names with which gcc refuses a function, or warns of it, or its call; each has a line."""
    listed = sorted(names)
    lines = [
        f"int {name}(const double *row) {{ return !row; }} int call_{n}(const double *row) {{ return {name}(row); }}"
        for n, name in enumerate(listed)
    ]
    source = f'{include(headers)}# 1 "here.c"\n' + "\n".join(lines) + "\n"
    told = gcc(source, f"-std={standard}", "-Wall", "-fsyntax-only", "-fmax-errors=0").stderr
    found = re.findall(r"^here\.c:(\d+):\d+: (?:error|warning|note: in expansion)", told, re.MULTILINE)
    return {listed[int(line) - 1] for line in found}


@pytest.fixture(scope="module")
def _gcc():
    needed("gcc", SLOW["c"])


@pytest.mark.consumer
@pytest.mark.usefixtures("_gcc")
def test_gcc_refuses_each_name_that_to_c_refuses():
    refused = [in_conflict(NAMES_OF_C, standard, headers) for standard in STANDARDS for headers in (INCLUDED, LIBRARY.split())]
    assert NAMES_OF_C - set.union(*refused) <= NOT_YET


@pytest.mark.consumer
@pytest.mark.usefixtures("_gcc")
@pytest.mark.parametrize("standard", STANDARDS)
def test_gcc_takes_each_name_in_the_headers_that_to_c_takes(standard):
    options, source = (f"-std={standard}", "-E", "-P"), include(INCLUDED)
    text = gcc(source, *options).stdout + "\n".join(re.findall(r"#define (\w+)", gcc(source, *options, "-dM").stdout))
    names = set(re.findall(r"[A-Za-z_]\w*", text))
    assert {"log", "strcmp", "NAN", "size_t"} <= names
    assert in_conflict({name for name in names if not is_name_of_c(name)}, standard, INCLUDED) == set()


@pytest.mark.consumer
@pytest.mark.usefixtures("_gcc")
def test_a_program_in_c_compiles_under_each_name_that_is_taken():
    words = sorted(set(re.findall(r"[A-Za-z_]\w*", to_c(WEATHER))) - {"predict"})

    @given(IDENTIFIERS | st.sampled_from(sorted(NAMES_OF_C)) | st.sampled_from(words))
    def on_any(name):
        source, refusal = caught(lambda: to_c(WEATHER, name=name))
        if source is None:
            assert is_name_of_c(name)
            assert f"got '{name}'. C or its library has this name: choose another one" in refusal
        else:
            compiled(source, name)

    on_any()
