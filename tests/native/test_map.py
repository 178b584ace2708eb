"""The pages about the C library say what its sources say: which file calls which, and what has a name."""

import re
from collections import Counter
from pathlib import Path

from ftree.native import SIGNATURES, build

PAGES = Path(__file__).parents[2] / "docs" / "explanation"
SOURCES = {file.name: file.read_text(encoding="utf-8") for file in sorted(build.HERE.glob("*.[ch]"))}
FUNCTION = re.compile(
    r"^(?!typedef|extern)[A-Za-z][^\n;{}()]*?(\w+)\([^)]*\)\n(?:/\*.*?\*/\n)?\{(.*?)^\}", re.MULTILINE | re.DOTALL
)
PICTURE = re.search(r"```text\n(.*?)```", (PAGES / "native.md").read_text(encoding="utf-8"), re.DOTALL)[1].splitlines()


def functions_of(file):
    """The bodies of a file's functions, by their names."""
    return {name: body for name, body in FUNCTION.findall(SOURCES[file]) if name != "JOINED"}


def calls_between_files():
    """Pairs of C files, of which the first one calls the second one, itself or by a function of a header."""
    home = {name: file for file in SOURCES if file.endswith(".c") for name in functions_of(file) if name.startswith("ftree_")}
    in_headers = {name: body for file in SOURCES if file.endswith(".h") for name, body in functions_of(file).items()}
    for file, text in SOURCES.items():
        if file.endswith(".c"):
            called = set(re.findall(r"\w+(?=\()", text))
            called |= {name for own in called & in_headers.keys() for name in re.findall(r"\w+(?=\()", in_headers[own])}
            yield from ((file, home[name]) for name in called & home.keys() if home[name] != file)


def calls_in_the_picture():
    above = []
    for line in PICTURE:
        name, level = line.split()[0], (len(line) - len(line.lstrip())) // 4
        above[level:] = [name]
        if level:
            yield above[level - 1], name


def test_the_picture_of_calls_is_that_of_the_sources():
    assert set(calls_in_the_picture()) == set(calls_between_files())
    assert {line.split()[0] for line in PICTURE} == {file for file in SOURCES if file.endswith(".c")}


def test_no_file_is_called_by_one_that_it_calls():
    """So a file can be read once those below it are known."""
    below = {file: {called for caller, called in calls_between_files() if caller == file} for file in SOURCES}
    while leaves := {file for file, called in below.items() if not called}:
        below = {file: called - leaves for file, called in below.items() if file not in leaves}
    assert below == {}


def test_the_picture_names_each_function_that_python_calls():
    named = {name for line in PICTURE for name in re.findall(r"\w+", line)}
    assert {re.sub(r"_(int32|float64)$", "", name) for name in SIGNATURES} <= named


def test_the_page_of_the_library_names_each_file():
    text = (PAGES / "native.md").read_text(encoding="utf-8")
    assert [file for file in SOURCES if f"`{file}`" not in text] == []


def test_the_sanitizers_run_the_laws_that_the_page_names():
    laws = set(re.findall(r"\b(test_\w+)\.py", (PAGES / "native.md").read_text(encoding="utf-8")))
    makefile = (PAGES.parents[1] / "Makefile").read_text(encoding="utf-8")
    run = re.search(r"^USE_NATIVE = (.*?)^CHECKED", makefile, re.DOTALL | re.MULTILINE)[1]
    folder_and_wildcard = {law for law in laws if law.startswith("test_native_")} | {
        file.stem for file in Path(__file__).parent.iterdir()
    }
    assert laws - folder_and_wildcard <= set(re.findall(r"\btest_\w+\b", run))


def test_the_page_of_rounding_names_each_tolerance():
    found = dict(each for text in SOURCES.values() for each in re.findall(r"^#define (\w+) (\S.*)", text, re.MULTILINE))
    tolerances = {name for name, value in found.items() if re.search(r"\b(1e-|0x1p-)", value)}
    assert {"TIE", "GUARD", "SCORE_ERROR", "RELATIVE"} < tolerances
    page = (PAGES / "rounding.md").read_text(encoding="utf-8")
    assert [name for name in sorted(tolerances) if f"`{name}`" not in page] == []


def test_the_page_of_rounding_names_functions_and_numbers_that_are_there():
    named = re.findall(r"`(\w+\.[ch])`, `(\w+)`", (PAGES / "rounding.md").read_text(encoding="utf-8"))
    assert len(named) > len(("classes", "numbers", "sums"))
    assert [(file, name) for file, name in named if not re.search(rf"\b{name}\b", SOURCES[file])] == []


def test_a_struct_has_a_name_of_its_own():
    names = Counter(name for text in SOURCES.values() for name in re.findall(r"^\} (\w+);", text, re.MULTILINE))
    assert [name for name, n in names.items() if n > 1] == []


def without_what_is_nested(line):
    """A line without what is in brackets, and in those of a loop."""
    while (shorter := re.sub(r"\([^()]*\)|\[[^][]*\]|\{[^{}]*\}", "", line)) != line:
        line = shorter
    return line


def statements(file):
    """The lines of a file with what each states, without comments."""
    code = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment[0].count("\n"), SOURCES[file], flags=re.DOTALL)
    return enumerate(map(without_what_is_nested, code.splitlines()), 1)


def test_a_line_of_c_states_one_thing():
    """No second statement, and no assignments that a comma joins; a declaration may name several variables."""
    joined = re.compile(r"^\s*(?:else |if |for |while )*[\w>*-][\w.>*-]* ?(?:[-+*/|&^]?=[^=]|\+\+|--).*, .*(?:=|\+\+|--)")
    found = [
        f"{file}:{number}" for file in SOURCES for number, line in statements(file) if line.count(";") > 1 or joined.match(line)
    ]
    assert found == []
