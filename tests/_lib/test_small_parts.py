"""Small parts on which others depend: the garbage collector's pauses, marks and digests, tables as text, axes, seeds."""

import gc
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

import ftree
from ftree import Leaf, Threshold
from ftree._lib import compiled_mark
from ftree._lib.compiled_mark import mark
from ftree._lib.gc_pause import gc_paused, move_to_oldest_generation
from ftree._lib.kernel_digest import kernel_digest, sources_digest
from ftree._lib.pyplot import axes_or_new
from ftree._lib.random_numbers import generator_of
from ftree._lib.text_table import aligned, html_table
from ftree._lib.unchecked import unchecked


def test_the_garbage_collector_is_on_after_a_pause_if_it_was_on_also_after_an_error():
    assert gc.isenabled()

    @gc_paused()
    def failing():
        assert not gc.isenabled()
        raise KeyError

    with pytest.raises(KeyError):
        failing()
    assert gc.isenabled()
    gc.disable()
    try:
        with gc_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_what_is_there_moves_to_the_oldest_generation_but_for_what_the_program_has_frozen():
    gc.collect()
    fresh = [[]]
    assert any(each is fresh for each in gc.get_objects(generation=0))
    move_to_oldest_generation()
    assert any(each is fresh for each in gc.get_objects(generation=2))
    assert gc.get_freeze_count() == 0
    gc.freeze()
    try:
        frozen, other = gc.get_freeze_count(), [[]]
        move_to_oldest_generation()
        assert gc.get_freeze_count() >= frozen > 0
        assert not any(each is other for each in gc.get_objects(generation=2))
    finally:
        gc.unfreeze()


def test_the_digest_is_of_all_kernels_of_this_library_in_the_order_of_their_paths(tmp_path):
    folder = Path(ftree.__file__).parent
    listed = sorted([*folder.glob("*/kernels/*.py"), folder / "_lib" / "jit.py", folder / "_lib" / "kernel_cache.py"])
    assert len(listed) > 15
    assert kernel_digest.__wrapped__() == kernel_digest() == sha256(b"".join(path.read_bytes() for path in listed)).hexdigest()
    names = [*(f"room{number}/kernels/k.py" for number in (3, 1, 2, 5, 4)), "_lib/kernel_cache.py", "_lib/jit.py"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    assert sources_digest(tmp_path) == sha256("".join(sorted(names)).encode()).hexdigest()


def test_a_mark_is_left_in_the_first_folder_that_can_be_written_to(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    there = tmp_path / "there"
    there.mkdir()
    for folders in ([tmp_path / "file", tmp_path / "new" / "deep"], [there], [there]):
        monkeypatch.setattr(compiled_mark, "mark_folders", lambda folders=folders: iter(folders))
        assert mark() == folders[-1] / compiled_mark.mark_name()
        assert compiled_mark.is_marked()
    assert [path.name for path in there.iterdir()] == [compiled_mark.mark_name()]


def test_axes_are_those_that_are_given_or_those_of_a_new_figure_with_the_options():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    given = pyplot.subplots()[1]
    assert axes_or_new(given, name="plot") is given
    axes = axes_or_new(None, name="plot", figsize=(3, 2))
    assert axes.figure.get_size_inches().tolist() == [3, 2]
    assert axes.figure.axes == [axes]
    pyplot.close("all")


def test_a_seed_makes_the_same_numbers_and_must_be_a_whole_number():
    wanted = np.random.Generator(np.random.PCG64(7)).random(5).tolist()
    assert generator_of(7).random(5).tolist() == wanted
    for wrong in (-1, 1.5, True, None, [1]):
        with pytest.raises(ValueError, match="seed must be a whole number from 0, got"):
            generator_of(wrong)


@pytest.mark.parametrize(
    ("left", "lines"),
    [
        (None, ["a   bb  c", "dd  e   ff"]),
        (3, ["a   bb  c", "dd  e   ff"]),
        (1, ["a   bb   c", "dd   e  ff"]),
        (0, [" a  bb   c", "dd   e  ff"]),
    ],
)
def test_columns_are_as_wide_as_their_longest_cell_and_flush_left_or_right(left, lines):
    assert aligned([("a", "bb", "c"), ("dd", "e", "ff")], left=left).splitlines() == lines


def test_a_table_in_HTML_has_its_texts_escaped():
    cell = "&lt;i&gt;"
    assert html_table("a & b", ["<i>"], [["<i>"], ["x"]]) == (
        f"<table><caption>a &amp; b</caption><thead><tr><th>{cell}</th></tr></thead>"
        f"<tbody><tr><td>{cell}</td></tr><tr><td>x</td></tr></tbody></table>"
    )


def test_values_made_without_checks_are_those_that_constructors_make():
    assert unchecked(Threshold, [0, 3], [0.5, 1.5]) == [Threshold(0, 0.5), Threshold(3, 1.5)]
    assert unchecked(Leaf, [(1, 2), (3, 4)]) == [Leaf((1, 2)), Leaf((3, 4))]
    assert unchecked(Threshold, [], []) == []
