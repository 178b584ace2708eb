"""Follow the tutorials as a newcomer does: type what stands after `>>>` into Python in an empty folder, and compare its answers.

    python .ci/tutorials.py                         the keystrokes of each tutorial, and the minutes that typing them takes
    python .ci/tutorials.py build/tutorials/bin/python      also types them into this Python, where the wheel is installed
    python .ci/tutorials.py build/installed/bin/python teachers         only this one, which needs no extra

Minutes are an estimate: 40 words of five keystrokes a minute, every line typed by hand, and the measured time of the answers.
Reading is not counted.
"""

import doctest
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

TUTORIALS = Path(__file__).parents[1] / "docs" / "tutorials"
PAGES = ("votes", "teachers", "scikit_learn", "pandas", "r_and_weka", "engineer")
KEYSTROKES_A_MINUTE = 40 * 5
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
END = "print('-- end of an answer --')\n"


def typed(page: str) -> list[doctest.Example]:
    """The snippets of a tutorial, with what they print."""
    return doctest.DocTestParser().get_examples((TUTORIALS / f"{page}.md").read_text(encoding="utf-8"))


def keystrokes(page: str) -> int:
    """The characters to type, line ends included, and one more that ends each block."""
    return sum(len(example.source) + (example.source.count("\n") > 1) for example in typed(page))


def follow(page: str, python: str, folder: Path) -> float:
    """Type a tutorial into an interactive Python; the seconds that it takes, from the start of Python on."""
    lines = "".join(f"{each.source}\n{END}" for each in typed(page))
    start = perf_counter()
    told = subprocess.run(
        [python, "-q", "-i"],
        input=lines,
        cwd=folder,
        env={**os.environ, "PYTHONSTARTUP": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, answers = perf_counter() - start, told.stdout.split("-- end of an answer --\n")
    for example, answer in zip(typed(page), answers, strict=False):
        if not doctest.OutputChecker().check_output(example.want, answer, FLAGS):
            sys.exit(f"{page}: {example.source}must print\n{example.want}and prints\n{answer}\n{told.stderr[-1000:]}")
    return seconds


def main(python: str | None = None, *pages: str) -> None:
    """Print a line for each tutorial."""
    for page in pages or PAGES:
        minutes, told = keystrokes(page) / KEYSTROKES_A_MINUTE, ""
        if python:
            with tempfile.TemporaryDirectory() as folder:
                seconds = follow(page, os.path.abspath(python), Path(folder))  # noqa: PTH100  # a link in an environment stays one
            minutes, told = minutes + seconds / 60, f", {seconds:4.1f} s of answers"
        print(f"{page:13} {keystrokes(page):5} keystrokes, {len(typed(page)):3} lines and blocks{told}: {minutes:.1f} minutes")


if __name__ == "__main__":
    main(*sys.argv[1:])
