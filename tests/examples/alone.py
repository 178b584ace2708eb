"""Run a script as its reader does, who installed only what its first line names: `alone.py SCRIPT ABSENT MODULES ...`.

Its pictures are saved as 1.png, 2.png and so on, since nobody looks at them.
"""

import sys
from runpy import run_path


class Without:
    """A finder of modules that does not find those that are absent."""

    def __init__(self, finder, absent):
        self.finder, self.absent = finder, absent

    def find_spec(self, name, *rest):
        return None if name in self.absent else self.finder.find_spec(name, *rest)

    def __getattr__(self, name):  # it also finds the metadata of what is installed
        return getattr(self.finder, name)


def main(script, *absent):
    sys.meta_path[:] = [Without(finder, absent) for finder in sys.meta_path]
    sys.argv = [script]
    run_path(script, run_name="__main__")
    from matplotlib import pyplot as plt  # noqa: PLC0415  # the script comes first

    for number in plt.get_fignums():
        plt.figure(number).savefig(f"{number}.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
