"""Growth and prediction of this checkout against another checkout of ftree, in interleaved pairs.

    git worktree add ../before HEAD~5
    python benchmarks/pairs.py ../before                  every case of growth.py, nine starts of three pairs
    python benchmarks/pairs.py ../before numeric-20k real --starts 20

Each checkout has its own process. A pair is one timing of each, in random order, so that other load on the machine
affects both. The position of a process's memory can change its speed by some percent for its whole life, so both
are started anew several times. The ratio is this checkout's time divided by the other's: the geometric mean over the starts.
Each start counts as the median of its pairs, with a 95 % interval by Student's t on the logarithms of the starts. Short runs
are repeated until a timing takes a twentieth of a second.
"""

import argparse
import os
import random
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from math import exp, log, sqrt
from pathlib import Path
from statistics import fmean, median, stdev
from typing import TypeAlias

Worker: TypeAlias = "subprocess.Popen[str]"
HERE = Path(__file__).parents[1]
# This code runs in each checkout: it names a contest, and times it once for each line that it reads, until the line is "next".
WORKER = """
import sys, time
sys.path[:0] = [sys.argv[1], sys.argv[1] + "/benchmarks"]
import growth
growth.has = lambda name: False  # no peers
growth.JOBS[0] = int(sys.argv[2])
def tell(*words): print(*words, sep="\\t", flush=True)
for case in sys.argv[3:]:
    for contest in growth.CASES[case]():
        for name, run in contest.runs.items():
            run()
            start = time.perf_counter(); run()
            times = max(1, int(0.05 / (time.perf_counter() - start)))
            tell(case, contest.note, name)
            while input() != "next":
                start = time.perf_counter()
                for _ in range(times): run()
                tell((time.perf_counter() - start) / times)
tell("end")
"""


def worker(checkout: Path, cases: list[str], n_jobs: int) -> Worker:
    """A process that times the code of a checkout, and not that of an installed package."""
    command = [sys.executable, "-c", WORKER, str(checkout.resolve()), str(n_jobs), *cases]
    shared = os.environ.get("FTREE_SHARED", str(HERE.parent / "shared"))
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=os.environ | {"FTREE_SHARED": shared})  # noqa: S603  # our own code


def answer(process: Worker, question: str = "") -> str:
    """The next line of a worker, after sending it a line if there is one."""
    if question:
        print(question, file=process.stdin, flush=True)
    line = process.stdout.readline().strip() if process.stdout else ""
    return line or sys.exit("A worker stopped; its output is above.")


def contests(ours: Worker, other: Worker, n_pairs: int) -> Iterator[tuple[str, list[tuple[float, float]]]]:
    """Each contest by name, with the seconds of both checkouts in each pair."""
    name = answer(ours)
    answer(other)
    while name != "end":
        pairs = []
        for _ in range(n_pairs):
            order = random.sample([ours, other], 2)
            seconds = {process.pid: float(answer(process, "time")) for process in order}
            pairs.append((seconds[ours.pid], seconds[other.pid]))
        yield name, pairs
        name = answer(ours, "next")
        answer(other, "next")


def main() -> None:
    """Time every case in pairs and print the ratios."""
    if len(sys.argv) == 1:  # as `make bench` calls every benchmark
        print("No other checkout is named, so nothing is compared. See `python benchmarks/pairs.py --help`.")
        return
    from growth import CASES  # noqa: PLC0415  # it imports ftree, and each worker imports its own
    from scipy.stats import t  # noqa: PLC0415  # as above

    cases = [case for case in CASES if case != "memory"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path)
    parser.add_argument("cases", nargs="*", choices=[*cases, []], default=[])
    parser.add_argument("--starts", type=int, default=9)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--n-jobs", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    print(f"python {sys.version.split()[0]}, load {os.getloadavg()[0]:.1f}, {asked.n_jobs} threads", flush=True)
    print(f"{asked.starts} starts of {asked.pairs} pairs: median seconds, ratio [95 % interval]")
    for case in asked.cases or cases:
        logs, seconds = defaultdict(list), defaultdict(list)
        for _ in range(asked.starts):
            workers = [worker(checkout, [case], asked.n_jobs) for checkout in (HERE, asked.other)]
            for name, pairs in contests(*workers, asked.pairs):
                logs[name].append(median(log(ours / other) for ours, other in pairs))
                seconds[name] += [ours for ours, _ in pairs]
        for name, starts in logs.items():
            half = t.ppf(0.975, len(starts) - 1) * stdev(starts) / sqrt(len(starts))
            low, mean, high = (exp(fmean(starts) + side * half) for side in (-1, 0, 1))
            shown = " ".join(f"{part[:34]:34}" if n else f"{part:21}" for n, part in enumerate(name.split("\t")))
            print(f"{shown} {median(seconds[name]):9.4f} s   {mean:.3f} [{low:.3f}, {high:.3f}]", flush=True)


if __name__ == "__main__":
    main()
