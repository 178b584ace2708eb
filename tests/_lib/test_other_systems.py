"""The library asks no system for what only Linux has: names, files and encodings are taken away, as on Windows and macOS."""

import os
import subprocess
import sys
from errno import EACCES, EDEADLK
from pathlib import Path
from time import monotonic, sleep
from types import SimpleNamespace

import pytest

from ftree._lib.machine import locked

# Python reads this file at its start, and so does the process that compiles in the background.
TAKEN_AWAY = """
import os, signal, sys
for module, names in {
    os: ("fork", "forkpty", "getuid", "kill", "mkfifo", "nice", "posix_fadvise", "pread", "register_at_fork", "sched_getaffinity",
         "sched_setaffinity", "setsid", "sysconf"),
    signal: ("SIGALRM", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGUSR1", "alarm", "pthread_sigmask", "setitimer"),
}.items():
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
for name in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules[name] = None

def refuse(event, given):
    if event == "open" and str(given[0]).startswith("/proc"):
        raise FileNotFoundError(given[0])

sys.addaudithook(refuse)
"""

FIRST_DAY = """
import sys, time, warnings
from pathlib import Path
# An encoding that is left to the system is an error, as it would be wrong on Windows.
warnings.filterwarnings("error", category=EncodingWarning, module="ftree")
import numpy as np
import ftree as ft
from ftree._lib.compilation import compile_in_background, is_compiled

folder = Path(sys.argv[1])
random = np.random.default_rng(0)
numbers = random.normal(size=(15_000, 4))
words = np.where(numbers[:, 0] > 0, "größer", "kleiner")
table = folder / "table.csv"
lines = [",".join([*map(str, row), word]) for row, word in zip(numbers.tolist(), words.tolist())]
table.write_text("a,b,c,d,Größe\\n" + "\\n".join(lines), encoding="utf-8")
assert table.stat().st_size > 1 << 20
data = ft.Dataset.read_csv(table)
tree = ft.grow(data)
assert ft.predict(tree, data).tolist() == words.tolist()
ft.save(tree, folder / "tree.json")
assert ft.load(folder / "tree.json") == tree
assert "<svg" in ft.draw(tree).text and "<html" in ft.page(tree).text
assert compile_in_background("counts") is not None
assert not is_compiled("counts")
"""


@pytest.mark.wide
def test_the_first_day_on_a_system_that_is_not_linux(tmp_path):
    """A large CSV is read, a tree grows, predicts, is saved and drawn, and kernels are compiled in the background.

    They are compiled even though the script that asked for them has ended.
    """
    (tmp_path / "sitecustomize.py").write_text(TAKEN_AWAY, encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[2])])
    where = os.environ | {"PYTHONPATH": path, "LC_ALL": "C", "PYTHONUTF8": "0", "FTREE_COMPILE": "background"}
    where |= {"NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
    script = tmp_path / "first_day.py"
    script.write_text(FIRST_DAY, encoding="utf-8")
    command = [sys.executable, "-X", "warn_default_encoding", str(script), str(tmp_path)]
    done = subprocess.run(command, env=where, capture_output=True, check=False)  # noqa: S603  # ours
    assert done.returncode == 0, done.stderr.decode()
    deadline = monotonic() + 200
    while not [*(tmp_path / "kernels").glob("*-counts.compiled")]:
        assert monotonic() < deadline
        sleep(0.2)


def test_a_lock_of_windows_is_waited_for_until_another_process_drops_it(tmp_path, monkeypatch):
    """`msvcrt.locking` gives up after ten seconds; where a folder has no locks, nobody waits."""
    answers = [EDEADLK, EDEADLK, None, EACCES]

    def locking(*_):
        if (code := answers.pop(0)) is not None:
            raise OSError(code, "locked")

    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(LK_LOCK=1, locking=locking))
    for left in ([EACCES], []):
        with locked(tmp_path / "lock"):
            assert answers == left
