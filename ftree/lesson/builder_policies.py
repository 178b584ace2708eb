"""Which policies and tables the builder's page computes: one list of all parts, and a check that refuses others by name.

To add a part: list it in `PARTS` with its options, write its function into the table of its kind in `builder_page/`, and draw
it in `tests/lesson/drawn_policies.py`. The tables are `impurities` and `scores` in scores.js, `splitters` in splits.js, `choices`
and `rules` in search.js, `shares` and `splitTypes` in routing.js, and for targets `responses` in responses.js and `faces` in
texts.js. A test compares their names with these lists, and laws compare what they compute with Python.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import evolve
from toolz import concat

from ftree._lib.fields import name_of
from ftree._lib.messages import joined, short_repr
from ftree.criteria.impurity import gini
from ftree.criteria.impurity_of_sums import variance
from ftree.data.dataset import Dataset
from ftree.policy import Policy
from ftree.saving.json_parts import is_part, part_to_plain
from ftree.saving.json_values import options_of

# The page sorts keys of a value's code and a row's place, which have so many bits each (`runOf` in builder_page/rows.js).
KEY_BITS = 15
# So a page can have 32,768 rows. It has fewer, for which all scores of a node are computed within a tenth of a second.
MOST_ROWS = min(20_000, 1 << KEY_BITS)
# Codes are also written as numbers of 16 bits, with -1 for a missing value.
_MOST_VALUES = 1 << KEY_BITS
# The targets that the page knows.
RESPONSES = ("classes", "numbers")
# The parts that the page computes, by their names in JSON, with the options that its scripts read. Other options must have their
# defaults.
PARTS: dict[str, tuple[str, ...]] = {
    "criteria.entropy": (),
    "criteria.gini": (),
    "criteria.misclassification": (),
    "criteria.gain": (),
    "criteria.gain_ratio": (),
    "splitters.multiway": ("empty", "min_cases"),
    "splitters.subset": ("exact", "min_cases"),
    "splitters.threshold": ("min_cases", "mdl", "at"),
    "splitters.c45_min_branch": ("least", "most"),
    "splitters.by_score": (),
    "splitters.by_gain_ratio": ("slack",),
    "stop.pure": (),
    "stop.no_gain": (),
    "stop.min_gain": ("bits",),
    "stop.min_impurity_decrease": ("least", "cases"),
    "stop.max_depth": ("limit",),
    "stop.min_rows": ("n",),
    "stop.min_best_child": ("n",),
    "stop.not_significant": ("alpha",),
    "stop.any_of": ("rules",),
    "stop.all_of": ("rules",),
    "stop.not_": ("rule",),
    "missing.ignore": ("predict",),
    "missing.heaviest": (),
    "missing.all_routes": (),
    "missing.weighted": (),
    "missing.stop_here": (),
}
_OF_POLICY = ["impurity", "score", "splits", "choose", "stop", "missing"]
# These change nothing where no value is missing.
_OF_MISSING = {"missing.surrogates", "missing.as_value", "missing.as_branch"}


def require_computable(policy: Policy, table: Dataset) -> None:
    """Refuse, by name, what the page cannot compute."""
    kind = table.schema.response.kind
    if kind not in RESPONSES:
        raise ValueError(f"dataset must have a target of classes or numbers, got one of {kind}.")
    if max((len(feature.values) for feature in table.schema.features), default=0) >= _MOST_VALUES:
        raise ValueError(f"Features must have fewer than {_MOST_VALUES:,} values, got more. Use merge_rare.")
    for part in _parts_of(with_gini(policy)):
        _check_part(part, with_gaps=bool(table.gaps()))
    _check_options(policy, _OF_POLICY, "the policy")
    kinds = [kind for splitter in policy.splits for kind in getattr(splitter, "kinds", ())]
    if len(kinds) > len(set(kinds)):
        wanted = "one splitter for each kind of features, for a page that a person builds on"
        raise ValueError(f"splits of the policy must be {wanted}, got {short_repr(policy.splits)}.")


def _check_part(part: Any, *, with_gaps: bool) -> None:
    """Refuse a part that the page does not know, unless it changes nothing in a table without gaps."""
    full_name = _name_of_part(part)
    name = full_name.partition(".")[2]
    if full_name in PARTS:
        _check_options(part, PARTS[full_name], name)
    elif full_name not in _OF_MISSING or with_gaps:
        supported = joined((known.partition(".")[2] for known in PARTS), at_most=len(PARTS))
        reason = " with missing values" if full_name in _OF_MISSING else ""
        raise ValueError(f"policy must be made of {supported}, got {name}{reason}.")


def _check_options(part: Any, known: Sequence[str], name: str) -> None:
    """Refuse an option that the page does not know, unless it has its default."""
    for option in options_of(type(part)):
        value = getattr(part, option.name)
        if option.name not in known and value != option.default:
            wanted = f"{short_repr(option.default)}, for a page that a person builds on"
            raise ValueError(f"{option.name} of {name} must be {wanted}, got {short_repr(value)}.")


def _parts_of(policy: Policy) -> Iterator[Any]:
    """All parts of a policy, each before those that its options hold."""
    parts = [policy.impurity, policy.score, *policy.splits, policy.choose, policy.stop, policy.missing]
    while parts:
        part = parts.pop(0)
        yield part
        options = [getattr(part, option.name) for option in options_of(type(part))]
        parts += filter(is_part, concat(each if isinstance(each, tuple) else (each,) for each in options))


def _name_of_part(part: Any) -> str:
    """The name of a part in JSON; one that has none is called as it prints."""
    try:
        return str(part_to_plain(part)["type"])
    except TypeError:
        return f"own.{name_of(part)}"


def with_gini(policy: Policy) -> Policy:
    """The policy that the page gets: of numbers, the impurity is the variance, in whose place stands the Gini index."""
    return evolve(policy, impurity=gini) if policy.impurity == variance else policy
