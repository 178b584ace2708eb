"""C4.5, grown and pruned, compared with Weka's J48: medians of processor time, interleaved in one run, with versions.

    python benchmarks/c45.py                 adult, a table as large as letter, and the same with a tenth of the cells missing

Java and Weka are needed for the peer (`apt install weka default-jdk-headless`); without them the benchmark says so. J48 runs in
one warm process for each table: it grows a tree in each round, and reports the processor time of its thread.
"""

import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import TypeAlias

import numpy as np
from cart import ours, tables
from figures import keep

from ftree import C45, Dataset, c45, grow

ROUNDS = 5
WEKA = Path("/usr/share/java/weka.jar")
Process: TypeAlias = "subprocess.Popen[str]"
# Reads options of J48 line by line, and writes the processor seconds of building each tree.
JAVA = """
import java.io.*;
import java.lang.management.*;
import weka.classifiers.trees.J48;
import weka.core.Instances;
import weka.core.converters.CSVLoader;

public class TimeJ48 {
    public static void main(String[] given) throws Exception {
        CSVLoader loader = new CSVLoader();
        loader.setSource(new File(given[0]));
        loader.setMissingValue("?");
        Instances data = loader.getDataSet();
        data.setClassIndex(data.numAttributes() - 1);
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        BufferedReader turns = new BufferedReader(new InputStreamReader(System.in));
        for (String options = turns.readLine(); options != null; options = turns.readLine()) {
            J48 tree = new J48();
            tree.setOptions(weka.core.Utils.splitOptions(options));
            long start = clock.getCurrentThreadCpuTime();
            tree.buildClassifier(data);
            System.out.println("seconds " + (clock.getCurrentThreadCpuTime() - start) / 1e9);
            System.out.flush();
        }
    }
}
"""
CASES: dict[str, tuple[Callable[[Dataset], object], str]] = {
    "C45, grown out": (lambda data: grow(data, C45), "-U"),
    "c45(), pruned with subtree raising": (c45, ""),
}
KINDS = dict(zip(CASES, ("grown", "pruned"), strict=True))


def started(file: Path) -> "Process | None":
    """A warm J48 of a table; None if Java or Weka is absent."""
    if shutil.which("java") is None or not WEKA.exists():
        return None
    program = Path(tempfile.mkdtemp()) / "TimeJ48.java"
    program.write_text(JAVA)
    command = ["java", "-cp", f"{WEKA}:/usr/share/java/java-cup-runtime.jar", str(program), str(_for_weka(file))]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)  # noqa: S603  # the peer


def _for_weka(file: Path) -> Path:
    """The table with ? for missing cells, and without blanks around cells."""
    lines = [[cell.strip() or "?" for cell in line.split(",")] for line in file.read_text().splitlines()]
    copy = Path(tempfile.mkdtemp()) / "table.csv"
    copy.write_text("\n".join(map(",".join, lines)) + "\n")
    return copy


def theirs(peer: "Process | None", options: str) -> float | None:
    """Processor seconds of one tree by J48; None where it is absent or has failed."""
    if peer is None or peer.stdin is None or peer.stdout is None:
        return None
    try:
        peer.stdin.write(options + "\n")
        peer.stdin.flush()
    except BrokenPipeError:
        return None
    return next((float(line.split()[1]) for line in peer.stdout if line.startswith("seconds")), None)


def main() -> None:
    """Print a line for each case of each table."""
    measured: dict[str, dict[str, object]] = {}
    versions = f"Python {platform.python_version()}, numpy {np.__version__}, {platform.machine()}"
    print(f"{versions}; median of {ROUNDS} rounds, in seconds")
    for name, file in tables():
        data, peer = Dataset.read_csv(file), started(file)
        if peer is None:
            print("Java or Weka is not there, so J48 is not timed (apt install weka default-jdk-headless).", file=sys.stderr)
        for case, (run, options) in CASES.items():
            for _ in range(3):  # until the JVM has compiled what it runs
                run(data)
                theirs(peer, options)
            rounds = [(ours(run, data), theirs(peer, options)) for _ in range(ROUNDS)]
            mine = median([each[0] for each, _ in rounds])
            others = [each for _, each in rounds if each is not None]
            beside = f"{median(others):7.3f} J48 ({median(others) / mine:.1f} times)" if others else "J48: none"
            print(f"{mine:7.3f}  {beside}  {name}: {case}", flush=True)
            if others:
                kept = {"ftree": mine, "peer": [median(others), round(median(others) / mine, 1)]}
                measured.setdefault(name, {})[KINDS[case]] = kept
        if peer is not None:
            peer.kill()
    keep("c45", measured)


if __name__ == "__main__":
    main()
