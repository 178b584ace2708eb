"""Checks for counting engines and for tables in parts."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from attrs import astuple, evolve
from hypothesis import strategies as st

from ftree._lib.fields import require_function
from ftree._lib.machine import thread_pool
from ftree.criteria.frontier import Avc, Frontier, Joint, merge
from ftree.data.coding import decode
from ftree.data.dataset import Dataset
from ftree.growth.definition import by_definition
from ftree.growth.engines.engine import Engine, EngineSetup, Start, counts_sides
from ftree.growth.engines.plain_engine import plain
from ftree.growth.growing import grow
from ftree.policy import CART, ID3, Policy
from ftree.routing.missing_rules import heaviest, weighted
from ftree.scan.folding import RawPart, RawTable
from ftree.scan.survey import survey
from ftree.splitters.missing_policies import hook, ignore
from ftree.testing.laws import check_laws, equal, law, same
from ftree.testing.part_strategies import policies, stopping_rules
from ftree.testing.strategies import datasets, splits
from ftree.tree.fold import depth
from ftree.tree.nodes import PredictionRule
from ftree.tree.splits import Subset, Threshold
from ftree.tree.splits.split import answers_all_known

# Rules for cases to which a split gives no child; by the last, a user's, the first child gets them all.
_MISSING: tuple[PredictionRule, ...] = (weighted(), heaviest(), lambda sizes: np.eye(1, len(sizes))[0])


def check_engine(start: Start) -> None:
    """Check an engine: it counts, keeps and moves cases as the NumPy engine does, and grows the definition's trees by any policy.

    The counts of parts of the rows must merge to the counts of the whole. An engine that counts sides must count those of the
    NumPy engine, and grow CART's surrogates. An engine that is not for single use must return the same counts after it has
    advanced. Weights are whole numbers here.

    >>> check_engine(plain)
    """
    require_function("start", start)

    _check_moves(start)
    _check_merging(start)
    _check_trees(start)


def _check_moves(start: Start) -> None:
    """Counts are those of the NumPy engine, at the root and after nodes are kept and engines advance."""

    def moves(draws: Any, dataset: Dataset, missing: PredictionRule) -> None:
        with _setup(missing) as setup:
            engine, reference = start(dataset, setup), plain(dataset, setup)
            for _ in range(3):
                _check_counts(engine, reference, dataset, "counts are those of the NumPy engine")
                kept = np.array([draws.draw(st.booleans()) for _ in range(len(reference.totals()))], dtype=bool)
                engine, reference = engine.keep(kept), reference.keep(kept)
                _check_counts(engine, reference, dataset, "kept nodes count what they have counted")
                n = int(kept.sum())
                level = draws.draw(st.lists(st.none() | splits(dataset.schema), min_size=n, max_size=n))
                engine, reference = _check_step(level, (engine, reference), dataset)

    drawn = datasets(missing=True, weighted=True) | datasets()
    check_laws(moves, draws=st.data(), dataset=drawn, missing=st.sampled_from(_MISSING))


def _check_merging(start: Start) -> None:
    """Counts of parts of the rows merge to the counts of the whole."""

    def merges(dataset: Dataset, n: int) -> None:
        with _setup(weighted()) as setup:
            rows, cut = np.arange(len(dataset)), 1 + n % (len(dataset) - 1)
            one, other, whole = (start(part, setup).count() for part in map(dataset.take, (rows[:cut], rows[cut:], rows)))
            _same_counts("counts of parts merge to the counts of the whole", merge(one, other), whole)

    check_laws(merges, dataset=datasets(missing=True, weighted=True, min_rows=2), n=st.integers(1, 15))


def _check_trees(start: Start) -> None:
    """Trees are those of the definition, also with a trace and from a start."""

    def trees(policy: Policy, earlier: Any, dataset: Dataset) -> None:
        with _setup(weighted()) as setup:
            sides = counts_sides(start(dataset, setup))
        # Surrogates need an engine that counts sides.
        own = policy if sides or hook(policy.missing, "add_surrogates") is None else evolve(policy, missing=ignore())
        for tried in [own, CART] if sides else [own]:
            levels: list[Frontier] = []
            tree = by_definition(dataset, tried)
            same("trees are those of the definition", grow(dataset, tried, engine=start), tree, policy=tried)
            same("the trace changes nothing", grow(dataset, tried, engine=start, trace=levels.append), tree)
            equal("the trace has every level", len(levels), 1 + depth(tree), policy=tried)
            above = grow(dataset, tried.stopping(earlier), engine=start)
            same("growth continues where it stopped", grow(dataset, tried, engine=start, start=above), tree)

    check_laws(trees, policy=policies(), earlier=stopping_rules(), dataset=datasets(missing=True, weighted=True))


@contextmanager
def _setup(missing: PredictionRule) -> Iterator[EngineSetup]:
    with thread_pool(1) as threads:
        yield EngineSetup(missing, threads)


def _check_step(level: Any, engines: tuple[Any, Any], dataset: Dataset) -> tuple[Any, Any]:
    """Advance both engines by the same splits; children's counts are given if every case has a child."""
    engine, reference = engines
    if counts_sides(engine):
        in_two = [split if isinstance(split, (Threshold, Subset)) else None for split in level]
        _same_counts("sides are those of the NumPy engine", engine.sides(in_two), reference.sides(in_two))
    below = reference.advance(level, None)
    all_known = dataset == dataset.complete() and all(split is None or answers_all_known(split) for split in level)
    advanced = engine.advance(level, below.totals() if all_known else None)
    if not engine.single_use:
        _check_counts(engine, reference, dataset, "an engine that is not for single use returns the same counts as before")
    return advanced, below


