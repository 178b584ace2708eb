"""What the readers of other libraries' trees share: nodes given by child numbers, regions, schemas, counts of leaves."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from math import frexp, inf
from numbers import Real
from typing import Any

import numpy as np
from attrs import evolve

from ftree._lib.arrays import Floats, exact_unit, times_and_fractions
from ftree._lib.fields import is_finite
from ftree._lib.messages import short_repr
from ftree._lib.objects import fold_over
from ftree.data.dataset import Dataset
from ftree.routing.counting import recount
from ftree.tree.conditions import AllOf, AnyOf, Condition, NoneOf, Not, features_of
from ftree.tree.describe import codes_of
from ftree.tree.logic import OneRow, intervals_of, satisfied
from ftree.tree.nodes import Branch, Counts, Leaf, Node, PredictionRule, Tree, whole_numbers
from ftree.tree.response import Response, numbers
from ftree.tree.schema import Feature, Schema, codes_of_values, is_hashable
from ftree.tree.splits import Groups, Intervals, IsMissing, Multiway, Subset, Threshold, WithDefault
from ftree.tree.splits.split import Split

# A relative difference from a whole number that float32 rounding can cause.
_NEAR = 1e-6
# So many bits has a number in a float; the exponent of the smallest float.
_BITS, _LEAST_EXPONENT = 53, -1074
# Deviations of numbers up to this one are floats.
_LARGEST = 1e300


def from_links(
    children: Callable[[int], Sequence[int]],
    split: Callable[[int], Split],
    counts: Callable[[int], Sequence[float]],
    root: int = 0,
    of_branch: Callable[[int], Sequence[float] | None] = lambda _: None,
) -> Node:
    """The node with a number, from child numbers, splits, counts of leaves, and of branches, which are summed where None.

    Raises a ValueError for a node that is below itself, or below two others.

    >>> from ftree.tree import Threshold
    >>> from_links([(1, 2), (), ()].__getitem__, lambda _: Threshold(0, 0.5), [(2, 1), (2, 0), (0, 1)].__getitem__)
    Branch(counts=(2, 1), split=Threshold(feature=0, at=0.5), children=(Leaf(counts=(2, 0)), Leaf(counts=(0, 1))))
    """
    seen: set[int] = set()

    def below(number: int) -> Sequence[int]:
        if number in seen:
            raise ValueError(f"Each node must be below at most one other, got node {number} twice.")
        seen.add(number)
        return children(number)

    def node(number: int, nodes: tuple[Node, ...]) -> Node:
        if not nodes:
            return Leaf(counts(number))
        return Branch(of_branch(number) or summed(nodes), split(number), nodes)

    return fold_over(root, below, node)


def numbered(root: Any, children: Callable[[Any], Sequence[Any]]) -> tuple[list[Any], list[range]]:
    """A record and all records below it, and for each the numbers of those next below it, as `from_links` asks for them.

    >>> numbered({"if": 1, "else": 2}, lambda record: list(record.values()) if isinstance(record, dict) else [])
    ([{'if': 1, 'else': 2}, 1, 2], [range(1, 3), range(3, 3), range(3, 3)])
    """
    records, below, seen = [root], [], set[int]()
    for record in records:  # the list grows while it is read
        next_below = children(record)
        if next_below and id(record) in seen:
            raise ValueError(f"Each node must be below at most one other, got {short_repr(record)} twice.")
        seen.add(id(record))
        below.append(range(len(records), len(records) + len(next_below)))
        records += next_below
    return records, below


def in_order(below: Sequence[Sequence[int]], made: Mapping[int, tuple[Split, Sequence[int]]]) -> list[list[int]]:
    """The numbers of the children of each node, in the order that comes with its split, as `split_of` gives it.

    >>> in_order([[1, 2], (), ()], {0: (Threshold(0, 0.5), (1, 0))})
    [[2, 1], [], []]
    """
    return [[kids[place] for place in made[number][1]] if kids else [] for number, kids in enumerate(below)]


def summed(nodes: Iterable[Node]) -> list[float]:
    """The counts of nodes, added up by class."""
    return [sum(counted) for counted in zip(*(each.counts for each in nodes), strict=True)]


def whole_where_near(counts: Any) -> list[float]:
    """Counts of an array as Python numbers; those that are whole except for rounding errors become integers.

    >>> whole_where_near(np.array([2.9999999, 0.5]))
    [3, 0.5]
    """
    listed = np.asarray(counts).tolist()
    none = _NEAR**2 * sum(listed)  # a small count is one, unless it is what subtracting larger ones leaves of zero
    return [round(count) if abs(count - round(count)) <= (_NEAR if round(count) else none) else count for count in listed]


def numeric_schema(names: Iterable[Any], target: str, classes: Iterable[Any], response: Response | None = None) -> Schema:
    """A schema of numeric features.

    >>> numeric_schema(["age"], "ill", [0, 1]).features
    (Feature(name='age', kind='numeric', values=()),)
    """
    return Schema([Feature(name, "numeric") for name in names], target, list(classes), response=response)


def sums_of_numbers(leaves: Mapping[Any, Sequence[float]]) -> tuple[numbers, dict[Any, Counts]]:
    """A response, and the sums in it of leaves given by their cases, their mean, and their sum of squared distances from it.

    Means are multiples of the response's unit, rounded in the last place of the largest one, or of one a deviation beyond it.

    >>> response, sums = sums_of_numbers({"left": (3, 10.0, 6.0), "right": (1, 2.0, 0.0)})
    >>> sums["right"], response.answer(sums["left"]), round(response.risk(sums["left"]), 9)
    ((1, 0, 0), 10.0, 6.0)
    """
    if not leaves:
        raise ValueError("A tree must have a leaf, got none.")
    listed = np.array(list(leaves.values()), dtype=np.float64).reshape(-1, 3)
    if not (np.abs(listed) <= _LARGEST).all() or (listed[:, 0] < 0).any():  # written so that NaN is refused as well
        wanted = f"numbers of at most {_LARGEST:g}, and cases from 0"
        raise ValueError(f"Leaves must have {wanted}, got {short_repr(listed.tolist())}.")
    cases, means, squares = listed[:, 0], listed[:, 1], np.maximum(listed[:, 2], 0)
    response, whole = _on_a_grid(means, np.sqrt(squares / np.where(cases > 0, cases, inf)))
    if (cases != np.rint(cases)).any():
        response = evolve(response, part=exact_unit(cases.sum()))
        rounded = np.asarray(times_and_fractions(cases, response.part)[1])
        cases = np.where(cases > 0, np.maximum(rounded, response.part), 0.0)  # without cases, a leaf has no mean
    parts = [int(part) for part in (cases / response.part).tolist()]
    rest = [int(square) for square in np.rint(squares / response.unit / response.unit / response.part).tolist()]
    each = zip(whole_numbers(cases), parts, whole, rest, strict=True)
    return response, dict(
        zip(leaves, [(case, part * mean, part * mean**2 + more) for case, part, mean, more in each], strict=True)
    )


def _on_a_grid(means: Floats, deviations: Floats) -> tuple[numbers, list[int]]:
    """A response whose unit is as large as it can be, and the means as its whole numbers."""
    values = np.concatenate([means, means - deviations, means + deviations])
    unit = 2.0 ** max(frexp(np.abs(values).max())[1] - _BITS, _LEAST_EXPONENT)
    steps = np.rint(values / unit).astype(np.int64)
    low = int(steps.min())
    bits = int(np.bitwise_or.reduce(steps - low))
    times = bits & -bits or 1
    return numbers(low * unit, unit * times), ((steps[: len(means)] - low) // times).tolist()


def check_dataset(dataset: Any) -> None:
    """Raise a TypeError for anything but a Dataset, whose rows will be counted."""
    if not isinstance(dataset, Dataset):
        raise TypeError(f"dataset must be a Dataset, whose rows are counted in the nodes, got {short_repr(dataset)}.")


def recounted(root: Node, dataset: Dataset, missing: PredictionRule | None = None) -> Tree:
    """A tree whose structure is known, with the counts of a dataset's rows instead of its own, and a rule for missing values."""
    return recount(Tree(dataset.schema, root, missing=missing), dataset)


