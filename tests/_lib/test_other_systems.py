"""The library asks no system for what only Linux has: names, files and encodings are taken away, as on Windows and macOS."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

# Python reads this file at its start.
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
"""


@pytest.mark.wide
def test_the_first_day_on_a_system_that_is_not_linux(tmp_path):
    """A large CSV is read, and a tree grows, predicts, is saved and drawn."""
    (tmp_path / "sitecustomize.py").write_text(TAKEN_AWAY, encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[2])])
    where = os.environ | {"PYTHONPATH": path, "LC_ALL": "C", "PYTHONUTF8": "0"}
    script = tmp_path / "first_day.py"
    script.write_text(FIRST_DAY, encoding="utf-8")
    command = [sys.executable, "-X", "warn_default_encoding", str(script), str(tmp_path)]
    done = subprocess.run(command, env=where, capture_output=True, check=False)  # noqa: S603  # ours
    assert done.returncode == 0, done.stderr.decode()
