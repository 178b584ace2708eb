"""Mutation testing, `make mutants`: change the code at random places, and count by room how many changes no test notices.

`mutate.py` changes copies of the project below `build/mutants`. A change meets tests of its room that run the changed lines,
those first that run little else, and what survives meets more tests of all rooms. The native library is not changed. Tests of
real data run where `../shared`, or the folder that FTREE_SHARED names, has it.

Changes that change nothing are listed with reasons in `mutants_equivalent.json`, by room, definition and text of the line: so an
entry holds wherever in the room its definition lies.

Which tests run which lines is measured room by room, and kept there until the code or the tests of the room change. So
`.ci/mutants.py --rooms routing --own --seed 7` answers soon: it measures the tests of one room, and changes that room.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from argparse import ArgumentParser
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from math import ceil
from operator import itemgetter
from pathlib import Path
from sqlite3 import connect
from time import monotonic, sleep
from typing import Any

from coverage import CoverageData

HERE = Path(__file__).resolve().parent
ROOT, WORK = HERE.parent, HERE.parent / "build" / "mutants"
PROJECT, PARTS = WORK / "project", WORK / "measured"
SHARED = Path(os.environ.get("FTREE_SHARED", ROOT.parent / "shared")).resolve()
TOOL, FORKED = HERE / "mutate.py", HERE / "forked_pytest.py"
BASELINE, EQUIVALENT = HERE / "mutants_baseline.json", HERE / "mutants_equivalent.json"

# Mutants of each file, and at least so many of each room: one survivor of ten would say little about a room of three files.
PER_FILE, PER_ROOM = 3, 24
# Shares that must be killed: of all mutants, and of those of each room. At most so many may be called equivalent.
LEAST, LEAST_OF_ROOM, MOST_EQUIVALENT = 0.95, 0.90, 0.05
# Tests of all rooms that every survivor meets: some look at the code without running it, so that no coverage tells what they
# would notice, and some try the doors of every room.
DOORS = ("signatures", "doors", "house", "wrong_kinds", "stop", "algorithms", "users_functions")
STANDING = " ".join(f"tests/test_{name}.py" for name in DOORS)
# The one of them that tells soon: arguments and their defaults are those of a list.
LISTED = "tests/test_signatures.py"
# Seconds that the tests of a changed line may take as measured, of its room and then of all rooms; those that run least first.
SECONDS = 20, 80
QUIET = ["-q", "-p", "no:cacheprovider"]
# Derandomized: which tests fail depends on the change only. Bytecode is written, so that no call compiles all modules again.
INHERITED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
ENVIRONMENT = INHERITED | {"FTREE_SHARED": str(SHARED), "HYPOTHESIS_PROFILE": "mutants", "PYTHONPATH": "."}
# Not measured, since a copy of this script changes nothing here.
LEFT_OUT = {"tests/test_mutants.py"}
# What pytest answers where all tests pass, and where a piece has only slow ones.
PASSED = {0, 5}
# A process that `timeout` kills, as the tool and the shell report it.
KILLED_BY_TIME = {-9, 124, 137}


def room_of(path: str) -> str:
    """The room of a file; the modules beside the rooms are one room."""
    parts = Path(path).parts
    return "modules" if len(parts) == 2 else parts[1]  # noqa: PLR2004  # ftree/stop.py


def specifications(asked: Any) -> dict[str, list[str]]:
    """For each room its files with their numbers of mutants, as the tool takes them."""
    paths = sorted(str(path.relative_to(PROJECT)) for path in PROJECT.glob("ftree/**/*.py"))
    paths = [path for path in paths if not asked.paths or path in asked.paths]
    sizes = Counter(room_of(path) for path in paths if not path.endswith("__init__.py"))
    rooms: defaultdict[str, list[str]] = defaultdict(list)
    for path in paths:
        room = room_of(path)
        rooms[room].append(f"{path}:{max(asked.files, ceil(asked.room / sizes[room]))}")
    return rooms


def copy_project() -> None:
    """Copy the files of the project, so that nothing here is ever changed; copies that were left changed go."""
    for place in (PROJECT, *WORK.glob("project.*")):
        shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(ROOT, PROJECT, ignore=shutil.ignore_patterns(".[!c]*", ".coverage*", "build", "__pycache__"))


def pieces() -> dict[str, list[str]]:
    """The tests in pieces that are measured one by one: those of a room with its doctests, those beside the rooms, the pages."""
    rooms = sorted(path.name for path in PROJECT.glob("tests/*/") if any(path.glob("test_*.py")))
    found = {room: [place for place in (f"tests/{room}", f"ftree/{room}") if (PROJECT / place).exists()] for room in rooms}
    beside = {str(path.relative_to(PROJECT)) for glob in ("tests/test_*.py", "ftree/*.py") for path in PROJECT.glob(glob)}
    return {**found, "modules": sorted(beside - LEFT_OUT), "pages": ["README.md", "docs"]}


def measured(asked: Any, chosen: dict[str, list[str]], *options: str) -> tuple[Path, Path]:
    """Which tests run which lines, and how long each takes: files of coverage and of durations, of all chosen pieces.

    What an earlier run has measured counts while neither the code nor the tests of the piece have changed, or with
    `--measured` in any case: then the tests that fit changed lines may be others, and more changes survive than should.
    """
    PARTS.mkdir(parents=True, exist_ok=True)
    whole, logs = CoverageData(basename=str(WORK / "whole.coverage")), []
    whole.erase()
    for name, places in chosen.items():
        part, stamp = PARTS / name, stamp_of(places, options)
        known = part.with_suffix(".stamp").exists() and (asked.measured or part.with_suffix(".stamp").read_text() == stamp)
        if not known:
            measure(part, f"-n{asked.jobs if asked.jobs > 1 else 0}", *options, *places)
            part.with_suffix(".stamp").write_text(stamp)
        data = CoverageData(basename=str(part.with_suffix(".coverage")))
        data.read()
        whole.update(data)
        logs.append(part.with_suffix(".log").read_text())
    whole.write()
    (WORK / "whole.log").write_text("\n".join(logs))
    (WORK / "whole.order").write_text("".join(f"{n / 100:.2f}s call {test}\n" for test, n in sizes_of(WORK / "whole.coverage")))
    return WORK / "whole.coverage", WORK / "whole.log"


def sizes_of(path: Path) -> list[tuple[str, int]]:
    """How many lines or branches each test runs, setup and teardown included."""
    with connect(path) as database:
        branches = database.execute("select context, count(*) from arc join context on context_id = context.id group by context")
        lines = database.execute("select context, numbits from line_bits join context on context_id = context.id")
        sizes: Counter[str] = Counter()
        for context, n in [*branches, *((context, int.from_bytes(bits).bit_count()) for context, bits in lines)]:
            sizes[context.rpartition("|")[0]] += n
    return sorted(sizes.items())


def stamp_of(places: Iterable[str], options: Iterable[str]) -> str:
    """What a measurement depends on, as one number: the code, the tests, and how they run."""
    digest = sha256(repr((sys.version, *options)).encode())
    for path in sorted({*PROJECT.glob("ftree/**/*.py"), *(path for place in places for path in files_of(PROJECT / place))}):
        digest.update(str(path.relative_to(PROJECT)).encode() + path.read_bytes())
    return digest.hexdigest()


def files_of(place: Path) -> Iterable[Path]:
    """The files of tests in a folder, or a file by itself."""
    return place.glob("**/*.py") if place.is_dir() else [place]


def measure(part: Path, *options: str) -> None:
    """Run tests, and write which lines each of them runs and how long it takes; they must pass."""
    command = [sys.executable, "-m", "pytest", *QUIET, "--cov-context=test", "--cov-report=", "-vv", "--durations=0", *options]
    with part.with_suffix(".log").open("w") as log:
        where = ENVIRONMENT | {"COVERAGE_FILE": str(part.with_suffix(".coverage"))}
        if subprocess.run(command, cwd=PROJECT, env=where, stdout=log, check=False).returncode not in PASSED:
            sys.exit(f"All tests must pass before the code is changed; {log.name} tells which do not.")


@contextmanager
def server(durations: Path) -> Iterator[str]:
    """A server of forked tests, and the command that calls it with a list of tests."""
    socket, script = WORK / "tests.socket", WORK / "tests.sh"
    socket.unlink(missing_ok=True)
    options = "-x -p no:xdist -p no:cov -o 'addopts=--doctest-modules --doctest-glob=*.md --strict-markers -rfE'"
    # $1 is a file of tests, of which those run that take $2 seconds; $3 is run in any case. Where lines run at import only, no
    # test is known to run them, and those of the room run.
    # Where ids change with the code (4), whole files run.
    script.write_text(f"""seconds=$2
