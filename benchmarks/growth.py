"""Growth and prediction against the peers that are installed (scikit-learn, ydf, LightGBM, Orange), interleaved in one run.

    python benchmarks/growth.py                      the smaller cases, three rounds each
    python benchmarks/growth.py all                  every case; the largest take minutes with the peers
    python benchmarks/growth.py numeric-100k predict --rounds 5 --json times.json
    python benchmarks/growth.py all --n-jobs 1       one thread each

Each round runs every library once, so that other load on the machine affects all of them; figures are medians of the
rounds and ratios of medians. Before the clock starts, a case checks that the trees are equally good: the same number of
nodes, and, if trees are grown out, the same share of training rows right. Peak memory is the memory added (Linux).
LightGBM cuts between 255 bins and by gradients, so its trees differ by design, and it has one tree only for two classes.
"""

import argparse
import json
import os
import platform
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from ctypes import CDLL, POINTER, c_double, c_int64
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from attrs import evolve, frozen
from figures import keep

from ftree import CART, ID3, Dataset, Feature, Policy, Schema, accuracy, grow, n_leaves, n_nodes, predict
from ftree.criteria import compiled_impurity, proportions
from ftree.native.build import compiler
from ftree.stop import max_depth

# The number of threads that each library may use; all processors unless the command line gives a number.
JOBS = [os.cpu_count() or 1]
SHARED = Path(os.environ.get("FTREE_SHARED", Path(__file__).parents[2] / "shared")) / "data"


@frozen
class Contest:
    """The runs to time, by library; each tree's quality (nodes, share of training rows right); intended differences."""

    runs: dict[str, Callable[[], object]]
    quality: dict[str, Callable[[object], tuple[int, float]]]
    note: str = ""
    rounds: int | None = None


# Data -----------------------------------------------------------------------------------------------------------------


def numbers(n: int, n_classes: int) -> tuple[Dataset, np.ndarray, np.ndarray]:
    """Twenty numeric features of which four matter, classes of equal size, noise: a tree that is grown out is deep."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 20))
    signal = x[:, 0] + x[:, 1] * x[:, 2] + x[:, 3] / 2 + rng.normal(size=n) / 2
    y = np.searchsorted(np.quantile(signal, np.arange(1, n_classes) / n_classes), signal)
    columns = {f"x{i}": np.ascontiguousarray(x[:, i]) for i in range(20)}
    return Dataset.from_columns(columns | {"y": y}, target="y"), x, y


def codes(n: int) -> tuple[Dataset, np.ndarray, np.ndarray]:
    """Twenty nominal features of 2 to 10 values, two classes."""
    rng = np.random.default_rng(0)
    sizes = [2 + i % 9 for i in range(20)]
    x = np.stack([rng.integers(0, size, n) for size in sizes], axis=1)
    y = ((x[:, 0] + x[:, 1] * x[:, 2] + x[:, 3] + rng.integers(0, 3, n)) % 4 > 1).astype(int)
    features = [Feature(f"x{i}", "nominal", range(size)) for i, size in enumerate(sizes)]
    return Dataset(Schema(features, "y", (0, 1)), list(x.T.astype(np.int8)), y), x, y


def recoded(dataset: Dataset) -> tuple[np.ndarray, np.ndarray]:
    """A mixed table in the form that scikit-learn takes: codes as numbers, missing values -1."""
    x = np.stack([np.nan_to_num(column.astype(float), nan=-1) for column in dataset.columns], axis=1)
    return x, np.asarray(dataset.target_column)


# Libraries ------------------------------------------------------------------------------------------------------------


def ours(dataset: Dataset, policy: Policy) -> Callable[[], object]:
    """Grow with this library."""
    return lambda: grow(dataset, policy, engine="compiled", n_jobs=JOBS[0])


def our_quality(dataset: Dataset) -> Callable[[object], tuple[int, float]]:
    """Nodes and training accuracy of a tree of this library."""
    return lambda tree: (n_nodes(tree), accuracy(tree, dataset))


def sklearn_run(x: np.ndarray, y: np.ndarray, **options: object) -> Callable[[], object]:
    """Grow with scikit-learn."""
    tree = import_module("sklearn.tree")
    return lambda: tree.DecisionTreeClassifier(random_state=0, **options).fit(x, y)


def ydf_run(columns: dict[str, np.ndarray], depth: int = -1) -> Callable[[], object]:
    """Grow with ydf's CART, exact splits, no pruning, as many threads as there are processors."""
    ydf = import_module("ydf")
    ydf.verbose(0)
    learner = ydf.CartLearner(label="y", max_depth=depth, min_examples=1, validation_ratio=0.0, num_threads=JOBS[0])
    return lambda: learner.train(columns)


