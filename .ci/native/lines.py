"""Lines of the native library that no test has run, as gcov has counted them in a folder; an error above one in a hundred.

A line with the comment "/* untested: why */" is an exception, and is shown too.
"""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

ENOUGH = 0.99


def counts_of(folder: Path) -> dict[str, Counter[int]]:
    """How often each line of each source has run; functions that are part of several files add up."""
    found: dict[str, Counter[int]] = {}
    for notes in sorted(folder.glob("*.gcda")):
        text = subprocess.run(["gcov", "--json-format", "--stdout", str(notes)], capture_output=True, check=True).stdout
        for file in json.loads(text)["files"]:
            own = found.setdefault(file["file"], Counter())
            for line in file["lines"]:
                own[line["line_number"]] += line["count"]
    return found


def main(folder: Path) -> None:
    """Print what none has run, and the share of what was."""
    run = lines = excused = 0
    for name, counts in sorted(counts_of(folder).items()):
        text = Path(name).read_text(encoding="utf-8").splitlines()
        for number, count in sorted(counts.items()):
            exception = not count and "/* untested: " in text[number - 1]
            excused += exception
            lines += not exception
            run += count > 0
            if not count:
                print(f"{name}:{number}: {text[number - 1].strip()}")
    if not lines:
        sys.exit("No test has called the library.")
    print(f"{run} of {lines} lines of C run, {run / lines:.1%}; {excused} exceptions")
    sys.exit(run < ENOUGH * lines)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
