"""Growth from data larger than memory, beside growth in memory, LightGBM, YDF and Spark's MLlib.

    python benchmarks/scan.py growth 10_000_000     from codes on disk: a table with a signal, and one of noise
    python benchmarks/scan.py limited 10_000_000    the first of these in a control group of 500 MB (needs systemd)
    python benchmarks/scan.py mixed 10_000_000      encode 10 columns of texts and 10 of numbers from Parquet, through DuckDB
    python benchmarks/scan.py ftree 10_000_000      one tree of depth 8: exact, and in 255 bins
    python benchmarks/scan.py lightgbm 10_000_000   one tree of depth 8, from its binary file (needs lightgbm)
    python benchmarks/scan.py ydf 10_000_000        its CART in 255 bins, from memory (needs ydf)
    python benchmarks/scan.py ydf_exact 10_000_000  its CART, from memory
    python benchmarks/scan.py mllib 1_000_000       Spark's DecisionTreeClassifier in 255 bins, local[2] (needs pyspark, Java 17)
    python benchmarks/scan.py spark                 the time of a level on Spark, less that in this process
    python benchmarks/scan.py dask 1_000_000        growth on two workers, of which one is killed in the middle

Each step of `growth`, and each other benchmark, is a process of its own, since memory peaks are those of a process.
10,000,000 rows take some minutes and 2 GB of disk, 100,000,000 rows 20 GB; the default is 1,000,000. Times are wall seconds
and processor seconds.
"""
# ruff: noqa: PLC0415  # a peer is loaded only where it is measured

import os
import resource
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from platform import python_version
from shutil import rmtree
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import numpy as np
from attrs import evolve

from ftree import ID3, Dataset, Policy, grow
from ftree.scan import Source, accuracy, encode_to, open_encoded, survey
from ftree.scan.batches import Batches
from ftree.splitters import multiway, subset, threshold
from ftree.stop import max_depth, min_rows
from ftree.tree import depth

FEATURES, BATCH, BINS, DEPTH, ROUNDS, DRAWS, LIMIT = 20, 200_000, 60_000, 8, 3, 5, "500M"
# From a table of more rows, no tree is grown in memory.
MOST = 2_000_000
SHALLOW = ID3.stopping(max_depth(DEPTH))


def in_bins(policy: Policy) -> Policy:
    """The policy with numbers in 255 bins."""
    return evolve(policy, splits=(multiway(), threshold(bins=255)))


def parts(n_rows: int, signal: float, draw: int = 0) -> Iterator[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]:
    """Normal numbers (features, rows), and labels that follow three of them, or none if `signal` is 0."""
    for begin in range(0, n_rows, BATCH):
        random = np.random.default_rng(begin + draw * 10**9)
        numbers = random.normal(size=(FEATURES, min(BATCH, n_rows - begin)))
        score = signal * (numbers[0] + numbers[1] * numbers[2]) + random.normal(size=numbers.shape[1])
        yield numbers, (score > 0).astype(np.int64)


def batches(n_rows: int, signal: float, draw: int = 0) -> Batches:
    """The numbers and labels as a table."""
    names = [f"x{number}" for number in range(FEATURES)]

    def read() -> Iterator[dict[str, object]]:
        for numbers, labels in parts(n_rows, signal, draw):
            yield dict(zip(names, numbers, strict=True)) | {"class": labels}

    return Batches((*names, "class"), read)


def timed(what: str, work: Callable[[], Any]) -> Any:
    """Do some work, and print how long it took."""
    return measured(what, work)[0]


def measured(what: str, work: Callable[[], Any]) -> tuple[Any, tuple[float, float]]:
    """Do some work, and print how long it took; the result, and the seconds by the clock and of processor time."""
    began, used = perf_counter(), processor_time()
    result = work()
    seconds = perf_counter() - began, processor_time() - used
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  {what:<44}{seconds[0]:8.2f} s {seconds[1]:8.2f} s of processor time, peak {peak:,.0f} MB", flush=True)
    return result, seconds


