"""The battery for counting engines."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from attrs import astuple
from hypothesis import given
from hypothesis import strategies as st

from ftree._lib.fields import require_function
from ftree._lib.threads import thread_pool
from ftree.criteria.counts import Avc, Joint, merge
from ftree.data.dataset import Dataset
from ftree.growth.criterion import criterion_of
from ftree.growth.engines.numpy_engine import plain
from ftree.growth.engines.protocol import Abilities, Engine, EngineSetup, MissingRows, Start, abilities_of
from ftree.growth.grow import grow
from ftree.growth.levels import Level, terms_of
from ftree.growth.table_summary import summary_of
from ftree.policy import CART, ID3, Policy
from ftree.testing.laws import equal, trying
from ftree.testing.loops import Loops, check_table
from ftree.testing.strategies import datasets, policies, rules, splits
from ftree.tree.splits import Subset, Threshold
from ftree.tree.splits.optional import answers_all_known


def _to_the_first(sizes: Any) -> Any:
    """A user's rule: the first child gets every case without a child."""
    return np.eye(1, len(sizes))[0]


# Rules for cases to which a split gives no child.
_MISSING: tuple[MissingRows, ...] = ("ignore", "heaviest", _to_the_first)


def check_engine(start: Start) -> None:
    """Check an engine: it counts, keeps and moves cases as plain loops do, and grows the NumPy engine's trees by any policy.

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
    """Counts are those of plain loops and of the NumPy engine, at the root and after nodes are kept and engines advance."""

    @trying()
    @given(st.data(), datasets(missing=True, weighted=True) | datasets(), st.sampled_from(_MISSING))
    def moves(draws: Any, dataset: Dataset, missing: MissingRows) -> None:
        with _setup(dataset, missing) as setup:
            engine, reference, loops = start(dataset, setup), plain(dataset, setup), Loops.of(dataset, missing)
            able = abilities_of(engine, setup)
            for _ in range(3):
                _check_by_loops(engine, loops, dataset)
                _check_counts(engine, reference, dataset, "counts are those of the NumPy engine")
                kept = np.array([draws.draw(st.booleans()) for _ in range(len(reference.totals()))], dtype=bool)
                engine, reference, loops = engine.keep(kept), reference.keep(kept), loops.keep(kept.tolist())
                _check_counts(engine, reference, dataset, "kept nodes count what they have counted")
                n = int(kept.sum())
                level = draws.draw(st.lists(st.none() | splits(dataset.schema), min_size=n, max_size=n))
                engine, reference = _check_step(level, (engine, reference), able, dataset)
                loops = loops.advance(level)

    moves()


def _check_merging(start: Start) -> None:
    """Counts of parts of the rows merge to the counts of the whole."""

    @trying()
    @given(datasets(missing=True, weighted=True, min_rows=2), st.integers(1, 15))
    def merges(dataset: Dataset, n: int) -> None:
        with _setup(dataset, "ignore") as setup:
            rows, cut = np.arange(len(dataset)), 1 + n % (len(dataset) - 1)
            one, other, whole = (start(part, setup).count() for part in map(dataset.take, (rows[:cut], rows[cut:], rows)))
            assert _equal(merge(one, other), whole), "counts of parts merge to the counts of the whole"

    merges()


def _check_trees(start: Start) -> None:
    """Trees are those of the NumPy engine, also with a trace and from a start."""

    @trying()
    @given(policies(), rules(), datasets(missing=True, weighted=True))
    def trees(policy: Policy, earlier: Any, dataset: Dataset) -> None:
        with _setup(dataset, "ignore") as setup:
            able = abilities_of(start(dataset, setup), setup)
        for tried in [policy, CART] if able.sides else [policy]:
            levels: list[Level] = []
            tree = grow(dataset, tried, engine=plain)
            assert grow(dataset, tried, engine=start) == tree, "trees are those of the NumPy engine"
            assert grow(dataset, tried, engine=start, trace=levels.append) == tree, "the trace changes nothing"
            above = grow(dataset, tried.stopping(earlier), engine=start)
            assert grow(dataset, tried, engine=start, start=above) == tree, "growth continues where it stopped"

    trees()


@contextmanager
def _setup(dataset: Dataset, missing: MissingRows) -> Iterator[EngineSetup]:
    terms = terms_of(ID3, summary_of(dataset))
    with thread_pool(1) as threads:
        yield EngineSetup(missing, criterion_of(dataset.schema.features, terms, len(dataset.schema.classes)), threads)


def _check_by_loops(engine: Engine, loops: Loops, dataset: Dataset) -> None:
    """All counts are those that plain loops find."""
    numbers = [number for number, feature in enumerate(dataset.schema.features) if feature.kind == "numeric"]
    found = np.array(loops.totals()).reshape(-1, len(dataset.schema.classes))
    equal("totals are the class counts of the open nodes", engine.totals(), found)
    check_table("counts are those of loops", engine.count(), loops.table())
    if numbers:
        check_table("counts of vectors are those of loops", engine.joint(numbers), loops.table(numbers))


def _check_step(level: Any, engines: tuple[Any, Any], able: Abilities, dataset: Dataset) -> tuple[Any, Any]:
    """Advance both engines by the same splits; children's counts are given if every case has a child."""
    engine, reference = engines
    if able.sides:
        in_two = [split if isinstance(split, (Threshold, Subset)) else None for split in level]
        assert _equal(engine.sides(in_two), reference.sides(in_two)), "sides are those of the NumPy engine"
    below = reference.advance(level, None)
    all_known = dataset == dataset.complete() and all(split is None or answers_all_known(split) for split in level)
    advanced = engine.advance(level, below.totals() if all_known else None)
    if not engine.single_use:
        _check_counts(engine, reference, dataset, "an engine that is not for single use returns the same counts as before")
    return advanced, below


def _check_counts(engine: Engine, reference: Engine, dataset: Dataset, law: str) -> None:
    numbers = [number for number, feature in enumerate(dataset.schema.features) if feature.kind == "numeric"]
    assert np.array_equal(engine.totals(), reference.totals()), law
    assert _equal(engine.count(), reference.count()), law
    assert not numbers or _equal(engine.joint(numbers), reference.joint(numbers)), law


def _equal(one: Avc | Joint, other: Avc | Joint) -> bool:
    pairs = zip(astuple(one), astuple(other), strict=True)
    return all(np.array_equal(mine, theirs, equal_nan=True) for mine, theirs in pairs)