# Splits made of what other libraries say of each child.


_PAIR = 2


def at_threshold(feature: int, at: float, *, missing_left: bool | None = None) -> Split:
    """The split by a threshold; missing values go to the first child, to the second one, or, for None, where the rule says.

    >>> at_threshold(0, 2.5, missing_left=True)
    WithDefault(split=Threshold(feature=0, at=2.5), default_child=0, unseen=False)
    """
    return _with_default(Threshold(feature, at), missing_left)


def among_codes(feature: int, codes: Iterable[int], *, missing_left: bool | None = None) -> Split:
    """The split by a set of codes, which go to the first child; missing values as for `at_threshold`, and unseen ones with them.

    >>> among_codes(0, [2, 1])
    Subset(feature=0, members=(1, 2))
    """
    return _with_default(Subset(feature, tuple(codes)), missing_left)


def _with_default(own: Split, missing_left: bool | None) -> Split:  # noqa: FBT001  # a side
    return own if missing_left is None else WithDefault(own, default_child=int(not missing_left), unseen=isinstance(own, Subset))


def at_number(schema: Schema, feature: int, at: float, *, missing_left: bool) -> tuple[Split, Sequence[int]]:
    """The split by a threshold, of booleans or other numbers that are a feature's values by those; and its children's order.

    >>> at_number(Schema([Feature("wet", "nominal", (True, False))], "ill", ("no", "yes")), 0, 0.5, missing_left=False)
    (WithDefault(split=Subset(feature=0, members=(1,)), default_child=1, unseen=False), (0, 1))
    """
    values = list[Any](_numbered(schema, feature).values)
    if not values or not _are_numbers(values):
        return at_threshold(feature, at, missing_left=missing_left), (0, 1)
    return _by_codes(schema, feature, [code for code, value in enumerate(values) if value <= at], missing=int(not missing_left))