def ydf_quality(columns: dict[str, np.ndarray]) -> Callable[[object], tuple[int, float]]:
    """Nodes and training accuracy of a ydf model."""

    def quality(model: object) -> tuple[int, float]:
        predicted = np.asarray(model.predict(columns))  # type: ignore[attr-defined]  # ydf is looked up when it is run
        right = predicted.round().astype(int) if predicted.ndim == 1 else predicted.argmax(axis=1)
        return ydf_nodes(model), float((right == columns["y"]).mean())

    return quality


def ydf_nodes(model: Any) -> int:
    """Number of nodes of a ydf model of one tree."""
    nodes, stack = 0, [model.get_tree(0).root]
    while stack:
        node = stack.pop()
        nodes += 1
        stack += [node.neg_child, node.pos_child] if hasattr(node, "neg_child") else []
    return nodes


def lightgbm_run(x: np.ndarray, y: np.ndarray) -> Callable[[], object]:
    """Grow one tree of LightGBM for two classes, as deep as possible: cut between the bins of a histogram, leaf by leaf."""
    lightgbm = import_module("lightgbm")
    options = {"objective": "binary", "learning_rate": 1.0, "min_data_in_leaf": 1, "min_sum_hessian_in_leaf": 0.0}
    # More leaves than the trees of this benchmark have; LightGBM allocates the histograms of all of them.
    options |= {"min_data_in_bin": 1, "num_leaves": len(y) // 8, "num_threads": JOBS[0], "force_col_wise": True, "verbose": -1}
    return lambda: lightgbm.train(options, lightgbm.Dataset(x, y, params=options), num_boost_round=1)


def orange_run(dataset: Dataset) -> Callable[[], object]:
    """Grow with Orange's tree: multiway splits of nominal features, known missing values, grown out."""
    data, trees = import_module("Orange.data"), import_module("Orange.classification.tree")
    features = [
        data.ContinuousVariable(f.name) if f.kind == "numeric" else data.DiscreteVariable(f.name, tuple(map(str, f.values)))
        for f in dataset.schema.features
    ]
    target = data.DiscreteVariable(dataset.schema.target, tuple(map(str, dataset.schema.classes)))
    x, y = recoded(dataset)
    holes = np.stack([np.isnan(column) if column.dtype.kind == "f" else column < 0 for column in dataset.columns], axis=1)
    table = data.Table.from_numpy(data.Domain(features, target), np.where(holes, np.nan, x), y.astype(float))
    learner = trees.TreeLearner(binarize=False, sufficient_majority=1.0)
    return lambda: learner(table)


def ten_times(run: Callable[[], object]) -> Callable[[], object]:
    """The same ten times in a row, as if thousands of trees are grown, since a single millisecond measures cold caches."""

    def runs() -> object:
        for _ in range(9):
            run()
        return run()

    return runs


def has(name: str) -> bool:
    """Whether a peer is installed."""
    with suppress(PackageNotFoundError):
        return bool(version(name))
    return False


def growth(
    dataset: Dataset, x: np.ndarray, y: np.ndarray, policy: Policy, rounds: int | None, depth: int | None = None
) -> Contest:
    """A contest of growth on the same rows."""
    criterion = policy.impurity.__name__
    runs, quality = {"ftree": ours(dataset, policy)}, {"ftree": our_quality(dataset)}
    if has("scikit-learn"):
        runs["scikit-learn"] = sklearn_run(x, y, criterion=criterion, max_depth=depth)
        quality["scikit-learn"] = lambda tree: (tree.tree_.node_count, float(tree.score(x, y)))  # type: ignore[attr-defined]  # as above
    if has("ydf"):
        columns = {f"x{i}": x[:, i] for i in range(x.shape[1])} | {"y": y}
        runs["ydf"] = ydf_run(columns, -1 if depth is None else depth + 1)
        quality["ydf"] = ydf_quality(columns)
    note = criterion
    if has("lightgbm") and depth is None and len(dataset.schema.classes) == 2:  # noqa: PLR2004  # one tree for each class beyond
        runs["LightGBM"] = lightgbm_run(x, y)
        note += "; LightGBM by histogram"
    return Contest(runs, quality, note, rounds)


# Cases ----------------------------------------------------------------------------------------------------------------


def numeric(n: int, n_classes: int, rounds: int | None = None, depth: int | None = None) -> Iterator[Contest]:
    """Numeric features, by entropy and by Gini."""
    dataset, x, y = numbers(n, n_classes)
    for policy in (ID3, CART):
        stopped = policy if depth is None else policy.stopping(max_depth(depth))
        yield growth(dataset, x, y, stopped, rounds, depth)


def nominal(n: int) -> Iterator[Contest]:
    """Multiway ID3, grown out; scikit-learn sees codes as numbers, ydf grows to depth 6 only."""
    dataset, x, y = codes(n)
    contest = growth(dataset, x, y, ID3, 1)
    runs, quality = dict(contest.runs), {name: contest.quality[name] for name in contest.quality if name != "ydf"}
    runs.pop("LightGBM", None)  # it would read codes as numbers
    if "ydf" in runs:
        columns = {f"x{i}": x[:, i].astype(str) for i in range(20)} | {"y": y}
        runs["ydf"] = ydf_run(columns, 7)
    yield Contest(runs, {"ftree": quality["ftree"]}, "other trees by design: multiway, on codes, depth 6", 1)


def real() -> Iterator[Contest]:
    """Mixed tables; scikit-learn sees nominal codes as numbers."""
    for name in ("mushroom", "car", "adult"):
        dataset = Dataset.read_csv(SHARED / f"{name}.csv")
        x, y = recoded(dataset)
        runs: dict[str, Callable[[], object]] = {"ftree": ours(dataset, ID3)}
        if has("scikit-learn"):
            runs["scikit-learn"] = sklearn_run(x, y, criterion="entropy")
        if has("Orange3"):
            runs["Orange"] = orange_run(dataset)
        note = f"{name}, other trees by design: multiway, on codes"
        if len(dataset) < 10_000:  # noqa: PLR2004  # milliseconds
            yield Contest(runs, {"ftree": our_quality(dataset)}, note, 25)
            runs, note = {library: ten_times(run) for library, run in runs.items()}, f"{name}, ten times in a row"
        yield Contest(runs, {"ftree": our_quality(dataset)}, note, 5)


def predicted() -> Iterator[Contest]:
    """A million rows down a tree of about ten thousand leaves, and one row."""
    dataset, x, y = numbers(140_000, 2)
    many, x_many, _ = numbers(1_000_000, 2)
    tree = grow(dataset)
    row, rows = x_many[0], x_many[:1]
    runs, alone = {"ftree": lambda: predict(tree, many)}, {"ftree": lambda: [predict(tree, row) for _ in range(1000)]}
    if has("scikit-learn"):
        peer = sklearn_run(x, y, criterion="entropy")()
        single = np.ascontiguousarray(x_many, dtype=np.float32)
        runs["scikit-learn"] = lambda: peer.predict(x_many)
        runs["scikit-learn, float32 given"] = lambda: peer.predict(single)
        alone["scikit-learn"] = lambda: [peer.predict(rows) for _ in range(1000)]
    if has("ydf"):
        model = ydf_run({f"x{i}": x[:, i] for i in range(20)} | {"y": y})()
        columns = {f"x{i}": np.ascontiguousarray(x_many[:, i]) for i in range(20)}
        runs["ydf"] = lambda: model.predict(columns)
    if has("lightgbm"):
        booster = lightgbm_run(x, y)()
        runs["LightGBM"] = lambda: booster.predict(x_many, num_threads=JOBS[0])
        alone["LightGBM"] = lambda: [booster.predict(rows, num_threads=1) for _ in range(1000)]
    yield Contest(runs, {}, f"1,000,000 rows, {n_leaves(tree):,} leaves", 5)
    yield Contest(alone, {}, "one row, a thousand times", 5)


def gaps() -> Iterator[Contest]:
    """Only this library: rows with missing values, one in three of which takes several routes."""
    train, test = numbers(100_000, 2)[0], numbers(500_000, 2)[0]
    rng = np.random.default_rng(1)
    holes = [np.where(rng.random(len(test)) < 0.02, np.nan, column) for column in test.columns]  # noqa: PLR2004  # a fiftieth
    tree, holey = grow(train), evolve(test, columns=holes)
    for missing in ("all_routes", "weighted", "heaviest"):
        yield Contest({"ftree": lambda way=missing: predict(tree, holey, missing=way)}, {}, f"500,000 rows, {missing}")


# Gini's index and Tsallis' entropy of order 1.5 of one node.
OWN = """
#include <math.h>
#include <stdint.h>
double gini(const double *counts, int64_t k)
{
    double n = 0, inner = 0;
    for (int64_t c = 0; c < k; c++) n += counts[c];
    for (int64_t c = 0; c < k; c++) inner += counts[c] * (n - counts[c]);
    return n > 0 ? inner / (n * n) : 0;
}
double tsallis(const double *counts, int64_t k)
{
    double n = 0, inner = 0;
    for (int64_t c = 0; c < k; c++) n += counts[c];
    for (int64_t c = 0; c < k && n > 0; c++) inner += pow(counts[c] / n, 1.5);
    return n > 0 ? (1 - inner) / 0.5 : 0;
}
"""


def of_c(name: str) -> compiled_impurity:
    """An impurity of the source above, which the compiler that is here makes."""
    with TemporaryDirectory() as folder:
        source, library = Path(folder, "own.c"), Path(folder, "own.so")
        source.write_text(OWN, encoding="utf-8")
        subprocess.run([*compiler(), "-O2", "-shared", "-fPIC", "-o", library, source, "-lm"], check=True)  # noqa: S603  # our own code
        function = CDLL(str(library))[name]
    function.argtypes, function.restype = [POINTER(c_double), c_int64], c_double
    return compiled_impurity(function)


def tsallis_of_arrays(counts: np.ndarray) -> np.ndarray:
    """The same of all nodes, in numpy."""
    shares = proportions(counts)
    return (1.0 - (shares**1.5).sum(axis=-1)) / 0.5 * (shares.sum(axis=-1) > 0)


def own() -> Iterator[Contest]:
    """Only this library: by Gini, by users' impurities in machine code, and by one in NumPy, which the plain engine calls."""
    impurities = {
        "Gini by hand": of_c("gini"),
        "Tsallis": of_c("tsallis"),
        "numpy": tsallis_of_arrays,
    }
    for n in (20_000, 100_000):
        dataset = numbers(n, 2)[0]
        runs = {name: ours(dataset, evolve(CART, impurity=impurity)) for name, impurity in impurities.items()}
        yield Contest({"ftree": ours(dataset, CART)} | runs, {}, f"{n:,} x 20: Gini; one's own")


def memory() -> Iterator[Contest]:
    """Only this library, in its own process: the memory that growth needs in addition to its table, in the note."""
    for dtype in ("float64", "float32"):
        with get_context("spawn").Pool(1) as alone:
            size, on_top = alone.apply(on_top_of, (dtype,))
        yield Contest({"ftree": lambda: None}, {}, f"{dtype}: {size:.0f} + {on_top:.0f} MB, {on_top / size:.2f} x", 1)


def on_top_of(dtype: str) -> tuple[float, float]:
    """Megabytes of half a million rows, and of the additional memory of growth."""
    ours(numbers(1000, 2)[0], ID3)()
    dataset, _, _ = numbers(500_000, 2)
    given = evolve(dataset, columns=[column.astype(dtype) for column in dataset.columns])
    del dataset
    with suppress(OSError, AttributeError):
        CDLL("libc.so.6").malloc_trim(0)  # otherwise memory freed before would serve growth uncounted
    _, peak = peak_of(ours(given, ID3))
    return sum(column.nbytes for column in given.columns) / 2**20, peak


CASES: dict[str, Callable[[], Iterator[Contest]]] = {
    "numeric-20k": lambda: numeric(20_000, 2),
    "numeric-100k": lambda: numeric(100_000, 2),
    "real": real,
    "predict": predicted,
    "numeric-500k-depth-8": lambda: numeric(500_000, 5, 1, 8),
    "nominal-500k": lambda: nominal(500_000),
    "numeric-500k": lambda: numeric(500_000, 5, 1),
    "gaps": gaps,
    "own": own,
    "memory": memory,
}
SMALLER = ["numeric-20k", "numeric-100k", "real", "predict"]


# Measuring ------------------------------------------------------------------------------------------------------------


def seconds_of(run: Callable[[], object]) -> float:
    """The time of a run; its result is freed afterwards."""
    start = time.perf_counter()
    answer = run()
    seconds = time.perf_counter() - start
    del answer
    return seconds


def peak_of(run: Callable[[], object]) -> tuple[object, float]:
    """The result, and the megabytes that the process needed in addition (NaN if the system does not report them)."""
    before = _resident(reset=True)
    answer = run()
    return answer, _resident(reset=False) - before


def _resident(*, reset: bool) -> float:
    """Resident megabytes: now, after resetting the peak, or the peak since."""
    try:
        if reset:
            Path("/proc/self/clear_refs").write_text("5")
        wanted = "VmRSS" if reset else "VmHWM"
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(wanted))
    except OSError:
        return float("nan")


