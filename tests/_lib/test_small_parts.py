"""Small parts on which others depend: the garbage collector's pauses, tables as text, axes, seeds."""

import compileall
import gc
from importlib import import_module
from zlib import crc32

import numpy as np
import pytest

from ftree._lib.faces import Grid
from ftree._lib.objects import gc_paused
from ftree._lib.random_numbers import child_keys, generator_of, hashed, uniform_draws
from ftree.show.plot_numbers import axes_or_new
from ftree.splitters import random_threshold


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


def test_axes_are_those_that_are_given_or_those_of_a_new_figure_with_the_options():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    given = pyplot.subplots()[1]
    assert axes_or_new(given, name="plot") is given
    axes = axes_or_new(None, name="plot", figsize=(3, 2))
    assert axes.figure.get_size_inches().tolist() == [3, 2]
    assert axes.figure.axes == [axes]


def test_a_seed_makes_the_same_numbers_and_must_be_a_whole_number():
    wanted = np.random.Generator(np.random.PCG64(7)).random(5).tolist()
    assert generator_of(7).random(5).tolist() == wanted
    for wrong in (-1, 1.5, True, None, [1]):
        with pytest.raises(ValueError, match="seed must be a whole number from 0, got"):
            generator_of(wrong)


def split_mix(number):
    """SplitMix64 in Python's whole numbers."""
    z = (number + 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return z ^ z >> 31


def test_numbers_are_mixed_as_splitmix64_does():
    some = [0, 1, 2, 2**63, 2**64 - 1, 0x123456789ABCDEF]
    assert hashed(np.array(some, np.uint64)).tolist() == list(map(split_mix, some))
    keys = child_keys(np.array([5, 5], np.uint64), np.array([0, 3]))
    assert keys.tolist() == [split_mix(5 ^ split_mix(0)), split_mix(5 ^ split_mix(3))]


@pytest.mark.parametrize("seed", [0, 1, 2**64, 2**64 + 1, 2**70 - 1])
def test_draws_have_53_bits_from_seed_node_and_feature(seed):
    part = random_threshold(seed=seed)
    found = uniform_draws(part, seed, np.array([9, 9], np.uint64), np.array([0, 4]))
    start = split_mix(split_mix(seed % 2**64) ^ crc32(b"random_threshold"))
    expected = [(split_mix(split_mix(start ^ 9) ^ split_mix(feature)) >> 11) / 2**53 for feature in (0, 4)]
    assert found.tolist() == expected


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
    assert str(Grid(("a", "bb", "c"), [("dd", "e", "ff")], left=left)).splitlines() == lines


def test_a_table_in_HTML_has_its_texts_escaped():
    cell = "&lt;i&gt;"
    assert Grid(["<i>"], [["<i>"], ["x"]], left=0, caption="a & b").html() == (
        f"<table><caption>a &amp; b</caption><thead><tr><th>{cell}</th></tr></thead>"
        f"<tbody><tr><td>{cell}</td></tr><tr><td>x</td></tr></tbody></table>"
    )


def test_a_package_without_its_source_says_so(tmp_path, monkeypatch):
    own = tmp_path / "sourceless"
    own.mkdir()
    (own / "__init__.py").write_text("from ftree._lib import on_first_use\n\non_first_use(__name__)\n")
    compileall.compile_dir(own, quiet=1, legacy=True)
    (own / "__init__.py").unlink()
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ImportError, match=r"sourceless must have its file __init__\.py, whose imports it reads, got none"):
        dir(import_module("sourceless"))