def _check_counts(engine: Engine, reference: Engine, dataset: Dataset, text: str) -> None:
    numbers = [number for number, feature in enumerate(dataset.schema.features) if feature.kind == "numeric"]
    same(text, engine.totals(), reference.totals())
    _same_counts(text, engine.count(), reference.count())
    if numbers:
        _same_counts(text, engine.joint(numbers), reference.joint(numbers))


def _same_counts(text: str, got: Avc | Joint, wanted: Avc | Joint) -> None:
    pairs = zip(astuple(got), astuple(wanted), strict=True)
    law(text, all(np.array_equal(mine, theirs, equal_nan=True) for mine, theirs in pairs), got=got, wanted=wanted)


def check_source(make: Callable[[Mapping[str, Any], int], RawTable]) -> None:
    """Check a table in parts: each row is in one part, in any order, and it grows the tree of the whole table.

    `make` takes columns by name, lists in which None is missing, and the number of rows of a part.

    >>> from ftree.scan.batches import batches_of
    >>> import pyarrow as pa
    >>> check_source(lambda columns, rows: batches_of(pa.table(dict(columns)), cells=rows * len(columns)))
    """
    require_function("make", make)

    def counts_and_grows(dataset: Dataset, rows: int) -> None:
        columns = _columns(dataset)
        table = make(columns, rows)
        law("the names are those of the columns", tuple(table.names) == tuple(columns), got=table.names, wanted=tuple(columns))
        for _ in range(2):
            equal("each row is in one part, each time", table.fold(_n_rows, int.__add__), len(dataset), rows=rows)
        kinds = {each.name: each.values if each.kind == "ordinal" else each.kind for each in dataset.schema.features}
        options: dict[str, Any] = {"kinds": kinds, "classes": dataset.schema.classes}
        whole = grow(Dataset.from_columns(columns, target="label", **options), ID3)
        grown = grow(survey(table, "label", **options), ID3)
        law("it grows the tree of the whole table", grown == whole, got=str(grown), wanted=str(whole), rows=rows)

    check_laws(counts_and_grows, dataset=datasets(missing=True), rows=st.integers(1, 9))


def _columns(dataset: Dataset) -> dict[str, Any]:
    features = zip(dataset.schema.features, dataset.columns, strict=True)
    labels = dataset.labels.tolist()
    return {**{feature.name: decode(feature, column) for feature, column in features}, "label": labels}


def _n_rows(part: RawPart) -> int:
    lengths = {len(column) for column in part.values()}
    law("the columns of a part are equally long", len(lengths) == 1, got=sorted(lengths))
    return lengths.pop()