run() {{ {sys.executable} -S -E {FORKED} call {socket} {durations} $seconds {" ".join(QUIET)} {options} "$@"; }}
test -s $1 || cp {WORK}/room.tests $1
tests=@$1
run $tests $3; code=$?
test $code = 4 || exit $code
cut -d: -f1 $1 | sort -u > $1.files; run @$1.files $3
""")
    serve = [sys.executable, str(FORKED), "serve", str(socket)]
    process = subprocess.Popen(serve, env=ENVIRONMENT | {"PYTHONDONTWRITEBYTECODE": "1"})
    try:
        while not socket.exists() and process.poll() is None:
            sleep(0.1)
        yield f"sh {script} {{tests}}"
    finally:
        process.terminate()


def mutate(room: str, specs: list[str], asked: Any, found: tuple[Path, Path], command: str) -> list[dict[str, Any]]:
    """What becomes of the mutants of a room: those that its tests let live meet more tests of all rooms."""
    own = r"^(ftree/\w+\.py|tests/test_)" if room == "modules" else f"^(ftree|tests)/{room}/"
    first, again, second = (WORK / f"{room}.{stage}.jsonl" for stage in ("first", "again", "second"))
    for path in (first, second):
        path.unlink(missing_ok=True)
    tool = [sys.executable, str(TOOL), str(PROJECT), *specs, "--seed", str(asked.seed), "--jobs", str(asked.jobs)]
    focused = [test for test, _ in sorted(sizes_of(found[0]), key=itemgetter(1)) if test and re.search(own, test)]
    (WORK / "room.tests").write_text("\n".join(focused))
    # Time on the wall stops only what waits for ever: the server limits processor time, so that a busy machine kills nothing.
    # The tool takes tests in the order of their durations. In their place it gets sizes: tests that run little look closely.
    tool += ["--coverage", str(found[0]), "--durations", str(WORK / "whole.order"), "--timeout", "1800"]
    few = ["--most", "120", "--match", own]
    run([*tool, *few, "--command", f"{command} {SECONDS[0]} {LISTED}", "--out", str(first)])
    killed, others = divided(read(first))
    if not others:
        return killed
    again.write_text("".join(json.dumps(each | {"outcome": "again"}) + "\n" for each in others))
    standing = f"{command} {SECONDS[1]} '{STANDING}'"
    # With `--own`, one test that they have met leads the standing ones.
    many = ["--most", "1" if asked.own else "400", "--only", str(again)]
    run([*tool, *many, "--command", standing, "--out", str(second)])
    return [*killed, *read(second)]


def run(command: list[str]) -> None:
    """Run a command, and print what it prints."""
    subprocess.run(command, env=ENVIRONMENT, check=True)


def read(path: Path) -> list[dict[str, Any]]:
    """The results in a file, with room, definition and text of the line; a mutant that is written as the code was is none."""
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    for row in rows:
        row["room"], row["in"], row["source"] = lines_of(PROJECT, row["path"])[row["line"] - 1]
    return [row for row in rows if row["after"].strip("()") != row["before"].strip("()")]


@cache
def lines_of(root: Path, path: str) -> list[tuple[str, str, str]]:
    """For each line of a file its room or module, the innermost definition around it, and its text."""
    text = (root / path).read_text()
    room, source = Path(path).parts[1].removesuffix(".py"), text.splitlines()
    return [(room, name, line.strip()) for name, line in zip(definitions(text), source, strict=True)]


def definitions(text: str) -> list[str]:
    """For each line of a file the qualified name of the innermost function or class, or of what is assigned outside of them."""
    names = ["<module>"] * len(text.splitlines())

    def walk(nodes: Iterable[ast.stmt], prefix: str) -> None:
        for node in nodes:
            if name := name_of(node, is_outside=not prefix):
                first = min(each.lineno for each in (node, *getattr(node, "decorator_list", ())))
                names[first - 1 : node.end_lineno] = [f"{prefix}{name}"] * ((node.end_lineno or first) - first + 1)
                walk(getattr(node, "body", ()), f"{prefix}{name}.")

    walk(ast.parse(text).body, "")
    return names


def name_of(node: ast.stmt, *, is_outside: bool) -> str | None:
    """The name that a statement defines, or assigns outside of definitions."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case ast.Assign(targets=[target, *_]) | ast.AnnAssign(target=target) if is_outside:
            return ast.unparse(target)
        case _:
            return None


