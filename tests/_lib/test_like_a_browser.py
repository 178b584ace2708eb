"""A browser's Python (Pyodide) has no library in C, thread, process or socket; two tutorials need none."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

TYPED = """
import doctest, multiprocessing, socket, subprocess, sys, threading

def refused(*_, **__):
    raise RuntimeError("there is no thread, process or socket here")

for owner, name in (threading.Thread, "start"), (subprocess.Popen, "__init__"), (socket.socket, "__init__"):
    setattr(owner, name, refused)
multiprocessing.process.BaseProcess.start = refused
flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
print(doctest.testfile(sys.argv[1], module_relative=False, optionflags=flags).failed)
"""


@pytest.mark.wide
@pytest.mark.parametrize("page", ["votes", "teachers"])
def test_a_tutorial_runs_without_a_library_threads_processes_and_sockets(page, tmp_path):
    where = os.environ | {"PYTHONPATH": str(ROOT), "FTREE_CACHE": str(tmp_path), "FTREE_NATIVE": "off"}
    command = [sys.executable, "-W", "ignore", "-c", TYPED, str(ROOT / "docs" / "tutorials" / f"{page}.md")]
    done = subprocess.run(command, env=where, cwd=tmp_path, capture_output=True, text=True, check=False)  # noqa: S603  # ours
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["0"]), done.stdout[-3000:] + done.stderr[-3000:]
