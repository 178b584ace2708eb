"""The entry of the native library: every array is checked before its address is passed, and a foreign library is refused."""

import _ctypes  # a library that is always there
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ftree import native
from ftree.native import SIGNATURES, build
from ftree.native.signatures import arguments_of

needs_a_compiler = pytest.mark.skipif(not build.compiler(), reason="no C compiler: install gcc")


needs_the_library = pytest.mark.skipif(build.is_off(), reason="FTREE_NATIVE=off asks for NumPy alone")


@needs_the_library
def test_the_library_is_here_where_tests_run_and_says_so():
    assert native.is_here()
    assert re.fullmatch(
        rf"The native library {re.escape(str(build.LIBRARY))}, compiled for (any processor|AVX\w+)\.", native.about()
    )


def test_python_takes_the_library_for_no_module():
    assert {each.name for each in pkgutil.iter_modules([str(build.HERE)])} == {"build", "signatures"}


def test_another_file_may_be_loaded_by_its_name(tmp_path):
    line = [sys.executable, "-c", "from ftree import native; print(native.about())"]
    where = os.environ | {"FTREE_LIBRARY": str(tmp_path / "none"), "FTREE_NATIVE": ""}
    said = subprocess.run(line, env=where, capture_output=True, text=True, check=True).stdout  # noqa: S603  # our own code
    assert said.startswith(f"NumPy, since there is no {tmp_path / 'none'}.")


PROBE = """
#include <stddef.h>
#include <stdio.h>
#include "table.h"
#define SIZE(type) printf("%zu\\n", sizeof(type));
#define KIND(x) _Generic((x), double: "f8", bool: "b1", int64_t: "i8", int32_t: "i4", uint64_t: "u8", uint32_t: "u4")
#define FIELD(type, field, element) \\
    printf("%zu %zu %s\\n", offsetof(type, field), sizeof(((type *)0)->field), KIND(((type *)0)->field element));
int main(void) {{ {} return 0; }}
"""


@needs_a_compiler
def test_a_struct_has_the_size_and_each_field_the_place_and_the_type_that_c_gives_it(tmp_path):
    """Two fields in another order, or of types of one size, would leave the size of the struct as it is."""
    named = [(struct, name, *own.fields[name]) for struct, own in native.STRUCTS.items() for name in own.names]
    probes = "".join(f"SIZE({struct})" for struct in native.STRUCTS)
    probes += "".join(f"FIELD({struct}, {name}, {'[0]' * len(kind.shape)})" for struct, name, kind, _ in named)
    (tmp_path / "probe.c").write_text(PROBE.format(probes))
    command = [*build.compiler(), "-std=c17", f"-I{build.HERE}", str(tmp_path / "probe.c"), "-o", str(tmp_path / "probe")]
    subprocess.run(command, check=True)  # noqa: S603  # the compiler that builds the library
    said = subprocess.run([tmp_path / "probe"], capture_output=True, text=True, check=True).stdout.splitlines()  # noqa: S603  # as above
    sizes = [str(struct.itemsize) for struct in native.STRUCTS.values()]
    assert said == sizes + [f"{offset} {kind.itemsize} {kind.base.str[1:]}" for _, _, kind, offset in named]


def test_a_record_has_the_fields_of_its_struct_and_no_others():
    assert native.record(native.COPY, child=2, share=0.5) == (0.5, 0, 2)
    with pytest.raises(TypeError, match="fields must be share, row, child, got part"):
        native.record(native.COPY, part=0.5)


def test_arguments_may_be_given_by_name_in_any_order_but_all_and_no_others():
    answers = {"answers": np.empty(2), "counts": np.ones((2, 2)), "address": 0}
    with pytest.raises(TypeError, match="impurities takes address, counts, answers, got counts, answers"):
        native.call("impurities", counts=answers["counts"], answers=answers["answers"])
    with pytest.raises(TypeError, match="impurities takes counts, answers, got answers, counts, address"):
        native.call("impurities", 0, **answers)
    keys, given = np.empty(3, np.int32), {"x": np.array([2.0, 1.0, 2.0]), "label": np.zeros(3, np.uint8), "shift": 1}
    room = {name: np.empty(3, native.ITEM) for name in ("items", "room")}
    assert native.call("sort_lane", lane=keys, **room, count=np.empty((4, 256), np.uint32), **given) == 0
    assert (keys >> 1).tolist() == [1, 0, 2]


