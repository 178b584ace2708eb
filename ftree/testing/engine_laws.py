"""The batteries for counting engines and for tables in parts, with counts made by plain loops."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np
from attrs import astuple, frozen
from hypothesis import given
from hypothesis import strategies as st

from ftree._lib.arrays import Array, missing_cells
from ftree._lib.fields import require_function
from ftree._lib.machine import thread_pool
from ftree.criteria.frontier import Avc, Joint, merge
from ftree.data.coding import decode
from ftree.data.dataset import Dataset
from ftree.growth.engine_choice import criterion_of
from ftree.growth.engines.engine import Abilities, Engine, EngineSetup, MissingRows, Start, abilities_of
from ftree.growth.engines.plain_engine import plain
from ftree.growth.growing import grow
from ftree.growth.levels import Level, terms_of
from ftree.policy import CART, ID3, Policy
from ftree.scan.reading import RawPart, RawTable
from ftree.scan.surveys import survey
from ftree.testing.laws import equal, law, trying
from ftree.testing.strategies import datasets, policies, splits, stopping_rules
from ftree.tree.splits import Subset, Threshold
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.optional import answers_all_known
from ftree.tree.splits.split import UNKNOWN, Split


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
    @given(policies(), stopping_rules(), datasets(missing=True, weighted=True))
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
    terms = terms_of(ID3, dataset)
    with thread_pool(1) as threads:
        yield EngineSetup(missing, criterion_of(dataset.schema.features, terms, len(dataset.schema.classes)), threads)


# The weight of each row of a node, by row number.
_Cases: TypeAlias = dict[int, float]
# Class counts by node, feature (none for vectors), and value or vector; a missing value is None.
_Table: TypeAlias = dict[tuple[object, ...], list[float]]


@frozen(eq=False)
class Loops:
    """The cases of each open node of a dataset, and the rule that divides rows without a child."""

    dataset: Dataset
    missing: MissingRows
    nodes: list[_Cases]

    @classmethod
    def of(cls, dataset: Dataset, missing: MissingRows) -> "Loops":
        """One open node with all rows of positive weight."""
        weights = [1.0] * len(dataset) if dataset.weights is None else dataset.weights.tolist()
        return cls(dataset, missing, [{row: float(weight) for row, weight in enumerate(weights) if weight}])

    def keep(self, nodes: Sequence[bool]) -> "Loops":
        """The nodes that a mask marks."""
        kept = [cases for cases, own in zip(self.nodes, nodes, strict=True) if own]
        return Loops(self.dataset, self.missing, kept)

    def advance(self, splits: Sequence[Split | None]) -> "Loops":
        """The children of the nodes with a split."""
        pairs = zip(self.nodes, splits, strict=True)
        children = [child for cases, split in pairs if split is not None for child in self._children(cases, split)]
        return Loops(self.dataset, self.missing, children)

    def _children(self, cases: _Cases, split: Split) -> list[_Cases]:
        """The cases of each child; cases without a child are divided by the sizes of the children."""
        below: list[_Cases] = [{} for _ in range(split.n_children)]
        unknown: _Cases = {}
        columns = [self.dataset.columns[feature][list(cases)] for feature in split.features]
        for (row, weight), child in zip(cases.items(), child_of(split, *columns).tolist(), strict=True):
            (unknown if child == UNKNOWN else below[child])[row] = weight
        sizes = [sum(known.values()) for known in below]
        for child, share in zip(below, self._shares(sizes if any(sizes) else [1.0] * len(sizes)), strict=True):
            child.update({row: weight * share for row, weight in unknown.items() if weight * share})
        return below

    def _shares(self, sizes: list[float]) -> list[float]:
        if self.missing == "ignore":
            return [size / sum(sizes) for size in sizes]
        if self.missing == "heaviest":
            return [float(number == sizes.index(max(sizes))) for number in range(len(sizes))]
        shares: list[float] = np.asarray(self.missing(np.array(sizes))).tolist()
        return shares

    def totals(self) -> list[list[float]]:
        """The class counts of each node."""
        return [self._counted({0: list(cases)}, cases)[(0,)] if cases else self._none() for cases in self.nodes]

    def table(self, features: Sequence[int] | None = None) -> _Table:
        """Class counts for each value of each feature in each node, or for each vector of several features."""
        found: _Table = {}
        cells = [_cells(column) for column in self.dataset.columns]
        for node, cases in enumerate(self.nodes):
            rows: defaultdict[object, list[int]] = defaultdict(list)
            for row in cases:
                if features is None:
                    for number, column in enumerate(cells):
                        rows[node, number, column[row]].append(row)
                else:
                    rows[node, tuple(cells[number][row] for number in features)].append(row)
            found |= self._counted(rows, cases)
        return found

    def _counted(self, rows: dict[object, list[int]], cases: _Cases) -> _Table:
        found: _Table = {}
        for key, some in rows.items():
            counts = found.setdefault(key if isinstance(key, tuple) else (key,), self._none())
            for row in some:
                counts[int(self.dataset.labels[row])] += cases[row]
        return found

    def _none(self) -> list[float]:
        return [0.0] * len(self.dataset.schema.classes)


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


def check_table(text: str, got: Avc | Joint, wanted: _Table) -> None:
    """Counts have a row for each value present, with the counts that loops find, sorted as the protocol requires."""
    if isinstance(got, Avc):
        columns = got.node.tolist(), got.feature.tolist(), _cells(got.value)
        keys: list[tuple[object, ...]] = list(zip(*columns, strict=True))
        order = [(node, feature, value is None, value or 0) for node, feature, value in zip(*columns, strict=True)]
    else:
        vectors = [tuple(_cells(vector)) for vector in got.vector]
        keys = list(zip(got.node.tolist(), vectors, strict=True))
        order = [
            (node, *((value is None, value or 0) for value in vector))
            for node, vector in zip(got.node.tolist(), vectors, strict=True)
        ]
    law(text + ": rows are sorted by node, then feature, then value", order == sorted(order), got=keys)
    law(text + ": each value that is present has a row", set(keys) == set(wanted), got=keys, wanted=list(wanted))
    equal(text, got.counts, [wanted[key] for key in keys] if keys else got.counts, keys=keys)


def _cells(column: Array) -> list[float | None]:
    """Values as floats, None where missing."""
    pairs = zip(column.tolist(), missing_cells(column).tolist(), strict=True)
    return [None if missing else float(value) for value, missing in pairs]


def check_source(make: Callable[[Mapping[str, Any], int], RawTable]) -> None:
    """Check a table in parts: each row is in one part, in any order, and it grows the tree of the whole table.

    `make` takes columns by name, lists in which None is missing, and the number of rows of a part.

    >>> from ftree.scan.batches import batches_of
    >>> import pyarrow as pa
    >>> check_source(lambda columns, rows: batches_of(pa.table(dict(columns)), cells=rows * len(columns)))
    """
    require_function("make", make)

    @trying()
    @given(datasets(missing=True), st.integers(1, 9))
    def counts_and_grows(dataset: Dataset, rows: int) -> None:
        columns = _columns(dataset)
        table = make(columns, rows)
        law("the names are those of the columns", tuple(table.names) == tuple(columns), got=table.names, wanted=tuple(columns))
        for _ in range(2):
            n = table.fold(_n_rows, int.__add__)
            law("each row is in one part, each time", n == len(dataset), got=n, wanted=len(dataset), rows=rows)
        options: dict[str, Any] = {
            "kinds": {feature.name: _kind(feature) for feature in dataset.schema.features},
            "classes": dataset.schema.classes,
        }
        whole = grow(Dataset.from_columns(columns, target="label", **options), ID3)
        grown = grow(survey(table, "label", **options), ID3)
        law("it grows the tree of the whole table", grown == whole, got=str(grown), wanted=str(whole), rows=rows)

    counts_and_grows()


def _columns(dataset: Dataset) -> dict[str, Any]:
    features = zip(dataset.schema.features, dataset.columns, strict=True)
    labels = [dataset.schema.classes[code] for code in dataset.labels.tolist()]
    return {**{feature.name: decode(feature, column) for feature, column in features}, "label": labels}


def _kind(feature: Any) -> Any:
    return feature.values if feature.kind == "ordinal" else feature.kind


def _n_rows(part: RawPart) -> int:
    lengths = {len(column) for column in part.values()}
    law("the columns of a part are equally long", len(lengths) == 1, got=sorted(lengths))
    return lengths.pop()