def among_categories(
    schema: Schema, feature: int, categories: Sequence[int], labels: Sequence[Any] | None, *, missing_left: bool
) -> tuple[Split, Sequence[int]]:
    """The split by categories, which go to the first child, and the order of its children.

    Categories are places in `labels`. Without these they are values of a feature of numbers, and codes of any other one.

    >>> schema = Schema([Feature("sky", "nominal", ("blue", "grey"))], "ill", ("no", "yes"))
    >>> among_categories(schema, 0, [1], ["grey", "blue"], missing_left=False)
    (WithDefault(split=Subset(feature=0, members=(0,)), default_child=1, unseen=False), (0, 1))
    """
    asked = _numbered(schema, feature)
    if not asked.values:
        raise ValueError(
            f"A split by categories must be of a feature with values, got {short_repr(asked.name)}, which is {asked.kind}."
        )
    known, told = codes_of_values(asked), asked.values if labels is None and not _are_numbers(asked.values) else labels
    most = inf if told is None else len(told)
    if not all(type(each) is int and 0 <= each < most for each in categories):
        raise ValueError(f"Categories must be whole numbers from 0 and below {most}, got {short_repr(categories)}.")
    found = categories if told is None else [told[each] for each in categories]
    codes = [known[label] for label in found if is_hashable(label) and label in known]
    return _by_codes(schema, feature, codes, missing=int(not missing_left))


def _numbered(schema: Schema, feature: int) -> Feature:
    if not 0 <= feature < len(schema.features):
        raise ValueError(f"A split must use features 0 to {len(schema.features) - 1} of the schema, got feature {feature}.")
    return schema.features[feature]


def _are_numbers(values: Iterable[Any]) -> bool:
    return all(isinstance(value, Real) for value in values)


def _by_codes(schema: Schema, feature: int, left: Collection[int], *, missing: int) -> tuple[Split, Sequence[int]]:
    """The split between some codes and all others, of which one side may have missing values only, or nothing."""
    right = [code for code in range(len(schema.features[feature].values)) if code not in left]
    if not (left, right)[missing]:
        return IsMissing(feature), (1 - missing, missing)
    order = (0, 1) if left else (1, 0)
    return WithDefault(Subset(feature, tuple(left or right)), default_child=order.index(missing)), order