def divided(rows: Iterable[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Those that a test killed or that ran far beyond the time of their tests, and the others."""
    sure: tuple[list[dict[str, Any]], list[dict[str, Any]]] = ([], [])
    for row in rows:
        sure[fate(row, set()) not in {"killed", "timeout"}].append(row)
    return sure


def fate(row: dict[str, Any], equivalent: set[tuple[str, ...]]) -> str:
    """Killed by a test or by endless running, equivalent as listed, by itself or with all changes of its line, or survived."""
    if row["code"] in KILLED_BY_TIME or row["outcome"] == "timeout":
        return "timeout"
    # Where no test is known to run a line, the tool says so, whatever the standing tests say.
    if row["outcome"] == "killed" or (row["outcome"] == "no test" and row["code"] in {1, 2}):
        return "killed"
    return "equivalent" if equivalent & {key_of(row), key_of(row)[:3]} else "survived"


def key_of(row: dict[str, Any]) -> tuple[str, ...]:
    """What tells a mutant from all others wherever its definition lies; without `before` and `after`, all changes of a line."""
    return tuple(row[name] for name in ("room", "in", "source", "before", "after") if name in row)


def stale(listed: Iterable[dict[str, str]]) -> list[str]:
    """Entries of equivalent changes whose line is not there any more."""
    there = {line for path in ROOT.glob("ftree/**/*.py") for line in lines_of(ROOT, str(path.relative_to(ROOT)))}
    return [f"{each['room']}, {each['in']}: {each['source']}" for each in listed if key_of(each)[:3] not in there]


def table(rows: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """The counts of each room and of all, with the share that was killed of those that are not equivalent."""
    equivalent = {key_of(each) for each in json.loads(EQUIVALENT.read_text())}
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        for room in (room_of(row["path"]), "all"):
            counts[room][fate(row, equivalent)] += 1
    return {room: with_share(counts[room]) for room in sorted(counts, key=lambda room: (room == "all", room))}


def with_share(counts: Counter[str]) -> dict[str, float]:
    """Counts in a fixed order, and the share that was killed."""
    shown = {fate: counts[fate] for fate in ("killed", "timeout", "survived", "equivalent")}
    dead = shown["killed"] + shown["timeout"]
    return {**shown, "share": round(dead / max(dead + shown["survived"], 1), 4)}


def show(found: dict[str, dict[str, float]], before: dict[str, dict[str, float]]) -> None:
    """Print the table beside the shares of the baseline."""
    print(f"{'room':12} {'killed':>7} {'timeout':>8} {'survived':>9} {'equivalent':>11} {'share':>7} {'baseline':>9}")
    for room, row in found.items():
        *counts, share = row.values()
        shown = f"{counts[0]:7} {counts[1]:8} {counts[2]:9} {counts[3]:11} {share:7.1%}"
        print(f"{room:12} {shown} {before[room]['share']:9.1%}" if room in before else f"{room:12} {shown}")


def failures(found: dict[str, dict[str, float]]) -> list[str]:
    """What is below its least share."""
    low = [
        f"{room} {row['share']:.1%}" for room, row in found.items() if row["share"] < (LEAST if room == "all" else LEAST_OF_ROOM)
    ]
    *counts, _ = found["all"].values()
    return low + (["too many called equivalent"] if counts[3] > MOST_EQUIVALENT * sum(counts) else [])


def main() -> None:
    """Measure, change, count, and compare with the baseline."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--rooms", nargs="*", help="these rooms only")
    parser.add_argument("--paths", nargs="*", help="these files only, as ftree/tree/fold.py")
    parser.add_argument("--files", type=int, default=PER_FILE, help="mutants of each file")
    parser.add_argument("--room", type=int, default=PER_ROOM, help="mutants of each room, at least")
    parser.add_argument("--own", action="store_true", help="tests of the room, and standing ones, to find what they let live")
    parser.add_argument("--measured", action="store_true", help="take what an earlier run measured, though the code has changed")
    parser.add_argument("--write", action="store_true", help="write the table as the baseline")
    asked = parser.parse_args()
    began, rows = monotonic(), []
    copy_project()
    rooms = {room: specs for room, specs in specifications(asked).items() if not asked.rooms or room in asked.rooms}
    wanted = {piece: places for piece, places in pieces().items() if piece in rooms or not asked.own}
    found = measured(asked, wanted, "-m", "not (slow or consumer or wide)", "--cov=ftree", "--cov-config=/dev/null")
    with server(found[1]) as command:
        for room, specs in rooms.items():
            rows += mutate(room, specs, asked, found, command)
    report(rows, asked, (monotonic() - began) / 60)


def report(rows: list[dict[str, Any]], asked: Any, minutes: float) -> None:
    """Print survivors and the table, write the baseline where that is asked for, and fail below the least shares."""
    found = table(rows)
    for row in rows:
        if row["outcome"] != "killed":
            print(f"{row['path']}:{row['line']} {row['before']} -> {row['after']} ({row['outcome']})")
    show(found, json.loads(BASELINE.read_text())["rooms"] if BASELINE.exists() else {})
    print(f"Seed {asked.seed}, {minutes:.0f} minutes.")
    for entry in stale(json.loads(EQUIVALENT.read_text())):
        print(f"Listed as equivalent, but there no more: {entry}")
    if asked.write:
        BASELINE.write_text(json.dumps({"seed": asked.seed, "minutes": round(minutes), "rooms": found}, indent=1) + "\n")
    if low := failures(found):
        sys.exit(f"Below what is wanted: {', '.join(low)}.")


if __name__ == "__main__":
    main()