def _c_arguments():
    """The arguments of each function as its C source declares them."""
    text = "".join(file.read_text() for file in build.HERE.glob("*.c"))
    found = re.findall(r"FTREE_API int64_t ftree_(\w+)\(([^)]*)\)", text)
    return {
        name: [tuple(re.fullmatch(r"\s*(.*?)(\w+)\s*", each, re.DOTALL).groups()) for each in given.split(",")]
        for name, given in found
    }


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures_name_the_arguments_of_c_in_order_and_by_type(name):
    wanted = arguments_of(SIGNATURES[name])
    lengths = list(dict.fromkeys(each for part in wanted for each in part.dimensions or () if each.isalpha()))
    declared = _c_arguments()[name]
    assert [own for _, own in declared] == [part.name for part in wanted] + lengths
    types = {
        "f64": "double",
        "i64": "int64_t",
        "i32": "int32_t",
        "u64": "uint64_t",
        "u32": "uint32_t",
        "u16": "uint16_t",
        "u8": "uint8_t",
    }
    kinds = re.findall(r":(\w+)", SIGNATURES[name])
    for (c_type, _), part, kind in zip(declared, wanted, kinds, strict=False):
        star = "" if part.dimensions is None else " *"
        const = "const " if part.dimensions is not None and not part.written else ""
        assert " ".join(c_type.split()) == f"{const}{types.get(kind, kind)}{star}".strip(), part.name
    assert {c_type.strip() for c_type, _ in declared[len(wanted) :]} <= {"int64_t"}


def test_every_function_of_the_library_has_a_signature():
    assert set(_c_arguments()) == set(SIGNATURES)


COUNTS, LABELS, LEAF, ADDED = np.ones((3, 2)), np.zeros(3, np.int64), np.zeros(4, np.int64), np.zeros((4, 2))


def _frozen(array):
    array = array.copy()
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("place", "given", "error", "message"),
    [
        (0, [[1.0]], TypeError, "counts must be an array of float64, got a list"),
        (0, COUNTS.astype("f4"), TypeError, "counts must be an array of float64, got an array of float32"),
        (0, COUNTS.astype(">f8"), TypeError, "got an array of >f8"),
        (0, COUNTS.view(np.recarray), TypeError, "counts must be an array of float64"),
        (0, np.asfortranarray(COUNTS), ValueError, "counts must be contiguous, aligned; pass a copy"),
        (0, np.frombuffer(bytes(49), "u1")[1:].view("f8").reshape(3, 2), ValueError, "counts must be contiguous, aligned"),
        (0, np.ones(6), ValueError, r"counts must have the shape \(, k\) with {}, got \(6,\)"),
        (5, np.zeros((4, 3)), ValueError, r"added must have the shape \(n, k\) with {'k': 2, 'n': 4}, got \(4, 3\)"),
        (5, np.zeros((3, 2)), ValueError, "added must have the shape"),
        (5, _frozen(ADDED), ValueError, "added must be contiguous, aligned and writable"),
    ],
)
def test_an_array_of_another_type_order_or_shape_is_refused_by_its_name(place, given, error, message):
    arguments = [COUNTS, LABELS, LEAF, 1.0, True, ADDED.copy()]
    assert native.call("add_answers", *arguments) == 4
    arguments[place] = given
    with pytest.raises(error, match=message):
        native.call("add_answers", *arguments)
    with pytest.raises(TypeError, match="add_answers takes 6 arguments, got 5"):
        native.call("add_answers", *arguments[:5])


def test_answers_are_votes_for_labels_or_shares_of_classes():
    added = np.zeros((2, 2))
    arrays = np.array([[1.0, 3.0], [2.0, 2.0]]), np.array([1, 0]), np.array([0, 1])
    native.call("add_answers", *arrays, 2.0, 0, added)
    assert added.tolist() == [[0.5, 1.5], [1, 1]]
    native.call("add_answers", *arrays, 2.0, 1, added)
    assert added.tolist() == [[0.5, 3.5], [3, 1]]


def test_first_arguments_are_checked_once_and_kept_and_the_others_at_each_call():
    counts = COUNTS.copy()
    add = native.prepared("add_answers", counts, LABELS)
    del counts
    added = ADDED.copy()
    assert add(LEAF, 2.0, 0, added) == 4
    assert added.tolist() == [[1.0, 1.0]] * 4
    with pytest.raises(ValueError, match=r"added must have the shape \(n, k\) with {'k': 2, 'n': 4}, got \(4, 3\)"):
        add(LEAF, 2.0, 0, np.zeros((4, 3)))
    with pytest.raises(TypeError, match="add_answers takes 6 arguments, got 5"):
        add(LEAF, 2.0, 0)
    with pytest.raises(TypeError, match="labels must be an array of int64, got a list"):
        native.prepared("add_answers", COUNTS, [0, 0, 0])


def test_read_only_and_empty_arrays_are_read():
    added = np.zeros((0, 2))
    assert native.call("add_answers", _frozen(COUNTS), _frozen(LABELS), np.zeros(0, np.int64), 1, 0, added) == 0