def measured(case: str, contest: Contest, rounds: int) -> dict[str, object]:
    """Compile, check and measure memory first, then time in turns, since allocating memory slows down the following runs."""
    contest.runs["ftree"]()
    memory, quality = {}, {}
    for name, run in contest.runs.items():
        answer, memory[name] = peak_of(run)
        if name in contest.quality:
            quality[name] = contest.quality[name](answer)
        del answer
    _check_quality(case, quality)
    seconds: dict[str, list[float]] = {name: [] for name in contest.runs}
    for _ in range(contest.rounds or rounds):
        for name, run in contest.runs.items():
            seconds[name].append(seconds_of(run))
    return {
        "case": case,
        "note": contest.note,
        "seconds": {name: median(times) for name, times in seconds.items()},
        "ratio": {name: median(times) / median(seconds["ftree"]) for name, times in seconds.items()},
        "peak_mb": memory,
        "quality": quality,
    }


def _check_quality(case: str, quality: dict[str, tuple[int, float]]) -> None:
    """Report where a peer's tree differs, so that ratios are not overrated."""
    nodes, right = quality.get("ftree", (0, 0.0))
    for name, (others, others_right) in quality.items():
        if abs(others - nodes) > 0.005 * nodes or abs(others_right - right) > 0.0005:  # noqa: PLR2004  # half a percent of nodes
            print(f"  {case}: {name} has {others} nodes ({others_right:.4f} right), ftree {nodes} ({right:.4f}).")


