"""Published files: fetched from a local server, verified, cached, read, and refused if they are not the published ones."""

import json
import socket
import sys
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from shutil import copy
from threading import Thread

import numpy as np
import pytest

import ftree
from ftree import Dataset
from ftree.datasets import fetch, names, original
from ftree.datasets.published import UCI, digit_pictures, monk_rows

# Rows, features and class counts, from the archive's documentation.
PUBLISHED = {
    "breast-cancer": (9, (201, 85)),
    "car": (6, (384, 69, 1210, 65)),
    "house-votes": (16, (267, 168)),
    "iris": (4, (50, 50, 50)),
    "monks-1-train": (6, (62, 62)),
    "monks-1-test": (6, (216, 216)),
    "monks-2-train": (6, (105, 64)),
    "monks-2-test": (6, (290, 142)),
    "monks-3-train": (6, (62, 60)),
    "monks-3-test": (6, (204, 228)),
    "mushroom": (22, (4208, 3916)),
    "semeion": (256, (161, 162, 159, 159, 161, 159, 161, 158, 155, 158)),
    "tic-tac-toe": (9, (332, 626)),
    "zoo": (16, (41, 20, 5, 13, 4, 8, 10)),
}


class Flat(SimpleHTTPRequestHandler):
    """Serves the files of one folder under the archive's longer paths, and counts the requests."""

    asked: tuple[str, ...] = ()

    def translate_path(self, path):
        Flat.asked = (*Flat.asked, path)
        return super().translate_path(path.rpartition("/")[2])

    def log_message(self, *_):
        """Print nothing, since tests read the output."""


def serve(folder):
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Flat, directory=folder))
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    return server


@pytest.fixture(scope="module")
def archive(shared):
    """The address of a server with the published files."""
    server = serve(shared / "uci")
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    """The servers of these tests are on this machine."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def nobody():
    """An address where no server answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    return f"http://127.0.0.1:{port}"


def test_every_name_is_listed_and_has_its_citation_and_licence():
    assert set(names()) == set(PUBLISHED)
    for name in names():
        assert "UCI Machine Learning Repository. https://" in original(name).citation
        assert original(name).licence == "CC BY 4.0"


def test_places_and_checksums_are_those_of_the_published_files(shared):
    known = json.loads((shared / "uci" / "checksums.json").read_text(encoding="utf-8"))
    assert {(f"{UCI}/{original(name).file}", original(name).sha256) for name in names()} == {
        (each["url"], each["sha256"]) for each in known.values()
    }


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_fetched_table_has_the_published_features_and_classes(name, archive, tmp_path):
    table = fetch(name, base_url=archive, cache=tmp_path)
    assert (len(table.columns), table.class_counts()) == PUBLISHED[name]
    assert [path.name for path in tmp_path.iterdir()] == [original(name).file.rpartition("/")[2]]


@pytest.mark.parametrize(("name", "file"), [("house-votes", "votes"), ("car", "car"), ("iris", "iris_uci")])
def test_a_fetched_table_is_the_one_read_of_the_same_table_with_names(name, file, archive, tmp_path, shared):
    table, other = fetch(name, base_url=archive, cache=tmp_path), Dataset.read_csv(shared / "data" / f"{file}.csv")
    assert table.recoded(other.schema) == other


def test_a_file_is_downloaded_once(archive, tmp_path):
    first = fetch("zoo", base_url=archive, cache=tmp_path)
    asked = Flat.asked
    assert asked[-1].endswith("/zoo/zoo.data")
    assert fetch("zoo", base_url=archive, cache=tmp_path) == first
    assert Flat.asked == asked


def test_the_environment_names_the_mirror_and_the_cache(archive, tmp_path, monkeypatch):
    monkeypatch.setenv("FTREE_ARCHIVE", f"{archive}/")
    monkeypatch.setenv("FTREE_CACHE", str(tmp_path / "new"))
    assert len(fetch("iris")) == 150
    assert (tmp_path / "new" / "iris.data").exists()