def print_versions(*names: str) -> None:
    """Print the versions of Python and of some packages, and how busy the machine is."""
    each = ", ".join(f"{name} {version(name)}" for name in names)
    print(f"  Python {python_version()}, {each}; {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}", flush=True)


def processor_time() -> float:
    """The processor time of this process and of those it has started, as Spark's and Dask's workers."""
    if not Path("/proc/self/stat").exists():
        return process_time()
    found: dict[int, tuple[int, float]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # the process has ended
            fields = path.read_text().rpartition(")")[2].split()
            found[int(path.parent.name)] = int(fields[1]), sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    own = {os.getpid()}
    while more := {number for number, (parent, _) in found.items() if parent in own} - own:
        own |= more
    return sum(found[number][1] for number in own)


def apart(work: Callable[..., None], *given: Any) -> None:
    """Do some work in a process of its own, whose memory is counted alone."""
    process = get_context("spawn").Process(target=work, args=given)
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit(process.exitcode)


def growth(n_rows: int, folder: Path) -> None:
    """Grow from codes, with a signal and without one."""
    for name, signal in (("signal", 1.0), ("noise", 0.0)):
        print(f"{n_rows:,} x {FEATURES}, {name}", flush=True)
        codes = folder / name
        apart(encode_numbers, n_rows, signal, codes)
        apart(grow_shallow, n_rows, signal, codes)
        apart(grow_shallow_in_bins, codes)
        if signal:
            apart(grow_deep, codes)
        rmtree(codes)


def limited(n_rows: int, folder: Path) -> None:
    """Grow from codes where memory is limited, and the system's cache of files counts as well."""
    apart(encode_numbers, n_rows, 1.0, folder / "codes")
    work = [sys.executable, "-c", f"import scan; scan.grow_shallow({n_rows}, 1.0, scan.Path({str(folder / 'codes')!r}))"]
    scope = ["systemd-run", "--user", "--scope", "--quiet", "-p", f"MemoryMax={LIMIT}", "-p", "MemorySwapMax=0"]
    try:
        subprocess.run([*scope, "true"], check=True, capture_output=True, text=True)  # noqa: S603  # a fixed command
    except (OSError, subprocess.CalledProcessError) as error:
        reason = getattr(error, "stderr", None) or str(error)
        print(f"  No control group can be made here: {reason.strip()} Without a limit:", flush=True)
        scope = []
    subprocess.run([*scope, *work], check=True, cwd=Path(__file__).parent)  # noqa: S603  # our own script


def encode_numbers(n_rows: int, signal: float, codes: Path) -> None:
    """Encode a table, whose numbers are made anew for each scan."""
    timed("generate", lambda: deque(parts(n_rows, signal), 0))
    timed("generate twice, survey, encode", lambda: encode_to(batches(n_rows, signal), codes, bins=BINS))


def grow_shallow(n_rows: int, signal: float, codes: Path) -> None:
    """Grow from codes, and from memory if there are few rows."""
    source = open_encoded(codes, verify=False)
    grown = timed(f"grow to depth {DEPTH} from codes", lambda: grow(source, SHALLOW))
    if n_rows <= MOST:
        in_memory(batches(n_rows, signal), grown)


def grow_shallow_in_bins(codes: Path) -> None:
    """Grow in 255 bins."""
    timed("the same in 255 bins", lambda: grow(open_encoded(codes, verify=False), in_bins(SHALLOW)))


def grow_deep(codes: Path) -> None:
    """Grow until nodes have few rows, and finish smaller nodes in memory."""
    source, whole = open_encoded(codes, verify=False), ID3.stopping(min_rows(1000))
    timed("grow to min_rows(1000), memory of 600 MB", lambda: grow(evolve(source, memory="600MB"), whole))


def in_memory(table: Batches, grown: object) -> None:
    """Grow the same tree from memory."""
    read = [dict(part) for part in table.read()]
    whole = Dataset.from_columns({key: np.concatenate([part[key] for part in read]) for key in read[0]})
    same = timed(f"grow to depth {DEPTH} in memory", lambda: grow(whole, SHALLOW)) == grown
    print("  the same tree" if same else "  ANOTHER TREE")


def write_mixed(n_rows: int, path: str) -> None:
    """Write a Parquet file of ten columns of texts, ten of numbers, and a class."""
    import pyarrow as pa
    from pyarrow import parquet

    words = np.array([f"value number {number}" for number in range(1000)])
    writer = None
    for numbers, labels in parts(n_rows, 1.0):
        texts = {f"t{i}": words[np.minimum(np.abs(numbers[i + 10]) * 10 ** (i % 3), 999).astype(int)] for i in range(10)}
        table = pa.table({**texts, **{f"x{i}": numbers[i] for i in range(10)}, "class": np.array(["no", "yes"])[labels]})
        writer = writer or parquet.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def mixed(n_rows: int, folder: Path) -> None:
    """Encode texts and numbers through DuckDB."""
    import duckdb

    path = str(folder / "mixed.parquet")
    # In another process, whose memory is not counted here.
    writing = get_context("spawn").Process(target=write_mixed, args=(n_rows, path))
    writing.start()
    writing.join()
    print(f"{n_rows:,} x (10 texts + 10 numbers), Parquet of {Path(path).stat().st_size / 1e6:,.0f} MB, through DuckDB")
    source = timed("survey and encode", lambda: encode_to(duckdb.read_parquet(path), folder / "codes"))
    binary = evolve(SHALLOW, splits=(subset(), threshold()))
    timed(f"grow to depth {DEPTH} from codes, in two", lambda: grow(source, binary))


def of_ftree(n_rows: int, folder: Path) -> None:
    """The library's trees, for the comparison."""
    timed("generate twice, survey, encode", lambda: encode_to(batches(n_rows, 1.0), folder / "codes", bins=BINS))
    source: Source = open_encoded(folder / "codes", verify=False)
    for name, policy in (("exact", SHALLOW), ("255 bins", in_bins(SHALLOW))):
        tree = timed(f"ftree, {name}", lambda policy=policy: grow(source, policy))
        print(f"  accuracy {accuracy(tree, source):.4f}")


def table_in_memory(n_rows: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """All numbers (rows, features) in single precision, and labels."""
    numbers, labels = np.empty((n_rows, FEATURES), dtype=np.float32), np.empty(n_rows, dtype=np.int64)
    for begin, (some, own) in zip(range(0, n_rows, BATCH), parts(n_rows, 1.0), strict=True):
        numbers[begin : begin + len(own)], labels[begin : begin + len(own)] = some.T, own
    return numbers, labels


def of_lightgbm(n_rows: int, folder: Path) -> None:
    """One tree of LightGBM, whose table is in its binary file."""
    import lightgbm

    numbers, labels = table_in_memory(n_rows)
    fixed = {"objective": "binary", "learning_rate": 1.0, "min_data_in_leaf": 1, "min_sum_hessian_in_leaf": 0.0, "verbose": -1}
    options = {**fixed, "num_leaves": 2**DEPTH, "max_depth": DEPTH, "max_bin": 255, "num_threads": 2}
    table = lightgbm.Dataset(numbers, labels, params=options)
    timed("LightGBM, bins into its file", lambda: table.save_binary(str(folder / "table.bin")))
    model = timed("LightGBM, one tree", lambda: lightgbm.train(options, lightgbm.Dataset(str(folder / "table.bin")), 1))
    print(f"  accuracy {np.mean(model.predict(numbers).round() == labels):.4f}")


def of_ydf(n_rows: int, _: Path) -> None:
    """The CART of YDF in memory, without its pruning, in 255 bins; YDF distributes only boosted trees."""
    _train_ydf(n_rows, "YDF, CART in 255 bins", discretize_numerical_columns=True, num_discretized_numerical_bins=255)


def of_ydf_exact(n_rows: int, _: Path) -> None:
    """The same at exact thresholds."""
    _train_ydf(n_rows, "YDF, CART")


def _train_ydf(n_rows: int, name: str, **more: Any) -> None:
    import ydf

    numbers, labels = table_in_memory(n_rows)
    table = {**{f"x{number}": column for number, column in enumerate(numbers.T)}, "class": labels}
    options = {"max_depth": DEPTH + 1, "min_examples": 1, "validation_ratio": 0.0, "num_threads": 2, **more}
    learner = ydf.CartLearner(label="class", **options)
    model = timed(name, lambda: learner.train(table, verbose=0))
    print(f"  accuracy {model.evaluate(table).accuracy:.4f}", flush=True)


def of_mllib(n_rows: int, folder: Path) -> None:
    """Spark's tree in 255 bins, and the library's on the same frame, in turn, for some draws of the rows; both by entropy.

    Both begin with a cached frame of numbers. Their vectors and bins count, and so do our survey and encoding. The first draw
    warms up, and its times are left out of the means. Which cut comes first depends on the bins, so accuracy is a mean as well.
    """
    with spark_session() as session:
        java = session.sql("select java_method('java.lang.System', 'getProperty', 'java.version')").first()[0]
        print_versions("pyspark", "pyarrow", "numpy")
        print(f"  Java {java}, local[2], {n_rows:,} x {FEATURES}", flush=True)
        found = [mllib_and_ftree(session, n_rows, str(folder / f"{draw}.parquet"), draw) for draw in range(DRAWS)]
    means, accuracies = np.mean([times for times, _ in found[1:]], axis=0), np.array([own for _, own in found])
    for name, (clock, used), own in zip(("MLlib", "ftree"), means, accuracies.T, strict=True):
        error = own.std(ddof=1) / DRAWS**0.5
        print(f"  {name}: {clock:.2f} s, {used:.2f} s of processor time, accuracy {own.mean():.4f} (standard error {error:.4f})")
    more = accuracies[:, 1] - accuracies[:, 0]
    print(f"  accuracy of ftree less that of MLlib {more.mean():+.4f} (standard error {more.std(ddof=1) / DRAWS**0.5:.4f})")


def mllib_and_ftree(session: Any, n_rows: int, path: str, draw: int) -> tuple[list[tuple[float, float]], list[float]]:
    """The times and the accuracies of MLlib and of ftree for a draw of the rows; the last draw shows cached vectors as well."""
    from pyspark.ml.classification import DecisionTreeClassifier
    from pyspark.ml.feature import VectorAssembler

    write_numbers(n_rows, path, draw)
    frame = session.read.parquet(path).cache()
    names = [name for name in frame.columns if name != "class"]
    vectors = VectorAssembler(inputCols=names, outputCol="features").transform(frame).select("features", "class")
    print(f"  draw {draw}: {frame.count():,} rows are cached")
    options = {"labelCol": "class", "maxDepth": DEPTH, "maxBins": 255, "impurity": "entropy", "minInfoGain": 0.0}
    theirs = DecisionTreeClassifier(**options, seed=draw)
    work = [("MLlib, 255 bins", lambda: theirs.fit(vectors)), ("ftree on Spark, 255 bins", lambda: grown_on_spark(frame))]
    # Neither is always the first.
    turn = 1 if draw % 2 else -1
    (model, times), (tree, our_times) = [measured(*each) for each in work[::turn]][::turn]
    accuracies = [model.transform(vectors).where("prediction = class").count() / n_rows, accuracy(tree, survey(path))]
    print("  accuracy of MLlib {:.4f}, of ftree {:.4f}".format(*accuracies), flush=True)
    if draw == DRAWS - 1:
        vectors.cache().count()
        timed("MLlib, 255 bins, from cached vectors", lambda: theirs.fit(vectors))
    frame.unpersist()
    return [times, our_times], accuracies


def grown_on_spark(frame: Any) -> Any:
    """The tree of a frame in bins, with the survey."""
    from ftree.scan import spark_table

    return grow(survey(spark_table(frame)), in_bins(SHALLOW))


def levels_on_spark(n_rows: int, _: Path) -> None:
    """The time of a level on Spark, less that of the same level in this process."""
    from ftree.scan import spark_table

    table = pyarrow_table(min(n_rows, 2000))
    with spark_session() as session:
        print_versions("pyspark", "pyarrow", "numpy")
        frame = session.createDataFrame(table).repartition(2).cache()
        sources = {"Spark": survey(spark_table(frame)), "this process": survey(table)}
        grow(sources["Spark"], SHALLOW)
        for _ in range(ROUNDS):
            times = {}
            for name, source in sources.items():
                began = perf_counter()
                levels = depth(timed(f"grow in {name}", lambda source=source: grow(source, SHALLOW)))
                times[name] = perf_counter() - began
            print(f"  {(times['Spark'] - times['this process']) / levels:.2f} s a level more on Spark, of up to three scans")


def killed_on_dask(n_rows: int, _: Path) -> None:
    """Growth on two workers of Dask, and the same where one is killed in the middle."""
    import dask.dataframe as dd
    from distributed import LocalCluster

    from ftree.scan import dask_table

    print_versions("dask", "distributed", "pandas", "numpy")
    begins = range(0, n_rows, BATCH // 4)
    with LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster, cluster.get_client():
        frame = dd.from_map(frame_of_part, begins).persist()
        times, trees = [], []
        for kills in (0, 1, 0, 1):
            source = survey(dask_table(frame), bins=BINS)
            began = perf_counter()
            tree = timed(f"grow on Dask, {kills} of 2 workers killed", lambda n=kills, own=source: grow_and_kill(own, cluster, n))
            times.append(perf_counter() - began)
            trees.append(tree)
            print("  the same tree" if tree == trees[0] else "  ANOTHER TREE")
        print(f"  {min(times[1], times[3]) / min(times[0], times[2]):.2f} times the time")


def grow_and_kill(source: Source, cluster: Any, n: int) -> Any:
    """Grow, and kill the first n workers in the middle."""
    left, levels = list(cluster.workers.values())[:n], []

    def kill(level: Any) -> None:
        levels.append(level)
        while left and len(levels) == DEPTH // 2:
            os.kill(left.pop().pid, 9)

    return grow(source, SHALLOW, trace=kill)


def frame_of_part(begin: int) -> Any:
    """A frame of rows that depend on their number."""
    import pandas as pd

    random = np.random.default_rng(begin)
    numbers = random.normal(size=(FEATURES, BATCH // 4))
    score = numbers[0] + numbers[1] * numbers[2] + random.normal(size=BATCH // 4)
    return pd.DataFrame({**{f"x{number}": own for number, own in enumerate(numbers)}, "class": (score > 0).astype(np.int64)})


def pyarrow_table(n_rows: int) -> Any:
    """The numbers and labels in memory."""
    import pyarrow as pa

    return pa.concat_tables([pa.table(dict(part)) for part in batches(n_rows, 1.0).read()])


@contextmanager
def spark_session() -> Iterator[Any]:
    """Spark with two threads on this machine."""
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    options = {"spark.driver.memory": "3g", "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    session = SparkSession.builder.master("local[2]").config(map=options).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    try:
        yield session
    finally:
        session.stop()


def write_numbers(n_rows: int, path: str, draw: int) -> None:
    """Write the numbers and labels as Parquet."""
    import pyarrow as pa
    from pyarrow import parquet

    tables = (pa.table(dict(part)) for part in batches(n_rows, 1.0, draw).read())
    first = next(tables)
    with parquet.ParquetWriter(path, first.schema) as writer:
        for table in (first, *tables):
            writer.write_table(table, row_group_size=100_000)


WORK = {
    "growth": growth,
    "limited": limited,
    "mixed": mixed,
    "ftree": of_ftree,
    "lightgbm": of_lightgbm,
    "ydf": of_ydf,
    "ydf_exact": of_ydf_exact,
    "mllib": of_mllib,
    "spark": levels_on_spark,
    "dask": killed_on_dask,
}


def main(name: str, n_rows: int) -> None:
    """Run one benchmark, in a folder that is removed afterwards."""
    with TemporaryDirectory() as folder:
        WORK[name](n_rows, Path(folder))


if __name__ == "__main__":
    main(*(sys.argv[1:2] or ["growth"]), int(float((sys.argv[2:3] or ["1e6"])[0])))