def shown(row: dict) -> str:
    """One line a library."""
    return "\n".join(
        f"{row['case']:22} {row['note'][:36]:36} {name:27} {seconds:9.4f} s "
        f"{row['ratio'][name]:7.2f} x {row['peak_mb'][name]:8.0f} MB"
        for name, seconds in row["seconds"].items()
    )


def figures_of(row: dict) -> tuple[str, dict[str, Any]]:
    """What pages state of a case: our seconds, and the seconds and the ratio of each peer."""
    note = re.split(r"; |,? ?other trees|, [\d,]+ leaves|, a thousand", row["note"])[0]
    runs = 1000 if "a thousand times" in row["note"] else 1
    spent = {name: float(f"{seconds / runs:.3g}") for name, seconds in row["seconds"].items()}
    peers = {name: [seconds, float(f"{row['ratio'][name]:.3g}")] for name, seconds in spent.items() if name != "ftree"}
    return ", ".join(filter(None, (row["case"], note))), {"ftree": spent["ftree"]} | peers


def main() -> None:
    """Run the cases asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", choices=[*CASES, "all", []], default=[])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--figures", action="store_true", help="write what pages state: docs/figures.json")
    parser.add_argument("--n-jobs", type=int, default=JOBS[0])
    asked = parser.parse_args()
    JOBS[0] = asked.n_jobs
    names = list(CASES) if "all" in asked.cases else asked.cases or SMALLER
    versions = {name: version(name) for name in ("ftrees", "numpy", "scikit-learn", "ydf", "lightgbm", "Orange3") if has(name)}
    about = {"versions": versions, "python": platform.python_version(), "threads": JOBS[0], "load": os.getloadavg()}
    print(about)
    rows = []
    for name in names:
        for contest in CASES[name]():
            rows.append(measured(name, contest, asked.rounds))
            print(shown(rows[-1]), flush=True)
    keep("growth", dict(map(figures_of, rows)))
    if asked.json:
        asked.json.write_text(json.dumps(about | {"results": rows}, indent=1))


if __name__ == "__main__":
    main()
