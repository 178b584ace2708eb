"""The criterion of a policy in numbers, for an engine that searches by itself; None if it has no kernel for a part."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ftree._lib.arrays import Array
from ftree.criteria.impurity import compiled_impurity
from ftree.growth.criterion_codes import EMPTY, EXACT, LEAST, MANY, MDL, MOST, N_OPTIONS, SHARE, impurity_code, score_code
from ftree.growth.engines.fused import Criterion
from ftree.growth.search import Terms
from ftree.growth.split_arrays import MULTIWAY, NONE, SUBSET, THRESHOLD
from ftree.splitters import JointSplitter, Splitter, by_gain_ratio, by_score, c45_min_branch, multiway, subset, threshold
from ftree.splitters.min_cases import C45_SHARE, LeastWeight
from ftree.splitters.missing_hooks import known_share
from ftree.tree.schema import Feature, Kind

# Codes of values are bytes, and one more code stands for a missing value.
_MOST_CODES = 254
# Factors within which squares of altered counts are within the range of floats.
_FACTORS = 1e-50, 1e50


def criterion_of(features: Sequence[Feature], terms: Terms, n_classes: int) -> Criterion | None:
    """The criterion for an engine that searches by itself; None if it has no kernel for a part of the policy.

    There are kernels for the library's impurities and for compiled ones, for gain and gain ratio, for both choices between
    features, and for `threshold`, `multiway` and `subset`, if each kind of feature has one splitter. Priors and costs have
    kernels for the library's impurities; functions that return minimum sizes have none.

    >>> from attrs import evolve
    >>> terms = Terms((multiway(), threshold()))
    >>> criterion_of([Feature("x", "numeric")], evolve(terms, impurity=lambda counts: counts[..., 0]), 2)
    >>> criterion_of([Feature("x", "numeric")], terms, 2).ways.tolist() == [THRESHOLD]
    True
    """
    kinds: set[Kind] = {feature.kind for feature in features}
    of_kind: dict[Kind, list[Any]] = {kind: _splitters_of(kind, terms.splitters) for kind in kinds}
    ways = {kind: _way(splitters) for kind, splitters in of_kind.items()}
    impurity, score = impurity_code(terms.impurity), score_code(terms.score)
    if (
        score is None
        or -1 in ways.values()
        or not isinstance(terms.choose, (by_score, by_gain_ratio))
        or terms.discount is not known_share
        or terms.variants is not None
        or not _has_room_for_values(features, of_kind)
    ):
        return None
    listed = np.array([ways[feature.kind] for feature in features], dtype=np.int8)
    options = _options(features, of_kind, terms)
    slack = terms.choose.slack if isinstance(terms.choose, by_gain_ratio) else None
    if isinstance(terms.impurity, compiled_impurity) and terms.factors is None:
        # Call the impurity once here, so that its errors surface outside the kernel; unequal counts reveal one that sorts them.
        terms.impurity(np.arange(n_classes, 0, -1))
        code = terms.impurity.native
        return Criterion(listed, code.address, score, code, options, slack=slack)
    if impurity is None or not _is_moderate(terms.factors):
        return None
    return Criterion(listed, impurity, score, None, options, terms.factors, slack)


def _splitters_of(kind: Kind, splitters: Sequence[Splitter | JointSplitter]) -> list[Any]:
    return [splitter for splitter in splitters if kind in splitter.kinds]


def _way(splitters: Sequence[Any]) -> int:
    """The kind of split of features with these splitters; -1 if it has no kernel."""
    if not splitters:
        return NONE
    way = _WAYS.get(type(splitters[0]), -1)
    return -1 if len(splitters) > 1 or way < 0 or not _is_numeric(splitters[0].min_cases) else way


_WAYS = {threshold: THRESHOLD, multiway: MULTIWAY, subset: SUBSET}


def _is_numeric(least: LeastWeight) -> bool:
    return isinstance(least, c45_min_branch) or not callable(least)


def _lists_declared(splitters: Sequence[Any]) -> bool:
    """Whether splits list all declared values, including absent ones."""
    return bool(splitters) and isinstance(splitters[0], multiway) and splitters[0].empty


def _has_room_for_values(features: Sequence[Feature], of_kind: dict[Kind, list[Any]]) -> bool:
    declared = {kind for kind, splitters in of_kind.items() if _lists_declared(splitters)}
    return not declared or all(len(feature.values) <= _MOST_CODES for feature in features if feature.kind in declared)


def _is_moderate(factors: Array | None) -> bool:
    if factors is None:
        return True
    return bool(((factors == 0) | ((factors > _FACTORS[0]) & (factors < _FACTORS[1]))).all())


def _options(features: Sequence[Feature], of_kind: dict[Kind, list[Any]], terms: Terms) -> Array | None:
    """The options of each feature's splitter in numbers (F, 7); None if there are none."""
    rows = {kind: _numbers(splitters) for kind, splitters in of_kind.items()}
    if not any(map(any, rows.values())) and isinstance(terms.choose, by_score):
        return None
    options = np.array([rows[feature.kind] for feature in features]).reshape(len(features), N_OPTIONS)
    for number, feature in enumerate(features):
        options[number, EMPTY] *= len(feature.values)
        options[number, MANY] = number in terms.many
    return options


def _numbers(splitters: Sequence[Any]) -> list[float]:
    """The options of a splitter, without those that depend on the feature."""
    row = [0.0] * N_OPTIONS  # a list, since small tables grow in less than a millisecond
    if splitters:
        splitter = splitters[0]
        least = splitter.min_cases
        row[LEAST] = least.least if isinstance(least, c45_min_branch) else least
        row[SHARE], row[MOST] = (C45_SHARE, least.most) if isinstance(least, c45_min_branch) else (0.0, 0.0)
        row[MDL] = isinstance(splitter, threshold) and splitter.mdl
        row[EMPTY] = _lists_declared(splitters)
        row[EXACT] = splitter.exact if isinstance(splitter, subset) else 0
    return row
