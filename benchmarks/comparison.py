"""What docs/comparison.md says of other libraries' abilities, tried on the versions that are installed.

    python benchmarks/comparison.py                 a line for each point and library: "holds", or "DOES NOT HOLD"

A library that is absent is named, and its points are left out. Python's libraries come with the environment of `make bench`;
rpart and Weka are Debian packages (`apt install r-cran-rpart weka default-jdk-headless`). Points that only documentation
tells are not here.
"""

import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from abilities import refuses
from abilities.weka import JAR

FILES = {"scikit-learn": "scikit_learn", "rpart": "rpart", "Weka": "weka", "ydf": "ydf", "Orange": "orange"}
INSTALLED = {
    "scikit-learn": lambda: find_spec("sklearn"),
    "rpart": lambda: shutil.which("Rscript") and Path("/usr/lib/R/library/rpart").exists(),
    "Weka": lambda: shutil.which("javap") and JAR.exists(),
    "ydf": lambda: find_spec("ydf"),
    "Orange": lambda: find_spec("Orange"),
}


def tried(name: str) -> dict[str, bool]:
    """Each point of a library, and whether it holds."""
    points = import_module(f"abilities.{FILES[name]}").points()
    return {point: holds(each) for point, each in points.items()}


def holds(point: Callable[[], Any]) -> bool:
    """Whether a point's function answers with something true, and raises no error."""
    return not refuses(lambda: 1 / bool(point()))


def version_of(name: str) -> str:
    """The version of an installed library, as it tells it."""
    if name == "rpart":
        asked = ["Rscript", "-e", "cat(as.character(packageVersion('rpart')), R.version.string)"]
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout  # noqa: S603  # R, as installed
    if name == "Weka":
        with zipfile.ZipFile(JAR) as archive:
            return archive.read("weka/core/version.txt").decode().strip().replace("-", ".")
    return version({"Orange": "orange3"}.get(name, name))


def main() -> None:
    """Print all points of all libraries that are installed; the exit status is 1 where one does not hold."""
    wrong = 0
    for name in FILES:
        if not INSTALLED[name]():
            print(f"{name} is not installed")
            continue
        print(f"{name} {version_of(name)}")
        for point, right in tried(name).items():
            wrong += not right
            print(f"  {'holds' if right else 'DOES NOT HOLD':13} {point}")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
