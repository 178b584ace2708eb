"""Real tables through the whole library: read, grow, prune, print and export; what fails, disagrees, is slow or is too wide.

    python benchmarks/real_tables.py FOLDER [--most 300] [--seconds 20] [--processes 2]

FOLDER has CSV files, such as those that R's or pandas' users write. Of each, the last column is a target, and so is the last
column of at most 20 different texts. A line a target: rows, leaves, seconds of each step, the longest printed line, remarks.
Remarks are what must not be: an error that is not the library's, a dataset of the file that differs from that of the frame, an
export that answers another label than `predict`, an export that takes more than ten times as long as growth and a second.
Seconds are those of the processor. What runs an export is timed apart from it; SQLite does not read more than 3 MB of it.
"""

import argparse
import re
import signal
import sqlite3
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import ftree as ft
from ftree.exchange import to_onnx, to_python, to_sql
from ftree.saving import from_json, to_json

WIDEST, PATIENCE, FEW, ROWS, LONGEST = 200, 10, 20, 200, 3_000_000


class Timed:
    """Runs the steps of a table; `seconds` has the time of each, `remarks` what must not be."""

    def __init__(self, most: int) -> None:
        """Begin without a step; each may take so many seconds of the processor."""
        self.most = most
        self.seconds: dict[str, float] = {}
        self.remarks: list[str] = []

    def run(self, name: str, step: Callable[[], Any]) -> Any:
        """The result of a step; None if it fails, which is a remark unless the library refuses by a sentence."""
        start = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, self.most)
        try:
            return step()
        except Exception as error:  # noqa: BLE001  # to see which errors there are is the purpose
            if isinstance(error, TimeoutError) or isinstance(error.__cause__, TimeoutError):  # compiled code wraps it
                return self.remarks.append(f"{name} does not end")
            by_name = isinstance(error, (ValueError, TypeError, KeyError)) and re.search(
                r"\bmust\b.*\bgot\b", str(error), re.DOTALL
            )
            self.remarks.append(f"{name} {'refuses' if by_name else 'RAW'}: {type(error).__name__} {str(error)[:120]!r}")
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            self.seconds[name] = time.process_time() - start


def targets_of(frame: pd.DataFrame) -> list[str]:
    """The last column, and the last one of few texts."""
    texts = [name for name in frame if frame[name].dtype.kind not in "biufM" and 2 <= frame[name].nunique() <= FEW]  # noqa: PLR2004
    return list(dict.fromkeys([str(frame.columns[-1]), *map(str, texts[-1:])]))


def swept(path: Path, seconds: int) -> list[str]:
    """A line for each target of a file."""
    signal.signal(signal.SIGPROF, _too_long)
    warnings.simplefilter("ignore")
    frame = pd.read_csv(
        path, index_col=0 if path.open(encoding="utf-8").readline().startswith((",", '"",')) else None, low_memory=False
    )
    return [_line(path, frame, target, seconds) for target in targets_of(frame)]


def _too_long(*_: Any) -> None:
    raise TimeoutError


def _line(path: Path, frame: pd.DataFrame, target: str, seconds: int) -> str:
    timed = Timed(seconds)
    known = frame[frame[target].notna()]
    data = timed.run("from_frame", lambda: ft.Dataset.from_frame(frame, target=target, drop_missing_labels=True))
    read = timed.run("read", lambda: ft.Dataset.read(path, target=target, drop_missing_labels=True))
    if data is not None and read is not None and data != read:
        timed.remarks.append("file and frame DIFFER")
    tree = None if data is None else timed.run("grow", lambda: ft.grow(data, ft.CART))
    widest = 0 if tree is None else _through(timed, tree, data, known)
    leaves = 0 if tree is None else ft.n_leaves(tree)
    spent = " ".join(f"{name} {value:.2f}" for name, value in timed.seconds.items())
    remarks = "; ".join(timed.remarks) or "-"
    return f"{path.stem} | {target} | {len(known)} x {frame.shape[1] - 1} | {leaves} leaves | {spent} | {widest} wide | {remarks}"


def _through(timed: Timed, tree: ft.Tree, data: ft.Dataset, frame: pd.DataFrame) -> int:
    """Take a tree through pruning, printing and exports; the length of its longest printed line."""
    timed.run("cart", lambda: ft.cart(data, policy=ft.cart_policy(), cp=0.01))
    answers = timed.run("predict", lambda: ft.predict(tree, data))
    exports = {
        "json": lambda: to_json(tree),
        "python": lambda: to_python(tree),
        "sql": lambda: to_sql(tree, dialect="sqlite"),
        "onnx": lambda: to_onnx(tree),
    }
    written = {name: timed.run(name, export) for name, export in exports.items()}
    timed.remarks += [f"{name} SLOW" for name in exports if timed.seconds[name] > max(PATIENCE * timed.seconds["grow"], 1.0)]
    timed.run("from_json", lambda: from_json(written["json"]) == tree or timed.remarks.append("json DIFFERS"))
    for name, run in {"python": _by_python, "sql": _by_sqlite}.items():
        text = written[name]
        if text is not None and len(text) <= LONGEST:
            timed.run(f"{name} runs", lambda run=run, name=name: _compare(timed, name, run(written[name], frame), answers))
    text = timed.run("print", lambda: str(tree)) or ""
    return max(map(len, text.splitlines()), default=0)


def _by_python(source: str, frame: pd.DataFrame) -> list[Any]:
    space: dict[str, Any] = {}
    exec(source, space)  # noqa: S102  # our own program
    return [space["predict"](row) for row in frame.head(ROWS).to_dict("records")]


def _by_sqlite(expression: str, frame: pd.DataFrame) -> list[Any]:
    with sqlite3.connect(":memory:") as base:
        frame.head(ROWS).to_sql("rows", base, index=False)
        return [answer for (answer,) in base.execute(f"SELECT {expression} FROM rows ORDER BY rowid")]  # noqa: S608


def _compare(timed: Timed, name: str, found: list[Any], answers: Any) -> None:
    same = sum(_alike(one, other) for one, other in zip(found, np.asarray(answers).tolist(), strict=False))
    if same < len(found):
        timed.remarks.append(f"{name} DISAGREES on {len(found) - same} of {len(found)} rows")


def _alike(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return bool(np.isclose(one, other, rtol=1e-9))
    return str(one) == str(other) or one == other


def main() -> None:
    """Sweep a folder, and count the remarks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--most", type=int, default=300, help="tables, evenly from the folder")
    parser.add_argument("--seconds", type=int, default=20, help="for each step")
    parser.add_argument("--processes", type=int, default=None)
    options = parser.parse_args()
    paths = sorted(options.folder.glob("*.csv"))
    most = min(options.most, len(paths))
    paths = [paths[number * len(paths) // most] for number in range(most)]
    counted: Counter[str] = Counter()
    with ProcessPoolExecutor(options.processes) as processes:
        for lines in processes.map(partial(swept, seconds=options.seconds), paths):
            for line in lines:
                print(line, flush=True)
                counted.update(_kinds(line))
    print(f"{len(paths)} tables, " + ", ".join(f"{name} {n}" for name, n in sorted(counted.items())))


def _kinds(line: str) -> Iterator[str]:
    yield "targets"
    yield from re.findall(r"RAW|DIFFER|DISAGREES|SLOW|does not end|refuses", line)
    if int(line.rsplit("|", 2)[1].split(maxsplit=1)[0]) > WIDEST:
        yield "too wide"


if __name__ == "__main__":
    main()