def split_of(schema: Schema, stated: Sequence[Condition]) -> tuple[Split, list[int]]:
    """The split of children with these conditions on one feature, and the order of its children among them.

    Raises a ValueError where no split of ours divides rows so.

    >>> from ftree.tree.conditions import Between
    >>> schema = Schema([Feature("age", "numeric")], "ill", ("no", "yes"))
    >>> split_of(schema, [Not(Between(0, at_most=2.5)), Between(0, at_most=2.5)])
    (WithDefault(split=Threshold(feature=0, at=2.5), default_child=1, unseen=False), [1, 0])
    """
    asked = {feature for each in stated for feature in features_of(each)}
    number: Any = next(iter(asked), None)
    missing = [child for child, each in enumerate(stated) if satisfied(each, OneRow({number: None}))]
    if len(asked) != 1 or len(missing) > 1:
        raise refused(stated)
    feature = schema.features[number]
    if not missing:
        return _of_known(number, feature, stated)
    (place,) = missing
    others, unseen = [*stated[:place], *stated[place + 1 :]], feature.kind != "numeric" and isinstance(stated[place], Not)
    if any(isinstance(each, Not) for each in others):  # it gets values that are not named, which would count as missing
        raise refused(stated)
    if _known(feature, stated[place]):
        own, order = _of_known(number, feature, stated)
        return WithDefault(own, default_child=order.index(place), unseen=unseen), order
    if len(others) == 1 and not unseen and _known(feature, others[0]) == _known(feature, NoneOf(number)):
        return IsMissing(number), [1 - place, place]
    own, order = _of_known(number, feature, others)
    return WithDefault(own, default_child=len(others), unseen=unseen), [*[each + (each >= place) for each in order], place]


def _known(feature: Feature, stated: Condition) -> list[Any]:
    """The known values that satisfy a condition: codes of a nominal feature, intervals of any other one."""
    if feature.kind != "nominal":
        return intervals_of(stated) or []
    return sorted(_codes(feature, stated))


def _codes(feature: Feature, stated: Condition) -> AbstractSet[int]:
    """The codes that satisfy a condition, by sets: asking for each code takes the square of their number."""
    every = range(len(feature.values))
    match stated:
        case Not(inner):
            return set(every) - _codes(feature, inner)
        case AllOf(parts):
            return set(every).intersection(*[_codes(feature, each) for each in parts])
        case AnyOf(parts):
            return set[int]().union(*[_codes(feature, each) for each in parts])
    return set(codes_of(feature, stated) or ())  # none if it asks whether a value is missing


def _of_known(number: int, feature: Feature, stated: Sequence[Condition]) -> tuple[Split, list[int]]:
    """The split by known values alone."""
    known, places = [_known(feature, each) for each in stated], range(len(stated))
    if feature.kind == "nominal":
        # A child that gets values never seen gets all others.
        excludes = [satisfied(each, OneRow({number: object()})) for each in stated]
        order = sorted(places, key=lambda place: excludes[place])
        return _of_codes(number, [sorted(known[place]) for place in order], excludes=excludes[order[-1]]), order
    if any(len(intervals) != 1 for intervals in known):
        raise refused(stated)
    order = sorted(places, key=lambda place: known[place])
    ends = [end for place in order for end in known[place][0]]
    cuts = ends[1:-1:2]
    if not cuts or cuts != ends[2::2] or (ends[0], ends[-1]) != (-inf, inf):
        raise refused(stated)
    return (Threshold(number, cuts[0]) if len(cuts) == 1 else Intervals(number, cuts)), order


def _of_codes(number: int, groups: Sequence[Sequence[int]], *, excludes: bool) -> Split:
    if excludes and len(groups) == _PAIR and not set(groups[0]) & set(groups[1]):
        return Subset(number, groups[0])
    return (
        Multiway(number, [group[0] for group in groups]) if all(len(group) == 1 for group in groups) else Groups(number, groups)
    )


def refused(predicates: Any) -> ValueError:
    """The error for children that no split of ours divides so."""
    wanted = "a threshold, intervals, values or sets of values of one field, or whether it is missing"
    message = f"Predicates of a node's children must be {wanted}, got {short_repr(list(predicates))}."
    return ValueError(message)


# Structures of other libraries' boosted trees, whose leaves have values but no counts.