def test_off_leaves_everything_to_numpy_and_says_so(monkeypatch):
    monkeypatch.setenv("FTREE_NATIVE", "OFF")
    assert not native.is_here()
    assert native.about() == "NumPy, since FTREE_NATIVE=off asks for it."
    assert build.requirements() == []


def test_without_a_library_numpy_answers_and_the_remedy_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("FTREE_NATIVE", "")
    said = native.about(tmp_path / "library.so")
    assert said.startswith(f"NumPy, since there is no {tmp_path}")
    assert said.endswith('build.py"` builds it; FTREE_NATIVE=off does without.')


@pytest.mark.parametrize("content", [b"no library", Path(_ctypes.__file__).read_bytes()])
def test_a_file_that_is_not_this_library_is_refused_with_the_remedy(tmp_path, content):
    (tmp_path / "library.so").write_bytes(content)
    with pytest.raises(
        ImportError, match=r"library\.so cannot be loaded \(.*\)\. .*build\.py.* builds it; FTREE_NATIVE=off does without"
    ):
        native.loaded(tmp_path / "library.so")


@needs_a_compiler
def test_a_library_of_other_sources_is_refused_with_the_remedy(tmp_path, monkeypatch):
    monkeypatch.setenv("CFLAGS", "-O0 -UFTREE_DIGEST -DFTREE_DIGEST=d0")
    with pytest.raises(ImportError, match=r"was built from other sources than those beside it\. .*build\.py"):
        native.loaded(build.build(tmp_path / "library.so"))


@needs_a_compiler
def test_the_library_is_built_again_beside_its_sources_or_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setenv("CFLAGS", "-O0 -Werror")
    made = build.build(tmp_path / "library.so")
    assert [each.name for each in tmp_path.iterdir()] == ["library.so"]
    assert made.stat().st_size > 1000
    monkeypatch.setenv("CFLAGS", "-no-such-option")
    with pytest.raises(SystemExit, match="did not compile; FTREE_NATIVE=off"):
        build.build(tmp_path / "other.so")
    assert not (tmp_path / "other.so").exists()


def test_a_library_is_current_if_it_names_the_digest_of_its_sources_and_no_flags_are_given(tmp_path, monkeypatch):
    monkeypatch.delenv("CFLAGS", raising=False)
    made = tmp_path / "library.so"
    assert not build.is_current(made)
    made.write_bytes(b"of others")
    assert not build.is_current(made)
    made.write_bytes(b"\0" + build.digest().encode())
    assert build.is_current(made)
    monkeypatch.setenv("CFLAGS", "-Werror")
    assert not build.is_current(made)


def test_a_build_names_what_it_lacks(monkeypatch):
    monkeypatch.setenv("FTREE_NATIVE", "")
    monkeypatch.setenv("FTREE_TARGET", "pdp11")
    with pytest.raises(SystemExit, match=r"FTREE_TARGET must be one of x86_64-linux-gnu.2.17, .*, got pdp11"):
        build.target()
    monkeypatch.setenv("FTREE_TARGET", "")
    monkeypatch.setenv("CC", "")
    monkeypatch.setenv("PATH", "")
    assert build.requirements() == ["ziglang>=0.13"]
    monkeypatch.setattr(build.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(SystemExit, match="No C compiler was found: install gcc, clang or ziglang"):
        build.commands(Path("library.so"))


def test_commands_are_those_of_each_platform(monkeypatch):
    monkeypatch.setattr(build.importlib.util, "find_spec", lambda _: True)
    for target in build.TARGETS:
        monkeypatch.setenv("FTREE_TARGET", target)
        compiles, link = build.commands(Path("out"))
        for line in (*compiles, link):
            assert (line[line.index("-target") + 1], "-fPIC" in line) == (target, "windows" not in target)
        assert any("install_name" in each for each in link) == ("macos" in target)


@pytest.mark.parametrize(("machine", "variants"), [("x86_64-pc-linux", set(build.VARIANTS)), ("aarch64-apple-darwin", {""})])
def test_a_library_for_x86_64_has_each_source_for_each_kind_of_processor(monkeypatch, machine, variants):
    """As the compiler says what it compiles for: this one says what it is told."""
    monkeypatch.setenv("FTREE_TARGET", "")
    monkeypatch.setenv("CC", f"echo {machine}")
    compiles, link = build.commands(Path("out"))
    assert compiles[0][:2] == link[:2] == ["echo", machine]
    made = {line[line.index("-o") + 1] for line in compiles}
    assert made == {f"{file.stem}{variant}.o" for file in build.HERE.glob("*.c") for variant in variants}
    assert made < set(link)


def test_a_signature_that_cannot_be_read_is_refused():
    with pytest.raises(ValueError, match="signature must name arguments such as"):
        arguments_of("counts:f64[m;k]! node:i64[e]")