def test_without_a_network_the_error_tells_where_to_get_the_file_and_where_to_put_it(nobody, shared, tmp_path):
    with pytest.raises(OSError, match="The file of 'zoo' must be found at") as caught:
        fetch("zoo", base_url=nobody, cache=tmp_path)
    assert f"{nobody}/zoo/zoo.data" in str(caught.value)
    assert f"Save the published file as {tmp_path / 'zoo.data'} (the environment variable FTREE_CACHE" in str(caught.value)
    copy(shared / "uci" / "zoo.data", tmp_path / "zoo.data")
    assert len(fetch("zoo", base_url=nobody, cache=tmp_path)) == 101


def test_a_mirror_without_the_file_is_told_apart(archive, tmp_path, monkeypatch):
    monkeypatch.setattr(Flat, "translate_path", lambda *_: "/nowhere")
    with pytest.raises(OSError, match=r"must be found at .*got HTTPError"):
        fetch("zoo", base_url=archive, cache=tmp_path)


def test_a_file_with_another_checksum_is_refused_and_not_kept(tmp_path):
    (tmp_path / "served").mkdir()
    (tmp_path / "served" / "zoo.data").write_text("aardvark,1\n", encoding="utf-8")
    server = serve(tmp_path / "served")
    with pytest.raises(ValueError, match=r"zoo\.data must have the SHA-256 checksum cddc71c26a.*, got another checksum"):
        fetch("zoo", base_url=f"http://127.0.0.1:{server.server_port}", cache=tmp_path / "cache")
    server.shutdown()
    server.server_close()
    assert not list((tmp_path / "cache").iterdir())


@pytest.mark.parametrize("name", ["votes", None, ["zoo"]])
def test_a_name_that_is_not_listed_is_refused(name):
    with pytest.raises(ValueError, match=r"name must be one of 'breast-cancer', 'car', 'house-votes', .*, got"):
        fetch(name)


@pytest.mark.parametrize("url", ["archive.example", 5])
def test_an_address_that_is_none_is_refused(url, tmp_path):
    with pytest.raises(ValueError, match="base_url must be an address that begins with http:// or https://, got"):
        fetch("zoo", base_url=url, cache=tmp_path)


def test_without_pooch_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(ImportError, match=r"pooch must be installed for fetch, got none. Run .*'ftrees\[datasets\]'"):
        fetch("zoo")


def test_a_file_of_one_line_is_a_table_of_one_row(tmp_path):
    path = tmp_path / "one.data"
    path.write_text(" 1 1 2 1 3 4 2 data_5\n")
    robot = monk_rows(path)
    assert (len(robot), robot.schema.classes) == (1, ("yes",))
    assert [feature.values[code] for feature, (code,) in zip(robot.schema.features, robot.columns, strict=True)] == [
        "round",
        "square",
        "yes",
        "flag",
        "blue",
        "no",
    ]
    bits = np.arange(256) % 3 == 0
    path.write_text(" ".join([*(f"{bit:.4f}" for bit in bits), *"0001000000"]) + "\n")
    digit = digit_pictures(path)
    assert (len(digit), digit.schema.classes) == (1, (3,))
    assert [column.item() for column in digit.columns] == bits.tolist()
    assert [feature.name for feature in digit.schema.features][14:18] == ["p00_14", "p00_15", "p01_00", "p01_01"]


def test_the_votes_come_with_the_library_as_the_archive_publishes_them(monkeypatch):
    """Without the network, and without the library that downloads."""
    monkeypatch.setitem(sys.modules, "pooch", None)
    votes = fetch("house-votes")
    assert (len(votes), len(votes.complete()), votes.class_counts()) == (435, 232, (267, 168))
    file = Path(ftree.__file__).parent / "datasets" / "files" / "house-votes-84.data"
    assert sha256(file.read_bytes()).hexdigest() == original("house-votes").sha256
    assert original("house-votes").licence in file.with_name("LICENCE.md").read_text(encoding="utf-8")
