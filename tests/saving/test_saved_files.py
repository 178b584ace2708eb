"""Files of JSON: compressed or not, whole or the old one, and none that is not ours."""

import gzip
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from saved_examples import SCHEMA, Below, message, tree_with

import ftree as ft
from ftree._lib.machine import complete_or_nothing
from ftree.datasets import weather
from ftree.saving import save_and_load


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"{}", "path must be a gzip file, as its name says, got t.json.gz"),
        (None, "path must be a gzip file, as its name says, got t.json.gz"),
        (b" " * 10**7, "path must be a file of at most 100 times its compressed size, got t.json.gz, which has more"),
    ],
)
def test_a_damaged_compressed_file_is_refused(data, words, tmp_path):
    whole = gzip.compress(data or ft.to_json(ft.C45).encode())
    (tmp_path / "t.json.gz").write_bytes(data if data == b"{}" else whole[:-10] if data is None else whole)
    with pytest.raises(ValueError, match=words):
        ft.load(tmp_path / "t.json.gz")


@given(st.integers(0, 3000), st.integers(1, 200))
@example(n_zeros=3000, n_decisions=200)
def test_a_compressed_file_is_read_however_much_shorter_it_is(n_zeros, n_decisions):
    zeros = (0,) * n_zeros
    tree = ft.Tree(ft.Schema((), "class", tuple(range(n_zeros + 1))), ft.Leaf((1, *zeros)))
    with TemporaryDirectory() as folder:
        for value in (tree, (ft.prune.Decision(zeros, (1, *zeros)),) * n_decisions):
            ft.save(value, f"{folder}/t.json.gz")
            assert ft.load(f"{folder}/t.json.gz") == value


@given(st.data())
def test_a_damaged_file_is_refused_or_the_same(draws):
    whole = gzip.compress(ft.to_json(ft.C45).encode(), mtime=0)
    at, change = draws.draw(st.integers(0, len(whole) - 1)), draws.draw(st.integers(1, 255))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "t.json.gz"
        path.write_bytes(whole[:at] + bytes([whole[at] ^ change]) + whole[at + 1 :])
        with suppress(ValueError):
            assert ft.load(path) == ft.C45


def test_a_path_is_text_or_a_path():
    for function in (ft.load, lambda path: ft.save(ft.ID3, path)):
        with pytest.raises(TypeError, match="path must be a str or a Path, got 3"):
            function(3)


@pytest.mark.parametrize("name", ["tree.json", "tree.json.gz"])
def test_a_file_has_the_splits_of_users_where_they_are_named(name, tmp_path):
    ft.save(tree_with(Below(0, 0.5)), tmp_path / name)
    assert ft.load(str(tmp_path / name), splits=(Below,)) == tree_with(Below(0, 0.5))
    with pytest.raises(ValueError, match="got 'Below'"):
        ft.load(tmp_path / name)


def test_the_same_value_makes_the_same_file(tmp_path):
    ft.save(ft.C45, tmp_path / "a.json.gz")
    raw = (tmp_path / "a.json.gz").read_bytes()
    assert raw[4:8] == b"\0" * 4, "the time of writing would differ"
    assert gzip.decompress(raw).decode() == ft.to_json(ft.C45) + "\n"


def test_a_compressed_file_may_be_as_long_as_its_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(save_and_load, "_MOST_TIMES", 0)
    text = ft.to_json(ft.Tree(SCHEMA, ft.Leaf((1, 2))))
    for blanks, fits in ((1000 - len(text), True), (1001 - len(text), False)):
        (tmp_path / "t.gz").write_bytes(gzip.compress((text + " " * blanks).encode()))
        if fits:
            assert ft.load(tmp_path / "t.gz").root == ft.Leaf((1, 2))
        else:
            got = "path must be a file of at most 0 times its compressed size, got t.gz, which has more."
            with pytest.raises(ValueError, match=message(got)):
                ft.load(tmp_path / "t.gz")


FULL = """
import resource, sys
from ftree import grow, load, page, save
from ftree.datasets import monks, weather
from ftree.show import Document

def check(path, write, small, large):
    write(small)
    with open(path, "rb") as file:
        old = file.read()
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(old), unlimited))
    try:
        write(large)
    except OSError:
        with open(path, "rb") as file:
            assert file.read() == old
    else:
        raise AssertionError("there was room")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (unlimited, unlimited))

unlimited, (json, svg) = resource.RLIM_INFINITY, (f"{sys.argv[1]}/old.{kind}" for kind in ("json", "svg"))
check(json, lambda tree: save(tree, json), grow(weather()), grow(monks(1)))
check(svg, lambda text: Document(text, "svg").save(svg), "a" * 99, "a" * 99_999)
"""


def test_an_old_file_stays_if_there_is_no_room_for_the_new_one(tmp_path):
    pytest.importorskip("resource")
    subprocess.run([sys.executable, "-c", FULL, str(tmp_path)], check=True)  # noqa: S603  # our own code
    assert sorted(file.name for file in tmp_path.iterdir()) == ["old.json", "old.svg"]


def test_a_tree_is_saved_where_a_link_leads_and_to_a_device(tmp_path):
    (tmp_path / "link.json").symlink_to(tmp_path / "tree.json")
    ft.save(ft.grow(weather()), tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert ft.load(tmp_path / "tree.json") == ft.grow(weather())
    ft.save(ft.grow(weather()), os.devnull)
    assert not Path(os.devnull).is_file()


def test_no_file_that_a_writer_did_not_make_is_touched(tmp_path):
    """Two writers of one path have places of their own, beside which any other file stays."""
    file, own = tmp_path / "tree.json", tmp_path / "tree.json.unfinished"
    own.write_text("a user's")
    with complete_or_nothing(file) as first, complete_or_nothing(file) as second:
        first.write_text("first")
        second.write_text("second")
    assert (file.read_text(), own.read_text()) == ("first", "a user's")
    with pytest.raises(ZeroDivisionError), complete_or_nothing(file) as third:
        third.write_text(str(1 / 0))
    assert (file.read_text(), sorted(tmp_path.iterdir())) == ("first", [file, own])
    with pytest.raises(FileNotFoundError, match=r"path must be in a folder that exists, got '.*none.tree.json'"):
        ft.save(ft.CART, tmp_path / "none" / "tree.json")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no umask")
def test_a_file_has_the_permissions_of_a_new_one(tmp_path):
    (tmp_path / "new").touch()
    ft.save(ft.CART, tmp_path / "policy.json")
    assert (tmp_path / "policy.json").stat().st_mode == (tmp_path / "new").stat().st_mode
