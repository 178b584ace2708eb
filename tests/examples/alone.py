"""Run scripts as their readers do, who installed only what the first line names: `alone.py SCRIPT,ABSENT,MODULES ...`.

Each runs in a process of its own, in the folder of the script, with what all scripts import already loaded. Its pictures are
saved there as 1.png, 2.png and so on, since nobody looks at them. What it prints goes to a file beside it, `.out`.
"""

import os
import sys
from pathlib import Path
from runpy import run_path
from traceback import print_exc

import scipy.stats  # noqa: F401  # several scripts load it, directly or by scikit-learn
from matplotlib import pyplot as plt

from ftree import *  # noqa: F403  # every room, and no extra


class Without:
    """A finder of modules that does not find those that are absent."""

    def __init__(self, finder, absent):
        self.finder, self.absent = finder, absent

    def find_spec(self, name, *rest):
        return None if name in self.absent else self.finder.find_spec(name, *rest)

    def __getattr__(self, name):  # it also finds the metadata of what is installed
        return getattr(self.finder, name)


def run(script, *absent):
    assert not set(absent) & set(sys.modules)
    sys.meta_path[:] = [Without(finder, absent) for finder in sys.meta_path]
    sys.argv = [script]
    os.chdir(Path(script).parent)
    with Path(script).with_suffix(".out").open("w", encoding="utf-8") as out:
        os.dup2(out.fileno(), 1)
        run_path(script, run_name="__main__")
        sys.stdout.flush()
    for number in plt.get_fignums():
        plt.figure(number).savefig(f"{number}.png", dpi=40)


def alone(script, *absent):
    """The exit code of a process that runs the script."""
    if child := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    failed = True
    try:
        run(script, *absent)
        failed = False
    finally:
        if failed:
            print_exc()
            sys.stderr.flush()
        os._exit(failed)


if __name__ == "__main__":
    failed = [each.split(",")[0] for each in sys.argv[1:] if alone(*each.split(","))]
    sys.exit(f"failed: {failed}" if failed else 0)