def counted_in(
    dataset: Dataset | Schema,
    root: Any,
    children: Callable[[Any], Sequence[Any]],
    split: Callable[[Schema, Any], tuple[Split, Sequence[int]]],
    *,
    score: str,
    cases: str,
) -> Tree:
    """The tree of a record of nodes, with the counts of the dataset's rows; `split` also gives the order of a node's children.

    Given a schema of numbers in place of a dataset, leaves have the scores and the cases of their records, by these keys.
    """
    if not (scored := isinstance(dataset, Schema) and not dataset.has_classes):
        check_dataset(dataset)
    schema: Any = getattr(dataset, "schema", dataset)
    records, below = numbered(root, children)
    made = {number: split(schema, records[number]) for number, kids in enumerate(below) if kids}
    node_of = partial(from_links, in_order(below, made).__getitem__, lambda number: made[number][0])
    if not scored:
        empty = (0,) * len(schema.response.channels)
        return recounted(node_of(lambda _: empty), dataset)  # type: ignore[arg-type]  # it is a dataset
    leaves = {number: record for number, record in enumerate(records) if not below[number]}
    response, counts = sums_of_numbers({number: _scored(record, score, cases) for number, record in leaves.items()})
    return Tree(evolve(schema, response=response), node_of(counts.__getitem__))


def _scored(record: Any, score: str, cases: str) -> tuple[float, float, float]:
    """The cases of a leaf, or one, its score, and no deviation from it."""
    return (finite_of(record, cases) if isinstance(record, dict) and cases in record else 0) or 1, finite_of(record, score), 0


def finite_of(record: Any, key: str) -> float:
    """The finite number of a node's key. Raises a ValueError for anything else.

    >>> finite_of({"threshold": 3}, "threshold")
    3.0
    """
    value = value_of(record, key, float, int)
    if not is_finite(value):
        raise ValueError(f"A node must have a finite number {key!r}, got {short_repr(value)}.")
    return float(value)


def chosen(trees: Any, tree: int) -> Any:
    """The tree with a number. Raises a ValueError if it does not exist.

    >>> chosen(["a", "b"], 1)
    'b'
    """
    n = len(trees) if isinstance(trees, list) else 0
    if isinstance(tree, bool) or not isinstance(tree, int) or not 0 <= tree < n:
        raise ValueError(f"tree must be the number of one of {n} trees, got {short_repr(tree)}.")
    return trees[tree]


def value_of(record: Any, key: str, *types: type) -> Any:
    """The value of a node's key. Raises a ValueError if it is absent, or has another type.

    >>> value_of({"feature": 3}, "feature", int)
    3
    """
    value = record.get(key) if isinstance(record, dict) else None
    if type(value) not in types:
        message = f"A node must have {key!r} of type {' or '.join(each.__name__ for each in types)}, got {short_repr(record)}."
        raise ValueError(message)
    return value


def loaded(text: Any, library: str) -> Any:
    """JSON text as values; other values unchanged. Raises a ValueError for other text.

    >>> loaded('{"tree_info": []}', "LightGBM")
    {'tree_info': []}
    """
    try:
        return json.loads(text) if isinstance(text, str) else text
    except (ValueError, RecursionError) as error:
        raise ValueError(f"model must be a model of {library}, or JSON that it dumps, got {short_repr(text)}: {error}.") from None


def last_below(at: float) -> float:
    """The largest number that, rounded to 32 bits, is below `at`, a number of 32 bits.

    >>> last_below(1.0)
    0.9999999701976775
    """
    return last_rounded_to(float(np.nextafter(np.float32(at), np.float32(-np.inf))))


def last_rounded_to(at: float) -> float:
    """The largest number that, rounded to 32 bits, is at most `at`: halfway to the next one, since ties round to even.

    >>> last_rounded_to(1.0), last_rounded_to(np.float32(0.1)) > 0.1
    (1.0000000596046448, True)
    """
    low = np.float32(at)
    if float(low) > at:
        low = np.nextafter(low, np.float32(-np.inf))
    middle = (float(low) + float(np.nextafter(low, np.float32(np.inf)))) / 2
    return middle if float(np.float32(middle)) == float(low) else float(np.nextafter(middle, -np.inf))
